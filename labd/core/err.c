// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/err.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *const words[ERR_CODES] = {
	[ERR_NONE] = "none", [ERR_INVALID] = "invalid", [ERR_NOT_FOUND] = "not_found", [ERR_CONFLICT] = "conflict",
	[ERR_DENIED] = "denied", [ERR_TOO_LARGE] = "too_large", [ERR_UNSUPPORTED] = "unsupported", [ERR_TIMEOUT] = "timeout",
	[ERR_PROTOCOL] = "protocol", [ERR_LOST] = "lost", [ERR_IO] = "io", [ERR_CANCELLED] = "cancelled", [ERR_FULL] = "full",
	[ERR_MISMATCH] = "mismatch", [ERR_INTERNAL] = "internal",
};

static const struct { int number; enum err_code code; } from_errno[] = {
	{ ENOENT, ERR_NOT_FOUND }, { EEXIST, ERR_CONFLICT }, { EBUSY, ERR_CONFLICT }, { EADDRINUSE, ERR_CONFLICT },
	{ EACCES, ERR_DENIED }, { EPERM, ERR_DENIED }, { ETIMEDOUT, ERR_TIMEOUT }, { EPIPE, ERR_LOST }, { ECONNRESET, ERR_LOST },
	{ ECONNREFUSED, ERR_LOST }, { ENODEV, ERR_LOST }, { ENXIO, ERR_LOST }, { ENOSPC, ERR_FULL }, { EDQUOT, ERR_FULL },
	{ EMFILE, ERR_FULL }, { ENFILE, ERR_FULL }, { EFBIG, ERR_TOO_LARGE }, { EINVAL, ERR_INVALID },
};

/* Length of the UTF-8 character that begins at p, which ends with NUL; 0 = there is none: a stray, overlong or cut one, a surrogate, beyond Unicode. */
static size_t character(const unsigned char *p)
{
	static const struct { unsigned char mask, is; size_t size; unsigned least; } forms[] = {
		{ 0x80, 0x00, 1, 0 }, { 0xE0, 0xC0, 2, 0x80 }, { 0xF0, 0xE0, 3, 0x800 }, { 0xF8, 0xF0, 4, 0x10000 },
	};

	for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
		unsigned value = p[0] & (unsigned char)~forms[f].mask;
		size_t n = 1;

		if ((p[0] & forms[f].mask) != forms[f].is)
			continue;
		for (; n < forms[f].size && (p[n] & 0xC0) == 0x80; n++)
			value = value << 6 | (p[n] & 0x3F);
		return n == forms[f].size && value >= forms[f].least && value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF) ? n : 0;
	}
	return 0;
}

/*
 * A sentence quotes what others wrote, cut anywhere by a precision or by our own room. It ends up in JSON, on terminals and in logs: bytes that are not UTF-8, and
 * control characters, which would break these or move a cursor, become question marks.
 */
static void clean(char *msg)
{
	unsigned char *p = (unsigned char *)msg;

	while (*p) {
		size_t n = character(p);

		if (n == 0 || *p < ' ' || *p == 127 || (*p == 0xC2 && p[1] < 0xA0)) {
			memset(p, '?', n ? n : 1);
			n = n ? n : 1;
		}
		p += n;
	}
}

bool err_setv(struct err *e, enum err_code code, const char *fmt, va_list ap)
{
	assert(code > ERR_NONE && code < ERR_CODES);
	if (!e)
		return false;
	e->code = code;
	vsnprintf(e->msg, sizeof e->msg, fmt, ap);
	clean(e->msg);
	return false;
}

bool err_set(struct err *e, enum err_code code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	err_setv(e, code, fmt, ap);
	va_end(ap);
	return false;
}

/* "front: back". Where both have no room, the front is cut, since the reason stands at the back; but half of the room stays for it. */
static void join(struct err *e, const char *front, const char *back)
{
	char msg[sizeof e->msg];
	size_t room = sizeof msg - sizeof "...: ", half = room / 2, behind = strlen(back), before = behind < half ? room - behind : half;

	if (strlen(front) <= before + 3)
		snprintf(msg, sizeof msg, "%s: %s", front, back);
	else
		snprintf(msg, sizeof msg, "%.*s...: %s", (int)before, front, back);
	clean(msg);
	memcpy(e->msg, msg, sizeof msg);
}

bool err_prefix(struct err *e, const char *fmt, ...)
{
	char front[sizeof e->msg];
	va_list ap;

	if (!e)
		return false;
	va_start(ap, fmt);
	vsnprintf(front, sizeof front, fmt, ap);
	va_end(ap);
	join(e, front, e->msg);
	return false;
}

bool err_errno(struct err *e, const char *fmt, ...)
{
	int number = errno;
	char front[sizeof e->msg], reason[128];
	va_list ap;

	if (!e)
		return false;
	e->code = ERR_IO;
	for (size_t i = 0; i < sizeof from_errno / sizeof *from_errno; i++)
		if (from_errno[i].number == number)
			e->code = from_errno[i].code;
	va_start(ap, fmt);
	vsnprintf(front, sizeof front, fmt, ap);
	va_end(ap);
	join(e, front, strerror_r(number, reason, sizeof reason));
	errno = number;
	return false;
}

void err_clear(struct err *e)
{
	if (e)
		*e = (struct err){ .code = ERR_NONE };
}

const char *err_word(enum err_code code)
{
	assert(code < ERR_CODES);
	return words[code];
}
