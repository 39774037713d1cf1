// SPDX-License-Identifier: GPL-2.0-or-later
/* SHA-256 (FIPS 180-4): the name of an image. Feed bytes in pieces of any size; one thread an object. */
#ifndef LAB_IMAGE_SHA256_H
#define LAB_IMAGE_SHA256_H

#include <stddef.h>
#include <stdint.h>

struct sha256 {
	uint32_t h[8];
	uint64_t total_bytes;
	uint8_t block[64];
};

void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *bytes, size_t size);
void sha256_digest(struct sha256 *s, uint8_t out[32]);       /* the object is used up */

/* Of one run of bytes, as 64 lower-case hex digits and NUL. */
void sha256_hex(const void *bytes, size_t size, char out[65]);
void sha256_digest_hex(struct sha256 *s, char out[65]);

#endif
