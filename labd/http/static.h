// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The files of the dashboard: read once at start into a fixed table, served from memory. A path that is not in the table does not exist, so there is
 * nothing to escape from (field failure F52). Symbolic links, hidden files and node_modules are left out.
 *
 * Read-only after creation: any thread.
 */
#ifndef LAB_HTTP_STATIC_H
#define LAB_HTTP_STATIC_H

#include <stdbool.h>

#include "core/err.h"
#include "http/request.h"
#include "http/response.h"

#define STATIC_FILES_MAX 2000
#define STATIC_BYTES_MAX (32u << 20)

struct static_files;

/*
 * roots: folders, ends with NULL; where two hold the same path, the later one wins. A folder that is not there is skipped. A file NAME.gz is sent instead
 * of NAME to clients that accept it. csp.json ({"style": ["sha256-..."]}) adds style hashes to the content security policy and is not served.
 */
bool static_create(const char *const *roots, struct static_files **out, struct err *e);
void static_destroy(struct static_files *sf);

/* Answer a GET. "/" is /index.html, "/name" also finds /name.html. False with ERR_NOT_FOUND when there is no such file. */
bool static_answer(const struct static_files *sf, const struct request *rq, struct response *rs, struct err *e);

/* The Content-Security-Policy of every answer. Borrowed. */
const char *static_policy(const struct static_files *sf);

size_t static_count(const struct static_files *sf);

#endif
