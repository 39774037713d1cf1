// SPDX-License-Identifier: GPL-2.0-or-later
/* Where the cycles of a board go: a run of its cells with profiles, and what they say beside each other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/verb.h"
#include "report/profile.h"

#define PROFILE_TIMEOUT_S 600

const struct option_row profile_options[] = {
	{ "--cell", "GLOB", "only cells with such a name, like '*/payload_bytes=1460'" },
	{ "--matrix", "NAME", "the matrix they are of (default: published)" },
	{ "--run", "N", "those of an earlier run; nothing is run" },
	{ NULL, NULL, NULL },
};

static json_t *body_of(const struct call *c)
{
	const char *matrix = args_text(c->args, "--matrix"), *cell = args_text(c->args, "--cell"), *user = getenv("USER");
	json_t *body = json_pack("{s:s, s:s, s:b, s:s, s:s}", "matrix", matrix ? matrix : "published", "board", c->args->words[0], "profile", 1, "reason", "profile",
	                         "requested_by", user && user[0] ? user : "labctl");

	if (cell)
		json_object_set_new(body, "cell", json_string(cell));
	return body;
}

/* The run to look at: an earlier one, or one made now and followed to its end. False: *status says why there is none. */
static bool have_run(struct call *c, int64_t *run, int *status)
{
	json_t *body, *queued;

	*status = EXIT_USAGE;
	if (!args_number(c->args, "--run", 1, INT64_MAX, 0, run, &c->err))
		return false;
	if (*run)
		return true;
	body = body_of(c);
	queued = client_call(c->client, "POST", "/runs", body, &c->err);
	*run = json_integer_value(json_object_get(queued, "run"));
	json_decref(body);
	json_decref(queued);
	if (!queued)
		*status = call_failed(c);
	return queued && run_wait(c, *run, PROFILE_TIMEOUT_S, status) && *status == 0;
}

static bool ours(const struct call *c, const json_t *result)
{
	const char *board = json_string_value(json_object_get(result, "board")), *type = json_string_value(json_object_get(result, "board_type"));
	const char *wanted = c->args->words[0];

	return (board && strcmp(board, wanted) == 0) || (type && strcmp(type, wanted) == 0);
}

/* The profiles of a run's results, in its order; those without one are told on standard error. */
static json_t *collect(struct call *c, const json_t *results)
{
	json_t *profiles = json_array(), *result;
	size_t i;

	json_array_foreach((json_t *)results, i, result) {
		char path[64];
		json_t *profile;

		if (!ours(c, result))
			continue;
		snprintf(path, sizeof path, "/results/%lld/profile", (long long)json_integer_value(json_object_get(result, "id")));
		profile = client_call(c->client, "GET", path, NULL, &c->err);
		if (profile)
			json_array_append_new(profiles, profile);
		else
			fprintf(stderr, "labctl: %s: %s\n", json_string_value(json_object_get(result, "cell")),
			        json_string_value(json_object_get(result, "error")) ? json_string_value(json_object_get(result, "error")) : c->err.msg);
	}
	return profiles;
}

int verb_profile(struct call *c)
{
	json_t *results, *profiles;
	char path[64];
	int64_t run;
	int status;

	if (!have_run(c, &run, &status))
		return status;
	snprintf(path, sizeof path, "/results?run=%lld", (long long)run);
	results = client_call(c->client, "GET", path, NULL, &c->err);
	if (!results)
		return call_failed(c);
	profiles = collect(c, results);
	status = json_array_size(profiles) ? EXIT_PASSED : EXIT_FAILED;
	json_decref(results);
	if (c->json) {
		call_print(profiles);
		return status;
	}
	if (json_array_size(profiles))                           /* a real board cannot count its cycles */
		printf("%s (virtual), run %lld: from the trigger to the last byte\n\n", c->args->words[0], (long long)run);
	profile_print(stdout, profiles);
	json_decref(profiles);
	return status;
}
