// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For tests: one virtual board of a bench made on the spot, and cells run on it by the very sequence a worker uses (run/attempt.h): power, flash, banner, drive, measure.
 * Everything of the daemon but store, queue and HTTP. LAB_BUILD and LAB_SOURCE say where programs, images and board types are. One thread.
 */
#ifndef LAB_TEST_CELL_LAB_H
#define LAB_TEST_CELL_LAB_H

#include "bench/board.h"
#include "bench/ready.h"
#include "bench/supervisor.h"
#include "config/board_type.h"
#include "run/attempt.h"
#include "run/images.h"

/* What differs from fixtures/benches/virtual.json; NULL = nothing. */
struct cell_setup {
	const char *images;                                                  /* file in build/firmware; NULL = images.json */
	const char *wire;                                                    /* keys of wire, "\"latency_ns\":0"; later ones win over none: give each once */
	const char *chip;                                                    /* keys of chip, "\"m0_cycles\":0" */
	const char *fault;                                                   /* one fault line */
};

struct cell_lab {
	struct board_types types;
	struct bench *bench;
	struct images images;
	struct supervisor *supervisor;
	struct vboard_ready ready;
	struct board *board;
};

#define CELL_COUNT 20                                                        /* frames, when a cell does not say: enough, since each takes the same */

struct cell {
	const char *check_rx, *checksum, *clock;                             /* variant; NULL = the board type's default */
	bool udp, ack;
	unsigned payload_bytes, count;                                       /* count 0 = CELL_COUNT */
	bool profile;
	const char *capture;                                                 /* file to make */
};

/* A blank chip. On failure nothing is left open. */
bool cell_lab_open(struct cell_lab *lab, const struct cell_setup *setup, struct err *e);
void cell_lab_close(struct cell_lab *lab);

/* The image a cell selects (c NULL: the plain one); NULL with a sentence. */
const struct lab_image *cell_lab_image(struct cell_lab *lab, const struct cell *c, struct err *e);

/* True: it passed, and out->figures are there. False: out says why (judgement, err); *e too. Either way out needs attempt_result_finish(). */
bool cell_lab_run(struct cell_lab *lab, const struct cell *c, struct attempt_result *out, struct err *e);

#endif
