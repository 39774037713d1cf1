// SPDX-License-Identifier: GPL-2.0-or-later
/* libcurl behind a few calls. Every request is bounded: connecting by 5 s, an answer by a minute; a download or a stream by silence. */
#include "ctl/client.h"

#include <ctype.h>
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mem.h"

struct client {
	char *url, *authorization;
	CURL *curl;
};

struct event_parser {
	struct buf unread;
	client_event_fn *on_event;
	void *opaque;
	bool ended;
};

/* --- where it is -------------------------------------------------------------------------------------------------------------------------------- */

char *client_state_dir(const char *given)
{
	const char *own = getenv("LABD_STATE"), *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	if (given)
		return xstrdup(given);
	if (own && own[0])
		return xstrdup(own);
	if (state && state[0] == '/')                            /* as the daemon has it, and the XDG specification */
		return xasprintf("%s/labd", state);
	return xasprintf("%s/.local/state/labd", home ? home : "");
}

static bool read_endpoint(struct client *c, const char *state_dir, struct err *e)
{
	char *path = xasprintf("%s/endpoint.json", state_dir);
	json_t *json = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const char *url, *token;
	bool ok;

	if (fd >= 0) {
		json = json_loadfd(fd, 0, NULL);
		close(fd);
	}
	url = json_string_value(json_object_get(json, "url"));
	token = json_string_value(json_object_get(json, "token"));
	ok = url && token && strncmp(url, "http://", 7) == 0;
	if (ok) {
		c->url = xstrdup(url);
		c->authorization = xasprintf("Authorization: Bearer %s", token);
	} else if (fd >= 0) {
		err_set(e, ERR_INVALID, "%.150s is not what a daemon writes", path);
	} else if (errno != ENOENT && errno != ENOTDIR) {
		err_errno(e, "%.150s (it is the daemon's user's alone)", path);
	} else {
		err_set(e, ERR_LOST, "no daemon is running on %.150s (start one with ./lab up, or say --state)", state_dir);
	}
	json_decref(json);
	free(path);
	return ok;
}

bool client_open(const char *state_dir, struct client **out, struct err *e)
{
	struct client *c = xcalloc(1, sizeof *c);

	curl_global_init(CURL_GLOBAL_DEFAULT);
	c->curl = curl_easy_init();
	if (!c->curl)
		err_set(e, ERR_INTERNAL, "libcurl does not start");
	else if (read_endpoint(c, state_dir, e)) {
		*out = c;
		return true;
	}
	client_close(c);
	return false;
}

void client_close(struct client *c)
{
	if (!c)
		return;
	if (c->curl)
		curl_easy_cleanup(c->curl);
	if (c->authorization)
		explicit_bzero(c->authorization, strlen(c->authorization));
	free(c->authorization);
	free(c->url);
	free(c);
}

const char *client_url(const struct client *c)
{
	return c->url;
}

/* --- paths -------------------------------------------------------------------------------------------------------------------------------------- */

void client_part(struct buf *path, const char *part)
{
	for (const char *p = part; *p; p++)
		if (isalnum((unsigned char)*p) || strchr("-._~", *p))
			buf_add_byte(path, (uint8_t)*p);
		else
			buf_printf(path, "%%%02X", (unsigned char)*p);
}

void client_query(struct buf *path, const char *name, const char *value)
{
	if (!value)
		return;
	buf_printf(path, "%c%s=", strchr(buf_text(path), '?') ? '&' : '?', name);
	client_part(path, value);
}

/* --- requests ----------------------------------------------------------------------------------------------------------------------------------- */

static size_t take_bytes(char *bytes, size_t size, size_t n, void *opaque)
{
	buf_add(opaque, bytes, size * n);
	return size * n;
}

static struct curl_slist *begin(const struct client *c, CURL *curl, const char *method, const char *path, const char *accept)
{
	struct curl_slist *headers = curl_slist_append(NULL, c->authorization);
	char *url = xasprintf("%s/api/v1%s", c->url, path), *accepts = xasprintf("Accept: %s", accept);

