// SPDX-License-Identifier: GPL-2.0-or-later
/* Bytes to and from the boot loader. What is sent goes out at once, and the echo is read while it is on its way, so the line is never idle. */
#include "drivers/isp_session.h"

#include <stdio.h>
#include <string.h>

#include "core/clock.h"

enum {
	RESETS = 3, REPEATS = 3, REPEATS_TOTAL = 60,
	RESET_MS = 20,                                                       /* RST high; 2 machine cycles would do, the rest is for RC circuits */
	START_MS = 30,                                                       /* from RST low to a loader that listens */
	SYNC_MS = 100,
	RECORD_TEXT_MAX = 1 + 2 * (4 + ISP_RECORD_MAX + 1),
};

/* A deadline some time from now, the total one at the latest. */
static uint64_t deadline(const struct isp *s, uint32_t ms)
{
	uint64_t at = line_now_ns(s->line) + ms * NS_PER_MS;

	return at < s->total_deadline_ns ? at : s->total_deadline_ns;
}

static bool in_time(const struct isp *s, struct err *e)
{
	return line_now_ns(s->line) < s->total_deadline_ns || err_set(e, ERR_TIMEOUT, "the whole operation takes longer than %u ms", s->config.total_ms);
}

/* Let time pass; what arrives is dropped. */
static bool pause_ms(struct isp *s, uint32_t ms, struct err *e)
{
	uint64_t end = line_now_ns(s->line) + ms * NS_PER_MS;
	uint8_t drop[256];

	while (line_now_ns(s->line) < end)
		if (line_read(s->line, drop, sizeof drop, sizeof drop, end, e) < 0)
			return false;
	return true;
}

static bool drive(struct isp *s, const struct isp_pin *pin, bool active, struct err *e)
{
	return !pin->wired || line_signal(s->line, pin->signal, active != pin->inverted, e);
}

static bool pulse_reset(struct isp *s, struct err *e)
{
	return drive(s, &s->config.reset, true, e) && pause_ms(s, RESET_MS, e) && drive(s, &s->config.reset, false, e);
}

static bool power_cycle(struct isp *s, struct err *e)
{
	if (!s->config.power_cycle(s->config.opaque, e))
		return false;
	s->total_deadline_ns = line_now_ns(s->line) + s->config.total_ms * NS_PER_MS;   /* time may have begun anew; resets are counted */
	return true;
}

/* The chip samples PSEN at the falling edge of RST; it may be let go any time afterwards. */
static bool reset_chip(struct isp *s, bool into_loader, struct err *e)
{
	s->talking = false;
	return drive(s, &s->config.boot, into_loader, e)
		&& (s->config.reset.wired ? pulse_reset(s, e) : power_cycle(s, e))
		&& pause_ms(s, START_MS, e)
		&& drive(s, &s->config.boot, false, e);
}

struct heard {
	size_t count;
	uint8_t last;
};

/* One 'U' out; true when one came back. *heard: what else came. */
static bool sync_once(struct isp *s, bool *lost, struct heard *heard, struct err *e)
{
	uint64_t until;
	uint8_t byte;

	*lost = !line_drop_input(s->line, e) || !line_write(s->line, "U", 1, deadline(s, s->config.step_ms), e);
	until = deadline(s, SYNC_MS);
	while (!*lost) {
		long n = line_read(s->line, &byte, 1, 1, until, e);

		if (n == 1 && byte == 'U')
			return true;
		*lost = n < 0;
		if (n <= 0)
			return false;
		heard->count++;
		heard->last = byte;
	}
	return false;
}

static bool no_sync(const struct isp *s, const struct heard *heard, struct err *e)
{
	if (!heard->count)
		return err_set(e, ERR_TIMEOUT, "the boot loader is silent: no answer to 'U' at %u baud in %d resets (RST and PSEN wired, power on?)",
			s->config.baud, RESETS);
	return err_set(e, ERR_PROTOCOL, "no 'U' came back at %u baud in %d resets, but %zu other characters, the last %02Xh: noise, or the application runs",
		s->config.baud, RESETS, heard->count, heard->last);
}

