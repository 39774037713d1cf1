// SPDX-License-Identifier: GPL-2.0-or-later
/* The whole firmware above the chip: banner, console, and the trigger workload over TCP and UDP, frames in and frames out. */
#include <stdio.h>
#include <string.h>

#include "common/app.h"
#include "common/fake_board.h"
#include "common/identity.h"
#include "common/run.h"
#include "net/fake_host.h"
#include "net/fake_nic.h"
#include "net/net.h"
#include "test/harness.h"

enum { FIN = 1, SYN = 2, RST = 4, PSH = 8, ACK = 16 };

static uint32_t us, them;
static struct sent s;

static void step(unsigned n)
{
	while (n--)
		app_step();
}

static void wait_ms(uint32_t ms)
{
	for (; ms >= 10; ms -= 10) {
		fake_advance(10);
		app_step();
	}
}

/* Up to the line `net`, with nothing left to read. */
static void start(void)
{
	const uint8_t *f;
	size_t n;

	fake_reset();
	fake_board_reset(true);
	app_start();
	step(3);
	while (fake_sent(&f, &n))
		;
	fake_board_printed();
}

static void say(struct tcp_packet p)
{
	host_tcp(p);
	step(2);
}

static bool open_with(const uint8_t *options, size_t n)
{
	start();
	say((struct tcp_packet){ .seq = 1000, .flags = SYN, .options = options, .options_n = n });
	if (!host_got(&s) || s.flags != (SYN | ACK))
		return false;
	us = 1001;
	them = s.seq + 1;
	say((struct tcp_packet){ .seq = us, .ack = them, .flags = ACK });
	return host_got_nothing();
}

static bool open_connection(void)
{
	static const uint8_t mss_1460[4] = { 2, 4, 0x05, 0xb4 };

	return open_with(mss_1460, 4);
}

static void type_line(const char *text)
{
	host_tcp((struct tcp_packet){ .seq = us, .ack = them, .flags = ACK | PSH, .data = text, .n = strlen(text) });
	us += (uint32_t)strlen(text);
	step(4);
}

static bool got_ack(void)
{
	return host_got(&s) && s.flags == ACK && s.n == 0 && s.ack == us;
}

static bool is_frame(unsigned i, size_t n)
{
	if (s.n != n)
		return false;
	for (size_t k = 0; k < n; k++)
		if (s.data[k] != (uint8_t)(k + 31 * i))
			return false;
	return true;
}

/* The next packet is frame i, in one segment with PSH; it is acknowledged. */
static bool frame(unsigned i, size_t n)
{
	if (!host_got(&s) || s.flags != (PSH | ACK) || s.seq != them || !is_frame(i, n))
		return false;
	them += (uint32_t)n;
	say((struct tcp_packet){ .seq = us, .ack = them, .flags = ACK });
	return true;
}

TEST(the_banner_comes_first_then_the_net_line)
{
	fake_reset();
	fake_board_reset(true);
	app_start();
	CHECK_STR(fake_board_printed(), "@lab boot board=host-test build=0123456789ab stack=labnet mac=02:00:00:77:00:01 ip=10.77.0.1 *4e\r\n");
	step(1);
	CHECK_STR(fake_board_printed(), "@lab net link=up ip=10.77.0.1 mac=02:00:00:77:00:01 *69\r\n");
	step(1000);
	CHECK_STR(fake_board_printed(), "");
}

TEST(every_line_is_short_and_has_the_right_sum)
{
	start();
	fake_board_type("@lab who\r");
	step(1);
	CHECK(fake_board_lines_good(fake_board_printed()));
}

TEST(who_is_answered_with_boot_and_net_and_other_lines_are_not)
{
	const char *text;

	start();
	fake_board_type("@lab who\r\n");
	step(1);
	text = fake_board_printed();
	CHECK(strstr(text, "@lab boot ") && strstr(text, "@lab net "));
	fake_board_type("hello\r@lab wh\r@lab whoo\rx@lab who\r @lab who\r");
	step(1);
	CHECK_STR(fake_board_printed(), "");
	fake_board_type("\r\n\n@lab who\n");
	step(1);
	CHECK(strstr(fake_board_printed(), "@lab boot "));
}

TEST(a_wrong_identity_is_a_fault_and_stays_off_the_network)
{
	const char *text;

	fake_reset();
	fake_board_reset(false);
	app_start();
	text = fake_board_printed();
	CHECK(strstr(text, "@lab boot ") && strstr(text, "@lab fault what=identity *"));
	CHECK(fake_board_lines_good(text));
	host_tcp((struct tcp_packet){ .seq = 1, .flags = SYN });
	wait_ms(60000);
	CHECK(host_got_nothing());
	CHECK_STR(fake_board_printed(), "");
	fake_board_type("@lab who\r");
	step(1);
	CHECK(strstr(fake_board_printed(), "what=identity"));
}

