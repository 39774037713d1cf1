// SPDX-License-Identifier: GPL-2.0-or-later
/* The scripted boot loader: characters arrive at times, answers leave at times, and nothing here sleeps. */
#include "drivers/fake_isp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/mem.h"

enum { PAGE_WRITE_US = 10000, ERASE_US = 6000000, OUT_MAX = 65536 };
enum mode { OFF_LINE, AUTOBAUD, IDLE, IN_RECORD };

struct out { uint64_t at_ns; uint8_t byte; };

struct loader {
	struct fake_isp fake;
	struct line_setup setup;
	bool signals[3];
	enum mode mode;
	bool dead;
	uint64_t rx_free_ns, tx_free_ns, busy_until_ns;
	bool have_buffered;
	uint8_t buffered;
	unsigned to_chip, from_chip, characters, programmed_bytes;
	char record[2 * 260];
	size_t record_size;
	struct out *out;
	size_t first, count;
};

static struct loader *self(struct line *l)
{
	return (struct loader *)l;
}

static uint64_t character_ns(const struct loader *l)
{
	return 11 * NS_PER_S / l->setup.baud;
}

static bool every(unsigned *counter, unsigned n)
{
	return n && ++*counter % n == 0;
}

/* A character leaves the chip when its transmitter is free. */
static void emit(struct loader *l, uint64_t at_ns, uint8_t byte)
{
	if (l->dead || l->count == OUT_MAX)
		return;
	l->tx_free_ns = (at_ns > l->tx_free_ns ? at_ns : l->tx_free_ns) + character_ns(l);
	if (every(&l->from_chip, l->fake.faults.flip_echo_every))
		byte ^= 0x04;
	l->out[(l->first + l->count++) % OUT_MAX] = (struct out){ l->tx_free_ns, byte };
}

static void say(struct loader *l, uint64_t at_ns, const char *text)
{
	for (; *text; text++)
		emit(l, at_ns, (uint8_t)*text);
}

static void printed_byte(struct loader *l, uint64_t at_ns, uint8_t v)
{
	char text[8];

	snprintf(text, sizeof text, "%02X.\r\n", v);
	say(l, at_ns, text);
}

/* Busy programming: what arrives meanwhile is lost but for one character. */
static void work(struct loader *l, uint64_t at_ns, uint64_t us)
{
	l->busy_until_ns = at_ns + us * 1000;
	l->fake.programming_ns += us * 1000;
}

static void program(struct loader *l, uint64_t at_ns, unsigned at, const uint8_t *data, unsigned n)
{
	if (l->fake.faults.security != 0xFF) {
		say(l, at_ns, "P\r\n");
		return;
	}
	if (!n || at / 128 != (at + n - 1) / 128) {
		l->fake.foreign_types++;
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		if (l->fake.faults.die_after_bytes && ++l->programmed_bytes > l->fake.faults.die_after_bytes) {
			l->dead = true;
			return;
		}
		l->fake.flash[at + i] = l->fake.faults.stuck && at + i == l->fake.faults.stuck_at ? 0xFF : data[i];
	}
	l->fake.page_writes++;
	work(l, at_ns, PAGE_WRITE_US);
	say(l, l->busy_until_ns, l->fake.faults.answer_garbage ? "?\r\n" : ".\r\n");
}

static void function(struct loader *l, uint64_t at_ns, const uint8_t *data, unsigned n)
{
	if (n == 1 && data[0] == 7) {
		memset(l->fake.flash, 0xFF, sizeof l->fake.flash);
		l->fake.bsb = 0xFF;
		l->fake.sbv = 0xFC;
		l->fake.faults.security = 0xFF;
		work(l, at_ns, ERASE_US);
	} else if (n == 3 && data[0] == 6 && data[1] == 0 && l->fake.faults.security == 0xFF) {
		l->fake.bsb = data[2];
		work(l, at_ns, PAGE_WRITE_US);
	} else {
		l->fake.foreign_types++;
		say(l, at_ns, "P\r\n");
		return;
	}
	say(l, l->busy_until_ns, ".\r\n");
}

