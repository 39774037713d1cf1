// SPDX-License-Identifier: GPL-2.0-or-later
/* Board-type files, by the same tables as bench files. */
#include "config/board_type.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "config/read.h"
#include "core/mem.h"

const char *const board_proof_words[] = { "banner", "verify", "none", NULL };

struct raw_type {
	struct board_type t;
	uint32_t version;
	json_t *reserved, *methods, *variants, *workloads;
};

#define TYPE(member) offsetof(struct raw_type, t.member)
#define RAW(member) offsetof(struct raw_type, member)

static const struct json_field chip_fields[] = {
	{ .key = "name", .kind = JSON_KIND_TEXT, .offset = TYPE(chip.name), .required = true },
	{ .key = "core", .kind = JSON_KIND_TEXT, .offset = TYPE(chip.core), .required = true },
	{ .key = "clock_hz", .kind = JSON_KIND_U64, .offset = TYPE(chip.clock_hz), .required = true, .min = 1000, .max = 1000000000 },
	{ .key = "elf_machine", .kind = JSON_KIND_U32, .offset = TYPE(chip.elf_machine), .max = 65535 },
	{ .key = "id", .kind = JSON_KIND_ADDRESS, .offset = TYPE(chip.id) },
	{ 0 }
};
static const struct json_field flash_fields[] = {
	{ .key = "base", .kind = JSON_KIND_ADDRESS, .offset = TYPE(flash.base), .required = true },
	{ .key = "size", .kind = JSON_KIND_ADDRESS, .offset = TYPE(flash.size), .required = true, .min = 1 },
	{ .key = "page_bytes", .kind = JSON_KIND_U32, .offset = TYPE(flash.page_bytes), .required = true, .min = 1, .max = 1 << 20 },
	{ .key = "reserved", .kind = JSON_KIND_ARRAY, .offset = RAW(reserved) },
	{ .key = "endurance", .kind = JSON_KIND_U64, .offset = TYPE(flash.endurance), .min = 0, .max = 1000000000 },
	{ 0 }
};
static const struct json_field limit_fields[] = {
	{ .key = "payload_max", .kind = JSON_KIND_U32, .offset = TYPE(limits.payload_max), .min = 1, .max = 65507 },
	{ .key = "boot_ms", .kind = JSON_KIND_U32, .offset = TYPE(limits.boot_ms), .min = 10, .max = 600000 },
	{ .key = "boot_baud", .kind = JSON_KIND_U32, .offset = TYPE(limits.boot_baud), .min = 300, .max = 921600 },
	{ 0 }
};
static const struct json_field type_fields[] = {
	{ .key = "version", .kind = JSON_KIND_U32, .offset = RAW(version), .required = true },
	{ .key = "name", .kind = JSON_KIND_TEXT, .offset = TYPE(name), .required = true },
	{ .key = "title", .kind = JSON_KIND_TEXT, .offset = TYPE(title), .required = true, .min = 1, .max = 80 },
	{ .key = "chip", .kind = JSON_KIND_STRUCT, .required = true, .fields = chip_fields },
	{ .key = "ethernet", .kind = JSON_KIND_TEXT, .offset = TYPE(ethernet), .required = true },
	{ .key = "wire_rate", .kind = JSON_KIND_U64, .offset = TYPE(wire_rate), .required = true, .min = 10000000, .max = 1000000000 },
	{ .key = "flash", .kind = JSON_KIND_STRUCT, .required = true, .fields = flash_fields },
	{ .key = "methods", .kind = JSON_KIND_ARRAY, .offset = RAW(methods), .required = true },
	{ .key = "variants", .kind = JSON_KIND_OBJECT, .offset = RAW(variants), .required = true },
	{ .key = "proof", .kind = JSON_KIND_WORD, .offset = TYPE(proof), .required = true, .words = board_proof_words },
	{ .key = "identity", .kind = JSON_KIND_BOOL, .offset = TYPE(identity) },
	{ .key = "limits", .kind = JSON_KIND_STRUCT, .fields = limit_fields },
	{ .key = "workloads", .kind = JSON_KIND_ARRAY, .offset = RAW(workloads), .required = true },
	{ 0 }
};

struct raw_reserved { uint32_t at, size; const char *what; };
static const struct json_field reserved_fields[] = {
	{ .key = "at", .kind = JSON_KIND_ADDRESS, .offset = offsetof(struct raw_reserved, at), .required = true },
	{ .key = "size", .kind = JSON_KIND_ADDRESS, .offset = offsetof(struct raw_reserved, size), .required = true, .min = 1 },
	{ .key = "what", .kind = JSON_KIND_TEXT, .offset = offsetof(struct raw_reserved, what), .required = true, .min = 1, .max = 60 },
	{ 0 }
};

struct raw_variant { const char *standard; json_t *values; };
static const struct json_field variant_fields[] = {
	{ .key = "default", .kind = JSON_KIND_TEXT, .offset = offsetof(struct raw_variant, standard), .required = true, .min = 1, .max = 40 },
	{ .key = "values", .kind = JSON_KIND_ARRAY, .offset = offsetof(struct raw_variant, values) },
	{ 0 }
};

