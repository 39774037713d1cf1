// SPDX-License-Identifier: GPL-2.0-or-later
/* The measurement against captures whose every time stamp is known, since the test wrote them. */
#include "wire/flow.h"

#include <math.h>
#include <pcap/dlt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/harness.h"
#include "wire/frame_builder.h"
#include "wire/spans.h"
#include "wire/trigger_text.h"

enum { MAKE = 20000000, ACK = 155000, N = 100, COUNT = 10 };

static const struct build_run plain = { .n = N, .count = COUNT, .board_isn = 1000, .host_isn = 64000, .begin_ns = 5000000, .make_ns = MAKE,
	.ack_ns = ACK };

static struct flow_figures f;
static struct err e;

static bool measure_built(struct builder *b, const struct flow_query *q)
{
	flow_figures_finish(&f);
	err_clear(&e);
	bool ok = flow_measure_bytes(b->pcap.bytes, b->pcap.size, q, &f, &e);
	builder_finish(b);
	return ok;
}

static bool measure_run(const struct build_run *r)
{
	struct builder b;
	struct flow_query q = builder_query(r->n, r->count);

	builder_begin(&b, DLT_EN10MB);
	builder_run(&b, r);
	return measure_built(&b, &q);
}

static bool said(const char *words)
{
	return strstr(e.msg, words) != NULL;
}

TEST(a_plain_run_is_measured_from_trigger_to_last_acknowledgement)
{
	CHECK_OK(measure_run(&plain), &e);
	CHECK_EQ(f.elapsed_ns, COUNT * (MAKE + ACK));
	CHECK_EQ(f.payload_bytes, N * COUNT);
	CHECK_EQ(f.wire_bytes, (54 + N + 4) * COUNT);
	CHECK_EQ(f.frame_count, COUNT);
	CHECK_EQ(f.mss, 1460);
	CHECK_EQ(f.window_min, 1460);
	CHECK_EQ(f.window_max, 1460);
	CHECK_EQ(f.captured_frames, 4 + 2 * COUNT + 3);
	CHECK_STR(f.link_type, "EN10MB");
	CHECK(f.payload_ok && !f.ack_paced);
	CHECK_EQ(f.retransmissions + f.duplicate_acks + f.zero_windows + f.out_of_order + f.bad_checksums + f.merged_frames, 0);
}

TEST(frame_times_follow_each_other_and_sum_to_the_whole)
{
	uint64_t sum = 0;

	CHECK_OK(measure_run(&plain), &e);
	for (size_t i = 0; i < f.frame_count; i++) {
		CHECK_EQ(f.frames[i].begin_ns, sum);
		CHECK_EQ(f.frames[i].sent_ns, sum + MAKE);
		CHECK_EQ(f.frames[i].end_ns, sum + MAKE + ACK);
		CHECK_EQ(f.frames[i].transmissions, 1);
		sum += f.frames[i].end_ns - f.frames[i].begin_ns;
	}
	CHECK_EQ(sum, f.elapsed_ns);
}

TEST(a_retransmission_is_counted_and_its_time_belongs_to_the_frame)
{
	struct build_run r = plain;

	r.again = 4;
	CHECK_OK(measure_run(&r), &e);
	CHECK_EQ(f.retransmissions, 1);
	CHECK_EQ(f.frames[3].transmissions, 2);
	CHECK_EQ(f.frames[3].end_ns - f.frames[3].sent_ns, 1000000000 + ACK);
	CHECK_EQ(f.elapsed_ns, COUNT * (MAKE + ACK) + 1000000000ull);
	CHECK_EQ(f.payload_bytes, N * COUNT);
}

TEST(a_lost_first_trigger_starts_the_clock_all_the_same)
{
	struct build_run r = plain;

	r.lose_trigger = 2;
	CHECK_OK(measure_run(&r), &e);
	CHECK_EQ(f.elapsed_ns, COUNT * (MAKE + ACK) + 400000000ull);
	CHECK_EQ(f.retransmissions, 2);
}

TEST(sequence_numbers_wrap_on_both_sides)
{
	struct build_run r = plain;

	r.board_isn = 0xFFFFFFFF - 3 * N - 7;
	r.host_isn = 0xFFFFFFFF - 4;
	CHECK_OK(measure_run(&r), &e);
	CHECK_EQ(f.elapsed_ns, COUNT * (MAKE + ACK));
	CHECK(f.payload_ok);
	CHECK_EQ(f.retransmissions + f.out_of_order, 0);
}