	headers = curl_slist_append(headers, accepts);
	curl_easy_reset(curl);
	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, 5L);
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	free(url);
	free(accepts);
	return headers;
}

/* False with ERR_LOST when there was no answer, otherwise true and the HTTP status. */
static bool perform(const struct client *c, CURL *curl, struct curl_slist *headers, long *status, struct err *e)
{
	CURLcode code;

	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	code = curl_easy_perform(curl);
	curl_slist_free_all(headers);
	*status = 0;
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, status);
	if (code == CURLE_OK)
		return true;
	return err_set(e, *status ? ERR_IO : ERR_LOST, "the daemon at %s does not answer: %s", c->url, curl_easy_strerror(code));
}

/* The daemon's own sentence out of an answer that is not a success. */
static bool refusal(long status, const struct buf *body, struct err *e)
{
	json_t *json = json_loadb(buf_text(body), body->size, 0, NULL), *error = json_object_get(json, "error");
	const char *code = json_string_value(json_object_get(error, "code")), *message = json_string_value(json_object_get(error, "message"));
	enum err_code known = status >= 500 ? ERR_INTERNAL : ERR_INVALID;

	for (int i = 1; code && i < ERR_CODES; i++)
		if (strcmp(err_word((enum err_code)i), code) == 0)
			known = (enum err_code)i;
	if (message)
		err_set(e, known, "%s", message);
	else
		err_set(e, known, "the daemon answered with status %ld", status);
	json_decref(json);
	return false;
}

static bool request(struct client *c, const char *method, const char *path, const char *accept, const char *body, struct buf *answer, struct err *e)
{
	struct curl_slist *headers = begin(c, c->curl, method, path, accept);
	long status;

	if (body) {
		headers = curl_slist_append(headers, "Content-Type: application/json");
		curl_easy_setopt(c->curl, CURLOPT_POSTFIELDS, body);
	}
	curl_easy_setopt(c->curl, CURLOPT_TIMEOUT, 60L);
	curl_easy_setopt(c->curl, CURLOPT_WRITEFUNCTION, take_bytes);
	curl_easy_setopt(c->curl, CURLOPT_WRITEDATA, answer);
	if (!perform(c, c->curl, headers, &status, e))
		return false;
	return (status >= 200 && status < 300) || refusal(status, answer, e);
}

json_t *client_call_text(struct client *c, const char *method, const char *path, const char *body, struct err *e)
{
	struct buf answer = { 0 };
	json_t *json = NULL;

	if (request(c, method, path, "application/json", body, &answer, e)) {
		json = json_loadb(buf_text(&answer), answer.size, JSON_DECODE_ANY, NULL);
		if (!json)
			err_set(e, ERR_PROTOCOL, "the daemon answered something that is not JSON");
	}
	buf_finish(&answer);
	return json;
}

json_t *client_call(struct client *c, const char *method, const char *path, const json_t *body, struct err *e)
{
	char *text = body ? json_dumps(body, JSON_COMPACT) : NULL;
	json_t *json = client_call_text(c, method, path, text, e);

	free(text);
	return json;
}

char *client_text(struct client *c, const char *path, struct err *e)
{
	struct buf answer = { 0 };

	if (request(c, "GET", path, "text/plain", NULL, &answer, e))
		return buf_take(&answer);
	buf_finish(&answer);
	return NULL;
}

/* --- downloads ---------------------------------------------------------------------------------------------------------------------------------- */

struct download {
	CURL *curl;
	FILE *f;
	struct buf refused;
	int failed;                                              /* errno of a write that did; 0 = none */
};

