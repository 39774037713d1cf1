// SPDX-License-Identifier: GPL-2.0-or-later
/* Real time: the kernel's sockets as they are. Every link is polled in every wait, because an event of any of them ends it. */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/mem.h"
#include "drivers/host_socket.h"
#include "drivers/pace_drivers.h"

enum { LINKS_MOST = 16 };

struct wall_link {
	struct link base;
	int fd;                              /* -1 = gone */
	unsigned state;
	bool pending;                        /* connect() goes on */
	bool survives;                       /* the serial line's, over a power cycle */
};

struct wall {
	struct pace base;
	struct wall_link *links[LINKS_MOST];
	size_t count;
};

static uint64_t wall_now_ns(struct pace *p)
{
	(void)p;
	return clock_now_ns(&clock_host);
}

static bool wall_open(struct pace *p, const struct endpoint *to, const char *id, struct link **out, struct err *e)
{
	struct wall *w = (struct wall *)p;
	bool pending;
	int fd;

	if (w->count == LINKS_MOST)
		return err_set(e, ERR_FULL, "more than %d links of one board are open", LINKS_MOST);
	if ((fd = host_socket_open(to, &pending, e)) < 0)
		return false;
	struct wall_link *l = xcalloc(1, sizeof *l);
	l->base = (struct link){ .pace = p, .proto = to->proto, .local_port = host_socket_port(fd) };
	l->fd = fd;
	l->pending = pending;
	l->survives = id != NULL;
	l->state = pending ? 0 : LINK_OPEN;
	w->links[w->count++] = l;
	*out = &l->base;
	return true;
}

static void lose(struct wall_link *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
	l->state |= LINK_RESET;
}

static long lost(const struct wall_link *l, const char *verb, struct err *e)
{
	err_set(e, ERR_LOST, "%s: the connection was %s", verb, l->state & LINK_OPEN ? "reset" : "refused");
	return -1;
}

static long failed(struct wall_link *l, const char *verb, struct err *e)
{
	if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)
		return 0;
	err_errno(e, "%s", verb);
	lose(l);
	return -1;
}

static long wall_send(struct link *base, const void *bytes, size_t n, struct err *e)
{
	struct wall_link *l = (struct wall_link *)base;

	if (l->fd < 0)
		return lost(l, "send", e);
	if (l->pending)
		return 0;
	long took = send(l->fd, bytes, n, MSG_NOSIGNAL | MSG_DONTWAIT);
	return took >= 0 ? took : failed(l, "send", e);
}

static long wall_recv(struct link *base, void *bytes, size_t n, struct err *e)
{
	struct wall_link *l = (struct wall_link *)base;

	if (l->fd < 0)
		return lost(l, "receive", e);
	if (l->pending || n == 0)
		return 0;
	if (base->proto == LINK_TCP)
		host_socket_quickack(l->fd);
	long got = recv(l->fd, bytes, n, MSG_DONTWAIT);
	if (got == 0 && base->proto == LINK_TCP)
		l->state |= LINK_EOF;
	return got >= 0 ? got : failed(l, "receive", e);
}

static const struct link_want *want_of(const struct link *l, const struct link_want *wants, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (wants[i].link == l)
			return &wants[i];
	return NULL;
}

/* The kernel wakes when this much is there, so that a wait for a whole answer is one wait. It caps the value to what its buffer holds. */
static void want_bytes(struct wall_link *l, uint64_t n)
{
	int least = n > INT32_MAX ? INT32_MAX : (int)n;

	if (l->base.proto == LINK_TCP) {
		host_socket_quickack(l->fd);
		setsockopt(l->fd, SOL_SOCKET, SO_RCVLOWAT, &least, sizeof least);
	}
}

static short events_for(struct wall_link *l, const struct link_want *want)
{
	short events = 0;

	if (l->pending)
		return POLLOUT;
	if (want && want->received > l->base.received) {
		want_bytes(l, want->received - l->base.received);
		events |= POLLIN;
	}
	if (want && want->room > l->base.sent)
		events |= POLLOUT;
	if (!(l->state & LINK_EOF) && l->base.proto == LINK_TCP)
		events |= POLLRDHUP;
	return events;
}

