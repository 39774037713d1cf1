// SPDX-License-Identifier: GPL-2.0-or-later
/* Results as documents: attempts with their figures, every frame's time, the console, and exclusions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/result.h"
#include "wire/flow.h"

#define RESULT_COLUMNS \
	"a.id, a.run_id AS run, c.name AS cell, c.id AS cell_id, c.ordinal, m.name AS matrix, m.version AS matrix_version, a.board, c.board_type," \
	" a.virtual AS \"virtual?\", c.workload, c.variant AS \"variant{}\", c.params AS \"params{}\", c.payload_bytes, c.transport, a.repeat, a.attempt, a.state," \
	" a.step, a.verdict, a.cause, a.error, a.queued_ms AS \"queued@\", a.started_ms AS \"started@\", a.finished_ms AS \"finished@\", a.wall_ns AS \"wall_s/\"," \
	" a.flash_ns AS \"flash_s/\", a.flash_bytes, a.boot_ns AS \"boot_s/\", a.image_sha256 AS \"image.sha256\", a.image_build AS \"image.build\"," \
	" a.toolchain AS \"image.toolchain\", a.proof AS \"image.proof\", a.mode, a.pace, h.name AS host, h.kernel, h.labd, a.capture, a.bad_lines," \
	" x.reason AS \"excluded.reason\", x.author AS \"excluded.author\", x.created_ms AS \"excluded.created@\", f.elapsed_ns AS \"figures.elapsed_ns\"," \
	" f.elapsed_ns AS \"figures.elapsed_s/\", f.payload_bytes AS \"figures.payload_bytes\", f.wire_bytes AS \"figures.wire_bytes\", f.frames AS \"figures.frames\"," \
	" f.retransmissions AS \"figures.retransmissions\", f.duplicate_acks AS \"figures.duplicate_acks\", f.zero_windows AS \"figures.zero_windows\"," \
	" f.out_of_order AS \"figures.out_of_order\", f.bad_checksums AS \"figures.bad_checksums\", f.merged_frames AS \"figures.merged_frames\"," \
	" f.window_min AS \"figures.window_min\", f.window_max AS \"figures.window_max\", f.mss AS \"figures.mss\", f.ack_paced AS \"figures.ack_paced?\"," \
	" f.ack_pace_ms AS \"figures.ack_pace_ms\", f.captured_frames AS \"figures.captured_frames\", f.captured_bytes AS \"figures.captured_bytes\"," \
	" f.link_type AS \"figures.link_type\""
#define RESULT_TABLES \
	" FROM attempt a JOIN cell c ON c.id = a.cell_id JOIN run r ON r.id = a.run_id LEFT JOIN matrix m ON m.id = r.matrix_id" \
	" LEFT JOIN host h ON h.id = a.host_id LEFT JOIN figures f ON f.attempt_id = a.id" \
	" LEFT JOIN exclusion x ON x.id = (SELECT max(id) FROM exclusion WHERE attempt_id = a.id AND lifted_ms IS NULL)"

static void set_real(json_t *o, const char *key, double value)
{
	json_object_set_new(o, key, isfinite(value) ? json_real(value) : json_null());
}

/* Rates are not stored: they come from the stored integers, here and nowhere else. */
static void add_rates(json_t *figures)
{
	uint64_t ns = (uint64_t)json_integer_value(json_object_get(figures, "elapsed_ns"));
	uint64_t bytes = (uint64_t)json_integer_value(json_object_get(figures, "payload_bytes"));
	uint64_t frames = (uint64_t)json_integer_value(json_object_get(figures, "frames"));

	set_real(figures, "goodput_byte_per_s", rate_byte_per_s(bytes, ns));
	set_real(figures, "goodput_bit_per_s", 8.0 * rate_byte_per_s(bytes, ns));
	set_real(figures, "frames_per_s", rate_per_s(frames, ns));
}

static void complete(json_t *row)
{
	row_drop_null(row, "excluded", "reason");
	row_drop_null(row, "figures", "elapsed_ns");
	if (json_is_object(json_object_get(row, "figures")))
		add_rates(json_object_get(row, "figures"));
}

static json_t *complete_all(json_t *rows)
{
	size_t i;
	json_t *row;

	json_array_foreach(rows, i, row)
		complete(row);
	return rows;
}

json_t *results_of_run(struct db *db, int64_t run, struct err *e)
{
	return complete_all(sql_all(db, sql_query(db, e, "SELECT " RESULT_COLUMNS RESULT_TABLES " WHERE a.run_id = ?1 ORDER BY a.id", "i", run), e));
}

