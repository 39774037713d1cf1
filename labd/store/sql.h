// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Inside the store only: a thin hand on sqlite3. Statements are prepared, bound by a format, stepped, and always ended in the function that
 * began them.
 *
 * Binding formats, one letter an argument: i int64_t; n int64_t, negative is NULL; z int64_t, 0 is NULL; t const char * (NULL is NULL); j
 * json_t *, as compact text with sorted keys, o in its own order; d double; b const void * and size_t.
 *
 * A row becomes a JSON object by its column names (sql_row): "a" as it is, "a?" true or false, "a{}" JSON text, "a@" UTC milliseconds shown
 * as ISO 8601,
 * "a/" nanoseconds shown as seconds, "a.b" a member of the object a.
 */
#ifndef LAB_STORE_SQL_H
#define LAB_STORE_SQL_H

#include <pthread.h>
#include <sqlite3.h>

#include "store/store.h"

struct db {
	sqlite3 *h;
	pthread_mutex_t lock;
};

struct store {
	bool light;                                                          /* the transaction under the write lock is a light one */
	struct db write, read_own, *read;                                    /* read: &read_own, or &write for a store in memory */
	const struct clock *clock;
	char *path;
};

/* One connection with the lab's settings: busy timeout 10 s, foreign keys, WAL, synchronous FULL, bounded log. */
bool db_open(struct db *db, const char *path, int flags, struct err *e);
void db_close(struct db *db);

/* The sentence and code for what sqlite said last. */
bool db_failed(struct db *db, const char *what, struct err *e);

/* NULL on failure. The caller ends it with sqlite3_finalize(). */
sqlite3_stmt *sql_query(struct db *db, struct err *e, const char *sql, const char *format, ...);

/* 1 a row, 0 no more, -1 failed. */
int sql_step(struct db *db, sqlite3_stmt *q, struct err *e);

/* Reset, bind, and step a statement without result. */
bool sql_again(struct db *db, sqlite3_stmt *q, struct err *e, const char *format, ...);

/* Prepare, bind, step and end. */
bool sql_run(struct db *db, struct err *e, const char *sql, const char *format, ...);

/* The first column of the first row as a number; fallback when there is no row or it is NULL. */
bool sql_number(struct db *db, int64_t *out, int64_t fallback, struct err *e, const char *sql, const char *format, ...);

json_t *sql_row(sqlite3_stmt *q);
char *sql_text_dup(sqlite3_stmt *q, int column);                             /* NULL for NULL */

/* All rows as an array; one row as an object (ERR_NOT_FOUND "no such <what>"). Takes the statement. */
json_t *sql_all(struct db *db, sqlite3_stmt *q, struct err *e);
json_t *sql_one(struct db *db, sqlite3_stmt *q, const char *what, struct err *e);

/* Lock and begin; end with tx_end(), which commits if ok, else rolls back, and unlocks. Returns ok and committed. */
bool tx_begin(struct store *s, struct err *e);

/* The same for what may be lost with the power (never with the process): steps of a running attempt, states, what every start writes anew.
   Spares the wait for the disk. */
bool tx_begin_light(struct store *s, struct err *e);
bool tx_end(struct store *s, bool ok, struct err *e);

void db_lock(struct db *db);
void db_unlock(struct db *db);

int64_t store_now_ms(const struct store *s);

/* Text that is valid UTF-8 without NUL, whatever the bytes are: others become U+FFFD. The caller frees it. */
char *utf8_clean(const void *bytes, size_t size);

/* A left join that found nothing gives an object of nulls: in row, and in every row of a list (NULL: nothing), name becomes null where its
   key is null. */
void row_drop_null(json_t *row, const char *name, const char *key);
json_t *rows_drop_null(json_t *rows, const char *name, const char *key);

#endif