TEST(a_dead_chip_is_a_fault)
{
	fake_reset();
	fake_board_reset(true);
	fake_chip_dead(true);
	app_start();
	CHECK(strstr(fake_board_printed(), "@lab fault what=nic *"));
}

TEST(a_missing_link_is_a_fault_after_ten_seconds_and_forgiven_when_it_comes)
{
	fake_reset();
	fake_board_reset(true);
	fake_link(false);
	app_start();
	fake_board_printed();
	wait_ms(9000);
	CHECK_STR(fake_board_printed(), "");
	wait_ms(2000);
	CHECK(strstr(fake_board_printed(), "@lab fault what=link *"));
	wait_ms(60000);
	CHECK_STR(fake_board_printed(), "");
	fake_link(true);
	wait_ms(1000);
	CHECK(strstr(fake_board_printed(), "@lab net link=up "));
}

TEST(a_run_sends_every_frame_once_and_says_done)
{
	CHECK(open_connection());
	type_line("LAB1 n=1460 count=20\n");
	CHECK(got_ack());
	for (unsigned i = 0; i < 20; i++) {
		CHECK_STR(fake_board_printed(), "");
		CHECK(run_is_going());
		CHECK(frame(i, 1460));
	}
	CHECK(host_got_nothing());
	CHECK_STR(fake_board_printed(), "@lab done workload=trigger frames=20 retransmits=0 rx_missed=0 *22\r\n");
	CHECK(!run_is_going());
}

TEST(all_of_the_buffer_is_written_however_little_is_sent)
{
	CHECK(open_connection());
	type_line("LAB1 n=1 count=3\n");
	CHECK(got_ack());
	CHECK(frame(0, 1) && frame(1, 1) && frame(2, 1));
	for (unsigned k = 0; k < 1460; k++)
		CHECK_EQ(app_spare_buffer()[k], (uint8_t)(k + 62));
}

TEST(a_line_may_come_in_pieces_and_with_a_cr)
{
	CHECK(open_connection());
	for (const char *c = "LAB1 n=7 count=1\r\n"; *c; c++) {
		char one[2] = { *c, 0 };

		type_line(one);
		CHECK(got_ack());
	}
	CHECK(frame(0, 7));
}

TEST(one_connection_carries_several_runs)
{
	CHECK(open_connection());
	for (int i = 0; i < 3; i++) {
		type_line("LAB1 n=100 count=2\n");
		CHECK(got_ack());
		CHECK(frame(0, 100) && frame(1, 100));
		CHECK(strstr(fake_board_printed(), "frames=2 "));
	}
}

TEST(lines_that_begin_during_a_run_are_ignored)
{
	CHECK(open_connection());
	type_line("LAB1 n=10 count=2\nLAB1 n=99 count=9\nLAB1 n=");
	CHECK(got_ack());
	CHECK(host_got(&s) && is_frame(0, 10));
	type_line("5 count=5\n");
	CHECK(got_ack());
	them += 10;
	say((struct tcp_packet){ .seq = us, .ack = them, .flags = ACK });
	CHECK(frame(1, 10));
	CHECK(host_got_nothing());
	type_line("LAB1 n=3 count=1\n");
	CHECK(got_ack());
	CHECK(frame(0, 3));
}

/* The line is refused with that word, then the board closes; the host does too. */
static bool refused(const char *line, const char *answer)
{
	type_line(line);
	if (!got_ack() || !host_got(&s) || s.n != strlen(answer) || memcmp(s.data, answer, s.n) || !(s.flags & PSH))
		return false;
	them += (uint32_t)s.n;
	say((struct tcp_packet){ .seq = us, .ack = them, .flags = ACK });
	return host_got(&s) && s.flags == (FIN | ACK) && s.seq == them && !run_is_going();
}

TEST(bad_lines_are_refused_with_their_word_and_fin)
{
	static const uint8_t mss_1000[4] = { 2, 4, 0x03, 0xe8 };

	CHECK(open_connection());
	CHECK(refused("hello\n", "ERR syntax\n"));
	CHECK(open_connection());
	CHECK(refused("LAB1 n=0 count=1\n", "ERR range\n"));
	CHECK(open_connection());
	CHECK(refused("LAB1 n=1 count=1 ack=1\n", "ERR syntax\n"));
	CHECK(open_connection());
	CHECK(refused("a line that is longer than forty-eight bytes and has no end", "ERR syntax\n"));
	CHECK(open_with(NULL, 0));
	CHECK(refused("LAB1 n=537 count=1\n", "ERR mss\n"));
	CHECK(open_with(mss_1000, 4));
	CHECK(refused("LAB1 n=1001 count=1\n", "ERR mss\n"));
	CHECK(open_with(mss_1000, 4));
	type_line("LAB1 n=1000 count=1\n");
	CHECK(got_ack());
	CHECK(frame(0, 1000));
}

