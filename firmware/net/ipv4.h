// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * IPv4 (RFC 791) for hosts: header checks, options skipped, fragments dropped, no forwarding.
 *
 * Received payload is taken through ipv4_take(), which keeps the checksum; whoever takes it must end with ipv4_end(), which says whether the
 * packet is sound, before anything of it is believed.
 */
#ifndef NET_IPV4_H
#define NET_IPV4_H

#include <stdbool.h>
#include <stdint.h>

#include "net/net.h"

#define IPV4_ICMP 1
#define IPV4_TCP 6
#define IPV4_UDP 17

/* Bytes of the payload that are not taken yet. */
extern uint16_t ipv4_left;

/* Handles the frame whose Ethernet header is in net_head, with len bytes to come; ends the frame. */
void ipv4_input(uint16_t len);

/* Takes the next n bytes (at most ipv4_left; even, but for the last piece). */
void ipv4_take(uint8_t NET_MEM *dst, uint16_t n);

/* Reads what is left, for its checksum, and ends the frame. True: the checksum is right, or is not looked at in this build. */
bool ipv4_end(void);

/* The same, with the checksum left out: for UDP packets that carry none. */
void ipv4_abandon(void);

/* The sum of the pseudo-header that belongs to the header in net_head and a payload of that many bytes. */
uint16_t ipv4_pseudo(uint16_t bytes);

/* Fills in Ethernet and IP header in net_head, for a payload of that many bytes. */
void ipv4_head(const struct net_peer NET_MEM *to, uint8_t protocol, uint16_t bytes);

/* Sends the headers in net_head, of which l4_bytes are behind the IP header, and n bytes of data. False: the chip gave no room. */
bool ipv4_send(uint8_t l4_bytes, const uint8_t NET_MEM *data, uint16_t n);

#endif
