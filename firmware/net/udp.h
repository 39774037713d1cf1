// SPDX-License-Identifier: GPL-2.0-or-later
/* UDP (RFC 768): one port, datagrams in and out. Datagrams for other ports are ignored. */
#ifndef NET_UDP_H
#define NET_UDP_H

#include <stdbool.h>
#include <stdint.h>

#include "net/net.h"

void udp_init(void);

/* The port to listen on and to send from; 0 = none, as after udp_init(). */
void udp_bind(uint16_t port);

/* Sends n bytes of data as one datagram. False: the chip gave no room; it is for the caller to try again. */
bool udp_send(const struct net_peer NET_MEM *to, const uint8_t NET_MEM *data, uint16_t n);

/* Handles the packet whose IP header is in net_head; ends the frame. */
void udp_input(void);

/*
 * From the application: a datagram has come from net_from. Of its total bytes the first NET_WINDOW_BYTES are at data, valid during the call.
 * It must not send from within.
 */
void app_udp_bytes(const uint8_t NET_MEM *data, uint16_t total);

#endif