static void display(struct loader *l, uint64_t at_ns, const uint8_t *data)
{
	unsigned from = (unsigned)data[0] << 8 | data[1], to = (unsigned)data[2] << 8 | data[3];
	char text[8];

	if (l->fake.faults.security == 0xFC) {
		say(l, at_ns, "L\r\n");
		return;
	}
	if (l->fake.faults.empty_line_before_display)
		say(l, at_ns, "\r\n");
	for (unsigned at = from; at <= to && at - from < 0x400; at++) {
		if (at == from || at % 16 == 0) {
			snprintf(text, sizeof text, "%04X=", at);
			say(l, at_ns, text);
		}
		snprintf(text, sizeof text, "%02X", l->fake.flash[at]);
		say(l, at_ns, text);
		if (at == to || at % 16 == 15)
			say(l, at_ns, "\r\n");
	}
}

static void read_register(struct loader *l, uint64_t at_ns, const uint8_t *data)
{
	if (data[0] == 0 && data[1] < 4)
		printed_byte(l, at_ns, l->fake.faults.id[data[1]]);
	else if (data[0] == 7 && data[1] == 1)
		printed_byte(l, at_ns, l->fake.bsb);
	else
		l->fake.foreign_types++;
}

static void obey(struct loader *l, uint64_t at_ns, const uint8_t *r)
{
	unsigned reject = l->fake.faults.reject_after;

	l->fake.records++;
	if (reject && (l->fake.faults.reject_once ? l->fake.records == reject : l->fake.records >= reject)) {
		say(l, at_ns, "X\r\n");
		return;
	}
	switch (r[3]) {
	case 0:
		program(l, at_ns, (unsigned)r[1] << 8 | r[2], r + 4, r[0]);
		break;
	case 3:
		function(l, at_ns, r + 4, r[0]);
		break;
	case 4:
		display(l, at_ns, r + 4);
		break;
	case 5:
		read_register(l, at_ns, r + 4);
		break;
	default:
		l->fake.foreign_types++;
	}
}

static int nibble(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : 0;
}

static void take_digit(struct loader *l, uint64_t at_ns, uint8_t byte)
{
	uint8_t r[260] = { 0 }, sum = 0;

	l->record[l->record_size++] = (char)byte;
	if (l->record_size < 2)
		return;
	r[0] = (uint8_t)(nibble(l->record[0]) << 4 | nibble(l->record[1]));
	if (l->record_size < 2u * (r[0] + 5u))
		return;
	for (size_t i = 0; i < l->record_size / 2; i++) {
		r[i] = (uint8_t)(nibble(l->record[2 * i]) << 4 | nibble(l->record[2 * i + 1]));
		sum = (uint8_t)(sum + r[i]);
	}
	l->mode = IDLE;
	if (sum)
		say(l, at_ns, "X\r\n");
	else
		obey(l, at_ns, r);
}

static void take(struct loader *l, uint64_t at_ns, uint8_t byte)
{
	if (l->dead || l->fake.faults.silent)
		return;
	if (l->mode == AUTOBAUD && byte == 'U') {
		l->mode = IDLE;
		emit(l, at_ns, 'U');
	} else if (l->mode == IDLE && byte == ':') {
		l->mode = IN_RECORD;
		l->record_size = 0;
		emit(l, at_ns, ':');
	} else if (l->mode == IN_RECORD) {
		emit(l, at_ns, byte);
		take_digit(l, at_ns, byte);
	}
}

static void take_buffered(struct loader *l, uint64_t before_ns)
{
	if (!l->have_buffered || l->busy_until_ns > before_ns)
		return;
	l->have_buffered = false;
	take(l, l->busy_until_ns, l->buffered);
}

static void arrive(struct loader *l, uint64_t at_ns, uint8_t byte)
{
	take_buffered(l, at_ns);
	l->to_chip++;
	if (l->fake.faults.lose_every && l->to_chip % l->fake.faults.lose_every == 0)
		return;
	if (l->fake.faults.flip_every && l->to_chip % l->fake.faults.flip_every == 0)
		byte ^= 0x01;
	if (at_ns < l->busy_until_ns) {
		l->buffered = byte;
		l->have_buffered = true;
	} else {
		take(l, at_ns, byte);
	}
}

/* --- the line ------------------------------------------------------------------------------------------------------------------------------- */

static bool lost(struct loader *l, struct err *e)
{
	return l->fake.faults.unplug_after && l->characters > l->fake.faults.unplug_after && !err_set(e, ERR_LOST, "the adapter is gone");
}

