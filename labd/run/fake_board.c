// SPDX-License-Identifier: GPL-2.0-or-later
/* The fake board: one struct behind all seams. Time passes only in waits, as on a virtual board. */
#include "run/fake_board.h"

#include <pcap/dlt.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/buf.h"
#include "core/clock.h"
#include "core/mem.h"
#include "drivers/pace_drivers.h"
#include "image/identity.h"
#include "image/sha256.h"
#include "wire/frame_builder.h"

enum { IDENTITY_AT = 0x40, BUILD_AT = 0x60, BOOT_MS = 120, NET_MS = 180 };

/* The published 8051: 101.64 ms and 0.13934 ms a byte for each frame. */
#define FRAME_NS(n) (101640000ull + 139340ull * (n))
#define ACK_NS 155000ull

struct fake_link {
	struct link link;
	bool open, ended;
	uint64_t began_ns;
};

struct fake_drivers {
	struct board board;                                                  /* first: what callers hold */
	struct fake *fake;
	struct power power;
	struct line line;
	struct pace pace;
	struct flasher flasher;
	struct tap tap;
	struct fake_link *link;
	bool on;
	uint64_t now_ns;
	struct buf console;                                                  /* what the firmware has printed and nobody has read */
	uint64_t prints_at[2];                                               /* when boot and net are printed; 0 = not any more */
	uint32_t n, count;                                                   /* of the trigger; 0 = none yet */
	char capture[512];
};

static struct fake_drivers *of_pace(struct pace *p)
{
	return (struct fake_drivers *)((char *)p - offsetof(struct fake_drivers, pace));
}

static struct fake_drivers *of_line(struct line *l)
{
	return (struct fake_drivers *)((char *)l - offsetof(struct fake_drivers, line));
}

static bool troubled(struct fake_drivers *d, enum fake_trouble t)
{
	struct fake *f = d->fake;

	return f->trouble == t && (!f->heals_after || f->power_ons <= f->heals_after);
}

/* ---- power ---- */

static bool power_set(struct power *p, bool on, struct err *e)
{
	struct fake_drivers *d = (struct fake_drivers *)((char *)p - offsetof(struct fake_drivers, power));

	if (on)
		d->fake->power_ons++;
	if (on && troubled(d, FAKE_POWER))
		return err_set(e, ERR_IO, "the switch did not act");
	d->on = on;
	buf_clear(&d->console);
	d->now_ns = 0;
	d->n = 0;
	d->prints_at[0] = BOOT_MS * NS_PER_MS;
	d->prints_at[1] = NET_MS * NS_PER_MS;
	return true;
}

static void power_end(struct power *p)
{
	(void)p;
}

static const struct power_ops power_ops = { .name = "fake", .set = power_set, .destroy = power_end };

/* ---- console ---- */

static void print_sum(struct fake_drivers *d, const char *text)
{
	uint8_t sum = troubled(d, FAKE_NOISE) ? 0x55 : 0;

	for (const char *p = text; *p; p++)
		sum ^= (uint8_t)*p;
	buf_printf(&d->console, "@%s*%02x\r\n", text, sum);
}

static void print_boot(struct fake_drivers *d)
{
	struct fake *f = d->fake;
	char text[120];

	buf_printf(&d->console, "labd test firmware\r\n");
	snprintf(text, sizeof text, "lab boot board=%s build=%s stack=fake mac=%s ip=%s ", f->type.name, f->build, f->mac, f->ip);
	print_sum(d, text);
	if (troubled(d, FAKE_FAULT_NIC))
		print_sum(d, "lab fault what=nic ");
}

static void print_net(struct fake_drivers *d)
{
	char text[120];

	snprintf(text, sizeof text, "lab net link=up ip=%s mac=%s ", d->fake->ip, d->fake->mac);
	print_sum(d, text);
}

/* The firmware's life up to now. */
static void live(struct fake_drivers *d)
{
	bool quiet = !d->on || !d->fake->build[0] || troubled(d, FAKE_DEAD_LINE);

	if (d->prints_at[0] && d->now_ns >= d->prints_at[0]) {
		d->prints_at[0] = 0;
		if (!quiet && troubled(d, FAKE_MUTE))
			buf_printf(&d->console, "something else runs here\r\n");
		else if (!quiet)
			print_boot(d);
	}
	if (d->prints_at[1] && d->now_ns >= d->prints_at[1]) {
		d->prints_at[1] = 0;
		if (!quiet && !troubled(d, FAKE_MUTE) && !troubled(d, FAKE_NO_LINK) && !troubled(d, FAKE_FAULT_NIC))
			print_net(d);
	}
}

