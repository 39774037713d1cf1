// SPDX-License-Identifier: GPL-2.0-or-later
/* What can be said of a handful of repeats, without assuming how they are distributed. Any thread. */
#ifndef LAB_REPORT_STATISTICS_H
#define LAB_REPORT_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

struct statistics {
	size_t n;                                                            /* 0: nothing else is valid */
	double median, min, max;
	double low_quartile, high_quartile;                                  /* linear between order statistics, as R's type 7 */
	bool has_interval;                                                   /* from 6 repeats on */
	double interval_low, interval_high;                                  /* of the median, at least 95 %, from order statistics */
};

/* values are sorted in place. */
void statistics_of(double *values, size_t n, struct statistics *out);

#endif
