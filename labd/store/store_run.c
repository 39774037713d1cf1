// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs and their cells: making them, listing them, ending them. */
#include <stdlib.h>
#include <string.h>

#include "store/result.h"
#include "store/sql.h"

static int64_t number_or_none(json_t *params, const char *key)
{
	json_t *value = json_object_get(params, key);

	return json_is_integer(value) ? (int64_t)json_integer_value(value) : -1;
}

static bool add_cell(struct store *s, int64_t run, const struct cell_row *c, int64_t ordinal, int64_t *id, struct err *e)
{
	if (!sql_run(&s->write, e, "INSERT INTO cell (run_id, ordinal, name, board, board_type, virtual, workload, variant, params, payload_bytes, frame_count, transport,"
	                           " repeats, deadline_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)", "iitttitjjnntii", run, ordinal, c->name,
	             c->board, c->board_type, (int64_t)c->is_virtual, c->workload, c->variant, c->params, number_or_none(c->params, "payload_bytes"),
	             number_or_none(c->params, "count"), json_string_value(json_object_get(c->params, "transport")), (int64_t)c->repeats, c->deadline_ms))
		return false;
	*id = sqlite3_last_insert_rowid(s->write.h);
	return true;
}

static bool add_attempt(struct store *s, int64_t run, int64_t cell, const struct cell_row *c, int64_t repeat, int64_t position, struct err *e)
{
	bool skip = c->skip_cause != NULL;

	return sql_run(&s->write, e, "INSERT INTO attempt (run_id, cell_id, repeat, attempt, position, board, state, verdict, cause, error, queued_ms, finished_ms, virtual)"
	                             " VALUES (?1, ?2, ?3, 1, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)", "iiiittttt" "izi", run, cell, repeat, position, c->board,
	               skip ? "finished" : "queued", skip ? "skipped" : NULL, c->skip_cause, c->skip_error, store_now_ms(s), skip ? store_now_ms(s) : 0,
	               (int64_t)c->is_virtual);
}

static bool add_run(struct store *s, const struct run_row *r, int64_t *id, struct err *e)
{
	int64_t matrix = 0;

	if (r->matrix && !sql_number(&s->write, &matrix, 0, e, "SELECT id FROM matrix WHERE name = ?1 AND version = ?2", "ti", r->matrix, (int64_t)r->matrix_version))
		return false;
	if (r->matrix && !matrix)
		return err_set(e, ERR_NOT_FOUND, "there is no version %d of matrix %s", r->matrix_version, r->matrix);
	if (!sql_run(&s->write, e, "INSERT INTO run (matrix_id, reason, schedule_id, requested_by, request, host_id, created_ms, due_ms)"
	                           " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
	             "ztztjiiz", matrix, r->reason, r->schedule_id, r->requested_by, r->request, r->host_id, store_now_ms(s), r->due_ms))
		return false;
	*id = sqlite3_last_insert_rowid(s->write.h);
	return true;
}

static unsigned most_repeats(const struct cell_row *cells, size_t n)
{
	unsigned most = 0;

	for (size_t i = 0; i < n; i++)
		if (cells[i].repeats > most)
			most = cells[i].repeats;
	return most;
}

/* All cells, then all cells again: what drifts with time hits every cell alike. */
static bool add_all(struct store *s, const struct run_row *r, const struct cell_row *cells, size_t n, int64_t run, struct err *e)
{
	unsigned repeats = most_repeats(cells, n);

	for (size_t i = 0; i < n; i++) {
		int64_t cell;

		if (!add_cell(s, run, &cells[i], (int64_t)i, &cell, e))
			return false;
		for (unsigned k = 0; k < repeats && k < cells[i].repeats; k++)
			if (!add_attempt(s, run, cell, &cells[i], k, (int64_t)(k * n + (r->reverse ? n - 1 - i : i)), e))
				return false;
	}
	return true;
}

bool run_close(struct store *s, int64_t run, bool *finished, struct err *e)
{
	if (!sql_run(&s->write, e, "UPDATE run SET state = 'finished', finished_ms = ?2 WHERE id = ?1 AND state != 'finished'"
	                           " AND NOT EXISTS (SELECT 1 FROM attempt WHERE run_id = ?1 AND state != 'finished')", "ii", run, store_now_ms(s)))
		return false;
	if (finished)
		*finished = sqlite3_changes(s->write.h) == 1;
	return true;
}

bool store_run_add(struct store *s, const struct run_row *r, const struct cell_row *cells, size_t n, int64_t *run, struct err *e)
{
	int64_t id = 0;

	if (!tx_begin(s, e))
		return false;
	if (!tx_end(s, add_run(s, r, &id, e) && add_all(s, r, cells, n, id, e) && run_close(s, id, NULL, e), e))
		return false;
	*run = id;
	return true;
}

