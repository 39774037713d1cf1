// SPDX-License-Identifier: GPL-2.0-or-later
/* Handlers about comparisons and CSV. An export is pulled page by page as the client takes it; nothing of the store is held in between. */
#include "http/api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "report/compare.h"
#include "report/csv.h"
#include "run/lab.h"

/* --- CSV ---------------------------------------------------------------------------------------------------------------------------------------- */

struct csv_stream {
	struct stream stream;
	struct csv_export *export;
};

static bool csv_page(struct stream *s, struct buf *out, bool *last, struct err *e)
{
	return csv_more(((struct csv_stream *)s)->export, out, last, e);
}

static void csv_stream_close(struct stream *s)
{
	csv_close(((struct csv_stream *)s)->export);
	free(s);
}

static const char *const kind_names[] = { [CSV_SAMPLES] = "samples", [CSV_SUMMARY] = "summary", [CSV_COMPARE] = "compare" };
static const struct stream_ops csv_ops = { csv_page, csv_stream_close };

static bool one_byte(const struct request *rq, const char *name, const char *allowed, char *out, struct err *e)
{
	const char *text = request_query(rq, name);

	if (!text)
		return true;
	if (strcmp(text, "tab") == 0 && strchr(allowed, '\t'))
		text = "\t";
	if (strlen(text) != 1 || !strchr(allowed, text[0]))
		return err_set(e, ERR_INVALID, "%s: must be one of the characters in the description (see /api/v1/openapi.json)", name);
	*out = text[0];
	return true;
}

static bool format(const struct request *rq, struct csv_format *f, struct err *e)
{
	if (!one_byte(rq, "sep", ",;\t", &f->separator, e) || !one_byte(rq, "decimal", ".,", &f->decimal, e) || !request_flag(rq, "bom", false, &f->bom, e) ||
	    !request_flag(rq, "excel", false, &f->excel, e))
		return false;
	if (f->decimal == ',' && (f->separator == 0 || f->separator == ','))
		return err_set(e, ERR_INVALID, "decimal: a comma needs another separator, such as sep=;");
	return true;
}

static bool comparison(const struct request *rq, struct compare_query *q, struct err *e)
{
	*q = (struct compare_query){ .figure = request_query(rq, "figure"), .matrix = request_query(rq, "matrix"), .board = request_query(rq, "board"),
		.workload = request_query(rq, "workload"), .transport = request_query(rq, "transport") };
	if (q->figure && !figure_unit(q->figure))
		return err_set(e, ERR_INVALID, "figure: there is no \"%.40s\" (see /api/v1/openapi.json)", q->figure);
	return request_number(rq, "run", 1, INT64_MAX, 0, &q->run, e);
}

/* Where the file's columns are described. Left out where the query is too long for a header. */
static void link_description(enum csv_kind kind, const struct request *rq, struct response *rs)
{
	struct buf query = { 0 };

	if (strncmp(rq->path, "/api/v1/export/", 15) != 0)       /* another route, with parameters of its own */
		return;
	request_query_text(rq, &query);
	if (query.size < sizeof rs->link - 80)
		snprintf(rs->link, sizeof rs->link, "</api/v1/export/%s/meta%s>; rel=\"describedby\"; type=\"application/json\"", kind_names[kind], buf_text(&query));
	buf_finish(&query);
}

static bool export(const struct csv_query *q, const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	struct csv_export *x;
	struct csv_stream *s;

	if (!csv_open(site->lab->store, q, &x, e))
		return false;
	s = xcalloc(1, sizeof *s);
	*s = (struct csv_stream){ .stream = { &csv_ops }, .export = x };
	rs->stream = &s->stream;
	rs->content_type = q->format.excel ? "text/csv; charset=utf-16le; header=present" : "text/csv; charset=utf-8; header=present";
	csv_name(q->kind, clock_utc_ms(site->clock), rs->filename);
	link_description(q->kind, rq, rs);
	return true;
}

static bool export_results(enum csv_kind kind, const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	struct csv_query q = { .kind = kind };

	return format(rq, &q.format, e) && api_filter(rq, &q.results, e) && export(&q, rq, site, rs, e);
}

bool api_export_samples(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	return export_results(CSV_SAMPLES, rq, site, rs, e);
}