TEST(a_duplicate_acknowledgement_is_counted)
{
	struct build_run r = plain;

	r.twice_acked = 5;
	CHECK_OK(measure_run(&r), &e);
	CHECK_EQ(f.duplicate_acks, 1);
}

TEST(a_delayed_acknowledgement_flags_a_fast_board_and_a_slow_one)
{
	struct build_run r = plain;

	r.make_ns = 2480000;
	r.ack_ns = 200000000;
	CHECK_OK(measure_run(&r), &e);
	CHECK(f.ack_paced);
	CHECK_EQ(f.ack_pace_ms, 200);
	r.make_ns = 305000000;
	CHECK_OK(measure_run(&r), &e);
	CHECK(f.ack_paced);
	r.ack_ns = 43900000;
	CHECK_OK(measure_run(&r), &e);
	CHECK_EQ(f.ack_pace_ms, 40);
}

TEST(a_board_that_takes_just_200_ms_itself_is_not_flagged)
{
	struct build_run r = plain;

	r.make_ns = 200000000;
	CHECK_OK(measure_run(&r), &e);
	CHECK(!f.ack_paced);
	r.make_ns = 40000000;
	CHECK_OK(measure_run(&r), &e);
	CHECK(!f.ack_paced);
}

TEST(a_zero_window_is_counted_and_sets_the_least_window)
{
	struct build_run r = plain;

	r.zero_window = 3;
	CHECK_OK(measure_run(&r), &e);
	CHECK_EQ(f.zero_windows, 1);
	CHECK_EQ(f.window_min, 0);
	CHECK_EQ(f.window_max, 1460);
}

TEST(a_wrong_payload_byte_is_found_by_position)
{
	struct build_run r = plain;

	r.wrong_byte = 7;
	CHECK_OK(measure_run(&r), &e);
	CHECK(!f.payload_ok);
	CHECK_EQ(f.payload_bad_at, 6 * N + N / 2);
}

TEST(a_frame_with_a_bad_sum_did_not_arrive_but_was_sent)
{
	struct build_run r = plain;

	r.bad_sum = 2;
	CHECK_OK(measure_run(&r), &e);
	CHECK_EQ(f.bad_checksums, 1);
	CHECK_EQ(f.frames[1].transmissions, 2);
	CHECK(f.payload_ok);
	CHECK_EQ(f.retransmissions, 0);
}

TEST(sums_that_the_host_left_to_its_card_are_counted_and_tolerated)
{
	struct builder b;
	struct flow_query q = builder_query(N, COUNT);

	builder_begin(&b, DLT_EN10MB);
	b.leave_sums_out = true;
	builder_run(&b, &plain);
	CHECK_OK(measure_built(&b, &q), &e);
	CHECK_EQ(f.bad_checksums, COUNT + 3);
	CHECK_EQ(f.elapsed_ns, COUNT * (MAKE + ACK));
}

TEST(a_merged_frame_is_flagged)
{
	struct build_run r = plain;

	r.merged = 3;
	CHECK_OK(measure_run(&r), &e);
	CHECK_EQ(f.merged_frames, 1);
	CHECK(f.payload_ok);
	CHECK_EQ(f.frames[2].end_ns, f.frames[3].begin_ns);
	CHECK_EQ(f.frames[3].end_ns, f.frames[3].begin_ns);
}

TEST(an_incomplete_flow_has_no_figure_and_says_how_far_it_came)
{
	struct build_run r = plain;

	r.stop_at = 8;
	CHECK(!measure_run(&r));
	CHECK_EQ(e.code, ERR_LOST);
	CHECK_STR(e.msg, "7 of 10 frames were acknowledged, frame 7 was sent but not acknowledged, then the capture ends");
	CHECK(f.frames == NULL);
}

/* Frames of a run by hand: from the SYN to the trigger, then what the test says. */
static void begin_by_hand(struct builder *b, uint32_t n, uint32_t count)
{
	char line[TRIGGER_LINE_MOST + 1];
	size_t size = trigger_line(line, n, count, false, false);

	builder_begin(b, DLT_EN10MB);
	builder_tcp(b, 0, &(struct build_tcp){ .seq = 99, .flags = TCP_SYN, .window = 65535, .mss = 1460 });
	builder_tcp(b, 1, &(struct build_tcp){ .from_board = true, .seq = 499, .ack = 100, .flags = TCP_SYN | TCP_ACK, .window = 600, .mss = 536 });
	builder_tcp(b, 2, &(struct build_tcp){ .seq = 100, .ack = 500, .flags = TCP_ACK | TCP_PSH, .window = 65535, .payload = line, .n = size });
}

