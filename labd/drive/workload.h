// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Seam: a benchmark as the host drives it. One file per workload: trigger (later: transfer, iperf).
 *
 * prepare checks parameters and opens nothing; drive talks to the board over a pace and checks every byte; judge turns the captured flow
 * into figures. Worker thread only.
 */
#ifndef LAB_DRIVE_WORKLOAD_H
#define LAB_DRIVE_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/pace.h"
#include "core/err.h"
#include "wire/flow.h"

/* Who is to blame when a run fails: the cause column of a result. */
enum cause {
	CAUSE_NONE, CAUSE_BOARD, CAUSE_FIRMWARE, CAUSE_FLASH, CAUSE_PROBE, CAUSE_POWER, CAUSE_LINE, CAUSE_NETWORK, CAUSE_HOST, CAUSE_DAEMON,
	CAUSE_IMAGE, CAUSE_UNSUPPORTED, CAUSE_REQUEST, CAUSE_NO_BOARD, CAUSES
};
const char *cause_word(enum cause c);                                        /* "none", "board", ..., "no_board" */

/* The parameters of one cell, as the matrix gives them. 0 or false where a workload has no such parameter. */
struct cell_params {
	enum link_proto proto;                                               /* "transport": "tcp" (default) or "udp" */
	uint32_t payload_bytes;
	uint32_t count;
	bool ack;                                                            /* trigger over UDP */
};

struct workload;

struct workload_ops {
	const char *name;                                                    /* as in a matrix: "trigger" */
	uint16_t (*port)(const struct cell_params *p);                       /* the board's service */
	bool (*check)(const struct cell_params *p, struct err *e);           /* ranges; the sentence names the parameter */

	/* From connect to the end of the exchange. cause is set when it fails. Data are checked here, byte by byte. */
	bool (*drive)(const struct cell_params *p, struct pace *pace, const struct endpoint *to, uint64_t deadline_ns, enum cause *cause,
	              struct err *e);

	/* What to look for in the capture, from the wire addresses and the host's port of the drive. */
	void (*query)(const struct cell_params *p, struct flow_query *q);
};

/* NULL when there is no such workload. */
const struct workload_ops *workload_find(const char *name);
const struct workload_ops *const *workload_all(void);                        /* ends with NULL */

#endif
