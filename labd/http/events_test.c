// SPDX-License-Identifier: GPL-2.0-or-later
/* Event streams: order, overflow, silence, and a stop in the middle of everything. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "http/events.h"
#include "http/test_server.h"
#include "test/harness.h"

static int open_stream(struct http_server *s, const char *headers, struct buf *in)
{
	int fd = client_connect(http_server_port(s));
	char request[256];

	snprintf(request, sizeof request, "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nConnection: close\r\n%s\r\n", headers);
	if (fd < 0 || !client_text(fd, request) || !client_until(fd, in, "event: ", 10000))
		return -1;
	return fd;
}

static void tell(struct http_server *s, const char *event, int n)
{
	json_t *json = json_pack("{s:i}", "n", n);

	http_server_publish(s, event, json);
	json_decref(json);
}

TEST(what_happens_is_told_to_every_stream_in_order)
{
	struct http_server *s = test_serve((struct http_config){ 0 });
	struct buf in[3] = { { 0 } };
	int fd[3];

	CHECK(s);
	for (int i = 0; i < 3; i++) {
		CHECK((fd[i] = open_stream(s, "", &in[i])) >= 0);
		CHECK(client_until(fd[i], &in[i], "event: hello", 10000));
	}
	tell(s, "run", 1);
	for (int i = 0; i < 3; i++)
		CHECK(client_until(fd[i], &in[i], "id: 1\nevent: run\ndata: {\"n\":1}\n\n", 10000));
	tell(s, "board", 2);
	tell(s, "board", 3);
	for (int i = 0; i < 3; i++) {
		CHECK(client_until(fd[i], &in[i], "data: {\"n\":3}", 10000));
		CHECK(strstr(buf_text(&in[i]), "data: {\"n\":2}") < strstr(buf_text(&in[i]), "data: {\"n\":3}"));
		close(fd[i]);
		buf_finish(&in[i]);
	}
	http_server_destroy(s);
}

TEST(a_stream_that_comes_back_late_is_told_to_resync)
{
	struct http_server *s = test_serve((struct http_config){ 0 });
	struct buf in = { 0 };

	CHECK(s);
	tell(s, "run", 1);
	tell(s, "run", 2);
	int fd = open_stream(s, "Last-Event-ID: 1\r\n", &in);
	CHECK(fd >= 0);
	CHECK(strstr(buf_text(&in), "id: 2\nevent: resync"));
	close(fd);
	buf_clear(&in);
	fd = open_stream(s, "Last-Event-ID: 2\r\n", &in);
	CHECK(fd >= 0);
	CHECK(strstr(buf_text(&in), "event: hello"));
	close(fd);
	buf_finish(&in);
	http_server_destroy(s);
}

TEST(a_quiet_stream_is_kept_alive_and_a_gone_one_is_noticed)
{
	struct http_server *s = test_serve((struct http_config){ .keep_alive_ms = 50, .idle_s = 1 });
	struct buf in = { 0 };

	CHECK(s);
	int fd = open_stream(s, "", &in);
	CHECK(fd >= 0);
	CHECK(client_until(fd, &in, ": still here\n\n", 10000));
	for (double until = test_seconds() + 1.5; test_seconds() < until;) {
		buf_clear(&in);
		CHECK(client_until(fd, &in, ": still here\n\n", 10000));
	}
	close(fd);
	for (int i = 0; i < EVENTS_SUBSCRIBERS_MAX - 1; i++) {
		buf_clear(&in);
		CHECK((fd = open_stream(s, "", &in)) >= 0);
		close(fd);
	}
	buf_clear(&in);
	bool again = false;
	for (double until = test_seconds() + 9; !again && test_seconds() < until;) {
		fd = open_stream(s, "", &in);
		again = fd >= 0;
		if (again)
			close(fd);
		else
			buf_clear(&in);
	}
	CHECK(again);
	buf_finish(&in);
	http_server_destroy(s);
}

TEST(no_more_than_a_fixed_number_of_streams_is_served)
{
	struct http_server *s = test_serve((struct http_config){ 0 });
	struct buf in = { 0 };
	int fd[EVENTS_SUBSCRIBERS_MAX];

	CHECK(s);
	for (int i = 0; i < EVENTS_SUBSCRIBERS_MAX; i++) {
		buf_clear(&in);
		CHECK((fd[i] = open_stream(s, "", &in)) >= 0);
	}
	CHECK(test_get(s, "/api/v1/events"));
	CHECK_EQ(answer.status, 503);
	for (int i = 0; i < EVENTS_SUBSCRIBERS_MAX; i++)
		close(fd[i]);
	buf_finish(&in);
	http_server_destroy(s);
}

TEST(a_stop_with_suspended_streams_is_quick)
{
	struct http_server *s = test_serve((struct http_config){ 0 });
	struct buf in = { 0 };
	int fd[5];

	CHECK(s);
	for (int i = 0; i < 5; i++) {
		buf_clear(&in);
		CHECK((fd[i] = open_stream(s, "", &in)) >= 0);
	}
	double before = test_seconds();
	http_server_destroy(s);
	CHECK(test_seconds() - before < 5);
	for (int i = 0; i < 5; i++)
		close(fd[i]);
	buf_finish(&in);
}

static void *publish_many(void *opaque)
{
	for (int i = 0; i < 2000; i++)
		tell(opaque, "progress", i);
	return NULL;
}

TEST(publishing_from_many_threads_while_streams_come_and_go_and_the_server_stops)
{
	struct http_server *s = test_serve((struct http_config){ .keep_alive_ms = 5 });
	struct buf in = { 0 };
	pthread_t threads[4];

	CHECK(s);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, publish_many, s);
	for (int i = 0; i < 40; i++) {
		buf_clear(&in);
		int fd = open_stream(s, "", &in);
		if (fd >= 0)
			close(fd);
	}
	http_server_stop(s);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	http_server_destroy(s);
	buf_finish(&in);
}

/* A subscriber without a connection: shows what the buffer does. */
static int suspended, resumed;
static void count_suspend(void *connection) { (void)connection; suspended++; }
static void count_resume(void *connection) { (void)connection; resumed++; }

