// SPDX-License-Identifier: GPL-2.0-or-later
/* TCP, segment by segment: the host's side is written out, the board's is the stack. */
#include <string.h>

#include "net/fake_host.h"
#include "net/fake_nic.h"
#include "net/net.h"
#include "net/tcp.h"
#include "net/tcp_conn.h"
#include "net/udp.h"
#include "test/harness.h"

#define START 1000u                               /* the host's first sequence number in most tests */

static uint8_t payload[LAB_BUFFER_BYTES];
static char heard[256];
static size_t heard_n;
static int opened, closed;
static uint32_t us, them;                         /* the host's next sequence number; the next it expects from the board */

uint8_t *app_spare_buffer(void)
{
	return NULL;
}

void app_udp_bytes(const uint8_t *data, uint16_t total)
{
	(void)data;
	(void)total;
}

void app_tcp_opened(void)
{
	opened++;
}

void app_tcp_closed(void)
{
	closed++;
}

void app_tcp_bytes(const uint8_t *data, uint16_t n)
{
	memcpy(heard + heard_n, data, n);
	heard_n += n;
	heard[heard_n] = 0;
}

static void start(void)
{
	fake_reset();
	memcpy(net_self.mac, board_mac, 6);
	memcpy(net_self.ip, board_ip, 4);
	net_init();
	tcp_listen(BOARD_PORT);
	heard_n = 0;
	heard[0] = 0;
	opened = closed = 0;
	for (int i = 0; i < LAB_BUFFER_BYTES; i++)
		payload[i] = (uint8_t)(i * 3);
}

static void say(struct tcp_packet p)
{
	host_tcp(p);
	net_poll();
}

/* Lets time pass in steps as small as the board's, and the stack work. */
static void wait_ms(uint32_t ms)
{
	for (; ms >= 10; ms -= 10) {
		fake_advance(10);
		net_poll();
	}
}

static bool open_from(uint32_t seq, const uint8_t *options, size_t n)
{
	struct sent s;

	say((struct tcp_packet){ .seq = seq, .flags = TCP_SYN, .options = options, .options_n = n });
	if (!host_got(&s) || s.flags != (TCP_SYN | TCP_ACK) || s.ack != seq + 1 || s.from != BOARD_PORT || s.to != HOST_PORT)
		return false;
	us = seq + 1;
	them = s.seq + 1;
	say((struct tcp_packet){ .seq = us, .ack = them, .flags = TCP_ACK });
	return opened == 1 && tcp_ready() && host_got_nothing();
}

static const uint8_t mss_1460[4] = { 2, 4, 0x05, 0xb4 };

static bool open_connection(void)
{
	start();
	return open_from(START, mss_1460, 4);
}

static void ack_all(uint32_t n)
{
	them += n;
	say((struct tcp_packet){ .seq = us, .ack = them, .flags = TCP_ACK });
}

/* The next packet sent is that part of the payload, with PSH, at the number expected. */
static bool got_payload(size_t from, size_t n)
{
	struct sent s;

	return host_got(&s) && s.flags == (TCP_PSH | TCP_ACK) && s.seq == them && s.ack == us && s.n == n && !memcmp(s.data, payload + from, n);
}

static bool got_flags(uint8_t flags, uint32_t seq, uint32_t ack)
{
	struct sent s;

	return host_got(&s) && s.flags == flags && s.seq == seq && s.ack == ack && s.n == 0;
}

TEST(a_connection_opens_and_offers_an_mss)
{
	struct sent s;

	start();
	say((struct tcp_packet){ .seq = START, .flags = TCP_SYN, .options = mss_1460, .options_n = 4 });
	CHECK(host_got(&s));
	CHECK_EQ(s.mss, 1460);
	CHECK(s.window >= 64);
	CHECK(!opened && !tcp_open());
	say((struct tcp_packet){ .seq = START + 1, .ack = s.seq + 1, .flags = TCP_ACK });
	CHECK(opened == 1 && tcp_open() && tcp_ready());
	CHECK_EQ(tcp_mss(), 1460);
}

