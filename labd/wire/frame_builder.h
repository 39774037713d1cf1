// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For tests and benches: writes captures frame by frame, with right checksums unless told otherwise, between one board and one host whose
 * addresses and ports are fixed. One thread.
 */
#ifndef LAB_WIRE_FRAME_BUILDER_H
#define LAB_WIRE_FRAME_BUILDER_H

#include "core/buf.h"
#include "wire/flow.h"
#include "wire/packet.h"

enum { BUILD_HOST_PORT = 49152, BUILD_BOARD_PORT = 5100 };

struct builder {
	struct buf pcap;
	int link_type;                       /* DLT_EN10MB, DLT_LINUX_SLL, DLT_LINUX_SLL2 */
	uint16_t host_port, board_port;
	size_t last;                         /* where in pcap the last frame's own bytes begin */
	uint64_t frames, bytes, payload_bytes;
	bool leave_sums_out;                 /* the host's transport sums as a kernel leaves them for its card */
};

struct build_tcp {
	bool from_board;
	uint32_t seq, ack;
	uint8_t flags;
	uint16_t window, mss;                /* mss: option of a SYN, 0 = none */
	const void *payload;
	size_t n;
};

void builder_begin(struct builder *b, int link_type);
void builder_finish(struct builder *b);
void builder_tcp(struct builder *b, uint64_t at_ns, const struct build_tcp *t);
void builder_udp(struct builder *b, uint64_t at_ns, bool from_board, const void *payload, size_t n);

/* The query that fits: addresses and port of the builder. */
struct flow_query builder_query(uint32_t payload_bytes, uint32_t count);

/* Flip a bit of the last frame, offset bytes from its end (1 = the last byte). */
void builder_corrupt(struct builder *b, size_t from_end);

/* n payload bytes of frame i. */
void builder_payload(uint32_t frame, uint8_t *out, size_t n);

/* A whole trigger run over TCP; frames by the index given go wrong in the way named; -1 = none. Zero-initialise and set what differs from
   the comment. */
struct build_run {
	uint32_t n, count;
	uint32_t board_isn, host_isn;
	uint64_t begin_ns;
	uint64_t make_ns, ack_ns;            /* from an ACK to the next frame; from a frame to its ACK */
	int lose_trigger;                    /* this many trigger lines are lost before one arrives: sent again after 200 ms each */
	int64_t again, twice_acked, wrong_byte, zero_window, bad_sum, merged, stop_at;      /* frame index + 1; 0 = none */
};
void builder_run(struct builder *b, const struct build_run *r);

#endif
