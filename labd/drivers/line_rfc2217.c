// SPDX-License-Identifier: GPL-2.0-or-later
/* The serial line behind an RFC 2217 server: rfc2217_client.c speaks, the board's pace carries the bytes and the time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/mem.h"
#include "drivers/line_drivers.h"
#include "drivers/rfc2217_client.h"

enum { ANSWER_MS = 5000, CONNECT_MS = 5000 };

struct line_rfc2217 {
	struct line line;
	struct pace *pace;
	struct endpoint to;
	struct link *link;
	struct rfc2217_client *client;
	struct line_setup now;
};

static struct line_rfc2217 *self(struct line *l)
{
	return (struct line_rfc2217 *)l;
}

static bool lost(const struct line_rfc2217 *r, struct err *e)
{
	return err_set(e, ERR_LOST, "the connection to %s port %u is gone", r->to.host, r->to.port);
}

/* Everything that has arrived, without waiting. */
static bool pump(struct line_rfc2217 *r, struct err *e)
{
	uint8_t bytes[4096];
	long n;

	while ((n = link_recv(r->link, bytes, sizeof bytes, NULL)) > 0)
		rfc2217_client_input(r->client, bytes, (size_t)n);
	if (n < 0 || link_state(r->link) & LINK_RESET)
		return lost(r, e);
	return rfc2217_client_check(r->client, e);
}

/* Wait for raw bytes, or for room to send. At the end of the stream there is nothing to wait for. */
static bool wait_for(struct line_rfc2217 *r, uint64_t received, uint64_t room, uint64_t deadline_ns, struct err *e)
{
	struct link_want want = { r->link, received, room };

	if (link_state(r->link) & LINK_EOF)
		return lost(r, e);
	return pace_wait(r->pace, &want, 1, deadline_ns, e) && pump(r, e);
}

/* Hand over what waits to be sent. *done: all of it went. */
static bool send_some(struct line_rfc2217 *r, bool *done, struct err *e)
{
	struct buf *out = rfc2217_client_output(r->client);

	while (out->size) {
		long n = link_send(r->link, out->bytes, out->size, NULL);

		if (n < 0)
			return lost(r, e);
		if (n == 0)
			break;
		buf_drop(out, (size_t)n);
	}
	*done = !out->size;
	return true;
}

static bool flush(struct line_rfc2217 *r, uint64_t deadline_ns, struct err *e)
{
	const struct buf *out = rfc2217_client_output(r->client);
	bool done = false;

	for (;;) {
		bool suspended = rfc2217_client_suspended(r->client);

		if (!suspended && !send_some(r, &done, e))
			return false;
		if (done)
			return true;
		if (pace_now_ns(r->pace) >= deadline_ns)
			return err_set(e, ERR_TIMEOUT, "%zu bytes could not be sent in time: the server takes no more", out->size);
		if (!wait_for(r, suspended ? link_received(r->link) + 1 : 0, suspended ? 0 : link_sent(r->link) + out->size, deadline_ns, e))
			return false;
	}
}

/* Until each set is answered. */
static bool settle(struct line_rfc2217 *r, struct err *e)
{
	uint64_t deadline = pace_now_ns(r->pace) + ANSWER_MS * NS_PER_MS;

	while (flush(r, deadline, e) && pump(r, e)) {
		if (rfc2217_client_settled(r->client))
			return true;
		if (pace_now_ns(r->pace) >= deadline)
			return err_set(e, ERR_TIMEOUT, "no answer from the RFC 2217 server at %s port %u within %d ms (waited for: %s)", r->to.host, r->to.port, ANSWER_MS,
				rfc2217_client_waits_for(r->client));
		if (!wait_for(r, link_received(r->link) + 1, 0, deadline, e))
			return false;
	}
	return false;
}

static bool connected(struct line_rfc2217 *r, struct err *e)
{
	uint64_t deadline = pace_now_ns(r->pace) + CONNECT_MS * NS_PER_MS;
	struct link_want want = { r->link, 1, 0 };

	while (!(link_state(r->link) & LINK_OPEN)) {
		if (link_state(r->link) & (LINK_RESET | LINK_EOF))
			return err_set(e, ERR_LOST, "nobody listens at %s port %u", r->to.host, r->to.port);
		if (pace_now_ns(r->pace) >= deadline)
			return err_set(e, ERR_TIMEOUT, "no connection to %s port %u within %d ms", r->to.host, r->to.port, CONNECT_MS);
		if (!pace_wait(r->pace, &want, 1, deadline, e))
			return false;
	}
	return true;
}

