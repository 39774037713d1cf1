// SPDX-License-Identifier: GPL-2.0-or-later
/* Verbs about results, comparisons and files of them. A file appears under its name only when it is complete. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mem.h"
#include "ctl/table.h"
#include "ctl/verb.h"

#define FILTER_OPTIONS \
	{ "--run", "N", "only of this run" }, { "--board", "B", "only on this board" }, { "--board-type", "TYPE", "only on boards of this type" }, \
	{ "--workload", "NAME", "only of this workload" }, { "--verdict", "WORD", "only with this verdict" }, { "--cell", "NAME", "only of this cell" }, \
	{ "--matrix", "NAME", "only of runs of this matrix" }, { "--payload", "N", "only of this payload size, in byte" }, \
	{ "--latest", NULL, "only the last attempt of each repeat" }, { "--finished", NULL, "only finished ones" }, { "--included", NULL, "without those that were excluded" }
#define COMPARE_OPTIONS \
	{ "--figure", "NAME", "goodput_byte_per_s (default), goodput_bit_per_s, frames_per_s, frame_time_s, elapsed_s" }, \
	{ "--transport", "WORD", "only over tcp or udp" }

const struct option_row results_options[] = {
	FILTER_OPTIONS, { "--limit", "N", "the newest N (default: 50)" }, { NULL, NULL, NULL },
};
const struct option_row compare_options[] = {
	COMPARE_OPTIONS, { "--run", "N", "only of this run" }, { "--board", "B", "only on this board, or boards of this type" },
	{ "--matrix", "NAME", "only of runs of this matrix" }, { "--workload", "NAME", "only of this workload" }, { NULL, NULL, NULL },
};
const struct option_row csv_options[] = {
	FILTER_OPTIONS, COMPARE_OPTIONS, { "--output", "FILE", "write there (default: standard output)" },
	{ "--sep", "C", "between cells: , ; or tab" }, { "--decimal", "C", "a point, or a comma" }, { "--bom", NULL, "begin with a byte order mark" },
	{ "--excel", NULL, "UTF-16LE with tabs, which Excel opens as columns everywhere" }, { NULL, NULL, NULL },
};
const struct option_row output_options[] = { { "--output", "FILE", "write there (default: standard output)" }, { NULL, NULL, NULL } };
const struct option_row author_options[] = { { "--author", "NAME", "who says so (default: $USER)" }, { NULL, NULL, NULL } };

/* An option and the query parameter it becomes. */
static const struct { const char *option, *parameter; } parameters[] = {
	{ "--run", "run" }, { "--board", "board" }, { "--board-type", "board_type" }, { "--workload", "workload" }, { "--verdict", "verdict" }, { "--cell", "cell" },
	{ "--matrix", "matrix" }, { "--payload", "payload_bytes" }, { "--figure", "figure" }, { "--transport", "transport" }, { "--sep", "sep" },
	{ "--decimal", "decimal" },
};
static const struct { const char *option, *parameter; } flags[] = { { "--latest", "latest" }, { "--finished", "finished" }, { "--included", "included" }, { "--bom", "bom" }, { "--excel", "excel" } };

static void add_parameters(const struct args *a, struct buf *path)
{
	for (size_t i = 0; i < sizeof parameters / sizeof parameters[0]; i++)
		client_query(path, parameters[i].parameter, args_text(a, parameters[i].option));
	for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
		client_query(path, flags[i].parameter, args_flag(a, flags[i].option) ? "true" : NULL);
}

static int one_result(struct call *c)
{
	struct buf path = { 0 };
	json_t *result;

	buf_printf(&path, "/results/");
	client_part(&path, c->args->words[0]);
	result = client_call(c->client, "GET", buf_text(&path), NULL, &c->err);
	buf_finish(&path);
	return result ? call_print(result) : call_failed(c);
}

