// SPDX-License-Identifier: GPL-2.0-or-later
/* The store through its own functions: the queue, results, matrices, recovery, other users of the file, and a kill in the middle. */
#include "store/store.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/mem.h"
#include "store/migrate.h"
#include "store/sql.h"
#include "test/harness.h"
#include "wire/flow.h"

static struct err e;
static struct store *s;
static int64_t host;

static bool begin(const char *path)
{
	return store_open(path, &clock_host, &s, &e) && store_host(s, "here", "Linux", "a CPU", "test", &host, &e) && store_board_put(s, "board-a", "type-a", true, 1000, &e);
}

static void end(void)
{
	store_close(s);
	s = NULL;
}

static bool add_run(unsigned cells, unsigned repeats, int64_t *run)
{
	struct cell_row rows[4];
	struct run_row r = { .reason = "manual", .requested_by = "test", .host_id = host };
	json_t *empty = json_object(), *params = json_pack("{s:i, s:i, s:s}", "payload_bytes", 1460, "count", 3, "transport", "tcp");
	char names[4][16];
	bool ok;

	r.request = empty;
	for (unsigned i = 0; i < cells; i++) {
		snprintf(names[i], sizeof names[i], "cell-%u", i);
		rows[i] = (struct cell_row){ .name = names[i], .board = "board-a", .board_type = "type-a", .workload = "trigger", .variant = empty, .params = params,
		                             .is_virtual = true, .repeats = repeats, .deadline_ms = 1000 };
	}
	ok = store_run_add(s, &r, rows, cells, run, &e);
	json_decref(empty);
	json_decref(params);
	return ok;
}

static struct flow_frame frames[3] = { { 0, 300000000, 305000000, 1 }, { 305000000, 600000000, 610000000, 1 }, { 610000000, 900000000, 915210000, 2 } };

static struct flow_figures figures(void)
{
	return (struct flow_figures){ .elapsed_ns = 915210000, .payload_bytes = 4380, .wire_bytes = 4554, .frames = frames, .frame_count = 3, .retransmissions = 1,
	                              .window_min = 400, .window_max = 1460, .mss = 1460, .payload_ok = true, .captured_frames = 20, .captured_bytes = 9999,
	                              .link_type = "EN10MB" };
}

static struct outcome passed(const struct flow_figures *f)
{
	return (struct outcome){ .verdict = "pass", .cause = "none", .step = "store", .wall_ns = 1500000000, .flash_ns = -1, .flash_bytes = -1, .boot_ns = 180000000,
	                         .image_sha256 = "ab", .image_build = "0123456789ab", .toolchain = "sdcc", .proof = "banner", .mode = "gate", .pace = "turns",
	                         .capture = "captures/x.pcap", .figures = f };
}

static struct outcome failed(const char *verdict, const char *cause, bool retry)
{
	return (struct outcome){ .verdict = verdict, .cause = cause, .error = "it broke", .wall_ns = 1, .flash_ns = -1, .flash_bytes = -1, .boot_ns = -1, .retry = retry };
}

static json_t *at(json_t *o, const char *a, const char *b)
{
	json_t *inner = json_object_get(o, a);

	return b ? json_object_get(inner, b) : inner;
}

TEST(a_store_in_memory_opens_with_the_newest_schema)
{
	json_t *status;
	int newest = 0;

	for (const struct migration *m = migrations; m->name; m++)
		newest = m->version;
	CHECK_OK(begin(":memory:"), &e);
	status = store_status(s, &e);
	CHECK_EQ(json_integer_value(json_object_get(status, "schema_version")), newest);
	json_decref(status);
	end();
}

TEST(jobs_come_in_the_order_of_cells_and_repeats_interleave)
{
	static const char *const expected[] = { "cell-0", "cell-1", "cell-0", "cell-1" };
	int64_t run;

	CHECK_OK(begin(":memory:"), &e);
	CHECK_OK(add_run(2, 2, &run), &e);
	for (unsigned i = 0; i < 4; i++) {
		struct job j;
		struct outcome o = failed("fail", "firmware", false);
		bool finished;

		CHECK_OK(store_job_take(s, "board-a", host, &j, &e), &e);
		CHECK_STR(j.cell, expected[i]);
		CHECK_EQ(j.repeat, i / 2);
		CHECK_OK(store_job_done(s, j.attempt_id, &o, &finished, &e), &e);
		CHECK_EQ(finished, i == 3);
		job_finish(&j);
	}
	CHECK(!store_job_take(s, "board-a", host, &(struct job){ 0 }, &e));
	CHECK_EQ(e.code, ERR_NOT_FOUND);
	end();
}

