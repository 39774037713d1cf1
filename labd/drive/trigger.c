// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The host's side of `trigger`: one line out, n times count bytes in, every one compared with what docs/workloads.md says it must be. No
 * rate comes from here; that is measured on the wire.
 */
#include "drive/trigger.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "drive/exchange.h"
#include "wire/trigger_text.h"

enum { CHUNK = 32768, DATAGRAMS_A_WAIT = 32 };

static uint16_t trigger_port(const struct cell_params *p)
{
	(void)p;
	return TRIGGER_PORT;
}

static bool trigger_check(const struct cell_params *p, struct err *e)
{
	if (p->payload_bytes < 1 || p->payload_bytes > TRIGGER_PAYLOAD_MOST)
		return err_set(e, ERR_INVALID, "payload_bytes is %u: trigger takes 1 to %d", p->payload_bytes, TRIGGER_PAYLOAD_MOST);
	if (p->count < 1 || p->count > TRIGGER_COUNT_MOST)
		return err_set(e, ERR_INVALID, "count is %u: trigger takes 1 to %d", p->count, TRIGGER_COUNT_MOST);
	if (p->ack && p->proto != LINK_UDP)
		return err_set(e, ERR_INVALID, "ack is for transport udp: TCP acknowledges by itself");
	return true;
}

static void trigger_query(const struct cell_params *p, struct flow_query *q)
{
	q->kind = FLOW_TRIGGER;
	q->udp = p->proto == LINK_UDP;
	q->board_port = TRIGGER_PORT;
	q->payload_bytes = p->payload_bytes;
	q->count = p->count;
	q->ack = p->ack;
}

static const struct { const char *word, *meaning; } error_words[] = {
	{ "syntax", "it does not take our trigger line" },
	{ "range", "it does not allow this n or count" },
	{ "mss", "n is larger than the MSS it was offered" },
};

/* text: from "ERR " on, as far as it came. */
static bool error_line(struct exchange *x, const char *text, size_t n)
{
	const char *meaning = "a word that docs/workloads.md does not have";
	size_t size = n > 4 ? strcspn(text + 4, "\r\n") : 0;

	for (size_t i = 0; i < sizeof error_words / sizeof *error_words; i++)
		if (strlen(error_words[i].word) == size && memcmp(text + 4, error_words[i].word, size) == 0)
			meaning = error_words[i].meaning;
	return exchange_fail(x, TROUBLE_ERROR_LINE, "the board answered \"ERR %.*s\" to the trigger: %s", (int)size, text + 4, meaning);
}

/* The answer began with E, which no payload does: read on to the end of its line. */
static bool take_error_line(struct exchange *x, const uint8_t *begin, size_t n)
{
	char line[TRIGGER_LINE_MOST + 1] = "";
	long got = 1;

	n = n < TRIGGER_LINE_MOST ? n : TRIGGER_LINE_MOST;
	memcpy(line, begin, n);
	while (!memchr(line, '\n', n) && n < TRIGGER_LINE_MOST && got > 0) {
		got = exchange_take(x, line + n, TRIGGER_LINE_MOST - n, link_received(x->link) + 1, "an error line");
		n += got > 0 ? (size_t)got : 0;
	}
	line[n] = '\0';
	if (strncmp(line, "ERR ", 4) != 0)
		return exchange_fail(x, TROUBLE_WRONG_BYTE, "wrong byte at position 0: %02x, expected 00", begin[0]);
	return error_line(x, line, n);
}

static bool wrong_byte(struct exchange *x, const struct cell_params *p, uint64_t at, uint8_t is)
{
	uint32_t frame = (uint32_t)(at / p->payload_bytes), k = (uint32_t)(at % p->payload_bytes);

	return exchange_fail(x, TROUBLE_WRONG_BYTE, "wrong byte at position %" PRIu64 " (byte %u of frame %u): %02x, expected %02x", at, k, frame, is,
	                     (uint8_t)(k + 31 * frame));
}

static bool take_stream(struct exchange *x, const struct cell_params *p)
{
	static _Thread_local uint8_t bytes[CHUNK];
	uint64_t total = (uint64_t)p->payload_bytes * p->count, at = 0;
	char where[64];

	while (at < total) {
		size_t some = total - at < CHUNK ? (size_t)(total - at) : CHUNK;
		snprintf(where, sizeof where, "frame %" PRIu64 " of %u", at / p->payload_bytes, p->count);
		long got = exchange_take(x, bytes, some, at + some, where);
		if (got == 0)
			return exchange_fail(x, TROUBLE_CLOSED, "the board closed the connection at %s, %" PRIu64 " of %" PRIu64 " bytes had come",
			                     where, at, total);
		if (got < 0)
			return false;
		size_t right = trigger_stream_right(at, p->payload_bytes, bytes, (size_t)got);
		if (right < (size_t)got && at == 0 && bytes[0] == 'E')
			return take_error_line(x, bytes, (size_t)got);
		if (right < (size_t)got)
			return wrong_byte(x, p, at + right, bytes[right]);
		at += (uint64_t)got;
	}
	return true;
}

