// SPDX-License-Identifier: GPL-2.0-or-later
#include "drive/guest_rig.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "bench/tap.h"
#include "core/clock.h"
#include "drivers/pace_drivers.h"
#include "drivers/tap_drivers.h"
#include "drive/trigger.h"
#include "wire/turns_board.h"

#define LATENCY_NS 155000u

/* Joins the control socket, which has a path, to the guest board's end, which has none, and answers for the process around it. */
struct bridge {
	int listener, guest;
	pthread_t thread;
};

static bool pass(int from, int to)
{
	static const char clock[] = "clock turns\n";
	char bytes[4096];
	ssize_t n = recv(from, bytes, sizeof bytes, 0);

	if (n <= 0)
		return false;
	if ((size_t)n == sizeof clock - 1 && memcmp(bytes, clock, sizeof clock - 1) == 0)
		return send(from, "ok\n", 3, MSG_NOSIGNAL) == 3;
	return send(to, bytes, (size_t)n, MSG_NOSIGNAL) == n;
}

static void *carry(void *opaque)
{
	struct bridge *b = opaque;
	int fd = accept4(b->listener, NULL, NULL, SOCK_CLOEXEC);

	for (bool ok = fd >= 0; ok;) {
		struct pollfd fds[2] = { { fd, POLLIN, 0 }, { b->guest, POLLIN, 0 } };
		poll(fds, 2, -1);
		ok = (!fds[0].revents || pass(fd, b->guest)) && (!fds[1].revents || pass(b->guest, fd));
	}
	close(fd);
	close(b->guest);
	return NULL;
}

static void build_bridge(struct bridge *b, const char *path, int guest)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };

	snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
	unlink(path);
	b->guest = guest;
	b->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(b->listener, (struct sockaddr *)&at, sizeof at) != 0 || listen(b->listener, 1) != 0
	    || pthread_create(&b->thread, NULL, carry, b) != 0)
		abort();
}

static void drive_and_measure(const struct cell_params *p, const struct endpoint *to, struct pace *pace, struct tap *tap, const char *file,
                              struct guest_run *out)
{
	struct flow_query q = { .kind = FLOW_TRIGGER };
	bool stopped;

	if (!tap_start(tap, file, &out->e))
		return;
	out->driven = trigger_workload.drive(p, pace, to, pace_now_ns(pace) + 60 * NS_PER_S, &out->cause, &out->e);
	out->end_ns = pace_now_ns(pace);
	out->frames = pace_frames(pace);
	stopped = tap_stop(tap, out->frames, out->driven ? &out->e : NULL);
	trigger_workload.query(p, &q);
	memcpy(q.board_ip, guest_ip, 4);
	memcpy(q.host_ip, guest_host_ip, 4);
	out->measured = stopped && flow_measure(file, &q, &out->figures, out->driven ? &out->e : NULL);
}

void guest_rig_run(const struct guest_setup *setup, const struct cell_params *p, const char *folder, const char *file, struct guest_run *out)
{
	char control[100], tap_path[100];
	struct turn_client unused = { .control = -1 };
	struct bridge bridge;

	*out = (struct guest_run){ .cause = CAUSE_NONE };
	snprintf(control, sizeof control, "%s/control", folder);
	snprintf(tap_path, sizeof tap_path, "%s/tap", folder);
	unlink(tap_path);
	struct board *b = board_create(LATENCY_NS, setup->ack_delay_ms, tap_path);
	b->guest->deaf = setup->deaf;
	if (setup->frame_ns)
		b->guest->frame_ns = setup->frame_ns;
	board_start(b, &unused);
	build_bridge(&bridge, control, unused.control);
	struct endpoint to = { .proto = p->proto, .host = "127.0.0.1", .port = b->port[p->proto == LINK_UDP ? BOARD_UDP : BOARD_TRIGGER] };
	struct pace *pace = pace_turns_create(control, &out->e);
	struct tap *tap = pace ? tap_stream_create(tap_path, &out->e) : NULL;
	if (tap)
		drive_and_measure(p, &to, pace, tap, file, out);
	tap_destroy(tap);
	pace_destroy(pace);
	pthread_join(bridge.thread, NULL);
	close(bridge.listener);
	board_stop(b);
	board_destroy(b);
}
