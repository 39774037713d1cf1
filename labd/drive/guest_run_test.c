// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From connect to figures over the real gate, bench PC and wire: what labd measures must be what a capture of known arithmetic says, and
 * the same every time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drive/guest_rig.h"
#include "test/harness.h"

/* docs/virtual-board.md: 10 Mbit/s is 800 ns a byte; 155 us until the bench PC answers. */
enum { BYTE_NS = 800, LATENCY_NS = 155000, ACK_FRAME = 64, PREAMBLE = 8, HEADERS = 54, FCS = 4 };

static const struct cell_params plain = { .payload_bytes = 1460, .count = 100 };

static const char *file_named(const char *name, char path[200])
{
	snprintf(path, 200, "%s/%s", test_folder(), name);
	return path;
}

static struct guest_run run(const struct guest_setup *setup, const struct cell_params *p, const char *name)
{
	struct guest_run r;
	char path[200];

	guest_rig_run(setup, p, test_folder(), file_named(name, path), &r);
	return r;
}

TEST(a_run_over_the_real_gate_is_measured)
{
	struct guest_run r = run(&(struct guest_setup){ 0 }, &plain, "a.pcap");

	CHECK_OK(r.driven && r.measured, &r.e);
	CHECK_EQ(r.figures.payload_bytes, 146000);
	CHECK_EQ(r.figures.wire_bytes, ACK_FRAME + 100 * (HEADERS + 1460 + FCS));      /* the trigger line is acknowledged by a frame of its own */
	CHECK_EQ(r.figures.captured_frames, r.frames);
	CHECK_EQ(r.figures.retransmissions + r.figures.duplicate_acks + r.figures.zero_windows + r.figures.bad_checksums + r.figures.merged_frames, 0);
	CHECK(r.figures.payload_ok && !r.figures.ack_paced);
	flow_figures_finish(&r.figures);
}

TEST(each_acknowledgement_takes_the_latency_and_its_own_time_on_the_wire)
{
	struct guest_run r = run(&(struct guest_setup){ 0 }, &plain, "a.pcap");

	CHECK_OK(r.measured, &r.e);
	for (size_t i = 0; i < r.figures.frame_count; i++) {
		const struct flow_frame *f = &r.figures.frames[i];
		CHECK_EQ(f->end_ns - f->sent_ns, LATENCY_NS + (ACK_FRAME + PREAMBLE) * BYTE_NS);
	}
	flow_figures_finish(&r.figures);
}

TEST(the_same_run_gives_the_same_capture_byte_for_byte)
{
	char one[200], two[200];
	size_t n, m;

	struct guest_run a = run(&(struct guest_setup){ 0 }, &plain, "a.pcap"), b = run(&(struct guest_setup){ 0 }, &plain, "b.pcap");
	CHECK_OK(a.measured, &a.e);
	CHECK_OK(b.measured, &b.e);
	char *x = test_read_file(file_named("a.pcap", one), &n), *y = test_read_file(file_named("b.pcap", two), &m);
	bool same = x && y && n == m && memcmp(x, y, n) == 0;
	free(x);
	free(y);
	flow_figures_finish(&a.figures);
	flow_figures_finish(&b.figures);
	CHECK(same);
}

TEST(a_slower_guest_is_measured_slower_by_just_that)
{
	struct guest_run a = run(&(struct guest_setup){ .frame_ns = 1000000 }, &plain, "a.pcap"),
		b = run(&(struct guest_setup){ .frame_ns = 1500000 }, &plain, "b.pcap");

	CHECK_OK(a.measured, &a.e);
	CHECK_OK(b.measured, &b.e);
	CHECK(b.figures.elapsed_ns > a.figures.elapsed_ns);
	CHECK_EQ((b.figures.elapsed_ns - a.figures.elapsed_ns) % 500000, 0);
	flow_figures_finish(&a.figures);
	flow_figures_finish(&b.figures);
}

TEST(a_delayed_acknowledgement_of_the_bench_pc_raises_the_flag)
{
	struct guest_run r = run(&(struct guest_setup){ .ack_delay_ms = 200 }, &(struct cell_params){ .payload_bytes = 1460, .count = 10 }, "a.pcap");

	CHECK_OK(r.measured, &r.e);
	CHECK(r.figures.ack_paced);
	CHECK_EQ(r.figures.ack_pace_ms, 200);
	flow_figures_finish(&r.figures);
}

TEST(a_deaf_board_has_no_figure)
{
	struct guest_run r = run(&(struct guest_setup){ .deaf = true }, &plain, "a.pcap");

	CHECK(!r.driven && !r.measured);
	CHECK(r.cause == CAUSE_NETWORK || r.cause == CAUSE_FIRMWARE);
}

TEST(the_smallest_and_the_longest_run_are_whole)
{
	struct guest_run r = run(&(struct guest_setup){ 0 }, &(struct cell_params){ .payload_bytes = 1, .count = 1 }, "a.pcap");

	CHECK_OK(r.measured, &r.e);
	CHECK_EQ(r.figures.payload_bytes, 1);
	flow_figures_finish(&r.figures);
	r = run(&(struct guest_setup){ 0 }, &(struct cell_params){ .payload_bytes = 100, .count = 5000 }, "b.pcap");
	CHECK_OK(r.measured, &r.e);
	CHECK_EQ(r.figures.payload_bytes, 500000);
	CHECK_EQ(r.figures.frame_count, 5000);
	flow_figures_finish(&r.figures);
}
