// SPDX-License-Identifier: GPL-2.0-or-later
/* The Internet checksum in plain C, for processors of 8 and 16 bits: a 16-bit sum whose carry is added back at once. */
#include "net/checksum.h"

uint16_t checksum_add(uint16_t sum, const uint8_t NET_MEM *p, uint16_t n)
{
	uint16_t word;

	while (n >= 2) {
		word = (uint16_t)((uint16_t)p[0] << 8 | p[1]);
		sum = (uint16_t)(sum + word);
		if (sum < word)
			sum++;
		p += 2;
		n -= 2;
	}
	if (n) {
		word = (uint16_t)((uint16_t)p[0] << 8);
		sum = (uint16_t)(sum + word);
		if (sum < word)
			sum++;
	}
	return sum;
}
