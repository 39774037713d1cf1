// SPDX-License-Identifier: GPL-2.0-or-later
/* The thin hand on sqlite3: connections, binding, stepping, rows as JSON, transactions. */
#include "store/sql.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

enum { BUSY_MS = 10000, WAL_LIMIT_BYTES = 16 << 20 };

static const struct { int sqlite; enum err_code code; } codes[] = {
	{ SQLITE_FULL, ERR_FULL },
	{ SQLITE_BUSY, ERR_TIMEOUT },
	{ SQLITE_LOCKED, ERR_TIMEOUT },
	{ SQLITE_CONSTRAINT, ERR_INVALID },
	{ SQLITE_NOTADB, ERR_INVALID },
	{ SQLITE_CORRUPT, ERR_MISMATCH },
	{ SQLITE_PERM, ERR_DENIED },
	{ SQLITE_READONLY, ERR_DENIED },
	{ SQLITE_CANTOPEN, ERR_IO },
	{ SQLITE_IOERR, ERR_IO },
};

static bool no_space(int os_error)
{
	return os_error == ENOSPC || os_error == EDQUOT || os_error == EFBIG;
}

static enum err_code code_of(sqlite3 *h)
{
	int extended = sqlite3_extended_errcode(h);

	if (extended == SQLITE_CONSTRAINT_UNIQUE || extended == SQLITE_CONSTRAINT_PRIMARYKEY)
		return ERR_CONFLICT;
	if ((extended & 0xff) == SQLITE_IOERR && no_space(sqlite3_system_errno(h)))
		return ERR_FULL;
	for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
		if (codes[i].sqlite == (extended & 0xff))
			return codes[i].code;
	return ERR_INTERNAL;
}

bool db_failed(struct db *db, const char *what, struct err *e)
{
	return err_set(e, db->h ? code_of(db->h) : ERR_INTERNAL, "store: %s: %s", what, db->h ? sqlite3_errmsg(db->h) : "out of memory");
}

bool db_open(struct db *db, const char *path, int flags, struct err *e)
{
	char settings[160];

	pthread_mutex_init(&db->lock, NULL);
	if (sqlite3_open_v2(path, &db->h, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL) != SQLITE_OK)
		return db_failed(db, path, e);
	sqlite3_busy_timeout(db->h, BUSY_MS);
	snprintf(settings, sizeof settings, "PRAGMA foreign_keys=ON; PRAGMA synchronous=FULL; PRAGMA journal_size_limit=%d;", WAL_LIMIT_BYTES);
	if (sqlite3_exec(db->h, settings, NULL, NULL, NULL) != SQLITE_OK)
		return db_failed(db, path, e);
	return true;
}

void db_close(struct db *db)
{
	if (!db->h)
		return;
	/* A statement still open here would keep the file locked for ever: a bug of ours. */
	assert(sqlite3_next_stmt(db->h, NULL) == NULL);
	sqlite3_close(db->h);
	db->h = NULL;
	pthread_mutex_destroy(&db->lock);
}

void db_lock(struct db *db)
{
	pthread_mutex_lock(&db->lock);
}

void db_unlock(struct db *db)
{
	pthread_mutex_unlock(&db->lock);
}

static int bind_json(sqlite3_stmt *q, int at, json_t *value, size_t flags)
{
	char *text = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | flags) : NULL;

	return text ? sqlite3_bind_text(q, at, text, -1, free) : sqlite3_bind_null(q, at);
}

static int bind_number(sqlite3_stmt *q, int at, int64_t value, bool is_null)
{
	return is_null ? sqlite3_bind_null(q, at) : sqlite3_bind_int64(q, at, value);
}

static int bind_one(sqlite3_stmt *q, int at, char letter, va_list *ap)
{
	int64_t number;
	const void *bytes;

	switch (letter) {
	case 'i':
		return sqlite3_bind_int64(q, at, va_arg(*ap, int64_t));
	case 'n':
		number = va_arg(*ap, int64_t);
		return bind_number(q, at, number, number < 0);
	case 'z':
		number = va_arg(*ap, int64_t);
		return bind_number(q, at, number, number == 0);
	case 't':
		return sqlite3_bind_text(q, at, va_arg(*ap, const char *), -1, SQLITE_TRANSIENT);
	case 'j':
		return bind_json(q, at, va_arg(*ap, json_t *), JSON_SORT_KEYS);
	case 'o':
		return bind_json(q, at, va_arg(*ap, json_t *), 0);
	case 'd':
		return sqlite3_bind_double(q, at, va_arg(*ap, double));
	case 'b':
		bytes = va_arg(*ap, const void *);
		return sqlite3_bind_blob64(q, at, bytes ? bytes : "", va_arg(*ap, size_t), SQLITE_TRANSIENT);
	default:
		assert(!"unknown letter in a binding format");
		return SQLITE_MISUSE;
	}
}

