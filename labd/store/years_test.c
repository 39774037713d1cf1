// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the pages ask a store that holds years of results. Work is counted in steps of SQLite's machine, so no load and no fast computer changes the
 * answer; with twice the results a question may take twice the steps where it must see them all, and no more steps where it need not.
 */
#include <stdio.h>
#include <string.h>

#include "store/sql.h"
#include "store/store.h"
#include "test/harness.h"

static struct err e;
static struct store *s;
static int64_t steps;

#define IDS "WITH RECURSIVE ids (id) AS (VALUES (?1) UNION ALL SELECT id + 1 FROM ids WHERE id < ?2) "

/* Runs first to last, each of one cell with one attempt that ended so on such a wire. */
static bool add_runs(int64_t first, int64_t last, const char *mode, const char *verdict)
{
	struct db *db = &s->write;

	return sql_run(db, &e, IDS "INSERT INTO run (id, reason, requested_by, request, host_id, state, created_ms)"
	                           " SELECT id, 'manual', 'test', '{}', 1, 'finished', id FROM ids", "ii", first, last)
	    && sql_run(db, &e, IDS "INSERT INTO cell (id, run_id, ordinal, name, board, board_type, virtual, workload, variant, params, repeats, deadline_ms)"
	                           " SELECT id, id, 0, 'cell', 'board-a', 'type-a', 1, 'trigger', '{}', '{}', 1, 1000 FROM ids", "ii", first, last)
	    && sql_run(db, &e, IDS "INSERT INTO attempt (id, run_id, cell_id, repeat, attempt, position, board, state, verdict, cause, queued_ms, mode, pace, host_id, virtual)"
	                           " SELECT id, id, id, 0, 1, 0, 'board-a', 'finished', ?4, 'none', id, ?3, 'turns', 1, 1 FROM ids", "iitt", first, last, mode, verdict);
}

static bool begin(void)
{
	int64_t host;

	return store_open(":memory:", &clock_host, &s, &e) && store_host(s, "here", "Linux", "a CPU", "test", &host, &e);
}

static void end(void)
{
	store_close(s);
	s = NULL;
}

static int count_step(void *opaque)
{
	(void)opaque;
	steps++;
	return 0;
}

/* How many steps one question takes; -1: it does not give so many rows. */
static int64_t steps_of(const struct result_filter *f, size_t rows)
{
	json_t *found;

	steps = 0;
	sqlite3_progress_handler(s->read->h, 1, count_step, NULL);
	found = store_results(s, f, &e);
	sqlite3_progress_handler(s->read->h, 0, NULL, NULL);
	if (json_array_size(found) != rows)
		steps = -1;
	json_decref(found);
	return steps;
}

TEST(the_results_of_a_run_cost_the_same_however_many_other_runs_there_are)
{
	struct result_filter f = { .run = 150 };
	int64_t few, now;

	CHECK_OK(begin() && add_runs(1, 200, "gate", "pass"), &e);
	few = steps_of(&f, 1);
	CHECK_OK(add_runs(201, 2000, "gate", "pass"), &e);
	now = steps_of(&f, 1);
	CHECK(few > 0 && now > 0);
	CHECK(now <= few + few / 4);
	end();
}

TEST(the_last_results_of_a_lab_cost_the_same_however_many_came_before)
{
	struct result_filter f = { .finished_only = true, .latest_attempt_only = true, .newest_first = true, .limit = 10 };
	int64_t few, now;

	CHECK_OK(begin() && add_runs(1, 200, "gate", "pass"), &e);
	few = steps_of(&f, 10);
	CHECK_OK(add_runs(201, 2000, "gate", "pass"), &e);
	now = steps_of(&f, 10);
	CHECK(few > 0 && now > 0);
	CHECK(now <= few + few / 4);
	end();
}

/* The first half on a wire that is not used any more, and nights in which the board was away: neither may be walked for each result before it. */
TEST(the_newest_of_each_cell_is_found_in_one_walk_whatever_the_runs_since_brought)
{
	struct result_filter f = { .finished_only = true, .latest_attempt_only = true, .newest_run_only = true, .limit = 1000 };
	int64_t few, now;

	CHECK_OK(begin() && add_runs(1, 100, "gate", "pass") && add_runs(101, 200, "tap", "pass") && add_runs(201, 300, "tap", "skipped"), &e);
	few = steps_of(&f, 2);
	end();
	CHECK_OK(begin() && add_runs(1, 1000, "gate", "pass") && add_runs(1001, 2000, "tap", "pass") && add_runs(2001, 3000, "tap", "skipped"), &e);
	now = steps_of(&f, 2);
	CHECK(few > 0 && now > 0);
	CHECK(now <= 12 * few);
	end();
}

TEST(what_was_excluded_is_not_read_again_for_each_result)
{
	struct result_filter f = { .limit = 100 };
	int64_t few, now;

	CHECK_OK(begin() && add_runs(1, 1000, "gate", "pass"), &e);
	few = steps_of(&f, 100);
	for (int64_t i = 1; i <= 500; i++)
		CHECK_OK(store_exclude(s, 500 + i, "the cable was loose", "test", &e), &e);
	now = steps_of(&f, 100);
	CHECK(few > 0 && now > 0);
	CHECK(now <= few + few / 4);
	end();
}

/* Boards with their last result, and matrices with whether a run refers to them: the overview asks for both after every event. */
static int64_t steps_of_overview(void)
{
	json_t *boards, *matrices;

	steps = 0;
	sqlite3_progress_handler(s->read->h, 1, count_step, NULL);
	boards = store_boards(s, &e);
	matrices = store_matrices(s, &e);
	sqlite3_progress_handler(s->read->h, 0, NULL, NULL);
	if (json_array_size(boards) != 1 || json_array_size(matrices) != 1)
		steps = -1;
	json_decref(boards);
	json_decref(matrices);
	return steps;
}

TEST(boards_and_matrices_cost_the_same_however_many_results_there_are)
{
	json_t *document = json_object();
	int64_t few, now;

	CHECK_OK(begin() && store_board_put(s, "board-a", "type-a", true, 0, &e) && store_matrix_put(s, "unused", document, "test", NULL, &e), &e);
	CHECK_OK(add_runs(1, 200, "gate", "pass"), &e);
	few = steps_of_overview();
	CHECK_OK(add_runs(201, 2000, "gate", "pass"), &e);
	now = steps_of_overview();
	CHECK(few > 0 && now > 0);
	CHECK(now <= few + few / 4);
	json_decref(document);
	end();
}
