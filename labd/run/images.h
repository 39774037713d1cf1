// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The firmware images there are: rows of build/firmware/images.json. A cell selects one by board type and variant, defaults of the board
 * type filled in on both sides. Immutable after loading; any thread.
 */
#ifndef LAB_RUN_IMAGES_H
#define LAB_RUN_IMAGES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

struct board_type;
struct image;

struct lab_image {
	const char *board_type, *format, *sha256, *build, *toolchain;        /* borrowed from row */
	char *path;                                                          /* of the file */
	json_t *variant;                                                     /* complete */
	json_t *row;                                                         /* as in images.json, variant complete */
	uint32_t identity_at, build_at;
	bool has_identity;
};

struct images {
	struct lab_image *images;
	size_t count;
};

/* variant with the board type's defaults. ERR_INVALID: a key or value the type does not have. The caller releases it. */
json_t *variant_complete(const struct board_type *type, json_t *variant, struct err *e);

/* Rows of board types that find() does not know are left out. A missing file gives no images. */
bool images_load(const char *path, const struct board_type *(*find)(void *opaque, const char *name), void *opaque, struct images *out, struct err *e);
void images_finish(struct images *all);

/* variant: complete. ERR_NOT_FOUND: none; ERR_INVALID: two. */
const struct lab_image *images_select(const struct images *all, const char *board_type, json_t *variant, struct err *e);

/* By hash of the file, or build id; NULL: none. */
const struct lab_image *images_find(const struct images *all, const char *board_type, const char *id);

/* Read and parse the file; refused when it is not the one that images.json lists. */
bool lab_image_load(const struct lab_image *i, struct image **out, struct err *e);

#endif