static size_t take_download(char *bytes, size_t size, size_t n, void *opaque)
{
	struct download *d = opaque;
	long status = 0;

	curl_easy_getinfo(d->curl, CURLINFO_RESPONSE_CODE, &status);
	if (status != 200) {
		buf_add(&d->refused, bytes, size * n);
		return size * n;
	}
	errno = 0;
	n = fwrite(bytes, size, n, d->f) == n && !ferror(d->f) ? n : 0;
	if (n == 0)
		d->failed = errno ? errno : EIO;
	return n * size;
}

bool client_download(struct client *c, const char *path, FILE *f, struct err *e)
{
	struct download d = { .curl = c->curl, .f = f };
	struct curl_slist *headers = begin(c, c->curl, "GET", path, "*/*");
	long status;
	bool ok;

	curl_easy_setopt(c->curl, CURLOPT_WRITEFUNCTION, take_download);
	curl_easy_setopt(c->curl, CURLOPT_WRITEDATA, &d);
	curl_easy_setopt(c->curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(c->curl, CURLOPT_LOW_SPEED_TIME, 60L);
	ok = perform(c, c->curl, headers, &status, e);
	errno = d.failed;
	if (d.failed)                                            /* libcurl calls it the other side's fault */
		ok = err_errno(e, "what the daemon sent cannot be written");
	else if (ok && status != 200)
		ok = refusal(status, &d.refused, e);
	buf_finish(&d.refused);
	return ok;
}

/* --- events ------------------------------------------------------------------------------------------------------------------------------------- */

/* The text behind "field: " on a line of its own in one event, into out. */
static void event_field(const char *event, const char *field, char *out, size_t room)
{
	size_t n = strlen(field);

	out[0] = '\0';
	for (const char *line = event; *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (strncmp(line, field, n) == 0)
			snprintf(out, room, "%.*s", (int)strcspn(line + n, "\n"), line + n);
}

static void tell(struct event_parser *p, const char *event, size_t size)
{
	char *data = xcalloc(1, size + 1), type[32];
	json_t *json;

	event_field(event, "event: ", type, sizeof type);
	event_field(event, "data: ", data, size + 1);
	json = json_loads(data, JSON_DECODE_ANY, NULL);
	if (type[0])
		p->ended = !p->on_event(p->opaque, type, json);
	json_decref(json);
	free(data);
}

static size_t take_events(char *bytes, size_t size, size_t n, void *opaque)
{
	struct event_parser *p = opaque;
	const char *end;

	buf_add(&p->unread, bytes, size * n);
	while (!p->ended && (end = strstr(buf_text(&p->unread), "\n\n"))) {
		size_t length = (size_t)(end + 2 - buf_text(&p->unread));
		char *event = xstrndup(buf_text(&p->unread), length);

		buf_drop(&p->unread, length);
		tell(p, event, length);
		free(event);
	}
	return p->ended || p->unread.size > 1 << 20 ? 0 : size * n;
}

static int tick(void *opaque, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	struct event_parser *p = opaque;

	(void)a, (void)b, (void)c, (void)d;
	if (!p->ended)
		p->ended = !p->on_event(p->opaque, NULL, NULL);
	return p->ended;
}

bool client_follow(struct client *c, client_event_fn *on_event, void *opaque, struct err *e)
{
	struct event_parser p = { .on_event = on_event, .opaque = opaque };
	CURL *curl = curl_easy_init();                           /* of its own: the callback may use the client's meanwhile */
	struct curl_slist *headers;
	long status;
	bool ok;

	if (!curl)
		return err_set(e, ERR_INTERNAL, "libcurl does not start");
	headers = begin(c, curl, "GET", "/events", "text/event-stream");
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_events);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, &p);
	curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, tick);
	curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &p);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, 60L);
	ok = perform(c, curl, headers, &status, e);
	if (p.ended)
		ok = true;
	else if (ok || e->code == ERR_IO)                        /* a clean end or a cut: a stream has no other */
		ok = status == 200 ? err_set(e, ERR_LOST, "the daemon ended the event stream") : refusal(status, &p.unread, e);
	curl_easy_cleanup(curl);
	buf_finish(&p.unread);
	return ok;
}
