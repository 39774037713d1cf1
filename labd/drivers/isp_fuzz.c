// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A boot loader that answers with any bytes: what it says to each write ends at FDh, FEh stands for the rest of the echo, everything else for itself. The first
 * byte says how the bytes are cut into reads. Every operation ends, with an image verified or a sentence.
 */
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "drivers/flash_drivers.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

struct oracle {
	struct line line;
	const uint8_t *at, *end;
	bool answering;
	size_t burst;
	uint8_t echo[4096];                                                  /* what was written */
	size_t echo_size, echo_at;
	uint64_t now;
};

static bool yes(struct line *l, const struct line_setup *s, struct err *e)
{
	(void)l, (void)s, (void)e;
	return true;
}

static bool signal_any(struct line *l, enum line_signal which, bool asserted, struct err *e)
{
	(void)l, (void)which, (void)asserted, (void)e;
	return true;
}

static bool write_any(struct line *l, const void *bytes, size_t n, uint64_t deadline, struct err *e)
{
	struct oracle *o = (struct oracle *)l;

	(void)deadline, (void)e;
	while (o->answering && o->at != o->end && *o->at++ != 0xFD)
		continue;
	o->answering = true;
	o->echo_size = n < sizeof o->echo ? n : sizeof o->echo;
	o->echo_at = 0;
	memcpy(o->echo, bytes, o->echo_size);
	return true;
}

static bool next_byte(struct oracle *o, uint8_t *byte)
{
	if (!o->answering || o->at == o->end || *o->at == 0xFD)
		return false;
	if (*o->at == 0xFE && o->echo_at < o->echo_size) {
		*byte = o->echo[o->echo_at++];
		return true;
	}
	if (*o->at == 0xFE)
		o->at++;
	if (o->at == o->end || *o->at == 0xFD)
		return false;
	*byte = *o->at++;
	return true;
}

static long read_any(struct line *l, void *bytes, size_t n, size_t least, uint64_t deadline, struct err *e)
{
	struct oracle *o = (struct oracle *)l;
	size_t got = 0;

	(void)e;
	while (got < n && got < o->burst + least && next_byte(o, (uint8_t *)bytes + got))
		got++;
	if (got < least && deadline > o->now)
		o->now = deadline;
	o->now += NS_PER_MS;
	return (long)got;
}

static bool drop(struct line *l, struct err *e)
{
	(void)l, (void)e;
	return true;
}

static uint64_t now(struct line *l)
{
	return ((struct oracle *)l)->now;
}

static void nothing(struct line *l)
{
	(void)l;
}

static const struct line_ops ops = { .name = "oracle", .open = yes, .setup = yes, .signal = signal_any, .write = write_any, .read = read_any,
	.drop_input = drop, .now_ns = now, .close = nothing, .destroy = nothing };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const struct isp_config config = { .console = { 115200, 8, 'N', 1 }, .baud = 115200, .reset = { true, LINE_DTR, false },
		.boot = { true, LINE_RTS, false }, .sync_tries = 2, .step_ms = 100, .erase_ms = 1000, .total_ms = 10000 };
	struct oracle o = { .line.ops = &ops, .at = bytes + 1, .end = bytes + size, .burst = size ? bytes[0] : 0 };
	struct flasher *f;
	struct image *img = NULL;
	struct err e = { 0 };
	uint8_t found[100];

	if (!size || !image_parse("\x55\x66", 2, IMAGE_RAW, 0x7F, 0, &img, &e))
		return 0;
	f = atmel_isp_create(&o.line, &config);
	f->flash_size = 0x10000;
	if (!flasher_program(f, img, NULL, &e) && (!e.code || !e.msg[0]))
		abort();
	flasher_read(f, 0x100, found, sizeof found, &e);
	flasher_destroy(f);
	image_destroy(img);
	return 0;
}
