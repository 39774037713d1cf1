// SPDX-License-Identifier: GPL-2.0-or-later
/* Inside the worker only: its struct, and what it tells while an attempt goes on. */
#ifndef LAB_RUN_WORKER_OWN_H
#define LAB_RUN_WORKER_OWN_H

#include <pthread.h>

#include "run/attempt.h"
#include "run/worker.h"

struct worker {
	struct worker_site site;
	const struct runner_board *rb;
	pthread_t thread;
	bool started;

	pthread_mutex_t lock;                                                /* all below */
	pthread_cond_t wake;
	bool stopping, awake, cancelled, too_long;
	struct board *board;                                                 /* open; set and used by the thread, cancelled by others */
	int64_t run, attempt;                                                /* 0 = nothing runs */
	uint64_t deadline_ns, since_ns;
	const char *state;
	char step[16], cell[256];
	size_t done, total;
};

/* Tell everybody; the document is released. */
void worker_publish(struct worker *w, const char *event, json_t *document);
void worker_tell_state(struct worker *w, const char *state, const char *step);

/* Why the attempt should end, if it should. */
enum attempt_stop worker_stop_reason(void *opaque);

/* What an attempt asks and tells. */
struct attempt_watch worker_attempt_watch(struct worker *w);

#endif
