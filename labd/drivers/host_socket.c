// SPDX-License-Identifier: GPL-2.0-or-later
#include "drivers/host_socket.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/clock.h"

static struct addrinfo *resolve(const struct endpoint *to, struct err *e)
{
	int type = to->proto == LINK_TCP ? SOCK_STREAM : SOCK_DGRAM;
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = type }, *found;
	char port[8];

	snprintf(port, sizeof port, "%u", to->port);
	int why = getaddrinfo(to->host, port, &hints, &found);
	if (why == EAI_NONAME) {
		hints.ai_flags = AI_NUMERICSERV;
		why = getaddrinfo(to->host, port, &hints, &found);
	}
	if (why == 0)
		return found;
	err_set(e, ERR_NOT_FOUND, "host %s: %s", to->host, gai_strerror(why));
	return NULL;
}

int host_socket_open(const struct endpoint *to, bool *pending, struct err *e)
{
	struct addrinfo *at = resolve(to, e);
	int one = 1, fd;

	if (!at)
		return -1;
	fd = socket(at->ai_family, at->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd >= 0 && to->proto == LINK_TCP)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	bool ok = fd >= 0 && connect(fd, at->ai_addr, at->ai_addrlen) == 0;
	*pending = fd >= 0 && !ok && errno == EINPROGRESS;
	freeaddrinfo(at);
	if (ok || *pending)
		return fd;
	err_errno(e, "connect to %s port %u", to->host, to->port);
	if (fd >= 0)
		close(fd);
	return -1;
}

uint16_t host_socket_port(int fd)
{
	union { struct sockaddr any; struct sockaddr_in v4; struct sockaddr_in6 v6; } at = { .v4 = { .sin_port = 0 } };
	socklen_t size = sizeof at;

	if (getsockname(fd, &at.any, &size) != 0)
		return 0;
	return ntohs(at.any.sa_family == AF_INET6 ? at.v6.sin6_port : at.v4.sin_port);
}

int host_socket_error(int fd)
{
	int error = 0;
	socklen_t size = sizeof error;

	getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
	return error;
}

void host_socket_abort(int fd)
{
	struct linger at_once = { .l_onoff = 1 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
	close(fd);
}

void host_socket_quickack(int fd)
{
	int one = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_QUICKACK, &one, sizeof one);
}

int host_socket_poll(int fd, short events, int cancel_fd, uint64_t deadline_ns, struct err *e)
{
	struct pollfd fds[2] = { { .fd = fd, .events = events }, { .fd = cancel_fd, .events = POLLIN } };
	int n;

	do
		n = poll(fds, 2, clock_left_ms(&clock_host, deadline_ns));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return err_errno(e, "poll") - 1;
	if (fds[1].revents)
		return err_set(e, ERR_CANCELLED, "cancelled") - 1;
	return n > 0;
}
