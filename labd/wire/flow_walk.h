// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Inside wire/: what the followers of TCP and of UDP share while a capture is walked, record by record. flow.c owns the walk; a follower
 * sees only packets between the two addresses of the query.
 */
#ifndef LAB_WIRE_FLOW_WALK_H
#define LAB_WIRE_FLOW_WALK_H

#include "wire/flow.h"
#include "wire/packet.h"
#include "wire/spans.h"
#include "wire/trigger_text.h"

/* One end of a TCP connection. Positions count payload bytes from 0: the SYN is position -1. */
struct flow_side {
	bool syn;                            /* its SYN was seen: isn is valid */
	uint32_t isn;
	int64_t next;                        /* behind the last byte it has sent */
	int64_t acked;                       /* what it has acknowledged of the other side */
	bool fin;                            /* it has sent one, which takes up one number more */
	bool spoke;                          /* last_* are valid */
	uint32_t last_ack, last_window;
	int8_t shift;                        /* window scale offered with the SYN; -1 = none */
	struct spans seen;
};

struct flow_walk {
	const struct flow_query *q;
	struct flow_figures *out;
	uint32_t board, host;
	uint16_t host_port;                  /* of the flow that is followed; 0 = none yet */
	uint64_t record;                     /* the present one */
	uint64_t last_ns;
	uint64_t between;                    /* packets between the two addresses */
	bool triggered, done;
	uint64_t trigger_ns;
	uint32_t reached;                    /* frames acknowledged (UDP without: received) */
	uint32_t syn_tries;
	const char *reset_by;                /* "the board", "the host"; NULL = nobody */
	struct flow_side sides[2];           /* TCP; [FLOW_BOARD], [FLOW_HOST] */
	char line[TRIGGER_LINE_MOST];        /* TCP: what the host has sent */
	bool ended;                          /* TCP: line end seen at line_end, first at line_end_ns */
	int64_t line_end;
	uint64_t line_end_ns;
};

enum { FLOW_BOARD, FLOW_HOST };

/* One packet between board and host, at at_ns. False: the capture contradicts the query, with a sentence. */
typedef bool flow_take_fn(struct flow_walk *w, const struct packet *p, uint64_t at_ns, struct err *e);
/* The capture ended before the measurement did: says how far it came. Returns false. */
typedef bool flow_short_fn(const struct flow_walk *w, struct err *e);

flow_take_fn flow_tcp_take, flow_udp_take;
flow_short_fn flow_tcp_short, flow_udp_short;

/* Shared steps. */
void flow_trigger(struct flow_walk *w, uint64_t at_ns);
void flow_sent(struct flow_walk *w, uint32_t frame, uint64_t at_ns);     /* the last byte of a frame passed by */
void flow_frame_end(struct flow_walk *w, uint64_t at_ns);                /* of frame w->reached */
void flow_wrong_byte(struct flow_walk *w, uint64_t at);
bool flow_board_error(const struct packet *p, struct err *e);            /* an ERR line: sets the sentence, returns true */

#endif
