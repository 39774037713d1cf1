// SPDX-License-Identifier: GPL-2.0-or-later
/* The API over a lab: every route answers what docs/openapi.json says, changes do what they say, and downloads neither pin the store nor pass for whole when cut. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mem.h"
#include "http/bodies.h"
#include "http/openapi.h"
#include "http/routes.h"
#include "http/schema_check.h"
#include "http/test_client.h"
#include "http/test_lab.h"
#include "report/csv.h"
#include "run/runner.h"
#include "store/store.h"
#include "test/harness.h"

static struct test_lab tl;
static struct reply r;
static struct err e;

static json_t *description(void)
{
	return json_loadb((const char *)openapi_json, openapi_json_size, JSON_REJECT_DUPLICATES, NULL);
}

static bool get(const char *target)
{
	return client_ask(tl.port, "GET", target, NULL, NULL, &r);
}

static bool change(const char *method, const char *target, const char *body)
{
	return client_ask(tl.port, method, target, tl.operator, body, &r);
}

static bool body_has(const char *text)
{
	return strstr(buf_text(&r.body), text) != NULL;
}

/* --- the description ----------------------------------------------------------------------------------------------------------------------------- */

static bool parameter_named(const json_t *operation, const char *name, const char *in)
{
	json_t *p;
	size_t i;

	json_array_foreach(json_object_get(operation, "parameters"), i, p)
		if (strcmp(json_string_value(json_object_get(p, "name")), name) == 0 && strcmp(json_string_value(json_object_get(p, "in")), in) == 0)
			return true;
	return false;
}

static size_t query_parameters(const json_t *operation)
{
	size_t i, n = 0;
	json_t *p;

	json_array_foreach(json_object_get(operation, "parameters"), i, p)
		n += strcmp(json_string_value(json_object_get(p, "in")), "query") == 0;
	return n;
}

TEST(every_route_is_described_with_its_parameters_and_its_role)
{
	json_t *root = description();

	CHECK(root);
	for (size_t i = 0; i < route_count; i++) {
		const json_t *operation = schema_operation(root, routes[i].method, routes[i].path);
		size_t n = 0;

		if (!operation) {
			test_fail(__FILE__, __LINE__, "%s %s is not described", routes[i].method, routes[i].path);
			return;
		}
		for (; routes[i].query[n]; n++)
			if (!parameter_named(operation, routes[i].query[n], "query")) {
				test_fail(__FILE__, __LINE__, "%s %s: %s is not described", routes[i].method, routes[i].path, routes[i].query[n]);
				return;
			}
		CHECK_EQ(query_parameters(operation), n);
		CHECK_EQ(json_object_get(operation, "security") != NULL, routes[i].role == ROLE_OPERATOR);
		CHECK(!json_object_get(operation, "requestBody") || routes[i].body_max > 0);
		CHECK(json_string_length(json_object_get(operation, "summary")) > 5);
		CHECK(json_object_get(operation, "operationId"));
	}
	json_decref(root);
}

TEST(everything_described_is_a_route)
{
	json_t *root = description(), *item, *operation;
	const char *path, *method;
	size_t described = 0;

	json_object_foreach(json_object_get(root, "paths"), path, item)
		json_object_foreach(item, method, operation) {
			bool found = false;

			for (size_t i = 0; i < route_count; i++)
				found = found || (strcmp(routes[i].path, path) == 0 && strcasecmp(routes[i].method, method) == 0);
			if (!found) {
				test_fail(__FILE__, __LINE__, "%s %s is described, but not a route", method, path);
				return;
			}
			described++;
		}
	CHECK_EQ(described, route_count);
	json_decref(root);
}

/* Ask one route and compare what it answers with its description. */
static bool described(const char *method, const char *route, const char *target, const char *body, int status)
{
	json_t *root = description(), *answer;
	const json_t *schema = schema_of_answer(root, method, route, (unsigned)status);
	bool ok = change(method, target, body);

	answer = ok ? reply_json(&r) : NULL;
	if (!ok || r.status != status || !schema)
		err_set(&e, ERR_MISMATCH, "%s %s: %d, schema %s: %.120s", method, target, r.status, schema ? "there" : "missing", buf_text(&r.body));
	else if (!answer)
		err_set(&e, ERR_MISMATCH, "%s %s: not JSON", method, target);
	else
		ok = schema_check(root, schema, answer, target, &e);
	ok = ok && r.status == status && schema && answer;
	json_decref(answer);
	json_decref(root);
	return ok;
}