static uint16_t mss_after(const uint8_t *options, size_t n)
{
	start();
	return open_from(START, options, n) ? tcp_mss() : 0;
}

TEST(the_mss_is_found_among_other_options_and_malformed_ones_are_survived)
{
	static const uint8_t linux_like[20] = { 2, 4, 0x02, 0x18, 4, 2, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8, 1, 3, 3, 7 };
	static const uint8_t late[12] = { 1, 1, 8, 2, 3, 3, 7, 2, 4, 0x03, 0xe8, 0 };
	static const uint8_t after_end[8] = { 0, 0, 0, 0, 2, 4, 0x03, 0xe8 };
	static const uint8_t zero_length[8] = { 3, 0, 2, 4, 0x03, 0xe8, 0, 0 };
	static const uint8_t one_length[4] = { 3, 1, 0, 0 };
	static const uint8_t too_long[8] = { 3, 9, 2, 4, 0x03, 0xe8, 0, 0 };
	static const uint8_t wrong_length[4] = { 2, 3, 9, 0 };
	static const uint8_t cut[4] = { 1, 1, 1, 2 };
	static const uint8_t of_zero[4] = { 2, 4, 0, 0 };
	static const uint8_t longest[40] = { [36] = 0 };

	CHECK_EQ(mss_after(linux_like, 20), 536);
	CHECK_EQ(mss_after(late, 12), 1000);
	CHECK_EQ(mss_after(NULL, 0), 536);
	CHECK_EQ(mss_after(after_end, 8), 536);
	CHECK_EQ(mss_after(zero_length, 8), 536);
	CHECK_EQ(mss_after(one_length, 4), 536);
	CHECK_EQ(mss_after(too_long, 8), 536);
	CHECK_EQ(mss_after(wrong_length, 4), 536);
	CHECK_EQ(mss_after(cut, 4), 536);
	CHECK_EQ(mss_after(of_zero, 4), 536);
	CHECK_EQ(mss_after(longest, 40), 536);
}

TEST(data_comes_in_order_and_is_acknowledged)
{
	CHECK(open_connection());
	say((struct tcp_packet){ .seq = us, .ack = them, .flags = TCP_ACK | TCP_PSH, .data = "LAB1 n", .n = 6 });
	CHECK(got_flags(TCP_ACK, them, us + 6));
	say((struct tcp_packet){ .seq = us + 6, .ack = them, .flags = TCP_ACK, .data = "=1", .n = 2 });
	CHECK(got_flags(TCP_ACK, them, us + 8));
	CHECK_STR(heard, "LAB1 n=1");
}

TEST(data_out_of_order_or_repeated_is_dropped_with_an_acknowledgement_of_what_is_missing)
{
	CHECK(open_connection());
	say((struct tcp_packet){ .seq = us + 3, .ack = them, .flags = TCP_ACK, .data = "def", .n = 3 });
	CHECK(got_flags(TCP_ACK, them, us));
	say((struct tcp_packet){ .seq = us, .ack = them, .flags = TCP_ACK, .data = "abc", .n = 3 });
	CHECK(got_flags(TCP_ACK, them, us + 3));
	say((struct tcp_packet){ .seq = us, .ack = them, .flags = TCP_ACK, .data = "abc", .n = 3 });
	CHECK(got_flags(TCP_ACK, them, us + 3));
	say((struct tcp_packet){ .seq = us + 1000000, .ack = them, .flags = TCP_ACK, .data = "x", .n = 1 });
	CHECK(got_flags(TCP_ACK, them, us + 3));
	CHECK_STR(heard, "abc");
}

TEST(data_beyond_the_window_is_cut_and_its_fin_not_taken)
{
	char many[100];

	CHECK(open_connection());
	memset(many, 'a', sizeof many);
	say((struct tcp_packet){ .seq = us, .ack = them, .flags = TCP_ACK | TCP_FIN, .data = many, .n = sizeof many });
	CHECK(got_flags(TCP_ACK, them, us + NET_WINDOW_BYTES));
	CHECK_EQ(heard_n, NET_WINDOW_BYTES);
	CHECK(!tcp_half_closed());
}

