// SPDX-License-Identifier: GPL-2.0-or-later
#include "drivers/turn_text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const whys[] = { "bytes", "room", "event", "deadline", "error" };

/* The next word into out; false when there is none or it does not fit. */
static bool word(const char **at, char *out, size_t room)
{
	size_t n = strcspn(*at, " ");

	if (n == 0 || n >= room)
		return false;
	memcpy(out, *at, n);
	out[n] = '\0';
	*at += n;
	*at += **at == ' ';
	return true;
}

static bool number(const char **at, uint64_t *out)
{
	char text[24], *end;

	if (!word(at, text, sizeof text) || !isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	*out = strtoull(text, &end, 10);
	return errno == 0 && *end == '\0';
}

static bool link_flags(const char **at, struct turn_link *l)
{
	char flags[4];

	if (!word(at, flags, sizeof flags))
		return false;
	for (const char *f = flags; *f; f++) {
		l->open |= *f == 'o';
		l->eof |= *f == 'e';
		l->reset |= *f == 'r';
		if (!strchr("oer-", *f))
			return false;
	}
	return true;
}

static bool read_why(const char **at, struct turn_stop *out)
{
	if (!word(at, out->why, sizeof out->why))
		return false;
	for (size_t i = 0; i < sizeof whys / sizeof *whys; i++)
		if (strcmp(whys[i], out->why) == 0) {
			out->error = strcmp(out->why, "error") == 0;
			return true;
		}
	return false;
}

static bool read_stop(const char *at, struct turn_stop *out)
{
	uint64_t count;

	if (!number(&at, &out->now_ns) || !read_why(&at, out) || !number(&at, &out->frames) || !number(&at, &count) || count > TURN_LINKS_MOST)
		return false;
	for (out->count = 0; out->count < count; out->count++) {
		struct turn_link *l = &out->links[out->count];
		if (!word(&at, l->id, sizeof l->id) || !number(&at, &l->given) || !number(&at, &l->limit) || !link_flags(&at, l))
			return false;
	}
	if (*at == ':' && out->error)
		snprintf(out->sentence, sizeof out->sentence, "%s", at + 1 + (at[1] == ' '));
	return *at == '\0' || (*at == ':' && out->error);
}

enum turn_kind turn_read(const char *line, struct turn_stop *out, struct err *e)
{
	const char *at = line;
	char head[8] = "";

	*out = (struct turn_stop){ .count = 0 };
	if (word(&at, head, sizeof head)) {
		if (strcmp(head, "stop") == 0 && read_stop(at, out))
			return TURN_STOP;
		if (strcmp(head, "alive") == 0 && number(&at, &out->now_ns) && *at == '\0')
			return TURN_ALIVE;
		if (strcmp(head, "err") == 0) {
			snprintf(out->sentence, sizeof out->sentence, "%s", at);
			return TURN_ERR;
		}
	}
	err_set(e, ERR_PROTOCOL, "not an answer to a turn: \"%.80s\"", line);
	return TURN_OTHER;
}

int turn_write_want(char *at, size_t room, const struct turn_want *w)
{
	const char *flags = w->abort ? "a" : w->fin ? "f" : "-";

	return snprintf(at, room, " %s %" PRIu64 " %s %" PRIu64 " %" PRIu64, w->id, w->sent, flags, w->rx_want, w->room_want);
}
