// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The image that SDCC built, executed by the emulated chip beside the strict CS8900A of drivers/fake_cs8900a.h: the compiler's part of the work,
 * which the tests on the PC cannot see. Start-up, memory, serial line, bus addresses, and a run of the trigger workload over each protocol.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chips/at89c51ed2.h"
#include "drivers/fake_cs8900a.h"
#include "image/identity.h"
#include "image/image.h"
#include "line/host_uart.h"
#include "net/fake_host.h"
#include "net/fake_nic.h"
#include "net/nic.h"
#include "test/harness.h"

#define HZ 22118400u
#define IDENTITY_AT 0x7F80
#define BUILD_AT 0x7FA0
#define STACK_FROM 0x80                           /* nothing but the stack and the UART's ring lives above */

enum { FIN = 1, SYN = 2, RST = 4, PSH = 8, ACK = 16 };

static struct vclock board_clock;
static struct at89c51ed2_memory memory;
static struct at89c51ed2 chip;
static struct serial_wire rx, tx;
static struct host_uart uart;
static char printed[4096];
static size_t printed_n;
static unsigned strays, reports, frames_out, too_fast; /* too_fast: reads in X2 that the chip could not answer in time */
static char last_report[200];
static uint32_t us, them;
static struct sent s;

static void tell_time(void)
{
	fake_cs.now_us = vclock_now_ns(&board_clock) / 1000;
}

static uint8_t bus_read(void *opaque, uint16_t addr, const struct at89c51ed2_access *how)
{
	(void)opaque;
	if ((addr & 0xfff0) != 0x8000) {
		strays++;
		return 0xff;
	}
	too_fast += how->x2 && !how->m0;
	tell_time();
	return fake_cs_read(addr & 15);
}

static void bus_write(void *opaque, uint16_t addr, uint8_t value, const struct at89c51ed2_access *how)
{
	(void)opaque;
	(void)how;
	tell_time();
	if ((addr & 0xfff0) == 0x8000)
		fake_cs_write(addr & 15, value);
	else
		strays++;
}

static void report(void *opaque, const char *sentence)
{
	(void)opaque;
	reports++;
	snprintf(last_report, sizeof last_report, "%s", sentence);
}

static void received(void *opaque, uint8_t byte, unsigned errors)
{
	(void)opaque;
	if (printed_n < sizeof printed - 1)
		printed[printed_n++] = errors ? '?' : (char)byte;
	printed[printed_n] = 0;
}

static const char *image_path(char *path, size_t size, const char *name)
{
	const char *build = getenv("LAB_BUILD");

	snprintf(path, size, "%s/firmware/%s", build ? build : ".", name);
	return path;
}

/* Into flash, with the identity of net/fake_host.h. */
static bool program(const char *name, bool with_identity, struct err *e)
{
	struct identity id = { { 0 }, { 0 }, { 255, 255, 255, 0 }, { 0 } };
	struct image *img = NULL;
	char path[500];

	memcpy(id.mac, board_mac, 6);
	memcpy(id.ip, board_ip, 4);
	if (!image_load(image_path(path, sizeof path, name), IMAGE_IHEX, 0, 0, &img, e))
		return false;
	bool ok = !with_identity || identity_patch(img, IDENTITY_AT, &id, e);
	at89c51ed2_memory_factory(&memory);
	image_copy(img, 0, memory.flash, sizeof memory.flash, 0xff);
	memory.hsb = 0xff;                        /* BLJB unprogrammed: the application starts at reset */
	image_destroy(img);
	return ok;
}

static void power_on(void)
{
	const struct at89c51ed2_board board = { .bus_read = bus_read, .bus_write = bus_write, .report = report };

	printed_n = strays = reports = frames_out = too_fast = 0;
	printed[0] = last_report[0] = 0;
	fake_reset();
	fake_cs_power_on();
	vclock_init(&board_clock, HZ);
	serial_init(&rx, &board_clock);
	serial_init(&tx, &board_clock);
	host_uart_init(&uart);
	uart.received = received;
	host_uart_attach(&uart, &board_clock, &rx, &tx);
	at89c51ed2_init(&chip, &board_clock, &memory, &AT89C51ED2_CONFIG, &board, &rx, &tx);
}

