// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Seam: the capture of one board's wire, into a pcap file. Drivers: stream (pcap from a virtual board), pcap (libpcap on a live interface), none.
 *
 * Worker thread only, though a driver may read on a thread of its own.
 */
#ifndef LAB_BENCH_TAP_H
#define LAB_BENCH_TAP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/err.h"

struct tap;

struct tap_ops {
	const char *name;
	bool captures;                                                       /* false: there will be no file */
	bool (*start)(struct tap *t, const char *file, struct err *e);
	bool (*stop)(struct tap *t, uint64_t frames, struct err *e);
	void (*destroy)(struct tap *t);
};

struct tap {
	const struct tap_ops *ops;
	uint64_t captured, dropped;                                          /* frames; valid after stop */
};

/* Capture into file (created or replaced; nanosecond pcap) from now on. With driver none: no file, and tap_captures() says so. */
bool tap_start(struct tap *t, const char *file, struct err *e);

/* End the capture when this many records since tap_start() are in the file: pace_frames() now less what it was at the start (a power-on
   begins anew at 0; where the capture began with the power off, that is pace_frames() itself). UINT64_MAX: when what the interface has is
   read. The file is complete and closed, also after an error. A capture that dropped frames is an error (ERR_FULL): a figure must not come
   from it. */
bool tap_stop(struct tap *t, uint64_t frames, struct err *e);
bool tap_captures(const struct tap *t);
void tap_destroy(struct tap *t);                                             /* accepts NULL */

#endif