bool isp_connect(struct isp *s, struct err *e)
{
	struct heard heard = { 0 };
	bool lost = false;

	if (s->talking)
		return true;
	for (int reset = 0; reset < RESETS; reset++) {
		if (!in_time(s, e) || !reset_chip(s, true, e))
			return false;
		for (uint32_t i = 0; i < s->config.sync_tries && !s->talking; i++) {
			s->talking = sync_once(s, &lost, &heard, e);
			if (lost)
				return false;
		}
		if (s->talking)
			return true;
	}
	return no_sync(s, &heard, e);
}

bool isp_begin(struct isp *s, struct err *e)
{
	const struct line_setup setup = { s->config.baud, 8, 'N', 2 };       /* the loader asks for two stop bits (4235K) */

	s->repeats = 0;
	if (!(s->line->is_open ? line_setup(s->line, &setup, e) : line_open(s->line, &setup, e)))
		return false;
	s->total_deadline_ns = line_now_ns(s->line) + s->config.total_ms * NS_PER_MS;
	return true;
}

static size_t record_text(const struct isp_command *c, char out[RECORD_TEXT_MAX + 1])
{
	uint8_t sum = (uint8_t)(c->size + (c->at >> 8) + c->at + c->type);
	size_t n = (size_t)sprintf(out, ":%02X%04X%02X", (unsigned)c->size, c->at, c->type);

	for (size_t i = 0; i < c->size; i++) {
		n += (size_t)sprintf(out + n, "%02X", c->data[i]);
		sum = (uint8_t)(sum + c->data[i]);
	}
	return n + (size_t)sprintf(out + n, "%02X", (uint8_t)-sum);
}

/* One record on its way: what was sent, what came back. */
struct exchange {
	char sent[RECORD_TEXT_MAX + 1];
	size_t sent_size;
	char got[RECORD_TEXT_MAX + ISP_ANSWER_MAX + 1];
	size_t got_size;
};

static bool receive(struct isp *s, struct exchange *x, size_t up_to, uint64_t until, struct err *e)
{
	long n = 0;

	while (x->got_size < up_to && (n = line_read(s->line, x->got + x->got_size, up_to - x->got_size, up_to - x->got_size, until, e)) > 0)
		x->got_size += (size_t)n;
	x->got[x->got_size] = 0;
	return n >= 0;
}

/* ERR_PROTOCOL: noise; ERR_TIMEOUT: silence. */
static bool check_echo(const struct exchange *x, uint32_t ms, struct err *e)
{
	for (size_t i = 0; i < x->sent_size && i < x->got_size; i++)
		if (x->got[i] != x->sent[i])
			return err_set(e, ERR_PROTOCOL, "character %zu of %zu came back as %02Xh instead of %02Xh: noise on the line", i + 1, x->sent_size,
				(uint8_t)x->got[i], (uint8_t)x->sent[i]);
	if (!x->got_size)
		return err_set(e, ERR_TIMEOUT, "the boot loader is silent: no echo within %u ms", ms);
	if (x->got_size < x->sent_size)
		return err_set(e, ERR_TIMEOUT, "the echo stopped after %zu of %zu characters: a character was lost, or the chip stopped", x->got_size, x->sent_size);
	return true;
}

static bool send_in_lock_step(struct isp *s, struct exchange *x, struct err *e)
{
	for (size_t i = 0; i < x->sent_size; i++) {
		uint64_t until = deadline(s, s->config.step_ms);

		if (!line_write(s->line, x->sent + i, 1, until, e) || !receive(s, x, i + 1, until, e))
			return false;
		if (x->got_size != i + 1 || x->got[i] != x->sent[i])
			return true;                                         /* check_echo() says what is wrong */
	}
	return true;
}

/* Time for n characters of 11 bits. */
static uint32_t line_ms(const struct isp *s, size_t n)
{
	return (uint32_t)(n * 11 * 1000 / s->config.baud) + 1;
}

static bool send_record(struct isp *s, struct exchange *x, struct err *e)
{
	uint32_t ms = s->config.step_ms + line_ms(s, 2 * x->sent_size);

	if (s->config.lock_step)
		return send_in_lock_step(s, x, e) && check_echo(x, ms, e);
	return line_write(s->line, x->sent, x->sent_size, deadline(s, ms), e);
}

