// SPDX-License-Identifier: GPL-2.0-or-later
/* Handlers about matrices: stored by name and version, frozen by the first run that refers to them. */
#include "http/api.h"

#include <stdio.h>
#include <string.h>

#include "http/bodies.h"
#include "run/lab.h"
#include "run/matrix.h"
#include "store/store.h"

bool api_matrices(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	(void)rq;
	return api_give(rs, store_matrices(site->lab->store, e));
}

static json_t *matrix(const struct request *rq, struct site *site, struct err *e)
{
	int64_t version;

	return request_number(rq, "version", 0, 1000000, 0, &version, e) ? store_matrix(site->lab->store, rq->params[0], (int)version, e) : NULL;
}

bool api_matrix(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	return api_give(rs, matrix(rq, site, e));
}

bool api_matrix_export(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	json_t *row = matrix(rq, site, e);

	if (!row)
		return false;
	rs->json = json_incref(json_object_get(row, "document"));
	snprintf(rs->filename, sizeof rs->filename, "%.64s.json", rq->params[0]);
	json_decref(row);
	return true;
}

/* --- changes ------------------------------------------------------------------------------------------------------------------------------------ */

/* The body as a checked matrix. Its sentences carry the line, hence the text and not the JSON. */
static bool parse(const struct request *rq, struct matrix **out, struct err *e)
{
	if (rq->body.size == 0)
		return err_set(e, ERR_INVALID, "body: is empty; send the matrix as JSON");
	return matrix_parse("matrix", (const char *)rq->body.bytes, rq->body.size, out, e);
}

bool api_matrix_validate(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	struct matrix *m;

	(void)site;
	if (!parse(rq, &m, e))
		return false;
	rs->json = json_pack("{s:b,s:s}", "valid", 1, "name", matrix_name(m));
	matrix_destroy(m);
	return true;
}

static bool name_fits(const char *name, struct err *e)
{
	return body_name_ok(name) || err_set(e, ERR_INVALID, "\"%.64s\" cannot be a name: 1 to 64 of A-Z a-z 0-9 . _ + -, not beginning with + or -", name);
}

/* Kept under the name in the address, whatever the document called itself. */
bool api_matrix_import(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	const char *name = rq->params[0], *author = request_query(rq, "author");
	struct matrix *m;
	int version = 0;
	json_t *document;
	bool ok;

	if (!name_fits(name, e) || !parse(rq, &m, e))
		return false;
	document = json_deep_copy(matrix_document(m));
	json_object_set_new(document, "name", json_string(name));
	ok = store_matrix_put(site->lab->store, name, document, author && author[0] ? author : "operator", &version, e);
	json_decref(document);
	matrix_destroy(m);
	return ok && api_give(rs, json_pack("{s:s,s:i}", "name", name, "version", version));
}

bool api_matrix_copy(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	struct body_copy body;
	struct json_doc d;
	bool ok = request_json(rq, &d, e) && body_copy_parse(&d, &body, e) &&
	          store_matrix_copy(site->lab->store, rq->params[0], (int)body.version, body.to, body.author ? body.author : "operator", e);

	if (ok)
		ok = api_give(rs, json_pack("{s:s,s:i}", "name", body.to, "version", 1));
	json_doc_finish(&d);
	return ok;
}
