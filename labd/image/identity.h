// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The 32-byte lab_identity block (docs/workloads.md "Identity"): what makes one unit of a board type different from another. labd patches it into
 * an image before flashing. Any thread.
 */
#ifndef LAB_IMAGE_IDENTITY_H
#define LAB_IMAGE_IDENTITY_H

#include "image/image.h"

struct identity {
	uint8_t mac[6];
	uint8_t ip[4], mask[4], gateway[4];
};

/* "02:00:00:77:00:01" and dotted addresses; mask NULL = 255.255.255.0, gateway NULL = none. The sentence names the text that is wrong. */
bool identity_from_text(const char *mac, const char *ip, const char *mask, const char *gateway, struct identity *out, struct err *e);

void identity_encode(const struct identity *id, uint8_t out[IDENTITY_BYTES]);
/* False: magic or checksum is wrong. */
bool identity_decode(const uint8_t block[IDENTITY_BYTES], struct identity *out, struct err *e);

/* Write the block at its address; refused when what is there now is neither an identity block nor blank (the address is another image's). */
bool identity_patch(struct image *img, uint32_t identity_at, const struct identity *id, struct err *e);

/* CRC-16/CCITT-FALSE: polynomial 1021h, start FFFFh, not reflected; check value of "123456789" is 29B1h. */
uint16_t identity_crc16(const uint8_t *bytes, size_t size);

#endif