/* An error answer is one letter and CR LF, shorter than what was asked for. X comes after an echo that was right, so it is no trouble of the line. */
static const struct { char letter; enum err_code code; const char *sentence; } refusals[] = {
	{ 'X', ERR_MISMATCH, "the boot loader answered X: the record reached it with a wrong checksum" },
	{ 'P', ERR_DENIED, "the boot loader answered P: the chip is write-protected (security level 1 or 2); a full chip erase lifts it" },
	{ 'L', ERR_DENIED, "the boot loader answered L: the chip is read-protected (security level 2); a full chip erase lifts it" },
};

static bool refused(const char *answer, struct err *e)
{
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
		if (answer[0] == refusals[i].letter && (answer[1] == '\r' || answer[1] == '\n' || !answer[1]))
			return !err_set(e, refusals[i].code, "%s", refusals[i].sentence);
	return false;
}

/* First the least there can be, "." CR LF, then the rest: so a refusal is not waited out. */
static bool receive_answer(struct isp *s, struct exchange *x, const struct isp_command *c, struct err *e)
{
	uint32_t ms = (c->deadline_ms ? c->deadline_ms : s->config.step_ms) + line_ms(s, x->sent_size + c->answer_size);
	size_t whole = x->sent_size + c->answer_size, first = c->answer_size < 3 ? whole : x->sent_size + 3;
	uint64_t until = deadline(s, ms);
	const char *answer = x->got + x->sent_size;

	if (!receive(s, x, first, until, e) || !check_echo(x, ms, e))
		return false;
	if (x->got_size < first)
		return err_set(e, ERR_TIMEOUT, "no answer within %u ms after the record: the chip is busy or lost its power", ms);
	if (refused(answer, e))
		return false;
	if (answer[0] == '\r' && answer[1] == '\n')
		whole += 2;                                                  /* some loaders begin a display with an empty line */
	if (!receive(s, x, whole, until, e))
		return false;
	return x->got_size == whole
		|| err_set(e, ERR_TIMEOUT, "the answer stopped after %zu of %zu characters", x->got_size - x->sent_size, whole - x->sent_size);
}

static bool take_answer(struct exchange *x, const struct isp_command *c, struct err *e)
{
	char *from = x->got + x->sent_size;
	size_t n = x->got_size - x->sent_size;

	if (n >= 2 && !memcmp(from, "\r\n", 2)) {
		from += 2;
		n -= 2;
	}
	if (n < 2 || memcmp(from + n - 2, "\r\n", 2))
		return err_set(e, ERR_PROTOCOL, "the answer does not end with CR LF: noise on the line");
	from[n - 2] = 0;
	return c->take(c, from, e);
}

static bool command_once(struct isp *s, const struct isp_command *c, struct err *e)
{
	struct exchange x = { .got_size = 0 };

	x.sent_size = record_text(c, x.sent);
	return in_time(s, e) && send_record(s, &x, e) && receive_answer(s, &x, c, e) && take_answer(&x, c, e);
}

static bool is_noise(const struct err *e)
{
	return e->code == ERR_PROTOCOL || e->code == ERR_TIMEOUT || e->code == ERR_MISMATCH;
}

/* After X the loader waits for a record; after anything else nobody knows where it is. */
static bool recover(struct isp *s, const struct err *why, struct err *e)
{
	if (strstr(why->msg, "answered X"))
		return line_drop_input(s->line, e);
	s->talking = false;
	return isp_connect(s, e);
}

bool isp_command(struct isp *s, const struct isp_command *c, struct err *e)
{
	for (unsigned attempt = 0;; attempt++) {
		struct err why = { 0 }, then;

		if (command_once(s, c, &why))
			return true;
		if (!is_noise(&why))
			return err_set(e, why.code, "%s", why.msg);
		if (!in_time(s, &then))
			return err_set(e, then.code, "%s; last: %s", then.msg, why.msg);
		if (attempt == REPEATS || s->repeats == REPEATS_TOTAL)
			return err_set(e, why.code, "%s (%u times)", why.msg, attempt + 1);
		s->repeats++;
		if (!recover(s, &why, &then))
			return err_set(e, then.code, "%s; then %s", why.msg, then.msg);
	}
}