TEST(payload_is_sent_whole_and_ready_again_when_acknowledged)
{
	CHECK(open_connection());
	CHECK(tcp_send(payload, 1460));
	CHECK(got_payload(0, 1460));
	CHECK(!tcp_ready() && !tcp_send(payload, 1));
	ack_all(1460);
	CHECK(tcp_ready());
	CHECK(host_got_nothing());
}

TEST(a_partial_acknowledgement_sends_the_rest_from_where_it_is)
{
	CHECK(open_connection());
	tcp_send(payload, 1000);
	CHECK(got_payload(0, 1000));
	ack_all(400);
	CHECK(!tcp_ready());
	CHECK(host_got_nothing());                /* the other 600 are on their way */
	wait_ms(2000);
	CHECK(got_payload(400, 600));
	ack_all(600);
	CHECK(tcp_ready());
}

TEST(more_than_the_mss_goes_in_several_segments)
{
	static const uint8_t mss_100[4] = { 2, 4, 0, 100 };

	start();
	CHECK(open_from(START, mss_100, 4));
	tcp_send(payload, 250);
	CHECK(got_payload(0, 100));
	ack_all(100);
	CHECK(got_payload(100, 100));
	ack_all(100);
	CHECK(got_payload(200, 50));
	ack_all(50);
	CHECK(tcp_ready());
}

TEST(a_segment_is_repeated_after_1_2_4_8_16_and_32_seconds_then_the_connection_is_reset)
{
	CHECK(open_connection());
	tcp_send(payload, 1460);
	CHECK(got_payload(0, 1460));
	for (unsigned s = 1; s <= 32; s *= 2) {
		wait_ms(s * 1000 - 10);
		CHECK(host_got_nothing());
		wait_ms(10);
		CHECK(got_payload(0, 1460));
	}
	CHECK_EQ(tcp_retransmits(), 6);
	wait_ms(63990);
	CHECK(host_got_nothing());
	CHECK_EQ(closed, 0);
	wait_ms(10);
	CHECK(got_flags(TCP_RST | TCP_ACK, them + 1460, us));
	CHECK_EQ(closed, 1);
	CHECK(!tcp_open());
}

TEST(an_acknowledgement_ends_the_back_off)
{
	CHECK(open_connection());
	tcp_send(payload, 10);
	wait_ms(3000);
	CHECK(got_payload(0, 10) && got_payload(0, 10) && got_payload(0, 10));
	ack_all(10);
	tcp_send(payload, 10);
	CHECK(got_payload(0, 10));
	wait_ms(1000);
	CHECK(got_payload(0, 10));
	CHECK_EQ(tcp_retransmits(), 3);
}

TEST(a_frame_the_chip_had_no_room_for_is_sent_a_second_later)
{
	CHECK(open_connection());
	fake_refuse_tx(1);
	tcp_send(payload, 10);
	CHECK(host_got_nothing());
	wait_ms(1000);
	CHECK(got_payload(0, 10));
}

TEST(sequence_numbers_wrap_on_both_sides)
{
	start();
	tcp.una = 0xfffffff0u - 0x10000u - 60000u * 250;
	CHECK(open_from(0xfffffffau, mss_1460, 4));
	CHECK_EQ(them, 0xfffffff1u);
	say((struct tcp_packet){ .seq = us, .ack = them, .flags = TCP_ACK, .data = "0123456789", .n = 10 });
	us += 10;
	CHECK(us < 100);
	CHECK(got_flags(TCP_ACK, them, us));
	CHECK_STR(heard, "0123456789");
	for (int i = 0; i < 3; i++) {
		tcp_send(payload, 100);
		CHECK(got_payload(0, 100));
		ack_all(100);
		CHECK(tcp_ready());
	}
	CHECK(them < 1000);
}

