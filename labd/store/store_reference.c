// SPDX-License-Identifier: GPL-2.0-or-later
/* Published references and firmware images: rows that come from files. */
#include <string.h>

#include "store/sql.h"

static const char *text_of(json_t *row, const char *key)
{
	return json_string_value(json_object_get(row, key));
}

static bool put_reference(struct store *s, json_t *r, struct err *e)
{
	json_t *payload = json_object_get(r, "payload_bytes");

	return sql_run(&s->write, e, "INSERT INTO reference (id, board_type, workload, payload_bytes, conditions, figure, value, unit, printed, kind, source, description, grade)"
	                             " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)", "tttnjtdtttttt", text_of(r, "id"), text_of(r, "board_type"),
	               text_of(r, "workload"), json_is_integer(payload) ? (int64_t)json_integer_value(payload) : (int64_t)-1, json_object_get(r, "conditions"),
	               text_of(r, "figure"), json_number_value(json_object_get(r, "value")), text_of(r, "unit"), text_of(r, "printed"), text_of(r, "kind"),
	               text_of(r, "source"), text_of(r, "description"), text_of(r, "grade"));
}

bool store_references_put(struct store *s, json_t *rows, struct err *e)
{
	size_t i;
	json_t *row;
	bool ok;

	if (!tx_begin_light(s, e))
		return false;
	ok = sql_run(&s->write, e, "DELETE FROM reference", "");
	json_array_foreach(rows, i, row)
		ok = ok && (put_reference(s, row, e) || err_prefix(e, "reference %zu", i));
	return tx_end(s, ok, e);
}

json_t *store_references(struct store *s, const char *board_type, const char *workload, struct err *e)
{
	json_t *all;

	db_lock(s->read);
	all = sql_all(s->read, sql_query(s->read, e,
	      "SELECT id, board_type, workload, payload_bytes, conditions AS \"conditions{}\", figure, value, unit, printed, kind, source, description, grade FROM reference"
	      " WHERE (?1 IS NULL OR board_type = ?1) AND (?2 IS NULL OR workload = ?2) ORDER BY board_type, workload, payload_bytes DESC, figure, id", "tt", board_type,
	      workload), e);
	db_unlock(s->read);
	return all;
}

static const char *text_or(json_t *row, const char *key, const char *fallback)
{
	const char *text = text_of(row, key);

	return text ? text : fallback;
}

bool store_image_put(struct store *s, json_t *row, struct err *e)
{
	json_t *none = json_object();
	json_t *sections = json_object_get(row, "sections");
	json_t *variant = json_object_get(row, "variant");
	bool ok = tx_begin_light(s, e) && tx_end(s, sql_run(&s->write, e,
	          "INSERT INTO image (sha256, build, board_type, variant, file, format, toolchain, flags, source_commit, sections, added_ms)"
	          " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"
	          " ON CONFLICT (sha256) DO UPDATE SET file = ?5, variant = ?4, source_commit = coalesce(?9, source_commit)", "tttjttt" "ttji",
	          text_of(row, "sha256"), text_of(row, "build"), text_of(row, "board_type"), variant ? variant : none, text_of(row, "file"), text_or(row, "format", "ihex"),
	          text_or(row, "toolchain", ""), text_or(row, "flags", ""), text_of(row, "commit"), sections ? sections : none, store_now_ms(s)), e);

	json_decref(none);
	return ok;
}

json_t *store_images(struct store *s, struct err *e)
{
	json_t *all;

	db_lock(s->read);
	all = sql_all(s->read, sql_query(s->read, e,
	      "SELECT sha256, build, board_type, variant AS \"variant{}\", file, format, toolchain, flags, source_commit AS \"commit\", sections AS \"sections{}\","
	      " added_ms AS \"added@\" FROM image ORDER BY board_type, added_ms DESC, build", ""), e);
	db_unlock(s->read);
	return all;
}
