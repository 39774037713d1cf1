// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Is a JSON document what docs/openapi.json says? As much of JSON Schema as that file uses, and stricter in one thing: a key that the description does not have is
 * an error, so that the description stays complete. For tests.
 */
#ifndef LAB_HTTP_SCHEMA_CHECK_H
#define LAB_HTTP_SCHEMA_CHECK_H

#include <jansson.h>
#include <stdbool.h>

#include "core/err.h"

/* root: the whole description, for "$ref". at: where in the document, for the sentence. */
bool schema_check(const json_t *root, const json_t *schema, const json_t *value, const char *at, struct err *e);

/* What a route answers: the schema under paths.PATH.METHOD.responses.STATUS for JSON. NULL: it is not described. */
const json_t *schema_of_answer(const json_t *root, const char *method, const char *path, unsigned status);

/* "GET" -> the operation of that path; NULL: it is not described. */
const json_t *schema_operation(const json_t *root, const char *method, const char *path);

#endif
