// SPDX-License-Identifier: GPL-2.0-or-later
/* The life of a worker: wait for a job, run its attempt, store what came of it, tell everybody. */
#include "run/worker_own.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "bench/board.h"
#include "config/bench.h"
#include "config/board_type.h"
#include "core/log.h"
#include "core/mem.h"
#include "run/profile_file.h"
#include "store/store.h"

enum { IDLE_LOOK_MS = 5000, STORE_AGAIN_MS = 2000, OPEN_AGAIN_MS = 200, OPEN_MS = 30000 };

/* Attempts of one repeat at the most, when the lab failed: on the way to the board; in its own processes. */
enum { ATTEMPTS_MAX = 2, ATTEMPTS_HOST_MAX = 5 };

static bool wait_ms(struct worker *w, int64_t ms)
{
	struct timespec until;
	bool go_on;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += (time_t)(ms / 1000);
	until.tv_nsec += ms % 1000 * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	pthread_mutex_lock(&w->lock);
	while (!w->stopping && !w->awake && pthread_cond_timedwait(&w->wake, &w->lock, &until) != ETIMEDOUT)
		;
	w->awake = false;
	go_on = !w->stopping;
	pthread_mutex_unlock(&w->lock);
	return go_on;
}

/* ---- the board ---- */

static void set_board(struct worker *w, struct board *b)
{
	pthread_mutex_lock(&w->lock);
	w->board = b;
	pthread_mutex_unlock(&w->lock);
}

/* A virtual board's process that ended is being started again; that takes a moment and is no reason to fail an attempt. */
static bool have_board(struct worker *w, struct err *e)
{
	uint64_t until = clock_now_ns(w->site.config->clock) + OPEN_MS * NS_PER_MS;
	struct board *b;

	if (w->board)
		return true;
	worker_tell_state(w, "recovering", "open");
	while (!w->site.config->board_open(w->site.config->opaque, w->rb, &b, e)) {
		if (worker_stop_reason(w) != ATTEMPT_GO_ON)
			return err_set(e, ERR_CANCELLED, "cancelled");
		if (e->code == ERR_INVALID || e->code == ERR_UNSUPPORTED)
			return false;
		if (clock_now_ns(w->site.config->clock) >= until)
			return err_prefix(e, "tried for %d s", OPEN_MS / 1000);
		wait_ms(w, OPEN_AGAIN_MS);
	}
	set_board(w, b);
	return true;
}

static void drop_board(struct worker *w)
{
	struct board *b = w->board;

	set_board(w, NULL);
	if (b)
		w->site.config->board_close(w->site.config->opaque, b);
}

/* ---- one job ---- */

static char *capture_of(const struct job *j)
{
	return xasprintf("captures/run-%06lld/attempt-%06lld.pcap", (long long)j->run_id, (long long)j->attempt_id);
}

static bool make_folders(struct worker *w, const struct job *j, struct err *e)
{
	char *all = xasprintf("%s/captures", w->site.config->state_dir), *run = xasprintf("%s/run-%06lld", all, (long long)j->run_id);
	bool ok = (mkdir(all, 0700) == 0 || errno == EEXIST) && (mkdir(run, 0700) == 0 || errno == EEXIST);

	if (!ok)
		err_errno(e, "%s", run);
	free(all);
	free(run);
	return ok;
}

static const struct lab_image *image_of(struct worker *w, const struct job *j, struct err *e)
{
	const char *id = json_string_value(json_object_get(j->params, "image"));
	const struct lab_image *i;

	if (!id)
		return images_select(w->site.images, j->board_type, j->variant, e);
	i = images_find(w->site.images, j->board_type, id);
	if (!i)
		err_set(e, ERR_NOT_FOUND, "there is no image %.64s of %s", id, j->board_type);
	return i;
}

static void fail_before(struct worker *w, const struct job *j, struct attempt_result *r, enum step s)
{
	r->step = s;
	r->judgement = judge(s, r->err.code, CAUSE_NONE);
	/* A daemon that ends while the board is still being opened has not cancelled anything: the attempt is queued again. */
	attempt_stopped(worker_stop_reason(w), j->deadline_ms, r);
}

static bool holds_something(struct worker *w)
{
	struct board_holds h = { 0 };
	struct err e;
	bool something = store_board_held(w->site.config->store, w->rb->config->name, &h, &e) && h.build;

	board_holds_finish(&h);
	return something;
}