TEST(acknowledgements_of_the_past_and_of_the_future_move_nothing)
{
	CHECK(open_connection());
	tcp_send(payload, 100);
	CHECK(got_payload(0, 100));
	say((struct tcp_packet){ .seq = us, .ack = them - 50, .flags = TCP_ACK });
	CHECK(host_got_nothing());
	say((struct tcp_packet){ .seq = us, .ack = them + 101, .flags = TCP_ACK });
	CHECK(got_flags(TCP_ACK, them + 100, us));
	CHECK(!tcp_ready());
	say((struct tcp_packet){ .seq = us, .flags = 0 });
	CHECK(host_got_nothing());
	ack_all(100);
	CHECK(tcp_ready());
}

TEST(a_closed_window_is_probed_until_it_opens_and_the_host_may_take_its_time)
{
	struct sent s;
	unsigned probes = 0;

	CHECK(open_connection());
	say((struct tcp_packet){ .seq = us, .ack = them, .flags = TCP_ACK, .window_closed = true });
	tcp_send(payload, 100);
	CHECK(host_got_nothing());
	for (int s10 = 0; s10 < 20000; s10++) {           /* 200 s */
		wait_ms(10);
		if (host_got(&s)) {
			CHECK(s.n == 1 && s.seq == them && s.data[0] == payload[0]);
			probes++;
			say((struct tcp_packet){ .seq = us, .ack = them, .flags = TCP_ACK, .window_closed = true });
		}
	}
	CHECK(probes > 20 && closed == 0);
	say((struct tcp_packet){ .seq = us, .ack = them, .flags = TCP_ACK });
	CHECK(got_payload(0, 100));
	ack_all(100);
	CHECK(tcp_ready());
}

TEST(a_byte_taken_from_a_probe_is_not_sent_again)
{
	struct sent s;

	CHECK(open_connection());
	say((struct tcp_packet){ .seq = us, .ack = them, .flags = TCP_ACK, .window_closed = true });
	tcp_send(payload, 100);
	wait_ms(1000);
	CHECK(host_got(&s) && s.n == 1);
	ack_all(1);
	CHECK(got_payload(1, 99));
	ack_all(99);
	CHECK(tcp_ready());
}

TEST(a_host_that_answers_no_probe_is_given_up)
{
	struct sent s;
	int sent = 0;

	CHECK(open_connection());
	say((struct tcp_packet){ .seq = us, .ack = them, .flags = TCP_ACK, .window_closed = true });
	tcp_send(payload, 100);
	for (int i = 0; i < 13000 && !closed; i++) {
		wait_ms(10);
		while (host_got(&s))
			sent++;
	}
	CHECK_EQ(closed, 1);
	CHECK_EQ(sent, 7);                        /* six probes and a RST */
}

TEST(a_window_smaller_than_the_frame_is_used_after_a_second)
{
	CHECK(open_connection());
	say((struct tcp_packet){ .seq = us, .ack = them, .flags = TCP_ACK, .window = 60 });
	tcp_send(payload, 100);
	CHECK(host_got_nothing());
	wait_ms(1000);
	CHECK(got_payload(0, 60));
	ack_all(60);
	CHECK(got_payload(60, 40));
}

TEST(the_hosts_fin_half_closes_and_data_can_still_be_sent)
{
	CHECK(open_connection());
	say((struct tcp_packet){ .seq = us, .ack = them, .flags = TCP_ACK | TCP_FIN, .data = "bye", .n = 3 });
	us += 4;
	CHECK(got_flags(TCP_ACK, them, us));
	CHECK_STR(heard, "bye");
	CHECK(tcp_half_closed() && tcp_ready());
	tcp_send(payload, 5);
	CHECK(got_payload(0, 5));
	ack_all(5);
	tcp_close();
	CHECK(got_flags(TCP_FIN | TCP_ACK, them, us));
	CHECK(!tcp_open());
	ack_all(1);
	CHECK_EQ(closed, 1);
	CHECK_EQ(tcp.state, TCP_LISTEN);
}

