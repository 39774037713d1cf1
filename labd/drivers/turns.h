// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Inside the turns pace: its links (turns_link.c) and its turns (pace_turns.c). The board tells totals with every stop; links hold them,
 * and read and write up to them.
 */
#ifndef LAB_DRIVERS_TURNS_H
#define LAB_DRIVERS_TURNS_H

#include "bench/pace.h"
#include "drivers/turn_control.h"

struct turns_link {
	struct link base;
	int fd;                              /* -1 = gone */
	char id[TURN_ID_MOST];
	unsigned state;
	bool survives;                       /* uart0: over a power cycle; never told f or a */
	bool told;                           /* it was in a turn: the board knows it */
	bool fin, abort;                     /* said at every turn from now on */
	bool closed;                         /* by its owner: the list owns it */
	uint64_t given, limit;
};

struct turns {
	struct pace base;
	struct turn_control control;
	uint64_t now_ns, frames;
	bool off;                            /* the power is off: streams flow freely, and time is the host's */
	uint64_t off_since_ns;               /* on the monotonic clock */
	bool slice_over;                     /* the last turn ended by its own length: nothing has happened yet */
	bool owed;                           /* a stop that a silent turn still owes, */
	bool owed_of_before;                 /* from before the restart */
	struct turns_link *links[TURN_LINKS_MOST];
	size_t count;
};

/* Out of the list that the board is told of; no error when it is not there. */
void turns_link_drop(struct turns *t, struct turns_link *l);
void turns_link_shut(struct turns_link *l);

/* What the operations table needs. */
bool turns_open(struct pace *p, const struct endpoint *to, const char *id, struct link **out, struct err *e);
long turns_send(struct link *base, const void *bytes, size_t n, struct err *e);
long turns_recv(struct link *base, void *bytes, size_t n, struct err *e);
unsigned turns_state(struct link *l);
void turns_shutdown(struct link *base);
void turns_close(struct link *base, bool abort);

#endif
