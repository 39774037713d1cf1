// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One conversation of a workload with a board: the link, its deadline, and what to say and whom to blame when it goes wrong. Lives on the
 * stack of drive(); worker thread only.
 */
#ifndef LAB_DRIVE_EXCHANGE_H
#define LAB_DRIVE_EXCHANGE_H

#include "drive/workload.h"

/* How a conversation fails; exchange.c has the table of causes. */
enum trouble {
	TROUBLE_REFUSED,             /* RST answers SYN: the board is there, the service is not */
	TROUBLE_UNANSWERED,          /* nothing answers at all */
	TROUBLE_RESET,
	TROUBLE_CLOSED,              /* FIN before the end */
	TROUBLE_SILENT,              /* the deadline passed in the middle */
	TROUBLE_ERROR_LINE,          /* the board answered ERR */
	TROUBLE_WRONG_BYTE,
	TROUBLE_WRONG_SIZE,          /* more or fewer bytes than asked for */
	TROUBLE_SEQUENCE,            /* UDP: missing, doubled or reordered */
	TROUBLES
};

struct exchange {
	struct pace *pace;
	struct link *link;
	uint64_t deadline_ns;
	enum cause *cause;
	struct err *e;
};

/* Connect (TCP: until it is open). On failure there is no link. */
bool exchange_open(struct exchange *x, const struct endpoint *to);

/* All of it is on its way when this returns. */
bool exchange_send(struct exchange *x, const void *bytes, size_t n);

/*
 * Wait for bytes up to a total of received (UDP: datagrams), and take what is there: 1 to room bytes (UDP: one datagram). 0 = the other
 * side has ended; -1 = failed. Where it stands in the sentence of a silence: "frame 7 of 100".
 */
long exchange_take(struct exchange *x, void *bytes, size_t room, uint64_t received, const char *where);

/* Say no more, wait for the board's end (TCP), then let the last acknowledgement reach the capture. Late bytes are TROUBLE_WRONG_SIZE. */
bool exchange_finish(struct exchange *x);

/* After a failure: reset the link, so that the board is free for the next one. */
void exchange_abandon(struct exchange *x);

/* Fill cause and sentence; returns false. */
bool exchange_fail(struct exchange *x, enum trouble t, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* A failure of the pace itself is in x->e: fill the cause. Returns false. */
bool exchange_pace_failed(struct exchange *x);

#endif
