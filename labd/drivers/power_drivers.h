// SPDX-License-Identifier: GPL-2.0-or-later
/* The power switches there are. */
#ifndef LAB_DRIVERS_POWER_DRIVERS_H
#define LAB_DRIVERS_POWER_DRIVERS_H

#include <stdint.h>

#include "bench/power.h"

/* A virtual board: tells its process over the control socket (docs/virtual-board.md). Connects anew for each call, so a restarted process is found. clock, a constant: the mode ("real") the board's
   time moves in from each power-on; NULL: whoever gives it its turns has said so. */
struct power *power_virtual_create(const char *control_socket, const char *clock);

/* Argument vectors, NULL-terminated and copied; state may be NULL. The state program prints a word: "on" or "off" (also "1", "0", "closed", "open"). */
struct power *power_command_create(const char *const *on, const char *const *off, const char *const *state, uint32_t deadline_ms);

#endif
