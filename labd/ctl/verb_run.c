// SPDX-License-Identifier: GPL-2.0-or-later
/* Verbs about runs. Waiting follows the event stream; where that fails the run is asked for once a second, so that no event can be missed for good. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "core/clock.h"
#include "ctl/table.h"
#include "ctl/verb.h"

const struct option_row run_options[] = {
	{ "--board", "B", "only this board, or boards of this type" },
	{ "--cell", "GLOB", "only cells with such a name, like '*/payload_bytes=1460'" },
	{ "--version", "N", "this version of the matrix (default: the newest)" },
	{ "--reverse", NULL, "cells in reverse order" },
	{ "--dry-run", NULL, "say what would be done, and do nothing" },
	{ "--wait", NULL, "wait for the end, with progress; then measured beside published" },
	{ "--table", NULL, "with --wait: the table (what it prints anyway)" },
	{ "--timeout", "S", "with --wait: cancel the run after that many seconds (124)" },
	{ "--require-all", NULL, "a skipped cell counts as 4, no board" },
	{ "--reason", "WORD", "for the record (default: manual)" },
	{ NULL, NULL, NULL },
};
const struct option_row limit_options[] = { { "--limit", "N", "how many (default: 20)" }, { NULL, NULL, NULL } };

static volatile sig_atomic_t interrupts;

static void interrupt(int number)
{
	(void)number;
	interrupts++;
}

struct watch {
	struct call *call;
	int64_t run;
	uint64_t deadline_ns, next_look_ns;
	bool finished, cancelled, timed_out, lost;
	bool terminal, pending;                                  /* standard error shows one; a line that is still being rewritten is on it */
	long long ended, total;                                  /* attempts */
	char said[200];
};

/* Progress is for people, and not the same twice: a line that stays. */
static void say(struct watch *w, const char *text)
{
	if (strcmp(text, w->said) == 0 && !w->pending)
		return;
	snprintf(w->said, sizeof w->said, "%s", text);
	fprintf(stderr, "%s%s\n", w->pending ? "\r\x1b[K" : "", text);
	w->pending = false;
}

/* A terminal's line, rewritten in place; cut to its width, since a line that wraps cannot be. */
static void show(struct watch *w, const char *text)
{
	struct winsize size = { 0 };
	int columns = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1 : 79;

	if (strcmp(text, w->said) == 0)
		return;
	snprintf(w->said, sizeof w->said, "%s", text);
	fprintf(stderr, "\r\x1b[K%.*s", columns, text);
	fflush(stderr);
	w->pending = true;
}

static void wipe(struct watch *w)
{
	if (w->pending)
		fputs("\r\x1b[K", stderr);
	w->pending = false;
}

static const char *text_at(const json_t *json, const char *path)
{
	const char *text = json_string_value(table_value(json, path));

	return text ? text : "";
}

static bool ask_cancel(struct watch *w)
{
	char path[64];
	json_t *answer;

	snprintf(path, sizeof path, "/runs/%lld/cancel", (long long)w->run);
	answer = client_call(w->call->client, "POST", path, NULL, &w->call->err);
	json_decref(answer);
	return answer != NULL;
}

static void tell_run(struct watch *w, const json_t *run)
{
	long long ended = json_integer_value(table_value(run, "attempts.finished")), total = json_integer_value(table_value(run, "attempts.total"));
	char line[96];

	snprintf(line, sizeof line, "run %lld: %lld of %lld finished", (long long)w->run, ended, total);
	if (run && !w->terminal && (ended != w->ended || total != w->total))
		say(w, line);
	w->ended = ended;
	w->total = total;
}

/* Ask for the run itself. */
static void look(struct watch *w)
{
	struct err e = { 0 };
	char path[64];
	json_t *run;

	snprintf(path, sizeof path, "/runs/%lld", (long long)w->run);
	run = client_call(w->call->client, "GET", path, NULL, &e);
	w->finished = strcmp(text_at(run, "state"), "finished") == 0;
	w->lost = !run && e.code == ERR_LOST;
	if (w->lost)
		w->call->err = e;
	tell_run(w, run);
	json_decref(run);
	w->next_look_ns = clock_now_ns(&clock_host) + NS_PER_S;
}

static void check_limits(struct watch *w)
{
	if (interrupts > 0 && !w->cancelled) {
		say(w, "cancelling the run; Ctrl-C again leaves it alone");
		w->cancelled = ask_cancel(w);
	}
	if (w->deadline_ns && clock_now_ns(&clock_host) > w->deadline_ns && !w->timed_out) {
		say(w, "out of time; cancelling the run");
		w->timed_out = true;
		w->deadline_ns = 0;
		ask_cancel(w);
	}
}

