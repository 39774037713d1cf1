// SPDX-License-Identifier: GPL-2.0-or-later
/* The flasher for Atmel's serial boot loader: what to say in a session (isp_session.c knows how). Data sheet 4235K, table 24-9. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "drivers/flash_drivers.h"

enum {
	TYPE_PROGRAM = 0, TYPE_FUNCTION = 3,
	GROUP_ID = 0, GROUP_STATUS = 7, STATUS_BSB = 1,
	PAGE = 128,
	BSB_APPLICATION = 0x00, BSB_LOADER = 0xFF,
};

struct atmel_isp {
	struct flasher flasher;
	struct isp isp;
	bool programmed;                                                     /* since identify(): the boot status byte is FFh */
};

static struct atmel_isp *self(struct flasher *f)
{
	return (struct atmel_isp *)f;
}

static void tell(const struct progress *p, const char *step, size_t done, size_t total)
{
	if (p && p->step)
		p->step(p->opaque, step, done, total);
}

static bool identify(struct flasher *f, struct part *out, struct err *e)
{
	struct isp *s = &self(f)->isp;
	uint8_t id[4];

	self(f)->programmed = false;
	if (!isp_begin(s, e) || !isp_connect(s, e))
		return false;
	for (uint8_t i = 0; i < sizeof id; i++)
		if (!isp_get(s, GROUP_ID, i, &id[i], e))
			return false;
	out->id = (uint32_t)id[0] << 16 | (uint32_t)id[1] << 8 | id[2];
	snprintf(out->text, sizeof out->text, "manufacturer %02Xh family %02Xh device %02Xh revision %02Xh", id[0], id[1], id[2], id[3]);
	return true;
}

static bool set_boot_status(struct isp *s, uint8_t value, struct err *e)
{
	const uint8_t data[3] = { 6, 0, value };
	uint8_t now;

	if (!isp_get(s, GROUP_STATUS, STATUS_BSB, &now, e))
		return false;
	return now == value || isp_write(s, TYPE_FUNCTION, 0, data, sizeof data, 0, e);
}

/* Bytes from `at` to the end of its page or of the segment. */
static size_t record_size(uint32_t at, uint64_t end)
{
	size_t page_left = PAGE - at % PAGE;

	return end - at < page_left ? (size_t)(end - at) : page_left;
}

static bool program_segment(struct flasher *f, const struct segment *seg, const struct progress *p, size_t *done, size_t total, struct err *e)
{
	uint64_t end = (uint64_t)seg->at + seg->size;

	for (uint32_t at = seg->at; at < end;) {
		size_t n = record_size(at, end);

		if (!isp_write(&self(f)->isp, TYPE_PROGRAM, (uint16_t)at, seg->bytes + (at - seg->at), n, 0, e))
			return err_prefix(e, "%zu bytes at 0x%04X", n, at);
		f->flash_cycles++;
		*done += n;
		tell(p, "program", *done, total);
		at += (uint32_t)n;
	}
	return true;
}

static bool program(struct flasher *f, const struct image *img, const struct progress *p, struct err *e)
{
	size_t done = 0, total = image_bytes(img);

	tell(p, "program", 0, total);
	if (!set_boot_status(&self(f)->isp, BSB_LOADER, e))
		return err_prefix(e, "boot status byte");
	self(f)->programmed = true;
	for (size_t i = 0; i < img->count; i++)
		if (!program_segment(f, &img->segments[i], p, &done, total, e))
			return false;
	return true;
}

/* On a noisy line a long display never comes through whole: then in halves. */
static bool read_some(struct isp *s, uint32_t at, uint8_t *bytes, size_t n, struct err *e)
{
	if (isp_display(s, (uint16_t)at, bytes, n, e))
		return true;
	if (e->code != ERR_PROTOCOL || n < 32)
		return err_prefix(e, "%zu bytes at 0x%04X", n, at);
	return read_some(s, at, bytes, n / 2, e) && read_some(s, at + (uint32_t)(n / 2), bytes + n / 2, n - n / 2, e);
}

