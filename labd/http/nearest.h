// SPDX-License-Identifier: GPL-2.0-or-later
/* Which of the known words somebody meant: for "did you mean" in errors. Any thread. */
#ifndef LAB_HTTP_NEAREST_H
#define LAB_HTTP_NEAREST_H

#include <stddef.h>

/* The word of a blank-separated list with the fewest single-letter edits to text, into out; "" when none is within a third of its length. */
void nearest_word(const char *text, const char *words, char *out, size_t room);

/* True when text is one of the blank-separated words. */
int word_in(const char *text, const char *words);

#endif