/* Where nothing can be rewritten, only what takes long is worth a line: a cell that begins, and flashing. */
static bool worth_a_line(const char *step)
{
	return strcmp(step, "image") == 0 || strcmp(step, "flash") == 0;
}

static void tell_step(struct watch *w, const json_t *data)
{
	const char *step = text_at(data, "step");
	json_int_t done = json_integer_value(json_object_get(data, "done")), total = json_integer_value(json_object_get(data, "total"));
	struct buf line = { 0 };

	if (w->terminal)
		buf_printf(&line, "[%lld/%lld] ", w->ended, w->total);
	buf_printf(&line, "%s: %s", text_at(data, "board"), text_at(data, "cell"));
	if (w->terminal || strcmp(step, "image") != 0)
		buf_printf(&line, ": %s", step);
	if (w->terminal && total > 0)
		buf_printf(&line, " %lld %%", (long long)(done * 100 / total));
	if (w->terminal)
		show(w, buf_text(&line));
	else if (worth_a_line(step))
		say(w, buf_text(&line));
	buf_finish(&line);
}

static void tell_result(struct watch *w, const json_t *data)
{
	const char *error = text_at(data, "error");
	const json_t *rate = table_value(data, "figures.goodput_byte_per_s");
	struct buf line = { 0 };

	buf_printf(&line, "%s%s: %s: %s", text_at(data, "board"), json_is_true(json_object_get(data, "virtual")) ? " (virtual)" : "", text_at(data, "cell"), text_at(data, "verdict"));
	if (json_is_number(rate))
		buf_printf(&line, ", %.0f byte/s", json_number_value(rate));
	if (error[0])
		buf_printf(&line, " (%s): %s", text_at(data, "cause"), error);
	say(w, buf_text(&line));
	buf_finish(&line);
}

static void tell(struct watch *w, const char *type, const json_t *data)
{
	if (json_integer_value(json_object_get(data, "run")) != w->run)
		return;
	if ((strcmp(type, "progress") == 0 || strcmp(type, "board") == 0) && text_at(data, "cell")[0])
		tell_step(w, data);
	else if (strcmp(type, "result") == 0)
		tell_result(w, data);
}

static bool on_event(void *opaque, const char *type, const json_t *data)
{
	struct watch *w = opaque;
	bool ours = type && strcmp(type, "run") == 0 && json_integer_value(json_object_get(data, "run")) == w->run;

	if (type)
		tell(w, type, data);
	check_limits(w);
	if (ours || clock_now_ns(&clock_host) > w->next_look_ns)
		look(w);
	return !w->finished && !w->lost && interrupts < 2;
}

/* In the store a capture's path is relative to the state folder; who reads this document is on the same computer and wants to open the file. */
static void place_captures(struct call *c, json_t *report)
{
	char *state = realpath(c->state_dir, NULL);
	json_t *cell;
	size_t i;

	json_array_foreach(json_object_get(report, "cells"), i, cell)
		if (state && text_at(cell, "capture")[0])
			json_object_set_new(cell, "capture", json_sprintf("%s/%s", state, text_at(cell, "capture")));
	free(state);
}

static int print_report(struct call *c, int64_t run, bool strict, int forced)
{
	char path[64];
	json_t *report;
	int status;

	snprintf(path, sizeof path, "/runs/%lld/report", (long long)run);
	report = client_call(c->client, "GET", path, NULL, &c->err);
	if (!report)
		return call_failed(c);
	status = (int)json_integer_value(json_object_get(report, strict ? "exit_status_strict" : "exit_status"));
	if (c->json) {
		place_captures(c, report);
		call_print(report);
		return forced ? forced : status;
	}
	json_decref(report);
	char *table = client_text(c->client, path, &c->err);
	if (!table)
		return call_failed(c);
	fputs(table, stdout);
	free(table);
	return forced ? forced : status;
}

bool run_wait(struct call *c, int64_t run, int64_t timeout_s, int *status)
{
	struct watch w = { .call = c, .run = run, .terminal = isatty(STDERR_FILENO) };
	struct timespec second = { .tv_sec = 1 };

	if (timeout_s > 0)
		w.deadline_ns = clock_now_ns(&clock_host) + (uint64_t)timeout_s * NS_PER_S;
	signal(SIGINT, interrupt);
	look(&w);
	while (!w.finished && !w.lost && interrupts < 2)
		if (!client_follow(c->client, on_event, &w, &c->err) && !w.lost && on_event(&w, NULL, NULL))
			nanosleep(&second, NULL);
	wipe(&w);
	*status = w.timed_out ? EXIT_TIMEOUT : w.cancelled || interrupts >= 2 ? EXIT_CANCELLED : 0;
	if (w.lost)
		*status = call_failed(c);
	return !w.lost && interrupts < 2;
}

