// SPDX-License-Identifier: GPL-2.0-or-later
/* ARP: answers requests for our address. The packet is read into, and the answer built in, net_head behind the Ethernet header. */
#include "net/arp.h"

#include <string.h>

#include "net/bytes.h"
#include "net/net.h"
#include "net/nic.h"

#define ARP_BYTES 28
#define ARP_REQUEST 1
#define ARP_REPLY 2

#define ARP (net_head + NET_ETH_BYTES)            /* 0 types and lengths, 6 operation, 8 sender MAC, 14 sender IP, 18 target MAC, 24 target IP */

static const uint8_t LAB_FLASH arp_ethernet_ipv4[6] = { 0, 1, 0x08, 0x00, 6, 4 };

static void arp_send(uint16_t operation)
{
	memcpy(ARP, arp_ethernet_ipv4, 6);
	put16(ARP + 6, operation);
	memcpy(ARP + 8, net_self.mac, 6);
	memcpy(ARP + 14, net_self.ip, 4);
	if (!nic_tx_begin(NET_ETH_BYTES + ARP_BYTES))
		return;                                   /* the asker will ask again */
	nic_tx_bytes(net_head, NET_ETH_BYTES + ARP_BYTES);
	nic_tx_end();
}

void arp_input(uint16_t len)
{
	if (len >= ARP_BYTES)
		nic_rx_bytes(ARP, ARP_BYTES);
	nic_rx_end();
	if (len < ARP_BYTES || memcmp(ARP, arp_ethernet_ipv4, 6) != 0 || get16(ARP + 6) != ARP_REQUEST)
		return;
	if (memcmp(ARP + 24, net_self.ip, 4) != 0)
		return;
	memcpy(ARP + 18, ARP + 8, 10);                /* sender becomes target */
	net_eth_head(ARP + 18, 0x0806);
	arp_send(ARP_REPLY);
}

void arp_announce(void)
{
	memset(net_head, 0xff, 6);
	net_eth_head(net_head, 0x0806);
	memset(ARP + 18, 0, 6);
	memcpy(ARP + 24, net_self.ip, 4);
	arp_send(ARP_REQUEST);
}
