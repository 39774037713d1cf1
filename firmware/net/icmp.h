// SPDX-License-Identifier: GPL-2.0-or-later
/* ICMP (RFC 792): echo is answered, everything else ignored. */
#ifndef NET_ICMP_H
#define NET_ICMP_H

/* Handles the packet whose IP header is in net_head; ends the frame. */
void icmp_input(void);

#endif
