// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Server-sent events: who listens, and what they have not read yet.
 *
 * Publishing never waits: each subscriber has a bounded buffer, and one that overflows is emptied and gets a single "resync" event instead,
 * upon which a page reads everything anew. A subscriber with nothing to read is suspended; a publish, the keep-alive tick and the end resume it.
 * A library that is stopped with a suspended connection aborts (field failure F53): events_close() comes first.
 *
 * events_publish() and events_close(): any thread. The rest: the HTTP thread.
 */
#ifndef LAB_HTTP_EVENTS_H
#define LAB_HTTP_EVENTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/err.h"

#define EVENTS_SUBSCRIBERS_MAX 32
#define EVENTS_BUFFER_BYTES 65536

struct events;
struct subscriber;

/* The two things only the server library can do to a connection. */
struct events_hooks {
	void (*suspend)(void *connection);
	void (*resume)(void *connection);
};

/* Starts the keep-alive thread: a comment line to every subscriber each keep_alive_ms. */
bool events_create(const struct events_hooks *hooks, unsigned keep_alive_ms, struct events **out, struct err *e);

/* Tell everyone: type as in docs/api.md ("run", "board", ...), data as one line of JSON (borrowed). */
void events_publish(struct events *ev, const char *type, const json_t *data);

/* A new subscriber. last_event_id: the header's text; when events were missed since, the first event is "resync". ERR_FULL at the limit or when closing. */
bool events_join(struct events *ev, const char *last_event_id, struct subscriber **out, struct err *e);

/* Which connection to suspend; once, before the first read. */
void events_bind(struct subscriber *s, void *connection);

/* Up to room bytes; 0: nothing yet, and the connection was suspended; -1: the end. */
ssize_t events_read(struct subscriber *s, char *bytes, size_t room);

void events_leave(struct subscriber *s);                         /* accepts NULL */

size_t events_count(struct events *ev);

/* Resume everyone for good: every later read is the end, every later join is refused. */
void events_close(struct events *ev);
void events_destroy(struct events *ev);                          /* after the server has stopped; accepts NULL */

#endif
