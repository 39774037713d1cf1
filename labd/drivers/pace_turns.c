// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Turns: the board's clock stands still until pace_wait() gives it a turn. What the board has taken and given is known by totals, never by
 * what a kernel buffer happens to hold, so a socket is read until the total is there and a write is as long as the credit.
 *
 * Links are told to the board in the order in which they were opened. A link that was closed stays in that list, read and thrown away,
 * until the board has ended its side too: FIN and RST can only enter the virtual world with a turn.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "core/clock.h"
#include "core/mem.h"
#include "drivers/pace_drivers.h"
#include "drivers/turns.h"

/* slack: the instruction at the deadline runs to its end. slice: a turn is no longer, so that a cancelled wait leaves none behind that
   would run into the next power-on. */
enum { SILENCE_MS = 10000, SLACK_NS = 1000000, SLICE_NS = 1000000000 };

static const struct link_want *want_of(const struct link *l, const struct link_want *wants, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (wants[i].link == l)
			return &wants[i];
	return NULL;
}

static size_t write_turn(struct turns *t, const struct link_want *wants, size_t n, uint64_t max_ns, char *line, size_t room)
{
	size_t at = (size_t)snprintf(line, room, "turn %" PRIu64 " %zu", max_ns, t->count);

	for (size_t i = 0; i < t->count; i++) {
		struct turns_link *l = t->links[i];
		const struct link_want *w = l->closed ? NULL : want_of(&l->base, wants, n);
		struct turn_want told = { .id = l->id, .sent = l->base.sent, .rx_want = w ? w->received : 0, .room_want = w ? w->room : 0,
			.fin = l->fin && !l->survives, .abort = l->abort && !l->survives };
		at += (size_t)turn_write_want(line + at, room - at, &told);
		assert(at < room - 1);
		l->told = true;
	}
	line[at++] = '\n';
	return at;
}

/* A closed link's bytes have no reader: out of the way, so that the board can end. */
static void throw_away(struct turns_link *l)
{
	char waste[4096];

	while (l->fd >= 0 && recv(l->fd, waste, sizeof waste, MSG_DONTWAIT) > 0)
		;
}

static bool note_link(struct turns *t, const struct turn_link *said, struct err *e)
{
	for (size_t i = 0; i < t->count; i++) {
		struct turns_link *l = t->links[i];
		if (strcmp(l->id, said->id) != 0)
			continue;
		if (said->given < l->given || said->limit < l->limit)
			return err_set(e, ERR_PROTOCOL,
			               "the virtual board's totals of link %s went back: given %" PRIu64 " after %" PRIu64 ", limit %" PRIu64 " after %" PRIu64,
			               l->id, said->given, l->given, said->limit, l->limit);
		l->given = said->given;
		l->limit = said->limit;
		l->state |= (unsigned)(said->open * LINK_OPEN | said->eof * LINK_EOF | said->reset * LINK_RESET);
		return true;
	}
	return err_set(e, ERR_PROTOCOL, "the virtual board spoke of link %s, which it was not told of", said->id);
}

static void bury_ended(struct turns *t)
{
	for (size_t i = t->count; i-- > 0;) {
		struct turns_link *l = t->links[i];
		if (!l->closed)
			continue;
		throw_away(l);
		if (l->abort || l->base.proto == LINK_UDP || (l->state & (LINK_EOF | LINK_RESET))) {
			turns_link_drop(t, l);
			turns_link_shut(l);
			free(l);
		}
	}
}

static bool note_stop(struct turns *t, const struct turn_stop *stop, uint64_t max_ns, struct err *e)
{
	if (stop->error)
		return err_set(e, ERR_LOST, "the virtual board: %s", stop->sentence[0] ? stop->sentence : "error without a reason");
	if (stop->now_ns < t->now_ns)
		return err_set(e, ERR_LOST, "the board's clock went back from %" PRIu64 " to %" PRIu64 " ns: somebody else switched its power", t->now_ns, stop->now_ns);
	if (stop->now_ns - t->now_ns > max_ns + SLACK_NS)
		return err_set(e, ERR_PROTOCOL, "the virtual board stopped at %" PRIu64 " ns, though its turn was %" PRIu64 " ns from %" PRIu64,
		               stop->now_ns, max_ns,
		               t->now_ns);
	if (stop->count != t->count)
		return err_set(e, ERR_PROTOCOL, "the virtual board answered for %zu links, it was told of %zu", stop->count, t->count);
	t->now_ns = stop->now_ns;
	t->frames = stop->frames;
	for (size_t i = 0; i < stop->count; i++)
		if (!note_link(t, &stop->links[i], e))
			return false;
	bury_ended(t);
	return true;
}

