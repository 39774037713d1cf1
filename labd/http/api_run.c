// SPDX-License-Identifier: GPL-2.0-or-later
/* Handlers about runs: asking for one only writes the queue and wakes a worker. */
#include "http/api.h"
#include "http/bodies.h"
#include "run/lab.h"
#include "run/runner.h"
#include "store/store.h"

static struct run_request run_request(const struct body_run *body)
{
	return (struct run_request){ .matrix = body->matrix, .version = (int)body->version, .board = body->board, .cell = body->cell,
		.reason = body->reason ? body->reason : "manual", .requested_by = body->requested_by ? body->requested_by : "api", .reverse = body->reverse,
		.profile = body->profile };
}

bool api_runs(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	int64_t before, limit;

	return request_number(rq, "before", 0, INT64_MAX, 0, &before, e) && request_number(rq, "limit", 1, 1000, 50, &limit, e) &&
	       api_give(rs, store_runs(site->lab->store, before, (unsigned)limit, e));
}

bool api_run(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	int64_t run;

	return request_id(rq, 0, &run, e) && api_give(rs, store_run(site->lab->store, run, e));
}

bool api_run_create(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	struct body_run body;
	struct json_doc d;
	int64_t run = 0;
	bool ok = request_json(rq, &d, e) && body_run_parse(&d, &body, e) && api_runner(site, e);

	if (ok) {
		struct run_request q = run_request(&body);

		ok = runner_request(site->lab->runner, &q, &run, e);
	}
	json_doc_finish(&d);
	rs->status = ok ? 202 : 0;
	return ok && api_give(rs, json_pack("{s:I}", "run", (json_int_t)run));
}

bool api_run_estimate(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	struct body_run body;
	struct json_doc d;
	bool ok = request_json(rq, &d, e) && body_run_parse(&d, &body, e) && api_runner(site, e);

	if (ok) {
		struct run_request q = run_request(&body);

		ok = api_give(rs, runner_estimate(site->lab->runner, &q, e));
	}
	json_doc_finish(&d);
	return ok;
}

bool api_run_cancel(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	int64_t run;

	if (!request_id(rq, 0, &run, e) || !api_runner(site, e) || !runner_cancel(site->lab->runner, run, "api", e))
		return false;
	rs->status = 202;
	return api_give(rs, json_pack("{s:I}", "run", (json_int_t)run));
}
