// SPDX-License-Identifier: GPL-2.0-or-later
/* A verb of labctl: a row of the table in main.c and a function in one of the verb_*.c files. */
#ifndef LAB_CTL_VERB_H
#define LAB_CTL_VERB_H

#include <jansson.h>
#include <stdbool.h>

#include "core/err.h"
#include "ctl/args.h"
#include "ctl/client.h"

/* Exit statuses. */
enum {
	EXIT_PASSED = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_NO_BOARD = 4, EXIT_LAB = 5, EXIT_CANCELLED = 6, EXIT_UNREACHABLE = 7, EXIT_TIMEOUT = 124
};

struct call {
	struct client *client;                                   /* NULL for verbs that do without a daemon */
	const char *state_dir;
	const struct args *args;
	bool json;                                               /* one document on standard output, nothing else there */
	struct err err;
};

/* Does it, prints, and returns the exit status; call_failed() where c->err says why not. */
typedef int verb_fn(struct call *c);

struct verb {
	const char *name;                                        /* "matrix list" */
	const char *words;                                       /* "NAME [VERSION]": for --help */
	unsigned least, most;                                    /* how many words it takes */
	bool alone;                                              /* does without a daemon */
	const struct option_row *options;
	verb_fn *run;
	const char *summary;
};

/* verb_lab.c */
verb_fn verb_status, verb_boards, verb_flash, verb_console, verb_images, verb_references, verb_login;
/* verb_run.c */
verb_fn verb_run, verb_runs, verb_cancel;
/* verb_result.c */
verb_fn verb_results, verb_compare, verb_export_csv, verb_export_capture, verb_exclude, verb_include;
/* verb_profile.c */
verb_fn verb_profile;
/* verb_matrix.c */
verb_fn verb_matrix_list, verb_matrix_show, verb_matrix_export, verb_matrix_import, verb_matrix_validate, verb_matrix_copy;
/* verb_schedule.c */
verb_fn verb_schedule_list, verb_schedule_add, verb_schedule_remove, verb_schedule_enable, verb_schedule_disable, verb_schedule_preview;
/* doctor.c */
verb_fn verb_doctor;

extern const struct option_row run_options[], flash_options[], console_options[], results_options[], compare_options[], csv_options[], output_options[],
	matrix_options[], import_options[], export_options[], schedule_options[], preview_options[], references_options[], login_options[], doctor_options[], profile_options[], limit_options[], author_options[];

/* Print c->err on standard error, with --json also as {"error": {"code", "message"}} on standard output, and return the exit status its code stands for. */
int call_failed(struct call *c);

/* Print a document (released here) as JSON. */
int call_print(json_t *json);

/* GET path: with --json the document, otherwise a table of its rows. */
struct column;
int call_list(struct call *c, const char *path, const struct column *columns, const char *empty);

/* Follow a run to its end, with progress on standard error. status: 0, or the exit status of what ended it early. False: it could not be followed to its end. */
bool run_wait(struct call *c, int64_t run, int64_t timeout_s, int *status);

/* Follow a run to its end, with progress on standard error; then its report on standard output and its exit status. timeout_s 0: none. */
int run_follow(struct call *c, int64_t run, int64_t timeout_s, bool strict);

#endif
