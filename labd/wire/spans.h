// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which bytes of a stream have been seen, as a short sorted list of spans: a stream that loses nothing is one span. Zero-initialise;
 * nothing to free. One thread.
 */
#ifndef LAB_WIRE_SPANS_H
#define LAB_WIRE_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SPANS_MOST = 32 };

struct spans {
	struct span { uint64_t begin, end; } list[SPANS_MOST];
	size_t count;
};

/* Add begin to end (begin < end). False when that would make more holes than the list holds. */
bool spans_add(struct spans *s, uint64_t begin, uint64_t end);

/* How far everything from 0 on has been seen. */
uint64_t spans_whole(const struct spans *s);

/* Is all of begin to end there? */
bool spans_hold(const struct spans *s, uint64_t begin, uint64_t end);

#endif
