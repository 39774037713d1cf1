// SPDX-License-Identifier: GPL-2.0-or-later
/* The ready line of a vboard process (docs/virtual-board.md "Starting"): where the parts of a virtual board listen. Plain data. */
#ifndef LAB_BENCH_READY_H
#define LAB_BENCH_READY_H

#include <stddef.h>
#include <stdint.h>

#include "bench/pace.h"
#include "core/err.h"

#define VBOARD_MAX_GATES 16

struct vboard_gate {
	enum link_proto proto;
	uint16_t port;                                                       /* the board's service */
	char host[64];
	uint16_t outer_port;                                                 /* where the host connects */
};

struct vboard_ready {
	int pid;
	char name[65], type[65];
	char control[108], tap[108];                                         /* Unix sockets */
	char uart_host[64];
	uint16_t uart_port;
	char pty[64];                                                        /* "" = none */
	struct vboard_gate gates[VBOARD_MAX_GATES];
	size_t gate_count;
};

/* One line of JSON, without its line feed. */
bool vboard_ready_parse(const char *line, size_t size, struct vboard_ready *out, struct err *e);

#endif
