// SPDX-License-Identifier: GPL-2.0-or-later
/* A straight line through points by least squares: y = a + b x. For the time per frame over its payload: a is the fixed cost, 1 / b the
   rate. Any thread. */
#ifndef LAB_REPORT_FIT_H
#define LAB_REPORT_FIT_H

#include <stdbool.h>
#include <stddef.h>

struct fit {
	double a, b;
	double max_relative_error;                                           /* largest |line - point| / point */
	double max_absolute_error;
	size_t n;
};

/* False: fewer than two different x. */
bool fit_line(const double *x, const double *y, size_t n, struct fit *out);

#endif
