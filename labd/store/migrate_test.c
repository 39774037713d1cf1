// SPDX-License-Identifier: GPL-2.0-or-later
/* Schema steps: ended by a kill after every statement, a newer database, another program's, an empty file (field failure F46). */
#include "store/migrate.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/mem.h"
#include "test/harness.h"

static struct err e;

static char *path_of(const char *name)
{
	return xasprintf("%s/%s", test_folder(), name);
}

/* The schema as text, to compare. */
static char *schema_of(const char *path)
{
	struct db db = { 0 };
	struct buf text = { 0 };
	sqlite3_stmt *q;

	if (!db_open(&db, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &e))
		return xstrdup("cannot open");
	q = sql_query(&db, &e, "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name", "");
	while (q && sql_step(&db, q, &e) == 1)
		buf_printf(&text, "%s %s %s\n", sqlite3_column_text(q, 0), sqlite3_column_text(q, 1), sqlite3_column_text(q, 2));
	sqlite3_finalize(q);
	db_close(&db);
	return text.bytes ? buf_take(&text) : xstrdup("");
}

struct fuse {
	unsigned left;
};

static void burn(void *opaque, int version, unsigned n)
{
	struct fuse *f = opaque;

	(void)version;
	(void)n;
	if (f->left-- == 1)
		raise(SIGKILL);
}

static bool migrate_file(const char *path, const struct migration *list, const struct migrate_watch *watch)
{
	struct db db = { 0 };
	bool ok = db_open(&db, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &e) && sqlite3_exec(db.h, "PRAGMA journal_mode=WAL", NULL, NULL, NULL) == SQLITE_OK
	       && migrate(&db, path, list, watch, &e);

	db_close(&db);
	return ok;
}

/* In a child that dies after so many statements; true if it lived to the end. */
static bool migrate_until(const char *path, const struct migration *list, unsigned statements)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		struct fuse fuse = { statements };
		struct migrate_watch watch = { burn, &fuse };

		_exit(migrate_file(path, list, &watch) ? 0 : 1);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void remove_database(const char *path)
{
	static const char *const ends[] = { "", "-wal", "-shm" };

	for (size_t i = 0; i < 3; i++) {
		char *name = xasprintf("%s%s", path, ends[i]);

		unlink(name);
		free(name);
	}
}

static const struct migration two_steps[] = {
	{ 1, "one", "CREATE TABLE a (x INTEGER); INSERT INTO a VALUES (1); CREATE TABLE b (y INTEGER);" },
	{ 2, "two", "CREATE TABLE c (z INTEGER); INSERT INTO c SELECT x + 1 FROM a; DROP TABLE b; CREATE TABLE d (w INTEGER);" },
	{ 0, NULL, NULL },
};

TEST(a_kill_after_any_statement_leaves_a_whole_step_and_the_next_start_finishes)
{
	char *path = path_of("a.db"), *whole = path_of("whole.db"), *expected, *schema;
	bool lived = false;
	unsigned n;

	CHECK_OK(migrate_file(whole, two_steps, NULL), &e);
	expected = schema_of(whole);
	for (n = 1; !lived && n < 20; n++) {
		remove_database(path);
		lived = migrate_until(path, two_steps, n);
		CHECK_OK(migrate_file(path, two_steps, NULL), &e);
		schema = schema_of(path);
		CHECK_STR(schema, expected);
		free(schema);
	}
	CHECK_EQ(n, 9);
	free(expected);
	free(path);
	free(whole);
}

TEST(the_compiled_in_steps_survive_a_kill_after_every_statement)
{
	char *path = path_of("a.db"), *whole = path_of("whole.db"), *expected, *schema;
	bool lived = false;
	unsigned n;

	CHECK_OK(migrate_file(whole, migrations, NULL), &e);
	expected = schema_of(whole);
	CHECK(strstr(expected, "CREATE TABLE attempt"));
	for (n = 1; !lived; n++) {
		CHECK(n < 100);
		remove_database(path);
		lived = migrate_until(path, migrations, n);
		CHECK_OK(migrate_file(path, migrations, NULL), &e);
		schema = schema_of(path);
		CHECK_STR(schema, expected);
		free(schema);
	}
	CHECK(n > 15);
	free(expected);
	free(path);
	free(whole);
}

TEST(a_step_on_an_existing_database_is_preceded_by_a_copy)
{
	char *path = path_of("a.db"), *copy = path_of("a.db.before-2"), *schema;
	static const struct migration first[] = { { 1, "one", "CREATE TABLE a (x INTEGER); INSERT INTO a VALUES (1); CREATE TABLE b (y INTEGER);" }, { 0, NULL, NULL } };
	struct stat st;

	CHECK_OK(migrate_file(path, first, NULL), &e);
	CHECK(stat(copy, &st) != 0);
	CHECK_OK(migrate_file(path, two_steps, NULL), &e);
	schema = schema_of(copy);
	CHECK(strstr(schema, "CREATE TABLE b"));
	CHECK(!strstr(schema, "CREATE TABLE c"));
	free(schema);
	free(path);
	free(copy);
}

static bool same_file(const char *a, const char *b)
{
	size_t na = 0, nb = 0;
	char *x = test_read_file(a, &na), *y = test_read_file(b, &nb);
	bool same = x && y && na == nb && memcmp(x, y, na) == 0;

	free(x);
	free(y);
	return same;
}

