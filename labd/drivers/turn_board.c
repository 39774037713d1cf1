// SPDX-License-Identifier: GPL-2.0-or-later
#include "drivers/turn_board.h"

#include <assert.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/buf.h"
#include "core/mem.h"

enum { ENDS_MOST = 8, WAIT_MS = 5000, CREDIT = 65536, DATAGRAM_CREDIT = 16, OPEN_NS = 555000, LOST = -1 };

struct turn_end {
	char id[16];
	int fd;                              /* UDP: the shared socket */
	bool udp, opened, eof, reset, fin, aborted;
	struct sockaddr_in from;
	char reported[4];
	uint64_t taken, given;
	struct buf out;                      /* TCP: given, not yet written */
};

struct event {
	uint64_t at_ns, order;
	struct turn_end *end;
	enum { EVENT_OPEN, EVENT_BYTES, EVENT_EOF, EVENT_RESET } what;
	uint8_t *bytes;
	size_t n;
	struct event *next;
};

struct turn_board {
	const struct turn_script *script;
	char control_path[108];
	int listener, tcp, udp, uart, control, quit;
	pthread_t thread;
	uint64_t now_ns;
	struct event *events;
	struct turn_end ends[ENDS_MOST];
	size_t count;
	struct buf in;
	atomic_uint turns, aborts;
	atomic_bool restart;                 /* asked for; done at the next turn */
};

static int listen_inet(int type)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) != 0 || (type == SOCK_STREAM && listen(fd, 8) != 0))
		abort();
	return fd;
}

static uint16_t port_of(int fd)
{
	struct sockaddr_in at;
	socklen_t size = sizeof at;

	getsockname(fd, (struct sockaddr *)&at, &size);
	return ntohs(at.sin_port);
}

/* The world. */

static void add_event(struct turn_board *b, struct event ev)
{
	struct event **at = &b->events, *e = xcalloc(1, sizeof *e);

	*e = ev;
	while (*at && (*at)->at_ns <= ev.at_ns)
		at = &(*at)->next;
	e->next = *at;
	*at = e;
}

void turn_board_say(struct turn_board *b, struct turn_end *end, uint64_t delay_ns, const void *bytes, size_t n)
{
	uint8_t *copy = xcalloc(1, n + 1);

	memcpy(copy, bytes, n);
	add_event(b, (struct event){ .at_ns = b->now_ns + delay_ns, .end = end, .what = EVENT_BYTES, .bytes = copy, .n = n });
}

void turn_board_close(struct turn_board *b, struct turn_end *end, uint64_t delay_ns, bool reset)
{
	add_event(b, (struct event){ .at_ns = b->now_ns + delay_ns, .end = end, .what = reset ? EVENT_RESET : EVENT_EOF });
}

static void give(struct turn_end *end, const uint8_t *bytes, size_t n)
{
	if (end->udp) {
		sendto(end->fd, bytes, n, 0, (struct sockaddr *)&end->from, sizeof end->from);
		end->given++;
	} else {
		buf_add(&end->out, bytes, n);
		end->given += n;
	}
}

static void run_event(struct turn_board *b)
{
	struct event *ev = b->events;

	b->events = ev->next;
	b->now_ns = ev->at_ns;
	if (ev->what == EVENT_OPEN)
		ev->end->opened = true;
	else if (ev->what == EVENT_EOF)
		ev->end->eof = true;
	else if (ev->what == EVENT_RESET)
		ev->end->reset = true;
	else if (!ev->end->aborted && !ev->end->reset)
		give(ev->end, ev->bytes, ev->n);
	free(ev->bytes);
	free(ev);
}

static void write_out(struct turn_end *end)
{
	while (!end->udp && end->fd >= 0 && end->out.size) {
		ssize_t n = send(end->fd, end->out.bytes, end->out.size, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n <= 0)
			return;
		buf_drop(&end->out, (size_t)n);
	}
}

static void drop_events(struct turn_board *b)
{
	while (b->events) {
		struct event *ev = b->events;
		b->events = ev->next;
		free(ev->bytes);
		free(ev);
	}
}

/* The power went off and came on again. */
static void restart(struct turn_board *b)
{
	b->now_ns = 0;
	drop_events(b);
	for (size_t i = 0; i < b->count; i++)
		if (strcmp(b->ends[i].id, "uart0") != 0)
			b->ends[i].id[0] = '\0';
}