bool api_export_summary(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	return export_results(CSV_SUMMARY, rq, site, rs, e);
}

bool api_export_compare(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	struct csv_query q = { .kind = CSV_COMPARE };

	return format(rq, &q.format, e) && comparison(rq, &q.compare, e) && export(&q, rq, site, rs, e);
}

/* --- what stands in a file ------------------------------------------------------------------------------------------------------------------------ */

/* Reads the export to its end to count and hash it, one page each time the client is ready, and sends a line feed for each, which JSON allows. */
struct meta_stream {
	struct stream stream;
	struct csv_export *export;
	struct buf page;
	json_t *query;
	char name[64];
	const char *version;
};

static bool meta_page(struct stream *s, struct buf *out, bool *last, struct err *e)
{
	struct meta_stream *m = (struct meta_stream *)s;
	json_t *meta;
	char *text;

	buf_clear(&m->page);
	if (!csv_more(m->export, &m->page, last, e))
		return false;
	buf_add_byte(out, '\n');
	if (!*last)
		return true;
	meta = csv_meta(m->export, m->name, m->version, m->query);
	text = meta ? json_dumps(meta, JSON_INDENT(1)) : NULL;
	if (text)
		buf_add(out, text, strlen(text));
	free(text);
	json_decref(meta);
	return text || err_set(e, ERR_INTERNAL, "the file cannot be described");
}

static void meta_close(struct stream *s)
{
	struct meta_stream *m = (struct meta_stream *)s;

	csv_close(m->export);
	buf_finish(&m->page);
	json_decref(m->query);
	free(m);
}

static const struct stream_ops meta_ops = { meta_page, meta_close };

static json_t *query_json(const struct request *rq)
{
	json_t *query = json_object();

	for (size_t i = 0; i < rq->query_count; i++)
		json_object_set_new(query, rq->query[i].name, json_string(rq->query[i].value));
	return query;
}

static bool describe(const struct csv_query *q, const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	struct csv_export *x;
	struct meta_stream *m;

	if (!csv_open(site->lab->store, q, &x, e))
		return false;
	m = xcalloc(1, sizeof *m);
	m->stream.ops = &meta_ops;
	m->export = x;
	m->query = query_json(rq);
	m->version = site->lab->version;
	csv_name(q->kind, clock_utc_ms(site->clock), m->name);
	rs->stream = &m->stream;
	return true;
}

static bool kind_named(const char *name, enum csv_kind *out, struct err *e)
{
	for (size_t i = 0; i < sizeof kind_names / sizeof kind_names[0]; i++)
		if (strcmp(kind_names[i], name) == 0) {
			*out = (enum csv_kind)i;
			return true;
		}
	return err_set(e, ERR_NOT_FOUND, "there is no CSV file \"%.40s\"; there are: samples, summary, compare", name);
}

bool api_export_meta(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	struct csv_query q = { 0 };

	return kind_named(rq->params[0], &q.kind, e) && format(rq, &q.format, e) &&
	       (q.kind == CSV_COMPARE ? comparison(rq, &q.compare, e) : api_filter(rq, &q.results, e)) && describe(&q, rq, site, rs, e);
}

/* --- comparisons -------------------------------------------------------------------------------------------------------------------------------- */

bool api_compare(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	struct compare_query q;

	if (request_accepts(rq, "text/csv"))
		return api_export_compare(rq, site, rs, e);
	return comparison(rq, &q, e) && api_give(rs, compare(site->lab->store, &q, e));
}

/* As a document, or as the table people read in a terminal. */
bool api_run_report(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	json_t *report;
	int64_t run;
	char *table;

	if (!request_id(rq, 0, &run, e) || !(report = report_run(site->lab->store, run, e)))
		return false;
	json_object_set_new(report, "exit_status", json_integer(report_exit_status(report, false)));
	json_object_set_new(report, "exit_status_strict", json_integer(report_exit_status(report, true)));
	if (!request_accepts(rq, "text/plain"))
		return api_give(rs, report);
	table = report_table(report);
	buf_add(&rs->text, table, strlen(table));
	rs->content_type = "text/plain; charset=utf-8";
	free(table);
	json_decref(report);
	return true;
}
