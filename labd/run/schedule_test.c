// SPDX-License-Identifier: GPL-2.0-or-later
/* Schedules in simulated time: what fires, what is caught up, what is skipped, and that it is all written down. */
#include "run/schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"
#include "run/zone.h"
#include "store/store.h"
#include "test/harness.h"

static struct err e;
static struct store *store;
static int64_t now_ms;
static unsigned started;
static bool refuse;
static int64_t last_due;

static uint64_t monotonic(const struct clock *c)
{
	(void)c;
	return (uint64_t)now_ms * 1000000u;
}

static int64_t wall(const struct clock *c)
{
	(void)c;
	return now_ms;
}

static const struct clock clock_test = { monotonic, wall };

static int64_t at(int64_t year, int month, int day, int hour, int minute)
{
	return (date_to_days(year, month, day) * 86400 + hour * 3600 + minute * 60) * 1000;
}

/* A run with one queued attempt that nobody takes: unfinished until a test cancels it. */
static bool start(void *opaque, const char *matrix, const char *board, const char *cell, int64_t schedule, int64_t due_ms, int64_t *run, struct err *err)
{
	struct cell_row c = { .name = "x", .board = "board-a", .board_type = "t", .workload = "trigger", .repeats = 1, .deadline_ms = 1000 };
	struct run_row r = { .reason = "schedule", .requested_by = "schedule", .request = NULL, .schedule_id = schedule, .due_ms = due_ms, .host_id = 1 };
	bool ok;

	(void)opaque;
	(void)matrix;
	(void)board;
	(void)cell;
	if (refuse)
		return err_set(err, ERR_INVALID, "the matrix does not fit");
	r.request = json_object();
	c.variant = json_object();
	c.params = json_object();
	ok = store_run_add(store, &r, &c, 1, run, err);
	json_decref(r.request);
	json_decref(c.variant);
	json_decref(c.params);
	started += ok;
	last_due = due_ms;
	return ok;
}

static char told[80];

static void tell(void *opaque, const char *schedule, const char *what, int64_t run)
{
	(void)opaque;
	snprintf(told, sizeof told, "%s %s %lld", schedule, what, (long long)run);
}

static const struct schedule_start starter = { start, tell, NULL };

static bool begin(const char *path, const char *cron, const char *zone, bool catch_up, int64_t now, int64_t next)
{
	struct schedule_row r = { .name = "nightly", .cron = (char *)cron, .zone = (char *)zone, .matrix = "published", .author = "test", .catch_up = catch_up,
	                          .enabled = true, .next_ms = next };
	int64_t id;

	now_ms = now;
	started = 0;
	refuse = false;
	return store_open(path, &clock_test, &store, &e) && store_host(store, "h", "k", "c", "l", &id, &e) && store_schedule_add(store, &r, &id, &e);
}

static void end(void)
{
	store_close(store);
	store = NULL;
}

static bool look(int64_t *next)
{
	return schedule_look(store, &clock_test, &starter, next, &e);
}

static const char *event(size_t i, const char *key)
{
	static char out[200];
	json_t *all = store_schedule_events(store, 1, 0, &e);
	const char *text = json_string_value(json_object_get(json_array_get(all, i), key));

	snprintf(out, sizeof out, "%s", text ? text : "");
	json_decref(all);
	return out;
}

static bool finish_runs(void)
{
	json_t *all = store_runs(store, 0, 0, &e), *run;
	size_t i;
	bool ok = true;

	json_array_foreach(all, i, run)
		if (strcmp(json_string_value(json_object_get(run, "state")), "finished") != 0)
			ok = ok && store_run_cancel(store, json_integer_value(json_object_get(run, "id")), "test", &e);
	json_decref(all);
	return ok;
}

