// SPDX-License-Identifier: GPL-2.0-or-later
/* One attempt on a board that is well, and on boards that are not: the verdict, the cause and the sentence. */
#include "run/attempt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/fake_board.h"
#include "test/harness.h"

static struct fake fake;
static struct images images;
static struct err e;
static char capture[400];
static enum attempt_stop stop_now;
static unsigned asked, holds_told, wrote_told;

static const struct board_type *find(void *opaque, const char *name)
{
	(void)opaque;
	return strcmp(name, fake.type.name) == 0 ? &fake.type : NULL;
}

static void on_step(void *opaque, enum step s)
{
	(void)opaque;
	(void)s;
}

static void on_progress(void *opaque, const char *what, size_t done, size_t total)
{
	(void)opaque;
	(void)what;
	(void)done;
	(void)total;
}

static enum attempt_stop on_stop(void *opaque)
{
	(void)opaque;
	asked++;
	return stop_now;
}

static void on_holds(void *opaque, const struct lab_image *i, const char *identity, bool wrote)
{
	(void)opaque;
	(void)identity;
	holds_told += i != NULL;
	wrote_told += wrote;
}

static const struct attempt_watch watch = { on_step, on_progress, NULL, on_stop, on_holds, NULL };

static bool begin(void)
{
	stop_now = ATTEMPT_GO_ON;
	asked = holds_told = wrote_told = 0;
	snprintf(capture, sizeof capture, "%s/a.pcap", test_folder());
	return fake_init(&fake, "board-a", test_folder(), &e) && images_load(fake.images_file, find, NULL, &images, &e);
}

static bool attempt(const char *workload, int payload, struct attempt_result *r)
{
	struct board *b;
	json_t *params = json_pack("{s:i, s:i, s:s, s:b}", "payload_bytes", payload, "count", 10, "transport", "tcp", "ack", 0);
	struct attempt_order o = { .workload = workload, .params = params, .image = &images.images[0], .capture = capture, .deadline_ms = 120000, .clock = &clock_host };

	if (!fake_board_open(&fake, &b, &e))
		return false;
	attempt_run(b, &o, &watch, r);
	fake_board_close(b);
	json_decref(params);
	return true;
}

static void finish(struct attempt_result *r)
{
	attempt_result_finish(r);
	images_finish(&images);
}

TEST(a_blank_board_is_flashed_booted_driven_and_measured)
{
	struct attempt_result r;

	CHECK_OK(begin(), &e);
	CHECK_OK(attempt("trigger", 1460, &r), &e);
	CHECK_STR(r.err.msg, "");
	CHECK_EQ(r.judgement.verdict, VERDICT_PASS);
	CHECK_EQ(r.judgement.cause, CAUSE_NONE);
	CHECK_EQ(r.step, STEP_STORE);
	CHECK(r.has_figures && r.captured);
	CHECK_EQ(r.figures.payload_bytes, 14600);
	CHECK_EQ(r.figures.elapsed_ns, 10 * (101640000ull + 139340ull * 1460));
	CHECK_EQ(r.figures.frame_count, 10);
	CHECK_EQ(r.boot_ns, 180 * 1000000);
	CHECK_EQ(r.flash_bytes, 128);
	CHECK_EQ(fake.flashes, 1);
	CHECK_EQ(wrote_told, 1);
	finish(&r);
}

TEST(a_board_that_proves_its_image_is_not_flashed_again_and_gives_the_same_figures)
{
	struct attempt_result a, b;

	CHECK_OK(begin(), &e);
	CHECK_OK(attempt("trigger", 750, &a), &e);
	CHECK_OK(attempt("trigger", 750, &b), &e);
	CHECK_EQ(b.judgement.verdict, VERDICT_PASS);
	CHECK_EQ(fake.flashes, 1);
	CHECK_EQ(b.flash_ns, -1);
	CHECK_EQ(a.figures.elapsed_ns, b.figures.elapsed_ns);
	attempt_result_finish(&a);
	finish(&b);
}

TEST(a_board_with_the_right_build_and_another_units_address_is_flashed)
{
	struct attempt_result a, b;

	CHECK_OK(begin(), &e);
	CHECK_OK(attempt("trigger", 100, &a), &e);
	snprintf(fake.ip, sizeof fake.ip, "10.77.0.9");
	CHECK_OK(attempt("trigger", 100, &b), &e);
	CHECK_EQ(b.judgement.verdict, VERDICT_PASS);
	CHECK_EQ(fake.flashes, 2);
	attempt_result_finish(&a);
	finish(&b);
}

TEST(the_workload_flash_writes_even_what_is_there_already)
{
	struct attempt_result a, b;

	CHECK_OK(begin(), &e);
	CHECK_OK(attempt("flash", 0, &a), &e);
	CHECK_OK(attempt("flash", 0, &b), &e);
	CHECK_EQ(b.judgement.verdict, VERDICT_PASS);
	CHECK_EQ(fake.flashes, 2);
	CHECK(!b.has_figures && !b.captured);
	attempt_result_finish(&a);
	finish(&b);
}

TEST(console_bytes_are_kept_with_their_power_on_and_time)
{
	struct attempt_result r;

	CHECK_OK(begin(), &e);
	CHECK_OK(attempt("trigger", 100, &r), &e);
	CHECK(r.piece_count >= 2);
	/* The first power-on found a blank board, which says nothing. */
	CHECK_EQ(r.pieces[0].power, 2);
	CHECK_EQ(r.pieces[0].at_ns, 120 * 1000000);
	CHECK(strstr(buf_text(&r.console), "@lab boot board=fake-type build=" FAKE_BUILD));
	CHECK_EQ(r.bad_lines, 0);
	finish(&r);
}

