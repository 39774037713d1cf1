// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Figures come out of firmware that ran, on a wire that has its times: what is changed there moves them, by as much as it should; and what only looks on
 * (a profile) moves nothing. Each cell is run by the worker's own sequence, on a virtual board that was flashed for it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/fit.h"
#include "run/profile_file.h"
#include "test/cell_lab.h"
#include "test/harness.h"

static struct err e;

static const char *capture(const char *name)
{
	static char path[2][600];
	static int turn;

	turn = !turn;
	snprintf(path[turn], sizeof path[turn], "%s/%s", test_folder(), name);
	return path[turn];
}

/* One cell on a fresh board. */
static bool run_once(const struct cell_setup *s, struct cell c, struct attempt_result *out)
{
	struct cell_lab lab;
	bool ok;

	*out = (struct attempt_result){ .flash_ns = -1 };
	if (!cell_lab_open(&lab, s, &e))
		return false;
	if (!c.capture)
		c.capture = capture("one.pcap");
	ok = cell_lab_run(&lab, &c, out, &e);
	cell_lab_close(&lab);
	return ok;
}

static uint64_t elapsed_of(const struct cell_setup *s, struct cell c)
{
	struct attempt_result r;
	uint64_t ns = run_once(s, c, &r) ? r.figures.elapsed_ns : 0;

	attempt_result_finish(&r);
	return ns;
}

static bool same_file(const char *a, const char *b)
{
	size_t n, m;
	char *x = test_read_file(a, &n), *y = test_read_file(b, &m);
	bool same = x && y && n == m && memcmp(x, y, n) == 0;

	free(x);
	free(y);
	return same;
}

static uint64_t bucket_ns(const json_t *profile, const char *name)
{
	json_t *row;
	size_t i;

	json_array_foreach(json_object_get(profile, "buckets"), i, row)
		if (strcmp(json_string_value(json_object_get(row, "name")), name) == 0)
			return (uint64_t)json_integer_value(json_object_get(row, "ns"));
	return 0;
}

/* A profiled attempt's profile, attributed. NULL: failed. */
static json_t *profile_of(struct cell_lab *lab, unsigned payload, struct attempt_result *r)
{
	struct cell c = { .payload_bytes = payload, .profile = true, .capture = capture("profiled.pcap") };
	struct profile_run run = { "cell", "", 0, CELL_COUNT, payload };
	const struct lab_image *image = cell_lab_image(lab, NULL, &e);

	if (!cell_lab_run(lab, &c, r, &e))
		return NULL;
	run.build = image->build;
	run.elapsed_ns = r->figures.elapsed_ns;
	return profile_of_image(image, r->profile, &run, &e);
}

TEST(a_profiled_attempt_gives_the_figures_and_the_capture_of_any_other)
{
	struct cell_lab lab;
	struct attempt_result plain = { .flash_ns = -1 }, profiled = plain;

	CHECK_OK(cell_lab_open(&lab, NULL, &e), &e);
	bool ok = cell_lab_run(&lab, &(struct cell){ .payload_bytes = 750, .capture = capture("plain.pcap") }, &plain, &e);
	json_t *p = ok ? profile_of(&lab, 750, &profiled) : NULL;
	cell_lab_close(&lab);
	CHECK_OK(ok && p, &e);
	json_decref(p);
	uint64_t one = plain.figures.elapsed_ns, two = profiled.figures.elapsed_ns;
	bool frames = plain.figures.frame_count == profiled.figures.frame_count
		&& memcmp(plain.figures.frames, profiled.figures.frames, plain.figures.frame_count * sizeof *plain.figures.frames) == 0;
	bool unasked = !plain.profile;
	attempt_result_finish(&plain);
	attempt_result_finish(&profiled);
	CHECK_EQ(one, two);
	CHECK(frames && unasked);
	CHECK(same_file(capture("plain.pcap"), capture("profiled.pcap")));
}