TEST(a_stream_that_is_not_read_overflows_into_one_resync_and_stays_well_formed)
{
	static const struct events_hooks hooks = { count_suspend, count_resume };
	struct events *ev = NULL;
	struct subscriber *sub = NULL;
	char bytes[64];
	struct buf all = { 0 };
	ssize_t n;

	CHECK_OK(events_create(&hooks, 60000, &ev, &problem), &problem);
	CHECK_OK(events_join(ev, "", &sub, &problem), &problem);
	json_t *json = json_pack("{s:s}", "text", "0123456789012345678901234567890123456789012345678901234567890123456789");
	events_publish(ev, "console", json);
	CHECK_EQ(events_read(sub, bytes, 60), 60);
	buf_add(&all, bytes, 60);
	for (int i = 0; i < 2000; i++)
		events_publish(ev, "console", json);
	while ((n = events_read(sub, bytes, sizeof bytes)) > 0)
		buf_add(&all, bytes, (size_t)n);
	CHECK_EQ(n, 0);
	CHECK_EQ(suspended, 1);
	CHECK(all.size < EVENTS_BUFFER_BYTES + 1000);
	CHECK(strstr(buf_text(&all), "event: resync\ndata: {}\n\n"));
	for (const char *p = buf_text(&all); (p = strstr(p, "data: ")); p++)
		CHECK(strstr(p, "}\n\n") && strcspn(p, "\n") == (size_t)(strstr(p, "}\n\n") + 1 - p));
	events_publish(ev, "console", json);
	CHECK_EQ(resumed, 1);
	json_decref(json);
	events_leave(sub);
	CHECK_EQ(events_count(ev), 0);
	events_destroy(ev);
	buf_finish(&all);
}