TEST(every_route_that_is_read_answers_as_described)
{
	static const struct { const char *route, *target; } cases[] = {
		{ "/api/v1/openapi.json", "/api/v1/openapi.json" }, { "/api/v1/status", "/api/v1/status" }, { "/api/v1/hosts", "/api/v1/hosts" },
		{ "/api/v1/session", "/api/v1/session" }, { "/api/v1/boards", "/api/v1/boards" }, { "/api/v1/boards/{board}", "/api/v1/boards/" TEST_BOARD },
		{ "/api/v1/boards/{board}/console", "/api/v1/boards/" TEST_BOARD "/console" }, { "/api/v1/images", "/api/v1/images" },
		{ "/api/v1/matrices", "/api/v1/matrices" }, { "/api/v1/matrices/{name}", "/api/v1/matrices/sizes" },
		{ "/api/v1/matrices/{name}/document", "/api/v1/matrices/sizes/document" }, { "/api/v1/runs", "/api/v1/runs" }, { "/api/v1/runs/{run}", "/api/v1/runs/1" },
		{ "/api/v1/runs/{run}", "/api/v1/runs/2" }, { "/api/v1/runs/{run}/report", "/api/v1/runs/1/report" }, { "/api/v1/runs/{run}/report", "/api/v1/runs/2/report" },
		{ "/api/v1/results", "/api/v1/results" }, { "/api/v1/results/{result}", "/api/v1/results/1" }, { "/api/v1/results/{result}", "/api/v1/results/4" },
		{ "/api/v1/results/{result}/frames", "/api/v1/results/1/frames" }, { "/api/v1/results/{result}/console", "/api/v1/results/1/console" },
		{ "/api/v1/compare", "/api/v1/compare" }, { "/api/v1/compare", "/api/v1/compare?figure=frame_time_s&run=1" }, { "/api/v1/references", "/api/v1/references" },
		{ "/api/v1/export/{file}/meta", "/api/v1/export/samples/meta?run=1" }, { "/api/v1/export/{file}/meta", "/api/v1/export/compare/meta" },
		{ "/api/v1/schedules", "/api/v1/schedules" }, { "/api/v1/schedules/preview", "/api/v1/schedules/preview?cron=30+2+*+*+*&zone=Europe/Berlin" },
		{ "/api/v1/schedules/{name}/events", "/api/v1/schedules/nightly/events" },
	};
	int64_t run;

	CHECK_OK(test_lab_open(&tl, false, FAKE_WELL, &e), &e);
	CHECK_OK(test_lab_run(&tl, &run, &e), &e);
	CHECK_OK(test_lab_queue(&tl, &run, &e) && test_lab_work(&tl, "fail", "line", 0, &e), &e);
	CHECK(change("POST", "/api/v1/schedules", "{\"name\":\"nightly\",\"cron\":\"30 2 * * *\",\"zone\":\"UTC\",\"matrix\":\"sizes\"}"));
	CHECK_EQ(r.status, 201);
	CHECK(change("POST", "/api/v1/results/1/exclude", "{\"reason\":\"=loose\"}"));
	CHECK_EQ(r.status, 200);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		CHECK_OK(described("GET", cases[i].route, cases[i].target, NULL, 200), &e);
	test_lab_close(&tl);
}

