// SPDX-License-Identifier: GPL-2.0-or-later
/* A foreign witness: tshark reads captures of the virtual wire and of the builder without complaint, and counts what flow_measure() counts. */
#include <pcap/dlt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/proc.h"
#include "drive/guest_rig.h"
#include "test/harness.h"
#include "wire/frame_builder.h"

struct witness {
	uint64_t frames, bytes, payload, malformed, bad_sums, retransmissions, duplicate_acks, zero_windows;
};

static struct err e;

/* The columns asked for, in this order; counts rows in which the field is there, or sums it up. */
enum column { FRAME_LENGTH, SOURCE_PORT, PAYLOAD, MALFORMED, IP_STATUS, TCP_STATUS, AGAIN, FAST_AGAIN, SPURIOUS, DUPLICATE, ZERO, COLUMNS };

static const char *const names[COLUMNS] = {
	"frame.len", "tcp.srcport", "tcp.len", "_ws.malformed", "ip.checksum.status", "tcp.checksum.status", "tcp.analysis.retransmission",
	"tcp.analysis.fast_retransmission", "tcp.analysis.spurious_retransmission", "tcp.analysis.duplicate_ack", "tcp.analysis.zero_window",
};

static void take_row(struct witness *w, char *row)
{
	char *cell[COLUMNS], *at = row;

	for (int i = 0; i < COLUMNS; i++)
		cell[i] = (at && (cell[i] = strsep(&at, ";"))) ? cell[i] : row + strlen(row);
	w->frames++;
	w->bytes += strtoull(cell[FRAME_LENGTH], NULL, 10);
	w->payload += strcmp(cell[SOURCE_PORT], "5100") == 0 ? strtoull(cell[PAYLOAD], NULL, 10) : 0;
	w->malformed += *cell[MALFORMED] != '\0';
	w->bad_sums += (*cell[IP_STATUS] && strcmp(cell[IP_STATUS], "1") != 0) || (*cell[TCP_STATUS] && strcmp(cell[TCP_STATUS], "1") != 0);
	w->retransmissions += *cell[AGAIN] || *cell[FAST_AGAIN] || *cell[SPURIOUS];
	w->duplicate_acks += *cell[DUPLICATE] != '\0';
	w->zero_windows += *cell[ZERO] != '\0';
}

static bool ask_tshark(const char *file, struct witness *w)
{
	const char *argv[16 + 2 * COLUMNS + 1] = { "tshark", "-r", file, "-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE", "-T",
		"fields", "-E", "separator=;" };
	struct buf out = { .bytes = NULL };
	struct proc_run run = { .argv = argv, .deadline_ms = 120000, .output_max = 16 << 20, .output = &out };
	struct proc_end end;
	size_t n = 11;

	for (int i = 0; i < COLUMNS; i++) {
		argv[n++] = "-e";
		argv[n++] = names[i];
	}
	*w = (struct witness){ .frames = 0 };
	bool ok = proc_run(&run, &end, &e) && (!end.signalled && end.status == 0);
	for (char *line, *rest = (char *)out.bytes; ok && rest && (line = strsep(&rest, "\n"));)
		if (*line >= '0' && *line <= '9')
			take_row(w, line);
	buf_finish(&out);
	return ok;
}

static bool have_tshark(void)
{
	static bool asked, have;
	const char *const argv[] = { "tshark", "--version", NULL };
	struct proc_end end;

	if (!asked)
		have = proc_run(&(struct proc_run){ .argv = argv, .deadline_ms = 60000 }, &end, &e);
	asked = true;
	return have;
}

#define NEED_TSHARK() do { if (!have_tshark()) SKIP("tshark cannot be run: %s", e.msg); } while (0)

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
	CHECK_OK(ask_tshark(path, &w), &e);
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
	bool ok = test_write_file(path, b.pcap.bytes, b.pcap.size) && flow_measure(path, &q, f, &e) && ask_tshark(path, w);
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