#define RUN_COLUMNS \
	"r.id, m.name AS matrix, m.version AS matrix_version, r.reason, s.name AS schedule, r.requested_by, r.cancelled_by, r.state, r.created_ms AS \"created@\"," \
	" r.started_ms AS \"started@\", r.finished_ms AS \"finished@\", count(a.id) AS \"attempts.total\"," \
	" count(a.id) FILTER (WHERE a.state = 'finished') AS \"attempts.finished\", count(a.id) FILTER (WHERE a.verdict = 'pass') AS \"attempts.pass\"," \
	" count(a.id) FILTER (WHERE a.verdict = 'fail') AS \"attempts.fail\", count(a.id) FILTER (WHERE a.verdict = 'error') AS \"attempts.error\"," \
	" count(a.id) FILTER (WHERE a.verdict = 'skipped') AS \"attempts.skipped\", count(a.id) FILTER (WHERE a.verdict = 'cancelled') AS \"attempts.cancelled\"," \
	" count(a.id) FILTER (WHERE a.verdict = 'timeout') AS \"attempts.timeout\", h.name AS host"
#define RUN_TABLES \
	" FROM run r LEFT JOIN matrix m ON m.id = r.matrix_id LEFT JOIN schedule s ON s.id = r.schedule_id LEFT JOIN attempt a ON a.run_id = r.id" \
	" LEFT JOIN host h ON h.id = r.host_id"

json_t *store_runs(struct store *s, int64_t before, unsigned limit, struct err *e)
{
	json_t *all;

	db_lock(s->read);
	all = sql_all(s->read, sql_query(s->read, e, "SELECT " RUN_COLUMNS RUN_TABLES " WHERE ?1 = 0 OR r.id < ?1 GROUP BY r.id ORDER BY r.id DESC LIMIT ?2", "ii", before,
	                                 (int64_t)(limit && limit <= 1000 ? limit : 100)), e);
	db_unlock(s->read);
	return all;
}

/* Attempts come ascending by id; each goes to the cell it belongs to. */
static void hand_out(json_t *cells, json_t *attempts)
{
	size_t i, k;
	json_t *attempt, *cell;

	json_array_foreach(attempts, i, attempt)
		json_array_foreach(cells, k, cell)
			if (json_equal(json_object_get(cell, "id"), json_object_get(attempt, "cell_id")))
				json_array_append(json_object_get(cell, "attempts"), attempt);
}

static json_t *cells_of(struct db *db, int64_t run, struct err *e)
{
	json_t *cells = sql_all(db, sql_query(db, e, "SELECT id, ordinal, name AS cell, board, board_type, virtual AS \"virtual?\", workload, variant AS \"variant{}\","
	                                             " params AS \"params{}\", payload_bytes, frame_count, transport, repeats, deadline_ms FROM cell WHERE run_id = ?1"
	                                             " ORDER BY ordinal", "i", run), e);
	json_t *attempts = cells ? results_of_run(db, run, e) : NULL;
	size_t i;
	json_t *cell;

	if (!attempts) {
		json_decref(cells);
		return NULL;
	}
	json_array_foreach(cells, i, cell)
		json_object_set_new(cell, "attempts", json_array());
	hand_out(cells, attempts);
	json_decref(attempts);
	return cells;
}

json_t *store_run(struct store *s, int64_t run, struct err *e)
{
	json_t *row, *cells = NULL;

	db_lock(s->read);
	row = sql_one(s->read, sql_query(s->read, e, "SELECT " RUN_COLUMNS ", r.request AS \"request{}\"" RUN_TABLES " WHERE r.id = ?1 GROUP BY r.id", "i", run), "run", e);
	if (row)
		cells = cells_of(s->read, run, e);
	db_unlock(s->read);
	if (!cells) {
		json_decref(row);
		return NULL;
	}
	json_object_set_new(row, "cells", cells);
	return row;
}

static bool cancel(struct store *s, int64_t run, const char *by, struct err *e)
{
	if (!sql_run(&s->write, e, "UPDATE run SET cancelled_by = coalesce(cancelled_by, ?2) WHERE id = ?1 AND state != 'finished'", "it", run, by))
		return false;
	if (sqlite3_changes(s->write.h) == 0) {
		int64_t known = 0;

		if (!sql_number(&s->write, &known, 0, e, "SELECT count(*) FROM run WHERE id = ?1", "i", run))
			return false;
		return err_set(e, known ? ERR_CONFLICT : ERR_NOT_FOUND, known ? "run %lld is finished" : "there is no run %lld", (long long)run);
	}
	return sql_run(&s->write, e, "UPDATE attempt SET state = 'finished', verdict = 'cancelled', cause = 'request', error = 'cancelled by ' || ?2, finished_ms = ?3"
	                             " WHERE run_id = ?1 AND state = 'queued'", "iti", run, by, store_now_ms(s))
	    && run_close(s, run, NULL, e);
}

bool store_run_cancel(struct store *s, int64_t run, const char *by, struct err *e)
{
	return tx_begin(s, e) && tx_end(s, cancel(s, run, by, e), e);
}

bool store_run_cancelled(struct store *s, int64_t run, bool *cancelled, struct err *e)
{
	int64_t n = 0;
	bool ok;

	db_lock(s->read);
	ok = sql_number(s->read, &n, 0, e, "SELECT cancelled_by IS NOT NULL FROM run WHERE id = ?1", "i", run);
	db_unlock(s->read);
	*cancelled = n != 0;
	return ok;
}