static bool exec_on(const char *path, const char *sql)
{
	struct db db = { 0 };
	bool ok = db_open(&db, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &e) && sqlite3_exec(db.h, sql, NULL, NULL, NULL) == SQLITE_OK;

	db_close(&db);
	return ok;
}

/* Refused with that sentence, and not a byte of it changed. */
static bool refused_untouched(const char *path, const char *says)
{
	char *before = xasprintf("%s.copy", path), *bytes;
	struct store *s = NULL;
	size_t size;
	bool ok;

	bytes = test_read_file(path, &size);
	ok = bytes && test_write_file(before, bytes, size) && !store_open(path, &clock_host, &s, &e) && strstr(e.msg, says) && same_file(path, before);
	if (!ok)
		printf("%s\n", e.msg);
	free(bytes);
	free(before);
	return ok;
}

/* One text, made of the answer's first column; the caller frees it. */
static char *answer_of(const char *path, const char *sql)
{
	struct db db = { 0 };
	sqlite3_stmt *q = db_open(&db, path, SQLITE_OPEN_READWRITE, &e) ? sql_query(&db, &e, sql, "") : NULL;
	char *text = xstrdup(q && sql_step(&db, q, &e) == 1 && sqlite3_column_text(q, 0) ? (const char *)sqlite3_column_text(q, 0) : "");

	sqlite3_finalize(q);
	db_close(&db);
	return text;
}

TEST(cells_older_than_checksum_and_clock_say_what_they_were_built_with)
{
	const struct migration first[] = { migrations[0], { 0, NULL, NULL } };
	char *path = path_of("a.db"), *known, *other;

	CHECK_OK(migrate_file(path, first, NULL), &e);
	CHECK(exec_on(path, "PRAGMA foreign_keys=OFF; INSERT INTO cell (run_id, ordinal, name, board_type, virtual, workload, variant, params, repeats, deadline_ms) VALUES"
		" (1, 0, 'a', 'at89c51ed2-cs8900a', 1, 'trigger', '{\"check_rx\":\"0\",\"stack\":\"labnet\"}', '{}', 1, 1),"
		" (1, 1, 'b', 'another', 1, 'trigger', '{\"check_rx\":\"0\",\"stack\":\"labnet\"}', '{}', 1, 1)"));
	CHECK_OK(migrate_file(path, migrations, NULL), &e);
	known = answer_of(path, "SELECT variant FROM cell WHERE name = 'a'");
	other = answer_of(path, "SELECT variant FROM cell WHERE name = 'b'");
	CHECK_STR(known, "{\"check_rx\":\"0\",\"checksum\":\"c\",\"clock\":\"x1\",\"stack\":\"labnet\"}");
	CHECK_STR(other, "{\"check_rx\":\"0\",\"stack\":\"labnet\"}");
	free(known);
	free(other);
	free(path);
}

TEST(a_newer_database_is_refused_and_left_as_it_is)
{
	char *path = path_of("a.db"), text[200];

	CHECK(exec_on(path, "CREATE TABLE future (x); PRAGMA user_version=999"));
	snprintf(text, sizeof text, "PRAGMA application_id=%d", STORE_APPLICATION_ID);
	CHECK(exec_on(path, text));
	CHECK(refused_untouched(path, "schema version 999"));
	CHECK_EQ(e.code, ERR_CONFLICT);
	free(path);
}

TEST(another_programs_database_is_refused_and_left_as_it_is)
{
	char *path = path_of("a.db"), *versioned = path_of("b.db");

	CHECK(exec_on(path, "CREATE TABLE theirs (x)"));
	CHECK(refused_untouched(path, "belongs to another program"));
	CHECK(exec_on(versioned, "CREATE TABLE theirs (x); PRAGMA user_version=1"));
	CHECK(refused_untouched(versioned, "belongs to another program"));
	free(path);
	free(versioned);
}

TEST(a_file_that_is_no_database_is_refused)
{
	char *path = path_of("a.db");

	CHECK(test_write_file(path, "this is a letter, not a database; it is long enough to have a header of one hundred bytes and then some more", 108));
	CHECK(refused_untouched(path, "not a database"));
	free(path);
}

TEST(an_empty_file_becomes_a_store)
{
	char *path = path_of("a.db");
	struct store *s;

	CHECK(test_write_file(path, "", 0));
	CHECK_OK(store_open(path, &clock_host, &s, &e), &e);
	store_close(s);
	CHECK_OK(store_open(path, &clock_host, &s, &e), &e);
	store_close(s);
	free(path);
}

TEST(a_step_that_fails_changes_nothing)
{
	static const struct migration broken[] = { { 1, "one", "CREATE TABLE a (x INTEGER);" }, { 2, "two", "CREATE TABLE c (z INTEGER); INSERT INTO nowhere VALUES (1);" },
	                                           { 0, NULL, NULL } };
	char *path = path_of("a.db"), *schema;

	CHECK(!migrate_file(path, broken, NULL));
	CHECK(strstr(e.msg, "two"));
	schema = schema_of(path);
	CHECK(strstr(schema, "CREATE TABLE a"));
	CHECK(!strstr(schema, "CREATE TABLE c"));
	free(schema);
	free(path);
}