static void board_says(struct builder *b, uint64_t at, uint32_t seq, const void *payload, size_t n, uint8_t flags)
{
	builder_tcp(b, at, &(struct build_tcp){ .from_board = true, .seq = seq, .ack = 100, .flags = (uint8_t)(flags | TCP_ACK), .window = 600,
		.payload = payload, .n = n });
}

static void host_acks(struct builder *b, uint64_t at, uint32_t ack)
{
	builder_tcp(b, at, &(struct build_tcp){ .seq = 121, .ack = ack, .flags = TCP_ACK, .window = 65535 });
}

TEST(an_error_line_of_the_board_is_quoted)
{
	struct builder b;
	struct flow_query q = builder_query(1000, 3);

	begin_by_hand(&b, 1000, 3);
	board_says(&b, 3, 500, "ERR mss\n", 8, TCP_FIN);
	CHECK(!measure_built(&b, &q));
	CHECK_STR(e.msg, "the board answered the trigger with \"ERR mss\"");
}

TEST(a_reset_is_named_with_its_sender)
{
	struct builder b;
	struct flow_query q = builder_query(10, 2);

	begin_by_hand(&b, 10, 2);
	board_says(&b, 3, 500, NULL, 0, TCP_RST);
	CHECK(!measure_built(&b, &q));
	CHECK_STR(e.msg, "0 of 2 frames were acknowledged, frame 0 was not sent, then the board reset the connection");
}

TEST(frames_that_overtake_each_other_are_counted_and_still_complete)
{
	struct builder b;
	struct flow_query q = builder_query(10, 2);
	uint8_t bytes[20];

	builder_payload(0, bytes, 10);
	builder_payload(1, bytes + 10, 10);
	begin_by_hand(&b, 10, 2);
	board_says(&b, 1000, 510, bytes + 10, 10, 0);
	board_says(&b, 2000, 500, bytes, 10, 0);
	host_acks(&b, 3000, 520);
	CHECK_OK(measure_built(&b, &q), &e);
	CHECK_EQ(f.out_of_order, 1);
	CHECK(f.payload_ok);
	CHECK_EQ(f.elapsed_ns, 2998);
	CHECK_EQ(f.mss, 536);
	CHECK_EQ(f.window_max, 600);
}

TEST(an_acknowledgement_of_bytes_that_the_capture_lacks_says_that_frames_were_lost)
{
	struct builder b;
	struct flow_query q = builder_query(10, 2);
	uint8_t bytes[20];

	builder_payload(0, bytes, 10);
	begin_by_hand(&b, 10, 2);
	board_says(&b, 1000, 500, bytes, 10, 0);
	host_acks(&b, 3000, 520);
	CHECK(!measure_built(&b, &q));
	CHECK(said("acknowledges byte 20 of the board, but the capture holds only 10"));
}

TEST(a_hole_in_the_capture_is_no_figure_either)
{
	struct builder b;
	struct flow_query q = builder_query(10, 2);
	uint8_t bytes[20];

	builder_payload(1, bytes + 10, 10);
	begin_by_hand(&b, 10, 2);
	board_says(&b, 1000, 510, bytes + 10, 10, 0);
	host_acks(&b, 3000, 520);
	CHECK(!measure_built(&b, &q));
	CHECK(said("frame 0 was acknowledged in record 5, but the capture does not hold all of it"));
}

TEST(more_bytes_than_asked_for_are_refused)
{
	struct builder b;
	struct flow_query q = builder_query(10, 2);
	uint8_t bytes[30] = { 0 };

	begin_by_hand(&b, 10, 2);
	board_says(&b, 1000, 500, bytes, 30, 0);
	CHECK(!measure_built(&b, &q));
	CHECK_STR(e.msg, "the board sent 30 bytes, 20 were asked for");
}

