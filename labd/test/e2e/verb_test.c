// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * labctl on the real daemon: exit statuses by situations that really give them (1, a board that fails, needs a wrong firmware: ctl/labctl_test.c), and the verbs people use
 * in a day.
 */
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab_rig.h"
#include "test/harness.h"

TEST(exit_statuses_of_labctl_are_reached_by_what_they_stand_for)
{
	static const char other_type[] = "{\"version\":1,\"name\":\"other\",\"cells\":[{\"workload\":\"trigger\",\"board_types\":[\"lpc2129-cs8900a\"],\"variants\":{},"
		"\"params\":{\"payload_bytes\":[100],\"count\":[10]},\"repeats\":{\"wall\":1,\"turns\":1},\"deadline_s\":30}]}";
	struct lab_rig r;
	char path[160];
	pid_t run;

	CHECK(rig_prepare(&r, NULL));
	CHECK_EQ(rig_ctl(&r, "boards", NULL), 7);                            /* no daemon */
	CHECK(strstr(r.err, "./lab up"));
	CHECK(rig_start(&r));
	CHECK_EQ(rig_ctl(&r, "run", "quick", "--wait", NULL), 0);

	CHECK_EQ(rig_ctl(&r, "run", "quikc", "--wait", NULL), 2);            /* usage: a matrix, an option, a verb, a board that is not there */
	CHECK_EQ(rig_ctl(&r, "run", "quick", "--bord", "x", NULL), 2);
	CHECK(strstr(r.err, "--board"));
	CHECK_EQ(rig_ctl(&r, "rnu", NULL), 2);
	CHECK_EQ(rig_ctl(&r, "run", "quick", "--board", "nobody", NULL), 2);

	snprintf(path, sizeof path, "%s/other.json", r.folder);
	CHECK(test_write_file(path, other_type, sizeof other_type - 1));
	CHECK_EQ(rig_ctl(&r, "matrix", "import", path, NULL), 0);
	CHECK_EQ(rig_ctl(&r, "run", "other", "--wait", NULL), 4);            /* no board of that type on this bench */

	CHECK(rig_fault(&r, "link.down"));
	CHECK_EQ(rig_ctl(&r, "run", "quick", "--wait", NULL), 5);            /* the lab failed */
	CHECK(rig_fault(&r, "clear"));

	CHECK_EQ(rig_ctl(&r, "run", "long", "--wait", "--timeout", "1", NULL), 124);
	run = rig_ctl_begin(&r, "run", "long", "--wait", NULL);
	CHECK(rig_await_step(&r, "8051-a", "drive", 20));
	kill(run, SIGINT);                                                   /* Ctrl-C cancels the run */
	CHECK_EQ(rig_reap(&r, run, 20), 6);
	CHECK(strstr(r.err, "cancelling the run"));
	CHECK(rig_stop(&r));
	CHECK_EQ(rig_ctl(&r, "runs", NULL), 7);                              /* it was here a moment ago */
	rig_finish(&r);
}

/* What was measured across a power cycle would be of two boards. */
TEST(a_power_switch_that_somebody_else_uses_is_noticed_and_the_cell_is_done_again)
{
	struct lab_rig r;
	char answer[64];
	pid_t run;

	CHECK(rig_prepare_and_start(&r, NULL));
	run = rig_ctl_begin(&r, "run", "slow", "--wait", NULL);
	CHECK(rig_await_step(&r, "8051-a", "drive", 20));
	CHECK(rig_control(&r, "power off\npower on", answer, sizeof answer));
	CHECK_EQ(rig_reap(&r, run, 60), 0);
	CHECK(strstr(r.err, "somebody else switched its power"));
	CHECK_EQ(rig_count(&r, "SELECT count(*) FROM attempt WHERE verdict = 'error' AND cause = 'host'"), 1);
	CHECK_EQ(rig_count(&r, "SELECT count(*) FROM figures"), 1);
	CHECK(rig_stop(&r));
	rig_finish(&r);
}

static int lines_of(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

TEST(the_verbs_of_a_day_work_on_the_real_daemon)
{
	struct lab_rig r;
	json_t *j;
	char file[160];

	CHECK(rig_prepare_and_start(&r, NULL));
	CHECK_EQ(rig_ctl(&r, "flash", "8051-a", "--wait", NULL), 0);
	CHECK_EQ(rig_ctl(&r, "run", "published", "--wait", NULL), 0);
	CHECK(strstr(r.out, "4785 byte/s"));                                 /* measured beside published */
	CHECK_EQ(rig_ctl(&r, "console", "8051-a", NULL), 0);
	CHECK(strstr(r.out, "@lab boot board=at89c51ed2-cs8900a") && strstr(r.out, "@lab done workload=trigger"));
	CHECK_EQ(rig_ctl(&r, "export", "csv", NULL), 0);
	CHECK(lines_of(r.out) > 3);
	snprintf(file, sizeof file, "%s/compare.csv", r.folder);
	CHECK_EQ(rig_ctl(&r, "export", "csv", "compare", "--output", file, NULL), 0);
	CHECK(access(file, R_OK) == 0);
	CHECK_EQ(rig_ctl(&r, "compare", NULL), 0);
	CHECK(strstr(r.out, "trigger"));

	CHECK_EQ(rig_ctl(&r, "matrix", "list", NULL), 0);
	CHECK(strstr(r.out, "published"));
	CHECK_EQ(rig_ctl(&r, "matrix", "export", "published", NULL), 0);
	snprintf(file, sizeof file, "%s/mine.json", r.folder);
	CHECK(test_write_file(file, r.out, strlen(r.out)));
	CHECK_EQ(rig_ctl(&r, "matrix", "validate", file, NULL), 0);
	CHECK_EQ(rig_ctl(&r, "matrix", "copy", "published", "mine", NULL), 0);
	CHECK_EQ(rig_ctl(&r, "run", "mine", "--wait", "--cell", "*=100", "--require-all", NULL), 0);
	CHECK_EQ(rig_ctl(&r, "matrix", "show", "mine", NULL), 0);

	j = rig_ctl_json(&r, "run", "published", "--dry-run", NULL);
	CHECK_EQ(json_integer_value(json_object_get(j, "attempts")), 3);
	json_decref(j);
	j = rig_ctl_json(&r, "boards", NULL);
	CHECK_STR(text_in(json_array_get(j, 0), "name"), "8051-a");
	json_decref(j);
	CHECK(rig_stop(&r));
	rig_finish(&r);
}