TEST(our_fin_follows_the_data_and_the_host_may_close_after_it)
{
	CHECK(open_connection());
	tcp_send(payload, 5);
	tcp_close();
	CHECK(got_payload(0, 5));
	CHECK(host_got_nothing());
	ack_all(5);
	CHECK(got_flags(TCP_FIN | TCP_ACK, them, us));
	ack_all(1);
	CHECK_EQ(tcp.state, TCP_FIN_WAIT_2);
	say((struct tcp_packet){ .seq = us, .ack = them, .flags = TCP_ACK | TCP_FIN });
	us++;
	CHECK(got_flags(TCP_ACK, them, us));
	CHECK_EQ(tcp.state, TCP_TIME_WAIT);
	CHECK_EQ(closed, 1);
	say((struct tcp_packet){ .seq = us - 1, .ack = them, .flags = TCP_ACK | TCP_FIN });
	CHECK(got_flags(TCP_ACK, them, us));      /* our last ACK was lost: again */
	wait_ms(30000);
	CHECK_EQ(tcp.state, TCP_LISTEN);
	CHECK(host_got_nothing() && closed == 1);
}

TEST(both_fins_may_cross)
{
	CHECK(open_connection());
	tcp_close();
	CHECK(got_flags(TCP_FIN | TCP_ACK, them, us));
	say((struct tcp_packet){ .seq = us, .ack = them, .flags = TCP_ACK | TCP_FIN });
	us++;
	CHECK_EQ(tcp.state, TCP_CLOSING);
	CHECK(got_flags(TCP_ACK, them + 1, us));
	ack_all(1);
	CHECK_EQ(tcp.state, TCP_TIME_WAIT);
}

TEST(a_fin_that_acknowledges_ours_ends_it_at_once)
{
	CHECK(open_connection());
	tcp_close();
	CHECK(got_flags(TCP_FIN | TCP_ACK, them, us));
	say((struct tcp_packet){ .seq = us, .ack = them + 1, .flags = TCP_ACK | TCP_FIN });
	CHECK_EQ(tcp.state, TCP_TIME_WAIT);
	CHECK(got_flags(TCP_ACK, them + 1, us + 1));
}

TEST(our_fin_is_repeated_like_data)
{
	CHECK(open_connection());
	tcp_close();
	CHECK(got_flags(TCP_FIN | TCP_ACK, them, us));
	wait_ms(1000);
	CHECK(got_flags(TCP_FIN | TCP_ACK, them, us));
	wait_ms(2000);
	CHECK(got_flags(TCP_FIN | TCP_ACK, them, us));
	wait_ms(130000);
	CHECK_EQ(tcp.state, TCP_LISTEN);
	CHECK_EQ(closed, 1);
}

/* Brings a connection into a state. */
static bool reach(uint8_t state)
{
	struct sent s;

	if (state == TCP_SYN_RECEIVED) {
		start();
		say((struct tcp_packet){ .seq = START, .flags = TCP_SYN });
		if (!host_got(&s))
			return false;
		us = START + 1;
		them = s.seq + 1;
		return tcp.state == state;
	}
	if (!open_connection())
		return false;
	if (state == TCP_CLOSE_WAIT || state == TCP_LAST_ACK) {
		say((struct tcp_packet){ .seq = us, .ack = them, .flags = TCP_ACK | TCP_FIN });
		us++;
	}
	if (state != TCP_ESTABLISHED && state != TCP_CLOSE_WAIT)
		tcp_close();
	if (state == TCP_FIN_WAIT_2 || state == TCP_TIME_WAIT)
		ack_all(1);
	if (state == TCP_CLOSING || state == TCP_TIME_WAIT) {
		say((struct tcp_packet){ .seq = us, .ack = them, .flags = TCP_ACK | TCP_FIN });
		us++;
	}
	while (host_got(&s))
		;
	return tcp.state == state;
}

