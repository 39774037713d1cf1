// SPDX-License-Identifier: GPL-2.0-or-later
/* A bench without a capture: everything succeeds and there is no file. */
#include <stdlib.h>

#include "core/mem.h"
#include "drivers/tap_drivers.h"

static bool none_start(struct tap *t, const char *file, struct err *e)
{
	(void)t, (void)file, (void)e;
	return true;
}

static bool none_stop(struct tap *t, uint64_t frames, struct err *e)
{
	(void)t, (void)frames, (void)e;
	return true;
}

static void none_destroy(struct tap *t)
{
	free(t);
}

static const struct tap_ops none_ops = { .name = "none", .captures = false, .start = none_start, .stop = none_stop, .destroy = none_destroy };

struct tap *tap_none_create(void)
{
	struct tap *t = xcalloc(1, sizeof *t);

	t->ops = &none_ops;
	return t;
}
