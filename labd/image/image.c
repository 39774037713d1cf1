// SPDX-License-Identifier: GPL-2.0-or-later
/* The image itself: parse by format, look at, patch, name. */
#include "image/image.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/buf.h"
#include "core/mem.h"
#include "image/build.h"
#include "image/sha256.h"

static struct text text_of(const void *bytes, size_t size)
{
	const char *p = bytes;

	if (size >= 3 && !memcmp(p, "\xEF\xBB\xBF", 3))
		return (struct text){ p + 3, p + size, 0 };
	return (struct text){ p, p + size, 0 };
}

static bool guess(const uint8_t *bytes, size_t size, enum image_format *format, struct err *e)
{
	struct text t = text_of(bytes, size);

	if (size >= 4 && !memcmp(bytes, "\177ELF", 4)) {
		*format = IMAGE_ELF;
		return true;
	}
	while (t.at != t.end && strchr(" \t\r\n", *t.at) && *t.at)
		t.line += *t.at++ == '\n';
	if (t.at == t.end)
		return err_set(e, ERR_INVALID, "the file is empty");
	*format = *t.at == ':' ? IMAGE_IHEX : *t.at == 'S' || *t.at == 's' ? IMAGE_SREC : IMAGE_AUTO;
	return *format != IMAGE_AUTO || text_unexpected("the start of an Intel HEX, S-record or ELF file", t.line + 1, t.at, e);
}

static bool collect(const void *bytes, size_t size, enum image_format format, uint32_t raw_at, uint16_t machine, struct build *b, struct err *e)
{
	switch (format) {
	case IMAGE_IHEX:
		return ihex_parse(text_of(bytes, size), b, e);
	case IMAGE_SREC:
		return srec_parse(text_of(bytes, size), b, e);
	case IMAGE_ELF:
		b->place = "program header";
		return elf_parse(bytes, size, machine, b, e);
	case IMAGE_RAW:
		b->place = "raw file, part";
		return build_add(b, raw_at, bytes, size, 1, e);
	default:
		return err_set(e, ERR_INTERNAL, "no such image format");
	}
}

bool image_parse(const void *bytes, size_t size, enum image_format format, uint32_t raw_at, uint16_t machine, struct image **out, struct err *e)
{
	struct build b = { .place = "line" };
	bool ok;

	if (!size)
		return err_set(e, ERR_INVALID, "the file is empty");
	if (size > IMAGE_MAX_INPUT_BYTES)
		return err_set(e, ERR_TOO_LARGE, "the file has %zu bytes: more than %u MiB", size, IMAGE_MAX_INPUT_BYTES >> 20);
	if (format == IMAGE_AUTO && !guess(bytes, size, &format, e))
		return false;
	ok = collect(bytes, size, format, raw_at, machine, &b, e) && build_image(&b, out, e);
	build_finish(&b);
	return ok;
}

static bool read_all(FILE *f, struct buf *b, struct err *e)
{
	char piece[65536];
	size_t n;

	while ((n = fread(piece, 1, sizeof piece, f)) > 0) {
		buf_add(b, piece, n);
		if (b->size > IMAGE_MAX_INPUT_BYTES)
			return err_set(e, ERR_TOO_LARGE, "more than %u MiB", IMAGE_MAX_INPUT_BYTES >> 20);
	}
	return !ferror(f) || err_errno(e, "read");
}

bool image_load(const char *path, enum image_format format, uint32_t raw_at, uint16_t machine, struct image **out, struct err *e)
{
	struct buf b = { 0 };
	FILE *f = fopen(path, "rbe");
	bool ok;

	if (!f)
		return err_errno(e, "%s", path);
	ok = (read_all(f, &b, e) && image_parse(b.bytes, b.size, format, raw_at, machine, out, e)) || err_prefix(e, "%s", path);
	fclose(f);
	buf_finish(&b);
	return ok;
}

struct image *image_dup(const struct image *img)
{
	struct image *copy = xcalloc(1, sizeof *copy);