TEST(a_trigger_line_cut_into_pieces_counts_from_its_last_piece)
{
	struct builder b;
	struct flow_query q = builder_query(10, 1);
	uint8_t bytes[10];

	builder_payload(0, bytes, 10);
	builder_begin(&b, DLT_EN10MB);
	builder_tcp(&b, 0, &(struct build_tcp){ .seq = 99, .flags = TCP_SYN, .window = 65535, .mss = 1460 });
	builder_tcp(&b, 1, &(struct build_tcp){ .from_board = true, .seq = 499, .ack = 100, .flags = TCP_SYN | TCP_ACK, .window = 600 });
	builder_tcp(&b, 10, &(struct build_tcp){ .seq = 100, .ack = 500, .flags = TCP_ACK, .window = 9, .payload = "LAB1 n=10 ", .n = 10 });
	builder_tcp(&b, 500, &(struct build_tcp){ .seq = 110, .ack = 500, .flags = TCP_ACK, .window = 9, .payload = "count=1\r\n", .n = 9 });
	board_says(&b, 1000, 500, bytes, 10, 0);
	host_acks(&b, 3000, 510);
	CHECK_OK(measure_built(&b, &q), &e);
	CHECK_EQ(f.elapsed_ns, 2500);
	CHECK_EQ(f.mss, 0);
}

TEST(a_trigger_for_something_else_contradicts_the_query)
{
	struct builder b;
	struct flow_query q = builder_query(10, 3);

	begin_by_hand(&b, 10, 2);
	CHECK(!measure_built(&b, &q));
	CHECK_EQ(e.code, ERR_MISMATCH);
	CHECK(said("does not ask for n=10 count=3"));
}

TEST(a_refused_first_connection_is_not_the_measurement)
{
	struct builder b;
	struct flow_query q = builder_query(N, COUNT);

	builder_begin(&b, DLT_EN10MB);
	b.host_port = 49151;
	builder_tcp(&b, 0, &(struct build_tcp){ .seq = 5, .flags = TCP_SYN, .window = 1 });
	builder_tcp(&b, 1, &(struct build_tcp){ .seq = 5, .flags = TCP_SYN, .window = 1 });
	builder_tcp(&b, 2, &(struct build_tcp){ .from_board = true, .ack = 6, .flags = TCP_RST | TCP_ACK });
	b.host_port = BUILD_HOST_PORT;
	builder_run(&b, &plain);
	CHECK_OK(measure_built(&b, &q), &e);
	CHECK_EQ(f.retransmissions, 0);
	CHECK_EQ(f.elapsed_ns, COUNT * (MAKE + ACK));
}

TEST(the_flow_of_the_named_host_port_is_measured_among_others)
{
	struct build_run slow = plain;

	slow.make_ns = 3 * MAKE;
	slow.begin_ns = 10000000000;
	for (int named = 0; named < 2; named++) {
		struct builder b;
		struct flow_query q = builder_query(N, COUNT);

		builder_begin(&b, DLT_EN10MB);
		b.host_port = 40000;
		builder_run(&b, &plain);
		b.host_port = 40001;
		builder_run(&b, &slow);
		q.host_port = named ? 40001 : 0;
		CHECK_OK(measure_built(&b, &q), &e);
		CHECK_EQ(f.elapsed_ns, COUNT * ((named ? 3 * MAKE : MAKE) + ACK));
	}
}

TEST(an_unanswered_syn_and_a_late_capture_are_told_apart)
{
	struct builder b;
	struct flow_query q = builder_query(N, COUNT);

	builder_begin(&b, DLT_EN10MB);
	builder_tcp(&b, 0, &(struct build_tcp){ .seq = 5, .flags = TCP_SYN, .window = 1 });
	builder_tcp(&b, 9, &(struct build_tcp){ .seq = 5, .flags = TCP_SYN, .window = 1 });
	CHECK(!measure_built(&b, &q));
	CHECK_STR(e.msg, "the board did not answer 2 SYNs to port 5100, then the capture ends");

	builder_begin(&b, DLT_EN10MB);
	host_acks(&b, 3, 77);
	CHECK(!measure_built(&b, &q));
	CHECK(said("no connection to port 5100 begins in the capture"));

	builder_begin(&b, DLT_EN10MB);
	CHECK(!measure_built(&b, &q));
	CHECK_STR(e.msg, "no TCP packet of 10.77.0.1 port 5100 among the capture's 0 frames");
}

TEST(time_that_runs_backwards_is_refused)
{
	struct builder b;
	struct flow_query q = builder_query(10, 1);
	uint8_t bytes[10];

	builder_payload(0, bytes, 10);
	begin_by_hand(&b, 10, 1);
	board_says(&b, 2000500, 500, bytes, 10, 0);
	host_acks(&b, 1000000, 510);
	CHECK(!measure_built(&b, &q));
	CHECK(said("runs backwards by 1000500 ns at record 5"));
}

