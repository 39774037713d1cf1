// SPDX-License-Identifier: GPL-2.0-or-later
/* A server over an empty lab, and the last answer of it: what the tests of http/ that need no store begin with. */
#ifndef LAB_HTTP_TEST_SERVER_H
#define LAB_HTTP_TEST_SERVER_H

#include <stdbool.h>

#include "core/err.h"
#include "http/server.h"
#include "http/test_client.h"

extern struct reply answer;               /* to the last test_get() or client_ask(..., &answer) */
extern struct err problem;
extern struct lab test_empty_lab;         /* a version and a clock */

/* NULL, and a sentence on standard error, when it does not start. */
struct http_server *test_serve(struct http_config config);
struct http_server *test_serve_folder(const char *folder);

bool test_get(struct http_server *s, const char *target);

/* Of answer: a header's value (valid until the next call), and whether the body has a text. */
const char *test_header(const char *name);
bool test_body_has(const char *text);

/* Write a file into the test's folder. */
bool test_put(const char *name, const char *content);

/* On the monotonic clock. */
double test_seconds(void);

#endif