static const struct expectation {
	enum fake_trouble trouble;
	enum verdict verdict;
	enum cause cause;
	bool retry;
	const char *says;
} expectations[] = {
	{ FAKE_POWER, VERDICT_ERROR, CAUSE_POWER, true, "the switch did not act" },
	{ FAKE_NO_LINE, VERDICT_ERROR, CAUSE_LINE, true, "no such device" },
	{ FAKE_DEAD_LINE, VERDICT_ERROR, CAUSE_LINE, true, "nothing heard on the serial line within 2000 ms" },
	{ FAKE_NOISE, VERDICT_ERROR, CAUSE_LINE, true, "console lines with a wrong sum" },
	{ FAKE_MUTE, VERDICT_FAIL, CAUSE_FIRMWARE, false, "printed no banner" },
	{ FAKE_NO_LINK, VERDICT_ERROR, CAUSE_NETWORK, true, "saw no network link" },
	{ FAKE_FAULT_NIC, VERDICT_FAIL, CAUSE_BOARD, false, "what=nic" },
	{ FAKE_FLASH, VERDICT_ERROR, CAUSE_FLASH, true, "no sync byte" },
	{ FAKE_FORGETS, VERDICT_ERROR, CAUSE_LINE, true, "nothing heard" },
	{ FAKE_SILENT, VERDICT_TIMEOUT, CAUSE_BOARD, false, "nothing more came" },
	{ FAKE_WRONG_BYTE, VERDICT_FAIL, CAUSE_FIRMWARE, false, "wrong byte at position 7" },
	{ FAKE_TAP, VERDICT_ERROR, CAUSE_HOST, true, "the stream ended" },
	{ FAKE_CUT_CAPTURE, VERDICT_ERROR, CAUSE_HOST, true, "" },
};

static bool as_expected(const struct expectation *x)
{
	struct attempt_result r;
	bool ok = begin();

	fake.trouble = x->trouble;
	ok = ok && attempt("trigger", 100, &r);
	if (!ok)
		return false;
	ok = r.judgement.verdict == x->verdict && r.judgement.cause == x->cause && strstr(r.err.msg, x->says) && r.err.msg[0];
	if (x->verdict != VERDICT_TIMEOUT)
		ok = ok && r.judgement.retry == x->retry;
	if (!ok)
		printf("trouble %d: %s %s at %s: %s\n", (int)x->trouble, verdict_word(r.judgement.verdict), cause_word(r.judgement.cause), step_word(r.step), r.err.msg);
	finish(&r);
	return ok;
}

TEST(every_trouble_has_its_verdict_its_cause_and_one_sentence)
{
	for (size_t i = 0; i < sizeof expectations / sizeof expectations[0]; i++)
		CHECK(as_expected(&expectations[i]));
}

TEST(after_a_failed_attempt_a_power_cycle_brings_the_board_back)
{
	struct attempt_result a, b;

	CHECK_OK(begin(), &e);
	fake.trouble = FAKE_SILENT;
	fake.heals_after = 2;
	CHECK_OK(attempt("trigger", 100, &a), &e);
	CHECK_EQ(a.judgement.verdict, VERDICT_TIMEOUT);
	CHECK_OK(attempt("trigger", 100, &b), &e);
	CHECK_EQ(b.judgement.verdict, VERDICT_PASS);
	attempt_result_finish(&a);
	finish(&b);
}

TEST(the_capture_of_a_failed_drive_is_kept)
{
	struct attempt_result r;

	CHECK_OK(begin(), &e);
	fake.trouble = FAKE_SILENT;
	CHECK_OK(attempt("trigger", 100, &r), &e);
	CHECK(r.captured && !r.has_figures);
	finish(&r);
}

TEST(a_cancelled_attempt_says_so_whatever_step_it_is_in)
{
	struct attempt_result r;

	CHECK_OK(begin(), &e);
	stop_now = ATTEMPT_CANCELLED;
	CHECK_OK(attempt("trigger", 100, &r), &e);
	CHECK_EQ(r.judgement.verdict, VERDICT_CANCELLED);
	CHECK_EQ(r.judgement.cause, CAUSE_REQUEST);
	CHECK(!r.judgement.retry);
	finish(&r);
}

TEST(an_attempt_that_labd_itself_ends_is_an_error_of_the_daemon_and_done_again)
{
	struct attempt_result r;

	CHECK_OK(begin(), &e);
	stop_now = ATTEMPT_STOPPING;
	CHECK_OK(attempt("trigger", 100, &r), &e);
	CHECK_EQ(r.judgement.verdict, VERDICT_ERROR);
	CHECK_EQ(r.judgement.cause, CAUSE_DAEMON);
	CHECK(r.judgement.retry);
	finish(&r);
}

TEST(an_image_that_is_not_the_listed_file_is_never_flashed)
{
	struct attempt_result r;
	char path[400];

	CHECK_OK(begin(), &e);
	snprintf(path, sizeof path, "%s/fake.ihx", fake.folder);
	CHECK(test_write_file(path, ":00000001FF\n", 12));
	CHECK_OK(attempt("trigger", 100, &r), &e);
	CHECK_EQ(r.judgement.verdict, VERDICT_ERROR);
	CHECK_EQ(r.judgement.cause, CAUSE_IMAGE);
	CHECK(strstr(r.err.msg, "is not the file that images.json lists"));
	CHECK_EQ(fake.flashes, 0);
	finish(&r);
}
