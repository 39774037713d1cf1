// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The library calls us many times for one request: with the raw target, with the headers, with each piece of the body, and at the end. All that is known so
 * far lives in struct exchange; a handler runs once, when everything is there, so that nothing is ever made of a cut upload (field failure F51).
 */
#include "http/exchange.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/log.h"
#include "core/mem.h"
#include "http/auth.h"
#include "http/routes.h"
#include "http/static.h"

#define DRAIN_MAX (16u << 20)             /* how much of a refused body is read, so that the client gets to read the reason */
#define STREAM_BLOCK 16384

struct exchange {
	struct request rq;
	struct response rs;
	const struct route *route;                               /* NULL: a file of the dashboard */
	struct err err;                                          /* why it is refused */
	bool begun;
	size_t body_seen;
	char allow[64];
};

/* --- what the request is ------------------------------------------------------------------------------------------------------------------------ */

static void release(struct exchange *x)
{
	if (!x)
		return;
	response_finish(&x->rs);
	request_finish(&x->rq);
	free(x);
}

/*
 * A connection knows its current exchange: where a request breaks off between its first line and its last header, the library answers by itself and tells nobody
 * that the request is over.
 */
void exchange_connection(void *cls, struct MHD_Connection *connection, void **context, enum MHD_ConnectionNotificationCode what)
{
	(void)cls, (void)connection;
	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		*context = xcalloc(1, sizeof(struct exchange *));
		return;
	}
	if (*context)
		release(*(struct exchange **)*context);
	free(*context);
	*context = NULL;
}

void *exchange_begin(void *cls, const char *target, struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct exchange *x = xcalloc(1, sizeof *x);
	struct exchange **current = info ? info->socket_context : NULL;

	(void)cls;
	if (current) {
		release(*current);
		*current = x;
	}
	request_target(&x->rq, target, &x->err);
	return x;
}

static void refuse(struct exchange *x, unsigned status, enum err_code code, const char *why)
{
	x->rs.status = status;
	err_set(&x->err, code, "%s", why);
}

struct header_copy {
	const char *name;
	char *out;
	size_t room;
	bool decides;                                            /* who may do what hangs on it: cut, or sent twice, it is refused */
	unsigned seen;
	bool cut;
};

static enum MHD_Result count_header(void *cls, enum MHD_ValueKind kind, const char *name, const char *value)
{
	struct header_copy *c = cls;

	(void)kind, (void)value;
	c->seen += strcasecmp(name, c->name) == 0;
	return MHD_YES;
}

static void copy_header(struct MHD_Connection *connection, struct header_copy *c)
{
	const char *value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, c->name);

	c->cut = (size_t)snprintf(c->out, c->room, "%s", value ? value : "") >= c->room;
	if (c->decides)
		MHD_get_connection_values(connection, MHD_HEADER_KIND, count_header, c);
}

static bool accepts_gzip(struct MHD_Connection *connection)
{
	const char *value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Accept-Encoding");
	const char *gzip = value ? strstr(value, "gzip") : NULL;

	return gzip && strncmp(gzip, "gzip;q=0", 8) != 0;
}

static void read_headers(struct exchange *x, struct MHD_Connection *connection, const char *method)
{
	struct request *rq = &x->rq;
	struct header_copy headers[] = {
		{ "Accept", rq->accept, sizeof rq->accept, false, 0, false },
		{ "Content-Type", rq->content_type, sizeof rq->content_type, false, 0, false },
		{ "If-None-Match", rq->if_none_match, sizeof rq->if_none_match, false, 0, false },
		{ "Last-Event-ID", rq->last_event_id, sizeof rq->last_event_id, false, 0, false },
		{ "Origin", rq->origin, sizeof rq->origin, true, 0, false },
		{ "Host", rq->host, sizeof rq->host, true, 0, false },
		{ "Authorization", rq->authorization, sizeof rq->authorization, true, 0, false },
	};

	rq->head = strcmp(method, "HEAD") == 0;
	snprintf(rq->method, sizeof rq->method, "%s", rq->head ? "GET" : method);
	for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
		copy_header(connection, &headers[i]);
		if (headers[i].decides && (headers[i].cut || headers[i].seen > 1) && x->err.code == ERR_NONE)
			err_set(&x->err, ERR_INVALID, "the header %s is %s", headers[i].name, headers[i].cut ? "too long" : "there more than once");
	}
	rq->gzip = accepts_gzip(connection);
}

