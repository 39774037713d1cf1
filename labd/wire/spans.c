// SPDX-License-Identifier: GPL-2.0-or-later
#include "wire/spans.h"

#include <string.h>

bool spans_add(struct spans *s, uint64_t begin, uint64_t end)
{
	size_t first = 0, last;

	while (first < s->count && s->list[first].end < begin)
		first++;
	for (last = first; last < s->count && s->list[last].begin <= end; last++) {
		begin = s->list[last].begin < begin ? s->list[last].begin : begin;
		end = s->list[last].end > end ? s->list[last].end : end;
	}
	if (last == first && s->count == SPANS_MOST)
		return false;
	memmove(&s->list[first + 1], &s->list[last], (s->count - last) * sizeof *s->list);
	s->count = s->count - (last - first) + 1;
	s->list[first] = (struct span){ begin, end };
	return true;
}

uint64_t spans_whole(const struct spans *s)
{
	return s->count && s->list[0].begin == 0 ? s->list[0].end : 0;
}

bool spans_hold(const struct spans *s, uint64_t begin, uint64_t end)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->list[i].begin <= begin && s->list[i].end >= end)
			return true;
	return begin == end;
}
