// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The host's clocks as an input, so that tests run in simulated time. Durations and deadlines are on the monotonic clock, in nanoseconds;
 * the wall clock is for showing and for schedules only (field failure F39). Any thread.
 */
#ifndef LAB_CORE_CLOCK_H
#define LAB_CORE_CLOCK_H

#include <stdint.h>

#define NS_PER_MS 1000000ull
#define NS_PER_S 1000000000ull

struct clock {
	uint64_t (*monotonic_ns)(const struct clock *c);
	int64_t (*utc_ms)(const struct clock *c);            /* since 1970-01-01T00:00:00Z */
};

/* The kernel's clocks. */
extern const struct clock clock_host;

uint64_t clock_now_ns(const struct clock *c);
int64_t clock_utc_ms(const struct clock *c);

/* Milliseconds until deadline, rounded up, for poll(): 0 when it passed, at most INT_MAX. */
int clock_left_ms(const struct clock *c, uint64_t deadline_ns);

/* "2026-11-30T15:26:00.123Z" into out[25]. */
void clock_utc_text(int64_t utc_ms, char out[25]);

#endif
