// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every fault a virtual board can have, set while the daemon runs: the run ends with the verdict and cause that a person at the bench would give, one sentence says
 * what was seen, no number comes out of a failure, and when the fault is gone the next run has the figures it always had.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab_rig.h"
#include "test/harness.h"

enum work { FLASH, RUN };

static const struct fault_case {
	const char *fault;
	enum work work;                                                      /* what meets the fault: flashing, or a run of a board that holds its image */
	const char *verdict, *cause, *sentence;                              /* of the first attempt; sentence: a part of it */
	int status;                                                          /* of labctl, after the last attempt */
} cases[] = {
	/* The line: a board that holds an image and says nothing, or nonsense, has a bad line; so has a loader whose characters come back as others. */
	{ "uart.dead", FLASH, "error", "line", "no answer to 'U'", 5 },
	{ "uart.dead", RUN, "error", "line", "no answer to 'U'", 5 },
	{ "uart.dead dir=tx", RUN, "error", "line", "no answer to 'U'", 5 },
	{ "uart.dead dir=rx", RUN, "pass", "none", "", 0 },                  /* a run says nothing to the board's line */
	{ "uart.dead dir=rx", FLASH, "error", "flash", "no answer to 'U'", 5 },
	{ "uart.noise every=50", FLASH, "error", "line", "noise on the line", 5 },
	{ "uart.noise every=7 dir=tx", RUN, "error", "line", "", 5 },
	{ "uart.noise every=4000", FLASH, "pass", "none", "", 0 },           /* a record is sent again */
	{ "uart.loss every=50", FLASH, "error", "line", "noise on the line", 5 },
	{ "uart.loss every=11 dir=tx", RUN, "error", "line", "", 5 },
	{ "uart.loss every=4000", FLASH, "pass", "none", "", 0 },
	/* The loader and the flash. */
	{ "isp.silent", FLASH, "error", "flash", "no answer to 'U'", 5 },
	{ "isp.silent", RUN, "pass", "none", "", 0 },                        /* the board proves its image: nobody asks the loader */
	{ "isp.reject after=20", FLASH, "error", "flash", "answered X", 5 },
	{ "power.loss after_bytes=1000", FLASH, "error", "power", "lost its power in step flash", 0 },    /* once: the second attempt passes */
	/* The wire: lost, doubled and broken frames are sent again, which costs time and shows; too many are nobody's figure. */
	{ "wire.loss every=7", RUN, "pass", "none", "", 0 },
	{ "wire.loss every=7 dir=host", RUN, "pass", "none", "", 0 },
	{ "wire.dup every=3", RUN, "pass", "none", "", 0 },
	{ "wire.corrupt every=7", RUN, "pass", "none", "", 0 },
	{ "wire.corrupt every=7 dir=board", RUN, "pass", "none", "", 0 },
	{ "wire.loss every=1", RUN, "timeout", "network", "did not answer a connection", 124 },
	{ "wire.loss every=2 dir=board", RUN, "pass", "none", "", 0 },
	{ "link.down", RUN, "error", "network", "no network link", 5 },
	{ "cpu.hang after_ns=700000000", RUN, "timeout", "board", "until the deadline", 124 },
	{ "cpu.hang after_ns=1000000", RUN, "pass", "none", "", 0 },
};

/* The attempts of a run, newest first; the caller releases. */
static json_t *attempts_of(struct lab_rig *r, json_t *report)
{
	char run[24];

	snprintf(run, sizeof run, "%lld", (long long)json_integer_value(json_object_get(report, "run")));
	return rig_ctl_json(r, "results", "--run", run, NULL);
}

static json_t *work_with_fault(struct lab_rig *r, enum work work)
{
	return work == FLASH ? rig_ctl_json(r, "flash", "8051-a", "--wait", NULL) : rig_ctl_json(r, "run", "quick", "--wait", NULL);
}

static bool one_clear_sentence(const json_t *attempt, const char *part)
{
	const char *error = text_in(attempt, "error");

	return strstr(error, part) && strlen(error) < 240 && !strchr(error, '\n') && (error[0] != 0) == (strcmp(text_in(attempt, "verdict"), "pass") != 0);
}

