// SPDX-License-Identifier: GPL-2.0-or-later
/* A foreign witness: tshark reads captures of the virtual wire and of the builder without complaint, and counts what flow_measure() counts. */
#include <pcap/dlt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drive/guest_rig.h"
#include "test/harness.h"
#include "test/tshark.h"
#include "wire/frame_builder.h"

static struct err e;

#define NEED_TSHARK() do { if (!have_tshark(&e)) SKIP("tshark cannot be run: %s", e.msg); } while (0)

static const char *file_named(const char *name, char path[200])
{
	snprintf(path, 200, "%s/%s", test_folder(), name);
	return path;
}

TEST(a_capture_of_the_virtual_wire_is_read_without_complaint_and_counted_alike)
{
	struct cell_params p = { .payload_bytes = 1460, .count = 100 };
	struct guest_run r;
	struct witness w;
	char path[200];

	NEED_TSHARK();
	guest_rig_run(&(struct guest_setup){ 0 }, &p, test_folder(), file_named("virtual.pcap", path), &r);
	CHECK_OK(r.measured, &r.e);
	CHECK_OK(ask_tshark(path, &w, &e), &e);
	CHECK_EQ(w.malformed, 0);
	CHECK_EQ(w.bad_sums, 0);
	CHECK_EQ(w.frames, r.figures.captured_frames);
	CHECK_EQ(w.bytes, r.figures.captured_bytes);
	CHECK_EQ(w.payload, r.figures.payload_bytes);
	CHECK_EQ(w.retransmissions, r.figures.retransmissions);
	CHECK_EQ(w.duplicate_acks, r.figures.duplicate_acks);
	CHECK_EQ(w.zero_windows, r.figures.zero_windows);
	flow_figures_finish(&r.figures);
}

static bool measure_built(const struct build_run *r, const char *path, struct flow_figures *f, struct witness *w)
{
	struct flow_query q = builder_query(r->n, r->count);
	struct builder b;

	builder_begin(&b, DLT_EN10MB);
	builder_run(&b, r);
	bool ok = test_write_file(path, b.pcap.bytes, b.pcap.size) && flow_measure(path, &q, f, &e) && ask_tshark(path, w, &e);
	builder_finish(&b);
	return ok;
}

TEST(retransmissions_duplicate_acknowledgements_and_zero_windows_are_counted_alike)
{
	static const uint64_t expected[] = { 1, 2, 1, 1, 0 };
	static const struct build_run runs[] = {
		{ .n = 100, .count = 10, .make_ns = 20000000, .ack_ns = 155000, .again = 4 },
		{ .n = 100, .count = 10, .make_ns = 20000000, .ack_ns = 155000, .lose_trigger = 2 },
		{ .n = 100, .count = 10, .make_ns = 20000000, .ack_ns = 155000, .twice_acked = 5 },
		{ .n = 100, .count = 10, .make_ns = 20000000, .ack_ns = 155000, .zero_window = 3 },
		{ .n = 100, .count = 10, .make_ns = 20000000, .ack_ns = 155000, .board_isn = 0xFFFFFFFF - 250, .host_isn = 0xFFFFFFFA },
	};
	char path[200];

	NEED_TSHARK();
	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		struct flow_figures f;
		struct witness w;
		CHECK_OK(measure_built(&runs[i], file_named("built.pcap", path), &f, &w), &e);
		CHECK_EQ(w.retransmissions, f.retransmissions);
		CHECK_EQ(w.duplicate_acks, f.duplicate_acks);
		CHECK_EQ(w.zero_windows, f.zero_windows);
		CHECK_EQ(w.retransmissions + w.duplicate_acks + w.zero_windows, expected[i]);
		CHECK_EQ(w.malformed, 0);
		CHECK_EQ(w.bad_sums, 0);
		CHECK_EQ(w.bytes, f.captured_bytes);
		flow_figures_finish(&f);
	}
}

TEST(the_witness_sees_a_bad_sum_where_there_is_one)
{
	struct build_run r = { .n = 100, .count = 10, .make_ns = 20000000, .ack_ns = 155000, .bad_sum = 2 };
	struct flow_figures f;
	struct witness w;
	char path[200];

	NEED_TSHARK();
	CHECK_OK(measure_built(&r, file_named("built.pcap", path), &f, &w), &e);
	CHECK_EQ(w.bad_sums, 1);
	CHECK_EQ(w.bad_sums, f.bad_checksums);
	flow_figures_finish(&f);
}