/* What poll() found of one link, as state. */
static void note_events(struct wall_link *l, short events)
{
	if (events & (POLLERR | POLLNVAL))
		lose(l);
	else if (events & POLLRDHUP)
		l->state |= LINK_EOF;
	if (l->pending && (events & POLLOUT) && l->fd >= 0) {
		l->pending = false;
		l->state |= LINK_OPEN;
	}
}

static size_t gather(struct wall *w, const struct link_want *wants, size_t n, struct pollfd *fds, struct wall_link **who)
{
	size_t count = 0;

	for (size_t i = 0; i < w->count; i++) {
		struct wall_link *l = w->links[i];
		if (l->fd < 0)
			continue;
		who[count] = l;
		fds[count++] = (struct pollfd){ .fd = l->fd, .events = events_for(l, want_of(&l->base, wants, n)) };
	}
	return count;
}

static bool holds_already(const struct link_want *wants, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((wants[i].received && wants[i].link->received >= wants[i].received) || (wants[i].room && wants[i].link->sent >= wants[i].room))
			return true;
	return false;
}

/* A link whose both ends are closed would make poll() return at once for ever: POLLHUP cannot be asked away, so it is left out. */
static void leave_out_ended(struct pollfd *fds, struct wall_link **who, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (fds[i].events == 0 && (who[i]->state & LINK_EOF))
			fds[i].fd = -1;
}

static bool wall_wait(struct pace *p, const struct link_want *wants, size_t n, uint64_t deadline_ns, struct err *e)
{
	struct wall *w = (struct wall *)p;
	struct pollfd fds[LINKS_MOST + 1];
	struct wall_link *who[LINKS_MOST];
	size_t count;
	int ready;

	if (holds_already(wants, n))
		return true;
	count = gather(w, wants, n, fds, who);
	leave_out_ended(fds, who, count);
	fds[count] = (struct pollfd){ .fd = p->cancel_fd, .events = POLLIN };
	do
		ready = poll(fds, count + 1, clock_left_ms(&clock_host, deadline_ns));
	while (ready < 0 && errno == EINTR);
	if (ready < 0)
		return err_errno(e, "poll");
	for (size_t i = 0; i < count; i++)
		note_events(who[i], fds[i].revents);
	return !fds[count].revents || err_set(e, ERR_CANCELLED, "cancelled");
}

static unsigned wall_state(struct link *l)
{
	return ((struct wall_link *)l)->state;
}

static void wall_shutdown(struct link *base)
{
	struct wall_link *l = (struct wall_link *)base;

	if (l->fd >= 0)
		shutdown(l->fd, SHUT_WR);
}

static void wall_close(struct link *base, bool abort)
{
	struct wall_link *l = (struct wall_link *)base;
	struct wall *w = (struct wall *)base->pace;
	size_t i = 0;

	while (i < w->count && w->links[i] != l)
		i++;
	assert(i < w->count);
	memmove(&w->links[i], &w->links[i + 1], (w->count - i - 1) * sizeof *w->links);
	w->count--;
	if (l->fd >= 0 && abort)
		host_socket_abort(l->fd);
	else if (l->fd >= 0)
		close(l->fd);
	free(l);
}

static void wall_restarted(struct pace *p)
{
	struct wall *w = (struct wall *)p;

	for (size_t i = 0; i < w->count; i++)
		if (!w->links[i]->survives)
			lose(w->links[i]);
}

static uint64_t wall_frames(struct pace *p)
{
	(void)p;
	return UINT64_MAX;
}

static void wall_destroy(struct pace *p)
{
	struct wall *w = (struct wall *)p;

	while (w->count)
		wall_close(&w->links[0]->base, false);
	free(w);
}

static const struct pace_ops wall_ops = {
	.name = "wall", .now_ns = wall_now_ns, .open = wall_open, .send = wall_send, .recv = wall_recv, .wait = wall_wait, .state = wall_state,
	.shutdown = wall_shutdown, .close = wall_close, .restarted = wall_restarted, .frames = wall_frames, .destroy = wall_destroy,
};

struct pace *pace_wall_create(struct err *e)
{
	struct wall *w = xcalloc(1, sizeof *w);

	if (pace_init(&w->base, &wall_ops, e))
		return &w->base;
	free(w);
	return NULL;
}
