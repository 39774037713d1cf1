// SPDX-License-Identifier: GPL-2.0-or-later
/* Requests to results, with a store in memory or on disk and boards of the fake kind. */
#include "run/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"
#include "run/fake_board.h"
#include "run/matrix.h"
#include "store/store.h"
#include "test/harness.h"

enum { WAIT_MS = 20000 };

static const char matrix_text[] =
	"{\"version\":1,\"name\":\"three\",\"cells\":[{\"workload\":\"trigger\",\"board_types\":[\"fake-type\"],\"params\":{\"payload_bytes\":[1460,750,100],\"count\":10},"
	"\"repeats\":{\"turns\":1,\"wall\":6}}]}";

static struct fake fake, other;
static struct fake *fakes[3];
static struct runner_board boards[2];
static struct store *store;
static struct runner *runner;
static struct err e;

static bool put_matrix(const char *text)
{
	struct matrix *m = NULL;
	bool ok = matrix_parse("test", text, strlen(text), &m, &e) && store_matrix_put(store, matrix_name(m), matrix_document(m), "test", NULL, &e);

	matrix_destroy(m);
	return ok;
}

static bool make_runner(size_t count)
{
	struct runner_config c = { .store = store, .clock = &clock_host, .state_dir = test_folder(), .images_file = fake.images_file, .boards = boards, .board_count = count,
	                           .board_open = fake_open, .board_close = fake_close, .opaque = fakes };

	return store_host(store, "here", "Linux", "a CPU", "test", &c.host_id, &e) && runner_create(&c, &runner, &e);
}

static bool begin(const char *path, size_t count)
{
	if (!fake_init(&fake, "board-a", test_folder(), &e) || !fake_init(&other, "board-b", test_folder(), &e))
		return false;
	fakes[0] = &fake;
	fakes[1] = &other;
	fakes[2] = NULL;
	boards[0] = (struct runner_board){ &fake.config, &fake.type };
	boards[1] = (struct runner_board){ &other.config, &other.type };
	return store_open(path, &clock_host, &store, &e) && put_matrix(matrix_text) && make_runner(count);
}

static void end(void)
{
	runner_destroy(runner);
	store_close(store);
	runner = NULL;
	store = NULL;
}

static bool request(const char *board, const char *cell, int64_t *run)
{
	struct run_request q = { .matrix = "three", .board = board, .cell = cell, .reason = "manual", .requested_by = "test" };

	return runner_request(runner, &q, run, &e);
}

static json_t *results(int64_t run)
{
	struct result_filter f = { .run = run };

	return store_results(store, &f, &e);
}

static const char *text_at(json_t *list, size_t i, const char *key)
{
	const char *text = json_string_value(json_object_get(json_array_get(list, i), key));

	return text ? text : "";
}

static double number_at(json_t *list, size_t i, const char *figure)
{
	return json_number_value(json_object_get(json_object_get(json_array_get(list, i), "figures"), figure));
}

TEST(a_matrix_runs_in_order_and_every_cell_has_its_figures)
{
	json_t *r;
	int64_t run;

	CHECK_OK(begin(":memory:", 1), &e);
	CHECK_OK(runner_start(runner, &e), &e);
	CHECK_OK(request(NULL, NULL, &run), &e);
	CHECK_OK(runner_wait(runner, run, WAIT_MS, &e), &e);
	r = results(run);
	CHECK_EQ(json_array_size(r), 3);
	CHECK_STR(text_at(r, 0, "cell"), "trigger/fake-type/payload_bytes=1460");
	CHECK_STR(text_at(r, 2, "verdict"), "pass");
	/* 1460 bytes in 305.07 ms and 100 bytes in 115.574 ms: the published line. */
	CHECK(number_at(r, 0, "goodput_byte_per_s") > 4785.5 && number_at(r, 0, "goodput_byte_per_s") < 4786.5);
	CHECK(number_at(r, 2, "goodput_byte_per_s") > 865 && number_at(r, 2, "goodput_byte_per_s") < 866);
	CHECK_EQ(json_integer_value(json_object_get(json_object_get(json_array_get(r, 0), "figures"), "frames")), 10);
	json_decref(r);
	end();
}

static char last_cell[128];

static void remember(void *opaque, const char *event, json_t *document)
{
	(void)opaque;
	if (strcmp(event, "result") == 0)
		snprintf(last_cell, sizeof last_cell, "%s", json_string_value(json_object_get(document, "cell")));
}

