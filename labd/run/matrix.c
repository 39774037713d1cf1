// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading a matrix strictly, and multiplying it out. */
#include "run/matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/buf.h"
#include "core/json.h"
#include "core/mem.h"

enum { MAX_REPEATS = 1000, MAX_KEYS = 32, MAX_WORD = 64 };

struct entry {
	const char *workload;
	json_t *board_types, *variants, *params;
	uint32_t repeats_wall, repeats_turns, deadline_s;
};

struct matrix {
	char *text, *file;
	struct json_doc doc;
	const char *name;
	struct entry *entries;
	size_t count;
};

struct head {
	uint32_t version;
	const char *name;
	json_t *cells;
};

static const struct json_field head_fields[] = {
	{ .key = "version", .kind = JSON_KIND_U32, .offset = offsetof(struct head, version), .required = true, .min = 1, .max = 1 },
	{ .key = "name", .kind = JSON_KIND_TEXT, .offset = offsetof(struct head, name), .required = true, .min = 1, .max = 64 },
	{ .key = "cells", .kind = JSON_KIND_ARRAY, .offset = offsetof(struct head, cells), .required = true },
	{ 0 }
};
static const struct json_field repeat_fields[] = {
	{ .key = "wall", .kind = JSON_KIND_U32, .offset = offsetof(struct entry, repeats_wall), .min = 1, .max = MAX_REPEATS },
	{ .key = "turns", .kind = JSON_KIND_U32, .offset = offsetof(struct entry, repeats_turns), .min = 1, .max = MAX_REPEATS },
	{ 0 }
};
static const struct json_field entry_fields[] = {
	{ .key = "workload", .kind = JSON_KIND_TEXT, .offset = offsetof(struct entry, workload), .required = true },
	{ .key = "board_types", .kind = JSON_KIND_ARRAY, .offset = offsetof(struct entry, board_types), .required = true },
	{ .key = "variants", .kind = JSON_KIND_OBJECT, .offset = offsetof(struct entry, variants) },
	{ .key = "params", .kind = JSON_KIND_OBJECT, .offset = offsetof(struct entry, params), .required = true },
	{ .key = "repeats", .kind = JSON_KIND_STRUCT, .offset = 0, .fields = repeat_fields },
	{ .key = "deadline_s", .kind = JSON_KIND_U32, .offset = offsetof(struct entry, deadline_s), .min = 1, .max = 86400 },
	{ 0 }
};

/* Parameters a workload has, and what they are when a matrix does not say. fallback NULL: must be given. */
static const struct { const char *workload, *key, *fallback; } param_keys[] = {
	{ "trigger", "payload_bytes", NULL }, { "trigger", "count", "100" }, { "trigger", "transport", "\"tcp\"" }, { "trigger", "ack", "false" },
};
#define PARAM_KEYS (sizeof param_keys / sizeof param_keys[0])

/* ---- parameters as a struct ---- */

static bool whole_number(json_t *params, const char *key, uint32_t *out, struct err *e)
{
	json_t *value = json_object_get(params, key);
	json_int_t n = json_integer_value(value);

	if (!value)
		return true;
	if (!json_is_integer(value) || n < 0 || n > UINT32_MAX)
		return err_set(e, ERR_INVALID, "%s must be a whole number", key);
	*out = (uint32_t)n;
	return true;
}

bool cell_params_from_json(json_t *params, struct cell_params *out, struct err *e)
{
	json_t *transport = json_object_get(params, "transport"), *ack = json_object_get(params, "ack");
	const char *word = transport ? json_string_value(transport) : "tcp";
	struct cell_params p = { .proto = LINK_TCP };

	if (!word || (strcmp(word, "tcp") != 0 && strcmp(word, "udp") != 0))
		return err_set(e, ERR_INVALID, "transport must be \"tcp\" or \"udp\"");
	if (ack && !json_is_boolean(ack))
		return err_set(e, ERR_INVALID, "ack must be true or false");
	if (!whole_number(params, "payload_bytes", &p.payload_bytes, e) || !whole_number(params, "count", &p.count, e))
		return false;
	p.proto = strcmp(word, "udp") == 0 ? LINK_UDP : LINK_TCP;
	p.ack = json_is_true(ack);
	*out = p;
	return true;
}

/* ---- reading ---- */

static const char *nearest_param(const char *workload, const char *key)
{
	const char *words[PARAM_KEYS + 1] = { NULL };
	size_t n = 0;

	for (size_t i = 0; i < PARAM_KEYS; i++)
		if (strcmp(param_keys[i].workload, workload) == 0)
			words[n++] = param_keys[i].key;
	return json_nearest(key, words);
}

