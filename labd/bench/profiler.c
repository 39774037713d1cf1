// SPDX-License-Identifier: GPL-2.0-or-later
#include "bench/profiler.h"

static bool there(const struct profiler *p, struct err *e)
{
	return p || err_set(e, ERR_UNSUPPORTED, "this board cannot tell where its cycles go: only a virtual one can");
}

bool profiler_start(struct profiler *p, struct err *e)
{
	return there(p, e) && p->ops->start(p, e);
}

json_t *profiler_stop(struct profiler *p, struct err *e)
{
	return there(p, e) ? p->ops->stop(p, e) : NULL;
}

void profiler_destroy(struct profiler *p)
{
	if (p)
		p->ops->destroy(p);
}