TEST(a_passed_attempt_keeps_figures_frames_console_and_provenance)
{
	struct flow_figures f = figures();
	struct outcome o = passed(&f);
	struct console_row lines[] = { { 120000000, 1, (const uint8_t *)"@lab boot\r\n", 11 }, { 180000000, 1, (const uint8_t *)"\xe9\0x", 3 } };
	struct buf bytes = { 0 };
	struct job j;
	json_t *r, *fr, *con;
	int64_t run;

	CHECK_OK(begin(":memory:"), &e);
	CHECK_OK(add_run(1, 1, &run), &e);
	CHECK_OK(store_job_take(s, "board-a", host, &j, &e), &e);
	o.console = lines;
	o.console_count = 2;
	CHECK_OK(store_job_done(s, j.attempt_id, &o, NULL, &e), &e);
	r = store_result(s, j.attempt_id, &e);
	CHECK(r);
	CHECK_STR(json_string_value(at(r, "verdict", NULL)), "pass");
	CHECK_EQ(json_integer_value(at(r, "figures", "elapsed_ns")), 915210000);
	CHECK(fabs(json_number_value(at(r, "figures", "goodput_byte_per_s")) - 4785.786) < 0.001);
	CHECK(fabs(json_number_value(at(r, "figures", "goodput_bit_per_s")) - 8 * 4785.786) < 0.01);
	CHECK(fabs(json_number_value(at(r, "figures", "frames_per_s")) - 3.27793) < 0.0001);
	CHECK(json_is_false(at(r, "figures", "ack_paced")));
	CHECK(json_is_null(at(r, "flash_s", NULL)));
	CHECK(json_number_value(at(r, "boot_s", NULL)) == 0.18);
	CHECK_STR(json_string_value(at(r, "image", "build")), "0123456789ab");
	CHECK_STR(json_string_value(at(r, "host", NULL)), "here");
	CHECK(json_is_true(at(r, "virtual", NULL)));
	CHECK(json_is_null(at(r, "excluded", NULL)));
	fr = store_frames(s, j.attempt_id, 1, 0, &e);
	CHECK_EQ(json_integer_value(at(fr, "total", NULL)), 3);
	CHECK_EQ(json_array_size(at(fr, "frames", NULL)), 2);
	CHECK_EQ(json_integer_value(json_array_get(json_array_get(at(fr, "frames", NULL), 1), 4)), 2);
	con = store_console(s, j.attempt_id, &e);
	CHECK_EQ(json_array_size(con), 2);
	CHECK_STR(json_string_value(json_object_get(json_array_get(con, 1), "text")), "\xef\xbf\xbd\xef\xbf\xbdx");
	CHECK_OK(store_console_bytes(s, j.attempt_id, &bytes, &e), &e);
	CHECK(bytes.size == 14 && bytes.bytes[11] == 0xe9 && bytes.bytes[12] == 0);
	buf_finish(&bytes);
	json_decref(r);
	json_decref(fr);
	json_decref(con);
	job_finish(&j);
	end();
}

TEST(a_failed_attempt_has_no_figures_even_if_some_were_measured)
{
	struct flow_figures f = figures();
	struct outcome o = failed("fail", "firmware", false);
	struct job j;
	json_t *r;
	int64_t run;

	CHECK_OK(begin(":memory:"), &e);
	CHECK_OK(add_run(1, 1, &run), &e);
	CHECK_OK(store_job_take(s, "board-a", host, &j, &e), &e);
	o.figures = &f;
	CHECK_OK(store_job_done(s, j.attempt_id, &o, NULL, &e), &e);
	r = store_result(s, j.attempt_id, &e);
	CHECK(json_is_null(at(r, "figures", NULL)));
	json_decref(r);
	job_finish(&j);
	end();
}

TEST(a_retry_is_queued_in_the_same_step_and_runs_next)
{
	struct outcome o = failed("error", "line", true);
	struct job j, again;
	int64_t run;
	bool finished;

	CHECK_OK(begin(":memory:"), &e);
	CHECK_OK(add_run(2, 1, &run), &e);
	CHECK_OK(store_job_take(s, "board-a", host, &j, &e), &e);
	CHECK_OK(store_job_done(s, j.attempt_id, &o, &finished, &e), &e);
	CHECK(!finished);
	CHECK_OK(store_job_take(s, "board-a", host, &again, &e), &e);
	CHECK_STR(again.cell, "cell-0");
	CHECK_EQ(again.attempt, 2);
	/* An attempt ends once. */
	CHECK(!store_job_done(s, j.attempt_id, &o, NULL, &e));
	CHECK_EQ(e.code, ERR_CONFLICT);
	job_finish(&j);
	job_finish(&again);
	end();
}

