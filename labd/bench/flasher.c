// SPDX-License-Identifier: GPL-2.0-or-later
/* The flasher seam: checks before a driver acts, the order of its steps, and a reset whatever happened. */
#include "bench/flasher.h"

#include <string.h>

static bool clear_of_reserved(const struct flasher *f, uint64_t at, uint64_t size, struct err *e)
{
	for (size_t i = 0; i < sizeof f->reserved / sizeof *f->reserved; i++) {
		uint64_t from = f->reserved[i].at, to = from + f->reserved[i].size, first = at > from ? at : from, end = at + size < to ? at + size : to;

		if (first < end)
			return err_set(e, ERR_INVALID, "%llu bytes at 0x%04llX are in the reserved range 0x%04llX to 0x%04llX (boot loader): link the image below it",
				(unsigned long long)(end - first), (unsigned long long)first, (unsigned long long)from, (unsigned long long)to - 1);
	}
	return true;
}

static bool check_image(const struct flasher *f, const struct image *img, struct err *e)
{
	if (!image_bytes(img))
		return err_set(e, ERR_INVALID, "the image is empty: there is nothing to program");
	if (!image_fits(img, f->flash_base, f->flash_size, e))
		return false;
	for (size_t i = 0; i < img->count; i++)
		if (!clear_of_reserved(f, img->segments[i].at, img->segments[i].size, e))
			return false;
	return true;
}

static bool identify(struct flasher *f, struct part *part, struct err *e)
{
	struct part found = { 0 };

	if (!f->ops->identify(f, &found, e))
		return err_prefix(e, "identify");
	if (f->expected_id && found.id != f->expected_id)
		return err_set(e, ERR_MISMATCH, "identify: found %s (%06X), and the board's chip is %06X: another board, or a wrong board type", found.text, found.id,
			f->expected_id);
	*part = found;
	return true;
}

/* Into the application if what was done succeeded; a failing reset matters only then. */
static bool finish(struct flasher *f, bool ok, bool verified, struct err *e)
{
	struct err ignored;

	if (!f->ops->reset(f, ok && verified, ok ? e : &ignored))
		return ok ? err_prefix(e, "%s: reset", f->ops->name) : err_prefix(e, "%s", f->ops->name);
	return ok || err_prefix(e, "%s", f->ops->name);
}

bool flasher_program(struct flasher *f, const struct image *img, const struct progress *p, struct err *e)
{
	struct part part;
	bool ok;

	if (!check_image(f, img, e))
		return err_prefix(e, "%s", f->ops->name);
	ok = identify(f, &part, e)
		&& (f->ops->program(f, img, p, e) || err_prefix(e, "program"))
		&& (f->ops->verify(f, img, p, e) || err_prefix(e, "verify"));
	return finish(f, ok, true, e);
}

bool flasher_verify(struct flasher *f, const struct image *img, const struct progress *p, struct err *e)
{
	struct part part;

	if (!check_image(f, img, e))
		return err_prefix(e, "%s", f->ops->name);
	return finish(f, identify(f, &part, e) && (f->ops->verify(f, img, p, e) || err_prefix(e, "verify")), true, e);
}

bool flasher_read(struct flasher *f, uint32_t at, uint8_t *bytes, size_t n, struct err *e)
{
	struct part part;

	if (!n || at < f->flash_base || (uint64_t)at + n > (uint64_t)f->flash_base + f->flash_size)
		return err_set(e, ERR_INVALID, "%s: read: %zu bytes at 0x%04X are not inside the flash", f->ops->name, n, at);
	return finish(f, identify(f, &part, e) && (f->ops->read(f, at, bytes, n, e) || err_prefix(e, "read")), false, e);
}

bool flasher_erase(struct flasher *f, const struct progress *p, struct err *e)
{
	struct part part;

	return finish(f, identify(f, &part, e) && (f->ops->erase(f, p, e) || err_prefix(e, "erase")), false, e);
}

bool flasher_identify(struct flasher *f, struct part *out, struct err *e)
{
	return finish(f, identify(f, out, e), false, e);
}

bool flasher_reset(struct flasher *f, struct err *e)
{
	return f->ops->reset(f, false, e) || err_prefix(e, "%s: reset", f->ops->name);
}

void flasher_destroy(struct flasher *f)
{
	if (f)
		f->ops->destroy(f);
}
