// SPDX-License-Identifier: GPL-2.0-or-later
/* The queue: attempts are taken, told where they are, and ended with everything they brought, one transaction each. */
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "store/result.h"
#include "wire/flow.h"

/* Attempts of one repeat that may die with the daemon before it is given up. */
#define DAEMON_DEATHS 20

static json_t *json_column(sqlite3_stmt *q, int column)
{
	json_t *value = json_loads((const char *)sqlite3_column_text(q, column), 0, NULL);

	return value ? value : json_object();
}

static void job_fill(struct job *j, sqlite3_stmt *q)
{
	*j = (struct job){
		.attempt_id = sqlite3_column_int64(q, 0), .run_id = sqlite3_column_int64(q, 1), .cell_id = sqlite3_column_int64(q, 2),
		.repeat = (unsigned)sqlite3_column_int(q, 3), .attempt = (unsigned)sqlite3_column_int(q, 4), .cell = sql_text_dup(q, 5), .board = sql_text_dup(q, 6),
		.board_type = sql_text_dup(q, 7), .workload = sql_text_dup(q, 8), .matrix = sql_text_dup(q, 9), .reason = sql_text_dup(q, 10),
		.variant = json_column(q, 11), .params = json_column(q, 12), .deadline_ms = sqlite3_column_int64(q, 13),
		.profile = sqlite3_column_int(q, 14) != 0,
	};
}

void job_finish(struct job *j)
{
	char *texts[] = { j->cell, j->board, j->board_type, j->workload, j->matrix, j->reason };

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		free(texts[i]);
	json_decref(j->variant);
	json_decref(j->params);
	memset(j, 0, sizeof *j);
}

static bool first_queued(struct store *s, const char *board, struct job *out, struct err *e)
{
	sqlite3_stmt *q = sql_query(&s->write, e,
	      "SELECT a.id, a.run_id, a.cell_id, a.repeat, a.attempt, c.name, a.board, c.board_type, c.workload, m.name, r.reason, c.variant, c.params, c.deadline_ms,"
	      " coalesce(json_extract(r.request, '$.profile'), 0)"
	      " FROM attempt a JOIN cell c ON c.id = a.cell_id JOIN run r ON r.id = a.run_id LEFT JOIN matrix m ON m.id = r.matrix_id"
	      " WHERE a.board = ?1 AND a.state = 'queued' ORDER BY a.run_id, a.position, a.id LIMIT 1", "t", board);
	int got = q ? sql_step(&s->write, q, e) : -1;

	if (got == 1)
		job_fill(out, q);
	sqlite3_finalize(q);
	return got == 1 || (got == 0 && err_set(e, ERR_NOT_FOUND, "nothing is queued for %s", board));
}

static bool mark_taken(struct store *s, const struct job *j, int64_t host_id, struct err *e)
{
	int64_t now = store_now_ms(s);

	return sql_run(&s->write, e, "UPDATE attempt SET state = 'running', started_ms = ?2, host_id = ?3 WHERE id = ?1", "iiz", j->attempt_id, now, host_id)
	    && sql_run(&s->write, e, "UPDATE run SET state = 'running', started_ms = coalesce(started_ms, ?2) WHERE id = ?1", "ii", j->run_id, now)
	    && sql_run(&s->write, e, "UPDATE board SET state = 'running', last_seen_ms = ?2 WHERE name = ?1", "ti", j->board, now);
}

bool store_job_take(struct store *s, const char *board, int64_t host_id, struct job *out, struct err *e)
{
	struct job j = { 0 };

	if (!tx_begin(s, e))
		return false;
	if (!tx_end(s, first_queued(s, board, &j, e) && mark_taken(s, &j, host_id, e), e)) {
		job_finish(&j);
		return false;
	}
	*out = j;
	return true;
}

bool store_job_step(struct store *s, int64_t attempt, const char *step, struct err *e)
{
	return tx_begin_light(s, e) && tx_end(s, sql_run(&s->write, e, "UPDATE attempt SET step = ?2 WHERE id = ?1 AND state = 'running'", "it", attempt, step), e);
}

static bool put_verdict(struct store *s, int64_t attempt, const struct outcome *o, struct err *e)
{
	if (!sql_run(&s->write, e,
	             "UPDATE attempt SET state = 'finished', verdict = ?2, cause = ?3, step = coalesce(?4, step), error = ?5, finished_ms = ?6, wall_ns = ?7, flash_ns = ?8,"
	             " flash_bytes = ?9, boot_ns = ?10, image_sha256 = ?11, image_build = ?12, toolchain = ?13, proof = ?14, mode = ?15, pace = ?16, capture = ?17,"
	             " bad_lines = ?18 WHERE id = ?1 AND state = 'running'", "ittttinnnntttttttn", attempt, o->verdict, o->cause, o->step, o->error, store_now_ms(s),
	             o->wall_ns, o->flash_ns, o->flash_bytes, o->boot_ns, o->image_sha256, o->image_build, o->toolchain, o->proof, o->mode, o->pace, o->capture,
	             (int64_t)o->bad_lines))
		return false;
	return sqlite3_changes(s->write.h) == 1 || err_set(e, ERR_CONFLICT, "attempt %lld is not running", (long long)attempt);
}

static bool put_figures(struct store *s, int64_t attempt, const struct flow_figures *f, struct err *e)
{
	return sql_run(&s->write, e,
	               "INSERT INTO figures VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)", "iiiiiiiiiiiiiziziit",
	               attempt, (int64_t)f->elapsed_ns, (int64_t)f->payload_bytes, (int64_t)f->wire_bytes, (int64_t)f->frame_count, (int64_t)f->retransmissions,
	               (int64_t)f->duplicate_acks, (int64_t)f->zero_windows, (int64_t)f->out_of_order, (int64_t)f->bad_checksums, (int64_t)f->merged_frames,
	               (int64_t)f->window_min, (int64_t)f->window_max, (int64_t)f->mss, (int64_t)f->ack_paced, (int64_t)(f->ack_paced ? f->ack_pace_ms : 0),
	               (int64_t)f->captured_frames, (int64_t)f->captured_bytes, f->link_type);
}

