// SPDX-License-Identifier: GPL-2.0-or-later
/* For tests: the serial line as two texts. This file does not include identity.h: there the fields are constant, here tests write them. */
#include "common/fake_board.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/board.h"
#include "net/fake_host.h"

extern uint8_t lab_identity[32];
extern char lab_build[12];
uint8_t lab_identity[32];
char lab_build[12] = { '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b' };

static char printed[4096], taken[4096], typed[256];
static size_t printed_n, typed_at;

/* CRC-16/CCITT-FALSE by another way than the firmware's: a table of nibbles. */
static uint16_t crc16(const uint8_t *p, size_t n)
{
	static const uint16_t nibble[16] = { 0x0000, 0x1021, 0x2042, 0x3063, 0x4084, 0x50a5, 0x60c6, 0x70e7, 0x8108, 0x9129, 0xa14a, 0xb16b,
		0xc18c, 0xd1ad, 0xe1ce, 0xf1ef };
	uint16_t crc = 0xffff;

	for (size_t i = 0; i < n; i++) {
		crc = (uint16_t)(crc << 4 ^ nibble[crc >> 12 ^ p[i] >> 4]);
		crc = (uint16_t)(crc << 4 ^ nibble[crc >> 12 ^ (p[i] & 15)]);
	}
	return crc;
}

void fake_board_reset(bool identity_is_good)
{
	uint16_t crc;

	printed_n = typed_at = 0;
	printed[0] = typed[0] = 0;
	memset(lab_identity, 0xff, sizeof lab_identity);
	memcpy(lab_identity, "LAB1", 4);
	memcpy(lab_identity + 4, board_mac, 6);
	memcpy(lab_identity + 10, board_ip, 4);
	crc = (uint16_t)(crc16(lab_identity, 30) ^ (identity_is_good ? 0 : 1));
	lab_identity[30] = (uint8_t)crc;
	lab_identity[31] = (uint8_t)(crc >> 8);
}

void fake_board_type(const char *text)
{
	snprintf(typed, sizeof typed, "%s", text);
	typed_at = 0;
}

const char *fake_board_printed(void)
{
	memcpy(taken, printed, printed_n);
	taken[printed_n] = 0;
	printed_n = 0;
	return taken;
}

void uart_put(char c)
{
	if (printed_n < sizeof printed - 1)
		printed[printed_n++] = c;
}

bool uart_get(char *c)
{
	if (!typed[typed_at])
		return false;
	*c = typed[typed_at++];
	return true;
}

bool fake_board_lines_good(const char *text)
{
	while (*text) {
		const char *end = strstr(text, "\r\n"), *star = strchr(text, '*');
		unsigned sum = 0, said;

		if (!end || !star || star > end || end - star != 3 || strncmp(text, "@lab ", 5) || end - text > 120 || sscanf(star + 1, "%2x", &said) != 1)
			return false;
		for (const char *c = text + 1; c < star; c++)
			sum ^= (unsigned char)*c;
		if (sum != said)
			return false;
		text = end + 2;
	}
	return true;
}
