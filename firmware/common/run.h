// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The trigger workload: the published experiment. A trigger line makes the board repeat: write its buffer, send n bytes of it, wait for the
 * acknowledgement. It implements the upcalls of tcp.h and udp.h; sending is done from run_step() alone.
 */
#ifndef COMMON_RUN_H
#define COMMON_RUN_H

#include <stdbool.h>

#define RUN_PORT 5100

/* Serves TCP and UDP on RUN_PORT. */
void run_init(void);

/* True from the end of a good trigger line to the last acknowledgement. */
bool run_is_going(void);

/* Does what is due; says `done` on the console at a run's end. */
void run_step(void);

#endif
