// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The whole lab with this kernel as the bench PC: labd and vboard in a network namespace of their own, on the bench file of fixtures/benches/tap.json and the interface that the script beside
 * it makes. The board answers ping; labd drives it with the kernel's TCP in real time and measures with live libpcap. What it finds is compared with the same cells in turns. Two clocks
 * check each other: the kernel's, of the live capture, and the board's own, of its capture stream. Where this machine was too busy for real time the cell is run again.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/buf.h"
#include "lab_rig.h"
#include "test/harness.h"
#include "test/own_network.h"
#include "test/tshark.h"
#include "wire/flow.h"

enum { CELLS = 3, COUNT = 30, ATTEMPTS = 3, LAG_NS = 1000000, PCAP_HEADER = 24, PCAP_RECORD = 16 };

static const unsigned payloads[CELLS] = { 1460, 750, 100 };
static const uint8_t board_ip[4] = { 10, 77, 0, 1 }, host_ip[4] = { 10, 77, 0, 254 };

static struct lab_rig rig;
static char why[200];

/* ---- the bench ---- */

/* $LAB_SOURCE/name, as this rig's bench file. */
static bool use_bench(const char *name)
{
	char path[512], *text;
	size_t size;
	bool ok;

	snprintf(path, sizeof path, "%s/fixtures/benches/%s", getenv("LAB_SOURCE"), name);
	text = test_read_file(path, &size);
	ok = text && test_write_file(rig.bench, text, size);
	free(text);
	return ok;
}

static bool write_matrices(void)
{
	char path[200], text[400];
	bool ok = true;

	for (size_t i = 0; i < CELLS; i++) {
		int n = snprintf(text, sizeof text, "{\"version\":1,\"name\":\"c%u\",\"cells\":[{\"workload\":\"trigger\",\"board_types\":[\"at89c51ed2-cs8900a\"],\"variants\":{},"
			"\"params\":{\"payload_bytes\":[%u],\"count\":[%d]},\"repeats\":{\"wall\":1,\"turns\":1},\"deadline_s\":60}]}\n", payloads[i], payloads[i], COUNT);

		snprintf(path, sizeof path, "%s.matrices/c%u.json", rig.state, payloads[i]);
		ok = ok && test_write_file(path, text, (size_t)n);
	}
	return ok;
}

/* Flashed over the line again, in real time: this chip is fresh from the factory. */
static void forget_chip(void)
{
	char path[200];

	snprintf(path, sizeof path, "%s/vboard/8051-a.chip", rig.state);
	unlink(path);
}

static bool interface_up(void)
{
	char script[512];
	const char *const argv[] = { script, "up", NULL };

	snprintf(script, sizeof script, "%s/fixtures/benches/tap-interface", getenv("LAB_SOURCE"));
	return rig_run(&rig, 20, argv) && rig.status == 0;
}

/* What real time needs: to run when it is due. Where that is not allowed, the attempts must do. */
static void ask_for_processor(bool ask)
{
	struct sched_param p = { .sched_priority = ask ? 1 : 0 };

	(void)sched_setscheduler(0, ask ? SCHED_RR : SCHED_OTHER, &p);
}

/* ---- the board's own capture ---- */

/* A daemon serves before its boards' processes are ready. */
static bool board_ready(void)
{
	char folder[100];

	for (int i = 0; i < 400; i++) {
		if (rig_socket_folder(&rig, folder, sizeof folder))
			return true;
		poll(NULL, 0, 50);
	}
	return false;
}

static int subscribe(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	char folder[100];
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (rig_socket_folder(&rig, folder, sizeof folder)) {
		snprintf(a.sun_path, sizeof a.sun_path, "%.90s/tap", folder);
		if (connect(fd, (struct sockaddr *)&a, sizeof a) == 0)
			return fd;
	}
	close(fd);
	return -1;
}

static void read_all(int fd, struct buf *b)
{
	uint8_t bytes[65536];
	ssize_t n;

	while (poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, 200) == 1 && (n = recv(fd, bytes, sizeof bytes, 0)) > 0)
		buf_add(b, bytes, (size_t)n);
}

static uint32_t get32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Since the last power-on: where time began anew last. */
static size_t last_power_on(const struct buf *b)
{
	size_t from = PCAP_HEADER;
	uint64_t last = 0;

	for (size_t at = PCAP_HEADER; at + PCAP_RECORD <= b->size; at += PCAP_RECORD + get32(b->bytes + at + 8)) {
		uint64_t ns = get32(b->bytes + at) * 1000000000ull + get32(b->bytes + at + 4);

		if (ns < last)
			from = at;
		last = ns;
	}
	return from;
}