TEST(the_buckets_of_a_profile_sum_to_the_measured_time_within_a_hundredth)
{
	static const unsigned payloads[] = { 1460, 750, 100 };
	struct cell_lab lab;
	double closes[3] = { 0 };
	uint64_t other[3] = { 0 }, fill[3] = { 0 };

	CHECK_OK(cell_lab_open(&lab, NULL, &e), &e);
	for (int i = 0; i < 3; i++) {
		struct attempt_result r;
		json_t *p = profile_of(&lab, payloads[i], &r), *row;
		uint64_t sum = 0;
		size_t k;

		json_array_foreach(json_object_get(p, "buckets"), k, row)
			sum += (uint64_t)json_integer_value(json_object_get(row, "ns"));
		closes[i] = p ? (double)sum / (double)r.figures.elapsed_ns : 0;
		other[i] = bucket_ns(p, "other") + bucket_ns(p, "asleep");
		fill[i] = bucket_ns(p, "fill");
		json_decref(p);
		attempt_result_finish(&r);
	}
	cell_lab_close(&lab);
	for (int i = 0; i < 3; i++) {
		printf("  %u bytes: buckets / measured = %.5f\n", payloads[i], closes[i]);
		CHECK(closes[i] > 0.99 && closes[i] < 1.01);
		CHECK(other[i] * 100 < fill[i]);             /* the table of buckets knows what runs */
	}
	CHECK(fill[0] == fill[1] && fill[1] == fill[2]);     /* always the whole buffer */
}

TEST(a_board_that_cannot_profile_is_skipped_and_says_so)
{
	struct cell_lab lab;
	struct attempt_result r;
	struct profiler *kept;

	CHECK_OK(cell_lab_open(&lab, NULL, &e), &e);
	kept = lab.board->profiler;
	lab.board->profiler = NULL;
	bool passed = cell_lab_run(&lab, &(struct cell){ .payload_bytes = 100, .count = 3, .profile = true, .capture = capture("a.pcap") }, &r, &e);
	lab.board->profiler = kept;
	cell_lab_close(&lab);
	struct judgement j = r.judgement;
	attempt_result_finish(&r);
	CHECK(!passed && j.verdict == VERDICT_SKIPPED && j.cause == CAUSE_UNSUPPORTED && !j.retry);
	CHECK(strstr(e.msg, "only a virtual one can"));
}

TEST(one_more_pass_over_the_buffer_costs_what_the_first_one_did)
{
	static const struct cell_setup twice = { .images = "test-images.json" };
	struct cell_lab lab;
	struct attempt_result r;

	CHECK_OK(cell_lab_open(&lab, NULL, &e), &e);
	json_t *p = profile_of(&lab, 1460, &r);
	cell_lab_close(&lab);
	uint64_t once = r.figures.elapsed_ns, fill = bucket_ns(p, "fill"), slower;
	json_decref(p);
	attempt_result_finish(&r);
	CHECK(once > 0 && fill > 0);
	slower = elapsed_of(&twice, (struct cell){ .payload_bytes = 1460 });
	CHECK(slower > once);
	printf("  one pass: %.3f ms a frame of which fill %.3f; two passes: %.3f\n", (double)once / 1e6 / CELL_COUNT, (double)fill / 1e6 / CELL_COUNT, (double)slower / 1e6 / CELL_COUNT);
	CHECK(fabs((double)(slower - once) / (double)fill - 1) < 0.02);
}

/* From the end of each data frame to the end of its acknowledgement, all together. */
static int64_t answers_ns(const struct flow_figures *f)
{
	int64_t ns = 0;

	for (size_t i = 0; i < f->frame_count; i++)
		ns += (int64_t)(f->frames[i].end_ns - f->frames[i].sent_ns);
	return ns;
}

/*
 * The wire moves by what it is told, to a tick of the crystal (45 ns). The board notices an acknowledgement when its main loop comes by, so the sum moves in steps of
 * that loop (0.1 to 0.2 ms): 1 us may make no difference at all, or a loop a frame; 2 ms make 2 ms within a loop.
 */