static bool has_param(const char *workload, const char *key)
{
	for (size_t i = 0; i < PARAM_KEYS; i++)
		if (strcmp(param_keys[i].workload, workload) == 0 && strcmp(param_keys[i].key, key) == 0)
			return true;
	return false;
}

static bool name_is_sane(const char *name)
{
	return name[0] != '.' && name[0] != '-' && strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") == strlen(name);
}

/* Board types, variants and their values stand in cells' names, which stand in tables, files and pages. */
static bool check_word(const struct json_doc *d, const struct json_path *at, const char *word, struct err *e)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:+-";
	size_t n = strlen(word);

	return (n > 0 && n <= MAX_WORD && strspn(word, allowed) == n) || json_fail(d, at, e, "\"%.64s\" must be 1 to %d of A-Z a-z 0-9 . _ : + -", word, MAX_WORD);
}

static bool scalar(json_t *v)
{
	return json_is_string(v) || json_is_integer(v) || json_is_boolean(v);
}

/* A value or a list of them; never empty, never nested. */
static bool check_values(const struct json_doc *d, const struct json_path *at, json_t *value, struct err *e)
{
	json_t *one;
	size_t i;

	if (scalar(value))
		return !json_is_string(value) || check_word(d, at, json_string_value(value), e);
	if (!json_is_array(value) || json_array_size(value) == 0)
		return json_fail(d, at, e, "must be a value or a list of values that is not empty");
	json_array_foreach(value, i, one) {
		const struct json_path here = { at, NULL, i };

		if (!scalar(one))
			return json_fail(d, &here, e, "must be a text, a whole number, true or false");
		if (json_is_string(one) && !check_word(d, &here, json_string_value(one), e))
			return false;
	}
	return true;
}

