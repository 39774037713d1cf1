// SPDX-License-Identifier: GPL-2.0-or-later
/* Builds a row of images.json. */
#include "row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "image/sha256.h"

#define TEXT_MAX_BYTES (4u << 20)

const char *option(const struct options *o, const char *name, struct err *e)
{
	for (int i = 0; i + 1 < o->argc; i++)
		if (!strncmp(o->argv[i], "--", 2) && !strcmp(o->argv[i] + 2, name))
			return o->argv[i + 1];
	err_set(e, ERR_INVALID, "--%s is missing", name);
	return NULL;
}

/* "   EXTERNAL RAM     0x0001   0x06fd    1789     1792": the number in the size column. */
static long size_after(const char *report, const char *name)
{
	const char *at = strstr(report, name);
	unsigned long first, last;
	long size;

	if (!at)
		return -1;
	at += strlen(name);
	if (sscanf(at, " 0x%lx 0x%lx %ld", &first, &last, &size) == 3)
		return size;
	return sscanf(at, " %ld", &size) == 1 ? size : -1;
}

json_t *row_sections(const char *report, struct err *e)
{
	const char *at = strstr(report, "Stack starts at: 0x");
	long code = size_after(report, "ROM/EPROM/FLASH"), xram = size_after(report, "EXTERNAL RAM");
	unsigned iram, set;
	int stack;

	if (!at || sscanf(at, "Stack starts at: 0x%x (sp set to 0x%x) with %d bytes", &iram, &set, &stack) != 3 || code < 0 || xram < 0) {
		err_set(e, ERR_INVALID, "the linker's memory report has no sizes of code, XRAM and stack");
		return NULL;
	}
	return json_pack("{s:I, s:I, s:i, s:i}", "code", (json_int_t)code, "xram", (json_int_t)xram, "iram", (int)iram, "stack", stack);
}

char *read_text(const char *path, struct err *e)
{
	FILE *f = fopen(path, "r");
	char *text;
	size_t n;

	if (!f) {
		err_errno(e, "cannot read %s", path);
		return NULL;
	}
	text = xcalloc(1, TEXT_MAX_BYTES + 1);
	n = fread(text, 1, TEXT_MAX_BYTES, f);
	text[n] = 0;
	fclose(f);
	return text;
}

static json_t *sections_of_file(const char *path, struct err *e)
{
	char *report = path ? read_text(path, e) : NULL;
	json_t *sections;

	if (!report)
		return NULL;
	sections = row_sections(report, e);
	free(report);
	return sections;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

json_t *row_of_image(const struct options *o, const char *build, struct err *e)
{
	static const char *const words[] = { "board-type", "variant", "out", "toolchain", "flags", "identity-at", "build-at", "symbols" };
	const char *w[8];
	char sha256[65];
	char *contents;
	json_t *variant, *sections, *row;

	for (int i = 0; i < 8; i++)
		if (!(w[i] = option(o, words[i], e)))
			return NULL;
	variant = json_loads(w[1], 0, NULL);
	if (!variant) {
		err_set(e, ERR_INVALID, "--variant is not JSON: %s", w[1]);
		return NULL;
	}
	sections = sections_of_file(option(o, "mem", e), e);
	if (!sections) {
		json_decref(variant);
		return NULL;
	}
	contents = read_text(w[2], e);
	if (!contents) {
		json_decref(variant);
		json_decref(sections);
		return NULL;
	}
	sha256_hex(contents, strlen(contents), sha256);
	free(contents);
	row = json_pack("{s:s, s:o, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:I, s:I}", "board_type", w[0], "variant", variant,
		"file", base_name(w[2]), "format", "ihex", "sha256", sha256, "build", build,
		"toolchain", w[3], "flags", w[4], "symbols", base_name(w[7]), "sections", sections,
		"identity_at", (json_int_t)strtoul(w[5], NULL, 0), "build_at", (json_int_t)strtoul(w[6], NULL, 0));
	if (!row)
		err_set(e, ERR_INTERNAL, "the row cannot be built");
	return row;
}

bool row_same(json_t *a, json_t *b)
{
	return json_equal(json_object_get(a, "board_type"), json_object_get(b, "board_type"))
		&& json_equal(json_object_get(a, "variant"), json_object_get(b, "variant"));
}

const char *row_name(json_t *row)
{
	static char name[200];
	size_t n = (size_t)snprintf(name, sizeof name, "%s", json_string_value(json_object_get(row, "board_type")));
	const char *key;
	json_t *value;

	json_object_foreach(json_object_get(row, "variant"), key, value)
		if (n < sizeof name)
			n += (size_t)snprintf(name + n, sizeof name - n, " %s=%s", key, json_string_value(value));
	return name;
}
