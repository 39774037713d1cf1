// SPDX-License-Identifier: GPL-2.0-or-later
/* Schema steps: who the database belongs to, how far it is, a copy, then one transaction for each step (field failure F46). */
#include "store/migrate.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/log.h"
#include "core/mem.h"

static int last_version(const struct migration *list)
{
	int last = 0;

	for (; list->name; list++)
		last = list->version;
	return last;
}

/* Ours, or empty; anything else is left alone. */
static bool check_owner(struct db *db, int64_t *version, int newest, struct err *e)
{
	int64_t id, tables;

	if (!sql_number(db, &id, 0, e, "PRAGMA application_id", "") || !sql_number(db, version, 0, e, "PRAGMA user_version", "")
	    || !sql_number(db, &tables, 0, e, "SELECT count(*) FROM sqlite_schema", ""))
		return false;
	if (id != STORE_APPLICATION_ID && (id != 0 || tables != 0 || *version != 0))
		return err_set(e, ERR_CONFLICT, "store: this database belongs to another program (application id %lld); give labd a state folder of its own", (long long)id);
	if (*version > newest)
		return err_set(e, ERR_CONFLICT, "store: the database has schema version %lld, this labd knows up to %d; install the newer labd again, or use its backup",
		               (long long)*version, newest);
	return true;
}

/* By the backup API: a copy of the file alone would miss what is in the log (F47). */
static bool copy_to(struct db *db, const char *target, struct err *e)
{
	struct db copy = { 0 };
	sqlite3_backup *b = NULL;
	bool ok;

	unlink(target);
	ok = db_open(&copy, target, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, e);
	if (ok) {
		b = sqlite3_backup_init(copy.h, "main", db->h, "main");
		ok = (b && sqlite3_backup_step(b, -1) == SQLITE_DONE) || db_failed(&copy, "backup", e);
		if (b && sqlite3_backup_finish(b) != SQLITE_OK && ok)
			ok = db_failed(&copy, "backup", e);
	}
	db_close(&copy);
	return ok || err_prefix(e, "%s", target);
}

static bool run_statements(struct db *db, const struct migration *m, const struct migrate_watch *watch, struct err *e)
{
	const char *at = m->sql;
	unsigned n = 0;

	while (*at) {
		sqlite3_stmt *q = NULL;
		int got;

		if (sqlite3_prepare_v2(db->h, at, -1, &q, &at) != SQLITE_OK)
			return db_failed(db, m->name, e);
		if (!q)
			continue;
		got = sql_step(db, q, e);
		sqlite3_finalize(q);
		if (got < 0)
			return err_prefix(e, "%s", m->name);
		if (watch)
			watch->statement(watch->opaque, m->version, ++n);
	}
	return true;
}

static bool one_step(struct db *db, const struct migration *m, const struct migrate_watch *watch, struct err *e)
{
	char stamp[96];
	bool ok;

	if (sqlite3_exec(db->h, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK)
		return db_failed(db, m->name, e);
	snprintf(stamp, sizeof stamp, "PRAGMA application_id=%d; PRAGMA user_version=%d; COMMIT", STORE_APPLICATION_ID, m->version);
	ok = run_statements(db, m, watch, e) && (sqlite3_exec(db->h, stamp, NULL, NULL, NULL) == SQLITE_OK || db_failed(db, m->name, e));
	if (!ok && !sqlite3_get_autocommit(db->h))
		sqlite3_exec(db->h, "ROLLBACK", NULL, NULL, NULL);
	return ok;
}

bool migrate(struct db *db, const char *path, const struct migration *list, const struct migrate_watch *watch, struct err *e)
{
	int64_t version;
	bool ok = check_owner(db, &version, last_version(list), e);

	if (ok && path && version > 0 && version < last_version(list)) {
		char *target = xasprintf("%s.before-%d", path, last_version(list));

		ok = copy_to(db, target, e);
		free(target);
	}
	for (; ok && list->name; list++)
		if (list->version > version) {
			ok = one_step(db, list, watch, e);
			if (ok)
				log_info("store", "schema=%d step=%s", list->version, list->name);
		}
	return ok;
}
