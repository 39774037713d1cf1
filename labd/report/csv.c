// SPDX-License-Identifier: GPL-2.0-or-later
/* CSV exports, pulled page by page. Rows are JSON objects; the column tables say how they are written. */
#include "report/csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/mem.h"
#include "image/sha256.h"
#include "report/csv_table.h"

enum { PAGE = 500 };

struct csv_export {
	struct store *store;
	struct csv_query q;
	char *texts[16];                                                     /* copies behind q's texts */
	size_t text_count;
	bool begun, ended;
	int64_t last;                                                        /* result id where samples end */
	int64_t *runs;                                                       /* summary: still to do, ascending */
	size_t run_count, run_next;
	uint64_t rows;
	struct sha256 hash;
	char digest[65];
};

/* ---- fields ---- */

static bool needs_quotes(const char *text, char separator)
{
	for (const char *p = text; *p; p++)
		if (*p == separator || *p == '"' || *p == '\r' || *p == '\n')
			return true;
	return text[0] == ' ' || (text[0] && text[strlen(text) - 1] == ' ');
}

void csv_text(struct buf *out, const char *text, char separator, bool free_text)
{
	bool guard = free_text && text[0] && strchr("=+-@\t\r\n", text[0]);
	bool quotes = needs_quotes(text, separator);

	if (quotes)
		buf_add_byte(out, '"');
	if (guard)
		buf_add_byte(out, '\'');
	for (const char *p = text; *p; p++) {
		if (*p == '"')
			buf_add_byte(out, '"');
		buf_add_byte(out, (uint8_t)*p);
	}
	if (quotes)
		buf_add_byte(out, '"');
}

/* The shortest of 15 to 17 digits that reads back the same; by Jansson, which knows no locale (field failure F48). */
static char *number_text(json_t *value)
{
	char *text = NULL;

	if (json_is_integer(value))
		return json_dumps(value, JSON_ENCODE_ANY);
	for (size_t digits = 15; digits <= 17; digits++) {
		json_t *back;
		bool same;

		free(text);
		text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(digits));
		back = json_loads(text, JSON_DECODE_ANY, NULL);
		same = json_number_value(back) == json_number_value(value);
		json_decref(back);
		if (same)
			break;
	}
	return text;
}

static void add_number(struct buf *out, json_t *value, const struct csv_format *f)
{
	char *text = number_text(value), *point = strchr(text, '.');

	if (point && f->decimal != '.')
		*point = f->decimal;
	csv_text(out, text, f->separator, false);
	free(text);
}

static char *words_text(json_t *list)
{
	struct buf text = { 0 };
	json_t *word;
	size_t i;

	json_array_foreach(list, i, word)
		buf_printf(&text, "%s%s", i ? " " : "", json_string_value(word));
	return text.bytes ? buf_take(&text) : xstrdup("");
}

static char *field_text(json_t *value, enum csv_type type)
{
	switch (type) {
	case CSV_FLAG:
		return xstrdup(json_is_true(value) ? "true" : "false");
	case CSV_JSON:
		return json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
	case CSV_ID:
		return xasprintf("g%s", json_string_value(value));
	case CSV_WORDS:
		return words_text(value);
	default:
		return xstrdup(json_is_string(value) ? json_string_value(value) : "");
	}
}

static json_t *value_at(json_t *row, const char *from)
{
	const char *dot = strchr(from, '.');
	char outer[32];

	if (!dot)
		return json_object_get(row, from);
	snprintf(outer, sizeof outer, "%.*s", (int)(dot - from), from);
	return json_object_get(json_object_get(row, outer), dot + 1);
}

static void add_field(struct buf *out, json_t *value, enum csv_type type, const struct csv_format *f)
{
	char *text;

	/* What is missing is an empty field, never 0 (field failure F32). */
	if (!value || json_is_null(value) || (type == CSV_ID && !json_is_string(value)))
		return;
	if (type == CSV_NUMBER && json_is_number(value)) {
		add_number(out, value, f);
		return;
	}
	text = field_text(value, type);
	csv_text(out, text ? text : "", f->separator, type == CSV_TEXT);
	free(text);
}

static void add_row(struct csv_export *x, struct buf *out, json_t *row)
{
	const struct csv_column *c = csv_columns(x->q.kind);

	json_object_set_new(row, "schema_version", json_integer(CSV_SCHEMA_VERSION));
	for (size_t i = 0; c[i].name; i++) {
		if (i)
			buf_add_byte(out, (uint8_t)x->q.format.separator);
		add_field(out, value_at(row, c[i].from), c[i].type, &x->q.format);
	}
	buf_add(out, "\r\n", 2);
	x->rows++;
}

static void add_header(struct csv_export *x, struct buf *out)
{
	const struct csv_column *c = csv_columns(x->q.kind);

	if (x->q.format.bom && !x->q.format.excel)
		buf_add(out, "\xef\xbb\xbf", 3);
	for (size_t i = 0; c[i].name; i++)
		buf_printf(out, "%s%.1s", c[i].name, c[i + 1].name ? &x->q.format.separator : "");
	buf_add(out, "\r\n", 2);
}

