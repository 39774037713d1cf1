// SPDX-License-Identifier: GPL-2.0-or-later
/* Takes a frame from the network chip, reads its Ethernet header and passes it on by type. */
#include "net/net.h"

#include <string.h>

#include "net/arp.h"
#include "net/bytes.h"
#include "net/ipv4.h"
#include "net/nic.h"
#include "net/tcp.h"
#include "net/udp.h"

#define ETH_TYPE_IPV4 0x0800
#define ETH_TYPE_ARP 0x0806

struct net_self NET_MEM net_self;
uint8_t NET_MEM net_head[NET_HEAD_BYTES];
uint8_t NET_MEM net_scratch[NET_WINDOW_BYTES];
struct net_peer NET_MEM net_from;

void net_init(void)
{
	tcp_init();
	udp_init();
}

void net_eth_head(const uint8_t NET_MEM *to, uint16_t type)
{
	memcpy(net_head, to, 6);
	memcpy(net_head + 6, net_self.mac, 6);
	put16(net_head + 12, type);
}

/* Whoever takes the frame ends it with nic_rx_end(), once, before it answers. */
static void frame_input(uint16_t len)
{
	uint16_t type;

	if (len < NET_ETH_BYTES) {
		nic_rx_end();
		return;
	}
	nic_rx_bytes(net_head, NET_ETH_BYTES);
	len -= NET_ETH_BYTES;
	type = get16(net_head + 12);
	if (type == ETH_TYPE_ARP)
		arp_input(len);
	else if (type == ETH_TYPE_IPV4 && !(net_head[0] & 1))     /* RFC 1122 3.2.2.6, 4.2.3.10: nothing of ours answers a broadcast */
		ipv4_input(len);
	else
		nic_rx_end();
}

void net_poll(void)
{
	uint16_t len;

	if (nic_rx_begin(&len))
		frame_input(len);
	tcp_timer();
}
