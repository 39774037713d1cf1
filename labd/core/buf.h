// SPDX-License-Identifier: GPL-2.0-or-later
/* A growing run of bytes. Zero-initialise it; buf_finish() frees. One thread. */
#ifndef LAB_CORE_BUF_H
#define LAB_CORE_BUF_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct buf {
	uint8_t *bytes;              /* NULL while empty; always followed by a NUL that size does not count */
	size_t size, room;
};

void buf_add(struct buf *b, const void *bytes, size_t size);
void buf_add_byte(struct buf *b, uint8_t byte);
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Drop n bytes at the front. */
void buf_drop(struct buf *b, size_t n);
void buf_clear(struct buf *b);
void buf_finish(struct buf *b);

/* The contents as text: "" while empty. Valid until the next call. */
const char *buf_text(const struct buf *b);

/* Give the text away: the caller frees it; the buffer is empty afterwards. */
char *buf_take(struct buf *b);

#endif
