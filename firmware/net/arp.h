// SPDX-License-Identifier: GPL-2.0-or-later
/* ARP (RFC 826), answering only: a server speaks to those it has heard, at the address it heard them from. */
#ifndef NET_ARP_H
#define NET_ARP_H

#include <stdint.h>

/* Handles the frame whose Ethernet header is in net_head, with len bytes to come; ends the frame. */
void arp_input(uint16_t len);

/* Says once who has our address (RFC 5227 2.3), so that hosts forget an older hardware address of it. */
void arp_announce(void);

#endif
