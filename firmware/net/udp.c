// SPDX-License-Identifier: GPL-2.0-or-later
/* UDP. A datagram longer than the stack's small buffer is delivered with its true length and its beginning. */
#include "net/udp.h"

#include "net/bytes.h"
#include "net/checksum.h"
#include "net/ipv4.h"

#define UDP (net_head + NET_L4)                   /* 0 source, 2 destination, 4 length, 6 sum */
#define UDP_BYTES 8

static uint16_t NET_MEM bound;

void udp_init(void)
{
	bound = 0;
}

void udp_bind(uint16_t port)
{
	bound = port;
}

/* Reads the header. False: malformed, or not for us. */
static bool head_is_good(void)
{
	uint16_t bytes = ipv4_left;

	if (bytes < UDP_BYTES)
		return false;
	ipv4_take(UDP, UDP_BYTES);
	net_from.port = get16(UDP);
	return get16(UDP + 4) == bytes && get16(UDP + 2) == bound && bound != 0 && net_from.port != 0;
}

void udp_input(void)
{
	uint16_t total, n;
	bool sound = true;

	if (!head_is_good()) {
		ipv4_abandon();
		return;
	}
	total = ipv4_left;
	n = total < sizeof net_scratch ? total : sizeof net_scratch;
	ipv4_take(net_scratch, n);
	if (get16(UDP + 6) != 0)
		sound = ipv4_end();
	else
		ipv4_abandon();
	if (sound)
		app_udp_bytes(net_scratch, total);
}

bool udp_send(const struct net_peer NET_MEM *to, const uint8_t NET_MEM *data, uint16_t n)
{
	uint16_t sum;

	ipv4_head(to, IPV4_UDP, (uint16_t)(UDP_BYTES + n));
	put16(UDP, bound);
	put16(UDP + 2, to->port);
	put16(UDP + 4, (uint16_t)(UDP_BYTES + n));
	put16(UDP + 6, 0);
	sum = ipv4_pseudo((uint16_t)(UDP_BYTES + n));
	sum = checksum_add(checksum_add(sum, UDP, UDP_BYTES), data, n);
	put16(UDP + 6, sum == 0xffff ? 0xffff : (uint16_t)~sum);   /* RFC 768: a sum of zero is sent as all ones */
	return ipv4_send(UDP_BYTES, data, n);
}