static bool measure_stream(const struct buf *stream, const struct flow_query *q, struct flow_figures *f, struct err *e)
{
	struct buf one = { 0 };

	if (stream->size < PCAP_HEADER)
		return err_set(e, ERR_NOT_FOUND, "nothing came from the board's tap socket");
	size_t from = last_power_on(stream);
	buf_add(&one, stream->bytes, PCAP_HEADER);
	buf_add(&one, stream->bytes + from, stream->size - from);
	bool ok = flow_measure_bytes(one.bytes, one.size, q, f, e);
	buf_finish(&one);
	return ok;
}

/* How far the board fell behind the kernel's clock in the measured part: by how much the way from one clock to the other changed from the trigger to any frame. */
static uint64_t fell_behind(const struct flow_figures *kernel, const struct flow_figures *board)
{
	int64_t least = 0, most = 0;

	for (size_t i = 0; i < kernel->frame_count; i++) {
		int64_t d = (int64_t)(kernel->frames[i].sent_ns - board->frames[i].sent_ns);

		least = d < least ? d : least;
		most = d > most ? d : most;
	}
	return (uint64_t)(most - least);
}

static int64_t lag_ns(void)
{
	static char answer[65536];
	json_t *state = rig_control(&rig, "state", answer, sizeof answer) && strncmp(answer, "state ", 6) == 0 ? json_loads(answer + 6, 0, NULL) : NULL;
	int64_t lag = state ? json_integer_value(json_object_get(state, "lag_ns")) : -1;

	json_decref(state);
	return lag;
}

/* ---- a foreign witness ---- */

/* The capture of a real interface, with what the kernel sent in it; without tshark there is no witness. */
static bool tshark_agrees(const char *capture, unsigned payload)
{
	struct witness w;
	struct err e;

	if (!have_tshark(&e)) {
		printf("skipped: tshark on this capture: it cannot be run: %s\n", e.msg);
		return true;
	}
	bool ok = ask_tshark(capture, &w, &e) && w.malformed == 0 && w.bad_sums == 0 && w.retransmissions == 0 && w.payload == (uint64_t)payload * COUNT;
	if (!ok)
		fprintf(stderr, "tshark: %llu frames, %llu malformed, %llu wrong sums, %llu again, %llu byte of payload\n", (unsigned long long)w.frames, (unsigned long long)w.malformed,
		        (unsigned long long)w.bad_sums, (unsigned long long)w.retransmissions, (unsigned long long)w.payload);
	return ok;
}

/* ---- a cell ---- */

struct outcome {
	double goodput;
	uint64_t elapsed_ns, board_ns;       /* by the kernel's stamps (in turns: the board's), and by the board's own */
	uint64_t behind_ns;                  /* in the measured part */
	int64_t lag_ns;                      /* at most since power-on, as the board says itself */
};

/* The same run twice: as labd measured it, and by the board's own clock. */
static bool two_clocks(const char *capture, const struct buf *stream, unsigned payload, struct outcome *out)
{
	struct flow_query q = { .kind = FLOW_TRIGGER, .board_port = 5100, .payload_bytes = payload, .count = COUNT };
	struct flow_figures kernel = { 0 }, board = { 0 };
	struct err e;

	memcpy(q.board_ip, board_ip, 4);
	memcpy(q.host_ip, host_ip, 4);
	bool ok = flow_measure(capture, &q, &kernel, &e) && measure_stream(stream, &q, &board, &e);
	if (ok) {
		out->board_ns = board.elapsed_ns;
		out->behind_ns = fell_behind(&kernel, &board);
	} else {
		fprintf(stderr, "%u byte: %s\n", payload, e.msg);
	}
	ok = ok && kernel.elapsed_ns == out->elapsed_ns;
	flow_figures_finish(&kernel);
	flow_figures_finish(&board);
	return ok;
}

/* One run of one cell. Its result must say which wire and clock it comes from. */
static bool run_cell(unsigned payload, const char *mode, const char *pace, struct outcome *out)
{
	char matrix[16];
	struct buf stream = { 0 };
	int fd = strcmp(pace, "wall") == 0 ? subscribe() : -1;

	snprintf(matrix, sizeof matrix, "c%u", payload);
	json_t *report = rig_ctl_json(&rig, "run", matrix, "--board", "8051-a", "--wait", NULL), *cell = cell_in(report, 0), *figures = json_object_get(cell, "figures");
	bool ok = rig.status == 0 && strcmp(text_in(cell, "verdict"), "pass") == 0 && strcmp(text_in(cell, "mode"), mode) == 0 && strcmp(text_in(cell, "pace"), pace) == 0;

	if (!ok)
		fprintf(stderr, "%s: status %d, %s %s, verdict %s: %s\n", matrix, rig.status, text_in(cell, "mode"), text_in(cell, "pace"), text_in(cell, "verdict"), text_in(cell, "error"));
	*out = (struct outcome){ .goodput = json_number_value(json_object_get(figures, "goodput_byte_per_s")), .lag_ns = lag_ns(),
		.elapsed_ns = (uint64_t)json_integer_value(json_object_get(figures, "elapsed_ns")) };
	if (fd >= 0) {
		read_all(fd, &stream);
		close(fd);
		ok = ok && two_clocks(text_in(cell, "capture"), &stream, payload, out) && tshark_agrees(text_in(cell, "capture"), payload);
	}
	json_decref(report);
	buf_finish(&stream);
	return ok;
}

