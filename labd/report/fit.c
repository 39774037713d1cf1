// SPDX-License-Identifier: GPL-2.0-or-later
/* Least squares about the means, which keeps the sums small. */
#include "report/fit.h"

#include <math.h>

static double mean(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return sum / (double)n;
}

bool fit_line(const double *x, const double *y, size_t n, struct fit *out)
{
	double mx, my, xx = 0, xy = 0;

	if (n < 2)
		return false;
	mx = mean(x, n);
	my = mean(y, n);
	for (size_t i = 0; i < n; i++) {
		xx += (x[i] - mx) * (x[i] - mx);
		xy += (x[i] - mx) * (y[i] - my);
	}
	if (xx == 0)
		return false;
	*out = (struct fit){ .b = xy / xx, .a = my - xy / xx * mx, .n = n };
	for (size_t i = 0; i < n; i++) {
		double off = fabs(out->a + out->b * x[i] - y[i]);

		out->max_absolute_error = fmax(out->max_absolute_error, off);
		out->max_relative_error = y[i] != 0 ? fmax(out->max_relative_error, off / fabs(y[i])) : INFINITY;
	}
	return true;
}
