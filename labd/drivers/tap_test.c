// SPDX-License-Identifier: GPL-2.0-or-later
/* The taps: a stream that comes in any pieces, late, broken or not at all; an interface of this machine; and none. */
#include <netinet/in.h>
#include <pcap/dlt.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "drivers/pcap_file.h"
#include "drivers/tap_drivers.h"
#include "test/harness.h"
#include "wire/frame_builder.h"

static struct err e;

/* A tap socket that sends some bytes, in pieces, then waits for its subscriber to go, or goes itself. */
struct source {
	char path[100];
	int listener;
	const struct builder *capture;
	size_t size, piece;                  /* of the capture: how much, and how much at once */
	bool hang_up;
	pthread_t thread;
};

static void *send_pieces(void *opaque)
{
	struct source *s = opaque;
	int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC);
	struct pollfd gone = { .fd = fd, .events = POLLIN };

	for (size_t at = 0; at < s->size; at += s->piece) {
		size_t n = s->size - at < s->piece ? s->size - at : s->piece;
		if (send(fd, s->capture->pcap.bytes + at, n, MSG_NOSIGNAL) < 0)
			break;
	}
	if (!s->hang_up)
		poll(&gone, 1, 10000);
	close(fd);
	return NULL;
}

static void start_source(struct source *s)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };

	snprintf(s->path, sizeof s->path, "%s/tap", test_folder());
	unlink(s->path);
	memcpy(at.sun_path, s->path, sizeof s->path);
	s->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(s->listener, (struct sockaddr *)&at, sizeof at) != 0 || listen(s->listener, 1) != 0
	    || pthread_create(&s->thread, NULL, send_pieces, s) != 0)
		abort();
}

static void build(struct builder *b)
{
	builder_begin(b, DLT_EN10MB);
	builder_run(b, &(struct build_run){ .n = 100, .count = 50, .make_ns = 1000000, .ack_ns = 155000 });
}

/* Capture what the source sends, up to frames. */
static bool capture(struct source *s, uint64_t frames, unsigned patience_ms, const char *file, uint64_t *captured)
{
	bool ok;

	start_source(s);
	struct tap *t = tap_stream_create_with(s->path, patience_ms, &e);
	ok = tap_start(t, file, &e) && tap_stop(t, frames, &e);
	*captured = t->captured;
	tap_destroy(t);
	pthread_join(s->thread, NULL);
	close(s->listener);
	return ok;
}

static const char *file_named(const char *name, char path[200])
{
	snprintf(path, 200, "%s/%s", test_folder(), name);
	return path;
}

static bool same_as_file(const struct builder *b, const char *file)
{
	size_t n;
	char *bytes = test_read_file(file, &n);
	bool same = bytes && n == b->pcap.size && memcmp(bytes, b->pcap.bytes, n) == 0;

	free(bytes);
	return same;
}

TEST(a_stream_in_pieces_of_any_size_becomes_the_same_file)
{
	static const size_t pieces[] = { 1, 7, 100, 1 << 20 };
	char file[200];
	uint64_t captured;
	struct builder b;

	build(&b);
	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
		struct source s = { .capture = &b, .size = b.pcap.size, .piece = pieces[i] };
		CHECK_OK(capture(&s, b.frames, 10000, file_named("a.pcap", file), &captured), &e);
		CHECK_EQ(captured, b.frames);
		CHECK(same_as_file(&b, file));
	}
	builder_finish(&b);
}

TEST(a_record_that_does_not_come_is_a_timeout_with_both_counts)
{
	char file[200];
	uint64_t captured;
	struct builder b;

	build(&b);
	struct source s = { .capture = &b, .size = b.pcap.size, .piece = 4096 };
	CHECK(!capture(&s, b.frames + 1, 50, file_named("a.pcap", file), &captured));
	CHECK_EQ(e.code, ERR_TIMEOUT);
	CHECK_STR(e.msg, "tap stream: waited 50 ms for record 108 of the capture, 107 are there");
	CHECK(same_as_file(&b, file));
	builder_finish(&b);
}

TEST(a_record_cut_by_the_boards_end_is_not_in_the_file)
{
	char file[200];
	uint64_t captured;
	struct builder b;

	build(&b);
	struct source s = { .capture = &b, .size = b.pcap.size - 10, .piece = 4096, .hang_up = true };
	CHECK(!capture(&s, b.frames, 5000, file_named("a.pcap", file), &captured));
	CHECK_EQ(e.code, ERR_LOST);
	CHECK_STR(e.msg, "tap stream: the virtual board closed its tap socket after 106 records");
	b.pcap.size = b.last - 16;
	CHECK(same_as_file(&b, file));
	builder_finish(&b);
}

TEST(a_stream_that_is_no_pcap_is_refused_at_the_start)
{
	char file[200];
	uint64_t captured;
	struct builder b;

	build(&b);
	b.pcap.bytes[0] ^= 0xFF;
	struct source s = { .capture = &b, .size = b.pcap.size, .piece = 4096 };
	CHECK(!capture(&s, 1, 5000, file_named("a.pcap", file), &captured));
	CHECK_EQ(e.code, ERR_PROTOCOL);
	CHECK(strstr(e.msg, "not a nanosecond Ethernet pcap stream") != NULL);
	builder_finish(&b);
}

