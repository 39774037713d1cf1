// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One lock for all subscribers. It is held while a connection is suspended or resumed, so that a publish cannot fall between a reader's
 * "nothing there" and its suspension.
 */
#include "http/events.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/buf.h"
#include "core/mem.h"

struct subscriber {
	struct events *events;
	struct subscriber *next;
	void *connection;
	struct buf unread;
	bool suspended, mid_event;                               /* mid_event: the client has got the beginning of an event, and the rest is unread */
};

struct events {
	const struct events_hooks *hooks;
	pthread_mutex_t lock;
	pthread_cond_t closing_set;
	pthread_t keep_alive;
	unsigned keep_alive_ms;
	struct subscriber *first;
	size_t count;
	uint64_t last_id;
	bool closing;
};

static void wake(struct subscriber *s)
{
	if (!s->suspended)
		return;
	s->suspended = false;
	s->events->hooks->resume(s->connection);
}

/* Forget what is unread, but for the rest of an event that the client has begun to read. */
static void drop_unread(struct subscriber *s)
{
	const char *end = s->mid_event ? strstr(buf_text(&s->unread), "\n\n") : NULL;

	s->unread.size = end ? (size_t)(end + 2 - buf_text(&s->unread)) : 0;
}

static void offer(struct subscriber *s, const struct buf *text)
{
	if (s->unread.size + text->size > EVENTS_BUFFER_BYTES) {
		drop_unread(s);
		buf_printf(&s->unread, "id: %llu\nevent: resync\ndata: {}\n\n", (unsigned long long)s->events->last_id);
	} else {
		buf_add(&s->unread, text->bytes, text->size);
	}
	wake(s);
}

static void offer_all(struct events *ev, const struct buf *text)
{
	for (struct subscriber *s = ev->first; s; s = s->next)
		offer(s, text);
}

static struct timespec after_ms(unsigned ms)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_sec += ms / 1000;
	at.tv_nsec += (long)(ms % 1000) * 1000000;
	if (at.tv_nsec >= 1000000000) {
		at.tv_sec++;
		at.tv_nsec -= 1000000000;
	}
	return at;
}

/* A write to a client that is gone fails, and only a write finds out: hence the comment lines. */
static void *keep_alive_run(void *opaque)
{
	struct events *ev = opaque;
	struct buf comment = { 0 };

	buf_printf(&comment, ": still here\n\n");
	pthread_mutex_lock(&ev->lock);
	while (!ev->closing) {
		struct timespec at = after_ms(ev->keep_alive_ms);

		while (!ev->closing && pthread_cond_timedwait(&ev->closing_set, &ev->lock, &at) == 0)
			;
		if (!ev->closing)
			offer_all(ev, &comment);
	}
	pthread_mutex_unlock(&ev->lock);
	buf_finish(&comment);
	return NULL;
}

bool events_create(const struct events_hooks *hooks, unsigned keep_alive_ms, struct events **out, struct err *e)
{
	struct events *ev = xcalloc(1, sizeof *ev);
	pthread_condattr_t attr;

	ev->hooks = hooks;
	ev->keep_alive_ms = keep_alive_ms;
	pthread_mutex_init(&ev->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&ev->closing_set, &attr);
	pthread_condattr_destroy(&attr);
	if (pthread_create(&ev->keep_alive, NULL, keep_alive_run, ev) != 0) {
		pthread_cond_destroy(&ev->closing_set);
		pthread_mutex_destroy(&ev->lock);
		free(ev);
		return err_set(e, ERR_FULL, "no thread for the event stream");
	}
	*out = ev;
	return true;
}

void events_publish(struct events *ev, const char *type, const json_t *data)
{
	char *line = json_dumps(data, JSON_COMPACT | JSON_SORT_KEYS);
	struct buf text = { 0 };

	if (!line)
		return;
	pthread_mutex_lock(&ev->lock);
	ev->last_id++;
	buf_printf(&text, "id: %llu\nevent: %s\ndata: %s\n\n", (unsigned long long)ev->last_id, type, line);
	offer_all(ev, &text);
	pthread_mutex_unlock(&ev->lock);
	buf_finish(&text);
	free(line);
}

static void greet(struct subscriber *s, const char *last_event_id)
{
	struct events *ev = s->events;
	bool missed = last_event_id[0] && strtoull(last_event_id, NULL, 10) != ev->last_id;

	buf_printf(&s->unread, "retry: 2000\nid: %llu\nevent: %s\ndata: {}\n\n", (unsigned long long)ev->last_id, missed ? "resync" : "hello");
}

bool events_join(struct events *ev, const char *last_event_id, struct subscriber **out, struct err *e)
{
	struct subscriber *s = NULL;

	pthread_mutex_lock(&ev->lock);
	if (!ev->closing && ev->count < EVENTS_SUBSCRIBERS_MAX) {
		s = xcalloc(1, sizeof *s);
		s->events = ev;
		s->next = ev->first;
		ev->first = s;
		ev->count++;
		greet(s, last_event_id);
	}
	pthread_mutex_unlock(&ev->lock);
	if (!s)
		return err_set(e, ERR_FULL, "no more than %d event streams at a time; close a page, or poll", EVENTS_SUBSCRIBERS_MAX);
	*out = s;
	return true;
}

void events_bind(struct subscriber *s, void *connection)
{
	s->connection = connection;
}

ssize_t events_read(struct subscriber *s, char *bytes, size_t room)
{
	struct events *ev = s->events;
	ssize_t n = 0;

	pthread_mutex_lock(&ev->lock);
	if (ev->closing) {
		n = -1;
	} else if (s->unread.size > 0) {
		n = (ssize_t)(s->unread.size < room ? s->unread.size : room);
		memcpy(bytes, s->unread.bytes, (size_t)n);
		s->mid_event = n < 2 || memcmp(bytes + n - 2, "\n\n", 2) != 0;
		buf_drop(&s->unread, (size_t)n);
	} else {
		s->suspended = true;
		ev->hooks->suspend(s->connection);
	}
	pthread_mutex_unlock(&ev->lock);
	return n;
}

void events_leave(struct subscriber *s)
{
	if (!s)
		return;
	struct events *ev = s->events;

	pthread_mutex_lock(&ev->lock);
	for (struct subscriber **at = &ev->first; *at; at = &(*at)->next)
		if (*at == s) {
			*at = s->next;
			ev->count--;
			break;
		}
	pthread_mutex_unlock(&ev->lock);
	buf_finish(&s->unread);
	free(s);
}

size_t events_count(struct events *ev)
{
	pthread_mutex_lock(&ev->lock);
	size_t n = ev->count;
	pthread_mutex_unlock(&ev->lock);
	return n;
}

void events_close(struct events *ev)
{
	pthread_mutex_lock(&ev->lock);
	bool first = !ev->closing;
	ev->closing = true;
	for (struct subscriber *s = ev->first; s; s = s->next)
		wake(s);
	pthread_cond_signal(&ev->closing_set);
	pthread_mutex_unlock(&ev->lock);
	if (first)
		pthread_join(ev->keep_alive, NULL);
}

void events_destroy(struct events *ev)
{
	if (!ev)
		return;
	events_close(ev);
	pthread_cond_destroy(&ev->closing_set);
	pthread_mutex_destroy(&ev->lock);
	free(ev);
}
