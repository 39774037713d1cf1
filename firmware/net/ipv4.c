// SPDX-License-Identifier: GPL-2.0-or-later
/* IPv4: the header of a received packet is read behind the Ethernet header in net_head and checked before its payload is passed on. */
#include "net/ipv4.h"

#include <string.h>

#include "net/bytes.h"
#include "net/checksum.h"
#include "net/icmp.h"
#include "net/nic.h"
#include "net/tcp.h"
#include "net/udp.h"

#define IP (net_head + NET_ETH_BYTES)             /* 0 version, 2 length, 4 id, 6 fragment, 8 TTL, 9 protocol, 10 sum, 12 source, 16 destination */

#define IP_FRAGMENT 0x3fff                        /* more fragments, or an offset */
#define IP_DONT_FRAGMENT 0x4000
#define IP_TTL 64

uint16_t ipv4_left;
static uint16_t NET_MEM ident;
#if NET_CHECK_RX
static uint16_t sum;
#endif

static bool source_is_host(void)
{
	return IP[12] != 0 && IP[12] != 127 && IP[12] < 224 && memcmp(IP + 12, net_self.ip, 4) != 0;
}

/* Reads the options (0 to 40 bytes, a multiple of 4) and says whether the header's sum is right. */
static bool options_skipped(uint8_t bytes)
{
#if NET_CHECK_RX
	nic_rx_bytes(net_scratch, bytes);
	return checksum_add(checksum_add(0, IP, NET_IP_BYTES), net_scratch, bytes) == 0xffff;
#else
	nic_rx_skip(bytes);
	return true;
#endif
}

/* Reads and checks the header; afterwards ipv4_left bytes of payload follow. */
static bool header_is_good(uint16_t len)
{
	uint8_t header;
	uint16_t total;

	if (len < NET_IP_BYTES)
		return false;
	nic_rx_bytes(IP, NET_IP_BYTES);
	header = (uint8_t)((IP[0] & 0x0f) << 2);
	total = get16(IP + 2);
	if ((IP[0] & 0xf0) != 0x40 || header < NET_IP_BYTES || total < header || total > len)
		return false;
	if (!options_skipped((uint8_t)(header - NET_IP_BYTES)))
		return false;
	ipv4_left = (uint16_t)(total - header);
	return !(get16(IP + 6) & IP_FRAGMENT) && memcmp(IP + 16, net_self.ip, 4) == 0 && source_is_host();
}

void ipv4_input(uint16_t len)
{
	uint8_t protocol;

	if (!header_is_good(len)) {
		nic_rx_end();
		return;
	}
	memcpy(net_from.mac, net_head + 6, 6);
	memcpy(net_from.ip, IP + 12, 4);
	protocol = IP[9];
#if NET_CHECK_RX
	sum = protocol == IPV4_ICMP ? 0 : ipv4_pseudo(ipv4_left);
#endif
	if (protocol == IPV4_TCP)
		tcp_input();
	else if (protocol == IPV4_UDP)
		udp_input();
	else if (protocol == IPV4_ICMP)
		icmp_input();
	else
		nic_rx_end();
}

void ipv4_take(uint8_t NET_MEM *dst, uint16_t n)
{
	nic_rx_bytes(dst, n);
	ipv4_left -= n;
#if NET_CHECK_RX
	sum = checksum_add(sum, dst, n);
#endif
}

bool ipv4_end(void)
{
#if NET_CHECK_RX
	static uint8_t NET_MEM piece[16];

	while (ipv4_left) {
		uint8_t n = ipv4_left < sizeof piece ? (uint8_t)ipv4_left : (uint8_t)sizeof piece;

		ipv4_take(piece, n);
	}
	nic_rx_end();
	return sum == 0xffff;
#else
	nic_rx_end();
	return true;
#endif
}

void ipv4_abandon(void)
{
	nic_rx_end();
}

uint16_t ipv4_pseudo(uint16_t bytes)
{
	uint16_t start = (uint16_t)(bytes + IP[9]);       /* no carry: a payload is under 65516 bytes, the protocol 6 or 17 */

	return checksum_add(start, IP + 12, 8);
}

void ipv4_head(const struct net_peer NET_MEM *to, uint8_t protocol, uint16_t bytes)
{
	net_eth_head(to->mac, 0x0800);
	IP[0] = 0x45;
	IP[1] = 0;
	put16(IP + 2, (uint16_t)(NET_IP_BYTES + bytes));
	put16(IP + 4, ident++);
	put16(IP + 6, IP_DONT_FRAGMENT);
	IP[8] = IP_TTL;
	IP[9] = protocol;
	put16(IP + 10, 0);
	memcpy(IP + 12, net_self.ip, 4);
	memcpy(IP + 16, to->ip, 4);
	put16(IP + 10, (uint16_t)~checksum_add(0, IP, NET_IP_BYTES));
}

bool ipv4_send(uint8_t l4_bytes, const uint8_t NET_MEM *data, uint16_t n)
{
	uint8_t head = (uint8_t)(NET_L4 + l4_bytes);

	if (!nic_tx_begin((uint16_t)(head + n)))
		return false;
	nic_tx_bytes(net_head, head);
	if (n)
		nic_tx_bytes(data, n);
	nic_tx_end();
	return true;
}