TEST(every_route_that_changes_something_answers_as_described)
{
	static const struct { const char *method, *route, *target, *body; int status; } cases[] = {
		{ "POST", "/api/v1/login-links", "/api/v1/login-links", "{}", 200 },
		{ "POST", "/api/v1/matrices/validate", "/api/v1/matrices/validate", test_matrix, 200 },
		{ "PUT", "/api/v1/matrices/{name}", "/api/v1/matrices/mine", test_matrix, 200 },
		{ "POST", "/api/v1/matrices/{name}/copy", "/api/v1/matrices/sizes/copy", "{\"to\":\"other\"}", 200 },
		{ "POST", "/api/v1/runs/estimate", "/api/v1/runs/estimate", "{\"matrix\":\"sizes\"}", 200 },
		{ "POST", "/api/v1/runs", "/api/v1/runs", "{\"matrix\":\"sizes\",\"reason\":\"test\"}", 202 },
		{ "POST", "/api/v1/runs/{run}/cancel", "/api/v1/runs/1/cancel", "{}", 202 },
		{ "POST", "/api/v1/results/{result}/exclude", "/api/v1/results/1/exclude", "{\"reason\":\"loose\",\"author\":\"me\"}", 200 },
		{ "POST", "/api/v1/results/{result}/include", "/api/v1/results/1/include", "{}", 200 },
		{ "POST", "/api/v1/schedules", "/api/v1/schedules", "{\"name\":\"n\",\"cron\":\"0 3 * * *\",\"matrix\":\"sizes\",\"catch_up\":\"none\"}", 201 },
		{ "POST", "/api/v1/schedules/{name}/disable", "/api/v1/schedules/n/disable", "{}", 200 },
		{ "POST", "/api/v1/schedules/{name}/enable", "/api/v1/schedules/n/enable", "{}", 200 },
		{ "DELETE", "/api/v1/schedules/{name}", "/api/v1/schedules/n", NULL, 200 },
	};
	int64_t run;

	CHECK_OK(test_lab_open(&tl, false, FAKE_WELL, &e), &e);
	CHECK_OK(test_lab_queue(&tl, &run, &e) && test_lab_work(&tl, "pass", "none", 4, &e), &e);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		CHECK_OK(described(cases[i].method, cases[i].route, cases[i].target, cases[i].body, cases[i].status), &e);
	test_lab_close(&tl);
}

TEST(what_is_not_there_is_404_and_says_what)
{
	static const char *const targets[] = { "/api/v1/boards/none", "/api/v1/boards/none/console", "/api/v1/matrices/none", "/api/v1/runs/99", "/api/v1/runs/x", "/api/v1/runs/0",
		"/api/v1/runs/99/report", "/api/v1/results/99", "/api/v1/results/99/frames", "/api/v1/results/99/console", "/api/v1/results/99/console.txt",
		"/api/v1/results/99/capture", "/api/v1/results/99/profile", "/api/v1/results/1/profile", "/api/v1/schedules/none/events", "/api/v1/export/all/meta", "/api/v1/results/../runs" };

	CHECK_OK(test_lab_open(&tl, false, FAKE_WELL, &e), &e);
	for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
		CHECK(get(targets[i]));
		if (r.status != 404 && !(r.status == 400 && strstr(targets[i], ".."))) {
			test_fail(__FILE__, __LINE__, "%s: %d %s", targets[i], r.status, buf_text(&r.body));
			return;
		}
		CHECK(body_has("\"message\""));
	}
	test_lab_close(&tl);
}

/* --- changes ------------------------------------------------------------------------------------------------------------------------------------- */

TEST(a_matrix_is_kept_under_the_name_in_its_address_and_versioned_once_it_has_run)
{
	int64_t run;

	CHECK_OK(test_lab_open(&tl, false, FAKE_WELL, &e), &e);
	CHECK(change("PUT", "/api/v1/matrices/sizes", test_matrix));
	CHECK(body_has("\"version\":1"));
	CHECK_OK(test_lab_queue(&tl, &run, &e), &e);
	char *changed = xstrdup(test_matrix);
	memcpy(strstr(changed, "750"), "640", 3);
	CHECK(change("PUT", "/api/v1/matrices/sizes?author=me", changed));
	CHECK_EQ(r.status, 200);
	CHECK(body_has("\"version\":2"));
	free(changed);
	CHECK(get("/api/v1/matrices/sizes?version=1"));
	CHECK(body_has("750"));
	CHECK(get("/api/v1/matrices/sizes"));
	CHECK(body_has("640") && body_has("\"me\""));
	CHECK(change("PUT", "/api/v1/matrices/=1%2B1", test_matrix));
	CHECK_EQ(r.status, 400);
	CHECK(change("PUT", "/api/v1/matrices/bad", "{\"version\":1,\"name\":\"bad\",\"cells\":[{\"workload\":\"triger\"}]}"));
	CHECK_EQ(r.status, 400);
	CHECK(body_has("matrix:1"));
	CHECK(change("POST", "/api/v1/matrices/sizes/copy", "{\"to\":\"sizes\"}"));
	CHECK_EQ(r.status, 409);
	test_lab_close(&tl);
}