/* A profile that cannot be kept takes nothing from the result, whose figures it is not part of; the log says why there is none. */
static void keep_profile(struct worker *w, const struct job *j, const struct lab_image *image, const struct attempt_result *r)
{
	struct profile_run run = { j->cell, image->build, r->figures.elapsed_ns, (uint32_t)r->figures.frame_count,
	                           (uint32_t)json_integer_value(json_object_get(j->params, "payload_bytes")) };
	struct err e;

	if (!profile_file_write(w->site.config->state_dir, j->run_id, j->attempt_id, image, r->profile, &run, &e))
		log_warn("run", "board=%s attempt=%lld no profile kept: %s", j->board, (long long)j->attempt_id, e.msg);
}

/* A board whose process fell may seem to have lost its power, its line or its connection, according to the step; it is none of these. */
static void look_behind(struct worker *w, struct attempt_result *r)
{
	const struct runner_config *c = w->site.config;
	bool judged = r->judgement.verdict == VERDICT_ERROR || r->judgement.verdict == VERDICT_FAIL || r->judgement.verdict == VERDICT_TIMEOUT;
	struct err why;

	if (!judged || r->err.code == ERR_CANCELLED || !c->board_lost || !c->board_lost(c->opaque, w->board, &why))
		return;
	err_set(&r->err, ERR_LOST, "%s (step %s)", why.msg, step_word(r->step));
	r->judgement = (struct judgement){ VERDICT_ERROR, CAUSE_HOST, true };
}

static void run_job(struct worker *w, const struct job *j, const struct lab_image **image, char **capture, struct attempt_result *r)
{
	struct attempt_watch watch = worker_attempt_watch(w);
	struct attempt_order o = { .workload = j->workload, .params = j->params, .known = holds_something(w), .deadline_ms = j->deadline_ms, .clock = w->site.config->clock,
	                           .profile = j->profile };
	char *path = xasprintf("%s/%s", w->site.config->state_dir, *capture);

	*r = (struct attempt_result){ .flash_ns = -1, .flash_bytes = -1, .boot_ns = -1 };
	*image = o.image = image_of(w, j, &r->err);
	o.capture = path;
	if (!o.image)
		fail_before(w, j, r, STEP_IMAGE);
	else if (!make_folders(w, j, &r->err) || !have_board(w, &r->err))
		fail_before(w, j, r, STEP_OPEN);
	else {
		attempt_run(w->board, &o, &watch, r);
		worker_tell_heard(w, 0);
		look_behind(w, r);
	}
	free(path);
	if (r->profile && r->has_figures)
		keep_profile(w, j, *image, r);
	if (!r->captured) {
		free(*capture);
		*capture = NULL;
	}
}

static struct console_row *console_rows(const struct attempt_result *r)
{
	struct console_row *rows = xcalloc(r->piece_count + 1, sizeof *rows);

	for (size_t i = 0; i < r->piece_count; i++)
		rows[i] = (struct console_row){ r->pieces[i].at_ns, r->pieces[i].power, r->console.bytes + r->pieces[i].at, r->pieces[i].size };
	return rows;
}

/* A full disk must not lose a result that cost minutes: keep it, say so, and try until there is space or the daemon ends (field failure F45). */
static bool store_outcome(struct worker *w, const struct job *j, const struct outcome *o, bool *run_finished)
{
	struct err e;
	bool told = false;

	while (!store_job_done(w->site.config->store, j->attempt_id, o, run_finished, &e)) {
		if (e.code != ERR_FULL && e.code != ERR_TIMEOUT && e.code != ERR_IO) {
			log_error("run", "board=%s attempt=%lld not stored: %s", j->board, (long long)j->attempt_id, e.msg);
			return false;
		}
		if (!told) {
			log_error("run", "board=%s attempt=%lld not stored yet, trying again: %s", j->board, (long long)j->attempt_id, e.msg);
			worker_tell_state(w, "recovering", "not_stored");
			told = true;
		}
		if (!wait_ms(w, STORE_AGAIN_MS))
			return false;
	}
	return true;
}

/* The store bounds those that die with the daemon. */
static unsigned attempts_max(enum cause cause)
{
	return cause == CAUSE_DAEMON ? UINT_MAX : cause == CAUSE_HOST ? ATTEMPTS_HOST_MAX : ATTEMPTS_MAX;
}

