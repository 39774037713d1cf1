// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A virtual board's control socket: whole lines out and in, every wait bounded by how long the other process may be silent. Worker thread only.
 */
#ifndef LAB_DRIVERS_TURN_CONTROL_H
#define LAB_DRIVERS_TURN_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "drivers/turn_text.h"

struct turn_control {
	int fd;                              /* -1 = closed */
	unsigned silence_ms;
	size_t in_bytes;
	char in[TURN_LINE_MOST];
};

bool turn_control_open(struct turn_control *c, const char *path, unsigned silence_ms, struct err *e);
void turn_control_close(struct turn_control *c);
bool turn_control_write(struct turn_control *c, const char *line, size_t n, struct err *e);

/* One line, without its LF. what: what is waited for, for the sentence. ERR_TIMEOUT, ERR_LOST, ERR_PROTOCOL. */
bool turn_control_line(struct turn_control *c, char line[TURN_LINE_MOST], const char *what, struct err *e);

/* The monotonic instant at which silence from now on is too long. */
uint64_t turn_control_patience(const struct turn_control *c);

#endif
