// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the parsers of this folder share: records go in in any order, an image of ascending merged segments comes out.
 * Internal to image/. One thread.
 */
#ifndef LAB_IMAGE_BUILD_H
#define LAB_IMAGE_BUILD_H

#include "core/buf.h"
#include "image/image.h"

#define IMAGE_MAX_INPUT_BYTES (64u << 20)
#define IMAGE_MAX_BYTES (16u << 20)
#define IMAGE_MAX_SEGMENTS 4096
#define IMAGE_MAX_RECORDS (2u << 20)

struct record {
	uint32_t at, size;
	uint32_t offset;                                                     /* into contents */
	uint32_t line;                                                       /* or program header number */
};

struct build {
	const char *place;                                                   /* what line counts: "line", "program header" */
	struct buf contents;
	struct record *records;
	size_t count, room;
	bool has_entry;
	uint32_t entry;
	unsigned warnings;
};

/* Add size bytes at an address; at + size may be 2^32 at the most. */
bool build_add(struct build *b, uint32_t at, const uint8_t *bytes, size_t size, size_t line, struct err *e);
void build_entry(struct build *b, uint32_t entry);

/* Sort, compare what is given twice, merge. Empty is an error. */
bool build_image(struct build *b, struct image **out, struct err *e);
void build_finish(struct build *b);

/* The next line of a text: without its end (LF, CR LF or CR) and trailing blanks. False at the end of the text. */
struct text {
	const char *at, *end;
	size_t line;                                                         /* of what text_line() gave last, from 1 */
};
bool text_line(struct text *t, const char **line, size_t *size);
/* Pairs of hex digits into at most room bytes; -1 at anything else, and *bad is the offset of the first wrong character. */
long text_hex(const char *digits, size_t size, uint8_t *out, size_t room, size_t *bad);
bool text_unexpected(const char *what, size_t line, const char *at, struct err *e);   /* quotes the character at `at` */

bool ihex_parse(struct text t, struct build *b, struct err *e);
bool srec_parse(struct text t, struct build *b, struct err *e);
bool elf_parse(const void *bytes, size_t size, uint16_t machine, struct build *b, struct err *e);

#endif
