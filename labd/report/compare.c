// SPDX-License-Identifier: GPL-2.0-or-later
/* Measured beside published: results grouped into rows, references with what differs, and the line through the sizes. */
#include "report/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "report/fit.h"
#include "report/published.h"
#include "report/statistics.h"
#include "store/store.h"

enum { PAGE = 1000, SIZES_MAX = 64 };

static const struct { const char *name, *unit; } figures_known[] = {
	{ "goodput_byte_per_s", "byte/s" }, { "goodput_bit_per_s", "bit/s" }, { "frames_per_s", "frame/s" }, { "frame_time_s", "s" }, { "elapsed_s", "s" },
};

const char *figure_unit(const char *figure)
{
	for (size_t i = 0; i < sizeof figures_known / sizeof figures_known[0]; i++)
		if (strcmp(figure, figures_known[i].name) == 0)
			return figures_known[i].unit;
	return NULL;
}

bool figure_value(json_t *figures, const char *figure, double *out)
{
	json_t *value = json_object_get(figures, figure);
	double frames = json_number_value(json_object_get(figures, "frames"));

	if (strcmp(figure, "frame_time_s") == 0 && frames > 0) {
		*out = json_number_value(json_object_get(figures, "elapsed_s")) / frames;
		return true;
	}
	*out = json_number_value(value);
	return json_is_number(value);
}

static json_t *number_or_null(bool known, double value)
{
	return known && isfinite(value) ? json_real(value) : json_null();
}

/* ---- rows ---- */

/* What makes two results the same cell; a row shows these. */
static const char *const same_keys[] = { "cell", "board", "board_type", "virtual", "workload", "variant", "params", "transport", "payload_bytes" };

/* Whose clock and which wire: figures of one are never a statistic with those of another. An attempt that ended with its daemon has neither, and belongs to either. */
static const char *const way_keys[] = { "mode", "pace" };

static bool same_way(json_t *row, json_t *result)
{
	for (size_t i = 0; i < sizeof way_keys / sizeof way_keys[0]; i++) {
		json_t *a = json_object_get(row, way_keys[i]), *b = json_object_get(result, way_keys[i]);

		if (json_is_string(a) && json_is_string(b) && !json_equal(a, b))
			return false;
	}
	return true;
}

static void set_way(json_t *row, json_t *result)
{
	for (size_t i = 0; i < sizeof way_keys / sizeof way_keys[0]; i++)
		if (!json_is_string(json_object_get(row, way_keys[i])))
			json_object_set(row, way_keys[i], json_object_get(result, way_keys[i]));
}

static bool same_cell(json_t *row, json_t *result)
{
	for (size_t i = 0; i < sizeof same_keys / sizeof same_keys[0]; i++)
		if (!json_equal(json_object_get(row, same_keys[i]), json_object_get(result, same_keys[i])))
			return false;
	return same_way(row, result);
}

static json_t *new_row(json_t *result)
{
	json_t *row = json_object();

	for (size_t i = 0; i < sizeof same_keys / sizeof same_keys[0]; i++)
		json_object_set(row, same_keys[i], json_object_get(result, same_keys[i]));
	json_object_set_new(row, "results", json_array());
	return row;
}

static void add_result(json_t *rows, json_t *result)
{
	size_t i;
	json_t *row, *found = NULL;
	const char *workload = json_string_value(json_object_get(result, "workload"));

	/* Flashing on request measures nothing. */
	if (workload && strcmp(workload, "flash") == 0)
		return;
	json_array_foreach(rows, i, row)
		if (!found && same_cell(row, result))
			found = row;
	if (!found) {
		found = new_row(result);
		json_array_append_new(rows, found);
	}
	set_way(found, result);
	json_array_append(json_object_get(found, "results"), result);
}

static bool collect(struct store *s, const struct compare_query *q, json_t *rows, struct err *e)
{
	struct result_filter f = { .run = q->run, .matrix = q->matrix, .workload = q->workload, .board_or_type = q->board, .transport = q->transport, .finished_only = true,
	                           .latest_attempt_only = true, .newest_run_only = q->run == 0, .limit = PAGE };
	size_t n;

	do {
		json_t *page = store_results(s, &f, e), *result;
		size_t i;

		if (!page)
			return false;
		n = json_array_size(page);
		json_array_foreach(page, i, result) {
			f.after = json_integer_value(json_object_get(result, "id"));
			add_result(rows, result);
		}
		json_decref(page);
	} while (n == PAGE);
	return true;
}

static bool counts(json_t *result)
{
	const char *verdict = json_string_value(json_object_get(result, "verdict"));

	return verdict && strcmp(verdict, "pass") == 0 && !json_is_object(json_object_get(result, "excluded"));
}

