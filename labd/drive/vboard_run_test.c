// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The trigger benchmark on the virtual board itself, with the firmware of this tree in its flash: serial line, turns, capture and
 * measurement together, as a worker uses them. The image is put into the chip file directly; flashing has its own tests.
 */
#include "boards/types.h"
#include "drive/trigger.h"
#include "image/identity.h"
#include "rig.h"
#include "test/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/tap.h"
#include "core/clock.h"
#include "drivers/pace_drivers.h"
#include "drivers/tap_drivers.h"

enum { IDENTITY_AT = 0x7f80, BSB_RUN = 0x00, FLASH_BYTES = 65536 };

static struct err e;

/* A vboard process and what labd holds of it. */
struct bench {
	struct rig rig;
	struct pace *pace;
	struct tap *tap;
	struct link *line;
};

static bool load_firmware(uint8_t flash[FLASH_BYTES])
{
	char path[600];
	struct image *img;
	struct identity id;

	snprintf(path, sizeof path, "%s/firmware/at89c51ed2.ihx", getenv("LAB_BUILD"));
	if (!image_load(path, IMAGE_AUTO, 0, 0, &img, &e))
		return false;
	bool ok = identity_from_text("02:00:00:77:00:01", "10.77.0.1", NULL, NULL, &id, &e) && identity_patch(img, IDENTITY_AT, &id, &e);
	if (ok)
		image_copy(img, 0, flash, FLASH_BYTES, 0xff);
	image_destroy(img);
	return ok;
}

static bool make_chip(void)
{
	struct chip_memory m;
	char path[600];
	json_t *options = json_object();
	bool ok = board_at89c51ed2_cs8900a.memory(&m, options, &e);

	json_decref(options);
	for (size_t i = 0; ok && i < m.parts; i++) {
		if (strcmp(m.part[i].name, "bsb") == 0)
			m.part[i].bytes[0] = BSB_RUN;
		if (strcmp(m.part[i].name, "flash") == 0)
			ok = load_firmware(m.part[i].bytes);
	}
	snprintf(path, sizeof path, "%s/a.chip", test_folder());
	ok = ok && chip_file_save(path, board_at89c51ed2_cs8900a.name, &m, &e);
	chip_memory_finish(&m);
	return ok;
}

static struct endpoint uart_of(const struct bench *b)
{
	return (struct endpoint){ .proto = LINK_TCP, .host = "127.0.0.1", .port = b->rig.uart_port };
}

static const char *ready_text(const struct bench *b, const char *key)
{
	return json_string_value(json_object_get(b->rig.ready, key));
}

static struct endpoint service(const struct bench *b, size_t index, enum link_proto proto)
{
	json_t *port = json_object_get(json_array_get(json_object_get(b->rig.ready, "gate"), index), "outer_port");

	return (struct endpoint){ .proto = proto, .host = "127.0.0.1", .port = (uint16_t)json_integer_value(port) };
}

static bool bench_start(struct bench *b, int ack_delay_ms)
{
	char config[800];

	*b = (struct bench){ .pace = NULL };
	snprintf(config, sizeof config, "{\"type\":\"at89c51ed2-cs8900a\",\"name\":\"a\",\"state_dir\":\"%s\",\"wire\":{\"ports\":\"auto\",\"ack_delay_ms\":%d,"
		"\"services\":[{\"proto\":\"tcp\",\"port\":5100},{\"proto\":\"udp\",\"port\":5100}]}}", test_folder(), ack_delay_ms);
	if (!make_chip())
		return false;
	if (!rig_start(&b->rig, "vboard", config))
		return err_set(&e, ERR_LOST, "%s", rig_error());
	struct endpoint uart = uart_of(b);
	return (b->pace = pace_turns_create(ready_text(b, "control"), &e)) && (b->tap = tap_stream_create(ready_text(b, "tap"), &e))
		&& pace_open(b->pace, &uart, "uart0", &b->line, &e);
}

