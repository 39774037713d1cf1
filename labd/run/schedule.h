// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The scheduler: a thread that fires stored schedules, and the rules of when they are due (docs/schedule.md).
 *
 * Schedules are rows of the store, so they survive a restart. A due time that passed while the daemon was down is caught up once (or not,
 * as the schedule says); a due time while the schedule's last run is not finished is skipped and recorded as overlap.
 */
#ifndef LAB_RUN_SCHEDULE_H
#define LAB_RUN_SCHEDULE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/clock.h"
#include "core/err.h"

struct store;
struct runner;
struct scheduler;

/* What a person asks for. NULL: board and cell all, zone the host's (or UTC), catch_up "one". */
struct schedule_request {
	const char *name, *cron, *zone, *matrix, *board, *cell, *catch_up, *author;
};

/*
 * One look at the store: fire or skip what is due now; *next_ms is when to look again (0: nothing is scheduled). The thread calls it; tests
 * do too, with a clock of their own. start: called for each firing, makes the run. told: called with what became of each due time, once it
 * is stored; run: 0 = none; may be NULL.
 */
struct schedule_start {
	bool (*start)(void *opaque, const char *matrix, const char *board, const char *cell, int64_t schedule, int64_t due_ms, int64_t *run,
	              struct err *e);
	void (*told)(void *opaque, const char *schedule, const char *what, int64_t run);
	void *opaque;
};
bool schedule_look(struct store *s, const struct clock *clock, const struct schedule_start *start, int64_t *next_ms, struct err *e);

/* Takes and keeps schedules from now on; fires between start and stop. Start, stop and destroy: one thread; the rest: any. */
bool scheduler_create(struct store *s, struct runner *r, const struct clock *clock, struct scheduler **out, struct err *e);
bool scheduler_start(struct scheduler *s, struct err *e);
void scheduler_stop(struct scheduler *s);                                    /* ends the thread */
void scheduler_destroy(struct scheduler *s);                                 /* accepts NULL; stops first */

/* Check, store, and look again. A cron expression that never fires, an unknown zone or matrix: ERR_INVALID with the reason. */
bool scheduler_add(struct scheduler *s, const struct schedule_request *q, int64_t *id, struct err *e);
bool scheduler_enable(struct scheduler *s, const char *name, bool enabled, struct err *e);
bool scheduler_delete(struct scheduler *s, const char *name, struct err *e);

/* {cron, zone, next[{utc, local}]}: what an expression means, without storing it. */
json_t *schedule_preview(const struct clock *clock, const char *cron, const char *zone, unsigned count, struct err *e);

#endif