TEST(a_run_that_is_cancelled_is_cancelled_once)
{
	int64_t run;

	CHECK_OK(test_lab_open(&tl, false, FAKE_WELL, &e), &e);
	CHECK_OK(test_lab_queue(&tl, &run, &e), &e);
	CHECK(change("POST", "/api/v1/runs/1/cancel", "{}"));
	CHECK_EQ(r.status, 202);
	CHECK(get("/api/v1/runs/1/report"));
	CHECK(body_has("\"cancelled\"") && body_has("\"exit_status\":6"));
	CHECK(change("POST", "/api/v1/runs/1/cancel", "{}"));
	CHECK_EQ(r.status, 409);
	CHECK(change("POST", "/api/v1/runs", "{\"matrix\":\"nothing\"}"));
	CHECK_EQ(r.status, 404);
	CHECK(change("POST", "/api/v1/runs", "{\"matrix\":\"sizes\",\"bord\":\"x\"}"));
	CHECK_EQ(r.status, 400);
	CHECK(body_has("did you mean"));
	test_lab_close(&tl);
}

TEST(a_schedule_that_never_fires_is_refused)
{
	CHECK_OK(test_lab_open(&tl, false, FAKE_WELL, &e), &e);
	CHECK(change("POST", "/api/v1/schedules", "{\"name\":\"never\",\"cron\":\"0 0 30 2 *\",\"matrix\":\"sizes\"}"));
	CHECK_EQ(r.status, 400);
	CHECK(change("POST", "/api/v1/schedules", "{\"name\":\"n\",\"cron\":\"0 0 * * *\",\"matrix\":\"sizes\",\"catch_up\":\"twice\"}"));
	CHECK_EQ(r.status, 400);
	CHECK(get("/api/v1/schedules"));
	CHECK_STR(buf_text(&r.body), "[]");
	test_lab_close(&tl);
}

TEST(a_reader_changes_nothing)
{
	CHECK_OK(test_lab_open(&tl, false, FAKE_WELL, &e), &e);
	CHECK(client_ask(tl.port, "POST", "/api/v1/runs", NULL, "{\"matrix\":\"sizes\"}", &r));
	CHECK_EQ(r.status, 401);
	CHECK(client_ask(tl.port, "DELETE", "/api/v1/schedules/x", NULL, NULL, &r));
	CHECK_EQ(r.status, 401);
	CHECK(get("/api/v1/runs"));
	CHECK_STR(buf_text(&r.body), "[]");
	test_lab_close(&tl);
}

TEST(results_are_filtered_and_come_newest_first_when_asked)
{
	int64_t run;
	json_t *rows;

	CHECK_OK(test_lab_open(&tl, false, FAKE_WELL, &e), &e);
	CHECK_OK(test_lab_run(&tl, &run, &e), &e);
	CHECK(get("/api/v1/results?payload_bytes=750"));
	rows = reply_json(&r);
	CHECK_EQ(json_array_size(rows), 1);
	CHECK(json_is_true(json_object_get(json_array_get(rows, 0), "virtual")));
	json_decref(rows);
	CHECK(get("/api/v1/results?order=desc&limit=2"));
	rows = reply_json(&r);
	CHECK_EQ(json_array_size(rows), 2);
	CHECK_EQ(json_integer_value(json_object_get(json_array_get(rows, 0), "id")), 3);
	json_decref(rows);
	CHECK(get("/api/v1/results?after=2&finished=true&latest=1&verdict=pass"));
	rows = reply_json(&r);
	CHECK_EQ(json_array_size(rows), 1);
	json_decref(rows);
	CHECK(get("/api/v1/results?order=sideways"));
	CHECK_EQ(r.status, 400);
	CHECK(get("/api/v1/results?payload_byte=1"));
	CHECK(body_has("did you mean payload_bytes?"));
	test_lab_close(&tl);
}

TEST(both_units_of_a_rate_are_there_and_agree)
{
	int64_t run;
	json_t *row, *figures;

	CHECK_OK(test_lab_open(&tl, false, FAKE_WELL, &e), &e);
	CHECK_OK(test_lab_run(&tl, &run, &e), &e);
	CHECK(get("/api/v1/results/1"));
	row = reply_json(&r);
	figures = json_object_get(row, "figures");
	double bytes = json_real_value(json_object_get(figures, "goodput_byte_per_s")), bits = json_real_value(json_object_get(figures, "goodput_bit_per_s"));
	CHECK(bytes > 4790 && bytes < 4800);
	CHECK(bits == 8 * bytes);
	json_decref(row);
	test_lab_close(&tl);
}

