// SPDX-License-Identifier: GPL-2.0-or-later
/* Schedules and what became of each due time. */
#include <stdlib.h>
#include <string.h>

#include "store/sql.h"

#define ROW_COLUMNS "id, name, cron, zone, matrix, board, cell, author, catch_up = 'one', enabled, coalesce(next_ms, 0)"

static void fill(struct schedule_row *r, sqlite3_stmt *q)
{
	*r = (struct schedule_row){
		.id = sqlite3_column_int64(q, 0), .name = sql_text_dup(q, 1), .cron = sql_text_dup(q, 2), .zone = sql_text_dup(q, 3), .matrix = sql_text_dup(q, 4),
		.board = sql_text_dup(q, 5), .cell = sql_text_dup(q, 6), .author = sql_text_dup(q, 7), .catch_up = sqlite3_column_int(q, 8) != 0,
		.enabled = sqlite3_column_int(q, 9) != 0, .next_ms = sqlite3_column_int64(q, 10),
	};
}

void schedule_row_finish(struct schedule_row *r)
{
	char *texts[] = { r->name, r->cron, r->zone, r->matrix, r->board, r->cell, r->author };

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		free(texts[i]);
	memset(r, 0, sizeof *r);
}

static bool get(struct store *s, sqlite3_stmt *q, struct schedule_row *out, const char *missing, struct err *e)
{
	int got = q ? sql_step(s->read, q, e) : -1;

	if (got == 1)
		fill(out, q);
	sqlite3_finalize(q);
	return got == 1 || (got == 0 && err_set(e, ERR_NOT_FOUND, "there is no schedule %s", missing));
}

bool store_schedule_get(struct store *s, const char *name, struct schedule_row *out, struct err *e)
{
	bool ok;

	db_lock(s->read);
	ok = get(s, sql_query(s->read, e, "SELECT " ROW_COLUMNS " FROM schedule WHERE name = ?1", "t", name), out, name, e);
	db_unlock(s->read);
	return ok;
}

bool store_schedule_first(struct store *s, struct schedule_row *out, struct err *e)
{
	bool ok;

	db_lock(s->read);
	ok = get(s, sql_query(s->read, e, "SELECT " ROW_COLUMNS " FROM schedule WHERE enabled AND next_ms IS NOT NULL ORDER BY next_ms, id LIMIT 1", ""), out,
	         "that is due", e);
	db_unlock(s->read);
	return ok;
}

json_t *store_schedules(struct store *s, struct err *e)
{
	json_t *all;

	db_lock(s->read);
	all = sql_all(s->read, sql_query(s->read, e,
	      "SELECT s.id, s.name, s.cron, s.zone, s.matrix, s.board, s.cell, s.catch_up, s.enabled AS \"enabled?\", s.next_ms AS \"next@\", s.author,"
	      " s.created_ms AS \"created@\", v.due_ms AS \"last.due@\", v.happened_ms AS \"last.happened@\", v.what AS \"last.what\", v.run_id AS \"last.run\","
	      " v.note AS \"last.note\" FROM schedule s LEFT JOIN schedule_event v ON v.id = (SELECT max(id) FROM schedule_event WHERE schedule_id = s.id) ORDER BY s.name",
	      ""), e);
	db_unlock(s->read);
	return rows_drop_null(all, "last", "due");
}

json_t *store_schedule_events(struct store *s, int64_t schedule, unsigned limit, struct err *e)
{
	json_t *all;

	db_lock(s->read);
	all = sql_all(s->read, sql_query(s->read, e, "SELECT id, due_ms AS \"due@\", happened_ms AS \"happened@\", what, run_id AS run, note FROM schedule_event"
	                                             " WHERE schedule_id = ?1 ORDER BY id DESC LIMIT ?2", "ii", schedule, (int64_t)(limit ? limit : 100)), e);
	db_unlock(s->read);
	return all;
}

bool store_schedule_add(struct store *s, const struct schedule_row *r, int64_t *id, struct err *e)
{
	int64_t taken = 0, made = 0;
	bool ok;

	if (!tx_begin(s, e))
		return false;
	ok = sql_number(&s->write, &taken, 0, e, "SELECT count(*) FROM schedule WHERE name = ?1", "t", r->name)
	  && (!taken || err_set(e, ERR_CONFLICT, "there is a schedule %s already", r->name))
	  && sql_run(&s->write, e, "INSERT INTO schedule (name, cron, zone, matrix, board, cell, catch_up, enabled, next_ms, author, created_ms)"
	                           " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)", "tttttttizti", r->name, r->cron, r->zone, r->matrix, r->board, r->cell,
	             r->catch_up ? "one" : "none", (int64_t)r->enabled, r->next_ms, r->author, store_now_ms(s));
	if (ok)
		made = sqlite3_last_insert_rowid(s->write.h);
	if (!tx_end(s, ok, e))
		return false;
	*id = made;
	return true;
}

static bool changed(struct store *s, int64_t id, struct err *e)
{
	return sqlite3_changes(s->write.h) == 1 || err_set(e, ERR_NOT_FOUND, "there is no schedule %lld", (long long)id);
}

bool store_schedule_enable(struct store *s, int64_t id, bool enabled, int64_t next_ms, struct err *e)
{
	return tx_begin(s, e) && tx_end(s, sql_run(&s->write, e, "UPDATE schedule SET enabled = ?2, next_ms = ?3 WHERE id = ?1", "iiz", id, (int64_t)enabled,
	                                           enabled ? next_ms : 0) && changed(s, id, e), e);
}

bool store_schedule_delete(struct store *s, int64_t id, struct err *e)
{
	return tx_begin(s, e) && tx_end(s, sql_run(&s->write, e, "DELETE FROM schedule WHERE id = ?1", "i", id) && changed(s, id, e), e);
}

bool store_schedule_done(struct store *s, int64_t id, int64_t due_ms, const char *what, int64_t run, const char *note, int64_t next_ms, struct err *e)
{
	bool ok;

	if (!tx_begin(s, e))
		return false;
	ok = sql_run(&s->write, e, "INSERT INTO schedule_event (schedule_id, due_ms, happened_ms, what, run_id, note) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
	                           " ON CONFLICT DO NOTHING", "iiitzt", id, due_ms, store_now_ms(s), what, run, note)
	  && sql_run(&s->write, e, "UPDATE schedule SET next_ms = ?2, enabled = enabled AND ?2 IS NOT NULL WHERE id = ?1", "iz", id, next_ms);
	return tx_end(s, ok, e);
}

bool store_schedule_running(struct store *s, int64_t id, bool *running, struct err *e)
{
	int64_t n = 0;
	bool ok;

	db_lock(s->read);
	ok = sql_number(s->read, &n, 0, e, "SELECT count(*) FROM run WHERE schedule_id = ?1 AND state != 'finished'", "i", id);
	db_unlock(s->read);
	*running = n > 0;
	return ok;
}