TEST(cells_in_reverse_order_give_the_same_figures)
{
	struct run_request q = { .matrix = "three", .requested_by = "test", .reverse = true };
	json_t *a, *b;
	int64_t one, two;

	CHECK_OK(begin(":memory:", 1), &e);
	runner_set_events(runner, (struct run_events){ remember, NULL });
	CHECK_OK(runner_start(runner, &e), &e);
	CHECK_OK(request(NULL, NULL, &one), &e);
	CHECK_OK(runner_request(runner, &q, &two, &e), &e);
	CHECK_OK(runner_wait(runner, two, WAIT_MS, &e), &e);
	a = store_run(store, one, &e);
	b = store_run(store, two, &e);
	for (size_t i = 0; i < 3; i++) {
		json_t *x = json_array_get(json_object_get(json_array_get(json_object_get(a, "cells"), i), "attempts"), 0);
		json_t *y = json_array_get(json_object_get(json_array_get(json_object_get(b, "cells"), i), "attempts"), 0);

		CHECK(json_is_object(json_object_get(x, "figures")));
		CHECK(json_equal(json_object_get(x, "figures"), json_object_get(y, "figures")));
	}
	json_decref(a);
	json_decref(b);
	runner_stop(runner);
	CHECK_STR(last_cell, "trigger/fake-type/payload_bytes=1460");
	end();
}

TEST(two_boards_work_off_a_run_side_by_side)
{
	json_t *row;
	int64_t run;

	CHECK_OK(begin(":memory:", 2), &e);
	CHECK_OK(runner_start(runner, &e), &e);
	CHECK_OK(request(NULL, NULL, &run), &e);
	CHECK_OK(runner_wait(runner, run, WAIT_MS, &e), &e);
	row = store_run(store, run, &e);
	CHECK_EQ(json_integer_value(json_object_get(json_object_get(row, "attempts"), "pass")), 6);
	json_decref(row);
	end();
}

TEST(a_filter_by_board_and_glob_selects_cells)
{
	json_t *r;
	int64_t run;

	CHECK_OK(begin(":memory:", 2), &e);
	CHECK_OK(runner_start(runner, &e), &e);
	CHECK_OK(request("board-b", "*=750", &run), &e);
	CHECK_OK(runner_wait(runner, run, WAIT_MS, &e), &e);
	r = results(run);
	CHECK_EQ(json_array_size(r), 1);
	CHECK_STR(text_at(r, 0, "board"), "board-b");
	json_decref(r);
	CHECK(!request("board-c", NULL, &run));
	CHECK_EQ(e.code, ERR_NOT_FOUND);
	CHECK(strstr(e.msg, "board-c"));
	CHECK(!request(NULL, "nothing/*", &run));
	CHECK_EQ(e.code, ERR_NOT_FOUND);
	end();
}

TEST(a_failure_of_the_lab_is_tried_once_more_and_both_attempts_stay)
{
	json_t *r;
	int64_t run;

	CHECK_OK(begin(":memory:", 1), &e);
	fake.trouble = FAKE_DEAD_LINE;
	fake.heals_after = 2;
	CHECK_OK(runner_start(runner, &e), &e);
	CHECK_OK(request(NULL, "*=750", &run), &e);
	CHECK_OK(runner_wait(runner, run, WAIT_MS, &e), &e);
	r = results(run);
	CHECK_EQ(json_array_size(r), 2);
	CHECK_STR(text_at(r, 0, "verdict"), "error");
	CHECK_STR(text_at(r, 0, "cause"), "line");
	CHECK_STR(text_at(r, 1, "verdict"), "pass");
	CHECK_EQ(json_integer_value(json_object_get(json_array_get(r, 1), "attempt")), 2);
	json_decref(r);
	end();
}

TEST(a_lasting_failure_of_the_lab_ends_after_two_attempts_and_marks_the_board_bad)
{
	json_t *r, *b;
	int64_t run;

	CHECK_OK(begin(":memory:", 1), &e);
	fake.trouble = FAKE_POWER;
	CHECK_OK(runner_start(runner, &e), &e);
	CHECK_OK(request(NULL, "*=750", &run), &e);
	CHECK_OK(runner_wait(runner, run, WAIT_MS, &e), &e);
	r = results(run);
	CHECK_EQ(json_array_size(r), 2);
	CHECK(json_is_null(json_object_get(json_array_get(r, 1), "figures")));
	json_decref(r);
	runner_stop(runner);
	b = store_boards(store, &e);
	CHECK_STR(text_at(b, 0, "health"), "bad");
	CHECK(strstr(text_at(b, 0, "health_reason"), "switch"));
	json_decref(b);
	end();
}