/* Until something is printed, or the deadline. */
static void let_live(struct fake_drivers *d, uint64_t deadline_ns)
{
	for (int i = 0; i < 2 && d->console.size == 0; i++)
		if (d->prints_at[i] && d->prints_at[i] <= deadline_ns) {
			d->now_ns = d->prints_at[i] > d->now_ns ? d->prints_at[i] : d->now_ns;
			live(d);
		}
	if (d->console.size == 0 && d->now_ns < deadline_ns)
		d->now_ns = deadline_ns;
}

static bool line_begin(struct line *l, const struct line_setup *s, struct err *e)
{
	(void)s;
	return !troubled(of_line(l), FAKE_NO_LINE) || err_set(e, ERR_NOT_FOUND, "no such device");
}

static bool line_change(struct line *l, const struct line_setup *s, struct err *e)
{
	(void)l;
	(void)s;
	(void)e;
	return true;
}

static bool line_set(struct line *l, enum line_signal which, bool asserted, struct err *e)
{
	(void)l;
	(void)which;
	(void)asserted;
	(void)e;
	return true;
}

static bool line_put(struct line *l, const void *bytes, size_t n, uint64_t deadline_ns, struct err *e)
{
	(void)l;
	(void)bytes;
	(void)n;
	(void)deadline_ns;
	(void)e;
	return true;
}

static long line_take(struct line *l, void *bytes, size_t n, size_t least, uint64_t deadline_ns, struct err *e)
{
	struct fake_drivers *d = of_line(l);
	size_t some;

	(void)least;
	if (!pace_wait(&d->pace, NULL, 0, d->now_ns, e))
		return -1;
	let_live(d, deadline_ns);
	some = d->console.size < n ? d->console.size : n;
	if (d->fake->drips && some > 1)
		some = 1;
	if (some)
		memcpy(bytes, d->console.bytes, some);
	buf_drop(&d->console, some);
	return (long)some;
}

static bool line_drop(struct line *l, struct err *e)
{
	(void)e;
	buf_clear(&of_line(l)->console);
	return true;
}

static uint64_t line_now(struct line *l)
{
	return of_line(l)->now_ns;
}

static void line_end(struct line *l)
{
	(void)l;
}

static const struct line_ops line_ops = { "fake", line_begin, line_change, line_set, line_put, line_take, line_drop, line_now, line_end, line_end };

/* ---- pace: time, and a board that serves trigger ---- */

static uint64_t pace_now(struct pace *p)
{
	return of_pace(p)->now_ns;
}

static bool link_begin(struct pace *p, const struct endpoint *to, const char *id, struct link **out, struct err *e)
{
	struct fake_drivers *d = of_pace(p);

	(void)id;
	if (d->link)
		return err_set(e, ERR_CONFLICT, "the fake board has one link");
	d->link = xcalloc(1, sizeof *d->link);
	d->link->link = (struct link){ .pace = p, .proto = to->proto, .local_port = BUILD_HOST_PORT };
	d->link->began_ns = d->now_ns;
	*out = &d->link->link;
	return true;
}

static long link_put(struct link *l, const void *bytes, size_t n, struct err *e)
{
	struct fake_drivers *d = of_pace(l->pace);
	char text[64];

	snprintf(text, sizeof text, "%.*s", (int)n, (const char *)bytes);
	if (sscanf(text, "LAB1 n=%u count=%u", &d->n, &d->count) != 2 || !d->n) {
		err_set(e, ERR_INTERNAL, "the fake board understands whole trigger lines only");
		return -1;
	}
	d->link->began_ns = d->now_ns;
	return (long)n;
}

/* Payload bytes that the host has by now. */
static uint64_t arrived(struct fake_drivers *d)
{
	uint64_t frames = d->n ? (d->now_ns - d->link->began_ns) / FRAME_NS(d->n) : 0;

	if (troubled(d, FAKE_SILENT) && frames > 3)
		frames = 3;
	return (frames < d->count ? frames : d->count) * d->n;
}

