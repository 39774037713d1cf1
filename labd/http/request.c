// SPDX-License-Identifier: GPL-2.0-or-later
/* Targets, queries and bodies: from bytes to values, strictly, before a handler runs. */
#include "http/request.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* One decoded byte at *s, or -1. A plus sign is a space in a query and itself in a path. */
static int decode_byte(const char **s, bool in_query)
{
	const char *p = *s;

	*s = p + 1;
	if (*p == '+' && in_query)
		return ' ';
	if (*p != '%')
		return (unsigned char)*p;
	int high = hex_digit(p[1]), low = high < 0 ? -1 : hex_digit(p[2]);
	*s = p + 3;
	return low < 0 ? -1 : high * 16 + low;
}

/* Decode [from, to) into out; NULL when a byte is not allowed. Returns where the text behind its NUL begins. */
static char *decode(const char *from, const char *to, bool in_query, char *out)
{
	while (from < to) {
		int c = decode_byte(&from, in_query);

		if (c < 0 || from > to || c < ' ' || c == 127 || (!in_query && c == '\\'))
			return NULL;
		*out++ = (char)c;
	}
	*out++ = '\0';
	return out;
}

/* An encoded slash or a dot segment would make the path mean something else than its segments say. */
static bool path_is_plain(const char *raw, const char *end, const char *decoded)
{
	for (const char *p = raw; p < end; p++)
		if (p[0] == '%' && p[1] == '2' && (p[2] == 'f' || p[2] == 'F'))
			return false;
	for (const char *p = decoded; (p = strchr(p, '/')); p++) {
		size_t n = strcspn(p + 1, "/");

		if (n == 0 && p[1] == '/')
			return false;
		if ((n == 1 && p[1] == '.') || (n == 2 && p[1] == '.' && p[2] == '.'))
			return false;
	}
	return true;
}

static bool query_pair(struct request *rq, const char *from, const char *to, char **room)
{
	const char *equals = memchr(from, '=', (size_t)(to - from));
	struct request_pair *pair = &rq->query[rq->query_count];

	if (from == to)
		return true;
	if (rq->query_count == REQUEST_QUERY_MAX)
		return false;
	pair->name = *room;
	*room = decode(from, equals ? equals : to, true, *room);
	if (!*room)
		return false;
	pair->value = *room;
	*room = decode(equals ? equals + 1 : to, to, true, *room);
	rq->query_count++;
	return *room != NULL;
}

static bool query_parse(struct request *rq, const char *query)
{
	char *room = rq->text;

	rq->query_count = 0;
	while (*query) {
		size_t n = strcspn(query, "&");

		if (!query_pair(rq, query, query + n, &room))
			return false;
		query += n + (query[n] == '&');
	}
	return true;
}

bool request_target(struct request *rq, const char *target, struct err *e)
{
	const char *end = target + strcspn(target, "?#");

	if (strlen(target) > REQUEST_TARGET_MAX)
		return err_set(e, ERR_INVALID, "the address is longer than %d bytes", REQUEST_TARGET_MAX);
	if (target[0] != '/')
		return err_set(e, ERR_INVALID, "the address must begin with a slash");
	if (!decode(target, end, false, rq->path) || !path_is_plain(target, end, rq->path))
		return err_set(e, ERR_INVALID, "the path has a byte, an escape or a dot segment that is not allowed here");
	if (*end == '?' && !query_parse(rq, end + 1))
		return err_set(e, ERR_INVALID, "the query cannot be decoded, or has more than %d parameters", REQUEST_QUERY_MAX);
	return true;
}

const char *request_query(const struct request *rq, const char *name)
{
	for (size_t i = 0; i < rq->query_count; i++)
		if (strcmp(rq->query[i].name, name) == 0)
			return rq->query[i].value;
	return NULL;
}

static void escape(struct buf *out, const char *text)
{
	for (; *text; text++)
		if (isalnum((unsigned char)*text) || strchr("-._~", *text))
			buf_add_byte(out, (uint8_t)*text);
		else
			buf_printf(out, "%%%02X", (unsigned char)*text);
}

void request_query_text(const struct request *rq, struct buf *out)
{
	for (size_t i = 0; i < rq->query_count; i++) {
		buf_add_byte(out, i ? '&' : '?');
		escape(out, rq->query[i].name);
		buf_add_byte(out, '=');
		escape(out, rq->query[i].value);
	}
}

static bool whole_number(const char *text, int64_t *out)
{
	char *end;

	if (!isdigit((unsigned char)text[text[0] == '-']))
		return false;
	errno = 0;
	*out = strtoll(text, &end, 10);
	return errno == 0 && *end == '\0';
}

bool request_number(const struct request *rq, const char *name, int64_t least, int64_t most, int64_t fallback, int64_t *out, struct err *e)
{
	const char *text = request_query(rq, name);
	int64_t value = fallback;

	if (text && (!whole_number(text, &value) || value < least || value > most))
		return err_set(e, ERR_INVALID, "%s: must be a whole number from %lld to %lld", name, (long long)least, (long long)most);
	*out = value;
	return true;
}

bool request_flag(const struct request *rq, const char *name, bool fallback, bool *out, struct err *e)
{
	const char *text = request_query(rq, name);

	*out = fallback;
	if (!text)
		return true;
	*out = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
	if (!*out && strcmp(text, "false") != 0 && strcmp(text, "0") != 0)
		return err_set(e, ERR_INVALID, "%s: must be true or false", name);
	return true;
}

bool request_id(const struct request *rq, size_t param, int64_t *out, struct err *e)
{
	int64_t value;

	if (!whole_number(rq->params[param], &value) || value < 1)
		return err_set(e, ERR_NOT_FOUND, "nothing has the number %.40s", rq->params[param]);
	*out = value;
	return true;
}

bool request_json(const struct request *rq, struct json_doc *d, struct err *e)
{
	static const char wanted[] = "application/json";

	*d = (struct json_doc){ 0 };
	if (rq->body.size == 0)
		return json_doc_parse(d, "body", "{}", 2, e);
	if (strncasecmp(rq->content_type, wanted, sizeof wanted - 1) != 0)
		return err_set(e, ERR_UNSUPPORTED, "the body must be sent with Content-Type: %s", wanted);
	return json_doc_parse(d, "body", (const char *)rq->body.bytes, rq->body.size, e);
}

bool request_accepts(const struct request *rq, const char *media_type)
{
	const char *at = strstr(rq->accept, media_type);
	const char *any = strstr(rq->accept, "*/*");

	return at && (!any || at < any);
}

void request_finish(struct request *rq)
{
	buf_finish(&rq->body);
}
