// SPDX-License-Identifier: GPL-2.0-or-later
/* The table, and how a request finds its row. */
#include "http/routes.h"

#include <stdio.h>
#include <string.h>

#include "core/json.h"
#include "http/api.h"

static const char *const none[] = { NULL };

const struct route routes[] = {
	{ "GET", "/api/v1/openapi.json", none, ROLE_READER, 0, api_openapi, "This description" },
	{ "GET", "/api/v1/events", none, ROLE_READER, 0, api_events, "What happens, as server-sent events" },
	{ "POST", "/api/v1/login", none, ROLE_READER, BODY_JSON_MAX, api_login, "Exchange a login link's token for a session" },
	{ "POST", "/api/v1/logout", none, ROLE_OPERATOR, BODY_JSON_MAX, api_logout, "End the session" },
	{ "GET", "/api/v1/session", none, ROLE_READER, 0, api_session, "What the caller may do" },
	{ "POST", "/api/v1/login-links", none, ROLE_OPERATOR, BODY_JSON_MAX, api_login_link, "Make a one-time login link" },
};
const size_t route_count = sizeof routes / sizeof routes[0];

static size_t part_length(const char *path)
{
	return strcspn(path, "/");
}

/* Compare part by part. where, if not NULL, receives the positions in path of what the braces matched. */
static bool path_matches(const char *pattern, const char *path, size_t at[REQUEST_PARAMS_MAX], size_t length[REQUEST_PARAMS_MAX])
{
	const char *start = path;
	size_t n = 0;

	while (*pattern == '/' && *path == '/') {
		size_t a = part_length(++pattern), b = part_length(++path);

		if (*pattern == '{') {
			if (b == 0 || n == REQUEST_PARAMS_MAX)
				return false;
			at[n] = (size_t)(path - start);
			length[n++] = b;
		} else if (a != b || memcmp(pattern, path, a) != 0) {
			return false;
		}
		pattern += a;
		path += b;
	}
	return *pattern == '\0' && *path == '\0';
}

/* Params end where the next slash was: the path is cut there, which is why this is done once, for the row that fits. */
static void set_params(struct request *rq, const size_t at[REQUEST_PARAMS_MAX], const size_t length[REQUEST_PARAMS_MAX])
{
	for (size_t i = 0; i < REQUEST_PARAMS_MAX && length[i]; i++) {
		rq->path[at[i] + length[i]] = '\0';
		rq->params[i] = rq->path + at[i];
	}
}

const struct route *route_find(struct request *rq, char allow[64], struct err *e)
{
	allow[0] = '\0';
	for (size_t i = 0; i < route_count; i++) {
		size_t at[REQUEST_PARAMS_MAX], length[REQUEST_PARAMS_MAX] = { 0 };

		if (!path_matches(routes[i].path, rq->path, at, length))
			continue;
		if (strcmp(routes[i].method, rq->method) == 0) {
			set_params(rq, at, length);
			return &routes[i];
		}
		size_t used = strlen(allow);
		snprintf(allow + used, 64 - used, "%s%s", used ? ", " : "", routes[i].method);
	}
	if (allow[0])
		err_set(e, ERR_UNSUPPORTED, "%s is not possible here; %s is", rq->method, allow);
	else
		err_set(e, ERR_NOT_FOUND, "the API has no address %.120s (see /api/v1/openapi.json)", rq->path);
	return NULL;
}

static bool seen_before(const struct request *rq, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (strcmp(rq->query[j].name, rq->query[i].name) == 0)
			return true;
	return false;
}

static bool in_list(const char *word, const char *const *words)
{
	for (; *words; words++)
		if (strcmp(*words, word) == 0)
			return true;
	return false;
}

bool route_query_ok(const struct route *route, const struct request *rq, struct err *e)
{
	for (size_t i = 0; i < rq->query_count; i++) {
		const char *name = rq->query[i].name, *near;

		if (seen_before(rq, i))
			return err_set(e, ERR_INVALID, "%.40s: given twice", name);
		if (in_list(name, route->query))
			continue;
		near = json_nearest(name, route->query);
		if (near)
			return err_set(e, ERR_INVALID, "there is no parameter %.40s here; did you mean %s?", name, near);
		return err_set(e, ERR_INVALID, "there is no parameter %.40s here (see /api/v1/openapi.json)", name);
	}
	return true;
}
