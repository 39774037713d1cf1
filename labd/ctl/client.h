// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The daemon as labctl reaches it: where it listens and with which token stands in endpoint.json of the state folder, readable by its user only. The only user
 * of curl.h. One thread.
 */
#ifndef LAB_CTL_CLIENT_H
#define LAB_CTL_CLIENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/buf.h"
#include "core/err.h"

struct client;

/* The state folder: the argument, or $LABD_STATE, or $XDG_STATE_HOME/labd, or ~/.local/state/labd. The caller frees it. */
char *client_state_dir(const char *given);

/* Read endpoint.json. ERR_LOST: it is not there, so no daemon runs (or it is not ready yet). Connects to nothing. */
bool client_open(const char *state_dir, struct client **out, struct err *e);
void client_close(struct client *c);                             /* accepts NULL */
const char *client_url(const struct client *c);

/*
 * One request under /api/v1; body: borrowed, NULL for none. The answer's JSON, which the caller releases. NULL with the daemon's own sentence and code, or with
 * ERR_LOST when it does not answer.
 */
json_t *client_call(struct client *c, const char *method, const char *path, const json_t *body, struct err *e);

/* The same with a body that is JSON as somebody wrote it, so that what the daemon says of a line is true of theirs. */
json_t *client_call_text(struct client *c, const char *method, const char *path, const char *body, struct err *e);

/* A text instead of JSON; the caller frees it. */
char *client_text(struct client *c, const char *path, struct err *e);

/* Write what the daemon sends to f as it comes. False also when the transfer was cut: the file is not complete then. */
bool client_download(struct client *c, const char *path, FILE *f, struct err *e);

/* Called for each event, and with type NULL at least once a second. Return false to end the stream. data is borrowed; NULL when it is not JSON. */
typedef bool client_event_fn(void *opaque, const char *type, const json_t *data);

/* Follow the event stream. True when the callback ended it; false with ERR_LOST or the daemon's sentence. */
bool client_follow(struct client *c, client_event_fn *on_event, void *opaque, struct err *e);

/* "name=value" escaped and appended to a path that may have a query already. value NULL: nothing. */
void client_query(struct buf *path, const char *name, const char *value);

/* One path part, escaped. */
void client_part(struct buf *path, const char *part);

#endif
