// SPDX-License-Identifier: GPL-2.0-or-later
/* Two passes: the first measures. Widths count characters, not bytes. */
#include "ctl/table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/buf.h"
#include "core/mem.h"

#define COLUMNS_MAX 16

const json_t *table_value(const json_t *row, const char *path)
{
	char key[64];

	while (row && *path) {
		size_t n = strcspn(path, ".");

		snprintf(key, sizeof key, "%.*s", (int)n, path);
		row = json_object_get(row, key);
		path += n + (path[n] == '.');
	}
	return row;
}

static void list_text(const json_t *value, struct buf *out)
{
	json_t *item;
	const char *key;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)value, i, item)
		buf_printf(out, "%s%s", i ? ", " : "", json_is_string(item) ? json_string_value(item) : "...");
	json_object_foreach((json_t *)(uintptr_t)value, key, item) {
		char *text = json_dumps(item, JSON_ENCODE_ANY);

		buf_printf(out, "%s%s=%s", out->size ? " " : "", key, json_is_string(item) ? json_string_value(item) : text);
		free(text);
	}
}

/* A cell's text; control bytes, which could move the cursor, become question marks. The caller frees it. */
static char *cell_text(const struct column *c, const json_t *row)
{
	const json_t *value = table_value(row, c->path);
	struct buf out = { 0 };

	if (json_is_string(value))
		buf_printf(&out, "%s", json_string_value(value));
	else if (json_is_integer(value))
		buf_printf(&out, "%lld", (long long)json_integer_value(value));
	else if (json_is_real(value))
		buf_printf(&out, "%.*f", c->decimals, json_real_value(value));
	else if (json_is_boolean(value))
		buf_printf(&out, "%s", json_is_true(value) ? "yes" : "no");
	else if (value && !json_is_null(value))
		list_text(value, &out);
	for (size_t i = 0; i < out.size; i++)
		if (out.bytes[i] < ' ' || out.bytes[i] == 127)
			out.bytes[i] = '?';
	if (out.size == 0)
		buf_printf(&out, "-");
	return buf_take(&out);
}

static size_t width(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xC0) != 0x80;
	return n;
}

static void print_cell(FILE *f, const char *text, size_t room, bool right, bool last)
{
	int pad = (int)(room - width(text));

	if (right)
		fprintf(f, "%*s%s%s", pad, "", text, last ? "" : "  ");
	else
		fprintf(f, "%s%*s", text, last ? 0 : pad + 2, "");
}

static bool is_number(const struct column *c, const json_t *row)
{
	return json_is_number(table_value(row, c->path));
}

static void print_row(FILE *f, const struct column *columns, size_t n, const size_t *widths, const json_t *row)
{
	for (size_t i = 0; i < n; i++) {
		char *text = cell_text(&columns[i], row);

		print_cell(f, text, widths[i], is_number(&columns[i], row), i + 1 == n);
		free(text);
	}
	fputc('\n', f);
}

static void measure(const struct column *c, const json_t *rows, size_t *widest, bool *right)
{
	size_t i;
	json_t *row;

	*widest = width(c->head);
	*right = false;
	json_array_foreach((json_t *)(uintptr_t)rows, i, row) {
		char *text = cell_text(c, row);

		*widest = width(text) > *widest ? width(text) : *widest;
		*right = *right || is_number(c, row);
		free(text);
	}
}

void table_print(FILE *f, const struct column *columns, const json_t *rows, const char *empty)
{
	size_t widths[COLUMNS_MAX], n = 0, i;
	bool right[COLUMNS_MAX];
	json_t *row;

	if (json_array_size(rows) == 0) {
		fprintf(f, "%s\n", empty);
		return;
	}
	for (; n < COLUMNS_MAX && columns[n].head; n++)
		measure(&columns[n], rows, &widths[n], &right[n]);
	for (i = 0; i < n; i++)
		print_cell(f, columns[i].head, widths[i], right[i], i + 1 == n);
	fputc('\n', f);
	json_array_foreach((json_t *)(uintptr_t)rows, i, row)
		print_row(f, columns, n, widths, row);
}