TEST(words_that_are_no_verdict_are_refused_by_the_schema)
{
	struct outcome o = failed("splendid", "none", false);
	struct job j;
	int64_t run;

	CHECK_OK(begin(":memory:"), &e);
	CHECK_OK(add_run(1, 1, &run), &e);
	CHECK_OK(store_job_take(s, "board-a", host, &j, &e), &e);
	CHECK(!store_job_done(s, j.attempt_id, &o, NULL, &e));
	CHECK_EQ(e.code, ERR_INVALID);
	job_finish(&j);
	end();
}

TEST(after_a_crash_what_ran_is_closed_and_queued_again_at_most_twenty_times)
{
	int64_t run;
	unsigned closed;
	json_t *all;

	CHECK_OK(begin(":memory:"), &e);
	CHECK_OK(add_run(1, 1, &run), &e);
	for (unsigned i = 1; i <= 20; i++) {
		struct job j;

		CHECK_OK(store_job_take(s, "board-a", host, &j, &e), &e);
		CHECK_EQ(j.attempt, i);
		CHECK_OK(store_job_step(s, j.attempt_id, "drive", &e), &e);
		CHECK_OK(store_recover(s, &closed, &e), &e);
		CHECK_EQ(closed, 1);
		CHECK_OK(store_recover(s, &closed, &e), &e);
		CHECK_EQ(closed, 0);
		job_finish(&j);
	}
	CHECK(!store_job_take(s, "board-a", host, &(struct job){ 0 }, &e));
	all = store_run(s, run, &e);
	CHECK_STR(json_string_value(at(all, "state", NULL)), "finished");
	CHECK_EQ(json_integer_value(at(all, "attempts", "error")), 20);
	CHECK(strstr(json_string_value(json_object_get(json_array_get(json_object_get(json_array_get(at(all, "cells", NULL), 0), "attempts"), 0), "error")), "step drive"));
	json_decref(all);
	all = store_boards(s, &e);
	CHECK_STR(json_string_value(json_object_get(json_array_get(all, 0), "state")), "idle");
	json_decref(all);
	end();
}

TEST(a_cancelled_run_is_not_queued_again)
{
	struct job j;
	int64_t run;
	unsigned closed;
	bool cancelled;

	CHECK_OK(begin(":memory:"), &e);
	CHECK_OK(add_run(2, 1, &run), &e);
	CHECK_OK(store_job_take(s, "board-a", host, &j, &e), &e);
	CHECK_OK(store_run_cancel(s, run, "somebody", &e), &e);
	CHECK_OK(store_run_cancelled(s, run, &cancelled, &e), &e);
	CHECK(cancelled);
	CHECK_OK(store_recover(s, &closed, &e), &e);
	CHECK(!store_job_take(s, "board-a", host, &(struct job){ 0 }, &e));
	CHECK(!store_run_cancel(s, run, "somebody", &e));
	CHECK_EQ(e.code, ERR_CONFLICT);
	CHECK(!store_run_cancel(s, 77, "somebody", &e));
	CHECK_EQ(e.code, ERR_NOT_FOUND);
	job_finish(&j);
	end();
}

TEST(a_matrix_is_replaced_until_a_run_refers_to_it_and_versioned_afterwards)
{
	json_t *a = json_pack("{s:s, s:i}", "name", "m", "x", 1), *b = json_pack("{s:s, s:i}", "name", "m", "x", 2), *got;
	struct run_row r = { .matrix = "m", .matrix_version = 1, .reason = "manual", .requested_by = "test", .request = a, .host_id = 1 };
	int version;
	int64_t run;

	CHECK_OK(begin(":memory:"), &e);
	CHECK_OK(store_matrix_put(s, "m", a, "one", &version, &e), &e);
	CHECK_EQ(version, 1);
	CHECK_OK(store_matrix_put(s, "m", b, "two", &version, &e), &e);
	CHECK_EQ(version, 1);
	CHECK_OK(store_run_add(s, &r, NULL, 0, &run, &e), &e);
	CHECK_OK(store_matrix_put(s, "m", b, "three", &version, &e), &e);
	CHECK_EQ(version, 1);
	CHECK_OK(store_matrix_put(s, "m", a, "three", &version, &e), &e);
	CHECK_EQ(version, 2);
	got = store_matrix(s, "m", 1, &e);
	CHECK(json_equal(json_object_get(got, "document"), b));
	CHECK(json_is_true(json_object_get(got, "frozen")));
	json_decref(got);
	CHECK_OK(store_matrix_copy(s, "m", 0, "n", "four", &e), &e);
	got = store_matrix(s, "n", 0, &e);
	CHECK_STR(json_string_value(at(got, "document", "name")), "n");
	json_decref(got);
	CHECK(!store_matrix_copy(s, "m", 0, "n", "four", &e));
	CHECK_EQ(e.code, ERR_CONFLICT);
	CHECK(!store_matrix(s, "nothing", 0, &e));
	CHECK_EQ(e.code, ERR_NOT_FOUND);
	json_decref(a);
	json_decref(b);
	end();
}