/* Links. */

static struct turn_end *find_end(struct turn_board *b, const char *id)
{
	for (size_t i = 0; i < b->count; i++)
		if (strcmp(b->ends[i].id, id) == 0)
			return &b->ends[i];
	return NULL;
}

static struct turn_end *add_end(struct turn_board *b, const char *id, int fd, bool udp)
{
	struct turn_end *end = &b->ends[b->count++];

	assert(b->count <= ENDS_MOST);
	*end = (struct turn_end){ .fd = fd, .udp = udp, .reported = "-" };
	snprintf(end->id, sizeof end->id, "%s", id);
	if (udp || fd < 0)
		return end;
	if (b->script->refuse)
		add_event(b, (struct event){ .at_ns = b->now_ns + OPEN_NS, .end = end, .what = EVENT_RESET });
	else if (!b->script->unanswered)
		add_event(b, (struct event){ .at_ns = b->now_ns + OPEN_NS, .end = end, .what = EVENT_OPEN });
	return end;
}

static struct turn_end *accept_end(struct turn_board *b, const char *id)
{
	struct turn_end *end;
	int door = strcmp(id, "uart0") == 0 ? b->uart : b->tcp;
	struct pollfd fd = { .fd = door, .events = POLLIN };

	while (!(end = find_end(b, id)) && poll(&fd, 1, WAIT_MS) > 0) {
		struct sockaddr_in from;
		socklen_t size = sizeof from;
		char name[16];
		int link = accept4(door, (struct sockaddr *)&from, &size, SOCK_CLOEXEC);
		snprintf(name, sizeof name, "%u", ntohs(from.sin_port));
		add_end(b, door == b->uart ? "uart0" : name, link, false);
	}
	return end;
}

static struct turn_end *known(struct turn_board *b, const char *id)
{
	struct turn_end *end = find_end(b, id);

	if (end)
		return end;
	return id[0] == 'u' && id[1] != 'a' ? add_end(b, id, b->udp, true) : accept_end(b, id);
}

static bool read_one(struct turn_board *b, struct turn_end *end, uint64_t sent)
{
	uint8_t bytes[65536];
	socklen_t size = sizeof end->from;
	struct pollfd fd = { .fd = end->fd, .events = POLLIN };
	size_t room = end->udp || sent - end->taken > sizeof bytes ? sizeof bytes : (size_t)(sent - end->taken);

	if (poll(&fd, 1, WAIT_MS) <= 0)
		return false;
	ssize_t n = end->udp ? recvfrom(end->fd, bytes, room, 0, (struct sockaddr *)&end->from, &size) : recv(end->fd, bytes, room, 0);
	if (n <= 0)
		return false;
	end->taken += end->udp ? 1 : (uint64_t)n;
	if (b->script->input)
		b->script->input(b, end, bytes, (size_t)n, false, b->script->opaque);
	return true;
}

/* What the host says of one link at the start of a turn. */
static bool enter(struct turn_board *b, const char *id, uint64_t sent, const char *flags)
{
	struct turn_end *end = known(b, id);
	bool fin = strchr(flags, 'f'), abort_it = strchr(flags, 'a');

	if (!end)
		return false;
	while (!end->reset && !end->aborted && end->taken < sent)
		if (!read_one(b, end, sent))
			return false;
	if (fin && !end->fin && b->script->input)
		b->script->input(b, end, NULL, 0, true, b->script->opaque);
	end->fin |= fin;
	b->aborts += abort_it && !end->aborted;
	end->aborted |= abort_it;
	end->reset |= abort_it;
	return true;
}

/* Turns. */

struct want { struct turn_end *end; uint64_t received, room; };

static uint64_t limit(const struct turn_end *end)
{
	return end->taken + (end->udp ? DATAGRAM_CREDIT : CREDIT);
}

static void flags_of(const struct turn_end *end, char out[4])
{
	snprintf(out, 4, "%s%s%s", end->opened ? "o" : "", end->eof ? "e" : "", end->reset ? "r" : "");
	if (!out[0])
		strcpy(out, "-");
}

