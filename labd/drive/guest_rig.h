// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For tests: the real gate, bench PC and wire of a virtual board around a guest without a chip (fixtures/virtual/wire/turns_board.h),
 * reached as labd reaches a vboard process: by a control socket, a tap socket and the gate's ports. One run at a time.
 */
#ifndef LAB_DRIVE_GUEST_RIG_H
#define LAB_DRIVE_GUEST_RIG_H

#include "drive/workload.h"

struct guest_setup {
	uint32_t ack_delay_ms;
	uint64_t frame_ns;                   /* the guest's, from an ACK to the next frame; 0 = as it comes */
	bool deaf;                           /* answers no SYN */
};

struct guest_run {
	bool driven, measured;
	enum cause cause;
	struct err e;                        /* of what failed first */
	struct flow_figures figures;         /* of a measured run: flow_figures_finish() */
	uint64_t end_ns, frames;
};

/* Power on, capture into file, drive the trigger workload, stop the capture, measure. folder: for the sockets. */
void guest_rig_run(const struct guest_setup *setup, const struct cell_params *p, const char *folder, const char *file, struct guest_run *out);

#endif
