// SPDX-License-Identifier: GPL-2.0-or-later
/* What a worker tells: its state, the progress of an attempt, the board's console; and what it answers when the attempt asks whether to go on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/bench.h"
#include "core/log.h"
#include "run/worker_own.h"
#include "store/store.h"

/* ---- telling ---- */

void worker_publish(struct worker *w, const char *event, json_t *document)
{
	const struct run_events *to = &w->site.config->events;

	if (to->publish)
		to->publish(to->opaque, event, document);
	json_decref(document);
}

static json_t *live_locked(struct worker *w)
{
	uint64_t now = clock_now_ns(w->site.config->clock);

	return json_pack("{s:s, s:s, s:s?, s:o, s:o, s:s?, s:I, s:I, s:f}", "board", w->rb->config->name, "state", w->state, "step", w->step[0] ? w->step : NULL, "run",
	                 w->run ? json_integer(w->run) : json_null(), "attempt", w->attempt ? json_integer(w->attempt) : json_null(), "cell", w->cell[0] ? w->cell : NULL, "done",
	                 (json_int_t)w->done, "total", (json_int_t)w->total, "since_s", (double)(now - w->since_ns) / 1e9);
}

json_t *worker_live(struct worker *w)
{
	json_t *live;

	pthread_mutex_lock(&w->lock);
	live = live_locked(w);
	pthread_mutex_unlock(&w->lock);
	return live;
}

void worker_tell_state(struct worker *w, const char *state, const char *step)
{
	pthread_mutex_lock(&w->lock);
	w->state = state;
	snprintf(w->step, sizeof w->step, "%s", step);
	w->done = w->total = 0;
	w->since_ns = clock_now_ns(w->site.config->clock);
	pthread_mutex_unlock(&w->lock);
	worker_publish(w, "board", worker_live(w));
}

/* ---- what an attempt asks and tells ---- */

static void on_step(void *opaque, enum step s)
{
	struct worker *w = opaque;
	struct err e;

	worker_tell_heard(w, 0);
	if (!store_job_step(w->site.config->store, w->attempt, step_word(s), &e))
		log_warn("run", "board=%s attempt=%lld %s", w->rb->config->name, (long long)w->attempt, e.msg);
	worker_tell_state(w, "running", step_word(s));
}

static void on_progress(void *opaque, const char *what, size_t done, size_t total)
{
	struct worker *w = opaque;
	bool tell;

	pthread_mutex_lock(&w->lock);
	/* A page every few per cent is enough for people, and bounds what a slow browser must take. */
	tell = done == total || total == 0 || done * 50 / total != w->done * 50 / total;
	if (tell) {
		w->done = done;
		w->total = total;
	}
	pthread_mutex_unlock(&w->lock);
	if (tell)
		worker_publish(w, "progress", json_pack("{s:s, s:I, s:I, s:s, s:s, s:I, s:I}", "board", w->rb->config->name, "run", (json_int_t)w->run, "attempt", (json_int_t)w->attempt,
		                                 "cell", w->cell, "step", what, "done", (json_int_t)done, "total", (json_int_t)total));
}

/* ---- the console: a serial line brings a byte at a time, a page gets lines ---- */

/* The lock is held while it is told, so that two threads cannot swap two pieces. */
static void tell_heard_locked(struct worker *w)
{
	if (w->heard.size)
		worker_publish(w, "console", json_pack("{s:s, s:I, s:I, s:s%}", "board", w->rb->config->name, "attempt", (json_int_t)w->attempt, "at_ns",
		                                       (json_int_t)w->heard.at_ns, "text", w->heard.text, w->heard.size));
	w->heard.size = 0;
}

void worker_tell_heard(struct worker *w, unsigned older_than_ms)
{
	pthread_mutex_lock(&w->lock);
	if (clock_now_ns(w->site.config->clock) - w->heard.since_ns >= older_than_ms * NS_PER_MS)
		tell_heard_locked(w);
	pthread_mutex_unlock(&w->lock);
}

/* Bytes of a board are text for a page only if they are text: others show as dots; the raw ones are in the store. */
static char shown(uint8_t byte)
{
	return byte == '\r' || byte == '\n' || (byte >= ' ' && byte < 0x7f) ? (char)byte : '.';
}

static void on_heard(void *opaque, uint64_t at_ns, const uint8_t *bytes, size_t n)
{
	struct worker *w = opaque;
	uint64_t now = clock_now_ns(w->site.config->clock);

	pthread_mutex_lock(&w->lock);
	for (size_t i = 0; i < n; i++) {
		if (w->heard.size == 0) {
			w->heard.at_ns = at_ns;
			w->heard.since_ns = now;
		}
		w->heard.text[w->heard.size++] = shown(bytes[i]);
		if (bytes[i] == '\n' || w->heard.size == sizeof w->heard.text)
			tell_heard_locked(w);
	}
	if (now - w->heard.since_ns >= WORKER_HEARD_MS * NS_PER_MS)
		tell_heard_locked(w);
	pthread_mutex_unlock(&w->lock);
}

enum attempt_stop worker_stop_reason(void *opaque)
{
	struct worker *w = opaque;
	enum attempt_stop stop = ATTEMPT_GO_ON;

	pthread_mutex_lock(&w->lock);
	if (w->too_long)
		stop = ATTEMPT_TOO_LONG;
	if (w->stopping)
		stop = ATTEMPT_STOPPING;
	if (w->cancelled)
		stop = ATTEMPT_CANCELLED;
	pthread_mutex_unlock(&w->lock);
	return stop;
}

static void on_holds(void *opaque, const struct lab_image *i, const char *identity, bool wrote)
{
	struct worker *w = opaque;
	struct err e;

	if (!store_board_holds(w->site.config->store, w->rb->config->name, i ? i->sha256 : NULL, i ? i->build : NULL, identity, wrote, &e))
		log_warn("run", "board=%s %s", w->rb->config->name, e.msg);
}

struct attempt_watch worker_attempt_watch(struct worker *w)
{
	return (struct attempt_watch){ on_step, on_progress, on_heard, worker_stop_reason, on_holds, w };
}