/* --- downloads ----------------------------------------------------------------------------------------------------------------------------------- */

TEST(a_capture_is_sent_whole_and_never_from_outside_the_state_folder)
{
	char path[512], *big = xcalloc(1, 300000), value[128];
	int64_t run;

	CHECK_OK(test_lab_open(&tl, false, FAKE_WELL, &e), &e);
	CHECK_OK(test_lab_run(&tl, &run, &e), &e);
	CHECK(get("/api/v1/results/1/capture"));
	CHECK_EQ(r.status, 404);
	snprintf(path, sizeof path, "%s/captures", test_folder());
	CHECK_EQ(mkdir(path, 0700), 0);
	for (int i = 0; i < 300000; i++)
		big[i] = (char)(i * 7);
	snprintf(path, sizeof path, "%s/captures/one.pcap", test_folder());
	CHECK(test_write_file(path, big, 300000));
	CHECK(get("/api/v1/results/1/capture"));
	CHECK_EQ(r.status, 200);
	CHECK_STR(reply_header(&r, "Content-Type", value, sizeof value), "application/vnd.tcpdump.pcap");
	CHECK_STR(reply_header(&r, "Content-Disposition", value, sizeof value), "attachment; filename=\"labd_capture_result-1.pcap\"");
	CHECK(r.whole);
	CHECK_EQ(r.body.size, 300000);
	CHECK(memcmp(r.body.bytes, big, 300000) == 0);
	CHECK_EQ(unlink(path), 0);
	CHECK_EQ(symlink("/etc/passwd", path), 0);
	CHECK(get("/api/v1/results/1/capture"));
	CHECK(r.status != 200);
	free(big);
	test_lab_close(&tl);
}

TEST(a_console_is_bytes_or_text_as_asked)
{
	int64_t run;

	CHECK_OK(test_lab_open(&tl, false, FAKE_WELL, &e), &e);
	CHECK_OK(test_lab_run(&tl, &run, &e), &e);
	CHECK(get("/api/v1/results/1/console.txt"));
	CHECK(body_has("@lab boot") && body_has("\xff\x1b[2J"));
	CHECK(get("/api/v1/results/1/console"));
	json_t *rows = reply_json(&r);
	CHECK_EQ(json_integer_value(json_object_get(json_array_get(rows, 0), "at_ns")), 12345);
	json_decref(rows);
	test_lab_close(&tl);
}

TEST(csv_comes_under_its_own_name_or_by_what_the_client_accepts)
{
	char value[128];
	int64_t run;

	CHECK_OK(test_lab_open(&tl, false, FAKE_WELL, &e), &e);
	CHECK_OK(test_lab_run(&tl, &run, &e), &e);
	CHECK(get("/api/v1/export/samples.csv?run=1"));
	CHECK_EQ(r.status, 200);
	CHECK(r.whole);
	CHECK_STR(reply_header(&r, "Content-Type", value, sizeof value), "text/csv; charset=utf-8; header=present");
	CHECK(strstr(reply_header(&r, "Content-Disposition", value, sizeof value), "labd_samples_"));
	CHECK_STR(reply_header(&r, "Link", value, sizeof value), "</api/v1/export/samples/meta?run=1>; rel=\"describedby\"; type=\"application/json\"");
	CHECK(strstr(buf_text(&r.body), "\r\n"));
	struct buf samples = r.body;
	r.body = (struct buf){ 0 };
	CHECK(client_ask(tl.port, "GET", "/api/v1/results?run=1", "Accept: text/csv\r\n", NULL, &r));
	CHECK_STR(buf_text(&r.body), buf_text(&samples));
	buf_finish(&samples);
	CHECK(get("/api/v1/export/samples.csv?verdict=fail&latest=1") && r.whole);
	CHECK(strchr(buf_text(&r.body), '\n') == buf_text(&r.body) + r.body.size - 1);      /* the header alone */
	CHECK(get("/api/v1/export/summary.csv") && r.status == 200 && r.whole);
	CHECK(get("/api/v1/export/compare.csv") && r.status == 200 && r.whole);
	CHECK(get("/api/v1/export/samples.csv?sep=%3B&decimal=,&bom=1") && r.status == 200);
	CHECK(memcmp(r.body.bytes, "\xef\xbb\xbf", 3) == 0 && body_has(";"));
	CHECK(get("/api/v1/export/samples.csv?decimal=,") && r.status == 400);
	CHECK(get("/api/v1/export/samples.csv?sep=x") && r.status == 400);
	CHECK(get("/api/v1/compare?figure=speed") && r.status == 400);
	test_lab_close(&tl);
}