static struct outcome outcome_of(struct worker *w, const struct job *j, const struct lab_image *image, const char *capture, const struct attempt_result *r, uint64_t from_ns)
{
	const struct bench_board *c = w->rb->config;
	bool passed = r->judgement.verdict == VERDICT_PASS;

	return (struct outcome){
		.verdict = verdict_word(r->judgement.verdict), .cause = cause_word(r->judgement.cause), .step = step_word(r->step), .error = passed ? NULL : r->err.msg,
		.wall_ns = (int64_t)(clock_now_ns(w->site.config->clock) - from_ns), .flash_ns = r->flash_ns, .flash_bytes = r->flash_bytes, .boot_ns = r->boot_ns,
		.image_sha256 = image ? image->sha256 : NULL, .image_build = image ? image->build : NULL, .toolchain = image ? image->toolchain : NULL,
		.proof = board_proof_words[w->rb->type->proof], .mode = bench_wire_words[c->wire.mode], .pace = w->board ? w->board->pace->ops->name : bench_pace_words[c->pace],
		.capture = capture, .bad_lines = (int)r->bad_lines, .figures = r->has_figures ? &r->figures : NULL, .console_count = r->piece_count,
		.retry = r->judgement.retry && j->attempt < attempts_max(r->judgement.cause),
	};
}

static void tell_result(struct worker *w, const struct job *j, bool run_finished)
{
	struct err e;
	json_t *result = store_result(w->site.config->store, j->attempt_id, &e);

	if (result)
		worker_publish(w, "result", result);
	if (!run_finished)
		return;
	worker_publish(w, "run", json_pack("{s:I, s:s, s:s?}", "run", (json_int_t)j->run_id, "state", "finished", "matrix", j->matrix));
	w->site.finished(w->site.opaque, j->run_id);
}

/* A board that the lab cannot reach is bad until it passes again; what it measured, or its firmware did, says nothing about its health. */
static void judge_health(struct worker *w, const struct attempt_result *r)
{
	bool lab = r->judgement.verdict == VERDICT_ERROR && r->judgement.retry && r->judgement.cause != CAUSE_DAEMON && r->judgement.cause != CAUSE_HOST;
	struct err e;

	if (r->judgement.verdict == VERDICT_PASS || lab)
		if (!store_board_health(w->site.config->store, w->rb->config->name, lab ? "bad" : "good", lab ? r->err.msg : NULL, &e))
			log_warn("run", "board=%s %s", w->rb->config->name, e.msg);
}

static void end_job(struct worker *w, const struct job *j, const struct lab_image *image, const char *capture, struct attempt_result *r, uint64_t from_ns)
{
	struct outcome o = outcome_of(w, j, image, capture, r, from_ns);
	struct console_row *rows = console_rows(r);
	bool finished = false;

	o.console = rows;
	if (r->judgement.verdict != VERDICT_PASS)
		log_warn("run", "board=%s cell=%s attempt=%u verdict=%s cause=%s: %s", j->board, j->cell, j->attempt, o.verdict, o.cause, r->err.msg);
	if (store_outcome(w, j, &o, &finished))
		tell_result(w, j, finished);
	judge_health(w, r);
	free(rows);
}

static void begin(struct worker *w, const struct job *j)
{
	pthread_mutex_lock(&w->lock);
	w->run = j->run_id;
	w->attempt = j->attempt_id;
	w->cancelled = w->too_long = false;
	w->since_ns = clock_now_ns(w->site.config->clock);
	w->deadline_ns = w->since_ns + (uint64_t)j->deadline_ms * NS_PER_MS;
	snprintf(w->cell, sizeof w->cell, "%s", j->cell);
	pthread_mutex_unlock(&w->lock);
}

static void end(struct worker *w)
{
	pthread_mutex_lock(&w->lock);
	w->run = w->attempt = 0;
	w->cell[0] = 0;
	w->cancelled = w->too_long = false;
	pthread_mutex_unlock(&w->lock);
}

/* A run that somebody cancelled between the queue and here. */
static void look_for_cancel(struct worker *w, const struct job *j)
{
	struct err e;
	bool cancelled;

	if (store_run_cancelled(w->site.config->store, j->run_id, &cancelled, &e) && cancelled)
		worker_cancel(w, j->run_id);
}