TEST(an_exclusion_has_a_reason_and_can_be_taken_back)
{
	struct flow_figures f = figures();
	struct outcome o = passed(&f);
	struct result_filter all = { .without_excluded = true };
	struct job j;
	json_t *r;
	int64_t run;

	CHECK_OK(begin(":memory:"), &e);
	CHECK_OK(add_run(1, 1, &run), &e);
	CHECK_OK(store_job_take(s, "board-a", host, &j, &e), &e);
	CHECK(!store_exclude(s, j.attempt_id, "too early", "me", &e));
	CHECK_OK(store_job_done(s, j.attempt_id, &o, NULL, &e), &e);
	CHECK_OK(store_exclude(s, j.attempt_id, "the cable was loose", "me", &e), &e);
	r = store_result(s, j.attempt_id, &e);
	CHECK_STR(json_string_value(at(r, "excluded", "reason")), "the cable was loose");
	json_decref(r);
	r = store_results(s, &all, &e);
	CHECK_EQ(json_array_size(r), 0);
	json_decref(r);
	CHECK_OK(store_exclusion_lift(s, j.attempt_id, &e), &e);
	CHECK(!store_exclusion_lift(s, j.attempt_id, &e));
	r = store_results(s, &all, &e);
	CHECK_EQ(json_array_size(r), 1);
	json_decref(r);
	job_finish(&j);
	end();
}

TEST(results_page_by_id_in_both_directions)
{
	struct result_filter f = { .limit = 3 };
	int64_t run, last = 0, seen = 0;
	json_t *page;

	CHECK_OK(begin(":memory:"), &e);
	CHECK_OK(add_run(4, 2, &run), &e);
	do {
		page = store_results(s, &f, &e);
		for (size_t i = 0; i < json_array_size(page); i++, seen++) {
			f.after = json_integer_value(json_object_get(json_array_get(page, i), "id"));
			CHECK(f.after > last);
			last = f.after;
		}
		run = (int64_t)json_array_size(page);
		json_decref(page);
	} while (run == 3);
	CHECK_EQ(seen, 8);
	f = (struct result_filter){ .newest_first = true, .before = last, .limit = 2 };
	page = store_results(s, &f, &e);
	CHECK_EQ(json_integer_value(json_object_get(json_array_get(page, 0), "id")), last - 1);
	json_decref(page);
	end();
}

/* ---- other users of the file ---- */

struct reader_thread {
	struct store *store;
	bool stop, failed;
	unsigned reads;
};

static void *read_on(void *opaque)
{
	struct reader_thread *t = opaque;
	struct err mine;

	while (!__atomic_load_n(&t->stop, __ATOMIC_RELAXED)) {
		json_t *runs = store_runs(t->store, 0, 0, &mine), *status = store_status(t->store, &mine);

		if (!runs || !status)
			t->failed = true;
		json_decref(runs);
		json_decref(status);
		t->reads++;
	}
	return NULL;
}

