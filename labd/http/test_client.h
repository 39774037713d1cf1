// SPDX-License-Identifier: GPL-2.0-or-later
/* A raw HTTP client for the tests: it can be slow, rude and wrong on purpose, which a library would not be. Every wait ends after 10 s. */
#ifndef LAB_HTTP_TEST_CLIENT_H
#define LAB_HTTP_TEST_CLIENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/buf.h"

struct reply {
	int status;                                              /* 0: no status line came */
	struct buf head, body;                                   /* body: chunks put together */
	bool whole;                                              /* the body ended as its length or its last chunk says */
};

/* A connected socket, or -1. */
int client_connect(uint16_t port);
bool client_send(int fd, const char *bytes, size_t size);
bool client_text(int fd, const char *text);

/* Read one answer. False when the other side closed before a status line, or after 10 s. r is emptied first. */
bool client_reply(int fd, struct reply *r);

/* Read until text has come (it stays in into); false at the end or after wait_ms. */
bool client_until(int fd, struct buf *into, const char *text, int wait_ms);

/* One request on a connection of its own. headers: lines ending with CR LF, or NULL; body: NULL or text, sent as JSON with its length. */
bool client_ask(uint16_t port, const char *method, const char *target, const char *headers, const char *body, struct reply *r);

/* The value of a header in r->head, into out; "" when it is not there. */
const char *reply_header(const struct reply *r, const char *name, char *out, size_t room);
json_t *reply_json(const struct reply *r);
void reply_finish(struct reply *r);

#endif
