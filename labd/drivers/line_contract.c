// SPDX-License-Identifier: GPL-2.0-or-later
/* The contract of the line seam, as tests over any fixture. */
#include "drivers/line_contract.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "core/clock.h"

static struct err e;
static const struct line_setup usual = { 115200, 8, 'N', 1 };

#define SECONDS(l, n) (line_now_ns(l) + (n) * NS_PER_S)
#define END_IF(cond) do { if (!(cond)) { test_fail(__FILE__, __LINE__, "%s: %s", #cond, e.msg); goto end; } } while (0)

static struct line *begin(const struct line_fixture *fixture)
{
	struct line *l = fixture->create();

	err_clear(&e);
	if (!l && fixture->skip && *fixture->skip)
		test_skip("%s", *fixture->skip);
	else if (!l)
		test_fail(__FILE__, __LINE__, "the fixture has no line");
	return l;
}

/* Exactly n bytes at the far end within 10 s. */
static bool far_receives(int fd, uint8_t *bytes, size_t n)
{
	for (size_t got = 0; got < n;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		ssize_t some;

		if (poll(&p, 1, 10000) <= 0)
			return false;
		some = read(fd, bytes + got, n - got);
		if (some <= 0)
			return false;
		got += (size_t)some;
	}
	return true;
}

static bool far_sends(int fd, const void *bytes, size_t n)
{
	return write(fd, bytes, n) == (ssize_t)n;
}

void line_contract_both_ways(const struct line_fixture *fixture)
{
	struct line *l = begin(fixture);
	uint8_t all[256], back[256];

	if (!l)
		return;
	for (unsigned i = 0; i < 256; i++)
		all[i] = (uint8_t)i;
	END_IF(line_open(l, &usual, &e));
	END_IF(line_write(l, all, sizeof all, SECONDS(l, 10), &e));
	END_IF(far_receives(fixture->far_end(), back, sizeof back));
	END_IF(!memcmp(all, back, sizeof all));
	memset(back, 0, sizeof back);
	END_IF(far_sends(fixture->far_end(), all, sizeof all));
	END_IF(line_read(l, back, sizeof back, sizeof back, SECONDS(l, 10), &e) == 256);
	END_IF(!memcmp(all, back, sizeof all));
end:
	fixture->destroy(l);
}

void line_contract_deadline(const struct line_fixture *fixture)
{
	struct line *l = begin(fixture);
	uint8_t bytes[10];
	uint64_t until;
	long n;

	if (!l)
		return;
	END_IF(line_open(l, &usual, &e));
	END_IF(far_sends(fixture->far_end(), "abc", 3));
	END_IF(line_read(l, bytes, 3, 3, SECONDS(l, 10), &e) == 3);
	END_IF(far_sends(fixture->far_end(), "de", 2));
	until = line_now_ns(l) + 300 * NS_PER_MS;
	n = line_read(l, bytes, sizeof bytes, sizeof bytes, until, &e);
	END_IF(n == 2 && line_now_ns(l) >= until);
	END_IF(line_read(l, bytes, sizeof bytes, 0, SECONDS(l, 10), &e) == 0);
end:
	fixture->destroy(l);
}

void line_contract_least(const struct line_fixture *fixture)
{
	struct line *l = begin(fixture);
	uint8_t bytes[100];
	uint64_t before;

	if (!l)
		return;
	END_IF(line_open(l, &usual, &e));
	END_IF(far_sends(fixture->far_end(), "hello", 5));
	before = line_now_ns(l);
	END_IF(line_read(l, bytes, sizeof bytes, 5, SECONDS(l, 60), &e) == 5);
	END_IF(line_now_ns(l) - before < 30 * NS_PER_S);
	END_IF(!memcmp(bytes, "hello", 5));
end:
	fixture->destroy(l);
}