static bool one_job(struct worker *w)
{
	const struct lab_image *image = NULL;
	struct attempt_result r;
	struct job j;
	struct err e;
	uint64_t from = clock_now_ns(w->site.config->clock);
	char *capture;

	if (!store_job_take(w->site.config->store, w->rb->config->name, w->site.config->host_id, &j, &e)) {
		if (e.code != ERR_NOT_FOUND)
			log_error("run", "board=%s %s", w->rb->config->name, e.msg);
		return false;
	}
	begin(w, &j);
	look_for_cancel(w, &j);
	capture = capture_of(&j);
	run_job(w, &j, &image, &capture, &r);
	end_job(w, &j, image, capture, &r, from);
	/* After a failure of the lab nothing is taken for granted: drivers are made anew. */
	if (r.judgement.verdict != VERDICT_PASS && r.judgement.verdict != VERDICT_SKIPPED)
		drop_board(w);
	attempt_result_finish(&r);
	free(capture);
	job_finish(&j);
	end(w);
	return true;
}

static void rest(struct worker *w)
{
	struct err e;

	/* Nobody uses the board: it loses its power, and drivers that may die meanwhile are not kept. */
	drop_board(w);
	if (!store_board_state(w->site.config->store, w->rb->config->name, "idle", &e))
		log_warn("run", "board=%s %s", w->rb->config->name, e.msg);
	worker_tell_state(w, "idle", "");
}

static bool stopping(struct worker *w)
{
	bool stop;

	pthread_mutex_lock(&w->lock);
	stop = w->stopping;
	pthread_mutex_unlock(&w->lock);
	return stop;
}

static void *work(void *opaque)
{
	struct worker *w = opaque;
	bool idle = false;

	while (!stopping(w)) {
		if (one_job(w)) {
			idle = false;
			continue;
		}
		if (!idle)
			rest(w);
		idle = true;
		wait_ms(w, IDLE_LOOK_MS);
	}
	drop_board(w);
	return NULL;
}

/* ---- for the runner ---- */

bool worker_create(const struct worker_site *site, const struct runner_board *b, struct worker **out, struct err *e)
{
	struct worker *w = xcalloc(1, sizeof *w);
	pthread_condattr_t attr;

	(void)e;
	w->site = *site;
	w->rb = b;
	w->state = "idle";
	w->since_ns = clock_now_ns(site->config->clock);
	pthread_mutex_init(&w->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&w->wake, &attr);
	pthread_condattr_destroy(&attr);
	*out = w;
	return true;
}

bool worker_start(struct worker *w, struct err *e)
{
	if (pthread_create(&w->thread, NULL, work, w) != 0)
		return err_set(e, ERR_INTERNAL, "no thread for board %s", w->rb->config->name);
	w->started = true;
	return true;
}

void worker_wake(struct worker *w)
{
	pthread_mutex_lock(&w->lock);
	w->awake = true;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
}

void worker_cancel(struct worker *w, int64_t run)
{
	pthread_mutex_lock(&w->lock);
	if (w->run == run)
		w->cancelled = true;
	if (w->cancelled && w->board)
		board_cancel(w->board);
	pthread_mutex_unlock(&w->lock);
}

/* Again and again while there is a reason: a power-on in between forgets an earlier cancel. And a prompt that waits for somebody is told, too. */
void worker_watch(struct worker *w)
{
	pthread_mutex_lock(&w->lock);
	if (w->attempt && clock_now_ns(w->site.config->clock) > w->deadline_ns)
		w->too_long = true;
	if (w->attempt && w->board && (w->too_long || w->cancelled || w->stopping))
		board_cancel(w->board);
	pthread_mutex_unlock(&w->lock);
	worker_tell_heard(w, WORKER_HEARD_MS);
}

void worker_stop(struct worker *w)
{
	pthread_mutex_lock(&w->lock);
	w->stopping = true;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
	worker_watch(w);
}

void worker_join(struct worker *w)
{
	if (w->started)
		pthread_join(w->thread, NULL);
	w->started = false;
}

void worker_destroy(struct worker *w)
{
	if (!w)
		return;
	worker_stop(w);
	worker_join(w);
	pthread_cond_destroy(&w->wake);
	pthread_mutex_destroy(&w->lock);
	free(w);
}
