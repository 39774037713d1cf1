// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading an object by its table, and the sentences for what does not fit. */
#include "core/json.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT = 4 << 20, MAX_KEYS = 40 };

bool json_doc_parse(struct json_doc *d, const char *file, const char *text, size_t size, struct err *e)
{
	json_error_t je;
	json_t *root;

	if (size > MAX_TEXT)
		return err_set(e, ERR_TOO_LARGE, "%s: %zu bytes: more than %d MiB", file, size, MAX_TEXT >> 20);
	root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &je);
	if (!root)
		return err_set(e, ERR_INVALID, "%s:%d: %s", file, je.line < 1 ? 1 : je.line, je.text);
	if (!json_is_object(root)) {
		json_decref(root);
		return err_set(e, ERR_INVALID, "%s:1: the document must be an object { ... }", file);
	}
	*d = (struct json_doc){ file, text, size, root };
	return true;
}

void json_doc_finish(struct json_doc *d)
{
	json_decref(d->root);
	d->root = NULL;
}

void json_path_text(const struct json_path *at, char *out, size_t room)
{
	size_t n;

	*out = 0;
	if (!at)
		return;
	json_path_text(at->up, out, room);
	n = strlen(out);
	if (at->key)
		snprintf(out + n, room - n, "%s%s", n ? "." : "", at->key);
	else
		snprintf(out + n, room - n, "[%zu]", at->index);
}

bool json_fail(const struct json_doc *d, const struct json_path *at, struct err *e, const char *fmt, ...)
{
	char path[120], text[200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	json_path_text(at, path, sizeof path);
	return err_set(e, ERR_INVALID, "%s:%zu: %s%s%s", d->file, json_line(d->text, d->size, at), path, *path ? ": " : "", text);
}

/* Edits (insert, drop, replace) that make b of a; words are short. */
static size_t distance(const char *a, const char *b)
{
	size_t row[64], n = strlen(b);

	if (n >= 64 || strlen(a) >= 64)
		return 64;
	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		size_t diagonal = row[0];

		row[0] = i + 1;
		for (size_t j = 0; j < n; j++) {
			size_t replace = diagonal + (tolower((unsigned char)a[i]) != tolower((unsigned char)b[j])), least = row[j] < row[j + 1] ? row[j] : row[j + 1];

			diagonal = row[j + 1];
			row[j + 1] = replace < least + 1 ? replace : least + 1;
		}
	}
	return row[n];
}

const char *json_nearest(const char *word, const char *const *words)
{
	const char *best = NULL;
	size_t least = strlen(word) < 64 ? strlen(word) / 3 + 2 : 0;          /* a word of that length is no slip of the finger */

	for (; *words; words++) {
		size_t d = distance(word, *words);

		if (d < least) {
			least = d;
			best = *words;
		}
	}
	return best;
}

static void word_list(const char *const *words, char *out, size_t room)
{
	size_t n = 0;

	*out = 0;
	for (; *words && n < room; words++)
		n += (size_t)snprintf(out + n, room - n, "%s%s", n ? ", " : "", *words);
}

static bool unknown(const struct json_doc *d, const struct json_path *at, const char *what, const char *word, const char *const *words, struct err *e)
{
	const char *near = json_nearest(word, words);
	char list[120];

	if (near)
		return json_fail(d, at, e, "no such %s; did you mean \"%s\"?", what, near);
	word_list(words, list, sizeof list);
	return json_fail(d, at, e, "no such %s; there are: %s", what, list);
}

static bool check_keys(const struct json_doc *d, const struct json_path *at, const json_t *object, const struct json_field *fields, struct err *e)
{
	const char *keys[MAX_KEYS + 1], *key;
	size_t n = 0;
	json_t *value;

	for (const struct json_field *f = fields; f->key && n < MAX_KEYS; f++)
		keys[n++] = f->key;
	keys[n] = NULL;
	json_object_foreach((json_t *)object, key, value) {
		size_t i = 0;

		while (i < n && strcmp(keys[i], key))
			i++;
		if (i == n)
			return unknown(d, &(struct json_path){ at, key, 0 }, "key", key, keys, e);
	}
	return true;
}

static const char *type_name(const json_t *v)
{
	static const char *const names[] = { "an object", "an array", "a text", "a whole number", "a number with a point", "true", "false", "null" };

	return names[json_typeof(v)];
}

static bool expect(const struct json_doc *d, const struct json_path *at, bool ok, const json_t *v, const char *what, struct err *e)
{
	return ok || json_fail(d, at, e, "must be %s, not %s", what, type_name(v));
}

static bool read_text(const struct json_doc *d, const struct json_path *at, const json_t *v, const struct json_field *f, void *to, struct err *e)
{
	const char *text = json_string_value(v);

	if (!expect(d, at, text, v, "a text", e))
		return false;
	if (f->max && ((int64_t)strlen(text) > f->max || (int64_t)strlen(text) < f->min))
		return json_fail(d, at, e, "must have %lld to %lld characters, not %zu", (long long)f->min, (long long)f->max, strlen(text));
	*(const char **)to = text;
	return true;
}

