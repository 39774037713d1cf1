// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lab-stamp: the last step of a firmware build. It writes the build id into a linked image, describes images in images.json, and compares their
 * hashes with the ones this repository lists.
 *
 *     lab-stamp image  --in linked.ihx --mem linked.mem --out NAME.ihx --row row.json --board-type T --variant JSON --toolchain T --flags F
 *                      --identity-at A --build-at A --symbols NAME.symbols.json
 *     lab-stamp symbols --map linked.map --out NAME.symbols.json listing.rst...
 *     lab-stamp list   --out images.json --commit commit.txt row.json...
 *     lab-stamp hashes --images images.json --out hashes.json
 *     lab-stamp check  --images images.json --expected hashes.json
 *
 * Exit status: 0 done; 1 failed, or a hash differs though the toolchain is the listed one; 77 the toolchain is another (differences are printed).
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/image.h"
#include "row.h"
#include "symbols.h"

#define EXIT_OTHER_TOOLCHAIN 77
#define RECORD_BYTES 16

static bool write_json(json_t *doc, const char *path, struct err *e)
{
	if (json_dump_file(doc, path, JSON_INDENT(1) | JSON_SORT_KEYS) != 0)
		return err_errno(e, "cannot write %s", path);
	return true;
}

static json_t *read_json(const char *path, struct err *e)
{
	json_error_t je;
	json_t *doc = json_load_file(path, 0, &je);

	if (!doc)
		err_set(e, ERR_INVALID, "%s: line %d: %s", path, je.line, je.text);
	return doc;
}

static void write_record(FILE *f, unsigned at, unsigned type, const uint8_t *bytes, unsigned n)
{
	unsigned sum = n + (at >> 8) + at + type;

	fprintf(f, ":%02X%04X%02X", n, at, type);
	for (unsigned i = 0; i < n; i++) {
		fprintf(f, "%02X", bytes[i]);
		sum += bytes[i];
	}
	fprintf(f, "%02X\n", -sum & 0xff);
}

/* Intel HEX of a 16-bit address space. */
static bool write_ihex(const struct image *img, const char *path, struct err *e)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return err_errno(e, "cannot write %s", path);
	for (size_t i = 0; i < img->count; i++) {
		const struct segment *s = &img->segments[i];

		for (size_t k = 0; k < s->size; k += RECORD_BYTES)
			write_record(f, s->at + (unsigned)k, 0, s->bytes + k, s->size - k < RECORD_BYTES ? (unsigned)(s->size - k) : RECORD_BYTES);
	}
	write_record(f, 0, 1, NULL, 0);
	if (fclose(f) != 0)
		return err_errno(e, "cannot write %s", path);
	return true;
}

static bool stamp(struct image *img, uint32_t identity_at, uint32_t build_at, char build[13], struct err *e)
{
	return image_fits(img, 0, 0x10000, e) && image_build_id(img, identity_at, build_at, build, e)
		&& image_patch(img, build_at, build, BUILD_BYTES, e);
}

static int run_image(const struct options *o, struct err *e)
{
	const char *in = option(o, "in", e), *out = option(o, "out", e), *row_path = option(o, "row", e);
	const char *identity = option(o, "identity-at", e), *at = option(o, "build-at", e);
	struct image *img = NULL;
	json_t *row = NULL;
	char build[13];
	bool ok;

	ok = in && out && row_path && identity && at
		&& image_load(in, IMAGE_IHEX, 0, 0, &img, e)
		&& stamp(img, (uint32_t)strtoul(identity, NULL, 0), (uint32_t)strtoul(at, NULL, 0), build, e)
		&& write_ihex(img, out, e)
		&& (row = row_of_image(o, build, e)) != NULL
		&& write_json(row, row_path, e);
	json_decref(row);
	image_destroy(img);
	return !ok;
}

/* True while there are words that are no option; each is given once, from *i on. */
static const char *next_word(const struct options *o, int *i)
{
	while (*i < o->argc && !strncmp(o->argv[*i], "--", 2))
		*i += 2;                                          /* an option and its value */
	return *i < o->argc ? o->argv[(*i)++] : NULL;
}

static bool add_symbols(const char *path, void (*parse)(const char *text, json_t *list), json_t *list, struct err *e)
{
	char *text = read_text(path, e);

	if (!text)
		return false;
	parse(text, list);
	free(text);
	return true;
}

static int run_symbols(const struct options *o, struct err *e)
{
	const char *map = option(o, "map", e), *out = option(o, "out", e), *word;
	json_t *list = json_array(), *sorted = NULL;
	bool ok = map && out && add_symbols(map, symbols_of_map, list, e);

	for (int i = 0; ok && (word = next_word(o, &i)); )
		ok = add_symbols(word, symbols_of_listing, list, e);
	if (ok) {
		sorted = symbols_sorted(list);
		ok = write_json(sorted, out, e);
	}
	json_decref(sorted);
	json_decref(list);
	return !ok;
}