/* Frames lost, doubled or broken must show: in the counts, or, where the wire ate a frame of the board's before the monitor, in its second before the next try. */
static bool wire_fault_shows(const json_t *attempt, const json_t *usual)
{
	json_t *f = json_object_get(attempt, "figures");
	json_int_t seen = 0;
	static const char *const signs[] = { "retransmissions", "duplicate_acks", "out_of_order", "bad_checksums" };

	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
		seen += json_integer_value(json_object_get(f, signs[i]));
	return seen > 0 || json_number_value(json_object_get(f, "elapsed_s")) > json_number_value(json_object_get(usual, "elapsed_s")) + 0.9;
}

static bool ends_as_it_should(struct lab_rig *r, const struct fault_case *c, json_t *usual)
{
	json_t *report = work_with_fault(r, c->work), *attempts = attempts_of(r, report), *first = json_array_get(attempts, json_array_size(attempts) - 1);
	bool passes = strcmp(c->verdict, "pass") == 0, has = json_is_object(json_object_get(first, "figures"));
	int status = (int)json_integer_value(json_object_get(report, "exit_status"));
	bool ok = status == c->status && strcmp(text_in(first, "verdict"), c->verdict) == 0 && strcmp(text_in(first, "cause"), c->cause) == 0
	       && one_clear_sentence(first, c->sentence) && has == (passes && c->work == RUN);

	if (ok && has && strncmp(c->fault, "wire.", 5) == 0)
		ok = wire_fault_shows(first, usual);
	else if (ok && has)
		ok = json_equal(json_object_get(first, "figures"), usual);
	if (!ok)
		printf("%s: status %d, %s %s (%zu attempts): %s\n", c->fault, status, text_in(first, "verdict"), text_in(first, "cause"), json_array_size(attempts), text_in(first, "error"));
	json_decref(attempts);
	json_decref(report);
	return ok;
}

static json_t *figures_of_a_run(struct lab_rig *r)
{
	json_t *report = rig_ctl_json(r, "run", "quick", "--wait", NULL), *figures = json_incref(json_object_get(cell_in(report, 0), "figures"));

	if (r->status != 0)
		printf("status %d: %s\n", r->status, text_in(cell_in(report, 0), "error"));
	json_decref(report);
	return figures;
}

TEST(every_fault_has_its_verdict_its_cause_and_its_sentence_and_the_next_run_is_as_ever)
{
	struct lab_rig r;
	json_t *usual, *again;
	unsigned wrong = 0;

	CHECK(rig_prepare_and_start(&r, NULL));
	usual = figures_of_a_run(&r);
	CHECK(json_is_object(usual));
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		CHECK(rig_fault(&r, cases[i].fault));
		wrong += !ends_as_it_should(&r, &cases[i], usual);
		CHECK(rig_fault(&r, "clear"));
		again = figures_of_a_run(&r);
		if (!json_equal(usual, again)) {
			printf("%s: the run after it has other figures\n", cases[i].fault);
			wrong++;
		}
		json_decref(again);
	}
	CHECK_EQ(wrong, 0);
	json_decref(usual);
	CHECK(rig_stop(&r));
	CHECK_EQ(rig_left_over(&r), 0);
	rig_finish(&r);
}

TEST(faults_of_the_bench_file_are_there_from_the_first_power_on)
{
	struct lab_rig r;
	json_t *report;

	CHECK(rig_prepare_and_start(&r, &(struct rig_setup){ .faults = "[\"flash.stuck at=0x0100\"]" }));
	report = rig_ctl_json(&r, "run", "quick", "--wait", NULL);
	CHECK_EQ(r.status, 5);
	CHECK_STR(text_in(cell_in(report, 0), "verdict"), "error");
	CHECK_STR(text_in(cell_in(report, 0), "cause"), "flash");
	CHECK(one_clear_sentence(cell_in(report, 0), "address 0x0100 holds FFh"));
	CHECK_EQ(json_integer_value(json_object_get(cell_in(report, 0), "attempts")), 2);       /* the lab's failures are tried once more */
	json_decref(report);
	CHECK(rig_fault(&r, "clear"));
	json_decref(figures_of_a_run(&r));
	CHECK_EQ(r.status, 0);
	CHECK(rig_stop(&r));
	rig_finish(&r);
}