TEST(stamps_of_two_processors_a_little_out_of_order_are_one_time)
{
	struct builder b;
	struct flow_query q = builder_query(10, 1);
	uint8_t bytes[10];

	builder_payload(0, bytes, 10);
	begin_by_hand(&b, 10, 1);
	board_says(&b, 2000500, 500, bytes, 10, 0);
	host_acks(&b, 2000483, 510);
	CHECK(measure_built(&b, &q));
	CHECK_EQ(f.frames[0].end_ns, f.frames[0].sent_ns);
	flow_figures_finish(&f);
}

TEST(a_run_in_no_time_is_an_error_and_not_infinitely_fast)
{
	struct builder b;
	struct flow_query q = builder_query(10, 1);
	uint8_t bytes[10];

	builder_payload(0, bytes, 10);
	begin_by_hand(&b, 10, 1);
	board_says(&b, 2, 500, bytes, 10, 0);
	host_acks(&b, 2, 510);
	CHECK(!measure_built(&b, &q));
	CHECK(said("no time passes"));
	CHECK(rate_byte_per_s(5, 0) == 0);
}

TEST(cooked_captures_give_the_same_figures)
{
	static const int links[] = { DLT_LINUX_SLL, 276 };

	for (size_t i = 0; i < 2; i++) {
		struct builder b;
		struct flow_query q = builder_query(N, COUNT);

		builder_begin(&b, links[i]);
		builder_run(&b, &plain);
		CHECK_OK(measure_built(&b, &q), &e);
		CHECK_EQ(f.elapsed_ns, COUNT * (MAKE + ACK));
		CHECK_EQ(f.wire_bytes, (54 + N + 4) * COUNT);
	}
}

TEST(a_link_type_without_a_reader_is_named)
{
	struct builder b;
	struct flow_query q = builder_query(N, COUNT);

	builder_begin(&b, DLT_EN10MB);
	b.pcap.bytes[20] = 105;
	CHECK(!measure_built(&b, &q));
	CHECK_EQ(e.code, ERR_UNSUPPORTED);
}

TEST(a_frame_cut_by_the_snap_length_is_refused)
{
	struct builder b;
	struct flow_query q = builder_query(N, COUNT);

	begin_by_hand(&b, N, COUNT);
	size_t cut = b.pcap.size - b.last - 60;
	b.pcap.bytes[b.last - 8] = 60;
	b.pcap.bytes[b.last - 7] = 0;
	b.pcap.size -= cut;
	CHECK(!measure_built(&b, &q));
	CHECK(said("record 3 is cut"));
}

TEST(a_file_that_ends_in_the_middle_of_a_record_says_where)
{
	struct builder b;
	struct flow_query q = builder_query(N, COUNT);

	builder_begin(&b, DLT_EN10MB);
	builder_run(&b, &plain);
	b.pcap.size -= 10;
	CHECK(measure_built(&b, &q) || said("broken after record 26"));
	builder_begin(&b, DLT_EN10MB);
	b.pcap.size = 11;
	CHECK(!measure_built(&b, &q));
	CHECK(said("not a pcap file"));
}

/* UDP */

static void udp_run(struct builder *b, uint32_t n, uint32_t count, bool ack, const uint32_t *order)
{
	char line[TRIGGER_LINE_MOST + 1], answer[24];
	uint8_t payload[TRIGGER_PAYLOAD_MOST];
	size_t size = trigger_line(line, n, count, true, ack);

	builder_begin(b, DLT_EN10MB);
	builder_udp(b, 1000, false, line, size);
	for (uint32_t i = 0; i < count; i++) {
		builder_payload(order ? order[i] : i, payload, n);
		builder_udp(b, 1000 + (i + 1) * 10000, true, payload, n);
		if (ack)
			builder_udp(b, 1000 + (i + 1) * 10000 + 500, false, answer, (size_t)snprintf(answer, sizeof answer, "ACK %u\n", i));
	}
}

static bool measure_udp(uint32_t n, uint32_t count, bool ack, const uint32_t *order)
{
	struct builder b;
	struct flow_query q = builder_query(n, count);

	q.udp = true;
	q.ack = ack;
	udp_run(&b, n, count, ack, order);
	return measure_built(&b, &q);
}