static bool bind_all(struct db *db, sqlite3_stmt *q, const char *format, va_list *ap, struct err *e)
{
	assert(sqlite3_bind_parameter_count(q) == (int)strlen(format));
	for (int i = 0; format[i]; i++)
		if (bind_one(q, i + 1, format[i], ap) != SQLITE_OK)
			return db_failed(db, sqlite3_sql(q), e);
	return true;
}

static sqlite3_stmt *query_v(struct db *db, struct err *e, const char *sql, const char *format, va_list *ap)
{
	sqlite3_stmt *q = NULL;

	if (sqlite3_prepare_v2(db->h, sql, -1, &q, NULL) != SQLITE_OK) {
		db_failed(db, sql, e);
		return NULL;
	}
	if (!bind_all(db, q, format, ap, e)) {
		sqlite3_finalize(q);
		return NULL;
	}
	return q;
}

sqlite3_stmt *sql_query(struct db *db, struct err *e, const char *sql, const char *format, ...)
{
	va_list ap;
	sqlite3_stmt *q;

	va_start(ap, format);
	q = query_v(db, e, sql, format, &ap);
	va_end(ap);
	return q;
}

int sql_step(struct db *db, sqlite3_stmt *q, struct err *e)
{
	int rc = sqlite3_step(q);

	if (rc == SQLITE_ROW)
		return 1;
	if (rc == SQLITE_DONE)
		return 0;
	db_failed(db, "step", e);
	return -1;
}

bool sql_again(struct db *db, sqlite3_stmt *q, struct err *e, const char *format, ...)
{
	va_list ap;
	bool ok;

	sqlite3_reset(q);
	va_start(ap, format);
	ok = bind_all(db, q, format, &ap, e);
	va_end(ap);
	return ok && sql_step(db, q, e) >= 0;
}

bool sql_run(struct db *db, struct err *e, const char *sql, const char *format, ...)
{
	va_list ap;
	sqlite3_stmt *q;
	int got;

	va_start(ap, format);
	q = query_v(db, e, sql, format, &ap);
	va_end(ap);
	if (!q)
		return false;
	got = sql_step(db, q, e);
	sqlite3_finalize(q);
	return got >= 0;
}

bool sql_number(struct db *db, int64_t *out, int64_t fallback, struct err *e, const char *sql, const char *format, ...)
{
	va_list ap;
	sqlite3_stmt *q;
	int got;

	va_start(ap, format);
	q = query_v(db, e, sql, format, &ap);
	va_end(ap);
	if (!q)
		return false;
	got = sql_step(db, q, e);
	if (got >= 0)
		*out = got == 1 && sqlite3_column_type(q, 0) != SQLITE_NULL ? sqlite3_column_int64(q, 0) : fallback;
	sqlite3_finalize(q);
	return got >= 0;
}

char *sql_text_dup(sqlite3_stmt *q, int column)
{
	const char *text = (const char *)sqlite3_column_text(q, column);

	return text ? xstrdup(text) : NULL;
}

static json_t *text_json(sqlite3_stmt *q, int column)
{
	const void *text = sqlite3_column_text(q, column);
	size_t size = (size_t)sqlite3_column_bytes(q, column);
	json_t *value = json_stringn(text, size);
	char *clean;

	if (value)
		return value;
	clean = utf8_clean(text, size);
	value = json_string(clean);
	free(clean);
	return value;
}

static json_t *plain_json(sqlite3_stmt *q, int column)
{
	double real;

	switch (sqlite3_column_type(q, column)) {
	case SQLITE_INTEGER:
		return json_integer(sqlite3_column_int64(q, column));
	case SQLITE_FLOAT:
		real = sqlite3_column_double(q, column);
		return isfinite(real) ? json_real(real) : json_null();
	case SQLITE_NULL:
		return json_null();
	default:
		return text_json(q, column);
	}
}

static json_t *time_json(int64_t utc_ms)
{
	char text[25];

	clock_utc_text(utc_ms, text);
	return json_string(text);
}

static json_t *value_json(sqlite3_stmt *q, int column, char kind)
{
	json_t *value;

	if (sqlite3_column_type(q, column) == SQLITE_NULL)
		return json_null();
	switch (kind) {
	case '?':
		return json_boolean(sqlite3_column_int(q, column));
	case '}':
		value = json_loads((const char *)sqlite3_column_text(q, column), JSON_DECODE_ANY, NULL);
		return value ? value : json_null();
	case '@':
		return time_json(sqlite3_column_int64(q, column));
	case '/':
		return json_real((double)sqlite3_column_int64(q, column) / 1e9);
	default:
		return plain_json(q, column);
	}
}

/* The object that a dotted name lives in; name is moved behind the dot. */
static json_t *place_of(json_t *row, const char **name)
{
	const char *dot = strchr(*name, '.');
	char outer[64];
	json_t *inner;

	if (!dot)
		return row;
	snprintf(outer, sizeof outer, "%.*s", (int)(dot - *name), *name);
	*name = dot + 1;
	inner = json_object_get(row, outer);
	if (!inner) {
		inner = json_object();
		json_object_set_new(row, outer, inner);
	}
	return inner;
}

