// SPDX-License-Identifier: GPL-2.0-or-later
/* Handlers about schedules. The scheduler checks and stores; its thread fires. */
#include "http/api.h"
#include "http/bodies.h"
#include "run/lab.h"
#include "run/schedule.h"
#include "store/store.h"

static bool scheduler_there(const struct site *site, struct err *e)
{
	return site->lab->scheduler || err_set(e, ERR_FULL, "the daemon's scheduler is not running");
}

bool api_schedules(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	(void)rq;
	return api_give(rs, store_schedules(site->lab->store, e));
}

bool api_schedule_preview(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	const char *cron = request_query(rq, "cron");
	int64_t count;

	if (!cron)
		return err_set(e, ERR_INVALID, "cron: is missing; it has five fields, such as 30 2 * * *");
	return request_number(rq, "count", 1, 100, 5, &count, e) &&
	       api_give(rs, schedule_preview(site->clock, cron, request_query(rq, "zone"), (unsigned)count, e));
}

bool api_schedule_add(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	struct body_schedule body;
	struct json_doc d;
	int64_t id = 0;
	bool ok = request_json(rq, &d, e) && body_schedule_parse(&d, &body, e) && scheduler_there(site, e);

	if (ok) {
		struct schedule_request q = { .name = body.name, .cron = body.cron, .zone = body.zone, .matrix = body.matrix, .board = body.board, .cell = body.cell,
			.catch_up = body.catch_up ? "one" : "none", .author = body.author ? body.author : "operator" };

		ok = scheduler_add(site->lab->scheduler, &q, &id, e) && api_give(rs, json_pack("{s:I,s:s}", "id", (json_int_t)id, "name", body.name));
		rs->status = ok ? 201 : 0;
	}
	json_doc_finish(&d);
	return ok;
}

static bool enable(const struct request *rq, struct site *site, bool enabled, struct response *rs, struct err *e)
{
	return scheduler_there(site, e) && scheduler_enable(site->lab->scheduler, rq->params[0], enabled, e) &&
	       api_give(rs, json_pack("{s:s,s:b}", "name", rq->params[0], "enabled", enabled));
}

bool api_schedule_enable(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	return enable(rq, site, true, rs, e);
}

bool api_schedule_disable(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	return enable(rq, site, false, rs, e);
}

bool api_schedule_delete(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	return scheduler_there(site, e) && scheduler_delete(site->lab->scheduler, rq->params[0], e) && api_give(rs, json_pack("{s:s}", "name", rq->params[0]));
}

bool api_schedule_events(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	struct schedule_row row;
	int64_t limit, id;

	if (!request_number(rq, "limit", 1, 1000, 50, &limit, e) || !store_schedule_get(site->lab->store, rq->params[0], &row, e))
		return false;
	id = row.id;
	schedule_row_finish(&row);
	return api_give(rs, store_schedule_events(site->lab->store, id, (unsigned)limit, e));
}
