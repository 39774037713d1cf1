// SPDX-License-Identifier: GPL-2.0-or-later
/* Captures come from interfaces and from other people's tools: any bytes must give figures or a sentence. Both protocols are tried on each
   input. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/flow.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct flow_query q = { .board_ip = { 10, 77, 0, 1 }, .host_ip = { 10, 77, 0, 254 }, .board_port = 5100, .payload_bytes = 10, .count = 3 };

	for (int way = 0; way < 3; way++) {
		struct flow_figures f;
		struct err e = { .code = ERR_NONE };
		q.udp = way > 0;
		q.ack = way > 1;
		if (flow_measure_bytes(bytes, size, &q, &f, &e)) {
			assert(f.elapsed_ns > 0 && f.frame_count == 3 && f.payload_bytes == 30);
			flow_figures_finish(&f);
		} else {
			assert(e.code != ERR_NONE && e.msg[0] != '\0');
		}
	}
	return 0;
}