static bool check_object(const struct json_doc *d, const struct json_path *at, const char *workload, json_t *object, struct err *e)
{
	const char *key;
	json_t *value;

	if (json_object_size(object) > MAX_KEYS)
		return json_fail(d, at, e, "at most %d keys, not %zu", MAX_KEYS, json_object_size(object));
	json_object_foreach(object, key, value) {
		struct json_path here = { at, key, 0 };

		if (!check_word(d, &here, key, e))
			return false;

		if (workload && !has_param(workload, key)) {
			const char *near = nearest_param(workload, key);

			return json_fail(d, &here, e, "%s has no such parameter%s%s%s", workload, near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
		}
		if (!check_values(d, &here, value, e))
			return false;
	}
	return true;
}

static bool check_params(const struct json_doc *d, const struct json_path *at, const struct entry *n, struct err *e)
{
	struct json_path here = { at, "params", 0 };

	for (size_t i = 0; i < PARAM_KEYS; i++)
		if (strcmp(param_keys[i].workload, n->workload) == 0 && !param_keys[i].fallback && !json_object_get(n->params, param_keys[i].key))
			return json_fail(d, &here, e, "%s is missing", param_keys[i].key);
	return check_object(d, &here, n->workload, n->params, e);
}

static bool check_board_types(const struct json_doc *d, const struct json_path *at, const struct entry *n, struct err *e)
{
	struct json_path list = { at, "board_types", 0 };
	const char *text;
	json_t *one;
	size_t i;

	if (json_array_size(n->board_types) == 0)
		return json_fail(d, &list, e, "names no board type");
	json_array_foreach(n->board_types, i, one)
		if (!json_read_text(d, &(struct json_path){ &list, NULL, i }, one, &text, e) || !check_word(d, &(struct json_path){ &list, NULL, i }, text, e))
			return false;
	return true;
}

static bool read_entry(struct matrix *m, const struct json_path *at, json_t *object, struct entry *n, struct err *e)
{
	*n = (struct entry){ .repeats_wall = 10, .repeats_turns = 1, .deadline_s = 120 };
	if (!json_is_object(object))
		return json_fail(&m->doc, at, e, "must be an object");
	if (!json_read(&m->doc, at, object, entry_fields, n, e))
		return false;
	if (!workload_find(n->workload))
		return json_fail(&m->doc, &(struct json_path){ at, "workload", 0 }, e, "there is no workload \"%.40s\"", n->workload);
	return check_board_types(&m->doc, at, n, e) && check_object(&m->doc, &(struct json_path){ at, "variants", 0 }, NULL, n->variants, e)
	    && check_params(&m->doc, at, n, e);
}

static bool read_all(struct matrix *m, struct err *e)
{
	struct head h = { 0 };
	struct json_path cells = { NULL, "cells", 0 };

	if (!json_read(&m->doc, NULL, m->doc.root, head_fields, &h, e))
		return false;
	if (!name_is_sane(h.name))
		return json_fail(&m->doc, &(struct json_path){ NULL, "name", 0 }, e, "a name is of A-Z a-z 0-9 . _ - and begins with a letter or digit");
	m->name = h.name;
	m->count = json_array_size(h.cells);
	if (m->count == 0)
		return json_fail(&m->doc, &cells, e, "there is no cell in it");
	m->entries = xcalloc(m->count, sizeof *m->entries);
	for (size_t i = 0; i < m->count; i++)
		if (!read_entry(m, &(struct json_path){ &cells, NULL, i }, json_array_get(h.cells, i), &m->entries[i], e))
			return false;
	return true;
}

bool matrix_parse(const char *file, const char *text, size_t size, struct matrix **out, struct err *e)
{
	struct matrix *m = xcalloc(1, sizeof *m);
	struct matrix_cells cells = { 0 };
	bool ok;

	m->file = xstrdup(file);
	m->text = xstrndup(text, size);
	ok = json_doc_parse(&m->doc, m->file, m->text, strlen(m->text), e) && read_all(m, e) && matrix_expand(m, &cells, e);
	matrix_cells_finish(&cells);
	if (!ok) {
		matrix_destroy(m);
		return false;
	}
	*out = m;
	return true;
}

bool matrix_from_json(const char *name, json_t *document, struct matrix **out, struct err *e)
{
	char *text = document ? json_dumps(document, JSON_INDENT(2)) : NULL;
	bool ok = text ? matrix_parse(name, text, strlen(text), out, e) : err_set(e, ERR_INVALID, "%s: not a JSON document", name);

	free(text);
	return ok;
}

void matrix_destroy(struct matrix *m)
{
	if (!m)
		return;
	json_doc_finish(&m->doc);
	free(m->entries);
	free(m->text);
	free(m->file);
	free(m);
}

const char *matrix_name(const struct matrix *m)
{
	return m->name;
}

json_t *matrix_document(const struct matrix *m)
{
	return m->doc.root;
}

/* ---- multiplying out ---- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static size_t sorted_keys(json_t *object, const char *keys[MAX_KEYS])
{
	const char *key;
	json_t *value;
	size_t n = 0;

	json_object_foreach(object, key, value)
		if (n < MAX_KEYS)
			keys[n++] = key;
	qsort(keys, n, sizeof *keys, by_text);
	return n;
}

/* The cross product of an object's lists, as objects with one value a key; the last key varies fastest. NULL gives one empty object. */
static json_t *product(json_t *object)
{
	const char *keys[MAX_KEYS];
	size_t n = sorted_keys(object, keys);
	json_t *all = json_pack("[{}]");

	for (size_t k = 0; k < n; k++) {
		json_t *value = json_object_get(object, keys[k]), *next = json_array(), *partial;
		size_t i, many = json_is_array(value) ? json_array_size(value) : 1;

		json_array_foreach(all, i, partial)
			for (size_t v = 0; v < many && json_array_size(next) <= MATRIX_MAX_CELLS; v++) {
				json_t *made = json_copy(partial);

				json_object_set(made, keys[k], json_is_array(value) ? json_array_get(value, v) : value);
				json_array_append_new(next, made);
			}
		json_decref(all);
		all = next;
	}
	return all;
}

static void fill_params(const char *workload, json_t *params)
{
	for (size_t i = 0; i < PARAM_KEYS; i++)
		if (strcmp(param_keys[i].workload, workload) == 0 && param_keys[i].fallback && !json_object_get(params, param_keys[i].key))
			json_object_set_new(params, param_keys[i].key, json_loads(param_keys[i].fallback, JSON_DECODE_ANY, NULL));
}

static bool add_cell(struct matrix_cells *c, const struct entry *n, const char *board_type, json_t *variant, json_t *params, struct err *e)
{
	struct cell_params p;

	if (c->count >= MATRIX_MAX_CELLS)
		return err_set(e, ERR_TOO_LARGE, "more than %d cells", MATRIX_MAX_CELLS);
	if (!cell_params_from_json(params, &p, e) || !workload_find(n->workload)->check(&p, e))
		return err_prefix(e, "%s", n->workload);
	c->cells = xrealloc(c->cells, (c->count + 1) * sizeof *c->cells);
	c->cells[c->count++] = (struct matrix_cell){
		.workload = xstrdup(n->workload), .board_type = xstrdup(board_type), .variant = json_deep_copy(variant), .params = json_deep_copy(params),
		.repeats_wall = n->repeats_wall, .repeats_turns = n->repeats_turns, .deadline_ms = (int64_t)n->deadline_s * 1000,
	};
	return true;
}

static bool expand_entry(const struct entry *n, struct matrix_cells *c, struct err *e)
{
	json_t *variants = product(n->variants), *params = product(n->params), *type, *variant, *p;
	size_t i, k, j;
	bool ok = true;

	json_array_foreach(params, j, p)
		fill_params(n->workload, p);
	json_array_foreach(n->board_types, i, type)
		json_array_foreach(variants, k, variant)
			json_array_foreach(params, j, p)
				ok = ok && add_cell(c, n, json_string_value(type), variant, p, e);
	json_decref(variants);
	json_decref(params);
	return ok;
}

/*
 * A cell's name holds what varies among the cells of its workload and board type. One pass finds that: where any two of them differ in a key, one differs from the
 * first. {"place": {"first": index, "v/key": true, "p/key": true}}
 */
static json_t *place_of(json_t *places, const struct matrix_cell *one, size_t index)
{
	char *key = xasprintf("%s/%s", one->workload, one->board_type);
	json_t *place = json_object_get(places, key);

	if (!place) {
		place = json_pack("{s:I}", "first", (json_int_t)index);
		json_object_set_new(places, key, place);
	}
	free(key);
	return place;
}

/* Marks the keys of a whose value is another, or not there, in b. */
static void mark(json_t *place, char kind, json_t *a, json_t *b)
{
	const char *key;
	json_t *value;

	json_object_foreach(a, key, value)
		if (!json_equal(value, json_object_get(b, key))) {
			char *name = xasprintf("%c/%s", kind, key);

			json_object_set_new(place, name, json_true());
			free(name);
		}
}

static json_t *find_places(const struct matrix_cells *c)
{
	json_t *places = json_object();

	for (size_t i = 0; i < c->count; i++) {
		json_t *place = place_of(places, &c->cells[i], i);
		const struct matrix_cell *one = &c->cells[i], *first = &c->cells[json_integer_value(json_object_get(place, "first"))];

		mark(place, 'v', one->variant, first->variant);
		mark(place, 'v', first->variant, one->variant);
		mark(place, 'p', one->params, first->params);
		mark(place, 'p', first->params, one->params);
	}
	return places;
}

static bool varies(json_t *place, char kind, const char *key)
{
	char *name = xasprintf("%c/%s", kind, key);
	bool found = json_object_get(place, name) != NULL;

	free(name);
	return found;
}

static void add_words(json_t *place, char kind, json_t *object, struct buf *name)
{
	const char *keys[MAX_KEYS];
	size_t n = sorted_keys(object, keys);

	for (size_t i = 0; i < n; i++) {
		json_t *v = json_object_get(object, keys[i]);

		if (!varies(place, kind, keys[i]))
			continue;
		buf_printf(name, "%c%s=", strchr(buf_text(name), '=') ? ',' : '/', keys[i]);
		if (json_is_integer(v))
			buf_printf(name, "%lld", (long long)json_integer_value(v));
		else
			buf_printf(name, "%s", json_is_string(v) ? json_string_value(v) : json_is_true(v) ? "true" : "false");
	}
}

static bool name_all(struct matrix_cells *c, struct err *e)
{
	json_t *places = find_places(c), *names = json_object();
	bool ok = true;

	for (size_t i = 0; ok && i < c->count; i++) {
		struct matrix_cell *one = &c->cells[i];
		json_t *place = place_of(places, one, i);
		struct buf name = { 0 };

		buf_printf(&name, "%s/%s", one->workload, one->board_type);
		add_words(place, 'v', one->variant, &name);
		add_words(place, 'p', one->params, &name);
		one->name = buf_take(&name);
		ok = !json_object_get(names, one->name) || err_set(e, ERR_INVALID, "the cell %s is there twice", one->name);
		json_object_set_new(names, one->name, json_true());
	}
	json_decref(places);
	json_decref(names);
	return ok;
}

bool matrix_expand(const struct matrix *m, struct matrix_cells *out, struct err *e)
{
	struct matrix_cells c = { 0 };
	bool ok = true;

	for (size_t i = 0; ok && i < m->count; i++)
		ok = expand_entry(&m->entries[i], &c, e) || err_prefix(e, "%s: cells[%zu]", m->file, i);
	ok = ok && (name_all(&c, e) || err_prefix(e, "%s", m->file));
	if (!ok) {
		matrix_cells_finish(&c);
		return false;
	}
	*out = c;
	return true;
}

void matrix_cells_finish(struct matrix_cells *c)
{
	for (size_t i = 0; i < c->count; i++) {
		free(c->cells[i].name);
		free(c->cells[i].workload);
		free(c->cells[i].board_type);
		json_decref(c->cells[i].variant);
		json_decref(c->cells[i].params);
	}
	free(c->cells);
	*c = (struct matrix_cells){ 0 };
}
