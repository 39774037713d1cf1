// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A board-type file (fixtures/boards/<type>.json): what is true of every board of a type, virtual or real.
 *
 * Read once at start, immutable afterwards, any thread. All texts are borrowed from the type and live as long as it.
 */
#ifndef LAB_CONFIG_BOARD_TYPE_H
#define LAB_CONFIG_BOARD_TYPE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

#define BOARD_TYPE_MAX_VARIANTS 16
#define BOARD_TYPE_MAX_WORDS 16
#define BOARD_TYPE_MAX_RESERVED 4

/* What shows that a board holds the image it should. */
enum board_proof { BOARD_PROOF_BANNER, BOARD_PROOF_VERIFY, BOARD_PROOF_NONE };
extern const char *const board_proof_words[];

struct board_chip {
	const char *name;                                                    /* "AT89C51ED2" */
	const char *core;                                                    /* "mcs51" */
	uint64_t clock_hz;
	uint32_t elf_machine;                                                /* e_machine; 0 = no ELF files */
	uint32_t id;                                                         /* what the flasher must find; 0 = any. atmel_isp: manufacturer, family, device */
};

struct board_flash {
	uint32_t base, size, page_bytes;
	struct { uint32_t at, size; const char *what; } reserved[BOARD_TYPE_MAX_RESERVED];
	size_t reserved_count;
	uint64_t endurance;                                                  /* rated cycles; 0 = unknown */
};

/* A key by which images of this type differ. values NULL-terminated; empty = anything. */
struct board_variant {
	const char *key, *standard;                                          /* standard: the default */
	const char *values[BOARD_TYPE_MAX_WORDS + 1];
};

struct board_limits {
	uint32_t payload_max;                                                /* bytes */
	uint32_t boot_ms;                                                    /* power on to @lab net, at the most */
	uint32_t boot_baud;                                                  /* of the console */
};

struct board_type {
	const char *name, *title;                                            /* title: "AT89C51ED2 + CS8900A" */
	struct board_chip chip;
	const char *ethernet;                                                /* "CS8900A" */
	uint64_t wire_rate;                                                  /* bit/s */
	struct board_flash flash;
	const char *methods[BOARD_TYPE_MAX_WORDS + 1];                       /* flash methods, NULL-terminated */
	struct board_variant variants[BOARD_TYPE_MAX_VARIANTS];
	size_t variant_count;
	int proof;                                                           /* enum board_proof */
	bool identity;                                                       /* images carry a lab_identity block */
	struct board_limits limits;
	const char *workloads[BOARD_TYPE_MAX_WORDS + 1];                     /* NULL-terminated */
	json_t *root;
};

bool board_type_parse(const char *file, const char *text, size_t size, struct board_type **out, struct err *e);
bool board_type_load(const char *path, struct board_type **out, struct err *e);
void board_type_destroy(struct board_type *t);                               /* accepts NULL */

bool board_type_has(const char *const *words, const char *word);             /* in methods or workloads */

/* All *.json of a folder, ascending by name. The file's name must be the type's. */
struct board_types {
	struct board_type **types;
	size_t count;
};
bool board_types_load(const char *folder, struct board_types *out, struct err *e);
const struct board_type *board_types_find(const struct board_types *all, const char *name);
void board_types_finish(struct board_types *all);

#endif