/* Values of one figure over the results that count. */
static size_t values_of(json_t *results, const char *figure, double **values)
{
	size_t i, n = 0;
	json_t *result;

	*values = xcalloc(json_array_size(results) + 1, sizeof **values);
	json_array_foreach(results, i, result)
		if (counts(result) && figure_value(json_object_get(result, "figures"), figure, &(*values)[n]))
			n++;
	return n;
}

static void set_statistics(json_t *row, json_t *results, const char *figure)
{
	double *values;
	size_t n = values_of(results, figure, &values);
	struct statistics st;

	statistics_of(values, n, &st);
	free(values);
	json_object_set_new(row, "n", json_integer((json_int_t)n));
	json_object_set_new(row, "n_failed", json_integer((json_int_t)(json_array_size(results) - n)));
	json_object_set_new(row, "value", number_or_null(n > 0, st.median));
	json_object_set_new(row, "ci95_low", number_or_null(st.has_interval, st.interval_low));
	json_object_set_new(row, "ci95_high", number_or_null(st.has_interval, st.interval_high));
	json_object_set_new(row, "min", number_or_null(n > 0, st.min));
	json_object_set_new(row, "max", number_or_null(n > 0, st.max));
	json_object_set_new(row, "iqr", number_or_null(n > 1, st.high_quartile - st.low_quartile));
}

/* The result a page links to, and whose provenance the row shows: the last that counts, else the last. */
static json_t *shown_result(json_t *results)
{
	size_t i;
	json_t *result, *shown = NULL;

	json_array_foreach(results, i, result)
		if (!shown || counts(result) || !counts(shown))
			shown = result;
	return shown;
}

static void set_shown(json_t *row, json_t *result)
{
	static const char *const keys[] = { "run", "verdict", "cause", "error", "image" };

	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
		json_object_set(row, keys[i], json_object_get(result, keys[i]));
	json_object_set(row, "result", json_object_get(result, "id"));
	json_object_set_new(row, "ack_paced", json_boolean(json_is_true(json_object_get(json_object_get(result, "figures"), "ack_paced"))));
}

/* Measured / published, of the first reference that differs in nothing. */
static json_t *ratio_of(json_t *row, json_t *published)
{
	json_t *value = json_object_get(row, "value"), *p;
	size_t i;

	json_array_foreach(published, i, p) {
		double other = json_number_value(json_object_get(p, "value"));

		if (json_array_size(json_object_get(p, "differs")) == 0 && json_is_number(value) && other > 0)
			return json_real(json_number_value(value) / other);
	}
	return json_null();
}

static bool complete_row(struct store *s, json_t *row, const char *figure, struct err *e)
{
	json_t *results = json_object_get(row, "results"), *published = published_for(s, row, figure, e);

	if (!published)
		return false;
	set_shown(row, shown_result(results));
	set_statistics(row, results, figure);
	json_object_set_new(row, "published", published);
	json_object_set_new(row, "ratio", ratio_of(row, published));
	return true;
}

static const char *text_of(json_t *row, const char *key)
{
	const char *text = json_string_value(json_object_get(row, key));

	return text ? text : "";
}

/* Datagrams that the host acknowledges, one by one, are another thing than those that follow each other. */
static bool acknowledged(json_t *row)
{
	return json_is_true(json_object_get(json_object_get(row, "params"), "ack"));
}

/* So are runs of other lengths: the first frame is longer than the others. */
static json_t *count_of(json_t *row)
{
	return json_object_get(json_object_get(row, "params"), "count");
}

