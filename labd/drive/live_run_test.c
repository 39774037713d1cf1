// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The trigger benchmark in real time over the kernel's own stack, captured live with libpcap on the loopback interface: what a real bench
 * does, without one. Nothing here depends on how fast the machine is.
 */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/tap.h"
#include "core/clock.h"
#include "drive/trigger.h"
#include "drivers/pace_drivers.h"
#include "drivers/tap_drivers.h"
#include "test/harness.h"
#include "wire/frame_builder.h"

enum { BOARD_ADDRESS = 0x7F4D0901 };     /* 127.77.9.1; the kernel's own end is 127.0.0.1 */

static struct err e;

/* A board of a few lines: one connection, one run. */
struct server {
	int listener;
	struct cell_params p;
	pthread_t thread;
};

static void *serve(void *opaque)
{
	struct server *s = opaque;
	uint8_t bytes[2048];
	int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC), one = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	if (recv(fd, bytes, sizeof bytes, 0) > 0)
		for (uint32_t i = 0; i < s->p.count; i++) {
			builder_payload(i, bytes, s->p.payload_bytes);
			if (send(fd, bytes, s->p.payload_bytes, MSG_NOSIGNAL) < 0)
				break;
		}
	while (recv(fd, bytes, sizeof bytes, 0) > 0)
		;
	close(fd);
	return NULL;
}

static bool start_server(struct server *s, uint16_t *port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(BOARD_ADDRESS) };
	socklen_t size = sizeof at;

	s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(s->listener, (struct sockaddr *)&at, sizeof at) != 0 || listen(s->listener, 1) != 0)
		return err_errno(&e, "127.77.9.1");
	getsockname(s->listener, (struct sockaddr *)&at, &size);
	*port = ntohs(at.sin_port);
	return pthread_create(&s->thread, NULL, serve, s) == 0;
}

TEST(a_run_over_the_kernels_stack_is_captured_and_measured)
{
	static const uint8_t board[4] = { 127, 77, 9, 1 };
	struct server s = { .p = { .payload_bytes = 1000, .count = 200 } };
	struct tap *tap = tap_pcap_create("lo", board, &e);
	struct flow_query q = { .board_ip = { 127, 77, 9, 1 }, .host_ip = { 127, 0, 0, 1 } };
	struct flow_figures f;
	enum cause cause;
	uint16_t port = 0;
	char file[200];

	snprintf(file, sizeof file, "%s/live.pcap", test_folder());
	if (!tap_start(tap, file, &e)) {
		tap_destroy(tap);
		SKIP("cannot capture on lo: %s", e.msg);
	}
	CHECK_OK(start_server(&s, &port), &e);
	struct pace *pace = pace_wall_create(&e);
	struct endpoint to = { LINK_TCP, "127.77.9.1", port };
	bool driven = pace && trigger_workload.drive(&s.p, pace, &to, pace_now_ns(pace) + 20 * NS_PER_S, &cause, &e);
	pthread_join(s.thread, NULL);
	bool stopped = driven && tap_stop(tap, pace_frames(pace), &e);
	uint64_t captured = tap->captured;
	pace_destroy(pace);
	tap_destroy(tap);
	close(s.listener);
	CHECK_OK(driven && stopped, &e);
	trigger_workload.query(&s.p, &q);
	q.board_port = port;
	CHECK_OK(flow_measure(file, &q, &f, &e), &e);
	CHECK_EQ(f.captured_frames, captured);
	CHECK_EQ(f.payload_bytes, 200000);
	CHECK(f.payload_ok && f.elapsed_ns > 0);
	CHECK(f.mss > 1460);
	flow_figures_finish(&f);
}
