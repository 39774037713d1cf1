// SPDX-License-Identifier: GPL-2.0-or-later
/* labctl: the lab from a terminal. A table of verbs; each is one or a few calls of the daemon's HTTP API. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/buf.h"
#include "core/json.h"
#include "core/proc.h"
#include "ctl/table.h"
#include "ctl/verb.h"

static const struct verb verbs[] = {
	{ "status", "", 0, 0, false, NULL, verb_status, "the daemon: version, bench, size of the store" },
	{ "boards", "", 0, 0, false, NULL, verb_boards, "the boards and what each does now" },
	{ "run", "MATRIX", 1, 1, false, run_options, verb_run, "run a stored matrix" },
	{ "runs", "", 0, 0, false, limit_options, verb_runs, "the newest runs" },
	{ "cancel", "RUN", 1, 1, false, NULL, verb_cancel, "cancel a run" },
	{ "results", "[RESULT]", 0, 1, false, results_options, verb_results, "results, or one with everything known of it" },
	{ "compare", "", 0, 0, false, compare_options, verb_compare, "measured beside published" },
	{ "profile", "BOARD", 1, 1, false, profile_options, verb_profile, "where the cycles of a frame go, by bucket and function" },
	{ "export csv", "[samples|summary|compare]", 0, 1, false, csv_options, verb_export_csv, "a CSV file (default: samples)" },
	{ "export capture", "RESULT", 1, 1, false, output_options, verb_export_capture, "the packets of a result, for Wireshark" },
	{ "exclude", "RESULT REASON", 2, 2, false, author_options, verb_exclude, "leave a result out of comparisons; it stays visible" },
	{ "include", "RESULT", 1, 1, false, NULL, verb_include, "take an exclusion back" },
	{ "matrix list", "", 0, 0, false, NULL, verb_matrix_list, "the stored matrices" },
	{ "matrix show", "NAME", 1, 1, false, matrix_options, verb_matrix_show, "one matrix, its version and author" },
	{ "matrix export", "NAME", 1, 1, false, export_options, verb_matrix_export, "its document, as a file to change and import" },
	{ "matrix import", "FILE", 1, 1, false, import_options, verb_matrix_import, "keep a matrix; - reads standard input" },
	{ "matrix validate", "FILE", 1, 1, false, NULL, verb_matrix_validate, "check a matrix without keeping it" },
	{ "matrix copy", "FROM TO", 2, 2, false, matrix_options, verb_matrix_copy, "keep a matrix under another name" },
	{ "schedule list", "", 0, 0, false, NULL, verb_schedule_list, "what runs when" },
	{ "schedule add", "NAME", 1, 1, false, schedule_options, verb_schedule_add, "run a matrix at given times" },
	{ "schedule remove", "NAME", 1, 1, false, NULL, verb_schedule_remove, "forget a schedule" },
	{ "schedule enable", "NAME", 1, 1, false, NULL, verb_schedule_enable, "let it fire" },
	{ "schedule disable", "NAME", 1, 1, false, NULL, verb_schedule_disable, "keep it from firing" },
	{ "schedule preview", "CRON", 1, 1, false, preview_options, verb_schedule_preview, "when an expression fires" },
	{ "flash", "BOARD", 1, 1, false, flash_options, verb_flash, "write an image to a board and show that it starts" },
	{ "console", "BOARD", 1, 1, false, console_options, verb_console, "what a board printed; --follow: what it prints" },
	{ "images", "", 0, 0, false, NULL, verb_images, "the images that cells can select" },
	{ "references", "", 0, 0, false, references_options, verb_references, "the published results" },
	{ "login", "", 0, 0, false, login_options, verb_login, "print a one-time login link to the dashboard" },
	{ "doctor", "", 0, 0, true, doctor_options, verb_doctor, "look for what is missing or wrong on this computer" },
};
#define VERBS (sizeof verbs / sizeof verbs[0])

static const struct option_row common_options[] = {
	{ "--json", NULL, "one JSON document on standard output" },
	{ "--state", "DIR", "the daemon's state folder (default: $LABD_STATE, $XDG_STATE_HOME/labd or ~/.local/state/labd)" },
	{ "--help", NULL, "this" },
	{ NULL, NULL, NULL },
};

static void print_options(const struct option_row *rows)
{
	for (; rows && rows->name; rows++)
		printf("  %s %-*s %s\n", rows->name, (int)(22 - strlen(rows->name)), rows->value ? rows->value : "", rows->help);
}

/* The verbs, or those that begin with a word ("matrix", NULL: all). Returns how many. */
static int list_verbs(const char *family)
{
	size_t n = family ? strlen(family) : 0;
	int listed = 0;

	for (size_t i = 0; i < VERBS; i++)
		if (!n || (strncmp(verbs[i].name, family, n) == 0 && verbs[i].name[n] == ' ')) {
			printf("%s", n && !listed ? "usage: labctl VERB ...\n\n" : "");
			printf("  %s %-*s %s\n", verbs[i].name, (int)(43 - strlen(verbs[i].name)), verbs[i].words, verbs[i].summary);
			listed++;
		}
	return listed;
}

