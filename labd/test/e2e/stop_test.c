// SPDX-License-Identifier: GPL-2.0-or-later
/* How the daemon ends and begins: told to stop in the middle of work, a second one on the same state folder, no space for results, runs that somebody cancels. */
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/clock.h"
#include "lab_rig.h"
#include "test/harness.h"

static bool is_one_line(const char *text)
{
	const char *end = strchr(text, '\n');

	return end && !end[1];
}

TEST(a_daemon_told_to_stop_in_the_middle_ends_at_once_records_what_ran_and_goes_on_when_it_is_back)
{
	struct lab_rig r;
	pid_t console, run;
	uint64_t from;

	CHECK(rig_prepare_and_start(&r, NULL));
	console = rig_ctl_begin(&r, "console", "8051-a", "--follow", NULL);  /* an event stream that nobody ends */
	CHECK_EQ(rig_ctl(&r, "run", "long", NULL), 0);
	run = rig_ctl_begin(&r, "run", "quick", "--wait", NULL);
	CHECK(rig_await_run(&r, 2, "queued", 20) && rig_await_step(&r, "8051-a", "drive", 20));
	from = clock_now_ns(&clock_host);
	CHECK(rig_stop(&r));
	CHECK(clock_now_ns(&clock_host) - from < 5 * slowness() * NS_PER_S);
	CHECK_EQ(rig_reap(&r, run, 10), 7);
	CHECK_EQ(rig_reap(&r, console, 10), 7);
	CHECK_EQ(rig_count(&r, "SELECT count(*) FROM attempt WHERE state = 'running'"), 0);
	CHECK_EQ(rig_count(&r, "SELECT count(*) FROM attempt WHERE verdict = 'error' AND cause = 'daemon' AND error LIKE 'labd was stopped%'"), 1);
	CHECK_EQ(rig_left_over(&r), 0);
	CHECK_EQ(rig_socket_folders(&r), 0);

	CHECK(rig_start(&r));
	CHECK(rig_await_step(&r, "8051-a", "drive", 20));                    /* the second attempt */
	CHECK_EQ(rig_count(&r, "SELECT attempt FROM attempt WHERE state = 'running'"), 2);
	CHECK_EQ(rig_ctl(&r, "cancel", "1", NULL), 0);
	CHECK(rig_await_run(&r, 1, "finished", 10) && rig_await_run(&r, 2, "finished", 30));
	CHECK_EQ(rig_count(&r, "SELECT count(*) FROM attempt WHERE run_id = 2 AND verdict = 'pass'"), 1);
	CHECK(rig_stop(&r));
	rig_finish(&r);
}

TEST(two_daemons_never_share_a_state_folder)
{
	struct lab_rig r, second;

	CHECK(rig_prepare_and_start(&r, NULL));
	second = r;
	CHECK(!rig_start(&second));
	CHECK_EQ(second.status, 5);
	char *log = rig_log(&r);
	CHECK(strstr(log, "another labd uses the state folder"));
	free(log);
	CHECK_EQ(rig_ctl(&r, "run", "quick", "--wait", NULL), 0);            /* the first one did not notice */
	CHECK(rig_stop(&r));
	rig_finish(&r);
}

/* ---- no space ---- */

static bool limit_files(const struct lab_rig *r, rlim_t bytes)
{
	const struct rlimit limit = { bytes, RLIM_INFINITY };

	return prlimit(r->labd, RLIMIT_FSIZE, &limit, NULL) == 0;
}

