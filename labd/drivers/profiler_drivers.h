// SPDX-License-Identifier: GPL-2.0-or-later
/* The profilers there are. */
#ifndef LAB_DRIVERS_PROFILER_DRIVERS_H
#define LAB_DRIVERS_PROFILER_DRIVERS_H

#include "bench/profiler.h"

/* A virtual board: `profile start` and `profile stop` of its control socket (docs/virtual-board.md). */
struct profiler *profiler_virtual_create(const char *control_socket);

#endif