/* ---- pages ---- */

static void add_samples_of(struct csv_export *x, struct buf *out, json_t *result)
{
	json_t *figures = json_object_get(result, "figures");
	const char *workload = json_string_value(json_object_get(result, "workload"));

	/* Flashing on request measures nothing. */
	if (workload && strcmp(workload, "flash") == 0)
		return;
	for (const struct csv_metric *m = csv_metrics; m->name; m++) {
		json_t *value = json_object_get(figures, m->name);

		json_object_set_new(result, "metric", json_string(m->name));
		json_object_set_new(result, "unit", json_string(m->unit));
		json_object_set(result, "value", value ? value : json_null());
		add_row(x, out, result);
	}
}

static bool samples_page(struct csv_export *x, struct buf *out, struct err *e)
{
	json_t *page = store_results(x->store, &x->q.results, e), *result;
	size_t i, n;

	if (!page)
		return false;
	n = json_array_size(page);
	json_array_foreach(page, i, result) {
		x->q.results.after = json_integer_value(json_object_get(result, "id"));
		if (x->q.results.after <= x->last)
			add_samples_of(x, out, result);
	}
	x->ended = n < PAGE || x->q.results.after >= x->last;
	json_decref(page);
	return true;
}

static bool text_fits(json_t *row, const char *key, const char *wanted)
{
	const char *text = json_string_value(json_object_get(row, key));

	return !wanted || (text && strcmp(text, wanted) == 0);
}

/* What a comparison cannot be asked for. */
static bool row_wanted(json_t *row, const struct result_filter *f)
{
	return text_fits(row, "board", f->board) && text_fits(row, "board_type", f->board_type) && text_fits(row, "cell", f->cell)
	    && text_fits(row, "verdict", f->verdict)
	    && (f->payload_bytes == 0 || json_integer_value(json_object_get(row, "payload_bytes")) == f->payload_bytes);
}

static bool rows_of(struct csv_export *x, const struct compare_query *q, bool first_published, struct buf *out, struct err *e)
{
	json_t *c = compare(x->store, q, e), *row;
	size_t i;

	if (!c)
		return false;
	json_array_foreach(json_object_get(c, "rows"), i, row) {
		json_t *published = json_array_get(json_object_get(row, "published"), 0);

		if (!row_wanted(row, &x->q.results))
			continue;
		json_object_set(row, "metric", json_object_get(c, "figure"));
		json_object_set(row, "unit", json_object_get(c, "unit"));
		if (first_published)
			json_object_set(row, "published", published ? published : json_null());
		add_row(x, out, row);
	}
	json_decref(c);
	return true;
}

static bool compare_page(struct csv_export *x, struct buf *out, struct err *e)
{
	x->ended = true;
	return rows_of(x, &x->q.compare, true, out, e);
}

static const char *const summary_figures[] = { "goodput_bit_per_s", "goodput_byte_per_s", "frames_per_s", "elapsed_s" };

/* One run a page. */
static bool summary_page(struct csv_export *x, struct buf *out, struct err *e)
{
	const struct result_filter *f = &x->q.results;
	struct compare_query q = { .matrix = f->matrix, .board = f->board ? f->board : f->board_type ? f->board_type : f->board_or_type, .workload = f->workload,
	                           .transport = f->transport };

	uint64_t before = x->rows;

	if (x->run_next < x->run_count) {
		q.run = x->runs[x->run_next++];
		for (size_t i = 0; i < sizeof summary_figures / sizeof summary_figures[0]; i++) {
			q.figure = summary_figures[i];
			if (!rows_of(x, &q, false, out, e))
				return false;
			/* Each figure has the same rows: a run without any is not asked for the others. */
			if (x->rows == before)
				break;
		}
	}
	x->ended = x->run_next >= x->run_count;
	return true;
}

/* UTF-8 that we made ourselves to UTF-16LE. */
static void to_utf16(struct buf *b, bool mark)
{
	struct buf wide = { 0 };

	if (mark)
		buf_add(&wide, "\xff\xfe", 2);
	for (size_t i = 0; i < b->size;) {
		uint8_t c = b->bytes[i];
		size_t n = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
		uint32_t code = n == 1 ? c : c & (0x7fu >> n);

		for (size_t k = 1; k < n && i + k < b->size; k++)
			code = code << 6 | (b->bytes[i + k] & 0x3f);
		i += n;
		if (code >= 0x10000) {
			uint32_t high = 0xd800 + ((code - 0x10000) >> 10);

			buf_add(&wide, (uint8_t[]){ (uint8_t)high, (uint8_t)(high >> 8) }, 2);
			code = 0xdc00 + ((code - 0x10000) & 0x3ff);
		}
		buf_add(&wide, (uint8_t[]){ (uint8_t)code, (uint8_t)(code >> 8) }, 2);
	}
	buf_finish(b);
	*b = wide;
}

