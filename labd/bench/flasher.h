// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Seam: one way to get an image into one board. Drivers: atmel_isp (later: openocd, nxp_isp, st_isp, command).
 *
 * The image is parsed, checked against the board type's flash and patched before a driver sees it: flasher_program() refuses bytes outside flash and inside
 * reserved ranges. Drivers only act; the core sequences identify, program, verify, reset. Deadlines are per step and in total, in the board's pace. Worker thread only.
 */
#ifndef LAB_BENCH_FLASHER_H
#define LAB_BENCH_FLASHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "image/image.h"

struct flasher;

/* What the part says of itself. */
struct part {
	char text[64];                                                       /* "manufacturer 58h family D7h device ECh revision EFh" */
	uint32_t id;
};

/* Told after each step that took; any field may be what it was. done and total in bytes. */
struct progress {
	void (*step)(void *opaque, const char *step, size_t done, size_t total);       /* step: "connect", "erase", "program", "verify", "start" */
	void *opaque;
};

struct flasher_ops {
	const char *name;                                                    /* as in the bench file: "atmel_isp" */
	bool (*identify)(struct flasher *f, struct part *out, struct err *e);                      /* connects first where that is needed */
	bool (*program)(struct flasher *f, const struct image *img, const struct progress *p, struct err *e);
	bool (*verify)(struct flasher *f, const struct image *img, const struct progress *p, struct err *e);
	bool (*read)(struct flasher *f, uint32_t at, uint8_t *bytes, size_t n, struct err *e);
	bool (*erase)(struct flasher *f, const struct progress *p, struct err *e);                 /* the whole chip */
	bool (*reset)(struct flasher *f, bool verified, struct err *e);     /* into the application if verified; called after a failure too */
	void (*destroy)(struct flasher *f);
};

struct flasher {
	const struct flasher_ops *ops;
	uint32_t flash_base, flash_size;
	struct { uint32_t at, size; } reserved[4];                           /* never written: the boot loader */
	uint32_t expected_id;                                                /* 0 = any */
	uint64_t flash_cycles;                                               /* pages written in this flasher's life, for the endurance count */
};

/* Identify, program, verify, reset. After a failure the flash contents are unknown and the sentence says at which step and address. */
bool flasher_program(struct flasher *f, const struct image *img, const struct progress *p, struct err *e);
bool flasher_verify(struct flasher *f, const struct image *img, const struct progress *p, struct err *e);
bool flasher_read(struct flasher *f, uint32_t at, uint8_t *bytes, size_t n, struct err *e);
bool flasher_erase(struct flasher *f, const struct progress *p, struct err *e);
bool flasher_identify(struct flasher *f, struct part *out, struct err *e);
bool flasher_reset(struct flasher *f, struct err *e);
void flasher_destroy(struct flasher *f);                                     /* accepts NULL */

#endif
