// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From a capture to figures: follows one TCP or UDP flow in a pcap file and measures what the board did on the wire (docs/workloads.md says
 * from where to where).
 *
 * One code path for live and streamed captures, since both end as a pcap file. The only user of pcap_open_offline. Any thread. Times in
 * nanoseconds of the capture's clock.
 */
#ifndef LAB_WIRE_FLOW_H
#define LAB_WIRE_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

enum flow_kind { FLOW_TRIGGER };

struct flow_query {
	enum flow_kind kind;
	bool udp;
	uint8_t board_ip[4], host_ip[4];
	uint16_t board_port;
	uint16_t host_port;                                                  /* on the wire; 0 = any: the first flow to the board's port that starts a measurement */
	uint32_t payload_bytes, count;                                       /* of a frame; frames */
	bool ack;                                                            /* UDP with acknowledgements */
};

struct flow_frame {
	uint64_t begin_ns;                                                   /* since the trigger: the acknowledgement before it */
	uint64_t sent_ns;                                                    /* since the trigger: end of its first transmission on the wire */
	uint64_t end_ns;                                                     /* since the trigger: end of the frame that acknowledges its last byte */
	uint32_t transmissions;
};

struct flow_figures {
	uint64_t elapsed_ns;                                                 /* trigger to the last acknowledgement */
	uint64_t payload_bytes;                                              /* application bytes acknowledged */
	uint64_t wire_bytes;                                                 /* frames of the board in that time, FCS included, preamble and gap not */
	struct flow_frame *frames;                                           /* the figures' */
	size_t frame_count;
	uint32_t retransmissions, duplicate_acks, zero_windows, out_of_order, bad_checksums, merged_frames;
	uint32_t window_min, window_max;                                     /* the board's receive window as advertised */
	uint32_t mss;                                                        /* as the board offered; 0 = none */
	bool payload_ok;                                                     /* every byte as docs/workloads.md has it */
	uint64_t payload_bad_at;                                             /* position of the first wrong byte */
	bool ack_paced;                                                      /* TCP: a delayed-acknowledgement timer of 40 or 200 ms sets the rate (docs/measuring.md) */
	uint32_t ack_pace_ms;
	uint64_t captured_frames, captured_bytes;                            /* whole capture */
	char link_type[16];
};

/* False with a sentence when the capture is broken or the flow is not there, incomplete or contradicts the query; never a partial figure. */
bool flow_measure(const char *pcap_file, const struct flow_query *q, struct flow_figures *out, struct err *e);
bool flow_measure_bytes(const void *bytes, size_t size, const struct flow_query *q, struct flow_figures *out, struct err *e);
void flow_figures_finish(struct flow_figures *f);

/* The one place where a rate is derived from stored integers. 0 when elapsed is 0. */
double rate_byte_per_s(uint64_t bytes, uint64_t elapsed_ns);
double rate_per_s(uint64_t count, uint64_t elapsed_ns);

#endif
