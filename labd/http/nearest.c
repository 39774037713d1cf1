// SPDX-License-Identifier: GPL-2.0-or-later
/* Levenshtein distance with one row of memory; words are short. */
#include "http/nearest.h"

#include <stdio.h>
#include <string.h>

#define WORD_MAX 40

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned distance(const char *a, size_t n, const char *b, size_t m)
{
	unsigned row[WORD_MAX + 1];

	for (unsigned j = 0; j <= m; j++)
		row[j] = j;
	for (size_t i = 1; i <= n; i++) {
		unsigned diagonal = row[0];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= m; j++) {
			unsigned change = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			row[j] = least(change, least(row[j], row[j - 1]) + 1);
		}
	}
	return row[m];
}

void nearest_word(const char *text, const char *words, char *out, size_t room)
{
	size_t n = strlen(text), m;
	unsigned best = WORD_MAX;

	out[0] = '\0';
	for (const char *w = words + strspn(words, " "); n <= WORD_MAX && *w; w += m, w += strspn(w, " ")) {
		m = strcspn(w, " ");
		if (m > WORD_MAX)
			continue;
		unsigned d = distance(text, n, w, m);

		if (d < best && d <= (m + 2) / 3) {
			best = d;
			snprintf(out, room, "%.*s", (int)m, w);
		}
	}
}

int word_in(const char *text, const char *words)
{
	size_t n = strlen(text), m;

	for (const char *w = words + strspn(words, " "); *w; w += m, w += strspn(w, " ")) {
		m = strcspn(w, " ");
		if (m == n && memcmp(w, text, n) == 0)
			return 1;
	}
	return 0;
}
