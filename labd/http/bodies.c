// SPDX-License-Identifier: GPL-2.0-or-later
/* One table a body; names, which end up in file names and spreadsheets, are looked at again. */
#include "http/bodies.h"

#include <stddef.h>
#include <string.h>

#define NAME_BYTES 64

bool body_name_ok(const char *name)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-";
	size_t n = strlen(name);

	return n > 0 && n <= NAME_BYTES && strspn(name, allowed) == n && !strchr("+-", name[0]);
}

static bool name_ok(const struct json_doc *d, const char *key, const char *name, struct err *e)
{
	struct json_path at = { .key = key };

	if (!name || body_name_ok(name))
		return true;
	return json_fail(d, &at, e, "must be 1 to %d of A-Z a-z 0-9 . _ + - and not begin with + or -", NAME_BYTES);
}

#define TEXT(type, key, most) { #key, JSON_KIND_TEXT, offsetof(struct type, key), false, 1, most, NULL, NULL }
#define NEED(type, key, most) { #key, JSON_KIND_TEXT, offsetof(struct type, key), true, 1, most, NULL, NULL }
#define COUNT(type, key) { #key, JSON_KIND_U32, offsetof(struct type, key), false, 0, 1000000, NULL, NULL }
#define END { NULL, JSON_KIND_TEXT, 0, false, 0, 0, NULL, NULL }

bool body_login_parse(const struct json_doc *d, struct body_login *out, struct err *e)
{
	static const struct json_field fields[] = { NEED(body_login, token, 128), END };

	*out = (struct body_login){ 0 };
	return json_read(d, NULL, d->root, fields, out, e);
}

bool body_run_parse(const struct json_doc *d, struct body_run *out, struct err *e)
{
	static const struct json_field fields[] = {
		NEED(body_run, matrix, NAME_BYTES), COUNT(body_run, version), TEXT(body_run, board, NAME_BYTES), TEXT(body_run, cell, 200),
		{ "reverse", JSON_KIND_BOOL, offsetof(struct body_run, reverse), false, 0, 0, NULL, NULL },
		{ "profile", JSON_KIND_BOOL, offsetof(struct body_run, profile), false, 0, 0, NULL, NULL },
		TEXT(body_run, reason, NAME_BYTES), TEXT(body_run, requested_by, 100), END,
	};

	*out = (struct body_run){ 0 };
	return json_read(d, NULL, d->root, fields, out, e) && name_ok(d, "matrix", out->matrix, e) && name_ok(d, "board", out->board, e) &&
	       name_ok(d, "reason", out->reason, e);
}

bool body_flash_parse(const struct json_doc *d, struct body_flash *out, struct err *e)
{
	static const struct json_field fields[] = { TEXT(body_flash, image, NAME_BYTES), TEXT(body_flash, requested_by, 100), END };

	*out = (struct body_flash){ 0 };
	return json_read(d, NULL, d->root, fields, out, e) && name_ok(d, "image", out->image, e);
}

bool body_copy_parse(const struct json_doc *d, struct body_copy *out, struct err *e)
{
	static const struct json_field fields[] = { NEED(body_copy, to, NAME_BYTES), COUNT(body_copy, version), TEXT(body_copy, author, 100), END };

	*out = (struct body_copy){ 0 };
	return json_read(d, NULL, d->root, fields, out, e) && name_ok(d, "to", out->to, e);
}

bool body_schedule_parse(const struct json_doc *d, struct body_schedule *out, struct err *e)
{
	static const char *const catch_up[] = { "none", "one", NULL };
	static const struct json_field fields[] = {
		NEED(body_schedule, name, NAME_BYTES), NEED(body_schedule, cron, 200), TEXT(body_schedule, zone, 64), NEED(body_schedule, matrix, NAME_BYTES),
		TEXT(body_schedule, board, NAME_BYTES), TEXT(body_schedule, cell, 200), TEXT(body_schedule, author, 100),
		{ "catch_up", JSON_KIND_WORD, offsetof(struct body_schedule, catch_up), false, 0, 0, catch_up, NULL }, END,
	};

	*out = (struct body_schedule){ .catch_up = 1 };
	return json_read(d, NULL, d->root, fields, out, e) && name_ok(d, "name", out->name, e) && name_ok(d, "matrix", out->matrix, e) &&
	       name_ok(d, "board", out->board, e);
}

bool body_exclude_parse(const struct json_doc *d, struct body_exclude *out, struct err *e)
{
	static const struct json_field fields[] = { NEED(body_exclude, reason, 500), TEXT(body_exclude, author, 100), END };

	*out = (struct body_exclude){ 0 };
	return json_read(d, NULL, d->root, fields, out, e);
}