TEST(after_a_refusal_a_new_connection_is_served)
{
	CHECK(open_connection());
	CHECK(refused("hello\n", "ERR syntax\n"));
	them++;
	say((struct tcp_packet){ .seq = us, .ack = them, .flags = FIN | ACK });
	CHECK(host_got(&s) && s.flags == ACK && s.ack == us + 1);
	say((struct tcp_packet){ .seq = 5000, .flags = SYN, .from = 40101 });
	CHECK(host_got(&s) && s.flags == (SYN | ACK) && s.to == 40101);
}

TEST(a_host_that_has_no_more_to_say_still_gets_its_run_then_fin)
{
	CHECK(open_connection());
	host_tcp((struct tcp_packet){ .seq = us, .ack = them, .flags = ACK | FIN, .data = "LAB1 n=5 count=2\n", .n = 17 });
	us += 18;
	step(2);
	CHECK(got_ack());
	CHECK(frame(0, 5) && frame(1, 5));
	CHECK(host_got(&s) && s.flags == (FIN | ACK));
}

TEST(fin_is_answered_with_fin)
{
	CHECK(open_connection());
	say((struct tcp_packet){ .seq = us++, .ack = them, .flags = ACK | FIN });
	CHECK(got_ack());
	CHECK(host_got(&s) && s.flags == (FIN | ACK) && s.seq == them && s.ack == us);
}

TEST(a_lost_frame_is_sent_again_from_the_buffer_and_counted)
{
	CHECK(open_connection());
	fake_missed(3);
	type_line("LAB1 n=100 count=2\n");
	CHECK(got_ack());
	fake_missed(4);
	CHECK(host_got(&s));
	wait_ms(1000);
	CHECK(frame(0, 100));
	CHECK(frame(1, 100));
	CHECK(strstr(fake_board_printed(), "frames=2 retransmits=1 rx_missed=4 "));
	type_line("LAB1 n=100 count=1\n");
	CHECK(got_ack());
	CHECK(frame(0, 100));
	CHECK(strstr(fake_board_printed(), "frames=1 retransmits=0 rx_missed=0 "));
}

TEST(a_reset_ends_a_run_in_silence_and_the_next_connection_works)
{
	CHECK(open_connection());
	type_line("LAB1 n=100 count=2\n");
	CHECK(run_is_going());
	say((struct tcp_packet){ .seq = us, .flags = RST });
	CHECK(!run_is_going());
	CHECK_STR(fake_board_printed(), "");
	CHECK(open_connection());
	type_line("LAB1 n=3 count=1\n");
	CHECK(got_ack());
	CHECK(frame(0, 3));
}

TEST(nothing_is_said_nor_answered_during_a_run)
{
	CHECK(open_connection());
	type_line("LAB1 n=100 count=1\n");
	fake_board_type("@lab who\r");
	fake_link(false);
	wait_ms(500);
	CHECK_STR(fake_board_printed(), "");
	fake_link(true);
	CHECK(got_ack());
	CHECK(frame(0, 100));
	wait_ms(1000);
	CHECK(!strstr(fake_board_printed(), "boot"));
}

TEST(a_ping_is_answered_in_the_middle_of_a_run_without_touching_the_frame)
{
	static const uint8_t ping[64] = { 8, 0, 0xf7, 0xff };

	CHECK(open_connection());
	type_line("LAB1 n=1460 count=1\n");
	CHECK(got_ack());
	CHECK(host_got(&s));
	host_ip_packet((struct ip_packet){ .protocol = 1, .payload = ping, .n = sizeof ping });
	step(1);
	CHECK(host_got(&s) && s.protocol == 1 && s.n == 56);
	wait_ms(1000);
	CHECK(frame(0, 1460));
}

static void datagram(const char *text, uint16_t from)
{
	host_udp((struct udp_packet){ .data = text, .n = strlen(text), .from = from });
	step(1);
}

