// SPDX-License-Identifier: GPL-2.0-or-later
/* Fires stored schedules: one look at the store decides what is due; the thread only waits between looks. */
#include "run/schedule.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/log.h"
#include "core/mem.h"
#include "run/cron.h"
#include "run/runner.h"
#include "store/store.h"

/* Later than this is not jitter of a busy host but a daemon that was not there. */
#define LATE_MS 90000
/* The wall clock may be set: look again at least this often. */
#define LOOK_MS 15000

struct scheduler {
	struct store *store;
	struct runner *runner;
	const struct clock *clock;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool started, stop, again;
};

static bool next_due(const char *expression, const char *zone, int64_t after_ms, int64_t *next_ms, struct err *e)
{
	struct cron c;
	struct zone *z;
	int64_t s;
	bool ok;

	if (!cron_parse(expression, &c, e) || !zone_load(zone, &z, e))
		return false;
	ok = cron_next(&c, z, after_ms >= 0 ? after_ms / 1000 : 0, &s) || err_set(e, ERR_INVALID, "cron: \"%s\" never comes", expression);
	zone_destroy(z);
	if (ok)
		*next_ms = s * 1000;
	return ok;
}

/* What becomes of a due time. note is filled where there is more to say. */
static const char *decide(struct store *s, const struct schedule_row *r, int64_t now, const struct schedule_start *start, int64_t *run, char note[256])
{
	bool late = now - r->next_ms > LATE_MS, running = false;
	struct err e = { 0 };

	if (late && !r->catch_up) {
		snprintf(note, 256, "labd was not running; this schedule is not caught up");
		return "missed";
	}
	if (!store_schedule_running(s, r->id, &running, &e)) {
		snprintf(note, 256, "%s", e.msg);
		return "failed";
	}
	if (running) {
		snprintf(note, 256, "its last run was not finished");
		return "overlap";
	}
	if (start->start(start->opaque, r->matrix, r->board, r->cell, r->id, r->next_ms, run, &e))
		return late ? "caught_up" : "fired";
	/* This due time has made its run before the daemon died: fired already. */
	if (e.code == ERR_CONFLICT)
		return "fired";
	snprintf(note, 256, "%s", e.msg);
	return "failed";
}

static bool fire(struct store *s, const struct schedule_row *r, int64_t now, const struct schedule_start *start, struct err *e)
{
	char note[256] = "";
	int64_t run = 0, next = 0;
	const char *what = decide(s, r, now, start, &run, note);
	struct err bad;

	/* A zone file that disappeared stops this schedule, not the others. */
	if (!next_due(r->cron, r->zone, now, &next, &bad) && !note[0])
		snprintf(note, sizeof note, "disabled: %.200s", bad.msg);
	log_info("schedule", "name=%s what=%s run=%lld %s", r->name, what, (long long)run, note);
	if (!store_schedule_done(s, r->id, r->next_ms, what, run, note[0] ? note : NULL, next, e))
		return false;
	if (start->told)
		start->told(start->opaque, r->name, what, run);
	return true;
}

bool schedule_look(struct store *s, const struct clock *clock, const struct schedule_start *start, int64_t *next_ms, struct err *e)
{
	for (;;) {
		struct schedule_row r = { 0 };
		struct err missing;
		int64_t now = clock_utc_ms(clock);
		bool ok;

		if (!store_schedule_first(s, &r, &missing)) {
			*next_ms = 0;
			return missing.code == ERR_NOT_FOUND || err_set(e, missing.code, "%s", missing.msg);
		}
		if (r.next_ms > now) {
			*next_ms = r.next_ms;
			schedule_row_finish(&r);
			return true;
		}
		ok = fire(s, &r, now, start, e);
		schedule_row_finish(&r);
		if (!ok)
			return false;
	}
}

static bool start_run(void *opaque, const char *matrix, const char *board, const char *cell, int64_t schedule, int64_t due_ms, int64_t *run, struct err *e)
{
	struct scheduler *s = opaque;
	struct run_request q = { .matrix = matrix, .board = board, .cell = cell, .reason = "schedule", .requested_by = "schedule", .schedule_id = schedule, .due_ms = due_ms };

	return runner_request(s->runner, &q, run, e);
}

static void tell(void *opaque, const char *schedule, const char *what, int64_t run)
{
	struct scheduler *s = opaque;

	runner_tell(s->runner, "schedule", json_pack("{s:s, s:s, s:o}", "schedule", schedule, "what", what, "run", run ? json_integer(run) : json_null()));
}

static void wait_for(struct scheduler *s, int64_t ms)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += ms / 1000;
	until.tv_nsec += ms % 1000 * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	pthread_mutex_lock(&s->lock);
	while (!s->stop && !s->again && pthread_cond_timedwait(&s->wake, &s->lock, &until) == 0)
		;
	s->again = false;
	pthread_mutex_unlock(&s->lock);
}

static bool stopping(struct scheduler *s)
{
	bool stop;

	pthread_mutex_lock(&s->lock);
	stop = s->stop;
	pthread_mutex_unlock(&s->lock);
	return stop;
}

static void *watch(void *opaque)
{
	struct scheduler *s = opaque;
	struct schedule_start start = { start_run, tell, s };

	while (!stopping(s)) {
		int64_t next = 0, now;
		struct err e;

		if (!schedule_look(s->store, s->clock, &start, &next, &e)) {
			log_error("schedule", "%s", e.msg);
			next = 0;
		}
		now = clock_utc_ms(s->clock);
		wait_for(s, next > now && next - now < LOOK_MS ? next - now : LOOK_MS);
	}
	return NULL;
}

