// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A firmware image as bytes at addresses, whatever file it came from.
 *
 * Parsers take bytes, not paths, and are strict: a position (line or offset) is in every error. Limits: 64 MiB of input, 16 MiB of contents, 4096
 * segments. Immutable after parsing but for image_patch(); any thread may read. Field failures F18 to F28.
 */
#ifndef LAB_IMAGE_IMAGE_H
#define LAB_IMAGE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

enum image_format { IMAGE_AUTO, IMAGE_IHEX, IMAGE_SREC, IMAGE_ELF, IMAGE_RAW };

struct segment {
	uint32_t at;
	size_t size;
	uint8_t *bytes;                                                      /* the image's */
};

/* Ascending, never overlapping, adjoining ones merged. */
struct image {
	struct segment *segments;
	size_t count;
	bool has_entry;
	uint32_t entry;
	unsigned warnings;                                                   /* e.g. the same byte given twice */
};

/* IMAGE_AUTO looks at the first bytes; raw is never guessed. raw_at: address of raw bytes. machine: e_machine an ELF must have, 0 = any. */
bool image_parse(const void *bytes, size_t size, enum image_format format, uint32_t raw_at, uint16_t machine, struct image **out, struct err *e);
bool image_load(const char *path, enum image_format format, uint32_t raw_at, uint16_t machine, struct image **out, struct err *e);
struct image *image_dup(const struct image *img);
void image_destroy(struct image *img);                                       /* accepts NULL */

size_t image_bytes(const struct image *img);
/* Overwrite size bytes at an address; all of them must be inside one segment. */
bool image_patch(struct image *img, uint32_t at, const void *bytes, size_t size, struct err *e);
/* Copy bytes out; places not in the image become fill. */
void image_copy(const struct image *img, uint32_t at, uint8_t *out, size_t size, uint8_t fill);

/* Every byte inside [base, base + size) and none inside a reserved range: the sentence names address and what it should be. */
bool image_fits(const struct image *img, uint32_t base, uint64_t size, struct err *e);

/* SHA-256 over the segments (address and size big-endian, bytes): the identity of what is flashed. Hex, 64 digits and NUL. */
void image_sha256(const struct image *img, char out[65]);

/* The build id of docs/workloads.md "Identity": 12 hex digits and NUL; both fields are taken as zero. */
bool image_build_id(const struct image *img, uint32_t identity_at, uint32_t build_at, char out[13], struct err *e);

#define IDENTITY_BYTES 32
#define BUILD_BYTES 12

#endif