/* UDP: what one datagram is. */
enum datagram { DATAGRAM_DUE, DATAGRAM_AGAIN, DATAGRAM_FAILED };

static enum datagram out_of_sequence(struct exchange *x, uint32_t due, uint8_t came)
{
	uint8_t ahead = (uint8_t)(came - due);

	if (ahead < 128)
		exchange_fail(x, TROUBLE_SEQUENCE, "datagram %u came where datagram %u was due: missing or reordered", due + ahead, due);
	else
		exchange_fail(x, TROUBLE_SEQUENCE, "datagram %u came again where datagram %u was due: doubled or reordered",
		              due - (uint8_t)(due - came), due);
	return DATAGRAM_FAILED;
}

static enum datagram judge_datagram(struct exchange *x, const struct cell_params *p, uint32_t due, const uint8_t *bytes, size_t n)
{
	uint8_t came = trigger_frame_of(bytes[0]);
	size_t right = n == p->payload_bytes ? trigger_right(due, 0, bytes, n) : 0;

	if (n == p->payload_bytes && right == n)
		return DATAGRAM_DUE;
	if (n >= 5 && memcmp(bytes, "ERR ", 4) == 0)
		error_line(x, (const char *)bytes, n);
	else if (n != p->payload_bytes)
		exchange_fail(x, TROUBLE_WRONG_SIZE, "datagram %u has %zu bytes, %u were asked for", due, n, p->payload_bytes);
	else if (trigger_right(came, 0, bytes, n) < n)
		wrong_byte(x, p, (uint64_t)due * n + right, bytes[right]);
	else if (p->ack && due > 0 && came == (uint8_t)(due - 1))
		return DATAGRAM_AGAIN;
	else
		return out_of_sequence(x, due, came);
	return DATAGRAM_FAILED;
}

static bool acknowledge(struct exchange *x, uint32_t frame)
{
	char text[24];
	int n = snprintf(text, sizeof text, "ACK %u\n", frame);

	return exchange_send(x, text, (size_t)n);
}

static bool take_datagrams(struct exchange *x, const struct cell_params *p)
{
	uint8_t bytes[2048];
	char where[64];

	for (uint32_t due = 0; due < p->count;) {
		uint32_t rest = p->count - due, some = p->ack || rest < DATAGRAMS_A_WAIT ? 1 : DATAGRAMS_A_WAIT;
		snprintf(where, sizeof where, "datagram %u of %u", due, p->count);
		long got = exchange_take(x, bytes, sizeof bytes - 1, link_received(x->link) + some, where);
		if (got <= 0)
			return false;
		bytes[got] = '\0';
		enum datagram is = judge_datagram(x, p, due, bytes, (size_t)got);
		if (is == DATAGRAM_FAILED)
			return false;
		if (p->ack && !acknowledge(x, is == DATAGRAM_AGAIN ? due - 1 : due))
			return false;
		due += is == DATAGRAM_DUE;
	}
	return true;
}

static bool converse(struct exchange *x, const struct cell_params *p)
{
	char line[TRIGGER_LINE_MOST + 1];
	bool udp = p->proto == LINK_UDP;
	size_t n = trigger_line(line, p->payload_bytes, p->count, udp, p->ack);

	pace_mark(x->pace, PACE_MARK_BEGIN);
	if (!exchange_send(x, line, n) || !(udp ? take_datagrams : take_stream)(x, p)) {
		exchange_abandon(x);
		return false;
	}
	pace_mark(x->pace, PACE_MARK_END);
	return exchange_finish(x);
}

static bool trigger_drive(const struct cell_params *p, struct pace *pace, const struct endpoint *to, uint64_t deadline_ns,
                          enum cause *cause, struct err *e)
{
	struct err own;
	struct exchange x = { .pace = pace, .deadline_ns = deadline_ns, .cause = cause, .e = e ? e : &own };

	*cause = CAUSE_NONE;
	err_clear(x.e);
	return (exchange_open(&x, to) && converse(&x, p)) || err_prefix(x.e, "trigger");
}

const struct workload_ops trigger_workload = {
	.name = "trigger", .port = trigger_port, .check = trigger_check, .drive = trigger_drive, .query = trigger_query,
};
