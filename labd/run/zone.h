// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Time zones without the C library's global one: reads the system's compiled zone files (RFC 9636, TZif), rule of the footer included, so
 * that any number of zones can be used at once and from any thread. Immutable after loading. Times are seconds since 1970.
 */
#ifndef LAB_RUN_ZONE_H
#define LAB_RUN_ZONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

struct zone;

/* By IANA name from /usr/share/zoneinfo; "UTC" needs no file. ERR_INVALID: no such zone. */
bool zone_load(const char *name, struct zone **out, struct err *e);

/* From the bytes of a zone file. */
bool zone_parse(const void *bytes, size_t size, struct zone **out, struct err *e);
void zone_destroy(struct zone *z);                                           /* accepts NULL */

/* Name of the host's zone into out; "UTC" when it cannot be told. */
void zone_host_name(char *out, size_t size);

/* Seconds east of UTC at a moment. */
int32_t zone_offset(const struct zone *z, int64_t utc_s);

/* The moment at which clocks there first show that local time; when they never do (spring), the first moment after the gap. */
int64_t zone_to_utc(const struct zone *z, int64_t local_s);

/* "2027-03-28T03:00:00+02:00" */
void zone_text(const struct zone *z, int64_t utc_s, char out[32]);

/* Days since 1970-01-01 of a date in the Gregorian calendar, and back. month 1 to 12. */
int64_t date_to_days(int64_t year, int month, int day);
void date_from_days(int64_t days, int64_t *year, int *month, int *day);
int date_weekday(int64_t days);                                              /* 0 = Sunday */

#endif