static bool take_point(const struct isp_command *c, const char *answer, struct err *e)
{
	(void)c;
	return !strcmp(answer, ".") || err_set(e, ERR_PROTOCOL, "the boot loader answered \"%.1s\" instead of \".\": noise on the line", answer);
}

bool isp_write(struct isp *s, uint8_t type, uint16_t at, const uint8_t *data, size_t size, uint32_t deadline_ms, struct err *e)
{
	return isp_command(s, &(struct isp_command){ .type = type, .at = at, .data = data, .size = size, .answer_size = 3, .deadline_ms = deadline_ms,
		.take = take_point }, e);
}

static int hex_value(const char *p, int digits)
{
	int v = 0;

	for (; digits; digits--, p++) {
		if (*p >= '0' && *p <= '9')
			v = v << 4 | (*p - '0');
		else if (*p >= 'A' && *p <= 'F')
			v = v << 4 | (*p - 'A' + 10);
		else if (*p >= 'a' && *p <= 'f')
			v = v << 4 | (*p - 'a' + 10);
		else
			return -1;
	}
	return v;
}

static bool take_byte(const struct isp_command *c, const char *answer, struct err *e)
{
	int v = hex_value(answer, 2);

	if (v < 0 || strcmp(answer + 2, "."))
		return err_set(e, ERR_PROTOCOL, "the boot loader answered \"%.4s\" where two hex digits and a point belong: noise on the line", answer);
	*c->out = (uint8_t)v;
	return true;
}

bool isp_get(struct isp *s, uint8_t group, uint8_t which, uint8_t *out, struct err *e)
{
	const uint8_t data[2] = { group, which };

	return isp_command(s, &(struct isp_command){ .type = 5, .data = data, .size = 2, .answer_size = 5, .take = take_byte, .out = out }, e);
}

/* Lines break at 16-byte addresses: "0120=" and two digits a byte. */
static size_t display_size(uint16_t at, size_t size)
{
	size_t lines = (at % 16u + size + 15) / 16;

	return lines * 7 + 2 * size;
}

static bool take_line(const char *p, uint32_t at, uint8_t *bytes, size_t n, struct err *e)
{
	if (hex_value(p, 4) != (int)at || p[4] != '=')
		return err_set(e, ERR_PROTOCOL, "the boot loader displays \"%.5s\" where the line of %04X belongs", p, (unsigned)at);
	for (size_t i = 0; i < n; i++) {
		int v = hex_value(p + 5 + 2 * i, 2);

		if (v < 0)
			return err_set(e, ERR_PROTOCOL, "no hex digits in the display of address %04X", (unsigned)(at + i));
		bytes[i] = (uint8_t)v;
	}
	return true;
}

/* c->data begins with the address. A display has no checksum: only what does not look like one is noticed here. */
static bool take_display(const struct isp_command *c, const char *answer, struct err *e)
{
	uint32_t at = (uint32_t)c->data[0] << 8 | c->data[1];

	for (size_t done = 0; done < c->out_size;) {
		size_t n = 16 - (at + done) % 16u;

		if (n > c->out_size - done)
			n = c->out_size - done;
		if (!take_line(answer, at + (uint32_t)done, c->out + done, n, e))
			return false;
		answer += 7 + 2 * n;
		done += n;
	}
	return true;
}

bool isp_display(struct isp *s, uint16_t at, uint8_t *bytes, size_t size, struct err *e)
{
	uint16_t last = (uint16_t)(at + size - 1);
	const uint8_t data[5] = { (uint8_t)(at >> 8), (uint8_t)at, (uint8_t)(last >> 8), (uint8_t)last, 0 };

	return isp_command(s, &(struct isp_command){ .type = 4, .data = data, .size = sizeof data, .answer_size = display_size(at, size), .take = take_display,
		.out = bytes, .out_size = size }, e);
}

bool isp_leave(struct isp *s, struct err *e)
{
	if (!s->line->is_open)
		return true;
	return reset_chip(s, false, e) && line_setup(s->line, &s->config.console, e) && line_drop_input(s->line, e);
}
