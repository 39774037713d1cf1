// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The lab at night, alone: a schedule fires at its time on a daemon whose terminal is gone, outlives a restart, and is caught up when the daemon was away. The wall clock
 * of the daemon is set a few seconds before the hour (test/clock_shift.c), so that nobody waits.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab_rig.h"
#include "test/harness.h"

/* 2026-11-30T02:29:56Z and a day and a second later. */
#define BEFORE_THE_HOUR "1796005796"
#define THE_NEXT_NIGHT "1796092197"

static bool add_nightly(struct lab_rig *r)
{
	return rig_ctl(r, "schedule", "add", "nightly", "--cron", "30 2 * * *", "--zone", "UTC", "--matrix", "quick", NULL) == 0;
}

TEST(a_nightly_fires_at_its_time_and_again_the_next_night_after_a_restart)
{
	struct lab_rig r;
	json_t *schedules;

	CHECK(rig_prepare(&r, NULL));
	r.utc = BEFORE_THE_HOUR;
	CHECK(rig_start(&r));
	CHECK(add_nightly(&r));
	CHECK(rig_await_run(&r, 1, "finished", 20));
	CHECK(rig_stop(&r));
	CHECK_EQ(rig_count(&r, "SELECT count(*) FROM attempt WHERE verdict = 'pass' AND run_id IN (SELECT id FROM run WHERE reason = 'schedule')"), 1);
	CHECK_EQ(rig_count(&r, "SELECT count(*) FROM schedule_event WHERE what = 'fired' AND due_ms = 1796005800000"), 1);

	r.utc = THE_NEXT_NIGHT;
	CHECK(rig_start(&r));
	schedules = rig_ctl_json(&r, "schedule", "list", NULL);
	CHECK_STR(text_in(json_array_get(schedules, 0), "name"), "nightly");
	json_decref(schedules);
	CHECK(rig_await_run(&r, 2, "finished", 20));
	CHECK(rig_stop(&r));
	CHECK_EQ(rig_count(&r, "SELECT count(*) FROM schedule_event WHERE what = 'fired'"), 2);
	CHECK_EQ(rig_count(&r, "SELECT count(*) FROM attempt WHERE verdict = 'pass'"), 2);
	rig_finish(&r);
}

TEST(a_nightly_that_was_missed_runs_once_when_the_daemon_is_back)
{
	struct lab_rig r;

	CHECK(rig_prepare(&r, NULL));
	r.utc = "1795996800";                                                /* midnight before */
	CHECK(rig_start(&r));
	CHECK(add_nightly(&r));
	CHECK(rig_stop(&r));
	r.utc = "1796212800";                                                /* two days and a half later: three nights were missed */
	CHECK(rig_start(&r));
	CHECK(rig_await_run(&r, 1, "finished", 20));
	CHECK(rig_stop(&r));
	CHECK_EQ(rig_count(&r, "SELECT count(*) FROM run"), 1);
	CHECK_EQ(rig_count(&r, "SELECT count(*) FROM schedule_event WHERE what = 'caught_up' AND run_id = 1"), 1);
	CHECK_EQ(rig_count(&r, "SELECT count(*) FROM attempt WHERE verdict = 'pass'"), 1);
	rig_finish(&r);
}
