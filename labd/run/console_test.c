// SPDX-License-Identifier: GPL-2.0-or-later
/* Console lines: what is believed, what is only counted, and that the cut of the bytes does not matter. */
#include "run/console.h"

#include <string.h>

#include "test/harness.h"

static void hear(void *opaque, const struct console_line *l)
{
	banner_hear(opaque, l);
}

/* The sum as docs/workloads.md defines it, computed anew. */
static size_t with_sum(const char *text, char *out)
{
	uint8_t sum = 0;

	for (const char *p = text + 1; *p; p++)
		sum ^= (uint8_t)*p;
	strcpy(out, text);
	out += strlen(text);
	out[0] = '*';
	out[1] = "0123456789abcdef"[sum >> 4];
	out[2] = "0123456789abcdef"[sum & 15];
	strcpy(out + 3, "\r\n");
	return strlen(text) + 5;
}

static struct banner feed(const char *bytes, size_t size, size_t piece, unsigned *good, unsigned *bad)
{
	struct banner b = { 0 };
	struct console c = { .line = hear, .opaque = &b };

	for (size_t at = 0; at < size; at += piece)
		console_feed(&c, bytes + at, size - at < piece ? size - at : piece);
	*good = c.good;
	*bad = c.bad;
	return b;
}

TEST(boot_and_net_are_believed_in_any_cut)
{
	char text[400];
	size_t n = with_sum("@lab boot board=at89c51ed2-cs8900a build=0123456789ab stack=labnet mac=02:00:00:77:00:01 ip=10.77.0.1 ", text);
	unsigned good, bad;

	n += with_sum("@lab net link=up ip=10.77.0.1 mac=02:00:00:77:00:01 ", text + n);
	for (size_t piece = 1; piece <= n; piece += 7) {
		struct banner b = feed(text, n, piece, &good, &bad);

		CHECK(b.boot && b.net && !b.fault);
		CHECK_STR(b.build, "0123456789ab");
		CHECK_STR(b.mac, "02:00:00:77:00:01");
		CHECK_STR(b.ip, "10.77.0.1");
		CHECK_EQ(good, 2);
		CHECK_EQ(bad, 0);
	}
}

TEST(a_line_with_a_flipped_bit_is_counted_and_not_believed)
{
	char text[200];
	size_t n = with_sum("@lab net link=up ip=10.77.0.1 ", text);
	unsigned good, bad;

	for (size_t i = 5; i < n - 2; i++) {
		struct banner b;

		text[i] ^= 1;
		b = feed(text, n, n, &good, &bad);
		CHECK(!b.net);
		CHECK_EQ(good, 0);
		CHECK_EQ(bad, 1);
		text[i] ^= 1;
	}
}

TEST(text_for_people_is_neither_good_nor_bad)
{
	static const char text[] = "hello\r\n lab boot\r\n@la\r\n\r\n@labor *00\r\n";
	unsigned good, bad;

	feed(text, sizeof text - 1, 3, &good, &bad);
	CHECK_EQ(good, 0);
	CHECK_EQ(bad, 0);
}

TEST(a_line_over_120_bytes_is_bad_however_right_its_sum)
{
	char text[300] = "@lab mem free=", line[400];
	unsigned good, bad;

	memset(text + 14, '9', 120);
	feed(line, with_sum(text, line), 50, &good, &bad);
	CHECK_EQ(good, 0);
	CHECK_EQ(bad, 1);
}

TEST(a_reset_forgets_what_was_said_before_it)
{
	char text[400];
	size_t n = with_sum("@lab boot board=a build=0123456789ab ", text);
	unsigned good, bad;
	struct banner b;

	n += with_sum("@lab net link=up ", text + n);
	n += with_sum("@lab boot board=a build=ba9876543210 ", text + n);
	b = feed(text, n, n, &good, &bad);
	CHECK(b.boot && !b.net);
	CHECK_STR(b.build, "ba9876543210");
}

TEST(a_value_that_is_too_long_for_its_place_is_no_value)
{
	char line[200], out[4];
	size_t n = with_sum("@lab done workload=trigger ", line);
	struct console_line l;

	CHECK_EQ(console_parse(line, n - 2, &l), CONSOLE_GOOD);
	CHECK(!console_value(&l, "workload", out, sizeof out));
	CHECK_STR(out, "");
	CHECK(!console_value(&l, "nothing", out, sizeof out));
}

TEST(characters_that_no_value_may_have_make_a_line_bad)
{
	static const char *const lines[] = { "@lab net link=u/p ", "@lab net Link=up ", "@lab net link= ", "@lab net =up ", "@lab  net link=up ", "@lab net link=up  " };
	struct console_line l;
	char text[100];

	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
		CHECK_EQ(console_parse(text, with_sum(lines[i], text) - 2, &l), CONSOLE_BAD);
}
