// SPDX-License-Identifier: GPL-2.0-or-later
/* Requests in, workers at work, and a watchdog that looks at them five times a second. */
#include "run/runner.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "config/bench.h"
#include "config/board_type.h"
#include "core/log.h"
#include "core/mem.h"
#include "run/plan.h"
#include "run/worker.h"

enum { WATCH_MS = 200, WAIT_LOOK_MS = 1000 };

struct runner {
	struct runner_config config;
	struct images images;
	struct worker **workers;
	pthread_t watchdog;
	bool watching;

	pthread_mutex_t lock;                                                /* both below */
	pthread_cond_t changed;                                              /* a run ended, or the runner stops */
	bool stopping;
};

static const struct board_type *type_of(void *opaque, const char *name)
{
	struct runner *r = opaque;

	for (size_t i = 0; i < r->config.board_count; i++)
		if (strcmp(r->config.boards[i].type->name, name) == 0)
			return r->config.boards[i].type;
	return NULL;
}

static void run_finished(void *opaque, int64_t run)
{
	struct runner *r = opaque;

	(void)run;
	pthread_mutex_lock(&r->lock);
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

static void init_locks(struct runner *r)
{
	pthread_condattr_t attr;

	pthread_mutex_init(&r->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&r->changed, &attr);
	pthread_condattr_destroy(&attr);
}

static bool register_images(struct runner *r, struct err *e)
{
	if (!images_load(r->config.images_file, type_of, r, &r->images, e))
		return false;
	for (size_t i = 0; i < r->images.count; i++)
		if (!store_image_put(r->config.store, r->images.images[i].row, e))
			return false;
	return true;
}

static bool register_boards(struct runner *r, struct err *e)
{
	if (!store_bench_begin(r->config.store, e))
		return false;
	for (size_t i = 0; i < r->config.board_count; i++) {
		const struct runner_board *b = &r->config.boards[i];

		if (!store_board_put(r->config.store, b->config->name, b->type->name, b->config->is_virtual, (int64_t)b->type->flash.endurance, e))
			return false;
	}
	return true;
}

static bool make_workers(struct runner *r, struct err *e)
{
	struct worker_site site = { &r->config, &r->images, run_finished, r };

	r->workers = xcalloc(r->config.board_count + 1, sizeof *r->workers);
	for (size_t i = 0; i < r->config.board_count; i++)
		if (!worker_create(&site, &r->config.boards[i], &r->workers[i], e))
			return false;
	return true;
}

bool runner_create(const struct runner_config *config, struct runner **out, struct err *e)
{
	struct runner *r = xcalloc(1, sizeof *r);

	r->config = *config;
	init_locks(r);
	if (!register_images(r, e) || !register_boards(r, e) || !make_workers(r, e)) {
		runner_destroy(r);
		return false;
	}
	*out = r;
	return true;
}

void runner_set_events(struct runner *r, struct run_events events)
{
	r->config.events = events;
}

void runner_tell(struct runner *r, const char *event, json_t *document)
{
	if (r->config.events.publish)
		r->config.events.publish(r->config.events.opaque, event, document);
	json_decref(document);
}

static void deadline_in(struct timespec *until, int64_t ms)
{
	clock_gettime(CLOCK_MONOTONIC, until);
	until->tv_sec += (time_t)(ms / 1000);
	until->tv_nsec += ms % 1000 * 1000000;
	if (until->tv_nsec >= 1000000000) {
		until->tv_sec++;
		until->tv_nsec -= 1000000000;
	}
}

/* True: the runner is stopping. */
static bool pause_ms(struct runner *r, int64_t ms)
{
	struct timespec until;
	bool stop;

	deadline_in(&until, ms);
	pthread_mutex_lock(&r->lock);
	if (!r->stopping)
		pthread_cond_timedwait(&r->changed, &r->lock, &until);
	stop = r->stopping;
	pthread_mutex_unlock(&r->lock);
	return stop;
}

static void *watch(void *opaque)
{
	struct runner *r = opaque;

	while (!pause_ms(r, WATCH_MS))
		for (size_t i = 0; i < r->config.board_count; i++)
			worker_watch(r->workers[i]);
	return NULL;
}

bool runner_start(struct runner *r, struct err *e)
{
	if (pthread_create(&r->watchdog, NULL, watch, r) != 0)
		return err_set(e, ERR_INTERNAL, "no thread for the watchdog");
	r->watching = true;
	for (size_t i = 0; i < r->config.board_count; i++)
		if (!worker_start(r->workers[i], e))
			return false;
	return true;
}

void runner_stop(struct runner *r)
{
	pthread_mutex_lock(&r->lock);
	r->stopping = true;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
	if (r->watching)
		pthread_join(r->watchdog, NULL);
	r->watching = false;
	for (size_t i = 0; r->workers && r->workers[i]; i++)
		worker_stop(r->workers[i]);
	for (size_t i = 0; r->workers && r->workers[i]; i++)
		worker_join(r->workers[i]);
}

void runner_destroy(struct runner *r)
{
	if (!r)
		return;
	runner_stop(r);
	for (size_t i = 0; r->workers && r->workers[i]; i++)
		worker_destroy(r->workers[i]);
	free(r->workers);
	images_finish(&r->images);
	pthread_cond_destroy(&r->changed);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

/* ---- requests ---- */

static bool board_known(struct runner *r, const char *filter, struct err *e)
{
	for (size_t i = 0; i < r->config.board_count; i++)
		if (plan_board_fits(filter, r->config.boards[i].config->name, r->config.boards[i].type->name))
			return true;
	return !filter || !filter[0] || err_set(e, ERR_NOT_FOUND, "there is no board, and no board of a type, called \"%.64s\" on this bench", filter);
}

static bool plan_of(struct runner *r, const struct run_request *q, struct plan *plan, int *version, struct err *e)
{
	json_t *row = store_matrix(r->config.store, q->matrix ? q->matrix : "", q->version, e);
	struct matrix *m = NULL;
	bool ok;

	if (!row)
		return false;
	*version = (int)json_integer_value(json_object_get(row, "version"));
	ok = matrix_from_json(q->matrix, json_object_get(row, "document"), &m, e) && board_known(r, q->board, e)
	  && plan_make(m, r->config.boards, r->config.board_count, &r->images, q, plan, e);
	matrix_destroy(m);
	json_decref(row);
	return ok;
}

static json_t *request_json(const struct run_request *q)
{
	json_t *request = json_pack("{s:s?, s:s?, s:b}", "board", q->board && q->board[0] ? q->board : NULL, "cell", q->cell && q->cell[0] ? q->cell : NULL, "reverse", q->reverse);

	if (q->profile)
		json_object_set_new(request, "profile", json_true());
	return request;
}

static void wake_all(struct runner *r)
{
	for (size_t i = 0; r->workers && r->workers[i]; i++)
		worker_wake(r->workers[i]);
}

static bool queue(struct runner *r, struct run_row *row, const struct plan *plan, int64_t *run, struct err *e)
{
	row->host_id = r->config.host_id;
	if (!store_run_add(r->config.store, row, plan->cells, plan->count, run, e))
		return false;
	runner_tell(r, "run", json_pack("{s:I, s:s, s:s?}", "run", (json_int_t)*run, "state", "queued", "matrix", row->matrix));
	wake_all(r);
	/* A run of nothing but skipped cells is finished already. */
	run_finished(r, *run);
	return true;
}

bool runner_request(struct runner *r, const struct run_request *q, int64_t *run, struct err *e)
{
	struct plan plan;
	struct run_row row = { .matrix = q->matrix, .reason = q->reason ? q->reason : "manual", .requested_by = q->requested_by ? q->requested_by : "unknown",
	                       .schedule_id = q->schedule_id, .due_ms = q->due_ms, .reverse = q->reverse };
	bool ok;

	if (!plan_of(r, q, &plan, &row.matrix_version, e))
		return false;
	row.request = request_json(q);
	ok = queue(r, &row, &plan, run, e);
	json_decref(row.request);
	plan_finish(&plan);
	return ok;
}

/* How long such an attempt took last time, with flash when the board holds something else. */
static double last_seconds(struct runner *r, const struct cell_row *c)
{
	struct err e;
	struct result_filter f = { .board = c->board, .cell = c->name, .verdict = "pass", .newest_first = true, .limit = 1 };
	json_t *last = c->board ? store_results(r->config.store, &f, &e) : NULL;
	json_t *wall = json_object_get(json_array_get(last, 0), "wall_s");
	double s = json_is_number(wall) ? json_number_value(wall) : -1;

	json_decref(last);
	return s;
}

/* What a board of the plan holds, as the plan goes on. */
static const char **held_by(struct runner *r, const char *board, const char **held)
{
	for (size_t i = 0; i < r->config.board_count; i++)
		if (strcmp(r->config.boards[i].config->name, board) == 0)
			return &held[i];
	return NULL;
}

/* Repeats are interleaved: all cells, then all cells again. */
static json_int_t flash_cycles_of(struct runner *r, const struct plan *plan)
{
	struct board_holds *now = xcalloc(r->config.board_count + 1, sizeof *now);
	const char **held = xcalloc(r->config.board_count + 1, sizeof *held);
	json_int_t cycles = 0;
	bool more = true;

	for (size_t i = 0; i < r->config.board_count; i++)
		if (store_board_held(r->config.store, r->config.boards[i].config->name, &now[i], NULL))
			held[i] = now[i].build;
	for (unsigned k = 0; more; k++) {
		more = false;
		for (size_t i = 0; i < plan->count; i++) {
			const char **there = plan->images[i] && plan->cells[i].repeats > k ? held_by(r, plan->cells[i].board, held) : NULL;

			more |= plan->cells[i].repeats > k + 1;
			if (!there || (*there && strcmp(*there, plan->images[i]->build) == 0))
				continue;
			*there = plan->images[i]->build;
			cycles++;
		}
	}
	for (size_t i = 0; i < r->config.board_count; i++)
		board_holds_finish(&now[i]);
	free(now);
	free(held);
	return cycles;
}

json_t *runner_estimate(struct runner *r, const struct run_request *q, struct err *e)
{
	struct plan plan;
	int version;
	json_t *cells;
	double total = 0;
	json_int_t attempts = 0, cycles;
	bool known = true;

	if (!plan_of(r, q, &plan, &version, e))
		return NULL;
	cells = json_array();
	for (size_t i = 0; i < plan.count; i++) {
		const struct cell_row *c = &plan.cells[i];
		const struct lab_image *image = plan.images[i];
		double s = c->skip_cause ? 0 : last_seconds(r, c);

		json_array_append_new(cells, json_pack("{s:s, s:s?, s:s, s:I, s:s?, s:s?, s:o, s:o}", "cell", c->name, "board", c->board, "board_type", c->board_type, "repeats",
		                                       (json_int_t)c->repeats, "skipped", c->skip_cause, "error", c->skip_error, "image",
		                                       image ? json_pack("{s:s, s:s}", "sha256", image->sha256, "build", image->build) : json_null(), "estimated_s",
		                                       s >= 0 ? json_real(s * c->repeats) : json_null()));
		attempts += c->skip_cause ? 0 : (json_int_t)c->repeats;
		known = known && s >= 0;
		total += s * c->repeats;
	}
	cycles = flash_cycles_of(r, &plan);
	plan_finish(&plan);
	return json_pack("{s:s, s:i, s:o, s:I, s:I, s:o}", "matrix", q->matrix, "version", version, "cells", cells, "attempts", attempts, "flash_cycles", cycles, "estimated_s",
	                 known ? json_real(total) : json_null());
}

static const struct runner_board *board_of(struct runner *r, const char *name, struct err *e)
{
	for (size_t i = 0; i < r->config.board_count; i++)
		if (strcmp(r->config.boards[i].config->name, name) == 0)
			return &r->config.boards[i];
	err_set(e, ERR_NOT_FOUND, "there is no board \"%.64s\" on this bench", name);
	return NULL;
}

static const struct lab_image *image_to_flash(struct runner *r, const struct runner_board *b, const char *id, struct err *e)
{
	const struct lab_image *i;
	json_t *variant;

	if (id && id[0]) {
		i = images_find(&r->images, b->type->name, id);
		if (!i)
			err_set(e, ERR_NOT_FOUND, "there is no image \"%.64s\" of %s; labctl images lists them", id, b->type->name);
		return i;
	}
	variant = variant_complete(b->type, NULL, e);
	i = variant ? images_select(&r->images, b->type->name, variant, e) : NULL;
	json_decref(variant);
	return i;
}

bool runner_flash(struct runner *r, const char *board, const char *image, const char *requested_by, int64_t *run, struct err *e)
{
	const struct runner_board *b = board_of(r, board, e);
	const struct lab_image *i = b ? image_to_flash(r, b, image, e) : NULL;
	struct run_row row = { .reason = "flash", .requested_by = requested_by ? requested_by : "unknown" };
	struct cell_row cell = { .repeats = 1, .deadline_ms = 600000 };
	struct plan plan = { &cell, NULL, 1 };
	bool ok;

	if (!i)
		return false;
	cell.name = xasprintf("flash/%s", b->type->name);
	cell.board = (char *)b->config->name;
	cell.board_type = (char *)b->type->name;
	cell.workload = "flash";
	cell.is_virtual = b->config->is_virtual;
	cell.variant = i->variant;
	cell.params = json_pack("{s:s}", "image", i->sha256);
	row.request = json_pack("{s:s, s:s}", "board", board, "image", i->sha256);
	ok = queue(r, &row, &plan, run, e);
	json_decref(row.request);
	json_decref(cell.params);
	free(cell.name);
	return ok;
}

bool runner_cancel(struct runner *r, int64_t run, const char *by, struct err *e)
{
	if (!store_run_cancel(r->config.store, run, by ? by : "unknown", e))
		return false;
	for (size_t i = 0; r->workers && r->workers[i]; i++)
		worker_cancel(r->workers[i], run);
	run_finished(r, run);
	return true;
}

json_t *runner_boards(struct runner *r)
{
	json_t *all = json_array();

	for (size_t i = 0; r->workers && r->workers[i]; i++)
		json_array_append_new(all, worker_live(r->workers[i]));
	return all;
}

/* False on failure; *finished tells. */
static bool is_finished(struct runner *r, int64_t run, bool *finished, struct err *e)
{
	json_t *row = store_run(r->config.store, run, e);

	if (!row)
		return false;
	*finished = strcmp(json_string_value(json_object_get(row, "state")), "finished") == 0;
	json_decref(row);
	return true;
}

bool runner_wait(struct runner *r, int64_t run, int64_t timeout_ms, struct err *e)
{
	uint64_t until = clock_now_ns(r->config.clock) + (uint64_t)timeout_ms * NS_PER_MS;
	bool finished = false;

	for (;;) {
		int left = clock_left_ms(r->config.clock, until);

		if (!is_finished(r, run, &finished, e))
			return false;
		if (finished)
			return true;
		if (left == 0)
			return err_set(e, ERR_TIMEOUT, "run %lld is not finished after %lld ms", (long long)run, (long long)timeout_ms);
		if (pause_ms(r, left < WAIT_LOOK_MS ? left : WAIT_LOOK_MS))
			return err_set(e, ERR_CANCELLED, "labd is stopping");
	}
}
