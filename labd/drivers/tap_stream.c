// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The wire of a virtual board: a thread reads the pcap stream from a Unix socket and writes it to the file, so that the board never finds
 * its subscriber slow. stop() waits for the record that the board has counted; the stream may lag behind the control socket.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/mem.h"
#include "core/unix_socket.h"
#include "drivers/pcap_file.h"
#include "drivers/tap_drivers.h"

enum { PATIENCE_MS = 10000 };

struct stream {
	struct tap base;
	char *path;
	unsigned patience_ms;
	int socket, file, end_fd;            /* -1 = closed; the thread's from start to join */
	bool running;                        /* there is a thread to join */
	pthread_t thread;
	struct pcap_cut cut;                 /* the thread's */
	pthread_mutex_t lock;                /* guards what follows */
	pthread_cond_t more;
	uint64_t records;                    /* in the file */
	bool header;                         /* in the file */
	bool over;                           /* the thread reads no more; why stands in failure */
	struct err failure;
};

static bool write_all(int fd, const uint8_t *bytes, size_t n, struct err *e)
{
	for (size_t done = 0; done < n;) {
		ssize_t some = write(fd, bytes + done, n - done);
		if (some < 0 && errno == EINTR)
			continue;
		if (some < 0)
			return err_errno(e, "write the capture");
		done += (size_t)some;
	}
	return true;
}

static void publish(struct stream *s, bool over, const struct err *failure)
{
	pthread_mutex_lock(&s->lock);
	s->records = s->cut.records;
	s->header = s->cut.header;
	if (over && !s->over) {
		s->over = true;
		s->failure = *failure;
	}
	pthread_cond_broadcast(&s->more);
	pthread_mutex_unlock(&s->lock);
}

/* One read's worth. False: the end, with the reason. */
static bool take_some(struct stream *s, struct buf *whole, struct err *e)
{
	uint8_t bytes[65536];
	struct pollfd fds[2] = { { .fd = s->socket, .events = POLLIN }, { .fd = s->end_fd, .events = POLLIN } };

	if (poll(fds, 2, -1) < 0)
		return errno == EINTR || err_errno(e, "poll");
	if (fds[1].revents && !fds[0].revents)
		return err_set(e, ERR_CANCELLED, "stopped");
	ssize_t n = recv(s->socket, bytes, sizeof bytes, MSG_DONTWAIT);
	if (n < 0)
		return errno == EINTR || errno == EAGAIN || err_errno(e, "the virtual board's tap socket");
	if (n == 0)
		return err_set(e, ERR_LOST, "the virtual board closed its tap socket");
	buf_clear(whole);
	return pcap_cut_take(&s->cut, bytes, (size_t)n, whole, e) && write_all(s->file, whole->bytes, whole->size, e);
}

static void *read_stream(void *opaque)
{
	struct stream *s = opaque;
	struct buf whole = { .bytes = NULL };
	struct err e = { .code = ERR_NONE };

	while (take_some(s, &whole, &e))
		publish(s, false, NULL);
	publish(s, true, &e);
	buf_finish(&whole);
	return NULL;
}

/* End the thread and close what it used. */
static bool wind_up(struct stream *s, struct err *e)
{
	bool ok = true;

	if (s->running) {
		eventfd_write(s->end_fd, 1);
		pthread_join(s->thread, NULL);
	}
	s->running = false;
	if (s->file >= 0 && close(s->file) != 0)
		ok = err_errno(e, "close the capture");
	if (s->socket >= 0)
		close(s->socket);
	if (s->end_fd >= 0)
		close(s->end_fd);
	s->file = s->socket = s->end_fd = -1;
	pcap_cut_finish(&s->cut);
	return ok;
}

/* Only from the file header on can the board be known to have us as a subscriber: a frame before that would be missing without a trace. */
static bool await_records(struct stream *s, uint64_t records, bool header_only, struct err *e);

static bool stream_start(struct tap *t, const char *file, struct err *e)
{
	struct stream *s = (struct stream *)t;
	struct err later;

	wind_up(s, NULL);
	s->records = 0;
	s->over = s->header = false;
	s->file = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (s->file < 0)
		return err_errno(e, "%s", file);
	s->end_fd = eventfd(0, EFD_CLOEXEC);
	s->socket = s->end_fd >= 0 ? unix_socket_connect(s->path, s->patience_ms, e) : -1;
	if (s->socket >= 0 && pthread_create(&s->thread, NULL, read_stream, s) == 0)
		s->running = true;
	else if (s->socket >= 0)
		err_set(e, ERR_INTERNAL, "no thread to read the capture with");
	if (s->running && await_records(s, 0, true, e))
		return true;
	wind_up(s, &later);
	return false;
}

static bool await_records(struct stream *s, uint64_t records, bool header_only, struct err *e)
{
	struct timespec until;
	int late = 0;
	bool there = false;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += s->patience_ms / 1000;
	until.tv_nsec += s->patience_ms % 1000 * 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&s->lock);
	while (!(there = header_only ? s->header : s->records >= records) && !s->over && late == 0)
		late = pthread_cond_timedwait(&s->more, &s->lock, &until);
	uint64_t have = s->records;
	struct err failure = s->failure;
	bool over = s->over;
	pthread_mutex_unlock(&s->lock);
	if (there)
		return true;
	if (over)
		return err_set(e, failure.code, "%s after %llu records", failure.msg, (unsigned long long)have);
	if (header_only)
		return err_set(e, ERR_TIMEOUT, "no pcap header came from the virtual board's tap socket in %u ms", s->patience_ms);
	return err_set(e, ERR_TIMEOUT, "waited %u ms for record %llu of the capture, %llu are there", s->patience_ms, (unsigned long long)records,
	               (unsigned long long)have);
}

static bool stream_stop(struct tap *t, uint64_t frames, struct err *e)
{
	struct stream *s = (struct stream *)t;

	if (!s->running)
		return err_set(e, ERR_CONFLICT, "there is no capture to stop");
	bool ok = frames == UINT64_MAX || await_records(s, frames, false, e);
	bool closed = wind_up(s, ok ? e : NULL);
	t->captured = s->records;
	t->dropped = 0;
	return ok && closed;
}

static void stream_destroy(struct tap *t)
{
	struct stream *s = (struct stream *)t;

	wind_up(s, NULL);
	pthread_cond_destroy(&s->more);
	pthread_mutex_destroy(&s->lock);
	free(s->path);
	free(s);
}

static const struct tap_ops stream_ops = { .name = "stream", .captures = true, .start = stream_start, .stop = stream_stop,
	.destroy = stream_destroy };

struct tap *tap_stream_create_with(const char *tap_socket, unsigned patience_ms, struct err *e)
{
	struct stream *s = xcalloc(1, sizeof *s);
	pthread_condattr_t monotonic;

	(void)e;
	s->base.ops = &stream_ops;
	s->path = xstrdup(tap_socket);
	s->patience_ms = patience_ms;
	s->socket = s->file = s->end_fd = -1;
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&s->more, &monotonic);
	pthread_condattr_destroy(&monotonic);
	return &s->base;
}

struct tap *tap_stream_create(const char *tap_socket, struct err *e)
{
	return tap_stream_create_with(tap_socket, PATIENCE_MS, e);
}