TEST(a_dashboard_that_reads_all_the_time_never_costs_a_result)
{
	char *path = xasprintf("%s/lab.db", test_folder());
	struct reader_thread t = { 0 };
	struct flow_figures f = figures();
	pthread_t thread;
	int64_t run;

	CHECK_OK(begin(path), &e);
	t.store = s;
	pthread_create(&thread, NULL, read_on, &t);
	for (unsigned i = 0; i < 15; i++) {
		struct outcome o = passed(&f);
		struct job j;

		CHECK_OK(add_run(1, 1, &run), &e);
		CHECK_OK(store_job_take(s, "board-a", host, &j, &e), &e);
		CHECK_OK(store_job_done(s, j.attempt_id, &o, NULL, &e), &e);
		job_finish(&j);
	}
	__atomic_store_n(&t.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	CHECK(!t.failed);
	CHECK(t.reads > 0);
	end();
	free(path);
}

static void *hold_for_a_while(void *opaque)
{
	struct db *other = opaque;

	nanosleep(&(struct timespec){ 0, 300000000 }, NULL);
	sqlite3_exec(other->h, "COMMIT", NULL, NULL, NULL);
	return NULL;
}

TEST(a_write_waits_for_another_process_that_holds_the_file)
{
	char *path = xasprintf("%s/lab.db", test_folder());
	struct db other = { 0 };
	pthread_t thread;
	int64_t run;

	CHECK_OK(begin(path), &e);
	CHECK_OK(db_open(&other, path, SQLITE_OPEN_READWRITE, &e), &e);
	CHECK_EQ(sqlite3_exec(other.h, "BEGIN IMMEDIATE; UPDATE board SET health = 'good'", NULL, NULL, NULL), SQLITE_OK);
	pthread_create(&thread, NULL, hold_for_a_while, &other);
	CHECK_OK(add_run(1, 1, &run), &e);
	pthread_join(thread, NULL);
	db_close(&other);
	end();
	free(path);
}

/* A child that stores results until it is killed; each one it has stored it says on the pipe. */
static void store_on(const char *path, int fd)
{
	struct flow_figures f = figures();
	int64_t run;

	if (!begin(path))
		_exit(1);
	for (;;) {
		struct outcome o = passed(&f);
		struct job j;

		if (!add_run(1, 1, &run) || !store_job_take(s, "board-a", host, &j, &e) || !store_job_done(s, j.attempt_id, &o, NULL, &e))
			_exit(2);
		if (write(fd, "x", 1) != 1)
			_exit(0);
		job_finish(&j);
	}
}

static int64_t count(const char *sql)
{
	int64_t n = -1;

	db_lock(s->read);
	if (!sql_number(s->read, &n, -1, &e, sql, ""))
		n = -1;
	db_unlock(s->read);
	return n;
}

static bool sound(void)
{
	sqlite3_stmt *q = sql_query(s->read, &e, "PRAGMA integrity_check", "");
	bool ok = q && sql_step(s->read, q, &e) == 1 && strcmp((const char *)sqlite3_column_text(q, 0), "ok") == 0;

	sqlite3_finalize(q);
	return ok;
}

TEST(a_kill_in_the_middle_of_stores_loses_nothing_that_was_stored)
{
	char *path = xasprintf("%s/lab.db", test_folder());
	int64_t total = 0;

	for (int round = 0; round < 6; round++) {
		int ends[2];
		char byte;
		pid_t child;
		unsigned closed;

		CHECK(pipe(ends) == 0);
		child = fork();
		if (child == 0) {
			close(ends[0]);
			store_on(path, ends[1]);
		}
		close(ends[1]);
		/* Killed at another place of the work each time. */
		for (int i = 0; i <= round; i++)
			if (read(ends[0], &byte, 1) == 1)
				total++;
		nanosleep(&(struct timespec){ 0, 700000 * round }, NULL);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		while (read(ends[0], &byte, 1) == 1)
			total++;
		close(ends[0]);
		CHECK_OK(begin(path), &e);
		CHECK(sound());
		/* One more may be stored than the child came to say. */
		CHECK(count("SELECT count(*) FROM attempt WHERE verdict = 'pass'") >= total);
		CHECK(count("SELECT count(*) FROM attempt WHERE verdict = 'pass'") <= total + round + 1);
		CHECK_EQ(count("SELECT count(*) FROM figures"), count("SELECT count(*) FROM attempt WHERE verdict = 'pass'"));
		CHECK_EQ(count("SELECT count(*) FROM frame"), 3 * count("SELECT count(*) FROM figures"));
		CHECK_OK(store_recover(s, &closed, &e), &e);
		CHECK_EQ(count("SELECT count(*) FROM attempt WHERE state = 'running'"), 0);
		end();
	}
	free(path);
}

TEST(a_full_disk_keeps_nothing_of_the_transaction_and_works_again_later)
{
	char *path = xasprintf("%s/lab.db", test_folder());
	struct flow_figures f = figures();
	struct outcome o = passed(&f);
	struct job j;
	int64_t run;

	f.frame_count = 5000;
	f.frames = xcalloc(5000, sizeof *f.frames);
	CHECK_OK(begin(path), &e);
	CHECK_OK(add_run(1, 1, &run), &e);
	CHECK_OK(store_job_take(s, "board-a", host, &j, &e), &e);
	CHECK_OK(store_limit_pages(s, 0, &e), &e);
	CHECK(!store_job_done(s, j.attempt_id, &o, NULL, &e));
	CHECK_EQ(e.code, ERR_FULL);
	CHECK_EQ(count("SELECT count(*) FROM figures"), 0);
	CHECK_EQ(count("SELECT count(*) FROM attempt WHERE state = 'running'"), 1);
	CHECK_OK(store_limit_pages(s, 100000, &e), &e);
	CHECK_OK(store_job_done(s, j.attempt_id, &o, NULL, &e), &e);
	CHECK_EQ(count("SELECT count(*) FROM frame"), 5000);
	free(f.frames);
	job_finish(&j);
	end();
	free(path);
}

TEST(a_reader_between_pages_holds_nothing_so_the_log_stays_small)
{
	char *path = xasprintf("%s/lab.db", test_folder());
	struct result_filter one = { .limit = 1 };
	struct flow_figures f = figures();
	json_t *status;
	int64_t run;

	f.frame_count = 500;
	f.frames = xcalloc(500, sizeof *f.frames);
	CHECK_OK(begin(path), &e);
	for (unsigned i = 0; i < 150; i++) {
		struct outcome o = passed(&f);
		struct job j;
		json_t *page;

		CHECK_OK(add_run(1, 1, &run), &e);
		CHECK_OK(store_job_take(s, "board-a", host, &j, &e), &e);
		CHECK_OK(store_job_done(s, j.attempt_id, &o, NULL, &e), &e);
		page = store_results(s, &one, &e);
		one.after = json_integer_value(json_object_get(json_array_get(page, 0), "id"));
		json_decref(page);
		job_finish(&j);
	}
	status = store_status(s, &e);
	/* The log is written back every 1000 pages of 4 KiB; what an open statement pins would keep growing. */
	CHECK(json_integer_value(json_object_get(status, "bytes")) > 0);
	CHECK(json_integer_value(json_object_get(status, "wal_bytes")) < 8 << 20);
	json_decref(status);
	free(f.frames);
	end();
	free(path);
}

/* ---- children ---- */

TEST(a_child_left_over_is_ended_and_a_stranger_with_its_pid_is_not)
{
	pid_t child = fork();
	unsigned ended;
	int status;

	if (child == 0) {
		for (;;)
			pause();
	}
	CHECK_OK(begin(":memory:"), &e);
	CHECK_OK(store_process_add(s, child, "vboard", &e), &e);
	CHECK_EQ(sqlite3_exec(s->write.h, "UPDATE process SET started_ticks = started_ticks - 1", NULL, NULL, NULL), SQLITE_OK);
	CHECK_OK(store_process_sweep(s, 500, &ended, &e), &e);
	CHECK_EQ(ended, 0);
	CHECK_EQ(waitpid(child, &status, WNOHANG), 0);
	CHECK_OK(store_process_add(s, child, "vboard", &e), &e);
	CHECK_OK(store_process_sweep(s, 500, &ended, &e), &e);
	CHECK_EQ(ended, 1);
	CHECK_EQ(waitpid(child, &status, 0), child);
	CHECK(WIFSIGNALED(status));
	CHECK_EQ(count("SELECT count(*) FROM process"), 0);
	end();
}

TEST(flash_cycles_count_and_another_type_under_the_same_name_holds_nothing)
{
	struct board_holds h = { 0 };

	CHECK_OK(begin(":memory:"), &e);
	CHECK_OK(store_board_holds(s, "board-a", "ab", "0123456789ab", "m i", true, &e), &e);
	CHECK_OK(store_board_holds(s, "board-a", "ab", "0123456789ab", "m i", false, &e), &e);
	CHECK_EQ(count("SELECT flash_cycles FROM board"), 1);
	CHECK_OK(store_board_held(s, "board-a", &h, &e), &e);
	CHECK_STR(h.build, "0123456789ab");
	board_holds_finish(&h);
	CHECK_OK(store_board_put(s, "board-a", "type-b", true, 0, &e), &e);
	CHECK_OK(store_board_held(s, "board-a", &h, &e), &e);
	CHECK(!h.build);
	board_holds_finish(&h);
	CHECK(!store_board_state(s, "nobody", "idle", &e));
	CHECK_EQ(e.code, ERR_NOT_FOUND);
	end();
}
