// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A session with the serial boot loader of Atmel's 8051s: reset into it, synchronise, send records, compare their echo, take their answers.
 *
 * Sources: Atmel AT89C51RD2/ED2 data sheet 4235K, "ISP protocol description" (records as in Intel HEX, every character echoed, answers '.', 'X', 'P',
 * 'L'); reset conditions in its figure 24-5. Records here are made by labd from bytes and addresses: no line of a user's file ever is one. A record that
 * was garbled is repeated; when the loader may be in the middle of one, the chip is reset first, so that half a record is never completed by accident.
 */
#ifndef LAB_DRIVERS_ISP_SESSION_H
#define LAB_DRIVERS_ISP_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/line.h"

/* A signal of the line as the chip sees it. */
struct isp_pin {
	bool wired;
	enum line_signal signal;
	bool inverted;                                                       /* active when the signal is released */
};

struct isp_config {
	struct line_setup console;                                           /* what the line goes back to */
	uint32_t baud;
	struct isp_pin reset, boot;                                          /* boot: PSEN through 1 kOhm */
	bool (*power_cycle)(void *opaque, struct err *e);                    /* instead of reset where that is not wired; the line is open afterwards */
	void *opaque;
	bool lock_step;                                                      /* wait for the echo of each character before the next */
	uint32_t sync_tries;                                                 /* 'U's after each of 3 resets */
	uint32_t step_ms, erase_ms, total_ms;
};

struct isp {
	struct line *line;
	struct isp_config config;
	bool talking;                                                        /* the loader has answered 'U' since the last reset */
	uint64_t total_deadline_ns;
	unsigned repeats;                                                    /* records said again since isp_begin() */
};

enum { ISP_RECORD_MAX = 128, ISP_ANSWER_MAX = 2048 };

/* A record and the answer it should get. */
struct isp_command {
	uint8_t type;
	uint16_t at;
	const uint8_t *data;
	size_t size;                                                         /* 0 to ISP_RECORD_MAX */
	size_t answer_size;                                                  /* characters, final CR LF included */
	uint32_t deadline_ms;                                                /* for the answer, after the echo; 0 = step_ms */
	bool (*take)(const struct isp_command *c, const char *answer, struct err *e);   /* answer without the final CR LF; ERR_PROTOCOL if it makes no sense */
	uint8_t *out;                                                        /* for take */
	size_t out_size;
};

/* The line is opened if it is not; the total deadline starts now. */
bool isp_begin(struct isp *s, struct err *e);

/* Reset into the loader and synchronise; nothing to do when it is talking already. */
bool isp_connect(struct isp *s, struct err *e);

/* One record and its answer, repeated after noise: at most 3 times. */
bool isp_command(struct isp *s, const struct isp_command *c, struct err *e);

/* A record whose answer is '.'. */
bool isp_write(struct isp *s, uint8_t type, uint16_t at, const uint8_t *data, size_t size, uint32_t deadline_ms, struct err *e);

/* Type 05: one byte of the chip ("58."). */
bool isp_get(struct isp *s, uint8_t group, uint8_t which, uint8_t *out, struct err *e);

/* Type 04: flash contents, at most ISP_DISPLAY_MAX bytes a call. */
enum { ISP_DISPLAY_MAX = 512 };
bool isp_display(struct isp *s, uint16_t at, uint8_t *bytes, size_t size, struct err *e);

/* A reset without the boot pin: the application, if the chip holds one; the line goes back to the console's setup. */
bool isp_leave(struct isp *s, struct err *e);

#endif
