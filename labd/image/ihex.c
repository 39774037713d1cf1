// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Intel HEX (Intel Hexadecimal Object File Format Specification, revision A, 1988), all six record types. Strict: tools disagree on broken files,
 * so a broken file is an error here (field failures F18 to F23).
 */
#include <string.h>

#include "image/build.h"

enum { TYPE_DATA, TYPE_END, TYPE_SEGMENT, TYPE_START_SEGMENT, TYPE_LINEAR, TYPE_START_LINEAR, TYPES };

struct ihex {
	struct build *b;
	uint32_t base;
	bool segmented;                                                      /* base comes from a type 02 record: offsets wrap at 64 KB */
	bool ended;
	size_t line;
};

struct hex_record {
	uint8_t size, type;
	uint16_t offset;
	const uint8_t *data;
};

static bool take_data(struct ihex *h, const struct hex_record *r, struct err *e)
{
	size_t before_wrap = 0x10000u - r->offset, n = r->size;

	if (n <= before_wrap)
		return build_add(h->b, h->base + r->offset, r->data, n, h->line, e);
	if (!h->segmented)
		return err_set(e, ERR_INVALID, "line %zu: %zu bytes at offset %04Xh cross the end of the 64 KB range of their base address", h->line, n, r->offset);
	return build_add(h->b, h->base + r->offset, r->data, before_wrap, h->line, e)
		&& build_add(h->b, h->base, r->data + before_wrap, n - before_wrap, h->line, e);
}

static bool take_end(struct ihex *h, const struct hex_record *r, struct err *e)
{
	(void)r;
	(void)e;
	h->ended = true;
	return true;
}

static uint32_t word(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static bool take_segment(struct ihex *h, const struct hex_record *r, struct err *e)
{
	(void)e;
	h->base = (uint32_t)(r->data[0] << 8 | r->data[1]) << 4;
	h->segmented = true;
	return true;
}

static bool take_linear(struct ihex *h, const struct hex_record *r, struct err *e)
{
	(void)e;
	h->base = (uint32_t)(r->data[0] << 8 | r->data[1]) << 16;
	h->segmented = false;
	return true;
}

static bool take_start_segment(struct ihex *h, const struct hex_record *r, struct err *e)
{
	uint32_t v = word(r->data);

	(void)e;
	build_entry(h->b, ((v >> 16) << 4) + (v & 0xFFFF));
	return true;
}

static bool take_start_linear(struct ihex *h, const struct hex_record *r, struct err *e)
{
	(void)e;
	build_entry(h->b, word(r->data));
	return true;
}

static const struct {
	int size;                                                            /* -1: any */
	bool (*take)(struct ihex *h, const struct hex_record *r, struct err *e);
} types[TYPES] = {
	[TYPE_DATA] = { -1, take_data },
	[TYPE_END] = { 0, take_end },
	[TYPE_SEGMENT] = { 2, take_segment },
	[TYPE_START_SEGMENT] = { 4, take_start_segment },
	[TYPE_LINEAR] = { 2, take_linear },
	[TYPE_START_LINEAR] = { 4, take_start_linear },
};

/* A record's bytes from length to checksum: do they agree with themselves? */
static bool check_record(size_t line, const uint8_t *bytes, size_t n, struct err *e)
{
	uint8_t sum = 0;

	if (n < 5 || n != (size_t)bytes[0] + 5)
		return err_set(e, ERR_INVALID, "line %zu: the record's length is %02Xh, but the line holds %zu bytes of data", line, n ? bytes[0] : 0, n < 5 ? 0 : n - 5);
	for (size_t i = 0; i < n; i++)
		sum = (uint8_t)(sum + bytes[i]);
	if (sum)
		return err_set(e, ERR_INVALID, "line %zu: the checksum is %02Xh and should be %02Xh", line, bytes[n - 1], (uint8_t)(bytes[n - 1] - sum));
	if (bytes[3] >= TYPES)
		return err_set(e, ERR_INVALID, "line %zu: record type %02Xh does not exist", line, bytes[3]);
	if (types[bytes[3]].size >= 0 && types[bytes[3]].size != bytes[0])
		return err_set(e, ERR_INVALID, "line %zu: a record of type %02Xh has %d bytes of data, not %d", line, bytes[3], types[bytes[3]].size, bytes[0]);
	return true;
}

static bool take_line(struct ihex *h, const char *p, size_t size, struct err *e)
{
	uint8_t bytes[260];
	size_t bad;
	long n;

	if (*p != ':')
		return text_unexpected("':'", h->line, p, e);
	if (h->ended)
		return err_set(e, ERR_INVALID, "line %zu: there is a record after the end-of-file record", h->line);
	n = text_hex(p + 1, size - 1, bytes, sizeof bytes, &bad);
	if (n < 0 && bad == size - 1)
		return err_set(e, ERR_INVALID, "line %zu: an odd number of hex digits: the line is cut", h->line);
	if (n < 0 && bad / 2 >= sizeof bytes)
		return err_set(e, ERR_INVALID, "line %zu: longer than any record", h->line);
	if (n < 0)
		return text_unexpected("a hex digit", h->line, p + 1 + bad, e);
	if (!check_record(h->line, bytes, (size_t)n, e))
		return false;
	return types[bytes[3]].take(h, &(struct hex_record){ bytes[0], bytes[3], (uint16_t)(bytes[1] << 8 | bytes[2]), bytes + 4 }, e);
}

bool ihex_parse(struct text t, struct build *b, struct err *e)
{
	struct ihex h = { .b = b };
	const char *p;
	size_t size;

	while (text_line(&t, &p, &size)) {
		h.line = t.line;
		if (size && !take_line(&h, p, size, e))
			return false;
	}
	if (!h.ended)
		return err_set(e, ERR_INVALID, "line %zu: the file ends without an end-of-file record (:00000001FF): it is cut", t.line);
	return true;
}
