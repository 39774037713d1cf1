// SPDX-License-Identifier: GPL-2.0-or-later
/* Bytes of a serial line to lines a program may believe. */
#include "run/console.h"

#include <stdio.h>
#include <string.h>

static const char *const start = "@lab ";

static bool value_byte(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c && strchr("._:+-", c));
}

static bool key_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Exclusive-or of the bytes between '@' and '*'. */
static bool sum_is_right(const char *line, size_t star)
{
	int high = hex_digit(line[star + 1]), low = hex_digit(line[star + 2]);
	uint8_t sum = 0;

	for (size_t i = 1; i < star; i++)
		sum ^= (uint8_t)line[i];
	return high >= 0 && low >= 0 && sum == (uint8_t)(high * 16 + low);
}

/* A run of allowed bytes at *at; moves it behind. */
static bool take(const char *line, size_t end, size_t *at, bool (*allowed)(char), struct console_word *out)
{
	size_t from = *at;

	while (*at < end && allowed(line[*at]))
		(*at)++;
	*out = (struct console_word){ line + from, *at - from };
	return out->size > 0;
}

static bool take_byte(const char *line, size_t end, size_t *at, char byte)
{
	if (*at >= end || line[*at] != byte)
		return false;
	(*at)++;
	return true;
}

static bool word_ends(const char *line, size_t end, size_t *at)
{
	return *at == end || take_byte(line, end, at, ' ');
}

/* "kind key=value key=value ": the blank before the star is the last pair's; it may be missing. */
static bool take_words(const char *line, size_t end, struct console_line *out)
{
	size_t at = strlen(start);

	out->count = 0;
	if (!take(line, end, &at, key_byte, &out->kind) || !word_ends(line, end, &at))
		return false;
	while (at < end) {
		if (out->count == CONSOLE_PAIRS || !take(line, end, &at, key_byte, &out->pairs[out->count].key) || !take_byte(line, end, &at, '=')
		    || !take(line, end, &at, value_byte, &out->pairs[out->count].value) || !word_ends(line, end, &at))
			return false;
		out->count++;
	}
	return true;
}

enum console_trust console_parse(const char *line, size_t size, struct console_line *out)
{
	size_t prefix = strlen(start);

	if (size < prefix || memcmp(line, start, prefix) != 0)
		return CONSOLE_TEXT;
	if (size > CONSOLE_LINE_BYTES || size < prefix + 3 || line[size - 3] != '*' || !sum_is_right(line, size - 3) || !take_words(line, size - 3, out))
		return CONSOLE_BAD;
	return CONSOLE_GOOD;
}

static bool word_is(const struct console_word *w, const char *text)
{
	return w->size == strlen(text) && memcmp(w->text, text, w->size) == 0;
}

bool console_is(const struct console_line *l, const char *kind)
{
	return word_is(&l->kind, kind);
}

bool console_value(const struct console_line *l, const char *key, char *out, size_t size)
{
	out[0] = 0;
	for (size_t i = 0; i < l->count; i++) {
		const struct console_word *value = &l->pairs[i].value;

		if (!word_is(&l->pairs[i].key, key))
			continue;
		if (value->size >= size)
			return false;
		memcpy(out, value->text, value->size);
		out[value->size] = 0;
		return true;
	}
	return false;
}

static void line_ends(struct console *c)
{
	struct console_line l;
	enum console_trust trust;

	if (c->size && c->text[c->size - 1] == '\r')
		c->size--;
	trust = console_parse(c->text, c->size, &l);
	if (c->overlong && trust != CONSOLE_TEXT)
		trust = CONSOLE_BAD;
	c->bad += trust == CONSOLE_BAD;
	c->good += trust == CONSOLE_GOOD;
	if (trust == CONSOLE_GOOD && c->line)
		c->line(c->opaque, &l);
	c->size = 0;
	c->overlong = false;
}

void console_feed(struct console *c, const void *bytes, size_t size)
{
	const char *p = bytes;

	for (size_t i = 0; i < size; i++) {
		if (p[i] == '\n')
			line_ends(c);
		else if (c->size < sizeof c->text)
			c->text[c->size++] = p[i];
		else
			c->overlong |= p[i] != '\r';
	}
}

static void hear_boot(struct banner *b, const struct console_line *l)
{
	/* A second boot line is a reset: what was said before it counts no more. */
	*b = (struct banner){ .boot = true };
	console_value(l, "board", b->board, sizeof b->board);
	console_value(l, "build", b->build, sizeof b->build);
	console_value(l, "stack", b->stack, sizeof b->stack);
	console_value(l, "mac", b->mac, sizeof b->mac);
	console_value(l, "ip", b->ip, sizeof b->ip);
}

void banner_hear(struct banner *b, const struct console_line *l)
{
	char link[8];

	if (console_is(l, "boot"))
		hear_boot(b, l);
	else if (console_is(l, "net"))
		b->net = console_value(l, "link", link, sizeof link) && strcmp(link, "up") == 0;
	else if (console_is(l, "fault"))
		b->fault = console_value(l, "what", b->what, sizeof b->what) || true;
}
