// SPDX-License-Identifier: GPL-2.0-or-later
/* Statistics, the line through points, comparisons and the run's document, over a store in memory whose numbers the test knows. */
#include "report/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/fit.h"
#include "report/report_fixture.h"
#include "report/statistics.h"
#include "test/harness.h"

static struct err e;

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(1, fabs(b));
}

TEST(the_published_points_of_both_boards_lie_on_the_published_lines)
{
	static const double n[] = { 1460, 750, 100 }, t8051[] = { 0.3051, 0.2061, 0.1156 }, arm7[] = { 0.0230, 0.0132, 0.0045 };
	struct fit f;

	CHECK(fit_line(n, t8051, 3, &f));
	CHECK(fabs(f.a - 0.10164) < 5e-6);
	CHECK(fabs(f.b - 0.00013934) < 5e-9);
	CHECK(f.max_absolute_error < 5.5e-5);
	CHECK(f.max_relative_error < 0.001);
	CHECK(fit_line(n, arm7, 3, &f));
	CHECK(fabs(f.a - 0.003090) < 1e-6);
	CHECK(fabs(f.b - 0.000013606) < 1e-9);
}

TEST(a_line_needs_two_different_places)
{
	static const double x[] = { 1, 1, 1 }, y[] = { 1, 2, 3 }, x2[] = { 1, 2 }, y2[] = { 5, 7 };
	struct fit f;

	CHECK(!fit_line(x, y, 1, &f));
	CHECK(!fit_line(x, y, 3, &f));
	CHECK(fit_line(x2, y2, 2, &f));
	CHECK(near(f.a, 3) && near(f.b, 2) && f.max_relative_error < 1e-12);
}

TEST(order_statistics_are_those_of_r)
{
	double v[] = { 9, 1, 4, 7, 3, 8, 2, 6, 5, 10 };
	struct statistics s;

	statistics_of(v, 10, &s);
	CHECK(near(s.median, 5.5) && near(s.min, 1) && near(s.max, 10));
	/* quantile(1:10, c(.25, .75)) */
	CHECK(near(s.low_quartile, 3.25) && near(s.high_quartile, 7.75));
	/* Binomial (10, 1/2): P(X <= 1) = 0.0107, so the 2nd and the 9th. */
	CHECK(s.has_interval && near(s.interval_low, 2) && near(s.interval_high, 9));
}

TEST(fewer_than_six_repeats_have_no_interval_and_six_have)
{
	double v[] = { 1, 2, 3, 4, 5, 6 };
	struct statistics s;

	statistics_of(v, 0, &s);
	CHECK_EQ(s.n, 0);
	statistics_of(v, 1, &s);
	CHECK(near(s.median, 1) && near(s.low_quartile, 1) && !s.has_interval);
	statistics_of(v, 5, &s);
	CHECK(!s.has_interval);
	statistics_of(v, 6, &s);
	CHECK(s.has_interval && near(s.interval_low, 1) && near(s.interval_high, 6));
}

static json_t *row_of(json_t *c, int payload)
{
	json_t *row;
	size_t i;

	json_array_foreach(json_object_get(c, "rows"), i, row)
		if (json_integer_value(json_object_get(row, "payload_bytes")) == payload)
			return row;
	return NULL;
}

static double number(json_t *o, const char *key)
{
	return json_number_value(json_object_get(o, key));
}

TEST(measured_stands_beside_published_and_the_ratio_is_theirs)
{
	struct compare_query q = { .run = 0 };
	json_t *c, *row, *p;

	CHECK_OK(fixture_begin(&e) && fixture_run(0, &e), &e);
	c = compare(fixture_store, &q, &e);
	CHECK(c);
	CHECK_STR(json_string_value(json_object_get(c, "figure")), "goodput_byte_per_s");
	CHECK_EQ(json_array_size(json_object_get(c, "rows")), 3);
	/* By falling payload. */
	CHECK_EQ(json_integer_value(json_object_get(json_array_get(json_object_get(c, "rows"), 0), "payload_bytes")), 1460);
	row = row_of(c, 1460);
	CHECK(near(number(row, "value"), fixture_goodput(1460)));
	p = json_array_get(json_object_get(row, "published"), 0);
	CHECK(near(number(p, "value"), 4785));
	CHECK_EQ(json_array_size(json_object_get(p, "differs")), 0);
	CHECK(near(number(row, "ratio"), fixture_goodput(1460) / 4785));
	json_decref(c);
	fixture_end();
}

