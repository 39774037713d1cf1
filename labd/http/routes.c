// SPDX-License-Identifier: GPL-2.0-or-later
/* The table, and how a request finds its row. */
#include "http/routes.h"

#include <stdio.h>
#include <string.h>

#include "core/json.h"
#include "http/api.h"

#define NAMES(id, ...) static const char *const id[] = { __VA_ARGS__, NULL }
#define FILTER "run", "board", "board_type", "workload", "verdict", "cell", "matrix", "payload_bytes", "finished", "latest", "included"
#define COMPARISON "figure", "run", "matrix", "board", "workload", "transport"
#define CSV_FORMAT "sep", "decimal", "bom", "excel"

static const char *const none[] = { NULL };
NAMES(matrix_query, "version");
NAMES(import_query, "author");
NAMES(runs_query, "before", "limit");
NAMES(results_query, FILTER, "after", "limit", "order");
NAMES(frames_query, "from", "limit");
NAMES(references_query, "board_type", "workload");
NAMES(compare_names, COMPARISON);
NAMES(export_results_query, FILTER, CSV_FORMAT);
NAMES(export_compare_query, COMPARISON, CSV_FORMAT);
NAMES(export_meta_query, FILTER, "figure", "transport", CSV_FORMAT);
NAMES(preview_query, "cron", "zone", "count");
NAMES(limit_query, "limit");

#define READ ROLE_READER, 0
#define CHANGE ROLE_OPERATOR, BODY_JSON_MAX

const struct route routes[] = {
	{ "GET", "/api/v1/openapi.json", none, READ, api_openapi },
	{ "GET", "/api/v1/status", none, READ, api_status },
	{ "GET", "/api/v1/hosts", none, READ, api_hosts },
	{ "GET", "/api/v1/events", none, READ, api_events },

	{ "POST", "/api/v1/login", none, ROLE_READER, BODY_JSON_MAX, api_login },
	{ "POST", "/api/v1/logout", none, CHANGE, api_logout },
	{ "GET", "/api/v1/session", none, READ, api_session },
	{ "POST", "/api/v1/login-links", none, CHANGE, api_login_link },

	{ "GET", "/api/v1/boards", none, READ, api_boards },
	{ "GET", "/api/v1/boards/{board}", none, READ, api_board },
	{ "POST", "/api/v1/boards/{board}/flash", none, CHANGE, api_board_flash },
	{ "GET", "/api/v1/boards/{board}/console", none, READ, api_board_console },
	{ "GET", "/api/v1/images", none, READ, api_images },

	{ "GET", "/api/v1/matrices", none, READ, api_matrices },
	{ "POST", "/api/v1/matrices/validate", none, ROLE_READER, BODY_JSON_MAX, api_matrix_validate },
	{ "GET", "/api/v1/matrices/{name}", matrix_query, READ, api_matrix },
	{ "PUT", "/api/v1/matrices/{name}", import_query, CHANGE, api_matrix_import },
	{ "GET", "/api/v1/matrices/{name}/document", matrix_query, READ, api_matrix_export },
	{ "POST", "/api/v1/matrices/{name}/copy", none, CHANGE, api_matrix_copy },

	{ "GET", "/api/v1/runs", runs_query, READ, api_runs },
	{ "POST", "/api/v1/runs", none, CHANGE, api_run_create },
	{ "POST", "/api/v1/runs/estimate", none, ROLE_READER, BODY_JSON_MAX, api_run_estimate },
	{ "GET", "/api/v1/runs/{run}", none, READ, api_run },
	{ "GET", "/api/v1/runs/{run}/report", none, READ, api_run_report },
	{ "POST", "/api/v1/runs/{run}/cancel", none, CHANGE, api_run_cancel },

	{ "GET", "/api/v1/results", results_query, READ, api_results },
	{ "GET", "/api/v1/results/{result}", none, READ, api_result },
	{ "GET", "/api/v1/results/{result}/frames", frames_query, READ, api_result_frames },
	{ "GET", "/api/v1/results/{result}/console", none, READ, api_result_console },
	{ "GET", "/api/v1/results/{result}/console.txt", none, READ, api_result_console_text },
	{ "GET", "/api/v1/results/{result}/capture", none, READ, api_result_capture },
	{ "GET", "/api/v1/results/{result}/profile", none, READ, api_result_profile },
	{ "POST", "/api/v1/results/{result}/exclude", none, CHANGE, api_result_exclude },
	{ "POST", "/api/v1/results/{result}/include", none, CHANGE, api_result_include },

	{ "GET", "/api/v1/compare", compare_names, READ, api_compare },
	{ "GET", "/api/v1/references", references_query, READ, api_references },
	{ "GET", "/api/v1/export/samples.csv", export_results_query, READ, api_export_samples },
	{ "GET", "/api/v1/export/summary.csv", export_results_query, READ, api_export_summary },
	{ "GET", "/api/v1/export/compare.csv", export_compare_query, READ, api_export_compare },
	{ "GET", "/api/v1/export/{file}/meta", export_meta_query, READ, api_export_meta },

	{ "GET", "/api/v1/schedules", none, READ, api_schedules },
	{ "POST", "/api/v1/schedules", none, CHANGE, api_schedule_add },
	{ "GET", "/api/v1/schedules/preview", preview_query, READ, api_schedule_preview },
	{ "DELETE", "/api/v1/schedules/{name}", none, CHANGE, api_schedule_delete },
	{ "GET", "/api/v1/schedules/{name}/events", limit_query, READ, api_schedule_events },
	{ "POST", "/api/v1/schedules/{name}/enable", none, CHANGE, api_schedule_enable },
	{ "POST", "/api/v1/schedules/{name}/disable", none, CHANGE, api_schedule_disable },
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