static const char *woken(const struct want *wants, size_t n)
{
	const char *why = NULL;
	char flags[4];

	for (size_t i = 0; i < n; i++) {
		flags_of(wants[i].end, flags);
		if (wants[i].received && wants[i].end->given >= wants[i].received)
			return "bytes";
		if (wants[i].room && limit(wants[i].end) >= wants[i].room)
			why = "room";
		if (!why && strcmp(flags, wants[i].end->reported) != 0)
			why = "event";
	}
	return why;
}

static const char *run(struct turn_board *b, uint64_t max_ns, const struct want *wants, size_t n)
{
	uint64_t end = b->now_ns + max_ns;
	const char *why;

	while (!(why = woken(wants, n))) {
		if (!b->events || b->events->at_ns > end) {
			b->now_ns = end;
			return "deadline";
		}
		for (uint64_t at = b->events->at_ns; b->events && b->events->at_ns == at;)
			run_event(b);
	}
	return why;
}

static void reply(struct turn_board *b, const char *text)
{
	if (send(b->control, text, strlen(text), MSG_NOSIGNAL) < 0)
		b->control = b->control < 0 ? LOST : b->control;
}

static void reply_stop(struct turn_board *b, const char *why, const struct want *wants, size_t n)
{
	char line[4096];
	int at = snprintf(line, sizeof line, "stop %" PRIu64 " %s %u %zu", b->now_ns, why, (unsigned)b->turns, n);

	for (size_t i = 0; i < n; i++) {
		struct turn_end *end = wants[i].end;
		flags_of(end, end->reported);
		at += snprintf(line + at, sizeof line - (size_t)at, " %s %" PRIu64 " %" PRIu64 " %s", end->id, end->given, limit(end), end->reported);
	}
	snprintf(line + at, sizeof line - (size_t)at, "\n");
	reply(b, line);
	for (size_t i = 0; i < n; i++)
		write_out(wants[i].end);
}

static bool other_answer(struct turn_board *b)
{
	const struct turn_script *s = b->script;

	for (int i = 0; i < s->alive; i++)
		reply(b, "alive 1\n");
	if (s->hang_up) {
		close(b->control);
		b->control = LOST;
	} else if (s->answer) {
		reply(b, s->answer);
	} else if (s->power_off) {
		reply(b, "stop 0 error 0 0 : the power is off\n");
	}
	return s->hang_up || s->answer || s->power_off || (s->mute_after && (int)b->turns > s->mute_after);
}

static void take_turn(struct turn_board *b, char *line)
{
	struct want wants[ENDS_MOST];
	uint64_t max_ns;
	size_t n;
	char *rest = line, *word;

	b->turns++;
	if (atomic_exchange(&b->restart, false))
		restart(b);
	if (other_answer(b))
		return;
	strtok_r(rest, " ", &rest);
	max_ns = strtoull(strtok_r(NULL, " ", &rest), NULL, 10);
	n = strtoull(strtok_r(NULL, " ", &rest), NULL, 10);
	for (size_t i = 0; i < n && (word = strtok_r(NULL, " ", &rest)); i++) {
		const char *id = word;
		uint64_t sent = strtoull(strtok_r(NULL, " ", &rest), NULL, 10);
		const char *flags = strtok_r(NULL, " ", &rest);
		if (!enter(b, id, sent, flags)) {
			reply(b, "stop 0 error 0 0 : an announced link or its bytes did not come\n");
			return;
		}
		wants[i] = (struct want){ .end = find_end(b, id) };
		wants[i].received = strtoull(strtok_r(NULL, " ", &rest), NULL, 10);
		wants[i].room = strtoull(strtok_r(NULL, " ", &rest), NULL, 10);
	}
	reply_stop(b, run(b, max_ns, wants, n), wants, n);
}

static void take_line(struct turn_board *b, char *line)
{
	if (strncmp(line, "turn ", 5) == 0)
		take_turn(b, line);
	else
		reply(b, strncmp(line, "clock ", 6) == 0 ? "ok\n" : "err what?\n");
}

static void read_control(struct turn_board *b)
{
	char bytes[4096];
	ssize_t n = recv(b->control, bytes, sizeof bytes, MSG_DONTWAIT);

	if (n <= 0) {
		close(b->control);
		b->control = LOST;
		return;
	}
	buf_add(&b->in, bytes, (size_t)n);
	for (char *end; b->in.size && (end = memchr(b->in.bytes, '\n', b->in.size));) {
		char line[4096];
		size_t size = (size_t)((uint8_t *)end - b->in.bytes);
		memcpy(line, b->in.bytes, size);
		line[size] = '\0';
		buf_drop(&b->in, size + 1);
		take_line(b, line);
	}
}