/* Is there a finished attempt at the same cell on the same wire, as more says? By the index cell_name, so it ends at the first that fits. */
#define THERE_IS(more) \
	"EXISTS (SELECT 1 FROM cell k CROSS JOIN attempt t ON t.cell_id = k.id WHERE k.name = c.name AND k.board IS c.board AND k.params = c.params" \
	" AND k.variant = c.variant AND t.state = 'finished' AND coalesce(t.mode = a.mode AND t.pace = a.pace, 1)" more ")"
/* A run that was cancelled before this cell, or could not have it, says nothing new about it: it counts only where no run has said anything. Asked as
   neighbours, not as a maximum: the next run answers for all but a few attempts, however many there are. And in a CASE, not with AND, whose both sides
   SQLite works out where a value is wanted. */
#define SPOKE " AND t.verdict NOT IN ('cancelled', 'skipped')"
#define IN_NEWEST_RUN \
	"CASE WHEN a.verdict NOT IN ('cancelled', 'skipped') OR " THERE_IS(" AND k.run_id = c.run_id" SPOKE) \
	" THEN NOT " THERE_IS(" AND k.run_id > c.run_id" SPOKE) \
	" WHEN " THERE_IS(" AND k.run_id > c.run_id") " THEN 0 ELSE NOT " THERE_IS(" AND k.run_id < c.run_id" SPOKE) " END"
#define RESULT_FILTER \
	" a.id > ?1 AND (?3 IS NULL OR a.board = ?3)" \
	" AND (?4 IS NULL OR c.board_type = ?4) AND (?5 IS NULL OR c.workload = ?5) AND (?6 IS NULL OR a.verdict = ?6) AND (?7 IS NULL OR c.name = ?7)" \
	" AND (?8 IS NULL OR m.name = ?8) AND (?9 IS NULL OR c.payload_bytes = ?9) AND (?10 = 0 OR a.state = 'finished')" \
	" AND (?11 = 0 OR a.attempt = (SELECT max(attempt) FROM attempt l WHERE l.cell_id = a.cell_id AND l.repeat = a.repeat))" \
	" AND (?12 = 0 OR x.id IS NULL) AND (?14 IS NULL OR c.transport = ?14) AND (?15 IS NULL OR a.board = ?15 OR c.board_type = ?15)" \
	" AND (?16 = 0 OR " IN_NEWEST_RUN ") AND (?17 = 0 OR a.id < ?17)"
#define RESULTS(which, order) "SELECT " RESULT_COLUMNS RESULT_TABLES " WHERE " which RESULT_FILTER " ORDER BY a.id" order " LIMIT ?13"

json_t *store_results(struct store *s, const struct result_filter *f, struct err *e)
{
	/* A run's own attempts are found by their index; "?2 IS NULL OR" would read those of all runs. */
	static const char *const selects[2][2] = { { RESULTS("?2 IS NULL AND", ""), RESULTS("?2 IS NULL AND", " DESC") },
	                                           { RESULTS("a.run_id = ?2 AND", ""), RESULTS("a.run_id = ?2 AND", " DESC") } };
	unsigned limit = f->limit == 0 ? 1000 : f->limit > 10000 ? 10000 : f->limit;
	json_t *rows;

	db_lock(s->read);
	rows = sql_all(s->read, sql_query(s->read, e, selects[f->run != 0][f->newest_first], "izttttttziiiittii", f->after, f->run, f->board, f->board_type, f->workload,
	       f->verdict, f->cell, f->matrix, (int64_t)f->payload_bytes, (int64_t)f->finished_only, (int64_t)f->latest_attempt_only, (int64_t)f->without_excluded,
	       (int64_t)limit, f->transport, f->board_or_type, (int64_t)f->newest_run_only, f->before), e);
	db_unlock(s->read);
	return complete_all(rows);
}

json_t *store_result(struct store *s, int64_t attempt, struct err *e)
{
	json_t *row;

	db_lock(s->read);
	row = sql_one(s->read, sql_query(s->read, e, "SELECT " RESULT_COLUMNS RESULT_TABLES " WHERE a.id = ?1", "i", attempt), "result", e);
	db_unlock(s->read);
	if (row)
		complete(row);
	return row;
}

bool store_last_result(struct store *s, int64_t *id, struct err *e)
{
	bool ok;

	db_lock(s->read);
	ok = sql_number(s->read, id, 0, e, "SELECT max(id) FROM attempt", "");
	db_unlock(s->read);
	return ok;
}

