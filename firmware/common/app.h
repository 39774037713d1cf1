// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The application of every board: banner, console, and the trigger workload over TCP and UDP (docs/workloads.md). A board's main() sets up its
 * clock, line and timer, then calls app_start() once and app_step() for ever. app.c is the board's life, run.c its work.
 */
#ifndef COMMON_APP_H
#define COMMON_APP_H

void app_start(void);

/* One turn of the main loop; never waits longer than a line of console or a frame takes to go out. */
void app_step(void);

#endif
