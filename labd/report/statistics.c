// SPDX-License-Identifier: GPL-2.0-or-later
/* Order statistics. */
#include "report/statistics.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double quantile(const double *v, size_t n, double p)
{
	double at = p * (double)(n - 1);
	size_t low = (size_t)floor(at);

	return low + 1 < n ? v[low] + (at - (double)low) * (v[low + 1] - v[low]) : v[n - 1];
}

/* The number of values below the median is binomial (n, 1/2): cut as many order statistics off each end as leaves at most 2.5 % there. */
static size_t cut_off(size_t n)
{
	double term = pow(0.5, (double)n), sum = term;
	size_t k = 0;

	while (sum <= 0.025 && k < n) {
		k++;
		term *= (double)(n - k + 1) / (double)k;
		sum += term;
	}
	return k;
}

void statistics_of(double *values, size_t n, struct statistics *out)
{
	size_t k;

	*out = (struct statistics){ .n = n };
	if (n == 0)
		return;
	qsort(values, n, sizeof *values, by_value);
	out->median = quantile(values, n, 0.5);
	out->low_quartile = quantile(values, n, 0.25);
	out->high_quartile = quantile(values, n, 0.75);
	out->min = values[0];
	out->max = values[n - 1];
	/* 2^-1000 is still a number; beyond, the normal approximation is exact to the order statistic and nobody repeats that often. */
	k = n <= 1000 ? cut_off(n) : (size_t)((double)n / 2 - 0.98 * sqrt((double)n));
	if (k == 0)
		return;
	out->has_interval = true;
	out->interval_low = values[k - 1];
	out->interval_high = values[n - k];
}