static bool read_bool(const struct json_doc *d, const struct json_path *at, const json_t *v, const struct json_field *f, void *to, struct err *e)
{
	(void)f;
	if (!expect(d, at, json_is_boolean(v), v, "true or false", e))
		return false;
	*(bool *)to = json_is_true(v);
	return true;
}

static bool check_range(const struct json_doc *d, const struct json_path *at, int64_t value, int64_t min, int64_t max, struct err *e)
{
	return (value >= min && value <= max)
		|| json_fail(d, at, e, "%lld is out of range: %lld to %lld", (long long)value, (long long)min, (long long)max);
}

static bool read_number(const struct json_doc *d, const struct json_path *at, const json_t *v, const struct json_field *f, void *to, struct err *e)
{
	int64_t limit = f->kind == JSON_KIND_U16 ? UINT16_MAX : f->kind == JSON_KIND_U32 ? UINT32_MAX : INT64_MAX;
	int64_t value = json_integer_value(v);

	if (!expect(d, at, json_is_integer(v), v, "a whole number", e) || !check_range(d, at, value, f->min, f->max ? f->max : limit, e))
		return false;
	if (f->kind == JSON_KIND_U16)
		*(uint16_t *)to = (uint16_t)value;
	else if (f->kind == JSON_KIND_U32)
		*(uint32_t *)to = (uint32_t)value;
	else
		*(uint64_t *)to = (uint64_t)value;
	return true;
}

static bool read_address(const struct json_doc *d, const struct json_path *at, const json_t *v, const struct json_field *f, void *to, struct err *e)
{
	const char *text = json_string_value(v);
	int64_t value = json_integer_value(v);
	char *end;

	if (!expect(d, at, text || json_is_integer(v), v, "a whole number or a text like \"0xF800\"", e))
		return false;
	if (text) {
		if (strncmp(text, "0x", 2) || strlen(text) < 3 || strlen(text) > 10 || (value = (int64_t)strtoull(text + 2, &end, 16), *end))
			return json_fail(d, at, e, "\"%.20s\" is not an address like \"0xF800\"", text);
	}
	if (!check_range(d, at, value, f->min, f->max ? f->max : UINT32_MAX, e))
		return false;
	*(uint32_t *)to = (uint32_t)value;
	return true;
}

static bool read_word(const struct json_doc *d, const struct json_path *at, const json_t *v, const struct json_field *f, void *to, struct err *e)
{
	const char *text = json_string_value(v);

	if (!expect(d, at, text, v, "a text", e))
		return false;
	for (int i = 0; f->words[i]; i++)
		if (!strcmp(f->words[i], text)) {
			*(int *)to = i;
			return true;
		}
	return unknown(d, at, "value", text, f->words, e);
}

static bool read_struct(const struct json_doc *d, const struct json_path *at, const json_t *v, const struct json_field *f, void *to, struct err *e)
{
	return expect(d, at, json_is_object(v), v, "an object", e) && json_read(d, at, v, f->fields, to, e);
}

static bool read_container(const struct json_doc *d, const struct json_path *at, const json_t *v, const struct json_field *f, void *to, struct err *e)
{
	bool object = f->kind == JSON_KIND_OBJECT;

	if (!expect(d, at, object ? json_is_object(v) : json_is_array(v), v, object ? "an object" : "an array", e))
		return false;
	*(const json_t **)to = v;
	return true;
}

static bool (*const readers[])(const struct json_doc *, const struct json_path *, const json_t *, const struct json_field *, void *, struct err *) = {
	[JSON_KIND_TEXT] = read_text, [JSON_KIND_BOOL] = read_bool,
	[JSON_KIND_U16] = read_number, [JSON_KIND_U32] = read_number, [JSON_KIND_U64] = read_number,
	[JSON_KIND_ADDRESS] = read_address, [JSON_KIND_WORD] = read_word, [JSON_KIND_STRUCT] = read_struct,
	[JSON_KIND_OBJECT] = read_container, [JSON_KIND_ARRAY] = read_container,
};

bool json_read(const struct json_doc *d, const struct json_path *at, const json_t *object, const struct json_field *fields, void *out, struct err *e)
{
	if (!expect(d, at, json_is_object(object), object, "an object", e) || !check_keys(d, at, object, fields, e))
		return false;
	for (const struct json_field *f = fields; f->key; f++) {
		const json_t *v = json_object_get(object, f->key);

		if (!v && f->required)
			return json_fail(d, at, e, "the key \"%s\" is missing", f->key);
		if (v && !readers[f->kind](d, &(struct json_path){ at, f->key, 0 }, v, f, (char *)out + f->offset, e))
			return false;
	}
	return true;
}

bool json_read_text(const struct json_doc *d, const struct json_path *at, const json_t *value, const char **out, struct err *e)
{
	return read_text(d, at, value, &(struct json_field){ .min = 1, .max = 4000 }, out, e);
}
