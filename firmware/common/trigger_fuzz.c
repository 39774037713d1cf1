// SPDX-License-Identifier: GPL-2.0-or-later
/* Fuzzes the trigger line: whatever is accepted is within the table, and only that. */
#include <stdint.h>
#include <stdlib.h>

#include "common/trigger.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t size)
{
	struct trigger t;

	if (size > 200)
		return 0;
	for (int udp = 0; udp < 2; udp++)
		if (trigger_parse(p, (uint8_t)size, udp, &t) == TRIGGER_OK && (t.n < 1 || t.n > 1460 || t.count < 1 || t.ack > udp))
			abort();
	trigger_is_ack(p, (uint8_t)size, 17);
	return 0;
}