TEST(a_nightly_fires_when_it_is_due_and_not_before)
{
	int64_t next;

	CHECK_OK(begin(":memory:", "30 2 * * *", "UTC", true, at(2027, 1, 1, 2, 29), at(2027, 1, 1, 2, 30)), &e);
	CHECK_OK(look(&next), &e);
	CHECK_EQ(next, at(2027, 1, 1, 2, 30));
	CHECK_EQ(started, 0);
	now_ms = at(2027, 1, 1, 2, 30);
	CHECK_OK(look(&next), &e);
	CHECK_EQ(started, 1);
	CHECK_EQ(last_due, at(2027, 1, 1, 2, 30));
	CHECK_EQ(next, at(2027, 1, 2, 2, 30));
	CHECK_STR(event(0, "what"), "fired");
	CHECK_STR(told, "nightly fired 1");
	CHECK_OK(look(&next), &e);
	CHECK_EQ(started, 1);
	end();
}

TEST(ten_days_off_are_caught_up_by_one_run)
{
	int64_t next;

	CHECK_OK(begin(":memory:", "30 2 * * *", "UTC", true, at(2027, 1, 11, 9, 0), at(2027, 1, 1, 2, 30)), &e);
	CHECK_OK(look(&next), &e);
	CHECK_EQ(started, 1);
	CHECK_EQ(next, at(2027, 1, 12, 2, 30));
	CHECK_STR(event(0, "what"), "caught_up");
	CHECK_STR(event(1, "what"), "");
	end();
}

TEST(a_schedule_without_catch_up_only_writes_down_that_it_missed)
{
	int64_t next;

	CHECK_OK(begin(":memory:", "30 2 * * *", "UTC", false, at(2027, 1, 11, 9, 0), at(2027, 1, 1, 2, 30)), &e);
	CHECK_OK(look(&next), &e);
	CHECK_EQ(started, 0);
	CHECK_STR(event(0, "what"), "missed");
	CHECK_STR(told, "nightly missed 0");
	CHECK_EQ(next, at(2027, 1, 12, 2, 30));
	end();
}

TEST(a_due_time_during_the_last_run_is_skipped_and_written_down)
{
	int64_t next;

	CHECK_OK(begin(":memory:", "*/10 * * * *", "UTC", true, at(2027, 1, 1, 0, 0), at(2027, 1, 1, 0, 0)), &e);
	CHECK_OK(look(&next), &e);
	now_ms = at(2027, 1, 1, 0, 10);
	CHECK_OK(look(&next), &e);
	CHECK_EQ(started, 1);
	CHECK_STR(event(0, "what"), "overlap");
	CHECK_OK(finish_runs(), &e);
	now_ms = at(2027, 1, 1, 0, 20);
	CHECK_OK(look(&next), &e);
	CHECK_EQ(started, 2);
	CHECK_STR(event(0, "what"), "fired");
	end();
}

TEST(a_run_that_cannot_be_made_is_written_down_and_the_next_one_comes)
{
	int64_t next;

	CHECK_OK(begin(":memory:", "30 2 * * *", "UTC", true, at(2027, 1, 1, 2, 30), at(2027, 1, 1, 2, 30)), &e);
	refuse = true;
	CHECK_OK(look(&next), &e);
	CHECK_STR(event(0, "what"), "failed");
	CHECK_STR(event(0, "note"), "the matrix does not fit");
	CHECK_EQ(next, at(2027, 1, 2, 2, 30));
	end();
}

TEST(a_due_time_makes_one_run_even_if_the_daemon_dies_before_it_writes_that_down)
{
	int64_t next, run;

	CHECK_OK(begin(":memory:", "30 2 * * *", "UTC", true, at(2027, 1, 1, 2, 30), at(2027, 1, 1, 2, 30)), &e);
	/* The run is there, the schedule still says that it is due. */
	CHECK_OK(start(NULL, NULL, NULL, NULL, 1, at(2027, 1, 1, 2, 30), &run, &e), &e);
	CHECK_OK(finish_runs(), &e);
	CHECK_OK(look(&next), &e);
	CHECK_EQ(started, 1);
	CHECK_STR(event(0, "what"), "fired");
	end();
}

