// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * TCP (RFC 9293), the server's side, for one connection at a time and one segment in flight.
 *
 * The application's bytes are sent from where they are, and again from there when an acknowledgement stays out, so they must not change until
 * tcp_ready(). Every segment carries PSH: without it a kernel delays its acknowledgement by 40 ms. A segment that is not acknowledged is sent
 * again after 1, 2, 4, 8, 16 and 32 s; 64 s later the connection is reset (a handshake that nobody completes: after 15 s). One on which
 * nothing is under way and nothing arrives for 30 s is reset too. A closed window is probed after 1 s, then every 2 s while the host answers
 * (RFC 9293 3.8.6.1 would have the interval grow; here a lost window update must not cost a measurement), with the back-off while it does not.
 *
 * Out of scope: connecting, options other than MSS, urgent data, more than one segment in flight, reassembly of segments out of order.
 */
#ifndef NET_TCP_H
#define NET_TCP_H

#include <stdbool.h>
#include <stdint.h>

#include "net/net.h"

void tcp_init(void);

/* The port to serve; 0 = none, as after tcp_init(). */
void tcp_listen(uint16_t port);

/* Data can be sent: a connection is open, and all that was sent is acknowledged. */
bool tcp_ready(void);

/* A connection is open and we have not closed our direction. */
bool tcp_open(void);

/* The host has closed its direction; it may still be receiving. */
bool tcp_half_closed(void);

/* The largest segment that the host takes (536 where it did not say). */
uint16_t tcp_mss(void);

/* Sends n bytes (1 or more), in one segment where the host's MSS and window allow. False, and nothing is sent, unless tcp_ready(). */
bool tcp_send(const uint8_t NET_MEM *data, uint16_t n);

/* Bytes given to tcp_send() are not all acknowledged: they may be sent again, and must not change. */
bool tcp_sending(void);

/* Closes our direction, behind what is being sent. */
void tcp_close(void);

/* Segments sent again since the connection began. */
uint16_t tcp_retransmits(void);

/* Handles the packet whose IP header is in net_head; ends the frame. */
void tcp_input(void);

/* Sends again, probes a closed window, gives up: whatever is due. */
void tcp_timer(void);

/* From the application. None of these may send from within; the main loop does, when tcp_ready(). */
void app_tcp_opened(void);
void app_tcp_bytes(const uint8_t NET_MEM *data, uint16_t n);   /* in order, each byte once; n is at most NET_WINDOW_BYTES */
void app_tcp_closed(void);                                     /* reset by either side, given up, or closed by both */

#endif
