// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ./lab bench: runs the bench programs of the build one after the other and prints what they say, each figure beside its peer or its physical limit,
 * both measured in this run. A bench program prints one JSON object a line: {name, value, unit, peer, peer_value, ratio, goal}. Whether a goal is
 * met is printed, and decides nothing: a benchmark is not a test.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/buf.h"
#include "core/proc.h"

static const char *const programs[] = {
	"fixtures/virtual/cpu/mcs51_bench",
	"labd/wire/flow_bench",
	"labd/test/pipeline_bench",
	"labd/test/daemon_bench",
};

/* Each line that is a JSON object becomes a row; what else a program says is passed on. */
static void collect(json_t *rows, char *text)
{
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		json_t *row = json_loads(line, 0, NULL);

		if (json_is_object(row))
			json_array_append_new(rows, row);
		else {
			fprintf(stderr, "lab: %s\n", line);
			json_decref(row);
		}
	}
}

static bool run(const char *build, const char *program, json_t *rows)
{
	char path[4096];
	const char *const argv[] = { path, NULL };
	struct buf output = { 0 };
	struct proc_run r = { .argv = argv, .deadline_ms = 300000, .output = &output };
	struct proc_end end;
	struct err e = { 0 };

	snprintf(path, sizeof path, "%s/%s", build, program);
	fprintf(stderr, "lab: %s\n", program);
	if (!proc_run(&r, &end, &e)) {
		fprintf(stderr, "lab: %s: %s\n", program, e.msg);
		buf_finish(&output);
		return false;
	}
	if (output.size == 0 || end.signalled)
		fprintf(stderr, "lab: %s printed nothing\n", program);
	char *text = buf_take(&output);
	size_t before = json_array_size(rows);

	collect(rows, text);
	free(text);
	return json_array_size(rows) > before;
}

static void number(json_t *value, char *out, size_t room)
{
	double v = json_number_value(value);

	if (!json_is_number(value))
		snprintf(out, room, "-");
	else
		snprintf(out, room, v >= 1000 ? "%.0f" : v >= 10 ? "%.1f" : "%.3g", v);
}

/* A ratio is better when larger, unless the row says "smaller". */
static const char *verdict(json_t *row)
{
	json_t *goal = json_object_get(row, "goal"), *ratio = json_object_get(row, "ratio");
	double reached = json_number_value(json_is_number(ratio) ? ratio : json_object_get(row, "value"));
	bool smaller = json_is_true(json_object_get(row, "smaller"));

	if (!json_is_number(goal))
		return "";
	return (smaller ? reached <= json_number_value(goal) : reached >= json_number_value(goal)) ? "met" : "NOT met";
}

static void print_table(json_t *rows)
{
	size_t i;
	json_t *row;

	printf("%-34s %12s %-12s %-34s %12s %8s %8s\n", "figure", "value", "unit", "peer or limit", "its value", "ratio", "goal");
	json_array_foreach(rows, i, row) {
		char value[32], peer[32], ratio[32], goal[32];

		number(json_object_get(row, "value"), value, sizeof value);
		number(json_object_get(row, "peer_value"), peer, sizeof peer);
		number(json_object_get(row, "ratio"), ratio, sizeof ratio);
		number(json_object_get(row, "goal"), goal, sizeof goal);
		const char *unit = json_string_value(json_object_get(row, "unit")), *of = json_string_value(json_object_get(row, "peer"));
		printf("%-34s %12s %-12s %-34s %12s %8s %8s %s\n", json_string_value(json_object_get(row, "name")), value, unit ? unit : "", of ? of : "-",
		       peer, ratio, goal, verdict(row));
	}
}

int main(int argc, char **argv)
{
	const char *build = getenv("LAB_BUILD");
	json_t *rows = json_array();
	bool json = argc == 2 && strcmp(argv[1], "--json") == 0, all = true;

	if (argc > 2 || (argc == 2 && !json)) {
		fprintf(stderr, "usage: lab bench [--json]\n");
		return 2;
	}
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
		all = run(build ? build : "build/release", programs[i], rows) && all;
	if (json)
		json_dumpf(rows, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
	else
		print_table(rows);
	putchar('\n');
	json_decref(rows);
	return all ? 0 : 5;
}
