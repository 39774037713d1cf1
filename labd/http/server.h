// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The web server: one epoll thread of libmicrohttpd that answers from the route table and the dashboard's files. Loopback unless told otherwise.
 *
 * Every connection has a time limit without traffic, every address a limit of connections; bodies are bounded while they arrive; a stop ends within seconds
 * whatever clients do (field failures F50 to F55). create, start, stop and destroy: the main thread. Publishing: any thread.
 */
#ifndef LAB_HTTP_SERVER_H
#define LAB_HTTP_SERVER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/clock.h"
#include "core/err.h"

struct lab;
struct http_server;

struct http_config {
	const char *address;                                     /* NULL: "127.0.0.1"; IPv4 or IPv6, numeric */
	uint16_t port;                                           /* 0: a free one */
	const char *const *hosts;                                /* further names of this server, ends with NULL; may be NULL; borrowed */
	const char *const *web;                                  /* folders of the dashboard, ends with NULL; may be NULL */
	const struct clock *clock;                               /* NULL: the host's */
	unsigned idle_s;                                         /* a connection without traffic ends; 0: 30 */
	unsigned connections, connections_per_address;           /* 0: 256 and 128 */
	unsigned keep_alive_ms;                                  /* of event streams; 0: 15000 */
};

/* Listens, and has its address; clients that come wait for the start. lab must live until destroy. ERR_CONFLICT: the port is in use. */
bool http_server_create(const struct http_config *config, struct lab *lab, struct http_server **out, struct err *e);

/* Serves when it returns: everything in lab is used from now on by the HTTP thread. */
bool http_server_start(struct http_server *s, struct err *e);

uint16_t http_server_port(const struct http_server *s);
const char *http_server_url(const struct http_server *s);       /* "http://127.0.0.1:8090"; borrowed */

/* "http://127.0.0.1:8090/#token=...": good for one login. */
bool http_server_login_url(struct http_server *s, char out[192], struct err *e);

/*
 * Write <state_dir>/endpoint.json, mode 0600, for labctl: {"url", "token", "pid", "version"}. In one piece: it is there whole or not at all. Call it when
 * everything behind the server is ready.
 */
bool http_server_announce(struct http_server *s, const char *state_dir, struct err *e);

/* Tell every open page. opaque is the server: fits struct run_events of run/runner.h. */
void http_server_publish(void *opaque, const char *event, json_t *document);

/* Stop listening, end every stream and connection. Nothing is published afterwards. At most a few seconds. Removes the announced file. */
void http_server_stop(struct http_server *s);
void http_server_destroy(struct http_server *s);                 /* stops first; accepts NULL */

#endif
