// SPDX-License-Identifier: GPL-2.0-or-later
/* Handlers about what is there: the daemon, its computers, its boards, images and published references. */
#include "http/api.h"

#include <stdio.h>
#include <string.h>

#include "core/log.h"
#include "http/bodies.h"
#include "http/events.h"
#include "run/lab.h"
#include "run/runner.h"
#include "store/store.h"

#define API_VERSION 1

bool api_give(struct response *rs, json_t *json)
{
	rs->json = json;
	return json != NULL;
}

/* The element of a list whose key is that text; borrowed; NULL when there is none. */
static json_t *row_named(json_t *rows, const char *key, const char *text)
{
	size_t i;
	json_t *row;

	json_array_foreach(rows, i, row) {
		const char *value = json_string_value(json_object_get(row, key));

		if (value && strcmp(value, text) == 0)
			return row;
	}
	return NULL;
}

static json_t *this_host(struct lab *lab)
{
	json_t *hosts = store_hosts(lab->store, NULL), *row, *found = NULL;
	size_t i;

	json_array_foreach(hosts, i, row)
		if (json_integer_value(json_object_get(row, "id")) == lab->host_id)
			found = json_incref(row);
	json_decref(hosts);
	return found ? found : json_null();
}

bool api_status(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	struct lab *lab = site->lab;
	json_t *store = store_status(lab->store, e);
	char now[25];

	(void)rq;
	if (!store)
		return false;
	clock_utc_text(clock_utc_ms(site->clock), now);
	return api_give(rs, json_pack("{s:s,s:i,s:o,s:s?,s:f,s:s,s:s,s:I,s:o}", "version", lab->version, "api", API_VERSION, "host", this_host(lab),
		"bench", lab->bench_name, "uptime_s", (double)(clock_now_ns(site->clock) - site->started_ns) / 1e9, "now", now, "url", site->url,
		"event_streams", (json_int_t)events_count(site->events), "store", store));
}

bool api_hosts(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	(void)rq;
	return api_give(rs, store_hosts(site->lab->store, e));
}

bool api_images(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	(void)rq;
	return api_give(rs, store_images(site->lab->store, e));
}

bool api_references(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	return api_give(rs, store_references(site->lab->store, request_query(rq, "board_type"), request_query(rq, "workload"), e));
}

/* --- boards ------------------------------------------------------------------------------------------------------------------------------------- */

/* The stored rows, each with what its worker does at this moment. */
static json_t *boards(struct lab *lab, struct err *e)
{
	json_t *rows = store_boards(lab->store, e), *live, *row;
	size_t i;

	if (!rows)
		return NULL;
	live = lab->runner ? runner_boards(lab->runner) : json_array();
	json_array_foreach(rows, i, row) {
		json_t *now = row_named(live, "board", json_string_value(json_object_get(row, "name")));

		json_object_set(row, "live", now ? now : json_null());
	}
	json_decref(live);
	return rows;
}

static json_t *board(struct lab *lab, const char *name, struct err *e)
{
	json_t *rows = boards(lab, e), *found;

	if (!rows)
		return NULL;
	found = json_incref(row_named(rows, "name", name));
	json_decref(rows);
	if (!found)
		err_set(e, ERR_NOT_FOUND, "there is no board \"%.64s\" on the bench", name);
	return found;
}

bool api_boards(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	(void)rq;
	return api_give(rs, boards(site->lab, e));
}

bool api_board(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	return api_give(rs, board(site->lab, rq->params[0], e));
}

bool api_board_flash(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	struct body_flash body;
	struct json_doc d;
	int64_t run = 0;
	bool ok = request_json(rq, &d, e) && body_flash_parse(&d, &body, e) && api_runner(site, e) &&
	          runner_flash(site->lab->runner, rq->params[0], body.image, body.requested_by ? body.requested_by : "api", &run, e);

	json_doc_finish(&d);
	rs->status = ok ? 202 : 0;
	return ok && api_give(rs, json_pack("{s:I}", "run", (json_int_t)run));
}

bool api_board_console(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	json_t *row = board(site->lab, rq->params[0], e), *id, *lines;

	if (!row)
		return false;
	id = json_object_get(json_object_get(row, "last_result"), "id");
	lines = json_is_integer(id) ? store_console(site->lab->store, json_integer_value(id), e) : json_array();
	id = json_is_integer(id) ? json_incref(id) : json_null();
	json_decref(row);
	if (lines)
		return api_give(rs, json_pack("{s:o,s:o}", "attempt", id, "lines", lines));
	json_decref(id);
	return false;
}

bool api_runner(const struct site *site, struct err *e)
{
	return site->lab->runner || err_set(e, ERR_FULL, "the daemon runs nothing at the moment");
}
