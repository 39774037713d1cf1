// SPDX-License-Identifier: GPL-2.0-or-later
/* The connection, shared by tcp.c (what arrives) and tcp_out.c (what is sent, and when). Nobody else includes this. */
#ifndef NET_TCP_CONN_H
#define NET_TCP_CONN_H

#include "net/net.h"

/* The received header in net_head, and the one being built there. */
#define TCP (net_head + NET_L4)                   /* 0 source, 2 destination, 4 sequence, 8 acknowledgement, 12 length, 13 flags, 14 window, 16 sum */
#define TCP_BYTES 20

#define TCP_FIN 0x01
#define TCP_SYN 0x02
#define TCP_RST 0x04
#define TCP_PSH 0x08
#define TCP_ACK 0x10

enum tcp_state {
	TCP_LISTEN,                               /* also CLOSED: then the port is 0 */
	TCP_SYN_RECEIVED,
	TCP_ESTABLISHED,
	TCP_CLOSE_WAIT,                           /* the host's FIN is in, ours not asked for */
	TCP_FIN_WAIT_1,
	TCP_FIN_WAIT_2,
	TCP_CLOSING,
	TCP_LAST_ACK,
	TCP_TIME_WAIT,
};

/* What the timer is for. */
enum tcp_wait { TCP_WAIT_NONE, TCP_WAIT_ACK, TCP_WAIT_WINDOW };

struct tcp_conn {
	struct net_peer peer;
	const uint8_t NET_MEM *data;              /* the application's bytes from sequence number una on */
	uint16_t left;                            /* so many of them are not acknowledged */
	uint32_t una;                             /* the oldest sequence number that is not acknowledged */
	uint32_t next;                            /* the next one expected from the host */
	uint16_t sent;                            /* sequence numbers sent from una on: SYN, data or FIN */
	uint16_t mss;
	uint16_t window;                          /* the host's */
	uint16_t since;                           /* net_tick() when the timer was set */
	uint16_t heard;                           /* net_tick() when the host was last heard */
	uint16_t retransmits;
	uint8_t tries;                            /* transmissions of what is waited for; the back-off's exponent */
	uint8_t state;
	uint8_t wait;
	uint8_t closing;                          /* a FIN is to follow the data */
};

extern struct tcp_conn NET_MEM tcp;
extern uint16_t NET_MEM tcp_port;

/* Sends what may be sent now. False: nothing was. */
bool tcp_output(void);

/* Sends a segment without data, with the connection's next sequence number. */
void tcp_send_flags(uint8_t flags);

/* Answers the segment in net_head, of that many sequence numbers, with RST. */
void tcp_reject(uint16_t length);

/* The connection is over: tells the application, listens again. */
void tcp_forget(void);

#endif
