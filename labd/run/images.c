// SPDX-License-Identifier: GPL-2.0-or-later
/* images.json and the choice of an image. */
#include "run/images.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/board_type.h"
#include "core/buf.h"
#include "core/json.h"
#include "core/log.h"
#include "core/mem.h"
#include "image/image.h"
#include "image/sha256.h"

enum { FILE_BYTES = 64 << 20 };

static const struct board_variant *variant_of(const struct board_type *type, const char *key)
{
	for (size_t i = 0; i < type->variant_count; i++)
		if (strcmp(type->variants[i].key, key) == 0)
			return &type->variants[i];
	return NULL;
}

static bool check_variant(const struct board_type *type, const char *key, json_t *value, struct err *e)
{
	const struct board_variant *v = variant_of(type, key);
	const char *text = json_string_value(value), *keys[BOARD_TYPE_MAX_VARIANTS + 1] = { NULL };
	const char *near;

	for (size_t i = 0; i < type->variant_count; i++)
		keys[i] = type->variants[i].key;
	near = json_nearest(key, keys);
	if (!v)
		return err_set(e, ERR_INVALID, "%s has no variant \"%.40s\"%s%s%s", type->name, key, near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
	if (!text)
		return err_set(e, ERR_INVALID, "%s: variant %s must be a text", type->name, key);
	if (v->values[0] && !board_type_has(v->values, text))
		return err_set(e, ERR_INVALID, "%s: variant %s cannot be \"%.40s\"", type->name, key, text);
	return true;
}

json_t *variant_complete(const struct board_type *type, json_t *variant, struct err *e)
{
	json_t *all = json_object(), *value;
	const char *key;

	for (size_t i = 0; i < type->variant_count; i++)
		json_object_set_new(all, type->variants[i].key, json_string(type->variants[i].standard ? type->variants[i].standard : ""));
	json_object_foreach(variant, key, value) {
		if (!check_variant(type, key, value, e)) {
			json_decref(all);
			return NULL;
		}
		json_object_set(all, key, value);
	}
	return all;
}

static const char *text_of(json_t *row, const char *key)
{
	const char *text = json_string_value(json_object_get(row, key));

	return text ? text : "";
}

static bool hex_of(const char *text, size_t size)
{
	return strlen(text) == size && strspn(text, "0123456789abcdef") == size;
}

/* Relative to the folder of images.json. */
static char *path_of(const char *list, const char *file)
{
	const char *slash = strrchr(list, '/');

	return file[0] == '/' || !slash ? xstrdup(file) : xasprintf("%.*s/%s", (int)(slash - list), list, file);
}

static bool read_row(const char *list, const struct board_type *type, json_t *row, struct lab_image *out, struct err *e)
{
	json_t *identity = json_object_get(row, "identity_at"), *build = json_object_get(row, "build_at");
	json_t *variant = variant_complete(type, json_object_get(row, "variant"), e);

	if (!variant)
		return false;
	*out = (struct lab_image){ .variant = variant, .row = json_deep_copy(row), .path = path_of(list, text_of(row, "file")) };
	json_object_set(out->row, "variant", variant);
	out->board_type = type->name;
	out->format = text_of(out->row, "format");
	out->sha256 = text_of(out->row, "sha256");
	out->build = text_of(out->row, "build");
	out->toolchain = text_of(out->row, "toolchain");
	out->has_identity = json_is_integer(identity);
	out->identity_at = (uint32_t)json_integer_value(identity);
	out->build_at = (uint32_t)json_integer_value(build);
	if (!hex_of(out->sha256, 64) || !hex_of(out->build, 12) || !text_of(row, "file")[0])
		return err_set(e, ERR_INVALID, "file, sha256 (64 hex digits) and build (12 hex digits) are needed");
	return true;
}

static void image_row_finish(struct lab_image *i)
{
	json_decref(i->variant);
	json_decref(i->row);
	free(i->path);
}

static bool read_rows(const char *path, json_t *rows, const struct board_type *(*find)(void *, const char *), void *opaque, struct images *all, struct err *e)
{
	json_t *row;
	size_t i;

	all->images = xcalloc(json_array_size(rows) + 1, sizeof *all->images);
	json_array_foreach(rows, i, row) {
		const struct board_type *type = find(opaque, text_of(row, "board_type"));

		if (!type)
			continue;
		if (!read_row(path, type, row, &all->images[all->count], e)) {
			image_row_finish(&all->images[all->count]);
			return err_prefix(e, "%s[%zu]", path, i);
		}
		all->count++;
	}
	return true;
}

bool images_load(const char *path, const struct board_type *(*find)(void *opaque, const char *name), void *opaque, struct images *out, struct err *e)
{
	struct images all = { 0 };
	json_error_t je;
	json_t *rows;
	bool ok;

	*out = all;
	if (!path || access(path, R_OK) != 0) {
		if (path)
			log_warn("images", "file=%s not there: no firmware is built", path);
		return true;
	}
	rows = json_load_file(path, JSON_REJECT_DUPLICATES, &je);
	if (!json_is_array(rows)) {
		json_decref(rows);
		return err_set(e, ERR_INVALID, "%s:%d: %s; build the firmware again", path, je.line, rows ? "not a list of images" : je.text);
	}
	ok = read_rows(path, rows, find, opaque, &all, e);
	json_decref(rows);
	if (!ok)
		images_finish(&all);
	*out = all;
	return ok;
}

void images_finish(struct images *all)
{
	for (size_t i = 0; i < all->count; i++)
		image_row_finish(&all->images[i]);
	free(all->images);
	*all = (struct images){ 0 };
}

const struct lab_image *images_select(const struct images *all, const char *board_type, json_t *variant, struct err *e)
{
	const struct lab_image *found = NULL;
	char *text;

	for (size_t i = 0; i < all->count; i++) {
		if (strcmp(all->images[i].board_type, board_type) != 0 || !json_equal(all->images[i].variant, variant))
			continue;
		if (found) {
			err_set(e, ERR_INVALID, "two images fit: builds %s and %s of %s have the same variant", found->build, all->images[i].build, board_type);
			return NULL;
		}
		found = &all->images[i];
	}
	if (!found) {
		text = json_dumps(variant, JSON_COMPACT | JSON_SORT_KEYS);
		err_set(e, ERR_NOT_FOUND, "no image of %s with variant %.120s; build it, or add it to images.json", board_type, text ? text : "{}");
		free(text);
	}
	return found;
}

const struct lab_image *images_find(const struct images *all, const char *board_type, const char *id)
{
	for (size_t i = 0; i < all->count; i++)
		if (strcmp(all->images[i].board_type, board_type) == 0 && (strcmp(all->images[i].sha256, id) == 0 || strcmp(all->images[i].build, id) == 0))
			return &all->images[i];
	return NULL;
}

static bool read_file(const char *path, struct buf *out, struct err *e)
{
	FILE *f = fopen(path, "re");
	char block[65536];
	size_t n;
	bool ok;

	if (!f)
		return err_errno(e, "%s", path);
	while ((n = fread(block, 1, sizeof block, f)) > 0 && out->size <= FILE_BYTES)
		buf_add(out, block, n);
	ok = !ferror(f) || err_errno(e, "%s", path);
	fclose(f);
	return ok && (out->size <= FILE_BYTES || err_set(e, ERR_TOO_LARGE, "%s: more than %d MiB", path, FILE_BYTES >> 20));
}

static const struct { const char *word; enum image_format format; } formats[] = { { "ihex", IMAGE_IHEX }, { "srec", IMAGE_SREC }, { "elf", IMAGE_ELF } };

bool lab_image_load(const struct lab_image *i, struct image **out, struct err *e)
{
	enum image_format format = IMAGE_AUTO;
	struct buf bytes = { 0 };
	char hash[65];
	bool ok = read_file(i->path, &bytes, e);

	for (size_t k = 0; k < sizeof formats / sizeof formats[0]; k++)
		if (strcmp(formats[k].word, i->format) == 0)
			format = formats[k].format;
	if (ok) {
		sha256_hex(bytes.bytes ? bytes.bytes : (const uint8_t *)"", bytes.size, hash);
		ok = strcmp(hash, i->sha256) == 0 || err_set(e, ERR_MISMATCH, "%s: is not the file that images.json lists; build the firmware again", i->path);
	}
	ok = ok && (image_parse(bytes.bytes, bytes.size, format, 0, 0, out, e) || err_prefix(e, "%s", i->path));
	buf_finish(&bytes);
	return ok;
}
