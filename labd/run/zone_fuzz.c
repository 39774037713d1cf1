// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a zone file, and any text as a cron expression: no crash, and every search ends. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/cron.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(const struct zone *z, const struct cron *c)
{
	int64_t at = 1800000000, next;
	char text[32];

	zone_text(z, zone_to_utc(z, at), text);
	for (int i = 0; c && i < 3 && cron_next(c, z, at, &next); i++) {
		if (next <= at)
			abort();
		at = next;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct zone *z = NULL;
	struct cron c;
	char text[100];
	bool timed;

	snprintf(text, sizeof text, "%.*s", (int)(size < 99 ? size : 99), (const char *)data);
	timed = cron_parse(text, &c, NULL);
	if (!zone_parse(data, size, &z, NULL))
		zone_load("UTC", &z, NULL);
	ask(z, timed ? &c : NULL);
	zone_destroy(z);
	return 0;
}