/* Enough results that an export is larger than what sockets hold; with many frames, also enough that the store's log would show a reader that stays. */
static bool fill(int runs, unsigned frames)
{
	int64_t run;

	for (int i = 0; i < runs; i++) {
		if (!test_lab_queue(&tl, &run, &e))
			return false;
		for (int cell = 0; cell < 3; cell++)
			if (!test_lab_work(&tl, "pass", "none", frames, &e))
				return false;
	}
	return true;
}

static int64_t status_number(const char *key)
{
	json_t *status = store_status(tl.lab.store, &e);
	int64_t n = json_integer_value(json_object_get(status, key));

	json_decref(status);
	return n;
}

static int64_t wal_bytes(void)
{
	return status_number("wal_bytes");
}

static int64_t file_bytes(void)
{
	return status_number("bytes");
}

TEST(a_slow_reader_of_an_export_does_not_pin_the_stores_log)
{
	enum { MIB = 1 << 20 };
	struct buf in = { 0 };
	int small = 4096, fd;

	CHECK_OK(test_lab_open(&tl, true, FAKE_WELL, &e), &e);
	CHECK_OK(fill(30, 1), &e);
	CHECK(get("/api/v1/export/samples.csv") && r.whole);
	size_t whole = r.body.size;
	fd = client_connect(tl.port);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
	CHECK(client_text(fd, "GET /api/v1/export/samples.csv HTTP/1.1\r\nHost: localhost\r\n\r\n"));
	CHECK(client_until(fd, &in, "\r\n\r\n", 10000));
	CHECK_OK(fill(14, 10000), &e);
	CHECK(file_bytes() > 10 * MIB);                          /* all of which would be in the log, had it been pinned */
	CHECK(wal_bytes() < 6 * MIB);
	CHECK(client_until(fd, &in, "\r\n0\r\n\r\n", 10000));
	CHECK(in.size >= whole && in.size < whole + whole / 4);  /* it ends where it ended when it was asked for */
	close(fd);
	buf_finish(&in);
	test_lab_close(&tl);
}

TEST(a_client_that_goes_away_in_the_middle_of_an_export_hurts_nobody)
{
	struct buf in = { 0 };

	CHECK_OK(test_lab_open(&tl, false, FAKE_WELL, &e), &e);
	CHECK_OK(fill(40, 1), &e);
	for (int i = 0; i < 20; i++) {
		int fd = client_connect(tl.port);
		struct linger hard = { 1, 0 };

		buf_clear(&in);
		CHECK(client_text(fd, "GET /api/v1/export/samples.csv HTTP/1.1\r\nHost: localhost\r\n\r\n"));
		CHECK(client_until(fd, &in, "\r\n\r\n", 10000));
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
		close(fd);
	}
	CHECK(get("/api/v1/status"));
	CHECK_EQ(r.status, 200);
	buf_finish(&in);
	test_lab_close(&tl);
}

TEST(what_the_runner_tells_reaches_an_open_page)
{
	struct buf in = { 0 };

	CHECK_OK(test_lab_open(&tl, false, FAKE_WELL, &e), &e);
	int fd = client_connect(tl.port);
	CHECK(client_text(fd, "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n"));
	CHECK(client_until(fd, &in, "event: hello", 10000));
	CHECK(change("POST", "/api/v1/runs", "{\"matrix\":\"sizes\"}"));
	CHECK_EQ(r.status, 202);
	CHECK(client_until(fd, &in, "event: run\ndata: ", 10000));
	CHECK(client_until(fd, &in, "\"matrix\":\"sizes\"", 10000));
	close(fd);
	buf_finish(&in);
	test_lab_close(&tl);
}
