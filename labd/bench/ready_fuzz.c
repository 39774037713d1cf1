// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a vboard's ready line. */
#include <stdlib.h>
#include <string.h>

#include "bench/ready.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct vboard_ready r = { 0 };
	struct err e = { 0 };

	if (!vboard_ready_parse((const char *)bytes, size, &r, &e)) {
		if (!e.code || !e.msg[0])
			abort();
		return 0;
	}
	if (r.pid < 1 || !r.uart_port || r.gate_count > VBOARD_MAX_GATES || strlen(r.control) >= sizeof r.control)
		abort();
	return 0;
}
