// SPDX-License-Identifier: GPL-2.0-or-later
/* Blocking sockets with poll() before each read. */
#include "http/test_client.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define PATIENCE_MS 10000

int client_connect(uint16_t port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof at) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

bool client_send(int fd, const char *bytes, size_t size)
{
	while (size > 0) {
		ssize_t n = send(fd, bytes, size, MSG_NOSIGNAL);

		if (n <= 0)
			return false;
		bytes += n;
		size -= (size_t)n;
	}
	return true;
}

bool client_text(int fd, const char *text)
{
	return client_send(fd, text, strlen(text));
}

/* More bytes into b: false at the end of file or when nothing came in time. */
static bool more(int fd, struct buf *b, int wait_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char bytes[16384];

	if (poll(&p, 1, wait_ms) <= 0)
		return false;
	ssize_t n = recv(fd, bytes, sizeof bytes, 0);
	if (n <= 0)
		return false;
	buf_add(b, bytes, (size_t)n);
	return true;
}

bool client_until(int fd, struct buf *into, const char *text, int wait_ms)
{
	while (!strstr(buf_text(into), text))
		if (!more(fd, into, wait_ms))
			return false;
	return true;
}

const char *reply_header(const struct reply *r, const char *name, char *out, size_t room)
{
	size_t n = strlen(name);

	out[0] = '\0';
	for (const char *line = strstr(buf_text(&r->head), "\r\n"); line; line = strstr(line + 2, "\r\n"))
		if (strncasecmp(line + 2, name, n) == 0 && line[2 + n] == ':') {
			const char *value = line + 3 + n + strspn(line + 3 + n, " ");

			snprintf(out, room, "%.*s", (int)strcspn(value, "\r"), value);
			break;
		}
	return out;
}

/* One line of raw into line, taken off its front. */
static bool take_line(int fd, struct buf *raw, char line[64])
{
	const char *end;

	while (!(end = strstr(buf_text(raw), "\r\n")))
		if (!more(fd, raw, PATIENCE_MS))
			return false;
	size_t n = (size_t)(end - buf_text(raw));
	snprintf(line, 64, "%.*s", (int)n, buf_text(raw));
	buf_drop(raw, n + 2);
	return true;
}

static bool take_bytes(int fd, struct buf *raw, size_t n, struct buf *to)
{
	while (raw->size < n)
		if (!more(fd, raw, PATIENCE_MS))
			return false;
	buf_add(to, raw->bytes, n);
	buf_drop(raw, n);
	return true;
}

static bool read_chunks(int fd, struct buf *raw, struct buf *body)
{
	char line[64];

	while (take_line(fd, raw, line)) {
		size_t n = strtoul(line, NULL, 16);

		if (n == 0)
			return take_line(fd, raw, line);
		if (!take_bytes(fd, raw, n, body) || !take_line(fd, raw, line))
			return false;
	}
	return false;
}

bool client_reply(int fd, struct reply *r)
{
	struct buf raw = { 0 };
	char value[64];

	reply_finish(r);
	*r = (struct reply){ 0 };
	if (!client_until(fd, &raw, "\r\n\r\n", PATIENCE_MS)) {
		buf_finish(&raw);
		return false;
	}
	size_t head = (size_t)(strstr(buf_text(&raw), "\r\n\r\n") - buf_text(&raw)) + 4;
	take_bytes(fd, &raw, head, &r->head);
	sscanf(buf_text(&r->head), "HTTP/1.%*d %d", &r->status);
	if (strcasecmp(reply_header(r, "Transfer-Encoding", value, sizeof value), "chunked") == 0)
		r->whole = read_chunks(fd, &raw, &r->body);
	else
		r->whole = take_bytes(fd, &raw, strtoul(reply_header(r, "Content-Length", value, sizeof value), NULL, 10), &r->body);
	buf_finish(&raw);
	return r->status != 0;
}

bool client_ask(uint16_t port, const char *method, const char *target, const char *headers, const char *body, struct reply *r)
{
	struct buf out = { 0 };
	int fd = client_connect(port);
	bool ok;

	buf_printf(&out, "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nConnection: close\r\n%s", method, target, port, headers ? headers : "");
	if (body)
		buf_printf(&out, "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s", strlen(body), body);
	else
		buf_printf(&out, "\r\n");
	ok = fd >= 0 && client_send(fd, buf_text(&out), out.size) && client_reply(fd, r);
	buf_finish(&out);
	if (fd >= 0)
		close(fd);
	return ok;
}

json_t *reply_json(const struct reply *r)
{
	return json_loadb(buf_text(&r->body), r->body.size, 0, NULL);
}

void reply_finish(struct reply *r)
{
	buf_finish(&r->head);
	buf_finish(&r->body);
}