static json_t *frame_rows(struct db *db, int64_t attempt, unsigned from, unsigned limit, struct err *e)
{
	sqlite3_stmt *q = sql_query(db, e, "SELECT n, begin_ns, sent_ns, end_ns, transmissions FROM frame WHERE attempt_id = ?1 AND n >= ?2 ORDER BY n LIMIT ?3", "iii",
	                            attempt, (int64_t)from, (int64_t)(limit ? limit : 65536));
	json_t *rows = json_array();
	int got = -1;

	while (q && (got = sql_step(db, q, e)) == 1) {
		json_t *row = json_array();

		for (int i = 0; i < 5; i++)
			json_array_append_new(row, json_integer(sqlite3_column_int64(q, i)));
		json_array_append_new(rows, row);
	}
	sqlite3_finalize(q);
	if (got == 0)
		return rows;
	json_decref(rows);
	return NULL;
}

json_t *store_frames(struct store *s, int64_t attempt, unsigned from, unsigned limit, struct err *e)
{
	json_t *o, *rows = NULL;

	db_lock(s->read);
	o = sql_one(s->read, sql_query(s->read, e, "SELECT a.id AS attempt, (SELECT count(*) FROM frame WHERE attempt_id = a.id) AS total FROM attempt a WHERE a.id = ?1", "i",
	                               attempt), "result", e);
	if (o)
		rows = frame_rows(s->read, attempt, from, limit, e);
	db_unlock(s->read);
	if (!rows) {
		json_decref(o);
		return NULL;
	}
	json_object_set_new(o, "frames", rows);
	return o;
}

static json_t *console_entry(sqlite3_stmt *q)
{
	char *text = utf8_clean(sqlite3_column_blob(q, 3), (size_t)sqlite3_column_bytes(q, 3));
	json_t *entry = json_pack("{s:I, s:I, s:I, s:s}", "n", (json_int_t)sqlite3_column_int64(q, 0), "at_ns", (json_int_t)sqlite3_column_int64(q, 1), "power",
	                          (json_int_t)sqlite3_column_int64(q, 2), "text", text);

	free(text);
	return entry;
}

/* What each row becomes: an entry of a list, or bytes at the end of a buffer. */
static bool console_walk(struct store *s, int64_t attempt, json_t *list, struct buf *bytes, struct err *e)
{
	sqlite3_stmt *q;
	int got = -1;

	db_lock(s->read);
	q = sql_query(s->read, e, "SELECT n, at_ns, power, bytes FROM console WHERE attempt_id = ?1 ORDER BY n", "i", attempt);
	while (q && (got = sql_step(s->read, q, e)) == 1) {
		if (list)
			json_array_append_new(list, console_entry(q));
		else
			buf_add(bytes, sqlite3_column_blob(q, 3), (size_t)sqlite3_column_bytes(q, 3));
	}
	sqlite3_finalize(q);
	db_unlock(s->read);
	return got == 0;
}

json_t *store_console(struct store *s, int64_t attempt, struct err *e)
{
	json_t *list = json_array();

	if (console_walk(s, attempt, list, NULL, e))
		return list;
	json_decref(list);
	return NULL;
}

bool store_console_bytes(struct store *s, int64_t attempt, struct buf *out, struct err *e)
{
	return console_walk(s, attempt, NULL, out, e);
}

bool store_exclude(struct store *s, int64_t attempt, const char *reason, const char *author, struct err *e)
{
	int64_t known = 0;
	bool ok;

	if (!tx_begin(s, e))
		return false;
	ok = sql_number(&s->write, &known, 0, e, "SELECT count(*) FROM attempt WHERE id = ?1 AND state = 'finished'", "i", attempt)
	  && (known || err_set(e, ERR_NOT_FOUND, "there is no finished result %lld", (long long)attempt))
	  && sql_run(&s->write, e, "INSERT INTO exclusion (attempt_id, reason, author, created_ms) VALUES (?1, ?2, ?3, ?4)", "itti", attempt, reason, author, store_now_ms(s));
	return tx_end(s, ok, e);
}

bool store_exclusion_lift(struct store *s, int64_t attempt, struct err *e)
{
	bool ok;

	if (!tx_begin(s, e))
		return false;
	ok = sql_run(&s->write, e, "UPDATE exclusion SET lifted_ms = ?2 WHERE attempt_id = ?1 AND lifted_ms IS NULL", "ii", attempt, store_now_ms(s))
	  && (sqlite3_changes(s->write.h) > 0 || err_set(e, ERR_NOT_FOUND, "result %lld is not excluded", (long long)attempt));
	return tx_end(s, ok, e);
}