static void ask_setup(struct line_rfc2217 *r, const struct line_setup *s)
{
	rfc2217_client_set(r->client, RFC2217_BAUDRATE, s->baud);
	rfc2217_client_set(r->client, RFC2217_DATASIZE, s->data_bits);
	rfc2217_client_set(r->client, RFC2217_PARITY, s->parity == 'N' ? 1 : s->parity == 'O' ? 2 : 3);
	rfc2217_client_set(r->client, RFC2217_STOPSIZE, s->stop_bits);
}

static void release(struct line_rfc2217 *r)
{
	link_close(r->link, false);
	rfc2217_client_destroy(r->client);
	r->link = NULL;
	r->client = NULL;
}

static bool open_line(struct line *l, const struct line_setup *s, struct err *e)
{
	struct line_rfc2217 *r = self(l);

	if (!pace_open(r->pace, &r->to, "uart0", &r->link, e))
		return false;
	r->client = rfc2217_client_create();
	rfc2217_client_set(r->client, RFC2217_CONTROL, RFC2217_DTR_OFF);
	rfc2217_client_set(r->client, RFC2217_CONTROL, RFC2217_RTS_OFF);
	rfc2217_client_set(r->client, RFC2217_CONTROL, RFC2217_NO_FLOW_CONTROL);
	ask_setup(r, s);
	if (!connected(r, e) || !settle(r, e)) {
		release(r);
		return false;
	}
	r->now = *s;
	return true;
}

static bool setup(struct line *l, const struct line_setup *s, struct err *e)
{
	struct line_rfc2217 *r = self(l);

	if (r->now.baud == s->baud && r->now.data_bits == s->data_bits && r->now.parity == s->parity && r->now.stop_bits == s->stop_bits)
		return true;
	r->now.baud = 0;                                                     /* until it is confirmed */
	ask_setup(r, s);
	if (!settle(r, e))
		return false;
	r->now = *s;
	return true;
}

static bool set_signal(struct line *l, enum line_signal which, bool asserted, struct err *e)
{
	static const uint8_t values[][2] = {
		[LINE_DTR] = { RFC2217_DTR_OFF, RFC2217_DTR_ON }, [LINE_RTS] = { RFC2217_RTS_OFF, RFC2217_RTS_ON }, [LINE_BREAK] = { RFC2217_BREAK_OFF, RFC2217_BREAK_ON },
	};

	rfc2217_client_set(self(l)->client, RFC2217_CONTROL, values[which][asserted]);
	return settle(self(l), e);
}

static bool write_bytes(struct line *l, const void *bytes, size_t n, uint64_t deadline_ns, struct err *e)
{
	rfc2217_client_send(self(l)->client, bytes, n);
	return flush(self(l), deadline_ns, e);
}

static long read_bytes(struct line *l, void *bytes, size_t n, size_t least, uint64_t deadline_ns, struct err *e)
{
	struct line_rfc2217 *r = self(l);
	struct buf *data = rfc2217_client_data(r->client);
	bool ok = pump(r, e);

	/* A raw byte brings at most one data byte, so a want of the bytes that are missing never waits too long. */
	while (ok && data->size < least && pace_now_ns(r->pace) < deadline_ns)
		ok = wait_for(r, link_received(r->link) + (least - data->size), 0, deadline_ns, e);
	if (!ok && !data->size)
		return -1;
	if (n > data->size)
		n = data->size;
	if (n)
		memcpy(bytes, data->bytes, n);
	buf_drop(data, n);
	return (long)n;
}

/* The answer to a purge comes behind all that was on its way; what is dropped still belongs to the record. */
static bool drop_input(struct line *l, struct err *e)
{
	struct line_rfc2217 *r = self(l);
	struct buf *data = rfc2217_client_data(r->client);

	rfc2217_client_set(r->client, RFC2217_PURGE, 1);
	if (!settle(r, e))
		return false;
	if (data->size && l->heard)
		l->heard(l->opaque, pace_now_ns(r->pace), data->bytes, data->size);
	buf_clear(data);
	return true;
}

static uint64_t now_ns(struct line *l)
{
	return pace_now_ns(self(l)->pace);
}

static void close_line(struct line *l)
{
	release(self(l));
}

static void destroy(struct line *l)
{
	free(l);
}

static const struct line_ops ops = {
	.name = "rfc2217", .open = open_line, .setup = setup, .signal = set_signal, .write = write_bytes, .read = read_bytes, .drop_input = drop_input,
	.now_ns = now_ns, .close = close_line, .destroy = destroy,
};

struct line *line_rfc2217_create(struct pace *pace, const char *host, uint16_t port)
{
	struct line_rfc2217 *r = xcalloc(1, sizeof *r);

	r->line.ops = &ops;
	r->pace = pace;
	r->to = (struct endpoint){ .proto = LINK_TCP, .port = port };
	snprintf(r->to.host, sizeof r->to.host, "%s", host);
	return &r->line;
}