TEST(a_full_disk_is_said_keeps_the_result_waiting_and_is_over_when_there_is_space)
{
	struct lab_rig r;
	pid_t labd, board;

	CHECK(rig_prepare_and_start(&r, NULL));
	labd = r.labd;
	CHECK_EQ(rig_ctl(&r, "run", "long", NULL), 0);
	CHECK(rig_await_step(&r, "8051-a", "drive", 20));
	CHECK(limit_files(&r, 16));                                          /* no file can grow: neither the capture nor the store */
	CHECK(rig_vboards(&r, &board, 1) == 1 && kill(board, SIGKILL) == 0); /* an end of the attempt that has to be kept */
	CHECK(rig_await_step(&r, "8051-a", "not_stored", 20));
	CHECK_EQ(rig_ctl(&r, "run", "quick", "--wait", NULL), 5);            /* no run that could not be kept */
	CHECK(is_one_line(r.err));
	CHECK_EQ(rig_ctl(&r, "boards", NULL), 0);                            /* what needs no space works */
	CHECK(limit_files(&r, RLIM_INFINITY));
	CHECK(rig_await_step(&r, "8051-a", "drive", 20));                    /* kept at last, and tried again */
	CHECK_EQ(rig_count(&r, "SELECT count(*) FROM attempt WHERE run_id = 1 AND attempt = 1 AND verdict = 'error' AND cause = 'host'"), 1);
	CHECK_EQ(rig_ctl(&r, "cancel", "1", NULL), 0);
	CHECK_EQ(rig_ctl(&r, "run", "quick", "--wait", NULL), 0);
	CHECK_EQ(r.labd, labd);
	CHECK(rig_stop(&r));
	rig_finish(&r);
}

/* ---- cancelling ---- */

static int64_t begin_run(struct lab_rig *r, const char *matrix)
{
	json_t *queued = matrix ? rig_ctl_json(r, "run", matrix, NULL) : rig_ctl_json(r, "flash", "8051-a", NULL);
	int64_t run = json_integer_value(json_object_get(queued, "run"));

	json_decref(queued);
	return run;
}

/* Cancelled or finished before that; *step is where it was. False: neither, or not within moments. */
static bool cancel(struct lab_rig *r, int64_t run, char *step, size_t room)
{
	char text[24];
	json_t *results, *one;
	const char *verdict;
	bool fine;

	snprintf(text, sizeof text, "%lld", (long long)run);
	rig_ctl(r, "cancel", text, NULL);
	if (!rig_await_run(r, run, "finished", 5))
		return false;
	results = rig_ctl_json(r, "results", "--run", text, NULL);
	one = json_array_get(results, 0);
	verdict = text_in(one, "verdict");
	fine = strcmp(verdict, "cancelled") == 0 || strcmp(verdict, "pass") == 0;
	snprintf(step, room, "%s", strcmp(verdict, "pass") == 0 ? "done" : text_in(one, "step")[0] ? text_in(one, "step") : "queued");
	if (!fine)
		printf("cancelled in step %s: %s %s: %s\n", step, verdict, text_in(one, "cause"), text_in(one, "error"));
	json_decref(results);
	return fine;
}

TEST(a_run_that_drives_and_one_that_waits_behind_it_can_be_cancelled)
{
	struct lab_rig r;
	char step[16];
	int64_t drives, waits;

	CHECK(rig_prepare_and_start(&r, NULL));
	drives = begin_run(&r, "long");
	waits = begin_run(&r, "quick");
	CHECK(rig_await_step(&r, "8051-a", "drive", 20));
	CHECK(cancel(&r, waits, step, sizeof step));
	CHECK_STR(step, "queued");
	CHECK(cancel(&r, drives, step, sizeof step));
	CHECK_STR(step, "drive");
	CHECK_EQ(rig_ctl(&r, "run", "quick", "--wait", NULL), 0);
	CHECK(rig_stop(&r));
	rig_finish(&r);
}

/* Flashing takes a moment of wall time only: cancelled a little later each time, until both phases were hit. */
TEST(flashing_can_be_cancelled_at_any_moment_and_the_next_run_passes)
{
	struct lab_rig r;
	bool boot = false, flash = false;
	char step[16];

	CHECK(rig_prepare_and_start(&r, NULL));
	for (int i = 0; i < 60 && !(boot && flash); i++) {
		int64_t run = begin_run(&r, NULL);

		poll(NULL, 0, i * 7 % 120);
		CHECK(cancel(&r, run, step, sizeof step));
		boot |= strcmp(step, "boot") == 0 || strcmp(step, "power") == 0 || strcmp(step, "line") == 0;
		flash |= strcmp(step, "flash") == 0;
	}
	if (!flash)
		printf("never hit: %s%s\n", boot ? "" : "boot ", flash ? "" : "flash");
	CHECK(flash);
	CHECK_EQ(rig_ctl(&r, "run", "quick", "--wait", NULL), 0);
	CHECK(rig_stop(&r));
	rig_finish(&r);
}