TEST(a_failure_of_the_firmware_is_not_tried_again)
{
	json_t *r;
	int64_t run;

	CHECK_OK(begin(":memory:", 1), &e);
	fake.trouble = FAKE_WRONG_BYTE;
	CHECK_OK(runner_start(runner, &e), &e);
	CHECK_OK(request(NULL, "*=750", &run), &e);
	CHECK_OK(runner_wait(runner, run, WAIT_MS, &e), &e);
	r = results(run);
	CHECK_EQ(json_array_size(r), 1);
	CHECK_STR(text_at(r, 0, "verdict"), "fail");
	CHECK_STR(text_at(r, 0, "cause"), "firmware");
	CHECK(json_is_null(json_object_get(json_array_get(r, 0), "figures")));
	json_decref(r);
	end();
}

/* Until the board's worker is at that step; bounded. */
static bool wait_for_step(const char *step)
{
	for (int i = 0; i < 2000; i++) {
		json_t *all = runner_boards(runner);
		bool there = strcmp(text_at(all, 0, "step"), step) == 0;

		json_decref(all);
		if (there)
			return true;
		usleep(5000);
	}
	return false;
}

TEST(a_cancelled_run_ends_at_once_with_what_is_queued_too)
{
	json_t *r;
	int64_t run;

	CHECK_OK(begin(":memory:", 1), &e);
	fake.trouble = FAKE_STUCK;
	CHECK_OK(runner_start(runner, &e), &e);
	CHECK_OK(request(NULL, NULL, &run), &e);
	CHECK(wait_for_step("drive"));
	CHECK_OK(runner_cancel(runner, run, "test", &e), &e);
	CHECK_OK(runner_wait(runner, run, WAIT_MS, &e), &e);
	r = results(run);
	CHECK_EQ(json_array_size(r), 3);
	for (size_t i = 0; i < 3; i++)
		CHECK_STR(text_at(r, i, "verdict"), "cancelled");
	json_decref(r);
	CHECK(!runner_cancel(runner, run, "test", &e));
	CHECK_EQ(e.code, ERR_CONFLICT);
	end();
}

TEST(a_stop_in_the_middle_is_recorded_and_goes_on_after_the_next_start)
{
	json_t *r;
	int64_t run;
	unsigned closed;

	CHECK_OK(begin(":memory:", 1), &e);
	fake.trouble = FAKE_STUCK;
	CHECK_OK(runner_start(runner, &e), &e);
	CHECK_OK(request(NULL, "*=750", &run), &e);
	CHECK(wait_for_step("drive"));
	runner_destroy(runner);
	r = results(run);
	CHECK_EQ(json_array_size(r), 2);
	CHECK_STR(text_at(r, 0, "verdict"), "error");
	CHECK_STR(text_at(r, 0, "cause"), "daemon");
	CHECK_STR(text_at(r, 1, "state"), "queued");
	json_decref(r);
	fake.trouble = FAKE_WELL;
	CHECK_OK(store_recover(store, &closed, &e), &e);
	CHECK_EQ(closed, 0);
	CHECK_OK(make_runner(1), &e);
	CHECK_OK(runner_start(runner, &e), &e);
	CHECK_OK(runner_wait(runner, run, WAIT_MS, &e), &e);
	r = results(run);
	CHECK_EQ(json_array_size(r), 2);
	CHECK_STR(text_at(r, 1, "verdict"), "pass");
	json_decref(r);
	end();
}

TEST(a_stop_while_the_board_is_being_opened_cancels_nothing)
{
	json_t *r;
	int64_t run;

	CHECK_OK(begin(":memory:", 1), &e);
	fake.trouble = FAKE_ABSENT;
	CHECK_OK(runner_start(runner, &e), &e);
	CHECK_OK(request(NULL, "*=750", &run), &e);
	CHECK(wait_for_step("open"));
	runner_stop(runner);
	r = results(run);
	CHECK_EQ(json_array_size(r), 2);
	CHECK_STR(text_at(r, 0, "verdict"), "error");
	CHECK_STR(text_at(r, 0, "cause"), "daemon");
	CHECK_STR(text_at(r, 1, "state"), "queued");
	json_decref(r);
	end();
}

/* HTTP serves on until the runner has recorded everything. */
TEST(a_runner_that_has_stopped_still_answers)
{
	json_t *b;
	int64_t run;

	CHECK_OK(begin(":memory:", 2), &e);
	CHECK_OK(runner_start(runner, &e), &e);
	runner_stop(runner);
	b = runner_boards(runner);
	CHECK_EQ(json_array_size(b), 2);
	CHECK_STR(text_at(b, 1, "board"), "board-b");
	json_decref(b);
	CHECK_OK(request(NULL, "*=750", &run), &e);
	CHECK_OK(runner_cancel(runner, run, "test", &e), &e);
	end();
}

