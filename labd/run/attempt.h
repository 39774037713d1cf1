// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One attempt at one cell on one board, from power-off to figures. Always the same way, so that nothing before the last power-on can
 * influence a figure:
 *
 *     line open, off, on, banner; flash only if the board does not prove to hold the build, then off, on, banner again; tap, drive, last
 * turn, tap off; measure
 *
 * Worker thread of the board; knows nothing of the store. Every wait is bounded in the board's own time, and by the watchdog of the worker
 * in wall time.
 */
#ifndef LAB_RUN_ATTEMPT_H
#define LAB_RUN_ATTEMPT_H

#include <jansson.h>

#include "bench/board.h"
#include "core/buf.h"
#include "core/clock.h"
#include "run/images.h"
#include "run/verdict.h"
#include "wire/flow.h"

enum attempt_stop { ATTEMPT_GO_ON, ATTEMPT_CANCELLED, ATTEMPT_STOPPING, ATTEMPT_TOO_LONG };

/* What an attempt tells while it goes on; all are called on the worker's thread. */
struct attempt_watch {
	void (*step)(void *opaque, enum step s);
	void (*progress)(void *opaque, const char *what, size_t done, size_t total);
	void (*heard)(void *opaque, uint64_t at_ns, const uint8_t *bytes, size_t n);
	enum attempt_stop (*stop)(void *opaque);                             /* asked between steps and when a wait was cancelled */
	void (*holds)(void *opaque, const struct lab_image *i, const char *identity, bool wrote); /* i NULL: the flash holds nothing that is known */
	void *opaque;
};

struct attempt_order {
	const char *workload;                                                /* of drive/workload.h, or "flash" */
	json_t *params;
	const struct lab_image *image;
	bool known;                                                          /* the board is known to hold an image that talks: silence means the line */
	const char *capture;                                                 /* file to make; NULL with workload "flash" */
	bool profile;                                                        /* where the cycles go, too; ERR_UNSUPPORTED where the board cannot tell */
	int64_t deadline_ms;
	const struct clock *clock;
};

struct console_piece {
	uint64_t at_ns;
	unsigned power;
	size_t at, size;                                                     /* in the buffer */
};

struct attempt_result {
	struct judgement judgement;
	enum step step;                                                      /* where it ended; STEP_STORE: all done */
	struct err err;
	int64_t flash_ns, flash_bytes, boot_ns;                              /* -1: not known */
	bool has_figures, captured;
	struct flow_figures figures;
	struct buf console;
	struct console_piece *pieces;
	size_t piece_count;
	unsigned bad_lines;
	json_t *profile;                                                     /* as profiler_stop() gives it, of the measured part; NULL: none */
};

void attempt_run(struct board *b, const struct attempt_order *o, const struct attempt_watch *w, struct attempt_result *out);

/* Who made the waits end, when they ended by cancellation: the verdict of r, which ended in r->step, becomes his. ATTEMPT_GO_ON: nothing changes. */
void attempt_stopped(enum attempt_stop by, int64_t deadline_ms, struct attempt_result *r);
void attempt_result_finish(struct attempt_result *r);

#endif
