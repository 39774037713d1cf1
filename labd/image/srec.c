// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Motorola S-records: S0 header, S1 to S3 data with 16, 24 and 32 bits of address, S5 and S6 counts, S7 to S9 ends (srec(5)). Strict like
 * the Intel HEX parser; a count or an end record must prove that the file is whole (field failure F28).
 */
#include "image/build.h"

struct srec {
	struct build *b;
	uint32_t data_records;
	bool ended, counted;
	size_t line;
};

enum { KIND_NONE, KIND_HEADER, KIND_DATA, KIND_COUNT, KIND_END };

static const struct { uint8_t kind, address_bytes; } kinds[10] = {
	[0] = { KIND_HEADER, 2 },
	[1] = { KIND_DATA, 2 }, [2] = { KIND_DATA, 3 }, [3] = { KIND_DATA, 4 },
	[5] = { KIND_COUNT, 2 }, [6] = { KIND_COUNT, 3 },
	[7] = { KIND_END, 4 }, [8] = { KIND_END, 3 }, [9] = { KIND_END, 2 },
};

static bool check_record(size_t line, unsigned type, const uint8_t *bytes, size_t n, struct err *e)
{
	uint8_t sum = 0;

	if (n < 1 || n != (size_t)bytes[0] + 1)
		return err_set(e, ERR_INVALID, "line %zu: the record's count is %02Xh, but %zu bytes follow it", line, n ? bytes[0] : 0, n ? n - 1 : 0);
	if (n < 2u + kinds[type].address_bytes)
		return err_set(e, ERR_INVALID, "line %zu: an S%u record has at least %u bytes, not %zu", line, type, kinds[type].address_bytes + 1u, n - 1);
	for (size_t i = 0; i < n; i++)
		sum = (uint8_t)(sum + bytes[i]);
	if (sum != 0xFF)
		return err_set(e, ERR_INVALID, "line %zu: the checksum is %02Xh and should be %02Xh", line, bytes[n - 1], (uint8_t)(bytes[n - 1] + 0xFF - sum));
	if (kinds[type].kind >= KIND_COUNT && n != 2u + kinds[type].address_bytes)
		return err_set(e, ERR_INVALID, "line %zu: an S%u record carries no data", line, type);
	return true;
}

static bool take_count(struct srec *s, unsigned type, uint32_t count, struct err *e)
{
	s->counted = true;
	if (count != s->data_records)
		return err_set(e, ERR_INVALID, "line %zu: S%u counts %u data records, but the file has %u", s->line, type, count, s->data_records);
	return true;
}

static bool take_record(struct srec *s, unsigned type, const uint8_t *bytes, size_t n, struct err *e)
{
	size_t width = kinds[type].address_bytes;
	uint32_t at = 0;

	for (size_t i = 0; i < width; i++)
		at = at << 8 | bytes[1 + i];
	switch (kinds[type].kind) {
	case KIND_DATA:
		if (s->counted)
			return err_set(e, ERR_INVALID, "line %zu: there is data after the count record", s->line);
		s->data_records++;
		return build_add(s->b, at, bytes + 1 + width, n - width - 2, s->line, e);
	case KIND_COUNT:
		return take_count(s, type, at, e);
	case KIND_END:
		s->ended = true;
		build_entry(s->b, at);
		return true;
	default:
		return true;
	}
}

static bool take_line(struct srec *s, const char *p, size_t size, struct err *e)
{
	uint8_t bytes[256];
	unsigned type;
	size_t bad;
	long n;

	if (*p != 'S' && *p != 's')
		return text_unexpected("'S'", s->line, p, e);
	if (s->ended)
		return err_set(e, ERR_INVALID, "line %zu: there is a record after the end record", s->line);
	if (size < 2 || p[1] < '0' || p[1] > '9' || kinds[p[1] - '0'].kind == KIND_NONE)
		return err_set(e, ERR_INVALID, "line %zu: not one of the records S0 to S3 and S5 to S9", s->line);
	type = (unsigned)(p[1] - '0');
	n = text_hex(p + 2, size - 2, bytes, sizeof bytes, &bad);
	if (n < 0 && bad == size - 2)
		return err_set(e, ERR_INVALID, "line %zu: an odd number of hex digits: the line is cut", s->line);
	if (n < 0 && bad / 2 >= sizeof bytes)
		return err_set(e, ERR_INVALID, "line %zu: longer than any record", s->line);
	if (n < 0)
		return text_unexpected("a hex digit", s->line, p + 2 + bad, e);
	return check_record(s->line, type, bytes, (size_t)n, e) && take_record(s, type, bytes, (size_t)n, e);
}

bool srec_parse(struct text t, struct build *b, struct err *e)
{
	struct srec s = { .b = b };
	const char *p;
	size_t size;

	while (text_line(&t, &p, &size)) {
		s.line = t.line;
		if (size && !take_line(&s, p, size, e))
			return false;
	}
	if (!s.ended && !s.counted)
		return err_set(e, ERR_INVALID, "line %zu: the file ends without a count (S5, S6) or an end record (S7 to S9): it is cut", t.line);
	return true;
}