TEST(a_reset_ends_the_connection_in_every_state_if_its_number_is_exact)
{
	for (uint8_t state = TCP_SYN_RECEIVED; state <= TCP_TIME_WAIT; state++) {
		CHECK(reach(state));
		say((struct tcp_packet){ .seq = us + NET_WINDOW_BYTES, .flags = TCP_RST });
		say((struct tcp_packet){ .seq = us - 1, .flags = TCP_RST });
		CHECK_EQ(tcp.state, state);
		CHECK(host_got_nothing());
		say((struct tcp_packet){ .seq = us + 1, .flags = TCP_RST });
		CHECK_EQ(tcp.state, state);
		CHECK(!host_got_nothing());       /* an acknowledgement that lets the host prove itself */
		say((struct tcp_packet){ .seq = us, .flags = TCP_RST });
		CHECK_EQ(tcp.state, TCP_LISTEN);
		CHECK(host_got_nothing());
	}
}

TEST(a_fin_in_every_state_leads_where_it_should)
{
	static const uint8_t after[] = {
		[TCP_SYN_RECEIVED] = TCP_CLOSE_WAIT, [TCP_ESTABLISHED] = TCP_CLOSE_WAIT, [TCP_CLOSE_WAIT] = TCP_CLOSE_WAIT,
		[TCP_FIN_WAIT_1] = TCP_CLOSING, [TCP_FIN_WAIT_2] = TCP_TIME_WAIT, [TCP_CLOSING] = TCP_CLOSING,
		[TCP_LAST_ACK] = TCP_LAST_ACK, [TCP_TIME_WAIT] = TCP_TIME_WAIT,
	};

	for (uint8_t state = TCP_SYN_RECEIVED; state <= TCP_TIME_WAIT; state++) {
		CHECK(reach(state));
		say((struct tcp_packet){ .seq = us, .ack = them, .flags = TCP_ACK | TCP_FIN });
		CHECK_EQ(tcp.state, after[state]);
	}
}

TEST(a_syn_in_every_state_gets_an_acknowledgement_or_a_new_connection)
{
	struct sent s;

	for (uint8_t state = TCP_SYN_RECEIVED; state <= TCP_TIME_WAIT; state++) {
		bool over = state == TCP_CLOSING || state == TCP_LAST_ACK || state == TCP_TIME_WAIT;

		CHECK(reach(state));
		say((struct tcp_packet){ .seq = us + 10000, .flags = TCP_SYN });
		CHECK(host_got(&s));
		CHECK_EQ(s.flags, over ? TCP_SYN | TCP_ACK : TCP_ACK);
		CHECK_EQ(tcp.state, over ? TCP_SYN_RECEIVED : state);
	}
}

TEST(a_second_peer_is_refused_while_a_connection_is_open)
{
	struct sent s;

	CHECK(open_connection());
	say((struct tcp_packet){ .seq = 77, .flags = TCP_SYN, .from = 50000 });
	CHECK(host_got(&s));
	CHECK(s.flags == (TCP_RST | TCP_ACK) && s.ack == 78 && s.to == 50000);
	say((struct tcp_packet){ .seq = 77, .ack = 99, .flags = TCP_ACK, .from = 50000 });
	CHECK(host_got(&s));
	CHECK(s.flags == TCP_RST && s.seq == 99);
	say((struct tcp_packet){ .seq = 77, .flags = TCP_RST, .from = 50000 });
	CHECK(host_got_nothing());
	CHECK(tcp_ready());
}

TEST(closed_ports_answer_with_reset)
{
	struct sent s;

	start();
	say((struct tcp_packet){ .seq = 77, .flags = TCP_SYN, .to = 80 });
	CHECK(host_got(&s));
	CHECK(s.flags == (TCP_RST | TCP_ACK) && s.ack == 78 && s.from == 80);
	say((struct tcp_packet){ .seq = 77, .ack = 5, .flags = TCP_ACK, .to = 80, .data = "x", .n = 1 });
	CHECK(host_got(&s));
	CHECK(s.flags == TCP_RST && s.seq == 5 && s.from == 80);
	say((struct tcp_packet){ .seq = 77, .flags = TCP_RST, .to = 80 });
	CHECK(host_got_nothing());
}

