// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One thread for one board: takes jobs of that board from the store, one at a time, and ends each in the store. It owns the board's
 * drivers. The functions here are for the runner, from any thread.
 */
#ifndef LAB_RUN_WORKER_H
#define LAB_RUN_WORKER_H

#include <jansson.h>

#include "run/images.h"
#include "run/runner.h"

struct worker;

/* What all workers share; borrowed. finished: a run has ended. */
struct worker_site {
	const struct runner_config *config;
	const struct images *images;
	void (*finished)(void *opaque, int64_t run);
	void *opaque;
};

bool worker_create(const struct worker_site *site, const struct runner_board *b, struct worker **out, struct err *e);
bool worker_start(struct worker *w, struct err *e);

/* Something may be queued. */
void worker_wake(struct worker *w);

/* End what it does for that run, soon. */
void worker_cancel(struct worker *w, int64_t run);

/* Looked at often by the watchdog: attempts beyond their deadline are ended, what a board began to print is told. */
void worker_watch(struct worker *w);

/* Ask it to end; then wait for it. What ended still answers, until it is destroyed. */
void worker_stop(struct worker *w);
void worker_join(struct worker *w);
void worker_destroy(struct worker *w);                                       /* accepts NULL; stops and joins first */

json_t *worker_live(struct worker *w);

#endif
