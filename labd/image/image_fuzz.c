// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as an image of any format: an image keeps its promises (ascending, merged, within limits), everything else is a sentence. */
#include <stdlib.h>
#include <string.h>

#include "image/build.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check(const struct image *img)
{
	uint64_t end = 0;

	if (!img->count || img->count > IMAGE_MAX_SEGMENTS || image_bytes(img) > IMAGE_MAX_BYTES)
		abort();
	for (size_t i = 0; i < img->count; i++) {
		const struct segment *s = &img->segments[i];

		if (!s->size || (i && s->at <= end) || (uint64_t)s->at + s->size > (uint64_t)1 << 32)
			abort();
		end = (uint64_t)s->at + s->size;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	for (int format = IMAGE_AUTO; format <= IMAGE_RAW; format++) {
		struct image *img = NULL;
		struct err e = { 0 };
		char id[13];

		if (!image_parse(bytes, size, (enum image_format)format, 0xFFFFFF00, 0, &img, &e)) {
			if (img || !e.code || !e.msg[0])
				abort();
			continue;
		}
		check(img);
		image_build_id(img, img->segments[0].at, img->segments[0].at + 32, id, NULL);
		image_destroy(img);
	}
	return 0;
}
