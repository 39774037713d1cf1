// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Seam: the power switch of one board. Drivers: virtual (tells the vboard process), command (an argument vector, no shell).
 *
 * The layer above sequences off, pause, on; a driver only acts. Worker thread of the board only.
 */
#ifndef LAB_BENCH_POWER_H
#define LAB_BENCH_POWER_H

#include <stdbool.h>

#include "core/err.h"

struct power;

struct power_ops {
	const char *name;                                                    /* as in the bench file */
	bool (*set)(struct power *p, bool on, struct err *e);                /* returns when the switch has acted; setting what is set is fine */
	bool (*state)(struct power *p, bool *on, struct err *e);             /* NULL: the switch cannot tell */
	void (*destroy)(struct power *p);                                    /* leaves the power as it is */
};

struct power {
	const struct power_ops *ops;
};

bool power_on(struct power *p, struct err *e);
bool power_off(struct power *p, struct err *e);
/* ERR_UNSUPPORTED when the switch cannot tell. */
bool power_state(struct power *p, bool *on, struct err *e);
void power_destroy(struct power *p);                                         /* accepts NULL */

#endif