TEST(a_silent_tap_socket_is_a_timeout_at_the_start)
{
	char file[200];
	uint64_t captured;
	struct builder b = { .frames = 0 };
	struct source s = { .capture = &b, .size = 0, .piece = 1 };

	CHECK(!capture(&s, 1, 50, file_named("a.pcap", file), &captured));
	CHECK_EQ(e.code, ERR_TIMEOUT);
	CHECK_STR(e.msg, "tap stream: no pcap header came from the virtual board's tap socket in 50 ms");
}

TEST(a_claimed_size_beyond_any_frame_is_refused)
{
	struct pcap_cut cut = { .header = false };
	struct buf out = { .bytes = NULL };
	struct builder b;

	build(&b);
	b.pcap.bytes[24 + 10] = 0xFF;
	CHECK(!pcap_cut_take(&cut, b.pcap.bytes, b.pcap.size, &out, &e));
	CHECK_EQ(e.code, ERR_PROTOCOL);
	CHECK(strstr(e.msg, "record 1 of the pcap stream claims") != NULL);
	pcap_cut_finish(&cut);
	buf_finish(&out);
	builder_finish(&b);
}

TEST(nobody_at_the_tap_socket_is_said)
{
	struct tap *t = tap_stream_create("/tmp/no-such-folder-of-labd/tap", &e);
	char file[200];

	CHECK(!tap_start(t, file_named("a.pcap", file), &e));
	CHECK_EQ(e.code, ERR_NOT_FOUND);
	CHECK(!tap_stop(t, 1, &e));
	CHECK_EQ(e.code, ERR_CONFLICT);
	tap_destroy(t);
}

TEST(a_folder_that_is_not_there_is_said)
{
	struct builder b;

	build(&b);
	struct source s = { .capture = &b, .size = b.pcap.size, .piece = 4096, .hang_up = true };
	start_source(&s);
	struct tap *t = tap_stream_create(s.path, &e);
	bool ok = tap_start(t, "/nonexistent/a.pcap", &e);
	tap_destroy(t);
	shutdown(s.listener, SHUT_RDWR);
	pthread_join(s.thread, NULL);
	close(s.listener);
	builder_finish(&b);
	CHECK(!ok);
	CHECK_EQ(e.code, ERR_NOT_FOUND);
}

TEST(none_captures_nothing_and_says_so)
{
	struct tap *t = tap_none_create();
	char file[200];

	CHECK(!tap_captures(t));
	CHECK_OK(tap_start(t, file_named("a.pcap", file), &e), &e);
	CHECK_OK(tap_stop(t, 5, &e), &e);
	CHECK(access(file, F_OK) != 0);
	tap_destroy(t);
}

static bool dropping_start(struct tap *t, const char *file, struct err *err)
{
	(void)t, (void)file, (void)err;
	return true;
}

static bool dropping_stop(struct tap *t, uint64_t frames, struct err *err)
{
	(void)frames, (void)err;
	t->captured = 90;
	t->dropped = 10;
	return true;
}

TEST(a_capture_that_dropped_frames_is_an_error)
{
	static const struct tap_ops ops = { .name = "pcap", .captures = true, .start = dropping_start, .stop = dropping_stop };
	struct tap t = { .ops = &ops };

	CHECK_OK(tap_start(&t, "unused", &e), &e);
	CHECK(!tap_stop(&t, UINT64_MAX, &e));
	CHECK_EQ(e.code, ERR_FULL);
	CHECK_STR(e.msg, "tap pcap: 10 of 100 frames were dropped: no figure can come from this capture");
}

/* The loopback interface: what one datagram to the board's address leaves behind. */
TEST(an_interface_is_captured_live_with_only_the_boards_frames)
{
	static const uint8_t board[4] = { 127, 77, 9, 1 };
	struct tap *t = tap_pcap_create("lo", board, &e);
	char file[200];

	if (!tap_start(t, file_named("lo.pcap", file), &e)) {
		tap_destroy(t);
		SKIP("cannot capture on lo: %s", e.msg);
	}
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(5100), .sin_addr.s_addr = htonl(0x7F4D0901) }, other = to;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	other.sin_addr.s_addr = htonl(0x7F4D0902);
	sendto(fd, "elsewhere", 9, 0, (struct sockaddr *)&other, sizeof other);
	sendto(fd, "LAB1 n=1 count=2 ack=0\n", 23, 0, (struct sockaddr *)&to, sizeof to);
	close(fd);
	bool ok = tap_stop(t, UINT64_MAX, &e);
	uint64_t captured = t->captured;
	tap_destroy(t);
	CHECK_OK(ok, &e);
	CHECK(captured >= 1 && captured <= 2);               /* the kernel may answer that the port is closed */
	struct flow_query q = { .udp = true, .board_ip = { 127, 77, 9, 1 }, .host_ip = { 127, 0, 0, 1 }, .board_port = 5100,
		.payload_bytes = 1, .count = 2 };
	struct flow_figures f;
	CHECK(!flow_measure(file, &q, &f, &e));
	CHECK_STR(e.msg, "0 of 2 datagrams came, datagram 0 was not sent, then the capture ends");
}

TEST(an_interface_that_is_not_there_is_said)
{
	struct tap *t = tap_pcap_create("nosuchif0", (const uint8_t[]){ 10, 77, 0, 1 }, &e);
	char file[200];

	CHECK(!tap_start(t, file_named("a.pcap", file), &e));
	CHECK(e.code == ERR_NOT_FOUND || e.code == ERR_DENIED);
	CHECK(strstr(e.msg, "nosuchif0") != NULL);
	tap_destroy(t);
	CHECK(tap_pcap_create("", (const uint8_t[]){ 10, 77, 0, 1 }, &e) == NULL);
}
