// SPDX-License-Identifier: GPL-2.0-or-later
/* The line seam: arguments checked, errors named, and every byte that arrives told to whoever keeps the record. */
#include "bench/line.h"

#include <assert.h>
#include <string.h>

static bool check_setup(const struct line_setup *s, struct err *e)
{
	if (s->baud < 50 || s->baud > 4000000)
		return err_set(e, ERR_INVALID, "%u baud: 50 to 4000000", s->baud);
	if (s->data_bits < 5 || s->data_bits > 8 || !s->parity || !strchr("NEO", s->parity) || s->stop_bits < 1 || s->stop_bits > 2)
		return err_set(e, ERR_INVALID, "%u%c%u: 5 to 8 data bits, parity N, E or O, 1 or 2 stop bits", s->data_bits, s->parity ? s->parity : '?', s->stop_bits);
	return true;
}

static bool need_open(const struct line *l, struct err *e)
{
	return l->is_open || err_set(e, ERR_CONFLICT, "line %s: not open", l->ops->name);
}

bool line_open(struct line *l, const struct line_setup *s, struct err *e)
{
	assert(!l->is_open);
	if (!check_setup(s, e) || !l->ops->open(l, s, e))
		return err_prefix(e, "line %s", l->ops->name);
	l->is_open = true;
	return true;
}

bool line_setup(struct line *l, const struct line_setup *s, struct err *e)
{
	return need_open(l, e) && ((check_setup(s, e) && l->ops->setup(l, s, e)) || err_prefix(e, "line %s", l->ops->name));
}

bool line_signal(struct line *l, enum line_signal which, bool asserted, struct err *e)
{
	return need_open(l, e) && (l->ops->signal(l, which, asserted, e) || err_prefix(e, "line %s", l->ops->name));
}

bool line_write(struct line *l, const void *bytes, size_t n, uint64_t deadline_ns, struct err *e)
{
	return need_open(l, e) && (!n || l->ops->write(l, bytes, n, deadline_ns, e) || err_prefix(e, "line %s", l->ops->name));
}

long line_read(struct line *l, void *bytes, size_t n, size_t least, uint64_t deadline_ns, struct err *e)
{
	long got;

	if (!need_open(l, e))
		return -1;
	if (!n)
		return 0;
	got = l->ops->read(l, bytes, n, least < n ? least : n, deadline_ns, e);
	if (got < 0)
		err_prefix(e, "line %s", l->ops->name);
	if (got > 0 && l->heard)
		l->heard(l->opaque, l->ops->now_ns(l), bytes, (size_t)got);
	return got;
}

bool line_drop_input(struct line *l, struct err *e)
{
	return need_open(l, e) && (l->ops->drop_input(l, e) || err_prefix(e, "line %s", l->ops->name));
}

uint64_t line_now_ns(struct line *l)
{
	return l->ops->now_ns(l);
}

void line_close(struct line *l)
{
	if (l->is_open)
		l->ops->close(l);
	l->is_open = false;
}

void line_destroy(struct line *l)
{
	if (!l)
		return;
	line_close(l);
	l->ops->destroy(l);
}