/* What differs is read a second time: the answer has no checksum, and a flash cell keeps its value. */
static bool verify_some(struct isp *s, uint32_t at, const uint8_t *expected, size_t n, struct err *e)
{
	uint8_t found[ISP_DISPLAY_MAX];

	if (!read_some(s, at, found, n, e))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (found[i] == expected[i])
			continue;
		if (!read_some(s, at + (uint32_t)i, &found[i], 1, e))
			return false;
		if (found[i] != expected[i])
			return err_set(e, ERR_MISMATCH, "address 0x%04X holds %02Xh and should hold %02Xh: the flash cell does not take it, or the part is worn out",
				at + (unsigned)i, found[i], expected[i]);
	}
	return true;
}

static bool verify(struct flasher *f, const struct image *img, const struct progress *p, struct err *e)
{
	size_t done = 0, total = image_bytes(img);

	tell(p, "verify", 0, total);
	for (size_t i = 0; i < img->count; i++) {
		const struct segment *seg = &img->segments[i];

		for (size_t from = 0; from < seg->size;) {
			size_t n = seg->size - from < ISP_DISPLAY_MAX ? seg->size - from : ISP_DISPLAY_MAX;

			if (!verify_some(&self(f)->isp, seg->at + (uint32_t)from, seg->bytes + from, n, e))
				return false;
			from += n;
			done += n;
			tell(p, "verify", done, total);
		}
	}
	return true;
}

static bool read_flash(struct flasher *f, uint32_t at, uint8_t *bytes, size_t n, struct err *e)
{
	for (size_t done = 0; done < n;) {
		size_t some = n - done < ISP_DISPLAY_MAX ? n - done : ISP_DISPLAY_MAX;

		if (!read_some(&self(f)->isp, at + (uint32_t)done, bytes + done, some, e))
			return false;
		done += some;
	}
	return true;
}

/* Erases the security bytes too: afterwards the chip starts its loader. */
static bool erase(struct flasher *f, const struct progress *p, struct err *e)
{
	const uint8_t full_chip = 7;

	tell(p, "erase", 0, f->flash_size);
	if (!isp_write(&self(f)->isp, TYPE_FUNCTION, 0, &full_chip, 1, self(f)->isp.config.erase_ms, e))
		return false;
	f->flash_cycles += f->flash_size / PAGE;
	tell(p, "erase", f->flash_size, f->flash_size);
	return true;
}

static bool reset(struct flasher *f, bool verified, struct err *e)
{
	struct atmel_isp *a = self(f);

	if (verified && a->programmed && !set_boot_status(&a->isp, BSB_APPLICATION, e))
		return err_prefix(e, "boot status byte");
	a->programmed = false;
	return isp_leave(&a->isp, e);
}

static void destroy(struct flasher *f)
{
	free(f);
}

static const struct flasher_ops ops = {
	.name = "atmel_isp", .identify = identify, .program = program, .verify = verify, .read = read_flash, .erase = erase, .reset = reset, .destroy = destroy,
};

struct flasher *atmel_isp_create(struct line *line, const struct isp_config *config)
{
	struct atmel_isp *a = xcalloc(1, sizeof *a);

	a->flasher.ops = &ops;
	a->isp.line = line;
	a->isp.config = *config;
	return &a->flasher;
}

uint64_t atmel_isp_limit_ns(const struct image *img, uint32_t baud, uint32_t page_write_us)
{
	uint64_t characters = 0, pages = 0;

	for (size_t i = 0; i < img->count; i++) {
		uint64_t end = (uint64_t)img->segments[i].at + img->segments[i].size;

		for (uint64_t at = img->segments[i].at; at < end; pages++) {
			size_t n = record_size((uint32_t)at, end);

			characters += 11 + 2 * n + 3;
			at += n;
		}
	}
	return characters * 11 * 1000000000u / baud + pages * page_write_us * 1000u;
}
