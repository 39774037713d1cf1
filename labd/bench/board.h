// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One board of the bench with everything it is reached through. Nothing here or above asks whether it is a virtual one.
 *
 * board_open() makes the drivers that the bench file names and opens nothing. Worker thread of the board only, but for board_cancel().
 */
#ifndef LAB_BENCH_BOARD_H
#define LAB_BENCH_BOARD_H

#include <stdbool.h>

#include "bench/flasher.h"
#include "bench/line.h"
#include "bench/pace.h"
#include "bench/power.h"
#include "bench/profiler.h"
#include "bench/tap.h"
#include "config/bench.h"
#include "core/err.h"

/* Where a virtual board's process listens: its ready line, read. For a real board: NULL. */
struct vboard_ready;

struct board {
	const struct bench_board *config;                                    /* borrowed */
	const struct board_type *type;                                       /* borrowed */
	struct power *power;
	struct line *line;
	struct pace *pace;
	struct flasher *flasher;                                             /* the first flash method of the bench file that applies */
	struct tap *tap;
	struct profiler *profiler;                                           /* NULL: this board has none */
	const struct vboard_ready *ready;
};

bool board_open(const struct bench_board *config, const struct board_type *type, const struct vboard_ready *ready, struct board **out, struct err *e);
void board_close(struct board *b);                                           /* powers off, closes, frees; accepts NULL */

/* Off, the pause of the bench file, on; the pace is told. */
bool board_power_cycle(struct board *b, struct err *e);

/* Where a service of the board is reached. */
bool board_endpoint(const struct board *b, enum link_proto proto, uint16_t port, struct endpoint *out, struct err *e);

/* Any thread: whatever the worker waits for on this board fails with ERR_CANCELLED. */
void board_cancel(struct board *b);

#endif
