// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes into the console, whole and in two pieces: the same lines are believed. */
#include <stdlib.h>

#include "run/console.h"

static void hear(void *opaque, const struct console_line *l)
{
	banner_hear(opaque, l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct banner whole = { 0 }, parts = { 0 };
	struct console a = { .line = hear, .opaque = &whole }, b = { .line = hear, .opaque = &parts };
	size_t cut = size ? data[0] % size : 0;

	console_feed(&a, data, size);
	console_feed(&b, data, cut);
	console_feed(&b, data + cut, size - cut);
	if (a.good != b.good || a.bad != b.bad || whole.net != parts.net || whole.boot != parts.boot)
		abort();
	return 0;
}
