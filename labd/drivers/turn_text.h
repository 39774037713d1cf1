// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The turn protocol's lines, written and read (docs/virtual-board.md "Turns"): text in, numbers out, no sockets. Any thread.
 */
#ifndef LAB_DRIVERS_TURN_TEXT_H
#define LAB_DRIVERS_TURN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

enum { TURN_LINKS_MOST = 16, TURN_ID_MOST = 8, TURN_LINE_MOST = 4096 };

/* What the board says of one link. */
struct turn_link {
	char id[TURN_ID_MOST];
	uint64_t given, limit;
	bool open, eof, reset;
};

struct turn_stop {
	uint64_t now_ns, frames;
	bool error;
	char why[12];
	char sentence[160];                  /* with an error: what the board says; else "" */
	size_t count;
	struct turn_link links[TURN_LINKS_MOST];
};

enum turn_kind { TURN_STOP, TURN_ALIVE, TURN_ERR, TURN_OTHER };

/* Read a line without its LF. TURN_OTHER: not of the protocol, with the reason in e. TURN_ALIVE fills now_ns, TURN_ERR the sentence. */
enum turn_kind turn_read(const char *line, struct turn_stop *out, struct err *e);

/* What the host says of one link, added to a line; returns what snprintf() would. */
struct turn_want {
	const char *id;
	uint64_t sent, rx_want, room_want;
	bool fin, abort;
};
int turn_write_want(char *at, size_t room, const struct turn_want *w);

#endif