TEST(a_schedule_survives_a_restart)
{
	char *path = xasprintf("%s/lab.db", test_folder());
	int64_t next;

	CHECK_OK(begin(path, "30 2 * * *", "UTC", true, at(2027, 1, 1, 0, 0), at(2027, 1, 1, 2, 30)), &e);
	end();
	now_ms = at(2027, 1, 1, 2, 30) + 500;
	CHECK_OK(store_open(path, &clock_test, &store, &e), &e);
	CHECK_OK(look(&next), &e);
	CHECK_EQ(started, 1);
	CHECK_STR(event(0, "what"), "fired");
	end();
	free(path);
}

TEST(through_both_nights_of_berlin_there_is_one_run_a_date)
{
	int64_t next;
	unsigned nights = 0;

	if (access("/usr/share/zoneinfo/Europe/Berlin", R_OK) != 0)
		SKIP("no /usr/share/zoneinfo (package tzdata)");
	CHECK_OK(begin(":memory:", "30 2 * * *", "Europe/Berlin", true, at(2027, 3, 26, 12, 0), at(2027, 3, 27, 1, 30)), &e);
	/* Every ten minutes for a week in spring. */
	for (now_ms = at(2027, 3, 26, 12, 0); now_ms < at(2027, 4, 2, 12, 0); now_ms += 600000) {
		CHECK_OK(look(&next), &e);
		CHECK_OK(finish_runs(), &e);
		nights = started;
	}
	CHECK_EQ(nights, 7);
	end();
}

TEST(a_preview_shows_moments_with_offset)
{
	json_t *p;

	now_ms = at(2027, 3, 27, 12, 0);
	if (access("/usr/share/zoneinfo/Europe/Berlin", R_OK) != 0)
		SKIP("no /usr/share/zoneinfo (package tzdata)");
	p = schedule_preview(&clock_test, "30 2 * * *", "Europe/Berlin", 2, &e);
	CHECK(p);
	CHECK_STR(json_string_value(json_object_get(json_array_get(json_object_get(p, "next"), 0), "local")), "2027-03-28T03:00:00+02:00");
	CHECK_STR(json_string_value(json_object_get(json_array_get(json_object_get(p, "next"), 1), "utc")), "2027-03-29T00:30:00.000Z");
	json_decref(p);
	CHECK(!schedule_preview(&clock_test, "0 0 31 4 *", "UTC", 2, &e));
}

TEST(the_thread_checks_what_it_is_given_and_ends_at_once)
{
	struct schedule_request q = { .name = "n", .cron = "30 2 * * *", .zone = "UTC", .matrix = "published", .author = "test" };
	json_t *document = json_object();
	struct scheduler *s;
	int64_t id;

	CHECK_OK(store_open(":memory:", &clock_host, &store, &e), &e);
	CHECK_OK(scheduler_create(store, NULL, &clock_host, &s, &e) && scheduler_start(s, &e), &e);
	CHECK(!scheduler_add(s, &q, &id, &e));
	CHECK(strstr(e.msg, "no matrix \"published\""));
	CHECK_OK(store_matrix_put(store, "published", document, "test", NULL, &e), &e);
	CHECK_OK(scheduler_add(s, &q, &id, &e), &e);
	CHECK(!scheduler_add(s, &q, &id, &e));
	CHECK_EQ(e.code, ERR_CONFLICT);
	q.name = "a b";
	CHECK(!scheduler_add(s, &q, &id, &e));
	q.name = "c";
	q.cron = "0 0 30 2 *";
	CHECK(!scheduler_add(s, &q, &id, &e));
	CHECK(strstr(e.msg, "never comes"));
	CHECK_OK(scheduler_enable(s, "n", false, &e), &e);
	CHECK_OK(scheduler_enable(s, "n", true, &e), &e);
	CHECK_OK(scheduler_delete(s, "n", &e), &e);
	CHECK(!scheduler_delete(s, "n", &e));
	CHECK_EQ(e.code, ERR_NOT_FOUND);
	scheduler_stop(s);
	q.name = "kept";
	q.cron = "30 2 * * *";
	CHECK_OK(scheduler_add(s, &q, &id, &e), &e);
	scheduler_destroy(s);
	json_decref(document);
	end();
}