static void bench_stop(struct bench *b)
{
	link_close(b->line, false);
	tap_destroy(b->tap);
	pace_destroy(b->pace);
	rig_stop(&b->rig);
}

/* Power off, capture, power on, and run until the firmware says that its network is up. */
static bool boot(struct bench *b, const char *file)
{
	char text[4096] = "";
	size_t n = 0;

	if (!rig_ok(&b->rig, "power off") || !tap_start(b->tap, file, &e) || !rig_ok(&b->rig, "power on"))
		return false;
	pace_restarted(b->pace);
	while (pace_now_ns(b->pace) < 30 * NS_PER_S && n < sizeof text - 1) {
		struct link_want want = { .link = b->line, .received = link_received(b->line) + 1 };
		long got = link_recv(b->line, text + n, sizeof text - 1 - n, &e);
		n += got > 0 ? (size_t)got : 0;
		text[n] = '\0';
		const char *net = strstr(text, "@lab net ");
		if (net && strchr(net, '\n'))
			return true;
		if (got < 0 || (got == 0 && !pace_wait(b->pace, &want, 1, 30 * NS_PER_S, &e)))
			return false;
	}
	return err_set(&e, ERR_TIMEOUT, "no @lab net line: \"%.100s\"", text);
}

/* One cell from power-on to figures. */
static bool run(struct bench *b, const struct cell_params *p, const char *name, enum cause *cause, struct flow_figures *f)
{
	struct flow_query q = { .board_ip = { 10, 77, 0, 1 }, .host_ip = { 10, 77, 0, 254 } };
	struct endpoint to = service(b, p->proto == LINK_UDP, p->proto);
	char file[200];
	struct err unheard;

	snprintf(file, sizeof file, "%s/%s", test_folder(), name);
	if (!boot(b, file))
		return false;
	bool driven = trigger_workload.drive(p, b->pace, &to, pace_now_ns(b->pace) + 120 * NS_PER_S, cause, &e);
	bool stopped = tap_stop(b->tap, pace_frames(b->pace), driven ? &e : &unheard);
	trigger_workload.query(p, &q);
	return driven && stopped && flow_measure(file, &q, f, &e);
}

static bool same_file(const char *a, const char *b)
{
	char one[200], two[200];
	size_t n = 0, m = 0;

	snprintf(one, sizeof one, "%s/%s", test_folder(), a);
	snprintf(two, sizeof two, "%s/%s", test_folder(), b);
	char *x = test_read_file(one, &n), *y = test_read_file(two, &m);
	bool same = x && y && n == m && memcmp(x, y, n) == 0;
	free(x);
	free(y);
	return same;
}

static const struct cell_params big = { .payload_bytes = 1460, .count = 20 }, small = { .payload_bytes = 100, .count = 20 };

TEST(the_board_is_driven_and_measured_and_the_same_again)
{
	struct bench b;
	struct flow_figures one = { .elapsed_ns = 0 }, two = one, other = one;
	enum cause cause;

	bool ok = bench_start(&b, 0) && run(&b, &big, "a.pcap", &cause, &one) && run(&b, &small, "b.pcap", &cause, &other)
		&& run(&b, &big, "c.pcap", &cause, &two);
	bench_stop(&b);
	CHECK_OK(ok, &e);
	CHECK_EQ(one.elapsed_ns, two.elapsed_ns);
	CHECK(same_file("a.pcap", "c.pcap"));
	CHECK_EQ(one.payload_bytes, 1460 * 20);
	CHECK(one.payload_ok && !one.ack_paced);
	CHECK_EQ(one.retransmissions + one.duplicate_acks + one.bad_checksums + one.merged_frames, 0);
	CHECK(other.elapsed_ns < one.elapsed_ns);
	printf("  1460 bytes: %.1f byte/s, 100 bytes: %.1f byte/s\n", rate_byte_per_s(one.payload_bytes, one.elapsed_ns),
	       rate_byte_per_s(other.payload_bytes, other.elapsed_ns));
	flow_figures_finish(&one);
	flow_figures_finish(&two);
	flow_figures_finish(&other);
}

