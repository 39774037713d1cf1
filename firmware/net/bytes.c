// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers in network byte order, byte by byte, for processors of either order and without unaligned access. */
#include "net/bytes.h"

uint16_t get16(const uint8_t NET_MEM *p)
{
	return (uint16_t)((uint16_t)p[0] << 8 | p[1]);
}

uint32_t get32(const uint8_t NET_MEM *p)
{
	return (uint32_t)get16(p) << 16 | get16(p + 2);
}

void put16(uint8_t NET_MEM *p, uint16_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

void put32(uint8_t NET_MEM *p, uint32_t v)
{
	put16(p, (uint16_t)(v >> 16));
	put16(p + 2, (uint16_t)v);
}