TEST(the_line_of_what_was_measured_stands_beside_the_published_line)
{
	struct compare_query q = { .figure = "frame_time_s" };
	json_t *c, *fits, *f;
	size_t i;
	int seen = 0;

	CHECK_OK(fixture_begin(&e) && fixture_run(0, &e), &e);
	c = compare(fixture_store, &q, &e);
	fits = json_object_get(c, "fits");
	CHECK_EQ(json_array_size(fits), 2);
	json_array_foreach(fits, i, f) {
		bool published = json_is_true(json_object_get(f, "published"));

		CHECK(fabs(number(f, "a_s") - (published ? 0.10164 : FIXTURE_A)) < 1e-5);
		CHECK(fabs(number(f, "b_s_per_byte") - (published ? 0.00013934 : FIXTURE_B)) < 1e-8);
		seen |= published ? 2 : 1;
	}
	CHECK_EQ(seen, 3);
	json_decref(c);
	fixture_end();
}

TEST(a_reference_under_other_conditions_says_what_differs_and_enters_no_ratio)
{
	struct compare_query q = { .transport = "udp" };
	json_t *c, *row, *differs;

	CHECK_OK(fixture_begin(&e) && fixture_run_over("udp", &e), &e);
	c = compare(fixture_store, &q, &e);
	row = row_of(c, 750);
	CHECK(row);
	differs = json_object_get(json_array_get(json_object_get(row, "published"), 0), "differs");
	CHECK_EQ(json_array_size(differs), 1);
	CHECK_STR(json_string_value(json_array_get(differs, 0)), "transport");
	CHECK(json_is_null(json_object_get(row, "ratio")));
	json_decref(c);
	fixture_end();
}

/* No source tells how its checksum was made; what we vary on purpose is another thing than what was published. */
TEST(a_build_that_is_not_the_plain_one_differs_by_what_was_built_otherwise)
{
	static const struct { const char *key, *value; size_t differs; } builds[] = {
		{ "checksum", "c", 0 }, { "checksum", "asm", 1 }, { "clock", "x1", 0 }, { "clock", "x2", 1 }, { "check_rx", "1", 0 }, { "check_rx", "0", 1 },
	};

	for (size_t i = 0; i < sizeof builds / sizeof builds[0]; i++) {
		struct compare_query q = { .run = 0 };
		json_t *c, *row, *differs;

		CHECK_OK(fixture_begin(&e), &e);
		fixture_variant(builds[i].key, builds[i].value);
		CHECK_OK(fixture_run(0, &e), &e);
		c = compare(fixture_store, &q, &e);
		row = row_of(c, 750);
		differs = json_object_get(json_array_get(json_object_get(row, "published"), 0), "differs");
		CHECK_EQ(json_array_size(differs), builds[i].differs);
		if (builds[i].differs)
			CHECK_STR(json_string_value(json_array_get(differs, 0)), builds[i].key);
		CHECK_EQ(json_is_null(json_object_get(row, "ratio")), builds[i].differs != 0);
		json_decref(c);
		fixture_end();
	}
}

TEST(a_failed_cell_is_a_gap_and_never_a_zero)
{
	struct compare_query q = { .run = 0 };
	json_t *c, *row;

	CHECK_OK(fixture_begin(&e) && fixture_run(750, &e), &e);
	c = compare(fixture_store, &q, &e);
	row = row_of(c, 750);
	CHECK(json_is_null(json_object_get(row, "value")));
	CHECK(json_is_null(json_object_get(row, "ratio")));
	CHECK_EQ(json_integer_value(json_object_get(row, "n")), 0);
	CHECK_EQ(json_integer_value(json_object_get(row, "n_failed")), 1);
	CHECK_STR(json_string_value(json_object_get(row, "verdict")), "fail");
	/* Two points make no line worth showing; the published one stays. */
	CHECK_EQ(json_array_size(json_object_get(c, "fits")), 1);
	json_decref(c);
	fixture_end();
}

