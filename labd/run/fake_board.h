// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For tests: a board that exists in this process alone, a second implementation of every seam with a clock of its own. It holds what was
 * flashed, prints a banner, serves the trigger workload with the published 8051's times, and can be told to misbehave. Also images.json
 * with one small image to flash.
 *
 * struct fake outlives the boards that are opened on it, as a real board outlives its drivers. A test changes the script only while nothing runs.
 */
#ifndef LAB_RUN_FAKE_BOARD_H
#define LAB_RUN_FAKE_BOARD_H

#include <stdatomic.h>

#include "bench/board.h"
#include "config/bench.h"
#include "config/board_type.h"
#include "run/runner.h"

enum fake_trouble {
	FAKE_WELL,
	FAKE_ABSENT,                                                         /* its process is not up: drivers cannot be made */
	FAKE_POWER,                                                          /* the switch does not act */
	FAKE_NO_LINE,                                                        /* the adapter is not there */
	FAKE_DEAD_LINE,                                                      /* nothing is heard */
	FAKE_NOISE,                                                          /* every line has a wrong sum */
	FAKE_MUTE,                                                           /* firmware that talks, but prints no banner */
	FAKE_NO_LINK,                                                        /* boots, never sees a link */
	FAKE_FAULT_NIC,                                                      /* prints fault what=nic */
	FAKE_FLASH,                                                          /* the boot loader does not answer */
	FAKE_FORGETS,                                                        /* programming succeeds, the old image runs */
	FAKE_SILENT,                                                         /* stops in the middle of the exchange */
	FAKE_WRONG_BYTE,
	FAKE_TAP,                                                            /* the capture breaks */
	FAKE_CUT_CAPTURE,                                                    /* the last frames are not in it */
	FAKE_STUCK,                                                          /* waits until cancelled */
};

struct fake {
	enum fake_trouble trouble;
	unsigned heals_after;                                                /* trouble is over after this many power-ons; 0 = never */
	bool drips;                                                          /* its line brings a byte at a time, as a slow serial line does */
	struct bench_board config;
	struct board_type type;
	char folder[256], images_file[300];
	/* below: what happened */
	atomic_uint power_ons, flashes, opened;
	char build[16], mac[24], ip[24];                                     /* in its flash; "" = blank */
};

/* Writes the image and images.json below folder. */
bool fake_init(struct fake *f, const char *name, const char *folder, struct err *e);

/* As struct runner_config wants them; opaque: an array of struct fake *, ended by NULL. */
bool fake_open(void *opaque, const struct runner_board *b, struct board **out, struct err *e);
void fake_close(void *opaque, struct board *b);

/* One board of the fake, for tests below the runner. */
bool fake_board_open(struct fake *f, struct board **out, struct err *e);
void fake_board_close(struct board *b);

#define FAKE_BUILD "0123456789ab"

#endif