static bool check_role(struct exchange *x, struct site *site)
{
	bool known;

	x->rq.role = auth_role(site->auth, x->rq.authorization[0] ? x->rq.authorization : NULL, &known);
	if (!known)
		refuse(x, MHD_HTTP_UNAUTHORIZED, ERR_DENIED, "the token is not valid (any more); `labctl login --link` prints a new login link");
	else if (x->route->role > x->rq.role)
		refuse(x, MHD_HTTP_UNAUTHORIZED, ERR_DENIED, "this changes something and needs the operator's token; `labctl login --link` prints a login link");
	return x->err.code == ERR_NONE;
}

static bool check_length(struct exchange *x, struct MHD_Connection *connection)
{
	const char *length = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Length");

	if (length && strtoull(length, NULL, 10) > x->route->body_max)
		return err_set(&x->err, ERR_TOO_LARGE, "the body may have at most %zu bytes here", x->route->body_max);
	return true;
}

/* A page of the dashboard: anything outside the API. */
static bool check_page(struct exchange *x)
{
	if (strcmp(x->rq.method, "GET") == 0)
		return true;
	x->rs.allow = "GET, HEAD";
	refuse(x, MHD_HTTP_METHOD_NOT_ALLOWED, ERR_UNSUPPORTED, "pages can only be read");
	return false;
}

/* Everything that can be said before the body. The first reason found stays in x->err. */
static bool check(struct exchange *x, struct site *site, struct MHD_Connection *connection)
{
	if (x->err.code != ERR_NONE || !auth_site_ok(site->auth, &x->rq, &x->err))
		return false;
	if (strncmp(x->rq.path, "/api/", 5) != 0)
		return check_page(x);
	x->route = route_find(&x->rq, x->allow, &x->err);
	if (!x->route) {
		x->rs.allow = x->allow[0] ? x->allow : NULL;
		x->rs.status = x->allow[0] ? MHD_HTTP_METHOD_NOT_ALLOWED : 0;
		return false;
	}
	return check_role(x, site) && route_query_ok(x->route, &x->rq, &x->err) && check_length(x, connection);
}

/* --- the answer --------------------------------------------------------------------------------------------------------------------------------- */

struct feed {
	struct stream *stream;
	struct buf page;
	size_t given;
	bool last;
};

static ssize_t feed_read(void *cls, uint64_t at, char *bytes, size_t room)
{
	struct feed *f = cls;
	struct err e = { 0 };

	(void)at;
	while (f->given == f->page.size) {
		buf_clear(&f->page);
		f->given = 0;
		if (f->last)
			return MHD_CONTENT_READER_END_OF_STREAM;
		if (!f->stream->ops->page(f->stream, &f->page, &f->last, &e)) {
			log_warn("http", "download cut: %s", e.msg);
			return MHD_CONTENT_READER_END_WITH_ERROR;
		}
	}
	if (room > f->page.size - f->given)
		room = f->page.size - f->given;
	memcpy(bytes, f->page.bytes + f->given, room);
	f->given += room;
	return (ssize_t)room;
}

static void feed_free(void *cls)
{
	struct feed *f = cls;

	f->stream->ops->close(f->stream);
	buf_finish(&f->page);
	free(f);
}

static struct MHD_Response *make_feed(struct response *rs)
{
	struct feed *f = xcalloc(1, sizeof *f);

	f->stream = rs->stream;
	rs->stream = NULL;
	return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK, feed_read, f, feed_free);
}

static void hook_suspend(void *connection)
{
	MHD_suspend_connection(connection);
}

static void hook_resume(void *connection)
{
	MHD_resume_connection(connection);
}

const struct events_hooks exchange_hooks = { hook_suspend, hook_resume };

static ssize_t events_feed(void *cls, uint64_t at, char *bytes, size_t room)
{
	(void)at;
	ssize_t n = events_read(cls, bytes, room);
	return n < 0 ? MHD_CONTENT_READER_END_OF_STREAM : n;
}

static void events_feed_free(void *cls)
{
	events_leave(cls);
}

static struct MHD_Response *make_events(struct response *rs, struct MHD_Connection *connection)
{
	struct subscriber *s = rs->subscriber;

	rs->subscriber = NULL;
	events_bind(s, connection);
	MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, 0u);
	return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 4096, events_feed, s, events_feed_free);
}

static struct MHD_Response *make_json(const struct response *rs)
{
	char *text = json_dumps(rs->json, JSON_COMPACT | JSON_ENCODE_ANY);

	return text ? MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_FREE) : NULL;
}

static struct MHD_Response *make_text(struct response *rs)
{
	size_t size = rs->text.size;

	return MHD_create_response_from_buffer(size, buf_take(&rs->text), MHD_RESPMEM_MUST_FREE);
}

