// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The bodies of requests that change something, as structs. Each parser takes the JSON of a body, names the key that is wrong, missing or misspelt, and is
 * fuzzed. All texts are borrowed from the JSON. Any thread.
 */
#ifndef LAB_HTTP_BODIES_H
#define LAB_HTTP_BODIES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

enum body_kind { BODY_TEXT, BODY_NUMBER, BODY_FLAG, BODY_NAME };

/* One key of a body: where its value goes. A BODY_NAME is a text of [A-Za-z0-9._+-] that does not begin with one of "=+-@" (it ends up in CSV files). */
struct body_key {
	const char *name;
	enum body_kind kind;
	bool required;
	size_t offset;                                           /* const char *, int64_t or bool in the struct */
	int64_t least, most;                                     /* of a number; of a text: least and most bytes */
};

/* Fill out (zeroed before) from json by the table. ERR_INVALID. */
bool body_parse(const json_t *json, const struct body_key *keys, size_t n, void *out, struct err *e);

struct body_login {
	const char *token;
};
struct body_run {
	const char *matrix, *board, *cell, *reason, *requested_by;
	int64_t version;
	bool reverse;
};
struct body_flash {
	const char *image, *requested_by;
};
struct body_copy {
	const char *to, *author;
	int64_t version;
};
struct body_schedule {
	const char *name, *cron, *zone, *matrix, *board, *cell, *catch_up, *author;
};
struct body_enable {
	bool enabled;
};
struct body_exclude {
	const char *reason, *author;
};

bool body_login_parse(const json_t *json, struct body_login *out, struct err *e);
bool body_run_parse(const json_t *json, struct body_run *out, struct err *e);
bool body_flash_parse(const json_t *json, struct body_flash *out, struct err *e);
bool body_copy_parse(const json_t *json, struct body_copy *out, struct err *e);
bool body_schedule_parse(const json_t *json, struct body_schedule *out, struct err *e);
bool body_enable_parse(const json_t *json, struct body_enable *out, struct err *e);
bool body_exclude_parse(const json_t *json, struct body_exclude *out, struct err *e);

/* A name fit for file names and spreadsheets. */
bool body_name_ok(const char *name);

#endif
