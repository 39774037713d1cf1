// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The matrix `what-if` for docs/results.md: the 8051 with each build of its firmware, three sizes, TCP and UDP; and the X2 builds with the one constant of the virtual
 * board that no source fixes, at 0. Measured by cell_lab, printed as tables. One thread, one measurement a process.
 */
#ifndef LAB_TEST_WHAT_IF_H
#define LAB_TEST_WHAT_IF_H

#include <stdbool.h>
#include <stdio.h>

#include "core/err.h"

/* Runs all cells, on boards of its own; a few seconds. capture: a file to make. */
bool what_if_measure(const char *capture, struct err *e);

void what_if_print_builds(FILE *f);      /* a row a build: times, rates, how many times the plain one */
void what_if_print_gains(FILE *f);       /* each change alone, and all of them */
void what_if_print_udp(FILE *f);         /* the plain and the fastest build over both transports */
void what_if_print_stretch(FILE *f);     /* X2 with AUXR.M0 at no cost and at two cycles */

#endif