static int help(const struct verb *only)
{
	if (only) {
		printf("usage: labctl %s%s%s [OPTIONS]\n\n%s\n\n", only->name, only->words[0] ? " " : "", only->words, only->summary);
		print_options(only->options);
	} else {
		printf("usage: labctl VERB ...\n\n");
		list_verbs(NULL);
		printf("\nlabctl VERB --help says more. In every verb:\n");
	}
	print_options(common_options);
	if (!only)
		printf("\nExit status: 0 passed, 1 a cell failed, 2 usage or configuration, 4 no board, 5 lab error, 6 cancelled, 7 daemon unreachable, 124 timeout\n");
	return EXIT_PASSED;
}

/* The verb argv begins with, and how many words it has. NULL: none. */
static const struct verb *find(int argc, char **argv, int *words)
{
	char two[64] = "";

	if (argc > 1)
		snprintf(two, sizeof two, "%.30s %.30s", argv[0], argv[1]);
	for (size_t i = 0; argc > 0 && i < VERBS; i++) {
		*words = 1 + (strchr(verbs[i].name, ' ') != NULL);
		if (strcmp(verbs[i].name, *words == 2 ? two : argv[0]) == 0)
			return &verbs[i];
	}
	return NULL;
}

int call_failed(struct call *c)
{
	static const int statuses[ERR_CODES] = {
		[ERR_INVALID] = EXIT_USAGE, [ERR_NOT_FOUND] = EXIT_USAGE, [ERR_CONFLICT] = EXIT_USAGE, [ERR_DENIED] = EXIT_USAGE, [ERR_TOO_LARGE] = EXIT_USAGE,
		[ERR_UNSUPPORTED] = EXIT_USAGE, [ERR_TIMEOUT] = EXIT_TIMEOUT, [ERR_LOST] = EXIT_UNREACHABLE, [ERR_CANCELLED] = EXIT_CANCELLED,
	};

	fprintf(stderr, "labctl: %s\n", c->err.msg);
	if (c->json)
		call_print(json_pack("{s:{s:s,s:s}}", "error", "code", err_word(c->err.code), "message", c->err.msg));
	return statuses[c->err.code] ? statuses[c->err.code] : EXIT_LAB;
}

static int no_such_verb(struct call *c, int argc, char **argv)
{
	const char *names[VERBS + 1], *near;
	char two[64];

	for (size_t i = 0; i < VERBS; i++)
		names[i] = verbs[i].name;
	names[VERBS] = NULL;
	snprintf(two, sizeof two, "%.30s %.30s", argv[0], argc > 1 ? argv[1] : "");
	near = json_nearest(argv[0], names);
	near = near ? near : json_nearest(two, names);
	for (size_t i = 0; !near && i < VERBS; i++)              /* "labctl matrix": the first of its family */
		if (strncmp(verbs[i].name, argv[0], strlen(argv[0])) == 0)
			near = verbs[i].name;
	if (near)
		err_set(&c->err, ERR_INVALID, "there is no verb \"%.60s\"; did you mean \"%s\"?", argc > 1 && argv[1][0] != '-' ? two : argv[0], near);
	else
		err_set(&c->err, ERR_INVALID, "there is no verb \"%.60s\"; labctl --help lists what there is", argv[0]);
	return call_failed(c);
}