static double off(double a, double b)
{
	return fabs(a / b - 1);
}

/* Up to three times, as long as the machine is to blame. skipped: it was, each time. */
static bool within_five_percent(unsigned payload, double turns, bool *skipped)
{
	struct outcome o = { 0 };

	for (int i = 0; i < ATTEMPTS; i++) {
		if (!run_cell(payload, "tap", "wall", &o))
			return false;
		printf("%u byte: %.0f byte/s, in turns %.0f (%+.2f %%); the kernel measured %.6f s, the board %.6f s; it fell %.3f ms behind (since power-on %.3f ms)\n", payload, o.goodput, turns,
		       100 * (o.goodput / turns - 1), (double)o.elapsed_ns / 1e9, (double)o.board_ns / 1e9,
		       (double)o.behind_ns / 1e6, (double)o.lag_ns / 1e6);
		if (off(o.goodput, turns) <= 0.05)
			return true;
		if (o.behind_ns <= LAG_NS || o.lag_ns < 0)
			return false;
	}
	*skipped = true;
	snprintf(why, sizeof why, "this machine is too busy for real time: at %u byte the board fell %.1f ms behind in the last of %d attempts", payload, (double)o.behind_ns / 1e6, ATTEMPTS);
	return true;
}

/* ---- ping ---- */

static bool ordered(const char *request)
{
	char answer[200];

	return rig_control(&rig, request, answer, sizeof answer) && strcmp(answer, "ok") == 0;
}

/* The system's own ping, of a board that only the test has switched on: three answers of each size within the time. */
static bool ping(const char *size)
{
	const char *const argv[] = { "/bin/ping", "-n", "-c", "3", "-i", "0.2", "-w", "20", "-s", size, "10.77.0.1", NULL };
	bool ok = rig_run(&rig, 30, argv) && rig.status == 0;

	if (!ok)
		fprintf(stderr, "ping: %s%s\n", rig.out, rig.err);
	return ok;
}

/* ---- comparison ---- */

/* The row of that payload and wire: one result of its newest run, and of nothing else. */
static bool one_row(json_t *document, unsigned payload, const char *mode, const char *pace)
{
	unsigned found = 0;
	json_t *row;
	size_t i;

	json_array_foreach(json_object_get(document, "rows"), i, row)
		if (json_integer_value(json_object_get(row, "payload_bytes")) == payload && strcmp(text_in(row, "mode"), mode) == 0)
			found += strcmp(text_in(row, "pace"), pace) == 0 && json_integer_value(json_object_get(row, "n")) == 1 ? 1 : 100;
	return found == 1;
}

static bool tools(void)
{
	if (access("/bin/ping", X_OK) == 0 && (access("/sbin/ip", X_OK) == 0 || access("/usr/sbin/ip", X_OK) == 0))
		return true;
	snprintf(why, sizeof why, "ping or ip is not installed (iputils-ping, iproute2)");
	return false;
}

TEST(a_board_on_a_kernel_interface_is_pinged_and_measured_as_in_turns_and_the_two_are_never_mixed)
{
	struct outcome turns[CELLS];
	bool skipped = false;

	if (!tools() || !own_network(why, sizeof why))
		SKIP("%s", why);
	CHECK(rig_prepare(&rig, NULL) && write_matrices() && use_bench("virtual.json") && rig_start(&rig));
	for (size_t i = 0; i < CELLS; i++)
		CHECK(run_cell(payloads[i], "gate", "turns", &turns[i]));
	CHECK(rig_stop(&rig));

	forget_chip();
	CHECK(use_bench("tap.json") && interface_up());
	CHECK_EQ(rig_ctl(&rig, "doctor", "--bench", rig.bench, NULL), 0);
	ask_for_processor(true);
	bool started = rig_start(&rig);
	ask_for_processor(false);
	CHECK(started && board_ready());
	for (size_t i = 0; i < CELLS && !skipped; i++)
		CHECK(within_five_percent(payloads[i], turns[i].goodput, &skipped));
	CHECK(ordered("clock real") && ordered("power on"));
	CHECK(ping("56") && ping("1000"));
	CHECK(ordered("power off"));

	json_t *document = rig_ctl_json(&rig, "compare", NULL);
	for (size_t i = 0; i < CELLS && !skipped; i++)
		CHECK(one_row(document, payloads[i], "gate", "turns") && one_row(document, payloads[i], "tap", "wall"));
	json_decref(document);
	CHECK(rig_stop(&rig) && rig_left_over(&rig) == 0);
	rig_finish(&rig);
	if (skipped)
		SKIP("%s", why);
}
