// SPDX-License-Identifier: GPL-2.0-or-later
/* Matrices by name and version. A version that a run refers to is frozen: a changed document becomes the next one. */
#include <stdlib.h>
#include <string.h>

#include "store/sql.h"

#define COLUMNS "m.id, m.name, m.version, EXISTS (SELECT 1 FROM run WHERE matrix_id = m.id) AS \"frozen?\", m.author, m.created_ms AS \"created@\""

json_t *store_matrices(struct store *s, struct err *e)
{
	json_t *all;

	db_lock(s->read);
	all = sql_all(s->read, sql_query(s->read, e, "SELECT " COLUMNS " FROM matrix m WHERE m.version = (SELECT max(version) FROM matrix WHERE name = m.name)"
	                                             " ORDER BY m.name", ""), e);
	db_unlock(s->read);
	return all;
}

static json_t *get(struct db *db, const char *name, int version, struct err *e)
{
	json_t *row = sql_one(db, sql_query(db, e, "SELECT " COLUMNS ", m.document AS \"document{}\" FROM matrix m WHERE m.name = ?1 AND (?2 = 0 OR m.version = ?2)"
	                                           " ORDER BY m.version DESC LIMIT 1", "ti", name, (int64_t)version), "matrix", e);

	if (!row)
		err_prefix(e, "%s", name);
	return row;
}

json_t *store_matrix(struct store *s, const char *name, int version, struct err *e)
{
	json_t *row;

	db_lock(s->read);
	row = get(s->read, name, version, e);
	db_unlock(s->read);
	return row;
}

static bool put(struct store *s, const char *name, json_t *document, const char *author, int *version, struct err *e)
{
	struct err none;
	json_t *newest = get(&s->write, name, 0, &none);
	int have = newest ? (int)json_integer_value(json_object_get(newest, "version")) : 0;
	bool same = newest && json_equal(json_object_get(newest, "document"), document);
	bool frozen = newest && json_is_true(json_object_get(newest, "frozen"));

	json_decref(newest);
	*version = same || (have && !frozen) ? have : have + 1;
	if (same)
		return true;
	if (*version == have)
		return sql_run(&s->write, e, "UPDATE matrix SET document = ?3, author = ?4, created_ms = ?5 WHERE name = ?1 AND version = ?2", "tioti", name,
		               (int64_t)have, document, author, store_now_ms(s));
	return sql_run(&s->write, e, "INSERT INTO matrix (name, version, document, author, created_ms) VALUES (?1, ?2, ?3, ?4, ?5)", "tioti", name, (int64_t)*version,
	               document, author, store_now_ms(s));
}

bool store_matrix_put(struct store *s, const char *name, json_t *document, const char *author, int *version, struct err *e)
{
	int kept = 0;

	if (!tx_begin(s, e) || !tx_end(s, put(s, name, document, author, &kept, e), e))
		return false;
	if (version)
		*version = kept;
	return true;
}

bool store_matrix_copy(struct store *s, const char *from, int version, const char *to, const char *author, struct err *e)
{
	json_t *row;
	json_t *document = NULL;
	int64_t taken = 0;
	bool ok;

	if (!tx_begin(s, e))
		return false;
	row = get(&s->write, from, version, e);
	ok = row && sql_number(&s->write, &taken, 0, e, "SELECT count(*) FROM matrix WHERE name = ?1", "t", to);
	if (ok && taken)
		ok = err_set(e, ERR_CONFLICT, "there is a matrix %s already", to);
	if (ok) {
		document = json_deep_copy(json_object_get(row, "document"));
		json_object_set_new(document, "name", json_string(to));
		ok = put(s, to, document, author, &(int){ 0 }, e);
	}
	json_decref(document);
	json_decref(row);
	return tx_end(s, ok, e);
}
