// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads the linker's map and the listings. Both are made for people: a line that does not look like a function is passed over. */
#include "symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(json_t *list, unsigned at, const char *name)
{
	json_array_append_new(list, json_pack("{s:i, s:s}", "at", (int)at, "name", name + (name[0] == '_')));
}

/* Calls take() with each line, without its end. */
static void each_line(const char *text, json_t *list, void (*take)(const char *line, bool *in_code, json_t *list))
{
	bool in_code = false;
	char line[256];

	while (*text) {
		size_t n = strcspn(text, "\n");

		snprintf(line, sizeof line, "%.*s", n < sizeof line ? (int)n : (int)sizeof line - 1, text);
		take(line, &in_code, list);
		text += n + (text[n] == '\n');
	}
}

/* "CSEG  0000008D  00002E20 = 11808. bytes (REL,CON,CODE)" opens an area; "C:   000000A7  _tick_start   tick" is in it. */
static void take_map_line(const char *line, bool *in_code, json_t *list)
{
	char name[100];
	unsigned at;

	if (strstr(line, " bytes ("))
		*in_code = strstr(line, "(REL,CON,CODE)") != NULL;
	else if (*in_code && sscanf(line, "C: %x %99s", &at, name) == 2 && strncmp(name, "l_", 2) && strncmp(name, "s_", 2))
		add(list, at, name);
}

/* "      000830                        295 _fill:" behind ".area CSEG    (CODE)". */
static void take_listing_line(const char *line, bool *in_code, json_t *list)
{
	const char *area = strstr(line, ".area "), *colon;
	char name[100];
	unsigned at, number;

	if (area) {
		*in_code = strstr(area, "CSEG") || strstr(area, "HOME");
		return;
	}
	colon = strchr(line, ':');
	if (*in_code && colon && colon[1] == 0 && sscanf(line, " %x %u %99[A-Za-z0-9_]:", &at, &number, name) == 3 && name[0] == '_')
		add(list, at, name);
}

void symbols_of_map(const char *text, json_t *list)
{
	each_line(text, list, take_map_line);
}

void symbols_of_listing(const char *text, json_t *list)
{
	each_line(text, list, take_listing_line);
}

static json_int_t at_of(const json_t *symbol)
{
	return json_integer_value(json_object_get(symbol, "at"));
}

static int by_address(const void *a, const void *b)
{
	json_int_t x = at_of(*(json_t *const *)a), y = at_of(*(json_t *const *)b);

	return (x > y) - (x < y);
}

json_t *symbols_sorted(const json_t *list)
{
	size_t n = json_array_size(list);
	json_t **all = calloc(n ? n : 1, sizeof *all), *sorted = json_array();

	for (size_t i = 0; all && i < n; i++)
		all[i] = json_array_get(list, i);
	if (all)
		qsort(all, n, sizeof *all, by_address);
	for (size_t i = 0; all && i < n; i++)
		if (i == 0 || at_of(all[i]) != at_of(all[i - 1]))
			json_array_append(sorted, all[i]);
	free(all);
	return sorted;
}
