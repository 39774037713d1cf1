// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The parts of a running daemon, for those who serve it to others: HTTP and the command line. Made by main.c, borrowed by everybody else,
 * unchanged and alive from the start of HTTP to its end. Any thread.
 */
#ifndef LAB_RUN_LAB_H
#define LAB_RUN_LAB_H

#include <stdint.h>

#include "core/clock.h"

struct store;
struct runner;
struct scheduler;

struct lab {
	struct store *store;                                                 /* store/store.h */
	struct runner *runner;                                               /* run/runner.h */
	struct scheduler *scheduler;                                         /* run/schedule.h */
	const struct clock *clock;
	const char *state_dir;                                               /* captures and exports are below it */
	const char *bench_name;
	const char *version;                                                 /* of the daemon */
	int64_t host_id;
};

#endif
