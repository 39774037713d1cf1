// SPDX-License-Identifier: GPL-2.0-or-later
/* Constructors of the drivers of the seam `pace` (bench/pace.h). The caller ends with pace_destroy(). */
#ifndef LAB_DRIVERS_PACE_DRIVERS_H
#define LAB_DRIVERS_PACE_DRIVERS_H

#include "bench/pace.h"

/* Kernel sockets, poll and the monotonic clock. TCP_NODELAY, and TCP_QUICKACK before every read and wait, so that the host's delayed ACK
   does not set the figure. */
struct pace *pace_wall_create(struct err *e);

/*
 * Turns over the control socket of a vboard process (docs/virtual-board.md "Turns"); puts the board's clock into mode `turns`, which holds
 * from the next power-on. Of the connections to one board only one may take turns. ERR_LOST when nobody listens there. While the power is
 * off there are no turns: the serial line's bytes move freely, and time passes as the host's.
 */
struct pace *pace_turns_create(const char *control_socket, struct err *e);

/* The same with another bound on the other process's silence than 10 s; for tests. */
struct pace *pace_turns_create_with(const char *control_socket, unsigned silence_ms, struct err *e);

#endif
