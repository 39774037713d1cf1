// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A preload library for tests: the wall clock of the program it is loaded into shows $LAB_TEST_UTC (Unix time in seconds) at its first look, and goes on from there at the
 * usual pace. The monotonic clock is left alone, so no deadline moves. A nightly schedule can so be waited for without waiting for the night.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

typedef int gettime_fn(clockid_t id, struct timespec *t);

static int host_time(clockid_t id, struct timespec *t)
{
	static _Atomic(gettime_fn *) found;
	gettime_fn *next = atomic_load(&found);

	if (!next) {
		next = (gettime_fn *)dlsym(RTLD_NEXT, "clock_gettime");
		atomic_store(&found, next);
	}
	return next(id, t);
}

/* Seconds to add; found once. */
static long shift(const struct timespec *now)
{
	static atomic_long seconds;
	const char *wanted = getenv("LAB_TEST_UTC");
	long known = atomic_load(&seconds), mine = wanted ? atol(wanted) - now->tv_sec : 0;

	if (known || !wanted)
		return known;
	atomic_compare_exchange_strong(&seconds, &known, mine ? mine : 1);
	return atomic_load(&seconds);
}

int clock_gettime(clockid_t id, struct timespec *t)
{
	int status = host_time(id, t);

	if (status == 0 && id == CLOCK_REALTIME)
		t->tv_sec += shift(t);
	return status;
}
