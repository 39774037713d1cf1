// SPDX-License-Identifier: GPL-2.0-or-later
#include "drive/workload.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "drive/trigger.h"

static const struct workload_ops *const all[] = { &trigger_workload, NULL };

static const char *const cause_words[CAUSES] = {
	[CAUSE_NONE] = "none", [CAUSE_BOARD] = "board", [CAUSE_FIRMWARE] = "firmware", [CAUSE_FLASH] = "flash", [CAUSE_PROBE] = "probe",
	[CAUSE_POWER] = "power", [CAUSE_LINE] = "line", [CAUSE_NETWORK] = "network", [CAUSE_HOST] = "host", [CAUSE_DAEMON] = "daemon",
	[CAUSE_IMAGE] = "image", [CAUSE_UNSUPPORTED] = "unsupported", [CAUSE_REQUEST] = "request", [CAUSE_NO_BOARD] = "no_board",
};

const char *cause_word(enum cause c)
{
	assert(c < CAUSES);
	return cause_words[c];
}

const struct workload_ops *workload_find(const char *name)
{
	for (size_t i = 0; all[i]; i++)
		if (strcmp(all[i]->name, name) == 0)
			return all[i];
	return NULL;
}

const struct workload_ops *const *workload_all(void)
{
	return all;
}