static bool fake_open(struct line *line, const struct line_setup *s, struct err *e)
{
	(void)e;
	self(line)->setup = *s;
	return true;
}

static void restart(struct loader *l)
{
	bool psen = l->signals[LINE_RTS] && !l->fake.faults.application_runs;

	l->fake.resets++;
	l->count = 0;
	l->have_buffered = false;
	l->busy_until_ns = 0;
	l->fake.application = !psen && l->fake.bsb == 0;
	l->mode = l->fake.application || l->fake.faults.application_runs ? OFF_LINE : AUTOBAUD;
	if (l->mode == OFF_LINE)
		say(l, l->fake.now_ns, "@lab boot *00\r\n");
}

static bool fake_signal(struct line *line, enum line_signal which, bool asserted, struct err *e)
{
	struct loader *l = self(line);
	bool was = l->signals[which];

	if (lost(l, e))
		return false;
	l->signals[which] = asserted;
	if (which == LINE_DTR && was != asserted && asserted == l->fake.faults.inverted_reset)
		restart(l);
	return true;
}

static bool fake_write(struct line *line, const void *bytes, size_t n, uint64_t deadline_ns, struct err *e)
{
	struct loader *l = self(line);

	(void)deadline_ns;
	for (size_t i = 0; i < n; i++) {
		l->characters++;
		if (lost(l, e))
			return false;
		l->rx_free_ns = (l->fake.now_ns > l->rx_free_ns ? l->fake.now_ns : l->rx_free_ns) + character_ns(l);
		arrive(l, l->rx_free_ns, ((const uint8_t *)bytes)[i]);
	}
	return true;
}

static long fake_read(struct line *line, void *bytes, size_t n, size_t least, uint64_t deadline_ns, struct err *e)
{
	struct loader *l = self(line);
	size_t got = 0;

	if (lost(l, e))
		return -1;
	take_buffered(l, deadline_ns);
	while (got < n && l->count && l->out[l->first].at_ns <= deadline_ns && (got < least || l->out[l->first].at_ns <= l->fake.now_ns)) {
		struct out *o = &l->out[l->first];

		if (o->at_ns > l->fake.now_ns)
			l->fake.now_ns = o->at_ns;
		((uint8_t *)bytes)[got++] = o->byte;
		l->first = (l->first + 1) % OUT_MAX;
		l->count--;
	}
	if (got < least && deadline_ns > l->fake.now_ns)
		l->fake.now_ns = deadline_ns;
	return (long)got;
}

static bool fake_drop(struct line *line, struct err *e)
{
	struct loader *l = self(line);

	(void)e;
	while (l->count && l->out[l->first].at_ns <= l->fake.now_ns) {
		l->first = (l->first + 1) % OUT_MAX;
		l->count--;
	}
	return true;
}

static uint64_t fake_now(struct line *line)
{
	return self(line)->fake.now_ns;
}

static void fake_close(struct line *line)
{
	(void)line;
}

static void fake_destroy(struct line *line)
{
	free(self(line)->out);
	free(line);
}

static const struct line_ops ops = {
	.name = "fake", .open = fake_open, .setup = fake_open, .signal = fake_signal, .write = fake_write, .read = fake_read, .drop_input = fake_drop,
	.now_ns = fake_now, .close = fake_close, .destroy = fake_destroy,
};

struct fake_isp *fake_isp_create(const struct fake_faults *faults)
{
	struct loader *l = xcalloc(1, sizeof *l);

	l->fake.line.ops = &ops;
	l->fake.faults = *faults;
	if (!faults->id[0])
		memcpy(l->fake.faults.id, "\x58\xD7\xEC\xEF", 4);
	if (!faults->security)
		l->fake.faults.security = 0xFF;
	memset(l->fake.flash, 0xFF, sizeof l->fake.flash);
	l->fake.bsb = 0xFF;
	l->fake.sbv = 0xFC;
	l->setup.baud = 115200;
	l->out = xcalloc(OUT_MAX, sizeof *l->out);
	return &l->fake;
}

void fake_isp_power_cycle(struct fake_isp *f)
{
	struct loader *l = (struct loader *)f;

	l->dead = false;
	l->fake.now_ns = l->rx_free_ns = l->tx_free_ns = 0;                  /* time begins anew, as in turns */
	restart(l);
}
