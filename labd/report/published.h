// SPDX-License-Identifier: GPL-2.0-or-later
/* Published references that belong to a cell, each with what differs. Inside report/ only; any thread. */
#ifndef LAB_REPORT_PUBLISHED_H
#define LAB_REPORT_PUBLISHED_H

#include <jansson.h>

#include "core/err.h"

struct store;

/*
 * cell: an object with board_type, workload, payload_bytes, params{}, variant{}. figure NULL: all figures. [{figure, value, unit, printed,
 * source, kind, grade, description, differs[]}]: those that differ in nothing come first. Differs names conditions of the source that our
 * cell does not share or does not know, and what a variant of our firmware changes of the plain build (check_rx, checksum, clock).
 * "frame_time_s" and "goodput_bit_per_s" are converted from what was published.
 */
json_t *published_for(struct store *s, json_t *cell, const char *figure, struct err *e);

#endif