int verb_results(struct call *c)
{
	static const struct column columns[] = {
		{ "result", "id", 0 }, { "run", "run", 0 }, { "cell", "cell", 0 }, { "board", "board", 0 }, { "virtual", "virtual", 0 }, { "attempt", "attempt", 0 },
		{ "verdict", "verdict", 0 }, { "cause", "cause", 0 }, { "byte/s", "figures.goodput_byte_per_s", 1 }, { "frame/s", "figures.frames_per_s", 3 },
		{ "elapsed s", "figures.elapsed_s", 6 }, { "error", "error", 0 }, { NULL, NULL, 0 },
	};
	struct buf path = { 0 };
	int64_t limit;
	int status;

	if (c->args->word_count == 1)
		return one_result(c);
	if (!args_number(c->args, "--limit", 1, 10000, 50, &limit, &c->err))
		return call_failed(c);
	buf_printf(&path, "/results?order=desc&limit=%lld", (long long)limit);
	add_parameters(c->args, &path);
	status = call_list(c, buf_text(&path), columns, "No result fits.");
	buf_finish(&path);
	return status;
}

/* "tcp, 100 frames" or "udp, acknowledged, 10 frames": what tells series of one board and variant apart. from: where ack and count are. */
static json_t *over_of(json_t *row, json_t *from)
{
	const char *transport = json_string_value(json_object_get(row, "transport"));
	json_t *count = json_object_get(from, "count");
	char frames[40] = "";

	if (json_is_integer(count))
		snprintf(frames, sizeof frames, ", %lld frames", (long long)json_integer_value(count));
	return transport ? json_sprintf("%s%s%s", transport, json_is_true(json_object_get(from, "ack")) ? ", acknowledged" : "", frames) : json_null();
}

static void print_comparison(const json_t *doc)
{
	static const struct column rows[] = {
		{ "board", "board", 0 }, { "virtual", "virtual", 0 }, { "workload", "workload", 0 }, { "variant", "variant", 0 }, { "over", "over", 0 },
		{ "payload byte", "payload_bytes", 0 },
		{ "n", "n", 0 }, { "measured", "value", 3 }, { "published", "first.value", 3 }, { "ratio", "ratio", 3 }, { "differs", "first.differs", 0 },
		{ "source", "first.source", 0 }, { NULL, NULL, 0 },
	};
	static const struct column fits[] = {
		{ "line through the sizes", "series", 0 }, { "variant", "variant", 0 }, { "over", "over", 0 }, { "s/frame", "a_s", 6 }, { "s/byte", "b_s_per_byte", 9 }, { "largest error", "max_relative_error", 4 }, { NULL, NULL, 0 },
	};
	json_t *list = json_object_get(doc, "rows"), *row;
	size_t i;

	json_array_foreach(list, i, row) {
		json_t *first = json_array_get(json_object_get(row, "published"), 0);

		json_object_set(row, "first", first ? first : json_null());
		json_object_set_new(row, "over", over_of(row, json_object_get(row, "params")));
	}
	json_array_foreach(json_object_get(doc, "fits"), i, row)
		json_object_set_new(row, "over", over_of(row, row));
	printf("%s, %s\n", json_string_value(json_object_get(doc, "figure")), json_string_value(json_object_get(doc, "unit")));
	table_print(stdout, rows, list, "Nothing is measured for that yet.");
	if (json_array_size(json_object_get(doc, "fits")) > 0) {
		printf("\n");
		table_print(stdout, fits, json_object_get(doc, "fits"), "");
	}
}

int verb_compare(struct call *c)
{
	struct buf path = { 0 };
	json_t *doc;

	buf_printf(&path, "/compare");
	add_parameters(c->args, &path);
	doc = client_call(c->client, "GET", buf_text(&path), NULL, &c->err);
	buf_finish(&path);
	if (!doc)
		return call_failed(c);
	if (c->json)
		return call_print(doc);
	print_comparison(doc);
	json_decref(doc);
	return EXIT_PASSED;
}

/* --- files -------------------------------------------------------------------------------------------------------------------------------------- */