TEST(an_attempt_beyond_its_deadline_is_ended_by_the_watchdog)
{
	static const char text[] = "{\"version\":1,\"name\":\"three\",\"cells\":[{\"workload\":\"trigger\",\"board_types\":[\"fake-type\"],"
	                           "\"params\":{\"payload_bytes\":100},\"deadline_s\":1}]}";
	json_t *r;
	int64_t run;

	CHECK_OK(begin(":memory:", 1), &e);
	CHECK_OK(put_matrix(text), &e);
	fake.trouble = FAKE_STUCK;
	CHECK_OK(runner_start(runner, &e), &e);
	CHECK_OK(request(NULL, NULL, &run), &e);
	CHECK_OK(runner_wait(runner, run, WAIT_MS, &e), &e);
	r = results(run);
	CHECK_STR(text_at(r, 0, "verdict"), "timeout");
	CHECK(strstr(text_at(r, 0, "error"), "not finished within 1 s"));
	json_decref(r);
	end();
}

TEST(a_cell_without_board_or_image_is_skipped_and_the_run_still_ends)
{
	static const char text[] = "{\"version\":1,\"name\":\"three\",\"cells\":[{\"workload\":\"trigger\",\"board_types\":[\"other-type\"],\"params\":{\"payload_bytes\":100}}]}";
	json_t *r;
	int64_t run;

	CHECK_OK(begin(":memory:", 1), &e);
	CHECK_OK(put_matrix(text), &e);
	CHECK_OK(runner_start(runner, &e), &e);
	CHECK_OK(request(NULL, NULL, &run), &e);
	CHECK_OK(runner_wait(runner, run, WAIT_MS, &e), &e);
	r = results(run);
	CHECK_STR(text_at(r, 0, "verdict"), "skipped");
	CHECK_STR(text_at(r, 0, "cause"), "no_board");
	json_decref(r);
	end();
}

TEST(two_images_for_one_cell_are_a_mistake_of_the_configuration)
{
	size_t size;
	char *text, *twice;
	int64_t run;

	CHECK_OK(begin(":memory:", 1), &e);
	runner_destroy(runner);
	text = test_read_file(fake.images_file, &size);
	CHECK(text);
	text[strcspn(text, "\n")] = 0;
	/* The same row with another hash. */
	twice = xasprintf("[%.*s,%s", (int)strlen(text) - 2, text + 1, text + 1);
	memset(strstr(twice + strlen(text), "\"sha256\":\"") + 10, '0', 64);
	CHECK(test_write_file(fake.images_file, twice, strlen(twice)));
	free(text);
	free(twice);
	CHECK_OK(make_runner(1), &e);
	CHECK(!request(NULL, NULL, &run));
	CHECK_EQ(e.code, ERR_INVALID);
	CHECK(strstr(e.msg, "two images fit"));
	end();
}

TEST(an_estimate_stores_nothing_and_learns_from_the_last_run)
{
	struct run_request q = { .matrix = "three" };
	json_t *before, *after;
	int64_t run;

	CHECK_OK(begin(":memory:", 1), &e);
	CHECK_OK(runner_start(runner, &e), &e);
	before = runner_estimate(runner, &q, &e);
	CHECK_EQ(json_integer_value(json_object_get(before, "attempts")), 3);
	CHECK(json_is_null(json_object_get(before, "estimated_s")));
	CHECK_EQ(json_integer_value(json_object_get(before, "flash_cycles")), 1);
	CHECK_OK(request(NULL, NULL, &run), &e);
	CHECK_OK(runner_wait(runner, run, WAIT_MS, &e), &e);
	after = runner_estimate(runner, &q, &e);
	CHECK(json_number_value(json_object_get(after, "estimated_s")) > 0);
	CHECK_EQ(json_integer_value(json_object_get(after, "flash_cycles")), 0);
	json_decref(before);
	json_decref(after);
	end();
}

