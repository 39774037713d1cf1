// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a handler answers: JSON, a text it owns, fixed bytes of others, or a stream of pages. Plain data, nothing of the server library.
 *
 * A stream is asked for the next page only when the client has taken the one before, so a slow client holds no statement and no memory
 * (field failure F44). The HTTP thread only.
 */
#ifndef LAB_HTTP_RESPONSE_H
#define LAB_HTTP_RESPONSE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/buf.h"
#include "core/err.h"

struct stream;

struct stream_ops {
	/* Add the next page to out (at least one byte unless *last is set). False ends the transfer in a way the client can tell from a whole one. */
	bool (*page)(struct stream *s, struct buf *out, bool *last, struct err *e);
	void (*close)(struct stream *s);                         /* frees; called exactly once, also when the client went away */
};

struct stream {
	const struct stream_ops *ops;
};

/* A source that waits for news: server-sent events. See events.h. */
struct subscriber;

struct response {
	unsigned status;                                         /* 0: 200 */
	json_t *json;                                            /* owned */
	struct buf text;                                         /* owned */
	const void *fixed;                                       /* borrowed for the life of the server */
	size_t fixed_size;
	struct stream *stream;                                   /* owned */
	struct subscriber *subscriber;                           /* owned */

	const char *content_type;                                /* NULL: JSON */
	const char *cache;                                       /* Cache-Control; NULL: no-store */
	const char *etag;                                        /* borrowed; NULL: none */
	const char *allow;                                       /* for 405 */
	bool gzip;                                               /* the bytes are compressed */
	char link[512];                                          /* Link header; "": none */
	char filename[128];                                      /* Content-Disposition: attachment; "" for none; [A-Za-z0-9._+-] */
};

/* Turn an error into the answer: the status of its code unless rs->status is set already, and {"error":{"code","message"}}. Whatever was there is dropped. */
void response_error(struct response *rs, const struct err *e);

/* The HTTP status an error code becomes. */
unsigned response_status(enum err_code code);

/* "part_part_20261130T154600Z.csv" into rs->filename; bytes that do not belong into a file name become '-'. */
void response_name(struct response *rs, const char *stem, int64_t utc_ms, const char *suffix);

void response_finish(struct response *rs);

#endif
