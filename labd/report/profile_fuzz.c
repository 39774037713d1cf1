// SPDX-License-Identifier: GPL-2.0-or-later
/* Any three documents as counts, functions and buckets: a profile or a sentence, and where it is a profile, buckets and functions sum to all cycles. */
#include "report/profile.h"

#include <stdlib.h>

static json_int_t sum_of(const json_t *rows)
{
	json_int_t sum = 0;
	json_t *row;
	size_t i;

	json_array_foreach((json_t *)rows, i, row)
		sum += json_integer_value(json_object_get(row, "cycles"));
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *all = json_loadb((const char *)data, size, 0, NULL), *p;
	struct profile_run run = { "cell", "build", 1000, 10, 100 };
	struct err e;
	FILE *f;

	p = profile_attribute(json_object_get(all, "counts"), json_object_get(all, "symbols"), json_object_get(all, "buckets"), &run, &e);
	if (p && sum_of(json_object_get(p, "buckets")) != json_integer_value(json_object_get(p, "cycles")))
		abort();
	if (p && (f = fopen("/dev/null", "w"))) {
		json_t *list = json_pack("[O]", p);

		profile_print(f, list);
		fclose(f);
		json_decref(list);
	}
	json_decref(p);
	json_decref(all);
	return 0;
}
