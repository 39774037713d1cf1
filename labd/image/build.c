// SPDX-License-Identifier: GPL-2.0-or-later
/* Records of any order into an image: sorted by address, compared where they overlap, merged where they adjoin. */
#include "image/build.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

bool build_add(struct build *b, uint32_t at, const uint8_t *bytes, size_t size, size_t line, struct err *e)
{
	if (!size)
		return true;
	if ((uint64_t)at + size > (uint64_t)1 << 32)
		return err_set(e, ERR_INVALID, "%s %zu: %zu bytes at 0x%08X go beyond the end of the 32-bit address space", b->place, line, size, at);
	if (b->contents.size + size > IMAGE_MAX_BYTES)
		return err_set(e, ERR_TOO_LARGE, "%s %zu: more than %u MiB of contents", b->place, line, IMAGE_MAX_BYTES >> 20);
	if (b->count == IMAGE_MAX_RECORDS)
		return err_set(e, ERR_TOO_LARGE, "%s %zu: more than %u records", b->place, line, IMAGE_MAX_RECORDS);
	if (b->count == b->room) {
		b->room = b->room ? 2 * b->room : 64;
		b->records = xrealloc(b->records, b->room * sizeof *b->records);
	}
	b->records[b->count++] = (struct record){ at, (uint32_t)size, (uint32_t)b->contents.size, (uint32_t)line };
	buf_add(&b->contents, bytes, size);
	return true;
}

void build_entry(struct build *b, uint32_t entry)
{
	if (b->has_entry && b->entry != entry)
		b->warnings++;
	b->has_entry = true;
	b->entry = entry;
}

static int by_address(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static struct segment *segment_new(struct image *img, uint32_t at, size_t room)
{
	struct segment *s = &img->segments[img->count++];

	*s = (struct segment){ .at = at, .bytes = xcalloc(room, 1) };
	return s;
}

/* The bytes that record r shares with what its segment holds already must be the same. */
static bool same_bytes(const struct build *b, const struct record *r, const struct segment *s, size_t shared, struct err *e)
{
	const uint8_t *old = s->bytes + (r->at - s->at), *new = b->contents.bytes + r->offset;

	for (size_t i = 0; i < shared; i++)
		if (old[i] != new[i])
			return err_set(e, ERR_INVALID, "%s %u: address 0x%04X is given twice, as %02Xh and as %02Xh", b->place, r->line,
				r->at + (unsigned)i, old[i], new[i]);
	return true;
}

/* Last address + 1 of the run of records that begins at first and has no gap. */
static uint64_t run_end(const struct build *b, size_t first)
{
	uint64_t end = (uint64_t)b->records[first].at + b->records[first].size;

	for (size_t i = first + 1; i < b->count && b->records[i].at <= end; i++)
		if ((uint64_t)b->records[i].at + b->records[i].size > end)
			end = (uint64_t)b->records[i].at + b->records[i].size;
	return end;
}

static bool place_record(struct build *b, const struct record *r, struct segment *s, struct err *e)
{
	size_t from = r->at - s->at, shared = s->size > from ? s->size - from : 0;

	if (shared > r->size)
		shared = r->size;
	if (!same_bytes(b, r, s, shared, e))
		return false;
	if (shared)
		b->warnings++;
	memcpy(s->bytes + from, b->contents.bytes + r->offset, r->size);
	if (from + r->size > s->size)
		s->size = from + r->size;
	return true;
}

static bool place_all(struct build *b, struct image *img, struct err *e)
{
	uint64_t end = 0;
	struct segment *s = NULL;

	for (size_t i = 0; i < b->count; i++) {
		const struct record *r = &b->records[i];

		if (!s || r->at > end) {
			if (img->count == IMAGE_MAX_SEGMENTS)
				return err_set(e, ERR_TOO_LARGE, "%s %u: more than %d separate segments", b->place, r->line, IMAGE_MAX_SEGMENTS);
			end = run_end(b, i);
			s = segment_new(img, r->at, (size_t)(end - r->at));
		}
		if (!place_record(b, r, s, e))
			return false;
	}
	return true;
}

bool build_image(struct build *b, struct image **out, struct err *e)
{
	struct image *img;

	if (!b->count)
		return err_set(e, ERR_INVALID, "the image is empty: there is nothing to program");
	qsort(b->records, b->count, sizeof *b->records, by_address);
	img = xcalloc(1, sizeof *img);
	img->segments = xcalloc(b->count < IMAGE_MAX_SEGMENTS ? b->count : IMAGE_MAX_SEGMENTS, sizeof *img->segments);
	if (!place_all(b, img, e)) {
		image_destroy(img);
		return false;
	}
	img->has_entry = b->has_entry;
	img->entry = b->entry;
	img->warnings = b->warnings;
	*out = img;
	return true;
}

void build_finish(struct build *b)
{
	free(b->records);
	buf_finish(&b->contents);
}

bool text_line(struct text *t, const char **line, size_t *size)
{
	const char *p = t->at;

	if (p == t->end)
		return false;
	while (p != t->end && *p != '\n' && *p != '\r')
		p++;
	*line = t->at;
	*size = (size_t)(p - t->at);
	while (*size && (t->at[*size - 1] == ' ' || t->at[*size - 1] == '\t'))
		--*size;
	if (p != t->end && *p++ == '\r' && p != t->end && *p == '\n')
		p++;
	t->at = p;
	t->line++;
	return true;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

long text_hex(const char *digits, size_t size, uint8_t *out, size_t room, size_t *bad)
{
	size_t n = 0;

	for (size_t i = 0; i < size; i++) {
		int v = hex_digit(digits[i]);

		*bad = i;
		if (v < 0 || n == room)
			return -1;
		if (i % 2 == 0)
			out[n] = (uint8_t)(v << 4);
		else
			out[n++] |= (uint8_t)v;
	}
	*bad = size;
	return size % 2 ? -1 : (long)n;
}

bool text_unexpected(const char *what, size_t line, const char *at, struct err *e)
{
	unsigned char c = (unsigned char)*at;

	if (isprint(c) && c < 128)
		return err_set(e, ERR_INVALID, "line %zu: expected %s, found '%c' (%02Xh)", line, what, c, c);
	return err_set(e, ERR_INVALID, "line %zu: expected %s, found byte %02Xh", line, what, c);
}
