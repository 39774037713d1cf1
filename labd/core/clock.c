// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/clock.h"

#include <limits.h>
#include <stdio.h>
#include <time.h>

static uint64_t host_monotonic(const struct clock *c)
{
	struct timespec t;

	(void)c;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static int64_t host_utc(const struct clock *c)
{
	struct timespec t;

	(void)c;
	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

const struct clock clock_host = { host_monotonic, host_utc };

uint64_t clock_now_ns(const struct clock *c)
{
	return c->monotonic_ns(c);
}

int64_t clock_utc_ms(const struct clock *c)
{
	return c->utc_ms(c);
}

int clock_left_ms(const struct clock *c, uint64_t deadline_ns)
{
	uint64_t now = clock_now_ns(c);

	if (deadline_ns <= now)
		return 0;
	uint64_t ms = (deadline_ns - now - 1) / NS_PER_MS + 1;
	return ms > INT_MAX ? INT_MAX : (int)ms;
}

void clock_utc_text(int64_t utc_ms, char out[25])
{
	time_t s = (time_t)(utc_ms / 1000);
	int ms = (int)(utc_ms % 1000);
	struct tm tm;
	char stamp[64];

	if (ms < 0) {
		ms += 1000;
		s--;
	}
	gmtime_r(&s, &tm);
	snprintf(stamp, sizeof stamp, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", (tm.tm_year + 1900) % 10000, tm.tm_mon + 1, tm.tm_mday,
	         tm.tm_hour, tm.tm_min, tm.tm_sec, ms);
	snprintf(out, 25, "%.24s", stamp);
}
