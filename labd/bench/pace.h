// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Seam: time and the host's sockets, for one board.
 *
 * Drivers: wall (kernel sockets, poll, the monotonic clock) for real boards and for virtual ones in real time; turns (docs/virtual-board.md
 * "Turns") for virtual boards, whose clock stands still while nobody waits. Credit, totals and turns live in that driver and nowhere else.
 * All times and deadlines are the pace's own: nanoseconds since power-on (turns) or of the monotonic clock (wall). Every wait is bounded; a
 * wait on the other process is bounded in wall time too. One pace and its links belong to the worker thread of the board.
 */
#ifndef LAB_BENCH_PACE_H
#define LAB_BENCH_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

enum link_proto { LINK_TCP, LINK_UDP };

/* Where the host's socket connects to: the board itself, or the gate of a virtual one. */
struct endpoint {
	enum link_proto proto;
	char host[64];
	uint16_t port;
};

/* What is known of a link; bits. After LINK_EOF what had arrived can still be received; after LINK_RESET nothing can. */
enum link_state { LINK_OPEN = 1, LINK_EOF = 2, LINK_RESET = 4 };

struct pace;

struct link {
	struct pace *pace;
	enum link_proto proto;
	uint16_t local_port;                                                 /* of the host's socket */
	uint64_t sent, received;                                             /* totals since it was opened; kept by link_send() and link_recv() */
};

/* What ends a wait, beside an event: totals since the link was opened (UDP: datagrams). 0 = do not care. */
struct link_want {
	struct link *link;
	uint64_t received;
	uint64_t room;                                                       /* room for this much in total to have been sent */
};

struct pace_ops {
	const char *name;                                                    /* "wall", "turns" */
	uint64_t (*now_ns)(struct pace *p);
	bool (*open)(struct pace *p, const struct endpoint *to, const char *id, struct link **out, struct err *e);
	long (*send)(struct link *l, const void *bytes, size_t n, struct err *e);
	long (*recv)(struct link *l, void *bytes, size_t n, struct err *e);
	bool (*wait)(struct pace *p, const struct link_want *wants, size_t n, uint64_t deadline_ns, struct err *e);
	unsigned (*state)(struct link *l);
	void (*shutdown)(struct link *l);
	void (*close)(struct link *l, bool abort);
	void (*restarted)(struct pace *p);
	uint64_t (*frames)(struct pace *p);
	void (*destroy)(struct pace *p);
};

/* What a workload tells of its course, for whoever wants to know, with the board's clock standing still. */
enum pace_mark { PACE_MARK_BEGIN, PACE_MARK_END };                           /* the trigger is about to be sent; the last byte that counts has come */

struct pace {
	const struct pace_ops *ops;
	void (*marked)(void *opaque, enum pace_mark m);                      /* NULL: nobody wants to know. Set by the owner of the pace; worker thread */
	void *opaque;
	int cancel_fd;                                                       /* an eventfd: readable from pace_cancel() to pace_restarted() */
};

/* For drivers: what a pace of any kind has. */
bool pace_init(struct pace *p, const struct pace_ops *ops, struct err *e);

uint64_t pace_now_ns(struct pace *p);

/* Begin to connect; never waits for the board: link_state() says when it is open. id: NULL, or "uart0" for the serial line's connection. */
bool pace_open(struct pace *p, const struct endpoint *to, const char *id, struct link **out, struct err *e);

/*
 * Let the board run until one of the wants holds, something happens to a link (open, end, reset) or the deadline passes. True in all these
 * cases: look what holds. False: cancelled, or the other process is silent (ERR_TIMEOUT), gone (ERR_LOST) or wrong (ERR_PROTOCOL). Wants
 * must be exact: min(want, rest).
 */
bool pace_wait(struct pace *p, const struct link_want *wants, size_t n, uint64_t deadline_ns, struct err *e);

/* The board has just been powered on: time starts anew (turns: at 0), and all links but the serial line's are gone. */
void pace_restarted(struct pace *p);

/* For workloads: a mark is reached. Costs nothing and changes nothing where nobody listens. */
void pace_mark(struct pace *p, enum pace_mark m);

/* Capture records that the board has emitted so far; UINT64_MAX where nobody counts them. */
uint64_t pace_frames(struct pace *p);

/* Any thread: make the present wait (turns: within a second of the board's time) and every later one fail with ERR_CANCELLED, until
   pace_restarted(). */
void pace_cancel(struct pace *p);
void pace_destroy(struct pace *p);                                           /* closes what is open; accepts NULL */

/* What was taken: 0 to n; -1 when the link is reset or was never there. Never waits. A datagram is taken whole or not at all. */
long link_send(struct link *l, const void *bytes, size_t n, struct err *e);
/* What had arrived: 0 = nothing now (or end, see link_state); -1 as above. Never waits for the board. A datagram a call. */
long link_recv(struct link *l, void *bytes, size_t n, struct err *e);
unsigned link_state(struct link *l);
uint64_t link_sent(const struct link *l);
uint64_t link_received(const struct link *l);
void link_shutdown(struct link *l);                                          /* no more to send: FIN */
void link_close(struct link *l, bool abort);                                 /* abort: RST at once; else FIN; frees; accepts NULL */

#endif