/* Between the chip and the host's queues. */
static void carry_frames(void)
{
	uint16_t n;

	if (fake_cs.rx_count == 0 && nic_rx_begin(&n)) {
		uint8_t frame[1600];

		nic_rx_bytes(frame, n);
		nic_rx_end();
		fake_cs_receive(frame, n);
	}
	if (fake_cs.sent != frames_out) {
		frames_out = fake_cs.sent;
		nic_tx_begin(fake_cs.tx_length);
		nic_tx_bytes(fake_cs.tx, fake_cs.tx_length);
		nic_tx_end();
	}
}

static void run_us(unsigned n)
{
	uint64_t end = board_clock.now + vclock_ticks(&board_clock, (uint64_t)n * 1000);

	while (board_clock.now < end) {
		uint64_t slice = board_clock.now + 1200;

		at89c51ed2_step(&chip, slice < end ? slice : end);
		carry_frames();
	}
}

static void run_ms(unsigned ms)
{
	run_us(ms * 1000);
}

/* Runs until a packet is sent; 3 s at the most. */
static bool next_packet(void)
{
	for (int ms = 0; ms < 3000; ms++) {
		if (host_got(&s))
			return true;
		run_ms(1);
	}
	return false;
}

static bool boot(const char *name, struct err *e)
{
	const uint8_t *f;
	size_t n;

	if (!program(name, true, e))
		return false;
	power_on();
	run_ms(300);
	while (fake_sent(&f, &n))
		;
	return strstr(printed, "@lab net ") || err_set(e, ERR_TIMEOUT, "no net line within 300 ms: \"%s\" %s", printed, last_report);
}