int call_print(json_t *json)
{
	json_dumpf(json, stdout, JSON_INDENT(2) | JSON_ENCODE_ANY);
	putchar('\n');
	json_decref(json);
	return EXIT_PASSED;
}

int call_list(struct call *c, const char *path, const struct column *columns, const char *empty)
{
	json_t *rows = client_call(c->client, "GET", path, NULL, &c->err);

	if (!rows)
		return call_failed(c);
	if (c->json)
		return call_print(rows);
	table_print(stdout, columns, rows, empty);
	json_decref(rows);
	return EXIT_PASSED;
}

static int run(const struct verb *v, struct call *c)
{
	int status;

	if (c->args->word_count < v->least || c->args->word_count > v->most) {
		err_set(&c->err, ERR_INVALID, "usage: labctl %s %s", v->name, v->words);
		return call_failed(c);
	}
	if (!v->alone && !client_open(c->state_dir, &c->client, &c->err))
		return call_failed(c);
	status = v->run(c);
	client_close(c->client);
	if ((fflush(stdout) != 0 || ferror(stdout)) && status == EXIT_PASSED) {
		err_errno(&c->err, "standard output");
		return call_failed(c);
	}
	return status;
}

/* Options may stand before the verb: ./lab ctl puts --state there. */
static int words_before(int argc, char **argv)
{
	int i = 0;

	while (i < argc && argv[i][0] == '-')
		i += strcmp(argv[i], "--state") == 0 ? 2 : 1;
	return i < argc ? i : argc;
}

/* Words go into JSON and addresses, so they are text. Whoever has another name in $USER stays unnamed. */
static bool words_are_text(int argc, char **argv, struct err *e)
{
	json_t *text = json_string(getenv("USER") ? getenv("USER") : "");

	if (!text)
		unsetenv("USER");
	json_decref(text);
	for (int i = 0; i < argc; i++) {
		text = json_string(argv[i]);
		if (!text)
			return err_set(e, ERR_INVALID, "argument %d (\"%.60s\") is not UTF-8", i + 1, argv[i]);
		json_decref(text);
	}
	return true;
}

static int main_with(int argc, char **argv)
{
	struct args args, before;
	struct call c = { .args = &args };
	int first = words_before(argc, argv), words = 0;
	const struct verb *v = find(argc - first, argv + first, &words);
	char *state;
	int status;

	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)          /* before they are parsed: what is wrong with them is said as JSON, too */
		c.json = c.json || strcmp(argv[i], "--json") == 0;
	if (!words_are_text(argc, argv, &c.err) || !args_parse(&before, first, argv, NULL, common_options, &c.err))
		return call_failed(&c);
	if (!v && first + 1 < argc && strcmp(argv[first + 1], "--help") == 0 && list_verbs(argv[first]))
		return EXIT_PASSED;
	if (!v && first < argc)
		return no_such_verb(&c, argc - first, argv + first);
	if (!v)
		return args_flag(&before, "--help") ? help(NULL) : (help(NULL), EXIT_USAGE);
	if (!args_parse(&args, argc - first - words, argv + first + words, v->options, common_options, &c.err))
		return call_failed(&c);
	if (args_flag(&args, "--help") || args_flag(&before, "--help"))
		return help(v);
	c.json = args_flag(&args, "--json") || args_flag(&before, "--json");
	state = client_state_dir(args_text(&args, "--state") ? args_text(&args, "--state") : args_text(&before, "--state"));
	c.state_dir = state;
	status = run(v, &c);
	free(state);
	return status;
}

int main(int argc, char **argv)
{
	proc_claim_standard_fds();
	return main_with(argc - 1, argv + 1);
}
