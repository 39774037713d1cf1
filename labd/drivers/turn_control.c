// SPDX-License-Identifier: GPL-2.0-or-later
#include "drivers/turn_control.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/unix_socket.h"
#include "drivers/host_socket.h"

bool turn_control_open(struct turn_control *c, const char *path, unsigned silence_ms, struct err *e)
{
	c->silence_ms = silence_ms;
	c->in_bytes = 0;
	c->fd = unix_socket_connect(path, silence_ms, e);
	return c->fd >= 0;
}

void turn_control_close(struct turn_control *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

uint64_t turn_control_patience(const struct turn_control *c)
{
	return clock_now_ns(&clock_host) + c->silence_ms * NS_PER_MS;
}

bool turn_control_write(struct turn_control *c, const char *line, size_t n, struct err *e)
{
	for (size_t done = 0; done < n;) {
		ssize_t some = send(c->fd, line + done, n - done, MSG_NOSIGNAL);
		if (some < 0 && errno == EINTR)
			continue;
		if (some < 0)
			return err_errno(e, "the virtual board's control socket");
		done += (size_t)some;
	}
	return true;
}

static bool take_line(struct turn_control *c, char *line)
{
	char *end = memchr(c->in, '\n', c->in_bytes);

	if (!end)
		return false;
	size_t n = (size_t)(end - c->in);
	memcpy(line, c->in, n);
	line[n] = '\0';
	c->in_bytes -= n + 1;
	memmove(c->in, end + 1, c->in_bytes);
	return true;
}

bool turn_control_line(struct turn_control *c, char line[TURN_LINE_MOST], const char *what, struct err *e)
{
	uint64_t deadline = turn_control_patience(c);

	while (!take_line(c, line)) {
		if (c->in_bytes == sizeof c->in)
			return err_set(e, ERR_PROTOCOL, "the virtual board sent a line of over %d bytes", TURN_LINE_MOST);
		int ready = host_socket_poll(c->fd, POLLIN, -1, deadline, e);
		if (ready < 0)
			return false;
		if (ready == 0)
			return err_set(e, ERR_TIMEOUT, "the virtual board's control socket was silent for %u ms while waiting for %s", c->silence_ms, what);
		ssize_t n = recv(c->fd, c->in + c->in_bytes, sizeof c->in - c->in_bytes, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return err_set(e, ERR_LOST, "the virtual board closed its control socket while waiting for %s", what);
		c->in_bytes += (size_t)n;
	}
	return true;
}
