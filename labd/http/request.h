// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One HTTP request as a handler sees it: plain data, nothing of the server library. The target is parsed here, from the raw bytes of the
 * request line, so that no second decoding can happen (field failure F52), and the parser is fuzzed.
 *
 * The HTTP thread only. Everything a handler reads from a request is borrowed and lives as long as the request.
 */
#ifndef LAB_HTTP_REQUEST_H
#define LAB_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/buf.h"
#include "core/err.h"
#include "core/json.h"

#define REQUEST_TARGET_MAX 2048          /* bytes of a target, path and query together */
#define REQUEST_QUERY_MAX 32             /* name=value pairs */
#define REQUEST_PARAMS_MAX 3             /* wildcards of a route */

enum role { ROLE_READER, ROLE_OPERATOR };

struct request_pair {
	const char *name, *value;
};

struct request {
	char method[8];                                          /* "GET"; HEAD comes here as GET */
	bool head;
	char path[REQUEST_TARGET_MAX + 1];                       /* decoded, begins with '/' */
	const char *params[REQUEST_PARAMS_MAX];                  /* what the wildcards of the route matched, decoded, never empty */
	struct request_pair query[REQUEST_QUERY_MAX];
	size_t query_count;
	enum role role;                                          /* what the caller's token allows */

	char accept[128], content_type[64], if_none_match[64], last_event_id[24], origin[128], host[128], authorization[128];
	bool gzip;                                               /* the client accepts it */
	struct buf body;

	char text[2 * REQUEST_TARGET_MAX + 2];                   /* what the pointers above point into */
};

/* Parse the target of a request line ("/api/v1/runs?limit=5"): path and query. ERR_INVALID with a sentence when it is not a plain, absolute, decodable path. */
bool request_target(struct request *rq, const char *target, struct err *e);

/* The value of a query parameter, or NULL. */
const char *request_query(const struct request *rq, const char *name);

/* A number from the query: *out is fallback when the parameter is not there. ERR_INVALID names the parameter and the range. */
bool request_number(const struct request *rq, const char *name, int64_t least, int64_t most, int64_t fallback, int64_t *out, struct err *e);

/* "true", "1", "false" or "0"; *out is fallback when the parameter is not there. */
bool request_flag(const struct request *rq, const char *name, bool fallback, bool *out, struct err *e);

/* A wildcard as a row number: 1 or more. */
bool request_id(const struct request *rq, size_t param, int64_t *out, struct err *e);

/*
 * The body as a JSON document, whose root is an object; an empty body is {}. The caller calls json_doc_finish(), also after a failure. ERR_INVALID names line
 * and column, ERR_UNSUPPORTED the content type.
 */
bool request_json(const struct request *rq, struct json_doc *d, struct err *e);

/* The query as it stands in an address, "?" included, escaped anew; "" when there is none. Appended to out. */
void request_query_text(const struct request *rq, struct buf *out);

/* True when the Accept header names this media type before any wildcard. */
bool request_accepts(const struct request *rq, const char *media_type);

void request_finish(struct request *rq);

#endif
