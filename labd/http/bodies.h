// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The bodies of requests that change something, as structs. Each parser reads the document strictly: a key that is wrong, missing or misspelt is named with
 * its line. All texts are borrowed from the document. Fuzzed. Any thread.
 */
#ifndef LAB_HTTP_BODIES_H
#define LAB_HTTP_BODIES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/err.h"
#include "core/json.h"

/* What is not given is NULL, 0 or false. */
struct body_login {
	const char *token;
};
struct body_run {
	const char *matrix, *board, *cell, *reason, *requested_by;
	uint32_t version;
	bool reverse, profile;
};
struct body_flash {
	const char *image, *requested_by;
};
struct body_copy {
	const char *to, *author;
	uint32_t version;
};
struct body_schedule {
	const char *name, *cron, *zone, *matrix, *board, *cell, *author;
	int catch_up;                                            /* 0 none, 1 one (what is meant when it is not given) */
};
struct body_exclude {
	const char *reason, *author;
};

bool body_login_parse(const struct json_doc *d, struct body_login *out, struct err *e);
bool body_run_parse(const struct json_doc *d, struct body_run *out, struct err *e);
bool body_flash_parse(const struct json_doc *d, struct body_flash *out, struct err *e);
bool body_copy_parse(const struct json_doc *d, struct body_copy *out, struct err *e);
bool body_schedule_parse(const struct json_doc *d, struct body_schedule *out, struct err *e);
bool body_exclude_parse(const struct json_doc *d, struct body_exclude *out, struct err *e);

/* 1 to 64 of [A-Za-z0-9._+-], not beginning with + or -: fit for file names and spreadsheets. */
bool body_name_ok(const char *name);

#endif