TEST(the_newest_run_of_a_cell_counts_and_an_older_one_can_be_asked_for)
{
	struct compare_query q = { .run = 0 }, old = { .run = 1 };
	json_t *c;

	CHECK_OK(fixture_begin(&e) && fixture_run(750, &e) && fixture_run(0, &e), &e);
	c = compare(fixture_store, &q, &e);
	CHECK(json_is_real(json_object_get(row_of(c, 750), "value")));
	json_decref(c);
	c = compare(fixture_store, &old, &e);
	CHECK(json_is_null(json_object_get(row_of(c, 750), "value")));
	json_decref(c);
	fixture_end();
}

TEST(a_cancelled_run_hides_nothing_that_was_measured_before)
{
	struct compare_query q = { .run = 0 };
	json_t *c, *variant = json_pack("{s:s}", "stack", "labnet");
	json_t *params = json_pack("{s:i, s:i, s:s, s:b}", "payload_bytes", 1460, "count", 100, "transport", "tcp", "ack", 0);
	struct cell_row cell = { .name = "trigger/at89c51ed2-cs8900a/payload_bytes=1460", .board = "board-a", .board_type = "at89c51ed2-cs8900a", .workload = "trigger",
	                         .variant = variant, .params = params, .is_virtual = true, .repeats = 1, .deadline_ms = 1000 };
	struct run_row r = { .reason = "manual", .requested_by = "test", .request = variant, .host_id = 1 };
	int64_t run;

	CHECK_OK(fixture_begin(&e) && fixture_run(0, &e), &e);
	CHECK_OK(store_run_add(fixture_store, &r, &cell, 1, &run, &e) && store_run_cancel(fixture_store, run, "test", &e), &e);
	c = compare(fixture_store, &q, &e);
	CHECK_EQ(json_array_size(json_object_get(c, "rows")), 3);
	CHECK(json_is_real(json_object_get(row_of(c, 1460), "value")));
	json_decref(c);
	json_decref(variant);
	json_decref(params);
	fixture_end();
}

TEST(figures_of_another_wire_and_clock_are_rows_and_lines_of_their_own)
{
	static const char *const pace_of[] = { "turns", "wall" };
	struct compare_query q = { .run = 0 };
	unsigned of_each[2] = { 0, 0 };
	json_t *c, *row;
	size_t i;

	CHECK_OK(fixture_begin(&e) && fixture_run(0, &e), &e);
	fixture_way("tap", "wall");
	CHECK_OK(fixture_run(0, &e), &e);
	c = compare(fixture_store, &q, &e);
	json_array_foreach(json_object_get(c, "rows"), i, row) {
		bool tap = strcmp(json_string_value(json_object_get(row, "mode")), "tap") == 0;

		of_each[tap]++;
		CHECK_STR(json_string_value(json_object_get(row, "pace")), pace_of[tap]);
		CHECK_EQ(json_integer_value(json_object_get(row, "n")), 1);
		CHECK_EQ(json_integer_value(json_object_get(row, "run")), 1 + tap);
	}
	CHECK(of_each[0] == 3 && of_each[1] == 3);
	of_each[0] = of_each[1] = 0;
	json_array_foreach(json_object_get(c, "fits"), i, row)
		if (!json_is_true(json_object_get(row, "published")))
			of_each[strcmp(json_string_value(json_object_get(row, "pace")), "wall") == 0]++;
	CHECK(of_each[0] == 1 && of_each[1] == 1);
	json_decref(c);
	fixture_end();
}

TEST(runs_of_another_length_are_a_line_of_their_own)
{
	struct compare_query q = { .run = 0 };
	json_int_t of_each = 0;
	json_t *c, *fit;
	size_t i;

	CHECK_OK(fixture_begin(&e) && fixture_run(0, &e), &e);
	fixture_count(37);
	CHECK_OK(fixture_run(0, &e), &e);
	c = compare(fixture_store, &q, &e);
	CHECK_EQ(json_array_size(json_object_get(c, "rows")), 6);
	json_array_foreach(json_object_get(c, "fits"), i, fit)
		if (!json_is_true(json_object_get(fit, "published"))) {
			CHECK_EQ(json_integer_value(json_object_get(fit, "n")), 3);
			of_each += json_integer_value(json_object_get(fit, "count"));
		}
	CHECK_EQ(of_each, 137);
	json_decref(c);
	fixture_end();
}

