// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzz target: whatever a client sends. The first byte chooses what the rest is: a request target, the body of one of the requests that change something, or a
 * matrix. Parsers must refuse or accept; a body they accept has only texts that are fit for where they go.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "http/bodies.h"
#include "http/request.h"
#include "http/routes.h"
#include "run/matrix.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void target(const char *text, size_t size)
{
	struct request *rq = xcalloc(1, sizeof *rq);
	char *copy = xstrndup(text, size), allow[64];
	struct err e = { 0 };

	if (request_target(rq, copy, &e)) {
		must(rq->path[0] == '/' && !strstr(rq->path, "/../") && !strstr(rq->path, "//"));
		strcpy(rq->method, "GET");
		const struct route *route = route_find(rq, allow, &e);
		if (route) {
			must(strcmp(route->method, "GET") == 0);
			route_query_ok(route, rq, &e);
		}
	} else {
		must(e.code != ERR_NONE && e.msg[0]);
	}
	free(copy);
	free(rq);
}

static void body(unsigned which, const uint8_t *bytes, size_t size)
{
	union {
		struct body_login login;
		struct body_run run;
		struct body_flash flash;
		struct body_copy copy;
		struct body_schedule schedule;
		struct body_exclude exclude;
	} out;
	struct request *rq = xcalloc(1, sizeof *rq);
	struct json_doc d;
	struct err e = { 0 };

	strcpy(rq->content_type, "application/json");
	buf_add(&rq->body, bytes, size);
	if (request_json(rq, &d, &e)) {
		switch (which) {
		case 0: body_login_parse(&d, &out.login, &e); break;
		case 1: must(!body_run_parse(&d, &out.run, &e) || body_name_ok(out.run.matrix)); break;
		case 2: must(!body_flash_parse(&d, &out.flash, &e) || !out.flash.image || body_name_ok(out.flash.image)); break;
		case 3: must(!body_copy_parse(&d, &out.copy, &e) || body_name_ok(out.copy.to)); break;
		case 4: must(!body_schedule_parse(&d, &out.schedule, &e) || (body_name_ok(out.schedule.name) && out.schedule.catch_up <= 1)); break;
		default: body_exclude_parse(&d, &out.exclude, &e);
		}
	} else {
		must(e.code != ERR_NONE && e.msg[0]);
	}
	json_doc_finish(&d);
	request_finish(rq);
	free(rq);
}

static void matrix(const char *text, size_t size)
{
	struct matrix *m = NULL;
	struct err e = { 0 };

	if (matrix_parse("matrix", text, size, &m, &e))
		must(matrix_name(m)[0] != '\0');
	matrix_destroy(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	if (size == 0 || size > BODY_JSON_MAX)
		return 0;
	unsigned which = bytes[0] % 8;
	if (which == 6)
		target((const char *)bytes + 1, size - 1);
	else if (which == 7)
		matrix((const char *)bytes + 1, size - 1);
	else
		body(which, bytes + 1, size - 1);
	return 0;
}
