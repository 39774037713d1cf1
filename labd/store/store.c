// SPDX-License-Identifier: GPL-2.0-or-later
/* The file: opening, closing, its state, and the computers it was written on. */
#include "store/store.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mem.h"
#include "store/migrate.h"

static bool open_reader(struct store *s, struct err *e)
{
	s->read = &s->read_own;
	return db_open(&s->read_own, s->path, SQLITE_OPEN_READWRITE, e)
	    && (sqlite3_exec(s->read_own.h, "PRAGMA query_only=ON", NULL, NULL, NULL) == SQLITE_OK || db_failed(&s->read_own, s->path, e));
}

/* Results are nobody else's business: 0600 before sqlite makes it by umask. */
static bool make_private(const char *path, struct err *e)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0)
		return err_errno(e, "store: %s", path);
	close(fd);
	return true;
}

static bool open_file(struct store *s, struct err *e)
{
	/* Owner and version first: WAL mode is a change, and another program's database is left as it is. */
	return make_private(s->path, e) && db_open(&s->write, s->path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, e)
	    && migrate(&s->write, s->path, migrations, NULL, e)
	    && (sqlite3_exec(s->write.h, "PRAGMA journal_mode=WAL", NULL, NULL, NULL) == SQLITE_OK || db_failed(&s->write, s->path, e)) && open_reader(s, e);
}

static bool open_memory(struct store *s, struct err *e)
{
	s->read = &s->write;
	return db_open(&s->write, s->path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, e) && migrate(&s->write, NULL, migrations, NULL, e);
}

bool store_open(const char *path, const struct clock *clock, struct store **out, struct err *e)
{
	struct store *s = xcalloc(1, sizeof *s);
	bool ok;

	s->clock = clock;
	s->path = xstrdup(path);
	ok = strcmp(path, ":memory:") == 0 ? open_memory(s, e) : open_file(s, e);
	if (!ok) {
		store_close(s);
		return err_prefix(e, "%s", path);
	}
	*out = s;
	return true;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	db_close(&s->read_own);
	if (s->write.h)
		sqlite3_wal_checkpoint_v2(s->write.h, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	db_close(&s->write);
	free(s->path);
	free(s);
}

static int64_t size_of(const char *path, const char *suffix)
{
	char *name = xasprintf("%s%s", path, suffix);
	struct stat st;
	int64_t size = stat(name, &st) == 0 ? (int64_t)st.st_size : 0;

	free(name);
	return size;
}

json_t *store_status(struct store *s, struct err *e)
{
	json_t *status;

	db_lock(s->read);
	status = sql_one(s->read, sql_query(s->read, e,
	                 "SELECT (SELECT user_version FROM pragma_user_version) AS schema_version, (SELECT count(*) FROM run) AS runs,"
	                 " (SELECT count(*) FROM attempt) AS attempts, (SELECT count(*) FROM attempt WHERE state = 'queued') AS queued,"
	                 " (SELECT count(*) FROM attempt WHERE state = 'running') AS running", ""), "status", e);
	db_unlock(s->read);
	if (!status)
		return NULL;
	json_object_set_new(status, "path", json_string(s->path));
	json_object_set_new(status, "bytes", json_integer(size_of(s->path, "")));
	json_object_set_new(status, "wal_bytes", json_integer(size_of(s->path, "-wal")));
	return status;
}

bool store_limit_pages(struct store *s, int64_t pages, struct err *e)
{
	char text[64];
	int64_t now = 0;
	bool ok;

	db_lock(&s->write);
	ok = sql_number(&s->write, &now, 0, e, "PRAGMA page_count", "");
	snprintf(text, sizeof text, "PRAGMA max_page_count=%lld", (long long)(pages ? pages : now));
	ok = ok && (sqlite3_exec(s->write.h, text, NULL, NULL, NULL) == SQLITE_OK || db_failed(&s->write, text, e));
	db_unlock(&s->write);
	return ok;
}

bool store_host(struct store *s, const char *name, const char *kernel, const char *cpu, const char *labd, int64_t *id, struct err *e)
{
	bool ok;

	if (!tx_begin_light(s, e))
		return false;
	ok = sql_run(&s->write, e, "INSERT INTO host (name, kernel, cpu, labd) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING", "tttt", name, kernel, cpu, labd)
	  && sql_number(&s->write, id, 0, e, "SELECT id FROM host WHERE name = ?1 AND kernel = ?2 AND cpu = ?3 AND labd = ?4", "tttt", name, kernel, cpu, labd);
	return tx_end(s, ok, e);
}

json_t *store_hosts(struct store *s, struct err *e)
{
	json_t *all;

	db_lock(s->read);
	all = sql_all(s->read, sql_query(s->read, e, "SELECT id, name, kernel, cpu, labd FROM host ORDER BY id", ""), e);
	db_unlock(s->read);
	return all;
}
