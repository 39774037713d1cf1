// SPDX-License-Identifier: GPL-2.0-or-later
#include "drive/exchange.h"

#include <inttypes.h>
#include <stdarg.h>

#include "core/clock.h"

#define FINISH_NS (2 * NS_PER_S)             /* for the board's FIN; its own retransmission is due after 1 s */
#define LAST_TURN_NS (10 * NS_PER_MS)

static const struct { enum err_code code; enum cause cause; } blame[TROUBLES] = {
	[TROUBLE_REFUSED] = { ERR_LOST, CAUSE_FIRMWARE },
	[TROUBLE_UNANSWERED] = { ERR_TIMEOUT, CAUSE_NETWORK },
	[TROUBLE_RESET] = { ERR_LOST, CAUSE_BOARD },
	[TROUBLE_CLOSED] = { ERR_LOST, CAUSE_BOARD },
	[TROUBLE_SILENT] = { ERR_TIMEOUT, CAUSE_BOARD },
	[TROUBLE_ERROR_LINE] = { ERR_PROTOCOL, CAUSE_FIRMWARE },
	[TROUBLE_WRONG_BYTE] = { ERR_MISMATCH, CAUSE_FIRMWARE },
	[TROUBLE_WRONG_SIZE] = { ERR_MISMATCH, CAUSE_FIRMWARE },
	[TROUBLE_SEQUENCE] = { ERR_MISMATCH, CAUSE_NETWORK },
};

/* A pace fails for reasons of its own: its codes, and who is behind them. The rest is the host's. */
static const struct { enum err_code code; enum cause cause; } pace_blame[] = {
	{ ERR_CANCELLED, CAUSE_NONE }, { ERR_PROTOCOL, CAUSE_DAEMON },
};

bool exchange_fail(struct exchange *x, enum trouble t, const char *fmt, ...)
{
	va_list ap;

	*x->cause = blame[t].cause;
	va_start(ap, fmt);
	err_setv(x->e, blame[t].code, fmt, ap);
	va_end(ap);
	return false;
}

bool exchange_pace_failed(struct exchange *x)
{
	*x->cause = CAUSE_HOST;
	for (size_t i = 0; x->e && i < sizeof pace_blame / sizeof *pace_blame; i++)
		if (pace_blame[i].code == x->e->code)
			*x->cause = pace_blame[i].cause;
	return false;
}

static bool time_is_up(const struct exchange *x)
{
	return pace_now_ns(x->pace) >= x->deadline_ns;
}

static bool lost(struct exchange *x, const char *where)
{
	if (x->link->proto == LINK_UDP)
		return exchange_fail(x, TROUBLE_REFUSED, "the board's UDP port is closed: does its firmware serve this workload?");
	return exchange_fail(x, TROUBLE_RESET, "the board reset the connection at %s", where);
}

static bool await_open(struct exchange *x, const struct endpoint *to)
{
	uint64_t began = pace_now_ns(x->pace);

	for (;;) {
		unsigned state = link_state(x->link);
		if (state & LINK_RESET)
			return exchange_fail(x, TROUBLE_REFUSED, "port %u of the board refuses the connection: does its firmware serve this workload?",
			                     to->port);
		if (state & LINK_OPEN)
			return true;
		if (time_is_up(x))
			return exchange_fail(x, TROUBLE_UNANSWERED, "the board did not answer a connection to %s port %u within %" PRIu64 " ms: no link, or it does not run",
			                     to->host, to->port, (uint64_t)((pace_now_ns(x->pace) - began) / NS_PER_MS));
		if (!pace_wait(x->pace, NULL, 0, x->deadline_ns, x->e))
			return exchange_pace_failed(x);
	}
}

bool exchange_open(struct exchange *x, const struct endpoint *to)
{
	x->link = NULL;
	if (!pace_open(x->pace, to, NULL, &x->link, x->e)) {
		exchange_pace_failed(x);
		return false;
	}
	if (await_open(x, to))
		return true;
	exchange_abandon(x);
	return false;
}

bool exchange_send(struct exchange *x, const void *bytes, size_t n)
{
	const uint8_t *at = bytes;

	while (n > 0) {
		long took = link_send(x->link, at, n, x->e);
		if (took < 0)
			return link_state(x->link) & LINK_RESET ? lost(x, "the host's line") : exchange_pace_failed(x);
		at += took;
		n -= (size_t)took;
		struct link_want room = { .link = x->link, .room = link_sent(x->link) + 1 };
		if (n > 0 && time_is_up(x))
			return exchange_fail(x, TROUBLE_SILENT, "the board takes no bytes: %zu of the host's line are left", n);
		if (n > 0 && !pace_wait(x->pace, &room, 1, x->deadline_ns, x->e))
			return exchange_pace_failed(x);
	}
	return true;
}

long exchange_take(struct exchange *x, void *bytes, size_t room, uint64_t received, const char *where)
{
	struct link_want want = { .link = x->link, .received = received };

	for (;;) {
		unsigned state = link_state(x->link);
		long got = link_recv(x->link, bytes, room, x->e);
		if (got > 0)
			return got;
		if (got < 0)
			return (link_state(x->link) & LINK_RESET ? lost(x, where) : exchange_pace_failed(x)) - 1;
		if (state & LINK_EOF)
			return 0;
		if (time_is_up(x))
			return exchange_fail(x, TROUBLE_SILENT, "nothing more came from the board at %s until the deadline: it hangs, or its cable is out", where) - 1;
		if (!pace_wait(x->pace, &want, 1, x->deadline_ns, x->e))
			return exchange_pace_failed(x) - 1;
	}
}

static bool await_end(struct exchange *x)
{
	uint8_t late[64];
	long got;

	link_shutdown(x->link);
	if (x->deadline_ns > pace_now_ns(x->pace) + FINISH_NS)
		x->deadline_ns = pace_now_ns(x->pace) + FINISH_NS;
	got = exchange_take(x, late, sizeof late, link_received(x->link) + 1, "the end of the connection");
	return got == 0 || (got > 0 && exchange_fail(x, TROUBLE_WRONG_SIZE, "the board sent bytes beyond the last frame"));
}

/* The board has sent what was asked for; that its end comes late or as a reset changes no figure, so only late bytes are an error. */
bool exchange_finish(struct exchange *x)
{
	bool ok = link_state(x->link) & LINK_OPEN;

	if (x->link->proto == LINK_TCP && !await_end(x))
		ok = *x->cause == CAUSE_BOARD;
	if (!ok) {
		exchange_abandon(x);
		return false;
	}
	*x->cause = CAUSE_NONE;
	err_clear(x->e);
	uint64_t end = pace_now_ns(x->pace) + LAST_TURN_NS;
	while (ok && pace_now_ns(x->pace) < end)
		ok = pace_wait(x->pace, NULL, 0, end, x->e) || exchange_pace_failed(x);
	link_close(x->link, false);
	x->link = NULL;
	return ok;
}

void exchange_abandon(struct exchange *x)
{
	struct err unheard = { .code = ERR_NONE };

	if (!x->link)
		return;
	link_close(x->link, true);
	x->link = NULL;
	uint64_t end = pace_now_ns(x->pace) + LAST_TURN_NS;
	while (pace_now_ns(x->pace) < end && pace_wait(x->pace, NULL, 0, end, &unheard))
		;
}
