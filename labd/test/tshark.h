// SPDX-License-Identifier: GPL-2.0-or-later
/* For tests: a foreign witness of captures. tshark reads the file with every check switched on, and its counts stand beside labd's. Needs the program; have_tshark() says whether it is there. */
#ifndef LAB_TEST_TSHARK_H
#define LAB_TEST_TSHARK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/err.h"

struct witness {
	uint64_t frames, bytes, payload;     /* payload: TCP data from port 5100 */
	uint64_t malformed, bad_sums, retransmissions, duplicate_acks, zero_windows;
};

bool have_tshark(struct err *e);

/* A minute at most. False: it cannot be run, or refuses the file. */
bool ask_tshark(const char *file, struct witness *w, struct err *e);

#endif