void line_contract_drop(const struct line_fixture *fixture)
{
	struct line *l = begin(fixture);
	uint8_t byte = 0;

	if (!l)
		return;
	END_IF(line_open(l, &usual, &e));
	END_IF(far_sends(fixture->far_end(), "old.", 4));
	END_IF(line_read(l, &byte, 1, 1, SECONDS(l, 10), &e) == 1 && byte == 'o');
	END_IF(line_read(l, &byte, 1, 1, SECONDS(l, 10), &e) == 1 && byte == 'l');
	END_IF(line_drop_input(l, &e));
	END_IF(far_sends(fixture->far_end(), "N", 1));
	END_IF(line_read(l, &byte, 1, 1, SECONDS(l, 10), &e) == 1 && byte == 'N');
end:
	fixture->destroy(l);
}

static void record(void *opaque, uint64_t at_ns, const uint8_t *bytes, size_t n)
{
	char *to = opaque;

	(void)at_ns;
	strncat(to, (const char *)bytes, n);
}

void line_contract_record(const struct line_fixture *fixture)
{
	struct line *l = begin(fixture);
	char heard[40] = "", bytes[10];

	if (!l)
		return;
	l->heard = record;
	l->opaque = heard;
	END_IF(line_open(l, &usual, &e));
	END_IF(far_sends(fixture->far_end(), "read,", 5));
	END_IF(line_read(l, bytes, 5, 5, SECONDS(l, 10), &e) == 5);
	END_IF(far_sends(fixture->far_end(), "dropped,", 8));
	END_IF(line_read(l, bytes, 1, 1, SECONDS(l, 10), &e) == 1);
	for (int i = 0; i < 100 && strlen(heard) < 13; i++) {
		END_IF(line_drop_input(l, &e));
		usleep(10000);
	}
	END_IF(!strcmp(heard, "read,dropped,"));
end:
	fixture->destroy(l);
}

void line_contract_setups(const struct line_fixture *fixture)
{
	struct line *l = begin(fixture);
	uint8_t byte;

	if (!l)
		return;
	END_IF(line_open(l, &usual, &e));
	END_IF(line_setup(l, &(struct line_setup){ 9600, 8, 'N', 2 }, &e));
	END_IF(line_setup(l, &usual, &e));
	END_IF(!line_setup(l, &(struct line_setup){ 115200, 9, 'N', 1 }, &e) && e.code == ERR_INVALID);
	END_IF(line_signal(l, LINE_DTR, true, &e) && line_signal(l, LINE_RTS, true, &e));
	END_IF(line_signal(l, LINE_DTR, false, &e) && line_signal(l, LINE_RTS, false, &e));
	END_IF(far_sends(fixture->far_end(), "x", 1));
	END_IF(line_read(l, &byte, 1, 1, SECONDS(l, 10), &e) == 1 && byte == 'x');
end:
	fixture->destroy(l);
}

void line_contract_reopen(const struct line_fixture *fixture)
{
	struct line *l = begin(fixture);
	uint8_t byte;

	if (!l)
		return;
	for (int i = 0; i < 3; i++) {
		END_IF(line_open(l, &usual, &e));
		END_IF(line_write(l, "?", 1, SECONDS(l, 10), &e));
		END_IF(far_receives(fixture->far_end(), &byte, 1) && byte == '?');
		line_close(l);
	}
end:
	fixture->destroy(l);
}

void line_contract_closed(const struct line_fixture *fixture)
{
	struct line *l = begin(fixture);
	uint8_t byte;

	if (!l)
		return;
	END_IF(!line_write(l, "?", 1, 0, &e) && e.code == ERR_CONFLICT);
	END_IF(line_read(l, &byte, 1, 1, 0, &e) == -1 && e.code == ERR_CONFLICT);
	END_IF(!line_signal(l, LINE_DTR, true, &e) && !line_drop_input(l, &e) && !line_setup(l, &usual, &e));
	line_close(l);
end:
	fixture->destroy(l);
}

void line_contract_lost(const struct line_fixture *fixture)
{
	struct line *l = begin(fixture);
	uint64_t before;
	uint8_t byte;
	long n;

	if (!l)
		return;
	END_IF(line_open(l, &usual, &e));
	fixture->vanish();
	before = clock_now_ns(&clock_host);
	while ((n = line_read(l, &byte, 1, 1, SECONDS(l, 5), &e)) > 0)
		continue;
	END_IF(n == -1 && e.code == ERR_LOST);
	END_IF(clock_now_ns(&clock_host) - before < 2 * NS_PER_S);
end:
	fixture->destroy(l);
}