json_t *sql_row(sqlite3_stmt *q)
{
	json_t *row = json_object();

	for (int i = 0; i < sqlite3_column_count(q); i++) {
		const char *name = sqlite3_column_name(q, i);
		json_t *place = place_of(row, &name);
		size_t size = strlen(name);
		char kind = strchr("?}@/", name[size - 1]) ? name[size - 1] : 0;
		char key[64];

		snprintf(key, sizeof key, "%.*s", (int)(size - (kind == '}' ? 2 : kind ? 1 : 0)), name);
		json_object_set_new(place, key, value_json(q, i, kind));
	}
	return row;
}

json_t *sql_all(struct db *db, sqlite3_stmt *q, struct err *e)
{
	json_t *all;
	int got;

	if (!q)
		return NULL;
	all = json_array();
	while ((got = sql_step(db, q, e)) == 1)
		json_array_append_new(all, sql_row(q));
	sqlite3_finalize(q);
	if (got < 0) {
		json_decref(all);
		return NULL;
	}
	return all;
}

json_t *sql_one(struct db *db, sqlite3_stmt *q, const char *what, struct err *e)
{
	json_t *row = NULL;
	int got;

	if (!q)
		return NULL;
	got = sql_step(db, q, e);
	if (got == 1)
		row = sql_row(q);
	sqlite3_finalize(q);
	if (got == 0)
		err_set(e, ERR_NOT_FOUND, "there is no such %s", what);
	return row;
}

bool tx_begin(struct store *s, struct err *e)
{
	db_lock(&s->write);
	if (sqlite3_exec(s->write.h, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK)
		return true;
	db_failed(&s->write, "begin", e);
	db_unlock(&s->write);
	return false;
}

/* In WAL mode NORMAL leaves out the sync at commit; the next full commit syncs it with its own (sqlite.org/pragma.html#pragma_synchronous). */
bool tx_begin_light(struct store *s, struct err *e)
{
	db_lock(&s->write);
	sqlite3_exec(s->write.h, "PRAGMA synchronous=NORMAL", NULL, NULL, NULL);
	if (sqlite3_exec(s->write.h, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK) {
		s->light = true;
		return true;
	}
	db_failed(&s->write, "begin", e);
	sqlite3_exec(s->write.h, "PRAGMA synchronous=FULL", NULL, NULL, NULL);
	db_unlock(&s->write);
	return false;
}

bool tx_end(struct store *s, bool ok, struct err *e)
{
	if (ok && sqlite3_exec(s->write.h, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
		ok = db_failed(&s->write, "commit", e);
	/* After a full disk sqlite may have rolled back already. */
	if (!ok && !sqlite3_get_autocommit(s->write.h))
		sqlite3_exec(s->write.h, "ROLLBACK", NULL, NULL, NULL);
	if (s->light)
		sqlite3_exec(s->write.h, "PRAGMA synchronous=FULL", NULL, NULL, NULL);
	s->light = false;
	db_unlock(&s->write);
	return ok;
}

int64_t store_now_ms(const struct store *s)
{
	return clock_utc_ms(s->clock);
}

/* Length of the valid sequence at p, 0 when there is none (RFC 3629). */
static size_t utf8_length(const uint8_t *p, size_t left)
{
	static const struct { uint8_t first, last, low, high, size; } rows[] = {
		{ 0x01, 0x7f, 0, 0, 1 }, { 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 }, { 0xe1, 0xec, 0x80, 0xbf, 3 }, { 0xed, 0xed, 0x80, 0x9f, 3 },
		{ 0xee, 0xef, 0x80, 0xbf, 3 }, { 0xf0, 0xf0, 0x90, 0xbf, 4 }, { 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		if (p[0] < rows[i].first || p[0] > rows[i].last || left < rows[i].size)
			continue;
		if (rows[i].size > 1 && (p[1] < rows[i].low || p[1] > rows[i].high))
			return 0;
		for (size_t k = 2; k < rows[i].size; k++)
			if ((p[k] & 0xc0) != 0x80)
				return 0;
		return rows[i].size;
	}
	return 0;
}

char *utf8_clean(const void *bytes, size_t size)
{
	const uint8_t *p = bytes;
	struct buf out = { 0 };

	for (size_t i = 0; i < size;) {
		size_t n = utf8_length(p + i, size - i);

		if (n)
			buf_add(&out, p + i, n);
		else
			buf_add(&out, "\xef\xbf\xbd", 3);
		i += n ? n : 1;
	}
	if (!out.bytes)
		return xstrdup("");
	return buf_take(&out);
}

void row_drop_null(json_t *row, const char *name, const char *key)
{
	if (json_is_null(json_object_get(json_object_get(row, name), key)))
		json_object_set_new(row, name, json_null());
}

json_t *rows_drop_null(json_t *rows, const char *name, const char *key)
{
	size_t i;
	json_t *row;

	json_array_foreach(rows, i, row)
		row_drop_null(row, name, key);
	return rows;
}
