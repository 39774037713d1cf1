// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The supervisor: one vboard process per virtual entry of a bench, on a thread of its own. It starts them, reads their ready lines, starts them again
 * with back-off when they end, and ends them. A process ends with us: at end of file on its life pipe, and by PR_SET_PDEATHSIG.
 */
#ifndef LAB_BENCH_SUPERVISOR_H
#define LAB_BENCH_SUPERVISOR_H

#include <stdint.h>
#include <sys/types.h>

#include "bench/ready.h"
#include "config/bench.h"

struct supervisor;

struct supervisor_config {
	const char *vboard;                                                  /* the program */
	const char *state_dir;                                               /* chip memories are kept in <state_dir>/vboard; NULL = lost at exit */
	const struct bench *bench;                                           /* borrowed, outlives the supervisor */
	/* Told on the supervisor's thread, for the table of processes: pid and start time name a process for good (store_process_sweep). May be NULL. */
	void (*started)(void *opaque, const char *board, pid_t pid, uint64_t start_time);
	void (*ended)(void *opaque, const char *board, pid_t pid);
	void *opaque;
};

/* Starts the thread and all processes; does not wait for them. A bench without virtual boards is fine. */
bool supervisor_create(const struct supervisor_config *config, struct supervisor **out, struct err *e);

/*
 * Any thread: the ready line of a board's process, waiting up to timeout_ms for it. *generation (may be NULL) counts its starts: another one means that
 * drivers opened before are dead. ERR_NOT_FOUND: no virtual board of that name; ERR_TIMEOUT: it does not come up, with the last thing it said.
 * ERR_INVALID, without any wait: it cannot start, or refused its configuration, and why.
 */
bool supervisor_ready(struct supervisor *s, const char *board, uint32_t timeout_ms, struct vboard_ready *out, unsigned *generation, struct err *e);

/*
 * Has the process with that pid (of a ready line) ended? Waits a moment for a process that is just ending, so ask after a failure only. True: *e (ERR_LOST) says how
 * it ended. Any thread.
 */
bool supervisor_lost(struct supervisor *s, const char *board, pid_t pid, struct err *e);

/* Ends all processes (within 3 s) and the thread; accepts NULL. */
void supervisor_destroy(struct supervisor *s);

#endif