TEST(flashing_by_request_is_a_run_of_its_own)
{
	json_t *r, *b;
	int64_t run;

	CHECK_OK(begin(":memory:", 1), &e);
	CHECK_OK(runner_start(runner, &e), &e);
	CHECK_OK(runner_flash(runner, "board-a", FAKE_BUILD, "test", &run, &e), &e);
	CHECK_OK(runner_wait(runner, run, WAIT_MS, &e), &e);
	r = results(run);
	CHECK_STR(text_at(r, 0, "workload"), "flash");
	CHECK_STR(text_at(r, 0, "verdict"), "pass");
	CHECK(json_is_null(json_object_get(json_array_get(r, 0), "figures")));
	b = store_boards(store, &e);
	CHECK_EQ(json_integer_value(json_object_get(json_array_get(b, 0), "flash_cycles")), 1);
	CHECK_STR(json_string_value(json_object_get(json_object_get(json_array_get(b, 0), "holds"), "build")), FAKE_BUILD);
	CHECK(!runner_flash(runner, "board-a", "ffffffffffff", "test", &run, &e));
	CHECK_EQ(e.code, ERR_NOT_FOUND);
	json_decref(r);
	json_decref(b);
	end();
}

static unsigned heard[6];

static void publish(void *opaque, const char *event, json_t *document)
{
	static const char *const words[] = { "board", "progress", "result", "run", "console" };

	(void)opaque;
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strcmp(event, words[i]) == 0 && json_is_object(document))
			__atomic_fetch_add(&heard[i], 1, __ATOMIC_RELAXED);
}

TEST(what_happens_is_told_while_it_happens)
{
	int64_t run;

	memset(heard, 0, sizeof heard);
	CHECK_OK(begin(":memory:", 1), &e);
	runner_set_events(runner, (struct run_events){ publish, NULL });
	CHECK_OK(runner_start(runner, &e), &e);
	CHECK_OK(request(NULL, NULL, &run), &e);
	CHECK_OK(runner_wait(runner, run, WAIT_MS, &e), &e);
	runner_stop(runner);
	CHECK(heard[0] >= 20);
	CHECK(heard[1] >= 1);
	CHECK_EQ(heard[2], 3);
	CHECK_EQ(heard[3], 2);
	CHECK(heard[4] >= 6);
	end();
}

static char console_told[4096];
static unsigned console_pieces;

static void keep_console(void *opaque, const char *event, json_t *document)
{
	(void)opaque;
	if (strcmp(event, "console") != 0)
		return;
	strncat(console_told, json_string_value(json_object_get(document, "text")), sizeof console_told - strlen(console_told) - 1);
	console_pieces++;
}

/* Three lines a power-on: the greeting, boot, net. Slow as the host may be, fifty milliseconds bring more than one byte. */
TEST(a_console_that_drips_is_told_in_lines_and_nothing_of_it_is_lost)
{
	json_t *r;
	struct buf stored = { 0 };
	int64_t run;

	CHECK_OK(begin(":memory:", 1), &e);
	fake.drips = true;
	runner_set_events(runner, (struct run_events){ keep_console, NULL });
	CHECK_OK(runner_start(runner, &e), &e);
	CHECK_OK(request(NULL, "*=750", &run), &e);
	CHECK_OK(runner_wait(runner, run, WAIT_MS, &e), &e);
	runner_stop(runner);
	r = results(run);
	CHECK_OK(store_console_bytes(store, json_integer_value(json_object_get(json_array_get(r, 0), "id")), &stored, &e), &e);
	CHECK_EQ(strlen(console_told), stored.size);
	CHECK_STR(console_told, buf_text(&stored));
	CHECK(console_pieces >= 3);
	CHECK(console_pieces < stored.size / 8);
	buf_finish(&stored);
	json_decref(r);
	end();
}

TEST(a_result_that_finds_the_disk_full_waits_for_space_and_is_not_lost)
{
	static const char text[] = "{\"version\":1,\"name\":\"three\",\"cells\":[{\"workload\":\"trigger\",\"board_types\":[\"fake-type\"],"
	                           "\"params\":{\"payload_bytes\":100,\"count\":1000}}]}";
	char *path = xasprintf("%s/lab.db", test_folder());
	json_t *r;
	int64_t run;

	CHECK_OK(begin(path, 1), &e);
	free(path);
	CHECK_OK(put_matrix(text), &e);
	CHECK_OK(request(NULL, NULL, &run), &e);
	/* The database may not grow: a thousand frames do not fit. */
	CHECK_OK(store_limit_pages(store, 0, &e), &e);
	CHECK_OK(runner_start(runner, &e), &e);
	CHECK(wait_for_step("not_stored"));
	r = results(run);
	CHECK_STR(text_at(r, 0, "state"), "running");
	json_decref(r);
	CHECK_OK(store_limit_pages(store, 1000000, &e), &e);
	CHECK_OK(runner_wait(runner, run, WAIT_MS, &e), &e);
	r = results(run);
	CHECK_EQ(json_array_size(r), 1);
	CHECK_STR(text_at(r, 0, "verdict"), "pass");
	json_decref(r);
	end();
}
