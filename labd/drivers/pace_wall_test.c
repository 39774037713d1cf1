// SPDX-License-Identifier: GPL-2.0-or-later
/* The wall pace against a loopback server on a thread, which serves what pace_contract.h says. */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "drivers/pace_contract.h"
#include "drivers/pace_drivers.h"

enum { CONNECTIONS = 4 };

struct connection {
	int fd;                              /* -1 = free */
	char mode;                           /* 0 = no byte yet */
	size_t taken;
};

struct server {
	int tcp, udp, quit;
	struct connection connections[CONNECTIONS];
	pthread_t thread;
};

static int listen_at(int type, uint16_t *port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof at;
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);

	if (bind(fd, (struct sockaddr *)&at, sizeof at) != 0 || (type == SOCK_STREAM && listen(fd, 8) != 0))
		return -1;
	getsockname(fd, (struct sockaddr *)&at, &size);
	*port = ntohs(at.sin_port);
	return fd;
}

static void end(struct connection *c, bool reset)
{
	struct linger at_once = { .l_onoff = 1 };

	if (reset)
		setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
	close(c->fd);
	c->fd = -1;
}

static void say_ramp(int fd, size_t from, size_t to, unsigned modulus)
{
	uint8_t bytes[4096];

	while (from < to) {
		size_t n = to - from < sizeof bytes ? to - from : sizeof bytes;
		for (size_t i = 0; i < n; i++)
			bytes[i] = (uint8_t)((from + i) % modulus);
		if (send(fd, bytes, n, MSG_NOSIGNAL) != (ssize_t)n)
			return;
		from += n;
	}
}

static void begin(struct connection *c, char mode)
{
	c->mode = mode;
	if (mode == 'P') {
		say_ramp(c->fd, 0, CONTRACT_PIECE, 256);
		say_ramp(c->fd, CONTRACT_PIECE, CONTRACT_PIECES_TOTAL, 256);
	} else if (mode == 'B') {
		say_ramp(c->fd, 0, CONTRACT_BULK, 251);
	} else if (mode == 'C' || mode == 'R') {
		end(c, mode == 'R');
	}
}

static void serve_connection(struct connection *c)
{
	char bytes[65536], text[16], *at = bytes;
	ssize_t n = recv(c->fd, bytes, sizeof bytes, 0);

	if (n <= 0) {
		if (n == 0 && c->mode == 'S' && send(c->fd, text, (size_t)snprintf(text, sizeof text, "%zu", c->taken), MSG_NOSIGNAL) < 0)
			return;
		end(c, false);
		return;
	}
	if (!c->mode) {
		begin(c, *at++);
		n--;
	}
	c->taken += (size_t)n;
	if (c->fd >= 0 && n > 0 && c->mode == 'E' && send(c->fd, at, (size_t)n, MSG_NOSIGNAL) < 0)
		end(c, false);
}

static void echo_datagram(int fd)
{
	uint8_t bytes[2048];
	struct sockaddr_in from;
	socklen_t size = sizeof from;
	ssize_t n = recvfrom(fd, bytes, sizeof bytes, 0, (struct sockaddr *)&from, &size);

	if (n >= 0)
		sendto(fd, bytes, (size_t)n, 0, (struct sockaddr *)&from, size);
}

static void accept_connection(struct server *s)
{
	int fd = accept4(s->tcp, NULL, NULL, SOCK_CLOEXEC);

	for (size_t i = 0; i < CONNECTIONS; i++)
		if (s->connections[i].fd < 0) {
			s->connections[i] = (struct connection){ .fd = fd };
			return;
		}
	close(fd);
}

static void *serve(void *opaque)
{
	struct server *s = opaque;

	for (;;) {
		struct pollfd fds[3 + CONNECTIONS] = { { s->quit, POLLIN, 0 }, { s->tcp, POLLIN, 0 }, { s->udp, POLLIN, 0 } };
		for (size_t i = 0; i < CONNECTIONS; i++)
			fds[3 + i] = (struct pollfd){ .fd = s->connections[i].fd, .events = POLLIN };
		poll(fds, 3 + CONNECTIONS, -1);
		if (fds[0].revents)
			return NULL;
		for (size_t i = 0; i < CONNECTIONS; i++)
			if (fds[3 + i].revents)
				serve_connection(&s->connections[i]);
		if (fds[1].revents)
			accept_connection(s);
		if (fds[2].revents)
			echo_datagram(s->udp);
	}
}

static bool start(struct server *s, struct contract_world *w)
{
	uint16_t tcp, udp, closed;
	int fd = listen_at(SOCK_STREAM, &closed);

	*s = (struct server){ .tcp = listen_at(SOCK_STREAM, &tcp), .udp = listen_at(SOCK_DGRAM, &udp), .quit = eventfd(0, EFD_CLOEXEC) };
	close(fd);
	for (size_t i = 0; i < CONNECTIONS; i++)
		s->connections[i].fd = -1;
	w->tcp = (struct endpoint){ LINK_TCP, "127.0.0.1", tcp };
	w->udp = (struct endpoint){ LINK_UDP, "127.0.0.1", udp };
	w->closed = (struct endpoint){ LINK_TCP, "127.0.0.1", closed };
	return pthread_create(&s->thread, NULL, serve, s) == 0;
}

static void stop(struct server *s)
{
	eventfd_write(s->quit, 1);
	pthread_join(s->thread, NULL);
	for (size_t i = 0; i < CONNECTIONS; i++)
		if (s->connections[i].fd >= 0)
			close(s->connections[i].fd);
	close(s->tcp);
	close(s->udp);
	close(s->quit);
}

static void with_wall(void (*contract)(struct contract_world *w))
{
	struct server s;
	struct contract_world w = { .power_cycle = NULL };
	struct err e = { .code = ERR_NONE };

	CHECK(start(&s, &w));
	w.pace = pace_wall_create(&e);
	if (w.pace)
		contract(&w);
	pace_destroy(w.pace);
	stop(&s);
	CHECK_OK(w.pace != NULL, &e);
}

PACE_CONTRACTS(PACE_CONTRACT_WALL)

static void nobody_counts_frames(struct contract_world *w)
{
	CHECK(pace_frames(w->pace) == UINT64_MAX);
}

TEST(wall_counts_no_frames)
{
	with_wall(nobody_counts_frames);
}

static void serial_line_survives(struct contract_world *w)
{
	struct link *l;
	struct err e;
	uint8_t byte = 0;
	uint64_t deadline = pace_now_ns(w->pace) + 5000000000;

	CHECK_OK(pace_open(w->pace, &w->tcp, "uart0", &l, &e), &e);
	while (!(link_state(l) & LINK_OPEN))
		CHECK_OK(pace_wait(w->pace, NULL, 0, deadline, &e), &e);
	pace_restarted(w->pace);
	CHECK_EQ(link_send(l, "Ex", 2, &e), 2);
	struct link_want want = { .link = l, .received = 1 };
	CHECK_OK(pace_wait(w->pace, &want, 1, deadline, &e), &e);
	CHECK_EQ(link_recv(l, &byte, 1, &e), 1);
	CHECK_EQ(byte, 'x');
	link_close(l, false);
}

TEST(wall_a_restart_spares_the_serial_line)
{
	with_wall(serial_line_survives);
}
