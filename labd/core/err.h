// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Errors: a code for machines, a sentence for people.
 *
 * A function that can fail takes struct err *e last, on the caller's stack, and returns false (or NULL, or -1) after filling it. e may be
 * NULL when nobody wants to know. Whoever returns an error does not log it; whoever handles it logs it once. A sentence says what, where and
 * what to do, and has no full stop or line feed at its end. It is UTF-8 without control characters, whatever it quotes. Any thread.
 */
#ifndef LAB_CORE_ERR_H
#define LAB_CORE_ERR_H

#include <stdarg.h>
#include <stdbool.h>

enum err_code {
	ERR_NONE,
	ERR_INVALID,                 /* bad input: configuration, image, request */
	ERR_NOT_FOUND,
	ERR_CONFLICT,                /* exists already, frozen, busy with something else */
	ERR_DENIED,                  /* no or wrong token, refused by a security level */
	ERR_TOO_LARGE,
	ERR_UNSUPPORTED,
	ERR_TIMEOUT,                 /* a deadline passed; the sentence names the layer and the last thing seen */
	ERR_PROTOCOL,                /* the other side said something that the protocol does not allow */
	ERR_LOST,                    /* the other side is gone: reset, end of file, device removed */
	ERR_IO,                      /* the operating system said no */
	ERR_CANCELLED,
	ERR_FULL,                    /* disk, queue or table full */
	ERR_MISMATCH,                /* read back, compared, and not the same */
	ERR_INTERNAL,
	ERR_CODES
};

struct err {
	enum err_code code;
	char msg[240];
};

/* Fill *e and return false, so that a failing line is also the return line. */
bool err_set(struct err *e, enum err_code code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
bool err_setv(struct err *e, enum err_code code, const char *fmt, va_list ap) __attribute__((format(printf, 3, 0)));

/* Put "text: " before the sentence that is there; returns false. */
bool err_prefix(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* From errno: "what: reason"; ERR_IO, or the nearest code (ENOENT, ETIMEDOUT, EPIPE, ENOSPC...). */
bool err_errno(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

void err_clear(struct err *e);

/* The code's word as it stands in JSON and in the store: "invalid", "not_found", ... */
const char *err_word(enum err_code code);

#endif