TEST(strays_to_a_listening_port_are_reset_or_ignored)
{
	struct sent s;

	start();
	say((struct tcp_packet){ .seq = 77, .ack = 5, .flags = TCP_ACK });
	CHECK(host_got(&s) && s.flags == TCP_RST && s.seq == 5);
	say((struct tcp_packet){ .seq = 77, .flags = TCP_RST });
	say((struct tcp_packet){ .seq = 77, .flags = TCP_FIN });
	say((struct tcp_packet){ .seq = 77, .flags = 0 });
	CHECK(host_got_nothing());
	CHECK_EQ(tcp.state, TCP_LISTEN);
}

TEST(a_repeated_syn_gets_the_same_answer)
{
	CHECK(reach(TCP_SYN_RECEIVED));
	say((struct tcp_packet){ .seq = START, .flags = TCP_SYN });
	CHECK(got_flags(TCP_SYN | TCP_ACK, them - 1, us));
}

TEST(a_wrong_acknowledgement_of_our_syn_is_reset_and_the_right_one_still_opens)
{
	CHECK(reach(TCP_SYN_RECEIVED));
	say((struct tcp_packet){ .seq = us, .ack = them + 5, .flags = TCP_ACK });
	CHECK(got_flags(TCP_RST, them + 5, 0));
	say((struct tcp_packet){ .seq = us, .ack = them, .flags = TCP_ACK });
	CHECK(tcp_ready());
}

TEST(a_handshake_that_nobody_completes_frees_the_service_after_15_seconds)
{
	CHECK(reach(TCP_SYN_RECEIVED));
	wait_ms(14990);
	CHECK_EQ(tcp.state, TCP_SYN_RECEIVED);
	wait_ms(10);
	CHECK_EQ(tcp.state, TCP_LISTEN);
	CHECK_EQ(closed, 0);
}

TEST(a_silent_connection_is_reset_after_30_seconds)
{
	CHECK(open_connection());
	wait_ms(29990);
	CHECK(host_got_nothing());
	wait_ms(10);
	CHECK(got_flags(TCP_RST | TCP_ACK, them, us));
	CHECK_EQ(closed, 1);
}

TEST(a_keep_alive_keeps_a_connection)
{
	CHECK(open_connection());
	wait_ms(20000);
	say((struct tcp_packet){ .seq = us - 1, .ack = them, .flags = TCP_ACK });
	CHECK(got_flags(TCP_ACK, them, us));
	wait_ms(20000);
	CHECK(tcp_ready());
}

TEST(segments_with_wrong_lengths_are_dropped)
{
	CHECK(open_connection());
	say((struct tcp_packet){ .seq = us, .ack = them, .flags = TCP_ACK, .length = 4, .data = "x", .n = 1 });
	say((struct tcp_packet){ .seq = us, .ack = them, .flags = TCP_ACK, .length = 6, .data = "x", .n = 1 });
	say((struct tcp_packet){ .seq = us, .ack = them, .flags = TCP_ACK, .length = 15 });
	host_ip_packet((struct ip_packet){ .protocol = 6, .payload = "\x9c\xa4\x13\xec", .n = 4 });
	net_poll();
	CHECK(host_got_nothing());
	CHECK_EQ(heard_n, 0);
}

TEST(a_wrong_checksum_is_noticed_if_and_only_if_the_build_looks)
{
	CHECK(open_connection());
	say((struct tcp_packet){ .seq = us, .ack = them, .flags = TCP_ACK, .data = "x", .n = 1, .bad_sum = true });
	CHECK_EQ(heard_n, !NET_CHECK_RX);
}

TEST(a_new_connection_starts_at_other_numbers)
{
	uint32_t before;

	CHECK(open_connection());
	before = them;
	say((struct tcp_packet){ .seq = us, .flags = TCP_RST });
	opened = 0;
	CHECK(open_from(5000, NULL, 0));
	CHECK(them - before > 1460 && them - before < 0x80000000u);
}
