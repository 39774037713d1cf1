// SPDX-License-Identifier: GPL-2.0-or-later
/* A connection for each request, so that a restarted process is found. */
#include "drivers/control_ask.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/unix_socket.h"

enum { DEADLINE_MS = 10000 };

/* A line within the deadline; NUL-terminated without its line feed. */
static bool read_line(int fd, const char *request, char *line, size_t room, struct err *e)
{
	uint64_t until = clock_now_ns(&clock_host) + DEADLINE_MS * NS_PER_MS;
	size_t n = 0;

	while (n < room - 1) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		ssize_t got = 0;

		if (poll(&p, 1, clock_left_ms(&clock_host, until)) == 0)
			return err_set(e, ERR_TIMEOUT, "no answer to \"%s\" from the vboard process within %d ms", request, DEADLINE_MS);
		got = recv(fd, line + n, room - 1 - n, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return err_set(e, ERR_LOST, "the vboard process closed the connection after \"%s\"", request);
		n += (size_t)got;
		if (line[n - 1] == '\n') {
			line[n - 1] = 0;
			return true;
		}
	}
	return err_set(e, ERR_PROTOCOL, "the answer to \"%s\" is longer than %zu bytes", request, room);
}

bool control_ask(const char *path, const char *request, char *answer, size_t room, struct err *e)
{
	char line[64];
	struct err why;
	int n = snprintf(line, sizeof line, "%s\n", request), fd = unix_socket_connect(path, DEADLINE_MS, &why);
	bool ok;

	if (fd < 0 && (why.code == ERR_TIMEOUT || why.code == ERR_INVALID))
		return err_set(e, why.code, "the vboard process does not answer: %s", why.msg);
	if (fd < 0)
		return err_set(e, ERR_LOST, "the vboard process is gone: %s", why.msg);
	ok = send(fd, line, (size_t)n, MSG_NOSIGNAL) == n || err_set(e, ERR_LOST, "the vboard process does not listen");
	ok = ok && read_line(fd, request, answer, room, e);
	close(fd);
	return ok;
}