TEST(udp_without_acknowledgements_sends_all_datagrams_in_a_row)
{
	start();
	datagram("LAB1 n=1460 count=5\n", 777);
	step(10);
	for (unsigned i = 0; i < 5; i++)
		CHECK(host_got(&s) && s.protocol == 17 && s.to == 777 && is_frame(i, 1460));
	CHECK(host_got_nothing());
	CHECK(strstr(fake_board_printed(), "@lab done workload=trigger frames=5 retransmits=0 "));
}

TEST(udp_without_room_sends_the_same_datagram_at_the_next_step)
{
	start();
	fake_refuse_tx(3);
	datagram("LAB1 n=10 count=2\n", 777);
	step(10);
	CHECK(host_got(&s) && is_frame(0, 10));
	CHECK(host_got(&s) && is_frame(1, 10));
	CHECK(host_got_nothing());
}

TEST(udp_with_acknowledgements_waits_for_each)
{
	char text[20];

	start();
	datagram("LAB1 n=10 count=12 ack=1\n", 777);
	for (unsigned i = 0; i < 12; i++) {
		step(5);
		CHECK(host_got(&s) && is_frame(i, 10));
		CHECK(host_got_nothing());
		datagram("ACK 99\n", 777);
		snprintf(text, sizeof text, "ACK %u\n", i);
		datagram(text, 778);              /* from another port: not ours */
		step(5);
		CHECK(host_got_nothing());
		datagram(text, 777);
	}
	step(2);
	CHECK(strstr(fake_board_printed(), "frames=12 retransmits=0 "));
}

TEST(udp_repeats_five_times_then_ends_the_run)
{
	start();
	datagram("LAB1 n=10 count=3 ack=1\n", 777);
	CHECK(host_got(&s) && is_frame(0, 10));
	for (int i = 0; i < 5; i++) {
		wait_ms(990);
		CHECK(host_got_nothing());
		wait_ms(10);
		CHECK(host_got(&s) && is_frame(0, 10));
	}
	wait_ms(1000);
	CHECK(host_got_nothing());
	CHECK(!run_is_going());
	CHECK(strstr(fake_board_printed(), "frames=1 retransmits=5 "));
}

TEST(bad_datagrams_are_refused_with_their_word)
{
	static const struct {
		const char *line, *answer;
	} cases[] = {
		{ "", "ERR syntax\n" }, { "LAB1 n=1 count=1", "ERR syntax\n" }, { "LAB1 n=1 count=1\nx", "ERR syntax\n" }, { "LAB1 n=1461 count=1\n", "ERR range\n" },
		{ "LAB1 n=1 count=1 ack=2\n", "ERR syntax\n" }, { "LAB1 n=1 count=1\nLAB1 n=1 count=1\n", "ERR syntax\n" },
		{ "LAB1 n=1 count=1 and so on for many more characters than the table allows\n", "ERR syntax\n" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		start();
		datagram(cases[i].line, 777);
		CHECK(host_got(&s));
		CHECK(s.to == 777 && s.n == strlen(cases[i].answer) && !memcmp(s.data, cases[i].answer, s.n));
		step(5);
		CHECK(host_got_nothing());
	}
}

TEST(a_refusal_holds_the_buffer_until_it_is_acknowledged_and_no_longer)
{
	CHECK(open_connection());
	type_line("hello\n");
	CHECK(got_ack());
	CHECK(host_got(&s) && s.n == 11);
	datagram("LAB1 n=10 count=1\n", 777);
	step(3);
	CHECK(host_got_nothing());
	say((struct tcp_packet){ .seq = us, .ack = them + 11, .flags = ACK });
	CHECK(host_got(&s) && s.flags == (FIN | ACK));
	datagram("LAB1 n=10 count=1\n", 777);
	step(3);
	CHECK(host_got(&s) && s.protocol == 17 && is_frame(0, 10));
}

TEST(a_second_trigger_during_a_run_is_ignored_whichever_way_it_comes)
{
	start();
	datagram("LAB1 n=10 count=2 ack=1\n", 777);
	datagram("LAB1 n=20 count=9\n", 778);
	CHECK(host_got(&s) && is_frame(0, 10));
	step(5);
	CHECK(host_got_nothing());
	CHECK(open_connection());
	type_line("LAB1 n=10 count=2\n");
	datagram("LAB1 n=20 count=9\n", 778);
	CHECK(got_ack());
	CHECK(frame(0, 10) && frame(1, 10));
	step(5);
	CHECK(host_got_nothing());
}

TEST(the_identitys_crc_is_the_catalogues)
{
	uint16_t crc = 0xffff;

	for (const char *c = "123456789"; *c; c++)
		crc = identity_crc(crc, (uint8_t)*c);
	CHECK_EQ(crc, 0x29b1);
}