static bool is_clean(void)
{
	if (strays || reports || fake_cs.breaches || too_fast)
		printf("%u accesses off the chip, %u breaches, %u reads too fast, %u reports: %s\n", strays, fake_cs.breaches, too_fast, reports, last_report);
	return !strays && !reports && !fake_cs.breaches && !too_fast;
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

static bool open_connection(void)
{
	static const uint8_t mss_1460[4] = { 2, 4, 0x05, 0xb4 };

	host_tcp((struct tcp_packet){ .seq = 1000, .flags = SYN, .options = mss_1460, .options_n = 4 });
	if (!next_packet() || s.flags != (SYN | ACK) || s.mss != 1460)
		return false;
	us = 1001;
	them = s.seq + 1;
	host_tcp((struct tcp_packet){ .seq = us, .ack = them, .flags = ACK });
	run_ms(20);
	return true;
}

/* Asks for a run and plays the host; the mean time of a frame in microseconds, or -1. */
static long run_of(unsigned n, unsigned count)
{
	char line[50];
	uint64_t from;
	size_t size = (size_t)snprintf(line, sizeof line, "LAB1 n=%u count=%u\n", n, count);

	host_tcp((struct tcp_packet){ .seq = us, .ack = them, .flags = ACK | PSH, .data = line, .n = size });
	from = vclock_now_ns(&board_clock);
	us += (uint32_t)size;
	if (!next_packet() || s.flags != ACK || s.ack != us)
		return -1;
	for (unsigned i = 0; i < count; i++) {
		if (!next_packet() || s.flags != (PSH | ACK) || s.seq != them || !is_frame(i, n))
			return -1;
		them += n;
		host_tcp((struct tcp_packet){ .seq = us, .ack = them, .flags = ACK });
	}
	return (long)((vclock_now_ns(&board_clock) - from) / 1000 / count);
}

TEST(the_image_boots_and_says_who_it_is)
{
	struct err e = { ERR_NONE, "" };
	struct image *img = NULL;
	char path[500], build[13], want[200];

	CHECK_OK(boot("at89c51ed2.ihx", &e), &e);
	CHECK_OK(image_load(image_path(path, sizeof path, "at89c51ed2.ihx"), IMAGE_IHEX, 0, 0, &img, &e), &e);
	CHECK_OK(image_build_id(img, IDENTITY_AT, BUILD_AT, build, &e), &e);
	image_destroy(img);
	snprintf(want, sizeof want, "@lab boot board=at89c51ed2-cs8900a build=%s stack=labnet mac=02:00:00:77:00:01 ip=10.77.0.1 *", build);
	CHECK(!strncmp(printed, want, strlen(want)));
	CHECK(is_clean());
}

TEST(without_an_identity_it_says_so_and_touches_no_network)
{
	struct err e = { ERR_NONE, "" };

	CHECK_OK(program("at89c51ed2.ihx", false, &e), &e);
	power_on();
	run_ms(300);
	CHECK(strstr(printed, "@lab fault what=identity *"));
	CHECK_EQ(fake_cs.sent, 0);
	CHECK(is_clean());
}

TEST(it_answers_who)
{
	struct err e = { ERR_NONE, "" };

	CHECK_OK(boot("at89c51ed2.ihx", &e), &e);
	printed_n = 0;
	host_uart_send(&uart, (const uint8_t *)"@lab who\r\n", 10);
	run_ms(50);
	CHECK(!strncmp(printed, "@lab boot ", 10) && strstr(printed, "\r\n@lab net link=up "));
}

static const char *const images[] = {
	"at89c51ed2.ihx", "at89c51ed2-nocheck.ihx", "at89c51ed2-x2.ihx", "at89c51ed2-x2-nocheck.ihx",
	"at89c51ed2-asm.ihx", "at89c51ed2-asm-nocheck.ihx", "at89c51ed2-asm-x2.ihx", "at89c51ed2-asm-x2-nocheck.ihx",
};

static bool runs_well(const char *name, struct err *e)
{
	return boot(name, e) && (open_connection() || err_set(e, ERR_PROTOCOL, "no connection"))
		&& (run_of(1460, 3) > 0 || err_set(e, ERR_PROTOCOL, "n=1460 failed"))
		&& (run_of(1, 3) > 0 || err_set(e, ERR_PROTOCOL, "n=1 failed"))
		&& (run_of(101, 3) > 0 || err_set(e, ERR_PROTOCOL, "n=101 failed"))
		&& (run_ms(50), strstr(printed, "@lab done workload=trigger frames=3 retransmits=0 rx_missed=0 *") || err_set(e, ERR_PROTOCOL, "no done: %s", printed));
}

TEST(it_runs_the_trigger_workload_over_tcp)
{
	struct err e = { ERR_NONE, "" };

	for (size_t i = 0; i < sizeof images / sizeof images[0]; i++) {
		CHECK_OK(runs_well(images[i], &e), &e);
		CHECK(is_clean());
	}
}

TEST(in_x2_mode_a_frame_takes_little_more_than_half_the_time)
{
	struct err e = { ERR_NONE, "" };
	long x1, x2;

	CHECK_OK(boot("at89c51ed2.ihx", &e), &e);
	CHECK(open_connection());
	x1 = run_of(1460, 3);
	CHECK_OK(boot("at89c51ed2-x2.ihx", &e), &e);
	CHECK(open_connection());
	x2 = run_of(1460, 3);
	printf("frame of 1460 bytes: %ld us in X1, %ld us in X2\n", x1, x2);
	CHECK(x2 > x1 / 2 && x2 < x1 * 6 / 10);
}

TEST(an_x2_image_that_does_not_stretch_the_bus_is_seen)
{
	struct err e = { ERR_NONE, "" };

	CHECK_OK(boot("at89c51ed2-x2-unstretched.ihx", &e), &e);
	CHECK(too_fast > 0);
}

TEST(it_runs_the_trigger_workload_over_udp)
{
	struct err e = { ERR_NONE, "" };
	char text[20];

	CHECK_OK(boot("at89c51ed2.ihx", &e), &e);
	host_udp((struct udp_packet){ .data = "LAB1 n=750 count=3 ack=1\n", .n = 25 });
	for (unsigned i = 0; i < 3; i++) {
		CHECK(next_packet());
		CHECK(s.protocol == 17 && is_frame(i, 750));
		host_udp((struct udp_packet){ .data = text, .n = (size_t)snprintf(text, sizeof text, "ACK %u\n", i) });
	}
	run_ms(50);
	CHECK(strstr(printed, "frames=3 retransmits=0 "));
	host_udp((struct udp_packet){ .data = "LAB1 n=0 count=3\n", .n = 17 });
	CHECK(next_packet());
	CHECK(s.n == 10 && !memcmp(s.data, "ERR range\n", 10));
	CHECK(is_clean());
}

static void say(struct tcp_packet p)
{
	host_tcp(p);
	run_ms(15);
}

/* The next packet is for another port or a stray: its flags. */
static int answer_to(struct tcp_packet p)
{
	host_tcp(p);
	return next_packet() ? s.flags : -1;
}

TEST(it_refuses_bad_lines_and_closes)
{
	struct err e = { ERR_NONE, "" };

	CHECK_OK(boot("at89c51ed2.ihx", &e), &e);
	host_tcp((struct tcp_packet){ .seq = 1000, .flags = SYN });   /* no MSS: 536 */
	CHECK(next_packet());
	us = 1001;
	them = s.seq + 1;
	say((struct tcp_packet){ .seq = us, .ack = them, .flags = ACK });
	host_tcp((struct tcp_packet){ .seq = us, .ack = them, .flags = ACK, .data = "LAB1 n=537 count=1\n", .n = 19 });
	us += 19;
	CHECK(next_packet() && s.flags == ACK && s.ack == us);
	CHECK(next_packet() && s.n == 8 && !memcmp(s.data, "ERR mss\n", 8));
	them += 8;
	host_tcp((struct tcp_packet){ .seq = us, .ack = them, .flags = ACK });
	CHECK(next_packet() && s.flags == (FIN | ACK) && s.seq == them);
	them++;
	host_tcp((struct tcp_packet){ .seq = us, .ack = them, .flags = FIN | ACK });
	CHECK(next_packet() && s.flags == ACK && s.ack == us + 1 && s.seq == them);
	CHECK(open_connection());
	CHECK(run_of(10, 1) > 0);
	CHECK(is_clean());
}

TEST(it_resets_what_it_does_not_serve)
{
	struct err e = { ERR_NONE, "" };

	CHECK_OK(boot("at89c51ed2.ihx", &e), &e);
	CHECK_EQ(answer_to((struct tcp_packet){ .seq = 77, .flags = SYN, .to = 80 }), RST | ACK);
	CHECK(s.ack == 78 && s.from == 80);
	CHECK_EQ(answer_to((struct tcp_packet){ .seq = 77, .ack = 0x12345678, .flags = ACK }), RST);
	CHECK(s.seq == 0x12345678);
	CHECK(open_connection());
	CHECK_EQ(answer_to((struct tcp_packet){ .seq = 0xffffffff, .flags = SYN, .from = 50000 }), RST | ACK);
	CHECK(s.ack == 0 && s.to == 50000);
	CHECK_EQ(answer_to((struct tcp_packet){ .seq = us + 70000, .ack = them, .flags = ACK, .data = "x", .n = 1 }), ACK);
	CHECK(s.ack == us && s.seq == them);
	CHECK(is_clean());
}

TEST(it_probes_a_closed_window_and_goes_on_when_it_opens)
{
	struct err e = { ERR_NONE, "" };

	CHECK_OK(boot("at89c51ed2.ihx", &e), &e);
	CHECK(open_connection());
	host_tcp((struct tcp_packet){ .seq = us, .ack = them, .flags = ACK, .data = "LAB1 n=301 count=1\n", .n = 19, .window_closed = true });
	us += 19;
	CHECK(next_packet() && s.flags == ACK && s.n == 0);
	CHECK(next_packet() && s.n == 1 && s.seq == them && s.data[0] == 0);
	host_tcp((struct tcp_packet){ .seq = us, .ack = them, .flags = ACK });
	CHECK(next_packet() && s.seq == them && is_frame(0, 301));
	CHECK(is_clean());
}

TEST(malformed_packets_do_not_disturb_it)
{
	static const uint8_t options[40] = { 1, 1, 1, 1 }, bad_options[8] = { 3, 0, 2, 4, 0xff, 0xff, 0, 0 };
	struct err e = { ERR_NONE, "" };

	CHECK_OK(boot("at89c51ed2.ihx", &e), &e);
	CHECK(open_connection());
	for (int off = -30; off < 30; off += 7) {
		host_ip_packet((struct ip_packet){ .protocol = 6, .payload = options, .n = 40, .total_off = off, .options = options, .options_n = 40 });
		run_ms(8);
	}
	for (unsigned n = 1; n < 60; n += 3) {
		fake_push(options, n < 40 ? n : 40);
		run_ms(4);
	}
	say((struct tcp_packet){ .seq = us, .ack = them, .flags = ACK, .length = 15 });
	say((struct tcp_packet){ .seq = us, .ack = them, .flags = ACK, .length = 2 });
	say((struct tcp_packet){ .seq = us, .ack = them, .flags = ACK, .options = bad_options, .options_n = 8 });
	say((struct tcp_packet){ .seq = us, .ack = them, .flags = ACK, .bad_sum = true, .data = "LAB1 n=1 count=1\n", .n = 17 });
	while (host_got(&s))
		CHECK(s.flags != (PSH | ACK));
	CHECK(run_of(500, 2) > 0);
	CHECK(is_clean());
}

TEST(pings_are_answered_up_to_the_buffer)
{
	static uint8_t ping[1468] = { 8, 0 };
	struct err e = { ERR_NONE, "" };
	uint16_t sum = (uint16_t)~host_sum(0, ping, sizeof ping);

	CHECK_OK(boot("at89c51ed2.ihx", &e), &e);
	ping[2] = (uint8_t)(sum >> 8);
	ping[3] = (uint8_t)sum;
	host_ip_packet((struct ip_packet){ .protocol = 1, .payload = ping, .n = sizeof ping });
	CHECK(next_packet());
	CHECK(s.protocol == 1 && s.n == 1460);
	CHECK(is_clean());
}

/* The tick is of the crystal: a second is one in X2 too. */
static bool waits_a_second(const char *name, struct err *e)
{
	uint64_t first, waited;

	if (!boot(name, e) || !open_connection())
		return false;
	host_tcp((struct tcp_packet){ .seq = us, .ack = them, .flags = ACK | PSH, .data = "LAB1 n=200 count=1\n", .n = 19 });
	us += 19;
	if (!next_packet() || !next_packet() || !is_frame(0, 200))
		return err_set(e, ERR_PROTOCOL, "%s: no frame", name);
	first = vclock_now_ns(&board_clock);
	if (!next_packet() || !is_frame(0, 200) || s.seq != them)
		return err_set(e, ERR_PROTOCOL, "%s: not sent again", name);
	waited = vclock_now_ns(&board_clock) - first;
	return (waited > 990000000 && waited < 1020000000)   /* the board counts in steps of 10 ms */
		|| err_set(e, ERR_PROTOCOL, "%s: sent again after %llu ms", name, (unsigned long long)waited / 1000000);
}

TEST(a_lost_acknowledgement_makes_it_send_again_after_a_second)
{
	struct err e = { ERR_NONE, "" };

	CHECK_OK(waits_a_second("at89c51ed2.ihx", &e), &e);
	CHECK_OK(waits_a_second("at89c51ed2-asm-x2.ihx", &e), &e);
}

TEST(the_time_of_a_frame_grows_linearly_with_its_length)
{
	struct err e = { ERR_NONE, "" };
	long t100, t750, t1460, between;

	CHECK_OK(boot("at89c51ed2.ihx", &e), &e);
	CHECK(open_connection());
	t100 = run_of(100, 5);
	t750 = run_of(750, 5);
	t1460 = run_of(1460, 5);
	CHECK(t100 > 0 && t750 > t100 && t1460 > t750);
	between = t100 + (t1460 - t100) * 650 / 1360;
	printf("frame: %ld us at 100 bytes, %ld us at 750, %ld us at 1460\n", t100, t750, t1460);
	CHECK(labs(between - t750) < t750 / 20);
}

TEST(the_stack_stays_within_internal_memory_with_room_to_spare)
{
	struct err e = { ERR_NONE, "" };
	unsigned top = 255;

	CHECK_OK(boot("at89c51ed2.ihx", &e), &e);
	CHECK(open_connection());
	CHECK(run_of(1460, 2) > 0);
	host_uart_send(&uart, (const uint8_t *)"@lab who\r\n", 10);
	run_ms(50);
	while (top > STACK_FROM && chip.cpu.iram[top] == 0)
		top--;
	printf("the highest byte of internal memory in use is %02Xh\n", top);
	CHECK(top < 0xe0);
}
