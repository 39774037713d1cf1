// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The stack's middle: the main loop's one call, what all layers share, and what the stack expects from board and application.
 *
 * One packet header is in memory at a time, in net_head: a received one while it is parsed, then the one being sent. Payload is never copied
 * by the stack: it is sent from the application's buffer. Nothing here is re-entrant; all runs in the main loop, nothing in an interrupt.
 */
#ifndef NET_NET_H
#define NET_NET_H

#include <stdbool.h>
#include <stdint.h>

#include "lab_config.h"

#define NET_ETH_BYTES 14
#define NET_IP_BYTES 20
#define NET_L4 (NET_ETH_BYTES + NET_IP_BYTES)     /* where the TCP, UDP or ICMP header starts in net_head */
#define NET_HEAD_BYTES (NET_L4 + 24)              /* the longest header sent: TCP with an MSS option */

/* The other end of a conversation. It is answered at the hardware address it was heard from, so the stack needs no ARP cache. */
struct net_peer {
	uint8_t mac[6];
	uint8_t ip[4];
	uint16_t port;
};

/* Who this board is; the application fills it before net_init(). */
struct net_self {
	uint8_t mac[6];
	uint8_t ip[4];
};

extern struct net_self NET_MEM net_self;
extern uint8_t NET_MEM net_head[NET_HEAD_BYTES];
extern uint8_t NET_MEM net_scratch[NET_WINDOW_BYTES]; /* received options and payload, valid until the next packet */
extern struct net_peer NET_MEM net_from;          /* sender of the packet that is being handled */

/* Forgets every connection. The chip is initialised before. */
void net_init(void);

/* Handles at most one received frame, and the timers. To be called again and again. */
void net_poll(void);

/* Fills in the first 14 bytes of net_head: from us, to a hardware address. */
void net_eth_head(const uint8_t NET_MEM *to, uint16_t type);

/* From the board: milliseconds since start, wrapping at 65536; it may count in steps of up to 20. */
uint16_t net_tick(void);

/* From the application: its buffer (LAB_BUFFER_BYTES) for a long echo, or null while the buffer is in use. */
uint8_t NET_MEM *app_spare_buffer(void);

#endif
