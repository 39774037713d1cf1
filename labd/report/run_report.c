// SPDX-License-Identifier: GPL-2.0-or-later
/* One run as a document for scripts, as a table for people, and as an exit status. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/buf.h"
#include "core/mem.h"
#include "report/compare.h"
#include "report/published.h"
#include "store/store.h"

static const char *text_of(json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "";
}

static json_t *last_attempt(json_t *cell)
{
	json_t *attempts = json_object_get(cell, "attempts"), *a, *last = NULL;
	size_t i;

	/* Ascending by id; of the last repeat the last attempt. */
	json_array_foreach(attempts, i, a)
		if (!last || json_integer_value(json_object_get(a, "repeat")) >= json_integer_value(json_object_get(last, "repeat")))
			last = a;
	return last;
}

static void copy(json_t *to, json_t *from, const char *const *keys)
{
	for (; *keys; keys++) {
		json_t *value = json_object_get(from, *keys);

		json_object_set(to, *keys, value ? value : json_null());
	}
}

static json_t *report_cell(struct store *s, json_t *cell, struct err *e)
{
	static const char *const of_cell[] = { "cell", "board", "board_type", "virtual", "workload", "variant", "params", "payload_bytes", NULL };
	static const char *const of_attempt[] = { "verdict", "cause", "error", "attempt", "repeat", "figures", "image", "capture", "wall_s", "flash_s", "boot_s", "mode", "pace",
	                                          NULL };
	json_t *published = published_for(s, cell, NULL, e), *last = last_attempt(cell), *row;

	if (!published)
		return NULL;
	row = json_object();
	copy(row, cell, of_cell);
	copy(row, last, of_attempt);
	json_object_set(row, "result", last ? json_object_get(last, "id") : json_null());
	if (json_is_null(json_object_get(json_object_get(row, "image"), "sha256")))
		json_object_set_new(row, "image", json_null());
	json_object_set_new(row, "attempts", json_integer((json_int_t)json_array_size(json_object_get(cell, "attempts"))));
	json_object_set_new(row, "published", published);
	return row;
}

json_t *report_run(struct store *s, int64_t run, struct err *e)
{
	static const char *const of_run[] = { "state", "matrix", "matrix_version", "created", "started", "finished", "host", "cancelled_by", NULL };
	json_t *r = store_run(s, run, e), *report, *cells, *cell;
	size_t i;
	bool ok = r != NULL;

	if (!ok)
		return NULL;
	report = json_pack("{s:I}", "run", (json_int_t)run);
	cells = json_array();
	copy(report, r, of_run);
	json_object_set_new(report, "cells", cells);
	json_array_foreach(json_object_get(r, "cells"), i, cell) {
		json_t *row = ok ? report_cell(s, cell, e) : NULL;

		ok = ok && row;
		json_array_append_new(cells, row);
	}
	json_decref(r);
	if (!ok) {
		json_decref(report);
		return NULL;
	}
	return report;
}

/* ---- the table ---- */

enum { COLUMNS = 7 };

static const char *const heads[COLUMNS] = { "cell", "board", "measured", "published", "ratio", "frames/s", "result" };

/* The goodput of the first reference that differs in nothing; any other is marked. */
static bool reference(json_t *row, double *value, bool *same)
{
	json_t *p;
	size_t i;

	json_array_foreach(json_object_get(row, "published"), i, p)
		if (strcmp(text_of(p, "figure"), "goodput_byte_per_s") == 0) {
			*value = json_number_value(json_object_get(p, "value"));
			*same = json_array_size(json_object_get(p, "differs")) == 0;
			return true;
		}
	return false;
}

static char *verdict_text(json_t *row)
{
	const char *verdict = text_of(row, "verdict");

	if (!verdict[0])
		return xstrdup("waiting");
	if (strcmp(verdict, "pass") == 0)
		return xstrdup(json_is_true(json_object_get(json_object_get(row, "figures"), "ack_paced")) ? "pass, ack-paced" : "pass");
	return xasprintf("%s (%s): %s", verdict, text_of(row, "cause"), text_of(row, "error"));
}

static void table_row(json_t *row, char *fields[COLUMNS])
{
	json_t *figures = json_object_get(row, "figures");
	double measured = 0, published = 0, frames = 0;
	bool same = false, has = figure_value(figures, "goodput_byte_per_s", &measured), known = reference(row, &published, &same);

	fields[0] = xstrdup(text_of(row, "cell"));
	fields[1] = xasprintf("%s%s", text_of(row, "board"), json_is_true(json_object_get(row, "virtual")) ? " (virtual)" : "");
	fields[2] = has ? xasprintf("%.0f byte/s", measured) : xstrdup("-");
	fields[3] = known ? xasprintf("%.0f byte/s%s", published, same ? "" : " *") : xstrdup("-");
	fields[4] = has && known && same && published > 0 ? xasprintf("x%.3f", measured / published) : xstrdup("-");
	fields[5] = figure_value(figures, "frames_per_s", &frames) ? xasprintf("%.2f", frames) : xstrdup("-");
	fields[6] = verdict_text(row);
}

static void print_row(struct buf *out, char *const fields[COLUMNS], const size_t widths[COLUMNS])
{
	for (int i = 0; i < COLUMNS; i++) {
		bool right = i >= 2 && i <= 5;

		if (i == COLUMNS - 1)
			buf_printf(out, "%s\n", fields[i]);
		else
			buf_printf(out, right ? "%*s  " : "%-*s  ", (int)widths[i], fields[i]);
	}
}

char *report_table(json_t *report)
{
	json_t *cells = json_object_get(report, "cells"), *cell;
	size_t n = json_array_size(cells) + 1, i, widths[COLUMNS] = { 0 };
	char *(*rows)[COLUMNS] = xcalloc(n, sizeof *rows);
	struct buf out = { 0 };
	bool marked = false;

	for (int k = 0; k < COLUMNS; k++)
		rows[0][k] = xstrdup(heads[k]);
	json_array_foreach(cells, i, cell) {
		table_row(cell, rows[i + 1]);
		marked |= strchr(rows[i + 1][3], '*') != NULL;
	}
	for (i = 0; i < n; i++)
		for (int k = 0; k < COLUMNS; k++)
			widths[k] = strlen(rows[i][k]) > widths[k] ? strlen(rows[i][k]) : widths[k];
	for (i = 0; i < n; i++) {
		print_row(&out, rows[i], widths);
		for (int k = 0; k < COLUMNS; k++)
			free(rows[i][k]);
	}
	free(rows);
	if (marked)
		buf_printf(&out, "* published under other conditions: no ratio\n");
	return buf_take(&out);
}

/* The first row that fits, worst first. */
static const struct { const char *verdict, *cause; int status; } statuses[] = {
	{ "error", "daemon", 5 }, { "fail", NULL, 1 }, { "timeout", NULL, 124 }, { "cancelled", NULL, 6 }, { "error", NULL, 5 }, { "", NULL, 5 },
};

static bool any(json_t *cells, const char *verdict, const char *cause)
{
	size_t i;
	json_t *cell;

	json_array_foreach(cells, i, cell)
		if (strcmp(text_of(cell, "verdict"), verdict) == 0 && (!cause || strcmp(text_of(cell, "cause"), cause) == 0))
			return true;
	return false;
}

int report_exit_status(json_t *report, bool strict)
{
	json_t *cells = json_object_get(report, "cells");

	for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++)
		if (any(cells, statuses[i].verdict, statuses[i].cause))
			return statuses[i].status;
	if (!any(cells, "pass", NULL) || (strict && any(cells, "skipped", NULL)))
		return 4;
	return 0;
}
