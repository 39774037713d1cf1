// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The route table: every address of the API, who may use it, what its query may hold, and the function that answers. docs/openapi.json describes the same
 * routes in words; a test compares the two.
 */
#ifndef LAB_HTTP_ROUTES_H
#define LAB_HTTP_ROUTES_H

#include <stddef.h>

#include "http/site.h"

#define BODY_JSON_MAX (1u << 20)

struct route {
	const char *method;                                      /* "GET", "POST", "PUT", "DELETE" */
	const char *path;                                        /* "/api/v1/runs/{run}": a part in braces matches any one part */
	const char *const *query;                                /* allowed parameters, ends with NULL */
	enum role role;
	size_t body_max;                                         /* bytes; 0: no body */
	handler_fn *handle;
};

extern const struct route routes[];
extern const size_t route_count;

/*
 * The route of a request: the first row that fits, so that fixed words stand before braces; its params are set (pointing into rq). NULL with ERR_NOT_FOUND, or ERR_UNSUPPORTED and *allow (borrowed, static per path) when only
 * the method is wrong. The role is not looked at.
 */
const struct route *route_find(struct request *rq, char allow[64], struct err *e);

/* ERR_INVALID names a query parameter the route does not have, and the nearest it has; or one that is there twice. */
bool route_query_ok(const struct route *route, const struct request *rq, struct err *e);

#endif
