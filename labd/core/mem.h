// SPDX-License-Identifier: GPL-2.0-or-later
/* Allocation that cannot fail: out of memory ends the process with a sentence. Sizes from outside are bounded before they come here. */
#ifndef LAB_CORE_MEM_H
#define LAB_CORE_MEM_H

#include <stddef.h>

void *xcalloc(size_t count, size_t size);
void *xrealloc(void *p, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);

/* A formatted string the caller frees. */
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
