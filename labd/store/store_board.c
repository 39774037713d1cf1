// SPDX-License-Identifier: GPL-2.0-or-later
/* Boards: what is on the bench, in what state and health, what its flash holds and how often it was written. */
#include <stdlib.h>
#include <string.h>

#include "store/sql.h"

bool store_bench_begin(struct store *s, struct err *e)
{
	return tx_begin_light(s, e) && tx_end(s, sql_run(&s->write, e, "UPDATE board SET present = 0, state = 'idle'", ""), e);
}

bool store_board_put(struct store *s, const char *name, const char *board_type, bool is_virtual, int64_t flash_rated, struct err *e)
{
	/* Another type under the same name is another board: what the flash held means nothing any more. */
	return tx_begin_light(s, e) && tx_end(s, sql_run(&s->write, e,
	       "INSERT INTO board (name, board_type, virtual, flash_rated, first_seen_ms, last_seen_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?5)"
	       " ON CONFLICT (name) DO UPDATE SET present = 1, virtual = ?3, flash_rated = ?4, last_seen_ms = ?5, board_type = ?2,"
	       " holds_sha256 = CASE WHEN board_type = ?2 THEN holds_sha256 END, holds_build = CASE WHEN board_type = ?2 THEN holds_build END,"
	       " holds_identity = CASE WHEN board_type = ?2 THEN holds_identity END", "ttizi", name, board_type, (int64_t)is_virtual, flash_rated, store_now_ms(s)), e);
}

static bool changed_one(struct store *s, const char *name, struct err *e)
{
	return sqlite3_changes(s->write.h) == 1 || err_set(e, ERR_NOT_FOUND, "there is no board %s", name);
}

bool store_board_state(struct store *s, const char *name, const char *state, struct err *e)
{
	return tx_begin_light(s, e) && tx_end(s, sql_run(&s->write, e, "UPDATE board SET state = ?2, last_seen_ms = ?3 WHERE name = ?1", "tti", name, state, store_now_ms(s))
	                                && changed_one(s, name, e), e);
}

bool store_board_health(struct store *s, const char *name, const char *health, const char *reason, struct err *e)
{
	return tx_begin_light(s, e) && tx_end(s, sql_run(&s->write, e, "UPDATE board SET health = ?2, health_reason = ?3 WHERE name = ?1", "ttt", name, health, reason)
	                                && changed_one(s, name, e), e);
}

bool store_board_holds(struct store *s, const char *name, const char *sha256, const char *build, const char *identity, bool wrote, struct err *e)
{
	return tx_begin_light(s, e) && tx_end(s, sql_run(&s->write, e, "UPDATE board SET holds_sha256 = ?2, holds_build = ?3, holds_identity = ?4,"
	                                                         " flash_cycles = flash_cycles + ?5 WHERE name = ?1", "tttti", name, sha256, build, identity, (int64_t)wrote)
	                                && changed_one(s, name, e), e);
}

bool store_board_held(struct store *s, const char *name, struct board_holds *out, struct err *e)
{
	sqlite3_stmt *q;
	int got = -1;

	db_lock(s->read);
	q = sql_query(s->read, e, "SELECT holds_sha256, holds_build, holds_identity FROM board WHERE name = ?1", "t", name);
	if (q)
		got = sql_step(s->read, q, e);
	if (got == 1)
		*out = (struct board_holds){ sql_text_dup(q, 0), sql_text_dup(q, 1), sql_text_dup(q, 2) };
	sqlite3_finalize(q);
	db_unlock(s->read);
	return got == 1 || (got == 0 && err_set(e, ERR_NOT_FOUND, "there is no board %s", name));
}

void board_holds_finish(struct board_holds *h)
{
	free(h->sha256);
	free(h->build);
	free(h->identity);
	memset(h, 0, sizeof *h);
}

json_t *store_boards(struct store *s, struct err *e)
{
	json_t *all;

	db_lock(s->read);
	all = sql_all(s->read, sql_query(s->read, e,
	      "SELECT b.name, b.board_type, b.virtual AS \"virtual?\", b.present AS \"present?\", b.state, b.health, b.health_reason, b.flash_cycles, b.flash_rated,"
	      " b.holds_sha256 AS \"holds.sha256\", b.holds_build AS \"holds.build\", b.first_seen_ms AS \"first_seen@\", b.last_seen_ms AS \"last_seen@\","
	      " a.id AS \"last_result.id\", a.run_id AS \"last_result.run\", c.name AS \"last_result.cell\", a.verdict AS \"last_result.verdict\","
	      " a.cause AS \"last_result.cause\", a.finished_ms AS \"last_result.finished@\""
	      " FROM board b LEFT JOIN attempt a ON a.id = (SELECT max(id) FROM attempt WHERE board = b.name AND state = 'finished')"
	      " LEFT JOIN cell c ON c.id = a.cell_id ORDER BY b.name", ""), e);
	db_unlock(s->read);
	return rows_drop_null(all, "last_result", "id");
}