/* Reads on to the stop; alive lines say only that somebody is there. */
static bool read_stop(struct turns *t, struct turn_stop *stop, const char *what, struct err *e)
{
	char line[TURN_LINE_MOST];

	for (;;) {
		if (!turn_control_line(&t->control, line, what, e))
			return false;
		switch (turn_read(line, stop, e)) {
		case TURN_STOP:
			t->owed = false;
			return true;
		case TURN_ALIVE:
			break;
		case TURN_ERR:
			t->owed = false;
			return err_set(e, ERR_PROTOCOL, "the virtual board refused a turn: %s", stop->sentence);
		default:
			return false;
		}
	}
}

/* The time of a turn that nobody waited for to its end has passed all the same; its totals come again with the next stop. */
static bool settle(struct turns *t, struct err *e)
{
	struct turn_stop stop;

	if (!t->owed)
		return true;
	if (!read_stop(t, &stop, "the end of an earlier turn", e))
		return false;
	if (!t->owed_of_before && !stop.error)
		t->now_ns = stop.now_ns > t->now_ns ? stop.now_ns : t->now_ns;
	t->owed_of_before = false;
	return true;
}

static uint64_t turns_now_ns(struct pace *p)
{
	const struct turns *t = (const struct turns *)p;

	return t->off ? t->now_ns + clock_now_ns(&clock_host) - t->off_since_ns : t->now_ns;
}

/* Who talks to the board itself talks to nobody any more. True when somebody still did. */
static bool lose_network(struct turns *t)
{
	bool any = false;

	for (size_t i = 0; i < t->count; i++)
		if (!t->links[i]->survives && !(t->links[i]->state & LINK_RESET)) {
			t->links[i]->state |= LINK_RESET;
			any |= !t->links[i]->closed;
		}
	return any;
}

/*
 * Without power there is no virtual time and nobody counts, but the serial adapter, which hangs on USB and not on the board, talks all the
 * same: its bytes move as the sockets do, and time passes as the host's.
 */
static bool wait_without_power(struct turns *t, const struct link_want *wants, size_t n, uint64_t max_ns, struct err *e)
{
	struct pollfd fds[TURN_LINKS_MOST + 1];
	uint64_t until = clock_now_ns(&clock_host) + max_ns;
	size_t count = 0;
	int ready;

	if (!t->off)
		t->off_since_ns = clock_now_ns(&clock_host);
	t->off = true;
	t->slice_over = false;
	if (lose_network(t))
		return err_set(e, ERR_LOST, "the board's power is off: its connections are gone");
	bury_ended(t);
	for (size_t i = 0; i < t->count; i++)
		if (t->links[i]->survives && t->links[i]->fd >= 0 && want_of(&t->links[i]->base, wants, n))
			fds[count++] = (struct pollfd){ .fd = t->links[i]->fd, .events = POLLIN };
	fds[count] = (struct pollfd){ .fd = t->base.cancel_fd, .events = POLLIN };
	do
		ready = poll(fds, count + 1, clock_left_ms(&clock_host, until));
	while (ready < 0 && errno == EINTR);
	if (ready < 0)
		return err_errno(e, "poll");
	t->slice_over = ready == 0;
	return !fds[count].revents || err_set(e, ERR_CANCELLED, "cancelled");
}