TEST(an_excluded_result_does_not_count)
{
	struct compare_query q = { .run = 0 };
	json_t *c, *row;
	int64_t id;

	CHECK_OK(fixture_begin(&e) && fixture_run(0, &e), &e);
	c = compare(fixture_store, &q, &e);
	id = json_integer_value(json_object_get(row_of(c, 100), "result"));
	json_decref(c);
	CHECK_OK(store_exclude(fixture_store, id, "a reason", "test", &e), &e);
	c = compare(fixture_store, &q, &e);
	row = row_of(c, 100);
	CHECK(json_is_null(json_object_get(row, "value")));
	json_decref(c);
	fixture_end();
}

TEST(a_figure_that_does_not_exist_is_refused)
{
	struct compare_query q = { .figure = "speed" };

	CHECK_OK(fixture_begin(&e), &e);
	CHECK(!compare(fixture_store, &q, &e));
	CHECK_EQ(e.code, ERR_INVALID);
	fixture_end();
}

TEST(the_document_of_a_run_has_every_cell_with_all_it_promises)
{
	static const char *const keys[] = { "cell", "board", "board_type", "virtual", "workload", "variant", "payload_bytes", "verdict", "cause", "attempt", "figures", "published",
	                                    "image", "capture", "wall_s" };
	json_t *r, *cell;
	size_t i;

	CHECK_OK(fixture_begin(&e) && fixture_run(750, &e), &e);
	r = report_run(fixture_store, 1, &e);
	CHECK(r);
	CHECK_EQ(json_array_size(json_object_get(r, "cells")), 3);
	json_array_foreach(json_object_get(r, "cells"), i, cell)
		for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
			CHECK(json_object_get(cell, keys[k]));
	cell = json_array_get(json_object_get(r, "cells"), 0);
	CHECK_EQ(json_integer_value(json_object_get(cell, "payload_bytes")), 1460);
	/* Time, rate and frame rate were published. */
	CHECK_EQ(json_array_size(json_object_get(cell, "published")), 3);
	CHECK(json_is_null(json_object_get(json_array_get(json_object_get(r, "cells"), 1), "figures")));
	CHECK_EQ(report_exit_status(r, false), 1);
	json_decref(r);
	CHECK(!report_run(fixture_store, 9, &e));
	CHECK_EQ(e.code, ERR_NOT_FOUND);
	fixture_end();
}

TEST(the_table_shows_measured_published_and_the_failure)
{
	json_t *r;
	char *text;

	CHECK_OK(fixture_begin(&e) && fixture_run(750, &e), &e);
	r = report_run(fixture_store, 1, &e);
	text = report_table(r);
	CHECK(strstr(text, "4785 byte/s"));
	CHECK(strstr(text, "board-a (virtual)"));
	CHECK(strstr(text, "fail (firmware): it broke"));
	CHECK(strstr(text, "x1."));
	free(text);
	json_decref(r);
	fixture_end();
}

TEST(the_exit_status_tells_the_worst_that_happened)
{
	static const struct { const char *a, *b; int status, strict; } rows[] = {
		{ "pass", "pass", 0, 0 },    { "pass", "skipped", 0, 4 }, { "skipped", "skipped", 4, 4 }, { "pass", "fail", 1, 1 },
		{ "error", "pass", 5, 5 },   { "fail", "error", 1, 1 },   { "pass", "timeout", 124, 124 }, { "cancelled", "pass", 6, 6 },
		{ "pass", NULL, 5, 5 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		json_t *r = json_pack("{s:[{s:s, s:s}, {s:s?, s:s}]}", "cells", "verdict", rows[i].a, "cause", "none", "verdict", rows[i].b, "cause", "none");

		CHECK_EQ(report_exit_status(r, false), rows[i].status);
		CHECK_EQ(report_exit_status(r, true), rows[i].strict);
		json_decref(r);
	}
}