static struct MHD_Response *make(struct response *rs, struct MHD_Connection *connection)
{
	if (rs->stream)
		return make_feed(rs);
	if (rs->subscriber)
		return make_events(rs, connection);
	if (rs->json)
		return make_json(rs);
	if (rs->fixed)
		return MHD_create_response_from_buffer(rs->fixed_size, (void *)(uintptr_t)rs->fixed, MHD_RESPMEM_PERSISTENT);
	return make_text(rs);
}

static void add_headers(struct MHD_Response *r, const struct response *rs, const struct site *site)
{
	char disposition[160];
	const struct { const char *name, *value; } headers[] = {
		{ "Content-Type", rs->content_type ? rs->content_type : "application/json" },
		{ "Cache-Control", rs->cache ? rs->cache : "no-store" },
		{ "Content-Security-Policy", static_policy(site->files) },
		{ "X-Content-Type-Options", "nosniff" },
		{ "Referrer-Policy", "no-referrer" },
		{ "Cross-Origin-Resource-Policy", "same-origin" },
		{ "Cross-Origin-Opener-Policy", "same-origin" },
		{ "ETag", rs->etag },
		{ "Allow", rs->allow },
		{ "Link", rs->link[0] ? rs->link : NULL },
		{ "Content-Encoding", rs->gzip ? "gzip" : NULL },
		{ "Vary", rs->fixed ? "Accept-Encoding" : NULL },
		{ "WWW-Authenticate", rs->status == MHD_HTTP_UNAUTHORIZED ? "Bearer" : NULL },
		{ "Content-Disposition", rs->filename[0] ? disposition : NULL },
	};

	snprintf(disposition, sizeof disposition, "attachment; filename=\"%s\"", rs->filename);
	for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
		if (headers[i].value)
			MHD_add_response_header(r, headers[i].name, headers[i].value);
}

static enum MHD_Result send_response(struct exchange *x, struct site *site, struct MHD_Connection *connection)
{
	struct MHD_Response *r = make(&x->rs, connection);
	enum MHD_Result queued;

	if (!r)
		return MHD_NO;
	add_headers(r, &x->rs, site);
	queued = MHD_queue_response(connection, x->rs.status ? x->rs.status : MHD_HTTP_OK, r);
	MHD_destroy_response(r);
	return queued;
}

static enum MHD_Result answer(struct exchange *x, struct site *site, struct MHD_Connection *connection)
{
	bool ok = x->err.code == ERR_NONE;

	if (ok)
		ok = x->route ? x->route->handle(&x->rq, site, &x->rs, &x->err) : static_answer(site->files, &x->rq, &x->rs, &x->err);
	if (!ok)
		response_error(&x->rs, &x->err);
	return send_response(x, site, connection);
}

/* --- the body ----------------------------------------------------------------------------------------------------------------------------------- */

static enum MHD_Result collect(struct exchange *x, const char *bytes, size_t size)
{
	x->body_seen += size;
	if (x->err.code == ERR_NONE && x->body_seen > (x->route ? x->route->body_max : 0))
		err_set(&x->err, ERR_TOO_LARGE, "the body may have at most %zu bytes here", x->route ? x->route->body_max : (size_t)0);
	if (x->err.code == ERR_NONE)
		buf_add(&x->rq.body, bytes, size);
	return x->body_seen > DRAIN_MAX ? MHD_NO : MHD_YES;
}

/* A client that waits for "100 Continue" gets its refusal instead of it. Any other has the body on its way already. */
static bool client_waits(struct MHD_Connection *connection)
{
	const char *expect = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Expect");

	return expect && strcasecmp(expect, "100-continue") == 0;
}

enum MHD_Result exchange_step(void *cls, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
                              const char *upload, size_t *upload_size, void **con_cls)
{
	struct exchange *x = *con_cls;
	struct site *site = cls;

	(void)url, (void)version;
	if (!x->begun) {
		x->begun = true;
		read_headers(x, connection, method);
		if (!check(x, site, connection) && client_waits(connection))
			return answer(x, site, connection);
		return MHD_YES;
	}
	if (*upload_size > 0) {
		size_t size = *upload_size;

		*upload_size = 0;
		return collect(x, upload, size);
	}
	return answer(x, site, connection);
}

void exchange_end(void *cls, struct MHD_Connection *connection, void **con_cls, enum MHD_RequestTerminationCode why)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct exchange **current = info ? info->socket_context : NULL;

	(void)cls, (void)why;
	if (current && *current == *con_cls)
		*current = NULL;
	release(*con_cls);
	*con_cls = NULL;
}
