// SPDX-License-Identifier: GPL-2.0-or-later
/* The trigger line `LAB1 n=1460 count=100` and the acknowledgement `ACK 17` (docs/workloads.md), as text. */
#ifndef COMMON_TRIGGER_H
#define COMMON_TRIGGER_H

#include <stdbool.h>
#include <stdint.h>

#include "lab_config.h"

#define TRIGGER_LINE_BYTES 48

enum trigger_verdict { TRIGGER_OK, TRIGGER_SYNTAX, TRIGGER_RANGE, TRIGGER_MSS };

struct trigger {
	uint16_t n;
	uint16_t count;
	uint8_t ack;
};

/* Parses a line of n bytes without its end (a CR before it may be there) into *out. TRIGGER_OK, _SYNTAX or _RANGE; *out means nothing then. */
uint8_t trigger_parse(const uint8_t NET_MEM *line, uint8_t n, bool udp, struct trigger NET_MEM *out);

/* True: the line, without its end, is `ACK <frame>`. */
bool trigger_is_ack(const uint8_t NET_MEM *line, uint8_t n, uint16_t frame);

#endif
