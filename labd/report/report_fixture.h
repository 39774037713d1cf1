// SPDX-License-Identifier: GPL-2.0-or-later
/* For tests: a store in memory with the published references and runs of three sizes whose times follow a known line. One thread. */
#ifndef LAB_REPORT_REPORT_FIXTURE_H
#define LAB_REPORT_REPORT_FIXTURE_H

#include "store/store.h"

extern struct store *fixture_store;

/* The line of the measured times, in seconds: a board that is a little faster than the published one. */
#define FIXTURE_A 0.095
#define FIXTURE_B 0.00013

bool fixture_begin(struct err *e);
void fixture_end(void);

/* A run of 1460, 750 and 100 bytes over TCP; the cell of fail_payload fails (0: none). */
bool fixture_run(int fail_payload, struct err *e);
bool fixture_run_over(const char *transport, struct err *e);

/* Repeats of one cell with these times of 100 frames, in ns; cell, board and error as given. */
bool fixture_cell(const char *cell, const char *board, const char *error, const uint64_t *elapsed_ns, size_t n, struct err *e);

/* What the runs from here on say of wire and clock; at fixture_begin() "gate" and "turns". Constants. */
void fixture_way(const char *mode, const char *pace);

/* A choice of the build that the runs from here on have beside stack=labnet; at fixture_begin() none. Constants. */
void fixture_variant(const char *key, const char *value);

/* How many frames the cells from here on ask for; at fixture_begin() 100. Their times stay those of 100. */
void fixture_count(int frames);

double fixture_goodput(int payload);

#endif