TEST(a_capture_that_begins_on_a_running_board_has_every_frame_from_then_on)
{
	struct bench b;
	struct flow_query q = { .board_ip = { 10, 77, 0, 1 }, .host_ip = { 10, 77, 0, 254 } };
	struct flow_figures f = { .elapsed_ns = 0 };
	enum cause cause;
	char first[200], second[200];

	snprintf(first, sizeof first, "%s/a.pcap", test_folder());
	snprintf(second, sizeof second, "%s/b.pcap", test_folder());
	bool ok = bench_start(&b, 0) && boot(&b, first);
	uint64_t before = ok ? pace_frames(b.pace) : 0;
	ok = ok && tap_stop(b.tap, before, &e) && tap_start(b.tap, second, &e);
	struct endpoint to = service(&b, 0, LINK_TCP);
	ok = ok && trigger_workload.drive(&small, b.pace, &to, pace_now_ns(b.pace) + 60 * NS_PER_S, &cause, &e);
	uint64_t frames = ok ? pace_frames(b.pace) - before : 0;
	ok = ok && tap_stop(b.tap, frames, &e);
	trigger_workload.query(&small, &q);
	ok = ok && flow_measure(second, &q, &f, &e);
	bench_stop(&b);
	CHECK_OK(ok, &e);
	CHECK(before > 0);
	CHECK_EQ(f.captured_frames, frames);
	CHECK_EQ(f.payload_bytes, 2000);
	flow_figures_finish(&f);
}

TEST(a_board_without_power_ends_a_run_at_once)
{
	struct bench b;
	struct endpoint to;
	enum cause cause = CAUSE_NONE;
	char file[200];

	snprintf(file, sizeof file, "%s/a.pcap", test_folder());
	bool ready = bench_start(&b, 0) && boot(&b, file) && rig_ok(&b.rig, "power off");
	to = service(&b, 0, LINK_TCP);
	bool driven = ready && trigger_workload.drive(&big, b.pace, &to, pace_now_ns(b.pace) + 3600 * NS_PER_S, &cause, &e);
	bench_stop(&b);
	CHECK(ready && !driven);
	CHECK_EQ(cause, CAUSE_HOST);                                         /* no word of the board's; the attempt asks the switch */
	CHECK_STR(e.msg, "trigger: the board's power is off: its connections are gone");
}

/* IAC WILL COM-PORT-OPTION (RFC 2217) is answered by the adapter, which hangs on USB and not on the board. */
TEST(the_serial_line_talks_before_the_power_is_on_and_its_totals_go_on)
{
	struct bench b;
	uint8_t answer[64];
	long got = 0;
	char file[200];

	snprintf(file, sizeof file, "%s/a.pcap", test_folder());
	bool ok = bench_start(&b, 0) && link_send(b.line, "\xff\xfb\x2c", 3, &e) == 3;
	for (uint64_t end = ok ? pace_now_ns(b.pace) + 5 * NS_PER_S : 0; ok && got < 3 && pace_now_ns(b.pace) < end;) {
		struct link_want want = { .link = b.line, .received = 3 };
		long some = 0;
		ok = pace_wait(b.pace, &want, 1, end, &e) && (some = link_recv(b.line, answer + got, sizeof answer - (size_t)got, &e)) >= 0;
		got += some;
	}
	uint64_t before = ok ? link_received(b.line) : 0;
	bool booted = ok && boot(&b, file);
	uint64_t after = ok ? link_received(b.line) : 0;
	bench_stop(&b);
	CHECK_OK(ok && booted, &e);
	CHECK(got >= 3 && answer[0] == 0xff);
	CHECK_EQ(before, got);
	CHECK(after > before);
}

