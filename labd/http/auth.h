// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who may change things. Three kinds of 256-bit tokens: the operator token of this daemon's life, written for labctl into a file that only the user can
 * read; login links, each good for one exchange; and the sessions that a login link is exchanged for. Tokens are never logged.
 *
 * Requests of other web sites are refused by Host (DNS rebinding) and Origin (cross-site requests). Any thread: one lock inside.
 */
#ifndef LAB_HTTP_AUTH_H
#define LAB_HTTP_AUTH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/clock.h"
#include "core/err.h"
#include "http/request.h"

#define AUTH_TOKEN_TEXT 65                /* 64 hex digits and a NUL */
#define AUTH_SESSIONS_MAX 64              /* the one unused for longest is forgotten */
#define AUTH_LINKS_MAX 16
#define AUTH_SESSION_HOURS 24             /* after its last use */
#define AUTH_LINK_HOURS 24

struct auth;

/* hosts: further names of this server beside loopback's, ends with NULL; may be NULL. */
bool auth_create(const struct clock *clock, const char *const *hosts, struct auth **out, struct err *e);
void auth_destroy(struct auth *a);

/* Borrowed, for as long as a. */
const char *auth_operator_token(const struct auth *a);

/* A new one-time token. */
bool auth_link(struct auth *a, char out[AUTH_TOKEN_TEXT], struct err *e);

/* A login link's token becomes a session's. ERR_DENIED: unknown, used or too old. */
bool auth_login(struct auth *a, const char *token, char session[AUTH_TOKEN_TEXT], struct err *e);

/* Forget the session. */
void auth_logout(struct auth *a, const char *authorization);

/* The role that an Authorization header gives; NULL or anything unknown: a reader. *known tells a wrong token from none. */
enum role auth_role(struct auth *a, const char *authorization, bool *known);

/* Host and Origin. ERR_DENIED names what to do. */
bool auth_site_ok(const struct auth *a, const struct request *rq, struct err *e);

/* Equal, in a time that depends on the length alone. */
bool auth_same(const char *a, const char *b);

#endif
