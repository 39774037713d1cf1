// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From a path to a line: a scanner that walks a JSON text Jansson has accepted, because Jansson forgets where a value stood. It never runs over the
 * end, whatever the text.
 */
#include <string.h>

#include "core/json.h"

struct scan {
	const char *p, *end;
	size_t line;
};

static bool more(const struct scan *s)
{
	return s->p != s->end;
}

static void step(struct scan *s)
{
	s->line += *s->p == '\n';
	s->p++;
}

static void skip_blank(struct scan *s)
{
	while (more(s) && *s->p && strchr(" \t\r\n", *s->p))
		step(s);
}

/* At a quote: behind the closing one. */
static void skip_text(struct scan *s)
{
	for (step(s); more(s) && *s->p != '"'; step(s))
		if (*s->p == '\\' && s->p + 1 != s->end)
			step(s);
	if (more(s))
		step(s);
}

/* Behind the value that begins here: brackets are counted, texts skipped. */
static void skip_value(struct scan *s)
{
	int depth = 0;

	while (more(s)) {
		if (*s->p == '"') {
			skip_text(s);
			continue;
		}
		if (strchr("[{", *s->p) && *s->p)
			depth++;
		if (strchr(",]}", *s->p) && *s->p && depth == 0)
			return;
		if (strchr("]}", *s->p) && *s->p)
			depth--;
		step(s);
	}
}

/* Inside an object, behind its brace: to the value of key. *line: of the key. False: there is none. */
static bool enter_key(struct scan *s, const char *key, size_t *line)
{
	size_t n = strlen(key);

	for (skip_blank(s); more(s) && *s->p == '"'; skip_blank(s)) {
		const char *name = s->p + 1;
		size_t at = s->line;

		skip_text(s);
		bool found = (size_t)(s->p - name) == n + 1 && !memcmp(name, key, n);
		skip_blank(s);
		if (more(s))
			step(s);                                             /* the colon */
		skip_blank(s);
		if (found) {
			*line = at;
			return true;
		}
		skip_value(s);
		if (more(s))
			step(s);                                             /* comma or brace */
	}
	return false;
}

static bool enter_index(struct scan *s, size_t index, size_t *line)
{
	for (skip_blank(s); index && more(s); index--) {
		skip_value(s);
		if (!more(s) || *s->p != ',')
			return false;
		step(s);
		skip_blank(s);
	}
	*line = s->line;
	return more(s);
}

static bool walk(struct scan *s, const struct json_path *at, size_t *line)
{
	if (!at) {
		skip_blank(s);
		*line = s->line;
		return more(s);
	}
	if (!walk(s, at->up, line) || !more(s) || *s->p != (at->key ? '{' : '['))
		return false;
	step(s);
	return at->key ? enter_key(s, at->key, line) : enter_index(s, at->index, line);
}

size_t json_line(const char *text, size_t size, const struct json_path *at)
{
	struct scan s = { text, text + size, 1 };
	size_t line = 1;

	walk(&s, at, &line);
	return line;
}