/* Everything of a series but the payload, as one text to sort and group by. */
static char *series_of(json_t *row)
{
	char *variant = json_dumps(json_object_get(row, "variant"), JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
	char *text = xasprintf("%s %s %s %s %s%s %lld %s %s", text_of(row, "board"), text_of(row, "board_type"), text_of(row, "workload"), variant ? variant : "{}",
	                       text_of(row, "transport"), acknowledged(row) ? "+ack" : "", (long long)json_integer_value(count_of(row)), text_of(row, "mode"), text_of(row, "pace"));

	free(variant);
	return text;
}

static int by_series(const void *a, const void *b)
{
	json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
	int order = strcmp(text_of(x, "series"), text_of(y, "series"));
	json_int_t px = json_integer_value(json_object_get(x, "payload_bytes")), py = json_integer_value(json_object_get(y, "payload_bytes"));

	return order ? order : (py > px) - (py < px);
}

static json_t *sorted(json_t *rows)
{
	size_t n = json_array_size(rows), i;
	json_t **order = xcalloc(n + 1, sizeof *order), *all = json_array();

	for (i = 0; i < n; i++) {
		char *series = series_of(json_array_get(rows, i));

		order[i] = json_array_get(rows, i);
		json_object_set_new(order[i], "series", json_string(series));
		free(series);
	}
	qsort(order, n, sizeof *order, by_series);
	for (i = 0; i < n; i++)
		json_array_append(all, order[i]);
	free(order);
	return all;
}

/* ---- lines ---- */

struct points {
	double x[SIZES_MAX], y[SIZES_MAX];
	size_t n;
};

static void add_point(struct points *p, double x, double y)
{
	if (p->n < SIZES_MAX) {
		p->x[p->n] = x;
		p->y[p->n++] = y;
	}
}

static void add_fit(json_t *fits, json_t *row, bool published, const struct points *p)
{
	static const char *const own[] = { "board", "variant", "mode", "pace" };  /* of what was measured alone */
	struct fit f;

	if (p->n < 3 || !fit_line(p->x, p->y, p->n, &f))
		return;
	json_t *fit = json_pack("{s:s, s:s, s:s, s:O?, s:b, s:O?, s:b, s:f, s:f, s:f, s:f, s:I}", "series", published ? "published" : text_of(row, "board"), "board_type",
	                        text_of(row, "board_type"), "workload", text_of(row, "workload"), "transport", json_object_get(row, "transport"), "ack", acknowledged(row),
	                        "count", count_of(row), "published", published, "a_s", f.a, "b_s_per_byte", f.b, "max_relative_error", f.max_relative_error, "max_absolute_error_s", f.max_absolute_error,
	                        "n", (json_int_t)f.n);

	for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
		json_t *value = json_object_get(row, own[i]);

		json_object_set_new(fit, own[i], published || !value ? json_null() : json_incref(value));
	}
	json_array_append_new(fits, fit);
}

/* Time per frame of the references that differ in nothing; they say the time of all frames. */
static bool published_time(struct store *s, json_t *row, double *time, struct err *e)
{
	json_t *refs = published_for(s, row, "frame_time_s", e), *r;
	size_t i;
	bool found = false;

	json_array_foreach(refs, i, r)
		if (!found && json_array_size(json_object_get(r, "differs")) == 0) {
			*time = json_number_value(json_object_get(r, "value"));
			found = true;
		}
	json_decref(refs);
	return found;
}

static void measured_point(json_t *row, struct points *p)
{
	double *values;
	size_t n = values_of(json_object_get(row, "results"), "frame_time_s", &values);
	struct statistics st;

	statistics_of(values, n, &st);
	free(values);
	if (n)
		add_point(p, json_number_value(json_object_get(row, "payload_bytes")), st.median);
}

/* rows are sorted: a series is a run of neighbours. */
static json_t *fits_of(struct store *s, json_t *rows, struct err *e)
{
	json_t *fits = json_array();
	size_t n = json_array_size(rows);

	for (size_t i = 0, next; i < n; i = next) {
		json_t *first = json_array_get(rows, i);
		struct points measured = { .n = 0 }, published = { .n = 0 };

		for (next = i; next < n && strcmp(text_of(json_array_get(rows, next), "series"), text_of(first, "series")) == 0; next++) {
			json_t *row = json_array_get(rows, next);
			double time;

			measured_point(row, &measured);
			if (published_time(s, row, &time, e))
				add_point(&published, json_number_value(json_object_get(row, "payload_bytes")), time);
		}
		add_fit(fits, first, false, &measured);
		add_fit(fits, first, true, &published);
	}
	return fits;
}

json_t *compare(struct store *s, const struct compare_query *q, struct err *e)
{
	const char *figure = q->figure && q->figure[0] ? q->figure : figures_known[0].name;
	json_t *found = json_array(), *rows, *fits = NULL;
	size_t i;
	json_t *row;
	bool ok = figure_unit(figure) || err_set(e, ERR_INVALID, "there is no figure \"%.40s\"; goodput_byte_per_s and frames_per_s are such", figure);

	ok = ok && collect(s, q, found, e);
	rows = sorted(found);
	json_decref(found);
	json_array_foreach(rows, i, row)
		ok = ok && complete_row(s, row, figure, e);
	if (ok)
		fits = fits_of(s, rows, e);
	json_array_foreach(rows, i, row) {
		json_object_del(row, "results");
		json_object_del(row, "series");
	}
	if (!ok) {
		json_decref(rows);
		return NULL;
	}
	return json_pack("{s:s, s:s, s:o, s:o}", "figure", figure, "unit", figure_unit(figure), "rows", rows, "fits", fits);
}
