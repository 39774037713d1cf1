// SPDX-License-Identifier: GPL-2.0-or-later
#include "bench/tap.h"

#include <stddef.h>

bool tap_start(struct tap *t, const char *file, struct err *e)
{
	t->captured = t->dropped = 0;
	return t->ops->start(t, file, e) || err_prefix(e, "tap %s", t->ops->name);
}

bool tap_stop(struct tap *t, uint64_t frames, struct err *e)
{
	if (!t->ops->stop(t, frames, e))
		return err_prefix(e, "tap %s", t->ops->name);
	if (t->dropped)
		return err_set(e, ERR_FULL, "tap %s: %llu of %llu frames were dropped: no figure can come from this capture", t->ops->name,
		               (unsigned long long)t->dropped, (unsigned long long)(t->captured + t->dropped));
	return true;
}

bool tap_captures(const struct tap *t)
{
	return t->ops->captures;
}

void tap_destroy(struct tap *t)
{
	if (t)
		t->ops->destroy(t);
}
