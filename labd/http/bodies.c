// SPDX-License-Identifier: GPL-2.0-or-later
/* One table a body, one loop for all of them. */
#include "http/bodies.h"

#include <stdio.h>
#include <string.h>

#include "core/buf.h"
#include "http/nearest.h"

#define NAME_MAX_BYTES 64
#define TEXT_MAX_BYTES 500

bool body_name_ok(const char *name)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-";
	size_t n = strlen(name);

	return n > 0 && n <= NAME_MAX_BYTES && strspn(name, allowed) == n && !strchr("+-", name[0]);
}

static bool put_number(const struct body_key *key, const json_t *value, void *to, struct err *e)
{
	if (!json_is_integer(value) || json_integer_value(value) < key->least || json_integer_value(value) > key->most)
		return err_set(e, ERR_INVALID, "%s: must be a whole number from %lld to %lld", key->name, (long long)key->least, (long long)key->most);
	*(int64_t *)to = json_integer_value(value);
	return true;
}

static bool put_flag(const struct body_key *key, const json_t *value, void *to, struct err *e)
{
	if (!json_is_boolean(value))
		return err_set(e, ERR_INVALID, "%s: must be true or false", key->name);
	*(bool *)to = json_is_true(value);
	return true;
}

static bool text_fits(const struct body_key *key, const json_t *value, struct err *e)
{
	int64_t most = key->most ? key->most : TEXT_MAX_BYTES;
	size_t n = json_string_length(value);

	if (!json_is_string(value) || strlen(json_string_value(value)) != n)
		return err_set(e, ERR_INVALID, "%s: must be a text", key->name);
	if ((int64_t)n < key->least || (int64_t)n > most)
		return err_set(e, ERR_INVALID, "%s: must have %lld to %lld bytes", key->name, (long long)key->least, (long long)most);
	return true;
}

static bool put_text(const struct body_key *key, const json_t *value, void *to, struct err *e)
{
	if (!text_fits(key, value, e))
		return false;
	if (key->kind == BODY_NAME && !body_name_ok(json_string_value(value)))
		return err_set(e, ERR_INVALID, "%s: must be 1 to %d of A-Z a-z 0-9 . _ + - and not begin with + or -", key->name, NAME_MAX_BYTES);
	*(const char **)to = json_string_value(value);
	return true;
}

static const struct body_key *find_key(const struct body_key *keys, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(keys[i].name, name) == 0)
			return &keys[i];
	return NULL;
}

static bool unknown_key(const struct body_key *keys, size_t n, const char *name, struct err *e)
{
	struct buf words = { 0 };
	char near[40];

	for (size_t i = 0; i < n; i++)
		buf_printf(&words, "%s ", keys[i].name);
	nearest_word(name, buf_text(&words), near, sizeof near);
	if (near[0])
		err_set(e, ERR_INVALID, "body: there is no key \"%.40s\"; did you mean \"%s\"?", name, near);
	else
		err_set(e, ERR_INVALID, "body: there is no key \"%.40s\"; there are: %.120s", name, buf_text(&words));
	buf_finish(&words);
	return false;
}

static bool put(const struct body_key *key, const json_t *value, void *out, struct err *e)
{
	void *to = (char *)out + key->offset;

	if (json_is_null(value) && !key->required)
		return true;
	switch (key->kind) {
	case BODY_NUMBER: return put_number(key, value, to, e);
	case BODY_FLAG: return put_flag(key, value, to, e);
	default: return put_text(key, value, to, e);
	}
}

bool body_parse(const json_t *json, const struct body_key *keys, size_t n, void *out, struct err *e)
{
	const char *name;
	json_t *value;

	if (!json_is_object(json))
		return err_set(e, ERR_INVALID, "body: must be a JSON object");
	json_object_foreach((json_t *)(uintptr_t)json, name, value) {
		const struct body_key *key = find_key(keys, n, name);

		if (!key)
			return unknown_key(keys, n, name, e);
		if (!put(key, value, out, e))
			return false;
	}
	for (size_t i = 0; i < n; i++)
		if (keys[i].required && !json_object_get(json, keys[i].name))
			return err_set(e, ERR_INVALID, "body: \"%s\" is missing", keys[i].name);
	return true;
}

/* --- the tables --------------------------------------------------------------------------------------------------------------------------------- */

#define AT(type, member) offsetof(struct type, member)
#define COUNT(table) (sizeof (table) / sizeof (table)[0])

static const struct body_key login_keys[] = {
	{ "token", BODY_TEXT, true, AT(body_login, token), 1, 128 },
};
static const struct body_key run_keys[] = {
	{ "matrix", BODY_NAME, true, AT(body_run, matrix), 0, 0 },
	{ "version", BODY_NUMBER, false, AT(body_run, version), 0, 1000000 },
	{ "board", BODY_NAME, false, AT(body_run, board), 0, 0 },
	{ "cell", BODY_TEXT, false, AT(body_run, cell), 1, 200 },
	{ "reverse", BODY_FLAG, false, AT(body_run, reverse), 0, 0 },
	{ "reason", BODY_NAME, false, AT(body_run, reason), 0, 0 },
	{ "requested_by", BODY_TEXT, false, AT(body_run, requested_by), 1, 100 },
};
static const struct body_key flash_keys[] = {
	{ "image", BODY_NAME, false, AT(body_flash, image), 0, 0 },
	{ "requested_by", BODY_TEXT, false, AT(body_flash, requested_by), 1, 100 },
};
static const struct body_key copy_keys[] = {
	{ "to", BODY_NAME, true, AT(body_copy, to), 0, 0 },
	{ "version", BODY_NUMBER, false, AT(body_copy, version), 0, 1000000 },
	{ "author", BODY_TEXT, false, AT(body_copy, author), 1, 100 },
};
static const struct body_key schedule_keys[] = {
	{ "name", BODY_NAME, true, AT(body_schedule, name), 0, 0 },
	{ "cron", BODY_TEXT, true, AT(body_schedule, cron), 1, 200 },
	{ "zone", BODY_TEXT, false, AT(body_schedule, zone), 1, 64 },
	{ "matrix", BODY_NAME, true, AT(body_schedule, matrix), 0, 0 },
	{ "board", BODY_NAME, false, AT(body_schedule, board), 0, 0 },
	{ "cell", BODY_TEXT, false, AT(body_schedule, cell), 1, 200 },
	{ "catch_up", BODY_TEXT, false, AT(body_schedule, catch_up), 1, 8 },
	{ "author", BODY_TEXT, false, AT(body_schedule, author), 1, 100 },
};
static const struct body_key enable_keys[] = {
	{ "enabled", BODY_FLAG, true, AT(body_enable, enabled), 0, 0 },
};
static const struct body_key exclude_keys[] = {
	{ "reason", BODY_TEXT, true, AT(body_exclude, reason), 1, 0 },
	{ "author", BODY_TEXT, false, AT(body_exclude, author), 1, 100 },
};

#define PARSER(noun) \
	bool body_##noun##_parse(const json_t *json, struct body_##noun *out, struct err *e) \
	{ \
		memset(out, 0, sizeof *out); \
		return body_parse(json, noun##_keys, COUNT(noun##_keys), out, e); \
	}

PARSER(login)
PARSER(run)
PARSER(flash)
PARSER(copy)
PARSER(schedule)
PARSER(enable)
PARSER(exclude)