bool csv_more(struct csv_export *x, struct buf *out, bool *end, struct err *e)
{
	static bool (*const pages[])(struct csv_export *, struct buf *, struct err *) = { samples_page, summary_page, compare_page };
	struct buf page = { 0 };
	bool first = !x->begun, ok = true;

	if (first)
		add_header(x, &page);
	x->begun = true;
	if (!x->ended)
		ok = pages[x->q.kind](x, &page, e);
	if (ok && x->q.format.excel)
		to_utf16(&page, first);
	if (ok && page.size) {
		buf_add(out, page.bytes, page.size);
		sha256_add(&x->hash, page.bytes, page.size);
	}
	if (ok && x->ended && !x->digest[0])
		sha256_digest_hex(&x->hash, x->digest);
	*end = x->ended;
	buf_finish(&page);
	return ok;
}

/* ---- open and close ---- */

static const char *copy(struct csv_export *x, const char *text)
{
	if (!text)
		return NULL;
	x->texts[x->text_count] = xstrdup(text);
	return x->texts[x->text_count++];
}

static void copy_texts(struct csv_export *x)
{
	struct result_filter *f = &x->q.results;
	struct compare_query *c = &x->q.compare;
	const char **places[] = { &f->board, &f->board_type, &f->workload, &f->verdict, &f->cell, &f->matrix, &f->transport, &f->board_or_type,
	                          &c->figure, &c->matrix, &c->board, &c->workload, &c->transport };

	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
		*places[i] = copy(x, *places[i]);
}

static void complete_format(struct csv_format *f)
{
	if (f->separator == 0)
		f->separator = f->excel ? '\t' : ',';
	if (f->decimal == 0)
		f->decimal = '.';
}

/* Runs come newest first; they are kept ascending. */
static bool list_runs(struct csv_export *x, struct err *e)
{
	int64_t before = 0;
	size_t n;

	if (x->q.results.run) {
		x->runs = xcalloc(1, sizeof *x->runs);
		x->runs[x->run_count++] = x->q.results.run;
		return true;
	}
	do {
		json_t *page = store_runs(x->store, before, PAGE, e), *run;
		size_t i;

		if (!page)
			return false;
		n = json_array_size(page);
		x->runs = xrealloc(x->runs, (x->run_count + n + 1) * sizeof *x->runs);
		json_array_foreach(page, i, run)
			x->runs[x->run_count++] = before = json_integer_value(json_object_get(run, "id"));
		json_decref(page);
	} while (n == PAGE);
	for (size_t i = 0; i < x->run_count / 2; i++) {
		int64_t other = x->runs[i];

		x->runs[i] = x->runs[x->run_count - 1 - i];
		x->runs[x->run_count - 1 - i] = other;
	}
	return true;
}

bool csv_open(struct store *s, const struct csv_query *q, struct csv_export **out, struct err *e)
{
	struct csv_export *x = xcalloc(1, sizeof *x);
	bool ok;

	x->store = s;
	x->q = *q;
	copy_texts(x);
	complete_format(&x->q.format);
	x->q.results.limit = PAGE;
	x->q.results.finished_only = true;
	x->q.results.newest_first = false;
	sha256_init(&x->hash);
	ok = store_last_result(s, &x->last, e) && (q->kind != CSV_SUMMARY || list_runs(x, e));
	if (!ok) {
		csv_close(x);
		return false;
	}
	*out = x;
	return true;
}

void csv_close(struct csv_export *x)
{
	if (!x)
		return;
	for (size_t i = 0; i < x->text_count; i++)
		free(x->texts[i]);
	free(x->runs);
	free(x);
}

uint64_t csv_rows(const struct csv_export *x)
{
	return x->rows;
}

static const char *const type_words[] = { "string", "number", "boolean", "datetime", "object", "string", "string" };

json_t *csv_meta(struct csv_export *x, const char *file, const char *labd, json_t *query)
{
	const struct csv_column *c = csv_columns(x->q.kind);
	json_t *columns = json_array();

	for (; c->name; c++)
		json_array_append_new(columns, json_pack("{s:s, s:s, s:s?, s:s}", "name", c->name, "type", type_words[c->type], "unit", c->unit, "description", c->description));
	return json_pack("{s:s, s:i, s:I, s:s?, s:s, s:s, s:s, s:O?, s:o}", "file", file, "schema_version", CSV_SCHEMA_VERSION, "rows", (json_int_t)x->rows, "sha256",
	                 x->digest[0] ? x->digest : NULL, "encoding", x->q.format.excel ? "utf-16le" : "utf-8", "delimiter",
	                 x->q.format.separator == '\t' ? "\t" : x->q.format.separator == ';' ? ";" : ",", "labd", labd, "query", query, "columns", columns);
}

void csv_name(enum csv_kind kind, int64_t utc_ms, char out[64])
{
	static const char *const words[] = { "samples", "summary", "compare" };
	time_t s = (time_t)(utc_ms / 1000);
	struct tm t;

	gmtime_r(&s, &t);
	snprintf(out, 64, "labd_%s_%04d%02d%02dT%02d%02d%02dZ.csv", words[kind], (t.tm_year + 1900) % 10000, t.tm_mon + 1, t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec);
}