static bool take_turn(struct turns *t, const struct link_want *wants, size_t n, uint64_t max_ns, struct err *e)
{
	char line[TURN_LINE_MOST], what[80];
	struct turn_stop stop;
	size_t size;

	if (!settle(t, e))
		return false;
	size = write_turn(t, wants, n, max_ns, line, sizeof line);
	snprintf(what, sizeof what, "the end of a turn of %" PRIu64 " ms from %" PRIu64 " ms", max_ns / 1000000, t->now_ns / 1000000);
	if (!turn_control_write(&t->control, line, size, e))
		return false;
	t->owed = true;
	if (!read_stop(t, &stop, what, e))
		return false;
	if (stop.error && strcmp(stop.sentence, "the power is off") == 0)
		return wait_without_power(t, wants, n, max_ns, e);
	t->off = false;
	t->slice_over = strcmp(stop.why, "deadline") == 0;
	return note_stop(t, &stop, max_ns, e);
}

static bool holds(const struct link_want *w)
{
	const struct turns_link *l = (const struct turns_link *)w->link;

	return (w->received && l->given >= w->received) || (w->room && l->limit >= w->room);
}

static bool cancelled(const struct turns *t)
{
	struct pollfd fd = { .fd = t->base.cancel_fd, .events = POLLIN };

	return poll(&fd, 1, 0) > 0;
}

/* The cut into turns moves nothing (docs/virtual-board.md "Time inside"). */
static bool turns_wait(struct pace *p, const struct link_want *wants, size_t n, uint64_t deadline_ns, struct err *e)
{
	struct turns *t = (struct turns *)p;

	for (size_t i = 0; i < n; i++)
		if (holds(&wants[i]))
			return true;
	for (t->slice_over = true; t->slice_over && turns_now_ns(p) < deadline_ns;) {
		uint64_t left = deadline_ns - turns_now_ns(p);
		if (cancelled(t))
			return err_set(e, ERR_CANCELLED, "cancelled");
		if (!take_turn(t, wants, n, left < SLICE_NS ? left : SLICE_NS, e))
			return false;
	}
	return true;
}

/* The earlier life's links have no counterpart any more; their owners still hold them, and close them in their own time. */
static void turns_restarted(struct pace *p)
{
	struct turns *t = (struct turns *)p;

	for (size_t i = t->count; i-- > 0;) {
		struct turns_link *l = t->links[i];
		if (l->survives)
			continue;
		turns_link_shut(l);
		l->state |= LINK_RESET;
		turns_link_drop(t, l);
		if (l->closed)
			free(l);
	}
	t->now_ns = t->frames = 0;
	t->off = false;
	t->owed_of_before = t->owed;
}

static uint64_t turns_frames(struct pace *p)
{
	return ((struct turns *)p)->frames;
}

static void turns_destroy(struct pace *p)
{
	struct turns *t = (struct turns *)p;

	while (t->count) {
		struct turns_link *l = t->links[0];
		turns_link_drop(t, l);
		turns_link_shut(l);
		free(l);
	}
	turn_control_close(&t->control);
	free(t);
}

static const struct pace_ops turns_ops = {
	.name = "turns", .now_ns = turns_now_ns, .open = turns_open, .send = turns_send, .recv = turns_recv, .wait = turns_wait, .state = turns_state,
	.shutdown = turns_shutdown, .close = turns_close, .restarted = turns_restarted, .frames = turns_frames, .destroy = turns_destroy,
};

static bool ask_for_turns(struct turns *t, struct err *e)
{
	static const char request[] = "clock turns\n";
	char line[TURN_LINE_MOST];

	if (!turn_control_write(&t->control, request, sizeof request - 1, e) || !turn_control_line(&t->control, line,
	                                                                                           "the answer to \"clock turns\"", e))
		return false;
	return strcmp(line, "ok") == 0 || err_set(e, ERR_PROTOCOL, "the virtual board answered \"clock turns\" with \"%.80s\"", line);
}

struct pace *pace_turns_create_with(const char *control_socket, unsigned silence_ms, struct err *e)
{
	struct turns *t = xcalloc(1, sizeof *t);

	if (!pace_init(&t->base, &turns_ops, e)) {
		free(t);
		return NULL;
	}
	if (turn_control_open(&t->control, control_socket, silence_ms, e) && ask_for_turns(t, e))
		return &t->base;
	pace_destroy(&t->base);
	return NULL;
}

struct pace *pace_turns_create(const char *control_socket, struct err *e)
{
	return pace_turns_create_with(control_socket, SILENCE_MS, e);
}
