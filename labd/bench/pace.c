// SPDX-License-Identifier: GPL-2.0-or-later
/* What is the same for every pace: totals of the links, and cancelling, which is an eventfd that each driver's polls include. */
#include "bench/pace.h"

#include <assert.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

bool pace_init(struct pace *p, const struct pace_ops *ops, struct err *e)
{
	p->ops = ops;
	p->marked = NULL;
	p->cancel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return p->cancel_fd >= 0 || err_errno(e, "pace %s: eventfd", ops->name);
}

uint64_t pace_now_ns(struct pace *p)
{
	return p->ops->now_ns(p);
}

bool pace_open(struct pace *p, const struct endpoint *to, const char *id, struct link **out, struct err *e)
{
	return p->ops->open(p, to, id, out, e);
}

static bool cancelled(const struct pace *p)
{
	struct pollfd fd = { .fd = p->cancel_fd, .events = POLLIN };

	return poll(&fd, 1, 0) > 0;
}

bool pace_wait(struct pace *p, const struct link_want *wants, size_t n, uint64_t deadline_ns, struct err *e)
{
	if (cancelled(p))
		return err_set(e, ERR_CANCELLED, "cancelled");
	return p->ops->wait(p, wants, n, deadline_ns, e);
}

void pace_restarted(struct pace *p)
{
	eventfd_t count;

	eventfd_read(p->cancel_fd, &count);
	p->ops->restarted(p);
}

void pace_mark(struct pace *p, enum pace_mark m)
{
	if (p->marked)
		p->marked(p->opaque, m);
}

uint64_t pace_frames(struct pace *p)
{
	return p->ops->frames(p);
}

void pace_cancel(struct pace *p)
{
	eventfd_write(p->cancel_fd, 1);
}

void pace_destroy(struct pace *p)
{
	if (!p)
		return;
	close(p->cancel_fd);
	p->ops->destroy(p);
}

static void count(uint64_t *total, const struct link *l, long n)
{
	if (n > 0)
		*total += l->proto == LINK_UDP ? 1 : (uint64_t)n;
}

long link_send(struct link *l, const void *bytes, size_t n, struct err *e)
{
	long took = l->pace->ops->send(l, bytes, n, e);

	assert(took <= (long)n);
	count(&l->sent, l, took);
	return took;
}

long link_recv(struct link *l, void *bytes, size_t n, struct err *e)
{
	long got = l->pace->ops->recv(l, bytes, n, e);

	assert(got <= (long)n);
	count(&l->received, l, got);
	return got;
}

unsigned link_state(struct link *l)
{
	return l->pace->ops->state(l);
}

uint64_t link_sent(const struct link *l)
{
	return l->sent;
}

uint64_t link_received(const struct link *l)
{
	return l->received;
}

void link_shutdown(struct link *l)
{
	l->pace->ops->shutdown(l);
}

void link_close(struct link *l, bool abort)
{
	if (l)
		l->pace->ops->close(l, abort);
}