static long link_take(struct link *l, void *bytes, size_t n, struct err *e)
{
	struct fake_drivers *d = of_pace(l->pace);
	uint8_t frame[1460], *out = bytes;
	uint64_t there = arrived(d), at = l->received;
	size_t some = there - at < n ? (size_t)(there - at) : n;

	(void)e;
	for (size_t i = 0; i < some; i++) {
		uint32_t index = (uint32_t)((at + i) / d->n);

		if (i == 0 || (at + i) % d->n == 0)
			builder_payload(index, frame, d->n);
		out[i] = frame[(at + i) % d->n];
		if (troubled(d, FAKE_WRONG_BYTE) && at + i == 7)
			out[i] ^= 1;
	}
	return (long)some;
}

static bool stuck(struct pace *p, struct err *e)
{
	struct pollfd fd = { .fd = p->cancel_fd, .events = POLLIN };

	poll(&fd, 1, 20000);
	return err_set(e, fd.revents ? ERR_CANCELLED : ERR_TIMEOUT, fd.revents ? "cancelled" : "nobody cancelled the test's board");
}

static bool pace_go(struct pace *p, const struct link_want *wants, size_t n, uint64_t deadline_ns, struct err *e)
{
	struct fake_drivers *d = of_pace(p);
	uint64_t until = deadline_ns;

	if (d->link && !d->link->open && d->on) {
		d->link->open = true;
		d->now_ns += NS_PER_MS;
		return true;
	}
	if (d->n && troubled(d, FAKE_STUCK))
		return stuck(p, e);
	if (n && wants[0].received && d->n && !troubled(d, FAKE_SILENT))
		until = d->link->began_ns + (wants[0].received + d->n - 1) / d->n * FRAME_NS(d->n);
	if (d->link && d->link->ended)
		until = d->now_ns + NS_PER_MS;
	if (until > deadline_ns)
		until = deadline_ns;
	if (until > d->now_ns)
		d->now_ns = until;
	live(d);
	return true;
}

static unsigned link_get(struct link *l)
{
	struct fake_link *f = (struct fake_link *)l;

	return (f->open ? LINK_OPEN : 0u) | (f->ended ? LINK_EOF : 0u);
}

static void link_stop(struct link *l)
{
	((struct fake_link *)l)->ended = true;
}

static void link_end(struct link *l, bool abort)
{
	(void)abort;
	of_pace(l->pace)->link = NULL;
	free(l);
}

static void pace_again(struct pace *p)
{
	struct fake_drivers *d = of_pace(p);

	d->now_ns = 0;
}

static uint64_t pace_count(struct pace *p)
{
	(void)p;
	return UINT64_MAX;
}

static void pace_end(struct pace *p)
{
	(void)p;
}

static const struct pace_ops pace_ops = { .name = "turns", .now_ns = pace_now, .open = link_begin, .send = link_put, .recv = link_take, .wait = pace_go, .state = link_get,
	                                      .shutdown = link_stop, .close = link_end, .restarted = pace_again, .frames = pace_count, .destroy = pace_end };

/* ---- flasher ---- */

static struct fake_drivers *of_flasher(struct flasher *f)
{
	return (struct fake_drivers *)((char *)f - offsetof(struct fake_drivers, flasher));
}

static bool flash_identify(struct flasher *f, struct part *out, struct err *e)
{
	if (troubled(of_flasher(f), FAKE_FLASH))
		return err_set(e, ERR_TIMEOUT, "no sync byte after 3 resets");
	*out = (struct part){ .text = "fake part", .id = 1 };
	return true;
}

