// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the cycles of a measured run went: counts by program counter (bench/profiler.h) become cycles by function (<image>.symbols.json, from the build) and by
 * bucket (firmware/buckets.json: names of functions, and what they do in a frame). Pure: documents in, a document out. Any thread.
 */
#ifndef LAB_REPORT_PROFILE_H
#define LAB_REPORT_PROFILE_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#include "core/err.h"

/* What was measured in the same run, on the wire. */
struct profile_run {
	const char *cell, *build;                                            /* borrowed; build: of the image */
	uint64_t elapsed_ns;
	uint32_t frames, payload_bytes;
};

/*
 * symbols: [{"at":n,"name":text}], ascending; a function reaches to the next. buckets: [{"name":text,"what":text,"functions":[glob]}]; the first that fits has
 * it, and what fits nowhere goes to a bucket "other", so that the buckets always sum to all cycles. Sleep is the bucket "asleep".
 *
 * {cell, build, payload_bytes, frames, elapsed_ns, cycle_ns, cycles, profile_ns, closes (profile_ns / elapsed_ns), buckets[{name, what, cycles, ns, share, us_per_frame}],
 * functions[{name, at, bucket, cycles, ns, share, us_per_frame}]}: buckets in the table's order, functions by cycles, those with none left out.
 *
 * NULL with ERR_INVALID names the document and what is wrong in it. The caller releases the result.
 */
json_t *profile_attribute(const json_t *counts, const json_t *symbols, const json_t *buckets, const struct profile_run *run, struct err *e);

/* Profiles of one board (an array of documents as above) beside each other, as Markdown: buckets, functions (the most first), and the sum. */
void profile_print(FILE *f, const json_t *profiles);

#endif