int run_follow(struct call *c, int64_t run, int64_t timeout_s, bool strict)
{
	int status;

	return run_wait(c, run, timeout_s, &status) ? print_report(c, run, strict, status) : status;
}

/* --- the verbs ---------------------------------------------------------------------------------------------------------------------------------- */

static void add_text(json_t *body, const char *key, const char *text)
{
	if (text)
		json_object_set_new(body, key, json_string(text));
}

static json_t *run_body(struct call *c)
{
	const char *user = getenv("USER");
	int64_t version;
	json_t *body;

	if (!args_number(c->args, "--version", 1, 1000000, 0, &version, &c->err))
		return NULL;
	body = json_pack("{s:s,s:b,s:s}", "matrix", c->args->words[0], "reverse", args_flag(c->args, "--reverse"), "requested_by", user && user[0] ? user : "labctl");
	if (version)
		json_object_set_new(body, "version", json_integer(version));
	add_text(body, "board", args_text(c->args, "--board"));
	add_text(body, "cell", args_text(c->args, "--cell"));
	add_text(body, "reason", args_text(c->args, "--reason"));
	return body;
}

static int dry_run(struct call *c, const json_t *body)
{
	static const struct column columns[] = {
		{ "cell", "cell", 0 }, { "board", "board", 0 }, { "repeats", "repeats", 0 }, { "image", "image.build", 0 }, { "skipped", "skipped", 0 }, { NULL, NULL, 0 },
	};
	json_t *estimate = client_call(c->client, "POST", "/runs/estimate", body, &c->err), *seconds;

	if (!estimate)
		return call_failed(c);
	if (c->json)
		return call_print(estimate);
	table_print(stdout, columns, json_object_get(estimate, "cells"), "No cell would run.");
	seconds = json_object_get(estimate, "estimated_s");
	printf("%lld attempts", (long long)json_integer_value(json_object_get(estimate, "attempts")));
	if (json_is_number(seconds))
		printf(", about %.0f s", json_number_value(seconds));
	printf("\n");
	json_decref(estimate);
	return EXIT_PASSED;
}

static int start(struct call *c, const json_t *body, int64_t timeout)
{
	json_t *queued = client_call(c->client, "POST", "/runs", body, &c->err);
	int64_t run = json_integer_value(json_object_get(queued, "run"));

	if (!queued)
		return call_failed(c);
	if (args_flag(c->args, "--wait")) {
		json_decref(queued);
		return run_follow(c, run, timeout, args_flag(c->args, "--require-all"));
	}
	if (c->json)
		return call_print(queued);
	printf("run %lld is queued\n", (long long)run);
	json_decref(queued);
	return EXIT_PASSED;
}

int verb_run(struct call *c)
{
	int64_t timeout;
	json_t *body = args_number(c->args, "--timeout", 1, 1000000, 0, &timeout, &c->err) ? run_body(c) : NULL;
	int status;

	if (!body)
		return call_failed(c);
	status = args_flag(c->args, "--dry-run") ? dry_run(c, body) : start(c, body, timeout);
	json_decref(body);
	return status;
}

int verb_runs(struct call *c)
{
	static const struct column columns[] = {
		{ "run", "id", 0 }, { "matrix", "matrix", 0 }, { "version", "matrix_version", 0 }, { "state", "state", 0 }, { "passed", "attempts.pass", 0 },
		{ "of", "attempts.total", 0 }, { "reason", "reason", 0 }, { "by", "requested_by", 0 }, { "created", "created", 0 }, { NULL, NULL, 0 },
	};
	int64_t limit;
	char path[64];

	if (!args_number(c->args, "--limit", 1, 1000, 20, &limit, &c->err))
		return call_failed(c);
	snprintf(path, sizeof path, "/runs?limit=%lld", (long long)limit);
	return call_list(c, path, columns, "Nothing has run yet.");
}

int verb_cancel(struct call *c)
{
	struct buf path = { 0 };
	json_t *answer;

	buf_printf(&path, "/runs/");
	client_part(&path, c->args->words[0]);
	buf_printf(&path, "/cancel");
	answer = client_call(c->client, "POST", buf_text(&path), NULL, &c->err);
	buf_finish(&path);
	if (!answer)
		return call_failed(c);
	if (c->json)
		return call_print(answer);
	printf("run %s is cancelled\n", c->args->words[0]);
	json_decref(answer);
	return EXIT_PASSED;
}