/* Without power the stream moves as it likes: the script hears and speaks at once. */
static void pump_uart(struct turn_board *b)
{
	struct pollfd fd = { .fd = b->uart, .events = POLLIN };
	struct turn_end *end = find_end(b, "uart0");

	if (!end && poll(&fd, 1, 0) > 0)
		end = accept_end(b, "uart0");
	if (!end)
		return;
	fd.fd = end->fd;
	if (poll(&fd, 1, 0) > 0)
		read_one(b, end, end->taken + CREDIT);
	while (b->events)
		run_event(b);
	write_out(end);
}

static void *serve(void *opaque)
{
	struct turn_board *b = opaque;

	for (;;) {
		struct pollfd fds[3 + ENDS_MOST] = { { .fd = b->quit, .events = POLLIN },
			{ .fd = b->control >= 0 ? b->control : b->listener, .events = POLLIN } };
		struct turn_end *uart = find_end(b, "uart0");
		size_t n = 3;
		fds[2] = (struct pollfd){ .fd = b->script->power_off ? (uart ? uart->fd : b->uart) : -1, .events = POLLIN };
		for (size_t i = 0; i < b->count; i++)
			fds[n++] = (struct pollfd){ .fd = b->ends[i].out.size ? b->ends[i].fd : -1, .events = POLLOUT };
		poll(fds, n, -1);
		if (fds[0].revents)
			return NULL;
		for (size_t i = 0; i < b->count; i++)
			write_out(&b->ends[i]);
		if (fds[2].revents)
			pump_uart(b);
		if (fds[1].revents && b->control >= 0)
			read_control(b);
		else if (fds[1].revents)
			b->control = accept4(b->listener, NULL, NULL, SOCK_CLOEXEC);
	}
}

struct turn_board *turn_board_create(const char *folder, const struct turn_script *script)
{
	struct turn_board *b = xcalloc(1, sizeof *b);
	struct sockaddr_un at = { .sun_family = AF_UNIX };

	b->script = script;
	snprintf(b->control_path, sizeof b->control_path, "%s/control", folder);
	memcpy(at.sun_path, b->control_path, sizeof at.sun_path);
	b->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(b->listener, (struct sockaddr *)&at, sizeof at) != 0 || listen(b->listener, 4) != 0)
		abort();
	b->tcp = listen_inet(SOCK_STREAM);
	b->uart = listen_inet(SOCK_STREAM);
	b->udp = listen_inet(SOCK_DGRAM);
	b->control = LOST;
	b->quit = eventfd(0, EFD_CLOEXEC);
	if (pthread_create(&b->thread, NULL, serve, b) != 0)
		abort();
	return b;
}

void turn_board_destroy(struct turn_board *b)
{
	eventfd_write(b->quit, 1);
	pthread_join(b->thread, NULL);
	drop_events(b);
	for (size_t i = 0; i < b->count; i++) {
		if (!b->ends[i].udp && b->ends[i].fd >= 0)
			close(b->ends[i].fd);
		buf_finish(&b->ends[i].out);
	}
	int fds[] = { b->listener, b->tcp, b->udp, b->uart, b->quit, b->control };
	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	buf_finish(&b->in);
	free(b);
}

void turn_board_restart(struct turn_board *b)
{
	b->restart = true;
}

const char *turn_board_control(const struct turn_board *b)
{
	return b->control_path;
}

static struct endpoint endpoint_at(int fd, enum link_proto proto)
{
	return (struct endpoint){ .proto = proto, .host = "127.0.0.1", .port = port_of(fd) };
}

struct endpoint turn_board_endpoint(const struct turn_board *b, enum link_proto proto)
{
	return endpoint_at(proto == LINK_TCP ? b->tcp : b->udp, proto);
}

struct endpoint turn_board_uart(const struct turn_board *b)
{
	return endpoint_at(b->uart, LINK_TCP);
}

unsigned turn_board_turns(const struct turn_board *b)
{
	return b->turns;
}

unsigned turn_board_aborts(const struct turn_board *b)
{
	return b->aborts;
}