static bool flash_program(struct flasher *f, const struct image *img, const struct progress *p, struct err *e)
{
	struct fake_drivers *d = of_flasher(f);
	uint8_t block[IDENTITY_BYTES], build[BUILD_BYTES];
	struct identity id;

	image_copy(img, IDENTITY_AT, block, sizeof block, 0xff);
	image_copy(img, BUILD_AT, build, sizeof build, 0xff);
	if (!identity_decode(block, &id, e))
		return false;
	p->step(p->opaque, "program", image_bytes(img), image_bytes(img));
	d->now_ns += 500 * NS_PER_MS;
	d->fake->flashes++;
	if (troubled(d, FAKE_FORGETS))
		return true;
	snprintf(d->fake->build, sizeof d->fake->build, "%.12s", (const char *)build);
	snprintf(d->fake->mac, sizeof d->fake->mac, "%02x:%02x:%02x:%02x:%02x:%02x", id.mac[0], id.mac[1], id.mac[2], id.mac[3], id.mac[4], id.mac[5]);
	snprintf(d->fake->ip, sizeof d->fake->ip, "%u.%u.%u.%u", id.ip[0], id.ip[1], id.ip[2], id.ip[3]);
	return true;
}

static bool flash_verify(struct flasher *f, const struct image *img, const struct progress *p, struct err *e)
{
	(void)f;
	(void)img;
	(void)p;
	(void)e;
	return true;
}

static bool flash_reset(struct flasher *f, bool verified, struct err *e)
{
	(void)f;
	(void)verified;
	(void)e;
	return true;
}

static void flash_end(struct flasher *f)
{
	(void)f;
}

static const struct flasher_ops flasher_ops = { .name = "fake", .identify = flash_identify, .program = flash_program, .verify = flash_verify, .reset = flash_reset,
	                                            .destroy = flash_end };

/* ---- tap ---- */

static struct fake_drivers *of_tap(struct tap *t)
{
	return (struct fake_drivers *)((char *)t - offsetof(struct fake_drivers, tap));
}

static bool tap_begin(struct tap *t, const char *file, struct err *e)
{
	(void)e;
	snprintf(of_tap(t)->capture, sizeof of_tap(t)->capture, "%s", file);
	return true;
}

static bool write_bytes(const char *path, const struct buf *b, struct err *e)
{
	FILE *f = fopen(path, "we");
	bool ok = f && fwrite(b->bytes, 1, b->size, f) == b->size;

	if (f && fclose(f) != 0)
		ok = false;
	return ok || err_errno(e, "%s", path);
}

static bool tap_end(struct tap *t, uint64_t frames, struct err *e)
{
	struct fake_drivers *d = of_tap(t);
	struct build_run r = { .n = d->n ? d->n : 1, .count = d->count ? d->count : 1, .board_isn = 1000, .host_isn = 2000, .begin_ns = 1000000,
	                       .make_ns = FRAME_NS(d->n) - ACK_NS, .ack_ns = ACK_NS };
	struct builder b;
	bool ok;

	(void)frames;
	if (troubled(d, FAKE_TAP))
		return err_set(e, ERR_LOST, "the stream ended");
	if (troubled(d, FAKE_CUT_CAPTURE))
		r.stop_at = r.count / 2;
	if (troubled(d, FAKE_SILENT))
		r.stop_at = 3;
	builder_begin(&b, DLT_EN10MB);
	builder_run(&b, &r);
	ok = write_bytes(d->capture, &b.pcap, e);
	builder_finish(&b);
	return ok;
}

static void tap_free(struct tap *t)
{
	(void)t;
}

static const struct tap_ops tap_ops = { "fake", true, tap_begin, tap_end, tap_free };

/* ---- what bench/board.h promises of any board ---- */

bool board_power_cycle(struct board *b, struct err *e)
{
	if (!power_off(b->power, e) || !power_on(b->power, e))
		return false;
	pace_restarted(b->pace);
	return true;
}

bool board_endpoint(const struct board *b, enum link_proto proto, uint16_t port, struct endpoint *out, struct err *e)
{
	(void)e;
	*out = (struct endpoint){ .proto = proto, .port = port };
	snprintf(out->host, sizeof out->host, "%s", b->config->net.ip);
	return true;
}

void board_cancel(struct board *b)
{
	pace_cancel(b->pace);
}

/* ---- making ---- */

/* One Intel HEX record. */
static void hex_record(struct buf *out, uint16_t at, uint8_t type, const uint8_t *bytes, size_t n)
{
	uint8_t sum = (uint8_t)(n + (at >> 8) + at + type);

	buf_printf(out, ":%02zX%04X%02X", n, at, type);
	for (size_t i = 0; i < n; i++) {
		buf_printf(out, "%02X", bytes[i]);
		sum = (uint8_t)(sum + bytes[i]);
	}
	buf_printf(out, "%02X\n", (uint8_t)(0x100 - sum));
}

