// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Seam: where a board's processor spends its cycles, by program counter. Drivers: virtual (its process counts). A real board has none: struct board holds NULL, and
 * profiler_start() says so. Counting changes nothing that the board does, nor when. Worker thread of the board only, between two waits.
 */
#ifndef LAB_BENCH_PROFILER_H
#define LAB_BENCH_PROFILER_H

#include <jansson.h>
#include <stdbool.h>

#include "core/err.h"

struct profiler;

struct profiler_ops {
	const char *name;
	bool (*start)(struct profiler *p, struct err *e);                    /* from zero */
	json_t *(*stop)(struct profiler *p, struct err *e);                  /* NULL on failure */
	void (*destroy)(struct profiler *p);
};

struct profiler {
	const struct profiler_ops *ops;
};

/* ERR_UNSUPPORTED: p is NULL. */
bool profiler_start(struct profiler *p, struct err *e);

/* The counts, which the caller releases: {"pc":{"0x1234":n,...},"total":n,"cycles":n,"hz":n,"ticks_per_cycle":n} as in docs/virtual-board.md. NULL on failure. */
json_t *profiler_stop(struct profiler *p, struct err *e);
void profiler_destroy(struct profiler *p);                                   /* accepts NULL */

#endif