TEST(each_answer_comes_as_much_later_as_the_latency_grows_and_so_does_the_sum)
{
	static const char *const latencies[] = { "\"latency_ns\":155000", "\"latency_ns\":156000", "\"latency_ns\":2155000" };
	static const long long loop_ns = 200000, tick_ns = 46;
	long long elapsed[3], answers[3];

	for (int i = 0; i < 3; i++) {
		struct attempt_result r;

		CHECK_OK(run_once(&(struct cell_setup){ .wire = latencies[i] }, (struct cell){ .payload_bytes = 750 }, &r), &e);
		elapsed[i] = (long long)r.figures.elapsed_ns;
		answers[i] = answers_ns(&r.figures);
		attempt_result_finish(&r);
	}
	for (int i = 1; i < 3; i++)
		printf("  latency +%d us: the %d answers %+.3f us, elapsed %+.3f us\n", i == 1 ? 1 : 2000, CELL_COUNT, (double)(answers[i] - answers[0]) / 1e3,
		       (double)(elapsed[i] - elapsed[0]) / 1e3);
	CHECK(llabs(answers[1] - answers[0] - CELL_COUNT * 1000ll) <= CELL_COUNT * tick_ns);
	CHECK(llabs(answers[2] - answers[0] - CELL_COUNT * 2000000ll) <= CELL_COUNT * tick_ns);
	CHECK(llabs(elapsed[1] - elapsed[0]) <= CELL_COUNT * loop_ns);
	CHECK(llabs(elapsed[2] - elapsed[0] - CELL_COUNT * 2000000ll) <= CELL_COUNT * loop_ns);
}

TEST(delayed_acknowledgements_are_flagged)
{
	struct attempt_result r;

	CHECK_OK(run_once(&(struct cell_setup){ .wire = "\"ack_delay_ms\":200" }, (struct cell){ .payload_bytes = 100, .count = 10 }, &r), &e);
	bool paced = r.figures.ack_paced;
	uint32_t ms = r.figures.ack_pace_ms;
	attempt_result_finish(&r);
	CHECK(paced);
	CHECK_EQ(ms, 200);
	CHECK_OK(run_once(NULL, (struct cell){ .payload_bytes = 100, .count = 10 }, &r), &e);
	paced = r.figures.ack_paced;
	attempt_result_finish(&r);
	CHECK(!paced);
}

TEST(a_pulled_cable_gives_no_number_and_blames_the_network)
{
	struct attempt_result r;

	CHECK(!run_once(&(struct cell_setup){ .fault = "link.down" }, (struct cell){ .payload_bytes = 100 }, &r));
	bool figures = r.has_figures;
	struct judgement j = r.judgement;
	attempt_result_finish(&r);
	CHECK(!figures);
	CHECK(j.verdict != VERDICT_PASS && j.cause == CAUSE_NETWORK);
	printf("  %s\n", e.msg);
}

TEST(without_the_checksum_of_what_is_received_a_frame_is_faster_by_the_same_at_every_size)
{
	uint64_t less[2];
	static const unsigned payloads[] = { 1460, 100 };

	for (int i = 0; i < 2; i++) {
		uint64_t checked = elapsed_of(NULL, (struct cell){ .payload_bytes = payloads[i] });
		uint64_t unchecked = elapsed_of(NULL, (struct cell){ .payload_bytes = payloads[i], .check_rx = "0" });

		CHECK(checked > unchecked && unchecked > 0);
		less[i] = checked - unchecked;
	}
	printf("  %.3f ms a frame less at 1460 bytes, %.3f at 100\n", (double)less[0] / 1e6 / CELL_COUNT, (double)less[1] / 1e6 / CELL_COUNT);
	CHECK(llabs((long long)less[0] - (long long)less[1]) < (long long)(less[0] / 10));
}

TEST(the_time_of_a_frame_grows_linearly_with_its_payload)
{
	static const double x[] = { 1460, 750, 100 };
	double y[3];
	struct fit fit;

	for (int i = 0; i < 3; i++) {
		uint64_t ns = elapsed_of(NULL, (struct cell){ .payload_bytes = (unsigned)x[i] });

		CHECK(ns > 0);
		y[i] = (double)ns / 1e6 / CELL_COUNT;
	}
	CHECK(fit_line(x, y, 3, &fit));
	printf("  %.3f ms + %.5f ms a byte, largest error %.4f %%\n", fit.a, fit.b, 100 * fit.max_relative_error);
	CHECK(fit.max_relative_error < 0.05);
	CHECK(fit.a > 0 && fit.b > 0);
}