static bool put_frames(struct store *s, int64_t attempt, const struct flow_figures *f, struct err *e)
{
	sqlite3_stmt *q = NULL;
	bool ok = true;

	if (sqlite3_prepare_v2(s->write.h, "INSERT INTO frame VALUES (?1, ?2, ?3, ?4, ?5, ?6)", -1, &q, NULL) != SQLITE_OK)
		return db_failed(&s->write, "frames", e);
	for (size_t i = 0; ok && i < f->frame_count; i++)
		ok = sql_again(&s->write, q, e, "iiiiii", attempt, (int64_t)i, (int64_t)f->frames[i].begin_ns, (int64_t)f->frames[i].sent_ns, (int64_t)f->frames[i].end_ns,
		               (int64_t)f->frames[i].transmissions);
	sqlite3_finalize(q);
	return ok;
}

static bool put_console(struct store *s, int64_t attempt, const struct outcome *o, struct err *e)
{
	sqlite3_stmt *q = NULL;
	bool ok = true;

	if (sqlite3_prepare_v2(s->write.h, "INSERT INTO console VALUES (?1, ?2, ?3, ?4, ?5)", -1, &q, NULL) != SQLITE_OK)
		return db_failed(&s->write, "console", e);
	for (size_t i = 0; ok && i < o->console_count; i++)
		ok = sql_again(&s->write, q, e, "iiiib", attempt, (int64_t)i, (int64_t)o->console[i].at_ns, (int64_t)o->console[i].power, o->console[i].bytes,
		               o->console[i].size);
	sqlite3_finalize(q);
	return ok;
}

/* Not when somebody wants the run to end, nor when this repeat has taken the daemon down again and again. */
static bool queue_next(struct store *s, int64_t attempt, struct err *e)
{
	return sql_run(&s->write, e,
	               "INSERT INTO attempt (run_id, cell_id, repeat, attempt, position, board, state, queued_ms, virtual)"
	               " SELECT a.run_id, a.cell_id, a.repeat, a.attempt + 1, a.position, a.board, 'queued', ?2, a.virtual FROM attempt a JOIN run r ON r.id = a.run_id"
	               " WHERE a.id = ?1 AND r.cancelled_by IS NULL AND ?3 > (SELECT count(*) FROM attempt d WHERE d.cell_id = a.cell_id AND d.repeat = a.repeat"
	               " AND d.cause = 'daemon')", "iii", attempt, store_now_ms(s), (int64_t)DAEMON_DEATHS);
}

static bool run_of(struct store *s, int64_t attempt, int64_t *run, struct err *e)
{
	return sql_number(&s->write, run, 0, e, "SELECT run_id FROM attempt WHERE id = ?1", "i", attempt);
}

static bool done(struct store *s, int64_t attempt, const struct outcome *o, bool *run_finished, struct err *e)
{
	bool figures = o->figures && strcmp(o->verdict, "pass") == 0;
	int64_t run;

	return put_verdict(s, attempt, o, e) && (!figures || (put_figures(s, attempt, o->figures, e) && put_frames(s, attempt, o->figures, e)))
	    && put_console(s, attempt, o, e) && (!o->retry || queue_next(s, attempt, e)) && run_of(s, attempt, &run, e) && run_close(s, run, run_finished, e);
}

bool store_job_done(struct store *s, int64_t attempt, const struct outcome *o, bool *run_finished, struct err *e)
{
	bool finished = false;

	if (!tx_begin(s, e) || !tx_end(s, done(s, attempt, o, &finished, e), e))
		return false;
	if (run_finished)
		*run_finished = finished;
	return true;
}

static bool close_one(struct store *s, int64_t attempt, struct err *e)
{
	int64_t run;

	return sql_run(&s->write, e, "UPDATE attempt SET state = 'finished', verdict = 'error', cause = 'daemon', finished_ms = ?2,"
	                             " error = 'labd ended while this ran (step ' || coalesce(step, 'start') || ')' WHERE id = ?1", "ii", attempt, store_now_ms(s))
	    && queue_next(s, attempt, e) && run_of(s, attempt, &run, e) && run_close(s, run, NULL, e);
}

/* The ids first: a statement must not walk a table that it changes. */
static bool running_ones(struct store *s, int64_t **ids, size_t *n, struct err *e)
{
	sqlite3_stmt *q = sql_query(&s->write, e, "SELECT id FROM attempt WHERE state = 'running' ORDER BY id", "");
	int got = -1;

	while (q && (got = sql_step(&s->write, q, e)) == 1) {
		*ids = xrealloc(*ids, (*n + 1) * sizeof **ids);
		(*ids)[(*n)++] = sqlite3_column_int64(q, 0);
	}
	sqlite3_finalize(q);
	return got == 0;
}

bool store_recover(struct store *s, unsigned *closed, struct err *e)
{
	int64_t *ids = NULL;
	size_t n = 0;
	bool ok;

	if (!tx_begin(s, e))
		return false;
	ok = running_ones(s, &ids, &n, e) && sql_run(&s->write, e, "UPDATE board SET state = 'idle'", "");
	for (size_t i = 0; ok && i < n; i++)
		ok = close_one(s, ids[i], e);
	free(ids);
	if (!tx_end(s, ok, e))
		return false;
	*closed = (unsigned)n;
	return true;
}