TEST(udp_is_driven_and_measured_with_and_without_acknowledgements)
{
	struct bench b;
	struct flow_figures f = { .elapsed_ns = 0 }, g = f;
	struct cell_params p = { .proto = LINK_UDP, .payload_bytes = 500, .count = 20 }, acked = p;
	enum cause cause;

	acked.ack = true;
	bool ok = bench_start(&b, 0) && run(&b, &p, "a.pcap", &cause, &f) && run(&b, &acked, "b.pcap", &cause, &g);
	bench_stop(&b);
	CHECK_OK(ok, &e);
	CHECK_EQ(f.payload_bytes, 10000);
	CHECK(f.payload_ok && g.payload_ok);
	CHECK(g.elapsed_ns > f.elapsed_ns);
	flow_figures_finish(&f);
	flow_figures_finish(&g);
}

TEST(a_delayed_acknowledgement_is_flagged_on_the_slow_board_too)
{
	struct bench b;
	struct flow_figures f = { .elapsed_ns = 0 };
	enum cause cause;

	bool ok = bench_start(&b, 200) && run(&b, &(struct cell_params){ .payload_bytes = 1460, .count = 5 }, "a.pcap", &cause, &f);
	bench_stop(&b);
	CHECK_OK(ok, &e);
	CHECK(f.ack_paced);
	CHECK_EQ(f.ack_pace_ms, 200);
	flow_figures_finish(&f);
}

static uint64_t longest(const struct flow_figures *f)
{
	uint64_t most = 0;

	for (size_t i = 0; i < f->frame_count; i++)
		if (f->frames[i].end_ns - f->frames[i].begin_ns > most)
			most = f->frames[i].end_ns - f->frames[i].begin_ns;
	return most;
}

/* The monitor is at the bench PC: it sees an acknowledgement that gets lost behind it, and the frame that comes again for that; a frame
   lost before it is seen by the time it takes. */
TEST(a_lost_acknowledgement_is_a_retransmission_and_a_lost_frame_a_long_one)
{
	struct bench b;
	struct flow_figures f = { .elapsed_ns = 0 }, g = f;
	enum cause cause;

	bool ok = bench_start(&b, 0) && rig_ok(&b.rig, "fault wire.loss every=15 dir=host") && run(&b, &big, "a.pcap", &cause, &f)
		&& rig_ok(&b.rig, "fault clear") && rig_ok(&b.rig, "fault wire.loss every=15 dir=board") && run(&b, &big, "b.pcap", &cause, &g);
	bench_stop(&b);
	CHECK_OK(ok, &e);
	CHECK(f.payload_ok && g.payload_ok);
	CHECK_EQ(f.payload_bytes, 1460 * 20);
	CHECK_EQ(g.payload_bytes, 1460 * 20);
	CHECK(f.retransmissions >= 1);
	CHECK_EQ(g.retransmissions, 0);
	CHECK(longest(&f) > NS_PER_S && longest(&g) > NS_PER_S);
	flow_figures_finish(&f);
	flow_figures_finish(&g);
}

TEST(a_pulled_cable_gives_a_sentence_and_no_figure)
{
	struct bench b;
	struct flow_figures f = { .elapsed_ns = 0 };
	struct endpoint to;
	enum cause cause = CAUSE_NONE;
	char file[200];

	snprintf(file, sizeof file, "%s/a.pcap", test_folder());
	bool ready = bench_start(&b, 0) && boot(&b, file) && rig_ok(&b.rig, "fault link.down");
	to = service(&b, 0, LINK_TCP);
	bool driven = ready && trigger_workload.drive(&big, b.pace, &to, pace_now_ns(b.pace) + 10 * NS_PER_S, &cause, &e);
	bench_stop(&b);
	CHECK_OK(ready, &e);
	CHECK(!driven);
	CHECK_EQ(cause, CAUSE_NETWORK);
	CHECK(f.frames == NULL);
}
