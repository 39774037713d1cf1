// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A foreign witness of the published run: tshark reads each of its captures, which the whole lab took of the virtual board with its firmware, without complaint, and its totals are those of the
 * run's document.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "lab_rig.h"
#include "test/harness.h"
#include "test/tshark.h"

enum { CELLS = 3 };

static struct err e;

/* What both count, under the names of the run's document. */
static bool alike(const struct witness *w, const json_t *figures)
{
	const struct { const char *name; uint64_t seen; } totals[] = {
		{ "captured_frames", w->frames }, { "captured_bytes", w->bytes }, { "payload_bytes", w->payload }, { "retransmissions", w->retransmissions },
		{ "duplicate_acks", w->duplicate_acks }, { "zero_windows", w->zero_windows }, { "bad_checksums", w->bad_sums },
	};
	bool same = true;

	for (size_t i = 0; i < sizeof totals / sizeof totals[0]; i++) {
		const json_t *ours = json_object_get(figures, totals[i].name);

		if (json_is_integer(ours) && (uint64_t)json_integer_value(ours) == totals[i].seen)
			continue;
		printf("%s: labd %lld, tshark %llu\n", totals[i].name, (long long)json_integer_value(ours), (unsigned long long)totals[i].seen);
		same = false;
	}
	return same;
}

TEST(the_captures_of_the_published_run_are_read_by_tshark_without_complaint_and_counted_alike)
{
	struct lab_rig r;
	struct witness w;

	if (!have_tshark(&e))
		SKIP("tshark cannot be run: %s", e.msg);
	CHECK(rig_prepare_and_start(&r, NULL));
	json_t *report = rig_ctl_json(&r, "run", "published", "--wait", NULL);
	CHECK_EQ(r.status, 0);
	CHECK_EQ(json_array_size(json_object_get(report, "cells")), CELLS);
	for (size_t i = 0; i < CELLS; i++) {
		json_t *cell = cell_in(report, i);

		CHECK_OK(ask_tshark(text_in(cell, "capture"), &w, &e), &e);
		CHECK_EQ(w.malformed, 0);
		CHECK_EQ(w.bad_sums, 0);
		CHECK(w.frames > 200 && alike(&w, json_object_get(cell, "figures")));
	}
	json_decref(report);
	CHECK(rig_stop(&r));
	rig_finish(&r);
}
