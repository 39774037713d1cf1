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

bool err_setv(struct err *e, enum err_code code, const char *fmt, va_list ap)
{
	assert(code > ERR_NONE && code < ERR_CODES);
	if (!e)
		return false;
	e->code = code;
	vsnprintf(e->msg, sizeof e->msg, fmt, ap);
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

static void join(struct err *e, const char *front, const char *back)
{
	char msg[sizeof e->msg];
	int n = snprintf(msg, sizeof msg, "%s: ", front);

	if (n > 0 && (size_t)n < sizeof msg)
		snprintf(msg + n, sizeof msg - (size_t)n, "%s", back);
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
