// SPDX-License-Identifier: GPL-2.0-or-later
/* ICMP echo. The data passes through the application's buffer where that is free, otherwise through the stack's own small one. */
#include "net/icmp.h"

#include "net/bytes.h"
#include "net/checksum.h"
#include "net/ipv4.h"
#include "net/net.h"

#define ICMP (net_head + NET_L4)                  /* 0 type, 1 code, 2 sum, 4 identifier, 6 sequence */
#define ICMP_BYTES 8
#define ICMP_ECHO 8
#define ICMP_ECHO_REPLY 0

static void reply(const uint8_t NET_MEM *data, uint16_t n)
{
	ICMP[0] = ICMP_ECHO_REPLY;
	put16(ICMP + 2, 0);
	put16(ICMP + 2, (uint16_t)~checksum_add(checksum_add(0, ICMP, ICMP_BYTES), data, n));
	ipv4_head(&net_from, IPV4_ICMP, (uint16_t)(ICMP_BYTES + n));
	ipv4_send(ICMP_BYTES, data, n);
}

void icmp_input(void)
{
	uint8_t NET_MEM *data = net_scratch;
	uint16_t room = sizeof net_scratch;
	uint16_t n;

	if (ipv4_left < ICMP_BYTES) {
		ipv4_abandon();
		return;
	}
	ipv4_take(ICMP, ICMP_BYTES);
	n = ipv4_left;
	if (n > room && app_spare_buffer()) {
		data = app_spare_buffer();
		room = LAB_BUFFER_BYTES;
	}
	if (n > room || ICMP[0] != ICMP_ECHO || ICMP[1] != 0) {
		ipv4_abandon();
		return;
	}
	ipv4_take(data, n);
	if (ipv4_end())
		reply(data, n);
}
