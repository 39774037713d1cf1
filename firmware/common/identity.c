// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads and checks the identity field. It is read once, so the CRC is computed bit by bit: small, not fast. */
#include "common/identity.h"

#include <string.h>

#include "net/net.h"

#define AT_MAC 4
#define AT_IP 10
#define AT_CRC 30

static const char LAB_FLASH magic[4] = { 'L', 'A', 'B', '1' };

uint16_t identity_crc(uint16_t crc, uint8_t byte)
{
	uint8_t bit;

	crc ^= (uint16_t)((uint16_t)byte << 8);
	for (bit = 0; bit < 8; bit++)
		crc = (uint16_t)((crc & 0x8000) ? crc << 1 ^ 0x1021 : crc << 1);
	return crc;
}

bool identity_load(void)
{
	uint16_t crc = 0xffff;
	uint8_t i;

	for (i = 0; i < AT_CRC; i++)
		crc = identity_crc(crc, lab_identity[i]);
	memcpy(net_self.mac, lab_identity + AT_MAC, 6);
	memcpy(net_self.ip, lab_identity + AT_IP, 4);
	return memcmp(lab_identity, magic, sizeof magic) == 0
		&& lab_identity[AT_CRC] == (uint8_t)crc && lab_identity[AT_CRC + 1] == (uint8_t)(crc >> 8);
}