	*copy = *img;
	copy->segments = xcalloc(img->count ? img->count : 1, sizeof *copy->segments);
	for (size_t i = 0; i < img->count; i++) {
		copy->segments[i] = img->segments[i];
		copy->segments[i].bytes = xcalloc(img->segments[i].size, 1);
		memcpy(copy->segments[i].bytes, img->segments[i].bytes, img->segments[i].size);
	}
	return copy;
}

void image_destroy(struct image *img)
{
	if (!img)
		return;
	for (size_t i = 0; i < img->count; i++)
		free(img->segments[i].bytes);
	free(img->segments);
	free(img);
}

size_t image_bytes(const struct image *img)
{
	size_t n = 0;

	for (size_t i = 0; i < img->count; i++)
		n += img->segments[i].size;
	return n;
}

static uint8_t *find(const struct image *img, uint32_t at, size_t size)
{
	for (size_t i = 0; i < img->count; i++) {
		const struct segment *s = &img->segments[i];

		if (at >= s->at && at - s->at <= s->size && size <= s->size - (at - s->at))
			return s->bytes + (at - s->at);
	}
	return NULL;
}

bool image_patch(struct image *img, uint32_t at, const void *bytes, size_t size, struct err *e)
{
	uint8_t *to = find(img, at, size);

	if (!to)
		return err_set(e, ERR_INVALID, "the image has no %zu bytes in a row at 0x%04X", size, at);
	memcpy(to, bytes, size);
	return true;
}

void image_copy(const struct image *img, uint32_t at, uint8_t *out, size_t size, uint8_t fill)
{
	uint64_t end = (uint64_t)at + size;

	memset(out, fill, size);
	for (size_t i = 0; i < img->count; i++) {
		const struct segment *s = &img->segments[i];
		uint64_t from = s->at > at ? s->at : at, to = (uint64_t)s->at + s->size < end ? (uint64_t)s->at + s->size : end;

		if (from < to)
			memcpy(out + (from - at), s->bytes + (from - s->at), (size_t)(to - from));
	}
}

bool image_fits(const struct image *img, uint32_t base, uint64_t size, struct err *e)
{
	for (size_t i = 0; i < img->count; i++) {
		const struct segment *s = &img->segments[i];
		uint64_t end = (uint64_t)s->at + s->size, limit = base + size;
		uint64_t first = s->at < base ? s->at : s->at < limit ? limit : s->at, last = s->at < base && end > base ? base : end;

		if (s->at < base || end > limit)
			return err_set(e, ERR_INVALID, "%llu bytes at 0x%04llX are outside the flash (0x%04X to 0x%04llX): the linker script places them there",
				(unsigned long long)(last - first), (unsigned long long)first, base, (unsigned long long)limit - 1);
	}
	return true;
}

static void hash(const struct image *img, struct sha256 *h)
{
	sha256_init(h);
	for (size_t i = 0; i < img->count; i++) {
		uint32_t at = img->segments[i].at, size = (uint32_t)img->segments[i].size;
		uint8_t head[8] = { (uint8_t)(at >> 24), (uint8_t)(at >> 16), (uint8_t)(at >> 8), (uint8_t)at,
			(uint8_t)(size >> 24), (uint8_t)(size >> 16), (uint8_t)(size >> 8), (uint8_t)size };

		sha256_add(h, head, sizeof head);
		sha256_add(h, img->segments[i].bytes, img->segments[i].size);
	}
}

void image_sha256(const struct image *img, char out[65])
{
	struct sha256 h;

	hash(img, &h);
	sha256_digest_hex(&h, out);
}

bool image_build_id(const struct image *img, uint32_t identity_at, uint32_t build_at, char out[13], struct err *e)
{
	static const uint8_t zero[IDENTITY_BYTES];
	struct image *copy = image_dup(img);
	bool ok = image_patch(copy, identity_at, zero, IDENTITY_BYTES, e) && image_patch(copy, build_at, zero, BUILD_BYTES, e);

	if (ok) {
		char hex[65];

		image_sha256(copy, hex);
		memcpy(out, hex, 12);
		out[12] = 0;
	}
	image_destroy(copy);
	return ok;
}
