// SPDX-License-Identifier: GPL-2.0-or-later
/* Verbs about what is there: daemon, boards, images, references, logins. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/table.h"
#include "ctl/verb.h"

const struct option_row flash_options[] = {
	{ "--image", "HASH", "SHA-256 or build id (default: the image of the default variant)" },
	{ "--wait", NULL, "wait for the end, with progress" },
	{ "--timeout", "S", "with --wait: give up after that many seconds (124)" },
	{ NULL, NULL, NULL },
};
const struct option_row console_options[] = { { "--follow", NULL, "print what comes, until Ctrl-C" }, { NULL, NULL, NULL } };
const struct option_row references_options[] = {
	{ "--board-type", "TYPE", "only of this board type" }, { "--workload", "NAME", "only of this workload" }, { NULL, NULL, NULL },
};
const struct option_row login_options[] = { { "--link", NULL, "print the link (what it does anyway)" }, { NULL, NULL, NULL } };

static long long number_at(const json_t *json, const char *path)
{
	return (long long)json_integer_value(table_value(json, path));
}

static const char *text_at(const json_t *json, const char *path)
{
	const char *text = json_string_value(table_value(json, path));

	return text ? text : "-";
}

int verb_status(struct call *c)
{
	json_t *s = client_call(c->client, "GET", "/status", NULL, &c->err);

	if (!s)
		return call_failed(c);
	if (c->json)
		return call_print(s);
	printf("labd %s at %s, bench %s, up %.0f s\n", text_at(s, "version"), client_url(c->client), text_at(s, "bench"), json_number_value(json_object_get(s, "uptime_s")));
	printf("host: %s, %s, %s\n", text_at(s, "host.name"), text_at(s, "host.kernel"), text_at(s, "host.cpu"));
	printf("store: %lld runs, %lld attempts, %lld queued; %lld bytes, log %lld bytes\n", number_at(s, "store.runs"), number_at(s, "store.attempts"),
	       number_at(s, "store.queued"), number_at(s, "store.bytes"), number_at(s, "store.wal_bytes"));
	json_decref(s);
	return EXIT_PASSED;
}

int verb_boards(struct call *c)
{
	static const struct column columns[] = {
		{ "board", "name", 0 }, { "type", "board_type", 0 }, { "virtual", "virtual", 0 }, { "on bench", "present", 0 }, { "state", "state", 0 }, { "step", "live.step", 0 },
		{ "health", "health", 0 }, { "holds", "holds.build", 0 }, { "flashed", "flash_cycles", 0 }, { "last result", "last_result.cell", 0 },
		{ "verdict", "last_result.verdict", 0 }, { NULL, NULL, 0 },
	};

	return call_list(c, "/boards", columns, "No board is on the bench.");
}

int verb_images(struct call *c)
{
	static const struct column columns[] = {
		{ "build", "build", 0 }, { "board type", "board_type", 0 }, { "variant", "variant", 0 }, { "format", "format", 0 }, { "toolchain", "toolchain", 0 },
		{ "file", "file", 0 }, { NULL, NULL, 0 },
	};

	return call_list(c, "/images", columns, "No image is known.");
}

int verb_references(struct call *c)
{
	static const struct column columns[] = {
		{ "board type", "board_type", 0 }, { "workload", "workload", 0 }, { "payload", "payload_bytes", 0 }, { "figure", "figure", 0 }, { "value", "value", 3 },
		{ "unit", "unit", 0 }, { "printed", "printed", 0 }, { "kind", "kind", 0 }, { "grade", "grade", 0 }, { "source", "source", 0 }, { NULL, NULL, 0 },
	};
	struct buf path = { 0 };
	int status;

	buf_printf(&path, "/references");
	client_query(&path, "board_type", args_text(c->args, "--board-type"));
	client_query(&path, "workload", args_text(c->args, "--workload"));
	status = call_list(c, buf_text(&path), columns, "No published result is known for that.");
	buf_finish(&path);
	return status;
}

int verb_login(struct call *c)
{
	json_t *link = client_call(c->client, "POST", "/login-links", NULL, &c->err);

	if (!link)
		return call_failed(c);
	if (c->json)
		return call_print(link);
	printf("%s\n", text_at(link, "url"));
	json_decref(link);
	return EXIT_PASSED;
}

int verb_flash(struct call *c)
{
	const char *image = args_text(c->args, "--image"), *user = getenv("USER");
	json_t *body = json_pack("{s:s}", "requested_by", user && user[0] ? user : "labctl"), *queued;
	struct buf path = { 0 };
	int64_t timeout, run;

	if (image)
		json_object_set_new(body, "image", json_string(image));
	buf_printf(&path, "/boards/");
	client_part(&path, c->args->words[0]);
	buf_printf(&path, "/flash");
	queued = args_number(c->args, "--timeout", 1, 1000000, 0, &timeout, &c->err) ? client_call(c->client, "POST", buf_text(&path), body, &c->err) : NULL;
	json_decref(body);
	buf_finish(&path);
	if (!queued)
		return call_failed(c);
	run = json_integer_value(json_object_get(queued, "run"));
	if (args_flag(c->args, "--wait")) {
		json_decref(queued);
		return run_follow(c, run, timeout, false);
	}
	if (c->json)
		return call_print(queued);
	printf("run %lld is queued\n", (long long)run);
	json_decref(queued);
	return EXIT_PASSED;
}

/* --- console ------------------------------------------------------------------------------------------------------------------------------------ */

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
	(void)number;
	interrupted = 1;
}

/* As the board printed it, but for bytes that would do something to the terminal. */
static void print_console(const char *text)
{
	for (const char *p = text; *p; p++)
		if ((unsigned char)*p >= ' ' || *p == '\n' || *p == '\t')
			putchar(*p);
	fflush(stdout);
}

static bool on_console(void *opaque, const char *type, const json_t *data)
{
	struct call *c = opaque;
	const char *text = json_string_value(json_object_get(data, "text"));

	if (!type || strcmp(type, "console") != 0 || strcmp(text_at(data, "board"), c->args->words[0]) != 0 || !text)
		return !interrupted;
	if (c->json) {
		json_dumpf(data, stdout, JSON_COMPACT);
		putchar('\n');
		fflush(stdout);
	} else {
		print_console(text);
	}
	return !interrupted;
}

static int follow_console(struct call *c)
{
	signal(SIGINT, interrupt);
	return client_follow(c->client, on_console, c, &c->err) ? EXIT_PASSED : call_failed(c);
}

int verb_console(struct call *c)
{
	struct buf path = { 0 };
	json_t *doc, *line;
	size_t i;

	buf_printf(&path, "/boards/");
	client_part(&path, c->args->words[0]);
	buf_printf(&path, "/console");
	doc = client_call(c->client, "GET", buf_text(&path), NULL, &c->err);
	buf_finish(&path);
	if (!doc)
		return call_failed(c);
	if (args_flag(c->args, "--follow")) {
		json_decref(doc);
		return follow_console(c);
	}
	if (c->json)
		return call_print(doc);
	json_array_foreach(json_object_get(doc, "lines"), i, line)
		print_console(text_at(line, "text"));
	json_decref(doc);
	return EXIT_PASSED;
}
