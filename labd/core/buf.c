// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/buf.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

static void reserve(struct buf *b, size_t more)
{
	size_t need = b->size + more + 1;

	if (need <= b->room)
		return;
	b->room = need < 64 ? 64 : need * 2;
	b->bytes = xrealloc(b->bytes, b->room);
}

void buf_add(struct buf *b, const void *bytes, size_t size)
{
	if (size == 0)
		return;
	reserve(b, size);
	memcpy(b->bytes + b->size, bytes, size);
	b->size += size;
	b->bytes[b->size] = 0;
}

void buf_add_byte(struct buf *b, uint8_t byte)
{
	buf_add(b, &byte, 1);
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap, again;

	va_start(ap, fmt);
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	assert(n >= 0);
	reserve(b, (size_t)n);
	vsnprintf((char *)b->bytes + b->size, (size_t)n + 1, fmt, again);
	va_end(again);
	b->size += (size_t)n;
}

void buf_drop(struct buf *b, size_t n)
{
	assert(n <= b->size);
	if (n == 0)
		return;
	b->size -= n;
	memmove(b->bytes, b->bytes + n, b->size + 1);
}

void buf_clear(struct buf *b)
{
	b->size = 0;
	if (b->bytes)
		b->bytes[0] = 0;
}

void buf_finish(struct buf *b)
{
	free(b->bytes);
	*b = (struct buf){ 0 };
}

const char *buf_text(const struct buf *b)
{
	return b->bytes ? (const char *)b->bytes : "";
}

char *buf_take(struct buf *b)
{
	char *s = b->bytes ? (char *)b->bytes : xstrdup("");

	*b = (struct buf){ 0 };
	return s;
}