/* What is there already and no file, like /dev/null or a named pipe, is written to and never replaced. */
static bool is_device(const char *name)
{
	struct stat st;

	return stat(name, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static bool download_into(struct call *c, const char *path, const char *name)
{
	FILE *f = fopen(name, "wb");
	bool ok = f ? client_download(c->client, path, f, &c->err) : err_errno(&c->err, "%.150s", name);

	if (f && fclose(f) != 0 && ok)
		ok = err_errno(&c->err, "%.150s", name);
	return ok;
}

static bool download_to(struct call *c, const char *path, const char *name)
{
	char *part = xasprintf("%s.part", name);
	FILE *f = fopen(part, "wb");
	bool ok = f ? client_download(c->client, path, f, &c->err) : err_errno(&c->err, "%.150s", part);

	if (f && fclose(f) != 0 && ok)
		ok = err_errno(&c->err, "%.150s", part);
	if (ok && rename(part, name) != 0)
		ok = err_errno(&c->err, "%.150s", name);
	if (!ok && f)
		unlink(part);
	free(part);
	return ok;
}

/* --json: where it was written; without --output the file itself is the output. */
static int download(struct call *c, const char *path)
{
	const char *name = args_text(c->args, "--output");

	if (name && !name[0]) {
		err_set(&c->err, ERR_INVALID, "--output needs the name of a file");
		return call_failed(c);
	}
	c->json = c->json && name;                               /* the output is the file, and nothing else comes behind half of one */
	if (!name)
		return client_download(c->client, path, stdout, &c->err) ? EXIT_PASSED : call_failed(c);
	if (!(is_device(name) ? download_into(c, path, name) : download_to(c, path, name)))
		return call_failed(c);
	return c->json ? call_print(json_pack("{s:s}", "file", name)) : EXIT_PASSED;
}

int verb_export_csv(struct call *c)
{
	const char *what = c->args->word_count ? c->args->words[0] : "samples";
	struct buf path = { 0 };
	int status;

	if (strcmp(what, "samples") != 0 && strcmp(what, "summary") != 0 && strcmp(what, "compare") != 0) {
		err_set(&c->err, ERR_INVALID, "there is no CSV file \"%.40s\"; there are: samples, summary, compare", what);
		return call_failed(c);
	}
	buf_printf(&path, "/export/%s.csv", what);
	add_parameters(c->args, &path);
	status = download(c, buf_text(&path));
	buf_finish(&path);
	return status;
}

int verb_export_capture(struct call *c)
{
	struct buf path = { 0 };
	int status;

	if (!args_text(c->args, "--output") && isatty(STDOUT_FILENO)) {
		err_set(&c->err, ERR_INVALID, "a capture is not for a terminal; say --output FILE or redirect it");
		return call_failed(c);
	}
	buf_printf(&path, "/results/");
	client_part(&path, c->args->words[0]);
	buf_printf(&path, "/capture");
	status = download(c, buf_text(&path));
	buf_finish(&path);
	return status;
}

/* --- exclusions --------------------------------------------------------------------------------------------------------------------------------- */

static int change(struct call *c, const char *action, json_t *body, const char *said)
{
	struct buf path = { 0 };
	json_t *answer;

	buf_printf(&path, "/results/");
	client_part(&path, c->args->words[0]);
	buf_printf(&path, "/%s", action);
	answer = client_call(c->client, "POST", buf_text(&path), body, &c->err);
	buf_finish(&path);
	json_decref(body);
	if (!answer)
		return call_failed(c);
	if (c->json)
		return call_print(answer);
	printf("result %s is %s\n", c->args->words[0], said);
	json_decref(answer);
	return EXIT_PASSED;
}

int verb_exclude(struct call *c)
{
	const char *author = args_text(c->args, "--author"), *user = getenv("USER");

	author = author ? author : user && user[0] ? user : "labctl";
	return change(c, "exclude", json_pack("{s:s,s:s}", "reason", c->args->words[1], "author", author), "left out of comparisons");
}

int verb_include(struct call *c)
{
	return change(c, "include", NULL, "in comparisons again");
}