static bool write_image(struct fake *f, struct err *e)
{
	uint8_t code[128];
	struct buf hex = { 0 }, list = { 0 };
	char path[300], hash[65];
	bool ok;

	for (size_t i = 0; i < sizeof code; i++)
		code[i] = (uint8_t)i;
	memset(code + IDENTITY_AT, 0xff, IDENTITY_BYTES);
	memcpy(code + BUILD_AT, FAKE_BUILD, BUILD_BYTES);
	for (uint16_t at = 0; at < sizeof code; at = (uint16_t)(at + 16))
		hex_record(&hex, at, 0, code + at, 16);
	hex_record(&hex, 0, 1, NULL, 0);
	sha256_hex(hex.bytes, hex.size, hash);
	buf_printf(&list, "[{\"board_type\":\"%s\",\"variant\":{},\"file\":\"fake.ihx\",\"format\":\"ihex\",\"sha256\":\"%s\",\"build\":\"" FAKE_BUILD "\",\"toolchain\":\"by hand\","
	           "\"flags\":\"\",\"commit\":\"none\",\"sections\":{\"code\":128},\"identity_at\":%d,\"build_at\":%d}]\n", f->type.name, hash, IDENTITY_AT, BUILD_AT);
	snprintf(path, sizeof path, "%s/fake.ihx", f->folder);
	ok = write_bytes(path, &hex, e) && write_bytes(f->images_file, &list, e);
	buf_finish(&hex);
	buf_finish(&list);
	return ok;
}

bool fake_init(struct fake *f, const char *name, const char *folder, struct err *e)
{
	*f = (struct fake){ .config = { .name = name, .type = "fake-type", .line = { .survives_power = true }, .wire = { .mode = BENCH_WIRE_NIC },
	                                .net = { .mac = "02:00:00:77:00:01", .ip = "10.77.0.1", .mask = "255.255.255.0", .host = "10.77.0.254" }, .pace = BENCH_PACE_TURNS },
	                    .type = { .name = "fake-type", .title = "fake", .flash = { .size = 0x10000, .page_bytes = 128, .endurance = 1000 }, .proof = BOARD_PROOF_BANNER,
	                              .identity = true, .limits = { .payload_max = 1460, .boot_ms = 2000, .boot_baud = 115200 }, .workloads = { "trigger" } } };
	snprintf(f->folder, sizeof f->folder, "%s", folder);
	snprintf(f->images_file, sizeof f->images_file, "%s/images.json", folder);
	return write_image(f, e);
}

bool fake_board_open(struct fake *f, struct board **out, struct err *e)
{
	struct fake_drivers *d = xcalloc(1, sizeof *d);

	d->fake = f;
	d->power.ops = &power_ops;
	d->line.ops = &line_ops;
	d->flasher = (struct flasher){ .ops = &flasher_ops, .flash_size = 0x10000 };
	d->tap.ops = &tap_ops;
	if (!pace_init(&d->pace, &pace_ops, e)) {
		free(d);
		return false;
	}
	d->board = (struct board){ .config = &f->config, .type = &f->type, .power = &d->power, .line = &d->line, .pace = &d->pace, .flasher = &d->flasher, .tap = &d->tap };
	f->opened++;
	*out = &d->board;
	return true;
}

void fake_board_close(struct board *b)
{
	struct fake_drivers *d = (struct fake_drivers *)b;

	pace_destroy(&d->pace);
	buf_finish(&d->console);
	free(d->link);
	free(d);
}

bool fake_open(void *opaque, const struct runner_board *b, struct board **out, struct err *e)
{
	struct fake *const *fakes = opaque;

	for (; *fakes; fakes++)
		if (&(*fakes)->config == b->config)
			return (*fakes)->trouble == FAKE_ABSENT ? err_set(e, ERR_TIMEOUT, "not up yet") : fake_board_open(*fakes, out, e);
	return err_set(e, ERR_NOT_FOUND, "no such board");
}

void fake_close(void *opaque, struct board *b)
{
	(void)opaque;
	fake_board_close(b);
}