bool scheduler_create(struct store *store, struct runner *r, const struct clock *clock, struct scheduler **out, struct err *e)
{
	struct scheduler *s = xcalloc(1, sizeof *s);
	pthread_condattr_t attr;

	(void)e;
	s->store = store;
	s->runner = r;
	s->clock = clock;
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&s->wake, &attr);
	pthread_condattr_destroy(&attr);
	*out = s;
	return true;
}

bool scheduler_start(struct scheduler *s, struct err *e)
{
	s->started = pthread_create(&s->thread, NULL, watch, s) == 0;
	return s->started || err_set(e, ERR_INTERNAL, "schedule: no thread");
}

static void nudge(struct scheduler *s, bool stop)
{
	pthread_mutex_lock(&s->lock);
	s->again = true;
	s->stop |= stop;
	pthread_cond_signal(&s->wake);
	pthread_mutex_unlock(&s->lock);
}

void scheduler_stop(struct scheduler *s)
{
	nudge(s, true);
	if (s->started)
		pthread_join(s->thread, NULL);
	s->started = false;
}

void scheduler_destroy(struct scheduler *s)
{
	if (!s)
		return;
	scheduler_stop(s);
	pthread_cond_destroy(&s->wake);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

static bool matrix_known(struct store *s, const char *name, struct err *e)
{
	json_t *m = store_matrix(s, name, 0, e);

	json_decref(m);
	return m || err_set(e, ERR_INVALID, "there is no matrix \"%s\"; labctl matrix list shows them", name);
}

/* A board or a cell that is not there would fail each night, when nobody looks. */
static bool selection_known(struct scheduler *s, const struct schedule_request *q, struct err *e)
{
	struct run_request wanted = { .matrix = q->matrix, .board = q->board, .cell = q->cell };
	json_t *plan;

	if (!q->board && !q->cell)
		return true;
	plan = runner_estimate(s->runner, &wanted, e);
	json_decref(plan);
	return plan != NULL;
}

static bool name_is_sane(const char *name, struct err *e)
{
	if (name[0] && strlen(name) <= 64 && name[0] != '.' && name[0] != '-'
	    && strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") == strlen(name))
		return true;
	return err_set(e, ERR_INVALID, "a schedule's name is 1 to 64 of A-Z a-z 0-9 . _ - and begins with a letter or digit");
}

static bool catch_up_of(const char *word, bool *out, struct err *e)
{
	*out = !word || strcmp(word, "none") != 0;
	return !word || strcmp(word, "one") == 0 || strcmp(word, "none") == 0 || err_set(e, ERR_INVALID, "catch_up is \"one\" or \"none\", not \"%.20s\"", word);
}

bool scheduler_add(struct scheduler *s, const struct schedule_request *q, int64_t *id, struct err *e)
{
	char zone[80];
	struct schedule_row r = { .enabled = true };

	zone_host_name(zone, sizeof zone);
	r.zone = (char *)(q->zone && q->zone[0] ? q->zone : zone);
	r.name = (char *)q->name;
	r.cron = (char *)q->cron;
	r.matrix = (char *)q->matrix;
	r.board = (char *)q->board;
	r.cell = (char *)q->cell;
	r.author = (char *)(q->author ? q->author : "unknown");
	if (!q->name || !q->cron || !q->matrix)
		return err_set(e, ERR_INVALID, "a schedule needs a name, a cron expression and a matrix");
	if (!name_is_sane(q->name, e) || !catch_up_of(q->catch_up, &r.catch_up, e) || !next_due(q->cron, r.zone, clock_utc_ms(s->clock), &r.next_ms, e) || !matrix_known(s->store, q->matrix, e) || !selection_known(s, q, e)
	    || !store_schedule_add(s->store, &r, id, e))
		return false;
	nudge(s, false);
	return true;
}

bool scheduler_enable(struct scheduler *s, const char *name, bool enabled, struct err *e)
{
	struct schedule_row r;
	int64_t next = 0;
	bool ok;

	if (!store_schedule_get(s->store, name, &r, e))
		return false;
	ok = (!enabled || next_due(r.cron, r.zone, clock_utc_ms(s->clock), &next, e)) && store_schedule_enable(s->store, r.id, enabled, next, e);
	schedule_row_finish(&r);
	nudge(s, false);
	return ok;
}

bool scheduler_delete(struct scheduler *s, const char *name, struct err *e)
{
	struct schedule_row r;
	bool ok;

	if (!store_schedule_get(s->store, name, &r, e))
		return false;
	ok = store_schedule_delete(s->store, r.id, e);
	schedule_row_finish(&r);
	return ok;
}

json_t *schedule_preview(const struct clock *clock, const char *cron, const char *zone_name, unsigned count, struct err *e)
{
	char host[80], local[32], utc[25];
	struct cron c;
	struct zone *z;
	json_t *next;
	int64_t at = clock_utc_ms(clock) / 1000;

	zone_host_name(host, sizeof host);
	if (!zone_name || !zone_name[0])
		zone_name = host;
	if (!cron_parse(cron, &c, e) || !zone_load(zone_name, &z, e))
		return NULL;
	next = json_array();
	for (unsigned i = 0; i < count && cron_next(&c, z, at, &at); i++) {
		clock_utc_text(at * 1000, utc);
		zone_text(z, at, local);
		json_array_append_new(next, json_pack("{s:s, s:s}", "utc", utc, "local", local));
	}
	zone_destroy(z);
	return json_pack("{s:s, s:s, s:o}", "cron", cron, "zone", zone_name, "next", next);
}
