// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A link of the turns pace: what was given is read to the byte, waiting for a loopback that lags; what may be sent is written to the byte,
 * as long as there is credit.
 */
#include "drivers/turns.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/mem.h"
#include "drivers/host_socket.h"

enum { TCP_CREDIT = 65536, UDP_CREDIT = 16 };          /* until the board says more (docs/virtual-board.md "Turns") */

void turns_link_drop(struct turns *t, struct turns_link *l)
{
	size_t i = 0;

	while (i < t->count && t->links[i] != l)
		i++;
	if (i == t->count)
		return;
	memmove(&t->links[i], &t->links[i + 1], (t->count - i - 1) * sizeof *t->links);
	t->count--;
}

void turns_link_shut(struct turns_link *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
}

static bool await_connected(struct turns *t, int fd, const struct endpoint *to, struct err *e)
{
	int ready = host_socket_poll(fd, POLLOUT, t->base.cancel_fd, turn_control_patience(&t->control), e);

	if (ready == 0)
		return err_set(e, ERR_TIMEOUT, "connect to %s port %u: no answer in %u ms", to->host, to->port, t->control.silence_ms);
	int why = ready > 0 ? host_socket_error(fd) : 0;

	/* Accepted and reset at once is a connection all the same: the next turn tells what became of it, and why. */
	if (why != 0 && why != ECONNRESET && (errno = why))
		return err_errno(e, "connect to %s port %u", to->host, to->port);
	return ready > 0;
}

bool turns_open(struct pace *p, const struct endpoint *to, const char *id, struct link **out, struct err *e)
{
	struct turns *t = (struct turns *)p;
	bool pending, is_udp = to->proto == LINK_UDP;
	int fd;

	if (t->count == TURN_LINKS_MOST)
		return err_set(e, ERR_FULL, "more than %d links of one board are open", TURN_LINKS_MOST);
	if ((fd = host_socket_open(to, &pending, e)) < 0)
		return false;
	if (pending && !await_connected(t, fd, to, e)) {
		close(fd);
		return false;
	}
	struct turns_link *l = xcalloc(1, sizeof *l);
	l->base = (struct link){ .pace = p, .proto = to->proto, .local_port = host_socket_port(fd) };
	l->fd = fd;
	l->limit = is_udp ? UDP_CREDIT : TCP_CREDIT;
	l->survives = id != NULL;
	l->state = is_udp || id ? LINK_OPEN : 0;
	if (id)
		snprintf(l->id, sizeof l->id, "%s", id);
	else
		snprintf(l->id, sizeof l->id, "%s%u", is_udp ? "u" : "", l->base.local_port);
	t->links[t->count++] = l;
	*out = &l->base;
	return true;
}

static long lost(const struct turns_link *l, const char *verb, struct err *e)
{
	err_set(e, ERR_LOST, "%s: the connection was %s", verb, l->state & LINK_OPEN ? "reset" : "refused");
	return -1;
}

/* Loopback may lag behind what the totals say: wait for it, a bounded time. */
static bool await_socket(struct turns_link *l, short events, const char *verb, struct err *e)
{
	struct turns *t = (struct turns *)l->base.pace;
	int ready = host_socket_poll(l->fd, events, t->base.cancel_fd, turn_control_patience(&t->control), e);

	if (ready == 0)
		return err_set(e, ERR_TIMEOUT,
		               "%s: link %s was stuck for %u ms at %" PRIu64 " bytes sent and %" PRIu64 " received of %" PRIu64 " given", verb, l->id,
		               t->control.silence_ms, l->base.sent, l->base.received, l->given);
	return ready > 0;
}

static long send_all(struct turns_link *l, const uint8_t *bytes, size_t n, struct err *e)
{
	size_t done = 0;

	while (done < n) {
		long some = send(l->fd, bytes + done, n - done, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (some >= 0)
			done += (size_t)some;
		else if (errno != EAGAIN && errno != EINTR)
			return err_errno(e, "send") - 1;
		else if (!await_socket(l, POLLOUT, "send", e))
			return -1;
	}
	return (long)n;
}

long turns_send(struct link *base, const void *bytes, size_t n, struct err *e)
{
	struct turns_link *l = (struct turns_link *)base;
	uint64_t credit = l->limit - base->sent;

	if (l->fd < 0 || (l->state & LINK_RESET))
		return lost(l, "send", e);
	if (base->proto == LINK_UDP)
		return credit ? send_all(l, bytes, n, e) : 0;
	return send_all(l, bytes, n < credit ? n : (size_t)credit, e);
}

static long recv_some(struct turns_link *l, uint8_t *bytes, size_t n, struct err *e)
{
	for (;;) {
		long some = recv(l->fd, bytes, n, MSG_DONTWAIT);
		if (some > 0 || (some == 0 && l->base.proto == LINK_UDP))
			return some;
		if (some == 0) {
			err_set(e, ERR_PROTOCOL, "link %s ended at %" PRIu64 " bytes, though the virtual board has given %" PRIu64, l->id,
			        l->base.received, l->given);
			return -1;
		}
		if (errno != EAGAIN && errno != EINTR)
			return err_errno(e, "receive") - 1;
		if (!await_socket(l, POLLIN, "receive", e))
			return -1;
	}
}

/* Without power: what the adapter has said so far. It counts on, and tells the total with the next turn. */
static long recv_uncounted(struct turns_link *l, void *bytes, size_t n, struct err *e)
{
	long some = recv(l->fd, bytes, n, MSG_DONTWAIT);

	if (some == 0 && n > 0)
		l->state |= LINK_EOF;
	if (some >= 0 || errno == EAGAIN || errno == EINTR)
		return some > 0 ? some : 0;
	return err_errno(e, "receive") - 1;
}

long turns_recv(struct link *base, void *bytes, size_t n, struct err *e)
{
	struct turns_link *l = (struct turns_link *)base;
	uint64_t there = l->given > base->received ? l->given - base->received : 0;

	if (l->fd < 0 || (l->state & LINK_RESET))
		return lost(l, "receive", e);
	if (((struct turns *)base->pace)->off && there == 0)
		return recv_uncounted(l, bytes, n, e);
	if (there == 0 || n == 0)
		return 0;
	if (base->proto == LINK_UDP)
		return recv_some(l, bytes, n, e);
	n = n < there ? n : (size_t)there;
	for (size_t done = 0; done < n;) {
		long some = recv_some(l, (uint8_t *)bytes + done, n - done, e);
		if (some < 0)
			return -1;
		done += (size_t)some;
	}
	return (long)n;
}

unsigned turns_state(struct link *l)
{
	return ((struct turns_link *)l)->state;
}

void turns_shutdown(struct link *base)
{
	struct turns_link *l = (struct turns_link *)base;

	l->fin = true;
	if (l->fd >= 0)
		shutdown(l->fd, SHUT_WR);
}

void turns_close(struct link *base, bool abort)
{
	struct turns_link *l = (struct turns_link *)base;
	struct turns *t = (struct turns *)base->pace;
	bool over = l->survives || !l->told || l->fd < 0 || (l->state & LINK_RESET) || ((l->state & LINK_EOF) && l->fin && !abort);

	if (over) {
		turns_link_drop(t, l);
		turns_link_shut(l);
		free(l);
		return;
	}
	l->closed = true;
	l->abort = abort;
	if (!abort)
		turns_shutdown(base);
}
