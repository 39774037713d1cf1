// SPDX-License-Identifier: GPL-2.0-or-later
/* `labctl profile` as people use it: a run of its own, tables or a document, and nothing different in the results. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "lab_rig.h"
#include "test/harness.h"

static int64_t sum_of(const json_t *rows, const char *key)
{
	int64_t sum = 0;
	json_t *row;
	size_t i;

	json_array_foreach((json_t *)rows, i, row)
		sum += json_integer_value(json_object_get(row, key));
	return sum;
}

/* elapsed_ns of the newest result. */
static int64_t newest_elapsed(struct lab_rig *r)
{
	json_t *results = rig_ctl_json(r, "results", "--limit", "1", NULL);
	int64_t ns = json_integer_value(json_object_get(json_object_get(json_array_get(results, 0), "figures"), "elapsed_ns"));

	json_decref(results);
	return ns;
}

TEST(labctl_profile_runs_the_cells_and_says_where_every_cycle_went)
{
	struct lab_rig r;

	CHECK(rig_prepare_and_start(&r, NULL));
	json_t *profiles = rig_ctl_json(&r, "profile", "8051-a", "--cell", "*payload_bytes=100", NULL), *p = json_array_get(profiles, 0);
	int64_t elapsed = json_integer_value(json_object_get(p, "elapsed_ns"));
	int64_t cycles = json_integer_value(json_object_get(p, "cycles"));
	bool sums = sum_of(json_object_get(p, "buckets"), "cycles") == cycles && sum_of(json_object_get(p, "functions"), "cycles") == cycles;
	double closes = json_real_value(json_object_get(p, "closes"));
	size_t count = json_array_size(profiles);
	bool ok = r.status == 0;

	json_decref(profiles);
	bool shown = ok && rig_ctl(&r, "profile", "8051-a", "--run", "1", NULL) == 0 && strstr(r.out, "| fill: write the buffer") && strstr(r.out, "| `checksum_add` (checksum) |");
	int64_t profiled = newest_elapsed(&r);
	bool ran = rig_ctl(&r, "run", "published", "--cell", "*payload_bytes=100", "--wait", NULL) == 0;
	int64_t plain = newest_elapsed(&r);
	bool none = rig_ctl(&r, "profile", "8051-a", "--run", "2", NULL) == 1 && strstr(r.err, "no profile was taken of result 2");
	bool unknown = rig_ctl(&r, "profile", "8052", NULL) == 2 && strstr(r.err, "there is no board");

	rig_finish(&r);
	CHECK(ok && sums && cycles > 0);
	CHECK_EQ(count, 1);
	CHECK(closes > 0.99 && closes < 1.01);
	CHECK(shown);
	CHECK(ran && plain > 0);
	CHECK_EQ(plain, profiled);
	CHECK_EQ(plain, elapsed);
	CHECK(none);
	CHECK(unknown);
}