TEST(udp_without_acknowledgements_ends_with_the_last_datagram)
{
	CHECK_OK(measure_udp(100, 300, false, NULL), &e);
	CHECK_EQ(f.elapsed_ns, 300 * 10000);
	CHECK_EQ(f.frames[299].begin_ns, 299 * 10000);
	CHECK_EQ(f.payload_bytes, 30000);
	CHECK_EQ(f.wire_bytes, 300 * (42 + 100 + 4));
}

TEST(udp_with_acknowledgements_ends_with_the_last_one)
{
	CHECK_OK(measure_udp(1, 300, true, NULL), &e);
	CHECK_EQ(f.elapsed_ns, 300 * 10000 + 500);
	CHECK_EQ(f.frames[0].sent_ns, 10000);
	CHECK_EQ(f.frames[0].end_ns, 10500);
}

TEST(a_missing_doubled_or_reordered_datagram_is_named_with_both_numbers)
{
	static const uint32_t missing[] = { 0, 1, 3, 4 }, doubled[] = { 0, 1, 1, 2 };

	CHECK(!measure_udp(10, 4, false, missing));
	CHECK_STR(e.msg, "datagram 3 came where datagram 2 was due: 1 missing or late");
	CHECK(!measure_udp(10, 4, false, doubled));
	CHECK_STR(e.msg, "datagram 1 came again where datagram 2 was due: doubled or late");
	CHECK(!measure_udp(10, 4, true, missing));
}

TEST(a_datagram_sent_again_for_its_acknowledgement_is_counted)
{
	struct builder b;
	struct flow_query q = builder_query(10, 1);
	uint8_t payload[10];

	q.udp = q.ack = true;
	builder_payload(0, payload, 10);
	builder_begin(&b, DLT_EN10MB);
	builder_udp(&b, 10, false, "LAB1 n=10 count=1 ack=1\n", 24);
	builder_udp(&b, 20, true, payload, 10);
	builder_udp(&b, 30, true, payload, 10);
	builder_udp(&b, 40, false, "ACK 0\n", 6);
	CHECK_OK(measure_built(&b, &q), &e);
	CHECK_EQ(f.retransmissions, 1);
	CHECK_EQ(f.frames[0].transmissions, 2);
	CHECK_EQ(f.elapsed_ns, 30);
}

TEST(too_few_datagrams_are_no_figure)
{
	struct builder b;
	struct flow_query q = builder_query(10, 5);

	q.udp = true;
	udp_run(&b, 10, 5, false, NULL);
	b.pcap.size = b.last - 16;
	CHECK(!measure_built(&b, &q));
	CHECK_STR(e.msg, "4 of 5 datagrams came, datagram 4 was not sent, then the capture ends");
}

TEST(a_query_out_of_range_is_refused)
{
	struct flow_query q = builder_query(1461, 1);

	CHECK(!flow_measure_bytes("x", 1, &q, &f, &e));
	CHECK(said("payload_bytes is 1461"));
	q = builder_query(1, 0);
	CHECK(!flow_measure_bytes("x", 1, &q, &f, &e));
	CHECK(said("count is 0"));
	q = builder_query(1, 1);
	CHECK(!flow_measure("/nonexistent/lab.pcap", &q, &f, &e));
	CHECK_EQ(e.code, ERR_NOT_FOUND);
}

TEST(a_rate_is_bytes_by_seconds)
{
	CHECK(fabs(rate_byte_per_s(146000, 30512017000ull) - 4785.0) < 0.01);
	CHECK(fabs(rate_per_s(100, 2000000000) - 50) < 1e-9);
}

TEST(spans_join_when_their_gap_is_filled)
{
	struct spans s = { .count = 0 };

	CHECK(spans_add(&s, 10, 20) && spans_add(&s, 30, 40) && spans_add(&s, 0, 5));
	CHECK_EQ(s.count, 3);
	CHECK_EQ(spans_whole(&s), 5);
	CHECK(spans_add(&s, 5, 30));
	CHECK_EQ(s.count, 1);
	CHECK_EQ(spans_whole(&s), 40);
	CHECK(spans_hold(&s, 3, 33) && !spans_hold(&s, 3, 41));
	for (uint64_t i = 0; i < SPANS_MOST - 1; i++)
		CHECK(spans_add(&s, 100 + 2 * i, 101 + 2 * i));
	CHECK(!spans_add(&s, 1000, 1001));
	CHECK(spans_add(&s, 0, 99));
}