static bool read_reserved(const struct json_doc *d, const json_t *array, struct board_flash *f, struct err *e)
{
	const struct json_path flash = { NULL, "flash", 0 }, at = { &flash, "reserved", 0 };

	if (json_array_size(array) > BOARD_TYPE_MAX_RESERVED)
		return json_fail(d, &at, e, "at most %d ranges", BOARD_TYPE_MAX_RESERVED);
	for (size_t i = 0; i < json_array_size(array); i++) {
		const struct json_path entry = { &at, NULL, i };
		struct raw_reserved r = { 0 };

		if (!json_read(d, &entry, json_array_get(array, i), reserved_fields, &r, e))
			return false;
		if (r.at < f->base || (uint64_t)r.at + r.size > (uint64_t)f->base + f->size)
			return json_fail(d, &entry, e, "the range is not inside the flash");
		f->reserved[i].at = r.at;
		f->reserved[i].size = r.size;
		f->reserved[i].what = r.what;
	}
	f->reserved_count = json_array_size(array);
	return true;
}

static bool read_variants(const struct json_doc *d, const json_t *object, struct board_type *t, struct err *e)
{
	const struct json_path at = { NULL, "variants", 0 };
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)object, key, value) {
		const struct json_path entry = { &at, key, 0 };
		struct board_variant *v = &t->variants[t->variant_count];
		struct raw_variant r = { 0 };

		if (t->variant_count == BOARD_TYPE_MAX_VARIANTS)
			return json_fail(d, &at, e, "at most %d variant keys", BOARD_TYPE_MAX_VARIANTS);
		if (!json_read(d, &entry, value, variant_fields, &r, e)
			|| (r.values && !config_words(d, &(struct json_path){ &entry, "values", 0 }, r.values, v->values, BOARD_TYPE_MAX_WORDS, e)))
			return false;
		if (v->values[0] && !board_type_has(v->values, r.standard))
			return json_fail(d, &(struct json_path){ &entry, "default", 0 }, e, "\"%s\" is not one of the values", r.standard);
		v->key = key;
		v->standard = r.standard;
		t->variant_count++;
	}
	return true;
}

static bool read_type(const struct json_doc *d, struct raw_type *r, struct err *e)
{
	struct board_type *t = &r->t;

	return json_read(d, NULL, d->root, type_fields, r, e)
		&& config_version(d, r->version, e)
		&& config_name(d, &(struct json_path){ NULL, "name", 0 }, t->name, e)
		&& ((uint64_t)t->flash.base + t->flash.size <= (uint64_t)1 << 32
			|| json_fail(d, &(struct json_path){ NULL, "flash", 0 }, e, "base and size go beyond 32 bits"))
		&& read_reserved(d, r->reserved, &t->flash, e)
		&& config_words(d, &(struct json_path){ NULL, "methods", 0 }, r->methods, t->methods, BOARD_TYPE_MAX_WORDS, e)
		&& config_words(d, &(struct json_path){ NULL, "workloads", 0 }, r->workloads, t->workloads, BOARD_TYPE_MAX_WORDS, e)
		&& read_variants(d, r->variants, t, e);
}

bool board_type_parse(const char *file, const char *text, size_t size, struct board_type **out, struct err *e)
{
	struct raw_type r = { .t = { .limits = { .payload_max = 1460, .boot_ms = 5000, .boot_baud = 115200 } } };
	struct json_doc d;

	if (!json_doc_parse(&d, file, text, size, e))
		return false;
	if (!read_type(&d, &r, e)) {
		json_doc_finish(&d);
		return false;
	}
	r.t.root = d.root;
	*out = xcalloc(1, sizeof **out);
	**out = r.t;
	return true;
}

bool board_type_load(const char *path, struct board_type **out, struct err *e)
{
	const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
	struct board_type *t = NULL;
	char *text;
	size_t size;
	bool ok;

	if (!config_file_text(path, &text, &size, e))
		return false;
	ok = board_type_parse(file, text, size, &t, e);
	free(text);
	if (ok && (strlen(file) != strlen(t->name) + 5 || strncmp(file, t->name, strlen(t->name)))) {
		err_set(e, ERR_INVALID, "%s: the file describes the type \"%s\" and must be named %s.json", file, t->name, t->name);
		board_type_destroy(t);
		return false;
	}
	if (ok)
		*out = t;
	return ok;
}

void board_type_destroy(struct board_type *t)
{
	if (!t)
		return;
	json_decref(t->root);
	free(t);
}

bool board_type_has(const char *const *words, const char *word)
{
	while (*words && strcmp(*words, word))
		words++;
	return *words;
}

static int is_json(const struct dirent *d)
{
	size_t n = strlen(d->d_name);

	return n > 5 && !strcmp(d->d_name + n - 5, ".json") && *d->d_name != '.';
}

bool board_types_load(const char *folder, struct board_types *out, struct err *e)
{
	struct board_types all = { 0 };
	struct dirent **names;
	int n = scandir(folder, &names, is_json, alphasort);
	bool ok = n != 0 || err_set(e, ERR_NOT_FOUND, "%s: no board types (*.json) in this folder", folder);

	if (n < 0)
		return err_errno(e, "board_types: %s", folder);
	all.types = xcalloc((size_t)n, sizeof *all.types);
	for (int i = 0; i < n; i++) {
		char *path = xasprintf("%s/%s", folder, names[i]->d_name);

		ok = ok && board_type_load(path, &all.types[all.count], e);
		all.count += ok;
		free(path);
		free(names[i]);
	}
	free(names);
	if (ok)
		*out = all;
	else
		board_types_finish(&all);
	return ok;
}

const struct board_type *board_types_find(const struct board_types *all, const char *name)
{
	for (size_t i = 0; i < all->count; i++)
		if (!strcmp(all->types[i]->name, name))
			return all->types[i];
	return NULL;
}

void board_types_finish(struct board_types *all)
{
	for (size_t i = 0; i < all->count; i++)
		board_type_destroy(all->types[i]);
	free(all->types);
	*all = (struct board_types){ 0 };
}
