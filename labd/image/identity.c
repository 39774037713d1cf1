// SPDX-License-Identifier: GPL-2.0-or-later
/* The identity block: text to bytes, bytes to image. */
#include "image/identity.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

static const char magic[4] = { 'L', 'A', 'B', '1' };

uint16_t identity_crc16(const uint8_t *bytes, size_t size)
{
	uint16_t crc = 0xFFFF;

	for (size_t i = 0; i < size; i++) {
		crc ^= (uint16_t)(bytes[i] << 8);
		for (int bit = 0; bit < 8; bit++)
			crc = (uint16_t)(crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1);
	}
	return crc;
}

static bool parse_mac(const char *text, uint8_t mac[6], struct err *e)
{
	unsigned b[6];
	char rest;

	if (strlen(text) != 17 || sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x%c", &b[0], &b[1], &b[2], &b[3], &b[4], &b[5], &rest) != 6)
		return err_set(e, ERR_INVALID, "\"%.40s\" is not a MAC address like 02:00:00:77:00:01", text);
	for (int i = 0; i < 6; i++)
		mac[i] = (uint8_t)b[i];
	if (mac[0] & 1)
		return err_set(e, ERR_INVALID, "the MAC address %s is a group address: the first byte must be even", text);
	return true;
}

static bool parse_ip(const char *text, uint8_t ip[4], struct err *e)
{
	return inet_pton(AF_INET, text, ip) == 1 || err_set(e, ERR_INVALID, "\"%.40s\" is not an IPv4 address like 10.77.0.1", text);
}

bool identity_from_text(const char *mac, const char *ip, const char *mask, const char *gateway, struct identity *out, struct err *e)
{
	struct identity id;

	if (!parse_mac(mac, id.mac, e) || !parse_ip(ip, id.ip, e) || !parse_ip(mask ? mask : "255.255.255.0", id.mask, e)
		|| !parse_ip(gateway ? gateway : "0.0.0.0", id.gateway, e))
		return false;
	*out = id;
	return true;
}

void identity_encode(const struct identity *id, uint8_t out[IDENTITY_BYTES])
{
	uint16_t crc;

	memset(out, 0xFF, IDENTITY_BYTES);
	memcpy(out, magic, 4);
	memcpy(out + 4, id->mac, 6);
	memcpy(out + 10, id->ip, 4);
	memcpy(out + 14, id->mask, 4);
	memcpy(out + 18, id->gateway, 4);
	crc = identity_crc16(out, 30);
	out[30] = (uint8_t)crc;
	out[31] = (uint8_t)(crc >> 8);
}

bool identity_decode(const uint8_t block[IDENTITY_BYTES], struct identity *out, struct err *e)
{
	uint16_t crc = identity_crc16(block, 30);

	if (memcmp(block, magic, 4))
		return err_set(e, ERR_INVALID, "no identity block: it does not begin with LAB1");
	if (block[30] != (uint8_t)crc || block[31] != (uint8_t)(crc >> 8))
		return err_set(e, ERR_INVALID, "the identity block's checksum is %02X%02Xh and should be %04Xh", block[31], block[30], crc);
	memcpy(out->mac, block + 4, 6);
	memcpy(out->ip, block + 10, 4);
	memcpy(out->mask, block + 14, 4);
	memcpy(out->gateway, block + 18, 4);
	return true;
}

static bool is_blank(const uint8_t *block)
{
	for (int i = 1; i < IDENTITY_BYTES; i++)
		if (block[i] != block[0])
			return false;
	return block[0] == 0 || block[0] == 0xFF;
}

bool identity_patch(struct image *img, uint32_t identity_at, const struct identity *id, struct err *e)
{
	uint8_t now[IDENTITY_BYTES], block[IDENTITY_BYTES];

	image_copy(img, identity_at, now, sizeof now, 0xFF);
	if (memcmp(now, magic, 4) && !is_blank(now))
		return err_set(e, ERR_INVALID, "the image has no identity block at 0x%04X: there are other bytes", identity_at);
	identity_encode(id, block);
	return image_patch(img, identity_at, block, sizeof block, e) || err_prefix(e, "identity block");
}