static json_t *commit_of(const char *path)
{
	char line[80] = "unknown";
	FILE *f = fopen(path, "r");

	if (f) {
		if (fgets(line, sizeof line, f))
			line[strcspn(line, "\n")] = 0;
		fclose(f);
	}
	return json_string(line);
}

static int run_list(const struct options *o, struct err *e)
{
	const char *out = option(o, "out", e), *commit = option(o, "commit", e), *word;
	json_t *list = json_array();
	bool ok = out && commit;

	for (int i = 0; ok && (word = next_word(o, &i)); ) {
		json_t *row = read_json(word, e);

		ok = row != NULL;
		if (ok) {
			json_object_set_new(row, "commit", commit_of(commit));
			json_array_append_new(list, row);
		}
	}
	ok = ok && write_json(list, out, e);
	json_decref(list);
	return !ok;
}

static int run_hashes(const struct options *o, struct err *e)
{
	const char *images = option(o, "images", e), *out = option(o, "out", e);
	json_t *rows = images && out ? read_json(images, e) : NULL, *hashes = json_array(), *row;
	size_t i;
	bool ok;

	json_array_foreach(rows, i, row)
		json_array_append_new(hashes, json_pack("{s:O, s:O, s:O, s:O, s:O}", "board_type", json_object_get(row, "board_type"),
			"variant", json_object_get(row, "variant"), "toolchain", json_object_get(row, "toolchain"),
			"build", json_object_get(row, "build"), "sha256", json_object_get(row, "sha256")));
	ok = rows && write_json(hashes, out, e);
	json_decref(hashes);
	json_decref(rows);
	return !ok;
}

static json_t *find_row(json_t *rows, json_t *like)
{
	size_t i;
	json_t *row;

	json_array_foreach(rows, i, row)
		if (row_same(row, like))
			return row;
	return NULL;
}

/* One listed image against what was built: 0 the same, 1 different, 77 different by another toolchain. */
static int compare(json_t *expected, json_t *built)
{
	const char *want = json_string_value(json_object_get(expected, "sha256")), *got = json_string_value(json_object_get(built, "sha256"));

	if (!built) {
		printf("%s: listed, but not built\n", row_name(expected));
		return 1;
	}
	if (want && got && !strcmp(want, got))
		return 0;
	printf("%s: this build is %.12s, the listed one %.12s", row_name(expected), got ? got : "?", want ? want : "?");
	if (json_equal(json_object_get(expected, "toolchain"), json_object_get(built, "toolchain"))) {
		printf(" with the same toolchain; after a deliberate change: cmake --build ... --target firmware_hashes\n");
		return 1;
	}
	printf("; it was built with %s, the listed one with %s\n", json_string_value(json_object_get(built, "toolchain")),
		json_string_value(json_object_get(expected, "toolchain")));
	return EXIT_OTHER_TOOLCHAIN;
}

static int run_check(const struct options *o, struct err *e)
{
	const char *images = option(o, "images", e), *expected = option(o, "expected", e);
	json_t *rows = images ? read_json(images, e) : NULL, *list = expected && rows ? read_json(expected, e) : NULL, *row;
	int status = list && json_array_size(list) ? 0 : 1;
	size_t i;

	if (list && !json_array_size(list))
		err_set(e, ERR_INVALID, "%s lists no image", expected);
	json_array_foreach(list, i, row) {
		int one = compare(row, find_row(rows, row));

		status = status == 1 || one == 1 ? 1 : one ? one : status;
	}
	if (status == 0)
		printf("%zu images are the listed ones\n", json_array_size(list));
	json_decref(list);
	json_decref(rows);
	return status;
}

static const struct command {
	const char *name;
	int (*run)(const struct options *o, struct err *e);
} commands[] = {
	{ "image", run_image },
	{ "symbols", run_symbols },
	{ "list", run_list },
	{ "hashes", run_hashes },
	{ "check", run_check },
};

int main(int argc, char **argv)
{
	struct options o = { argc - 2, argv + 2 };
	struct err e = { ERR_NONE, "" };

	for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
		if (!strcmp(argv[1], commands[i].name)) {
			int status = commands[i].run(&o, &e);

			if (e.code)
				fprintf(stderr, "lab-stamp %s: %s\n", argv[1], e.msg);
			return status;
		}
	fprintf(stderr, "usage: lab-stamp image|symbols|list|hashes|check --option value ...\n");
	return 2;
}
