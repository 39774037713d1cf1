// SPDX-License-Identifier: GPL-2.0-or-later
/* Inside the worker only: its struct, and what it tells while an attempt goes on. */
#ifndef LAB_RUN_WORKER_OWN_H
#define LAB_RUN_WORKER_OWN_H

#include <pthread.h>

#include "run/attempt.h"
#include "run/worker.h"

#define WORKER_HEARD_BYTES 512
/* A line that does not end is told in pieces of this long, so that a prompt is seen too. */
#define WORKER_HEARD_MS 50

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
	struct {                                                             /* console text that was heard and not told yet */
		char text[WORKER_HEARD_BYTES];
		size_t size;
		uint64_t at_ns, since_ns;                                    /* of its first byte: in the board's time, in the host's */
	} heard;
};

/* Tell everybody; the document is released. */
void worker_publish(struct worker *w, const char *event, json_t *document);
void worker_tell_state(struct worker *w, const char *state, const char *step);

/* Tell the console text that was heard longer than that ago; 0: all of it. Any thread. */
void worker_tell_heard(struct worker *w, unsigned older_than_ms);

/* Why the attempt should end, if it should. */
enum attempt_stop worker_stop_reason(void *opaque);

/* What an attempt asks and tells. */
struct attempt_watch worker_attempt_watch(struct worker *w);

#endif
