// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cron expressions: minute, hour, day of month, month, day of week; *, lists, ranges, steps, names of months and days (docs/schedule.md).
 * Any thread.
 *
 * Where both day fields are given, either is enough, as in cron(8); a field that begins with * counts as not given.
 */
#ifndef LAB_RUN_CRON_H
#define LAB_RUN_CRON_H

#include "run/zone.h"

struct cron {
	uint64_t minutes;                                                    /* bit sets */
	uint32_t hours, days;                                                /* days: bits 1 to 31 */
	uint16_t months;                                                     /* bits 1 to 12 */
	uint8_t weekdays;                                                    /* bit 0 = Sunday */
	bool every_hour, any_day, any_weekday;                               /* the field begins with * */
};

/* The sentence names the field and the word. An expression without any date in 400 years (30 February) is refused. */
bool cron_parse(const char *text, struct cron *out, struct err *e);

/*
 * The first moment after after_s that it is due, clocks of the zone. A time that the clocks skip is due at the first minute after the gap;
 * a time that they show twice is due the first time, unless the hour field begins with * (then every hour counts). False: none in 400 years
 * (cron_parse has refused that).
 */
bool cron_next(const struct cron *c, const struct zone *z, int64_t after_s, int64_t *next_s);

#endif
