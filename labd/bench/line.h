// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Seam: the serial line of one board. Drivers: serial (libserialport), rfc2217 (ser2net and virtual boards).
 *
 * Deadlines are in the board's pace (pace_now_ns). DTR and RTS are released at open, in that order, and stay as set until close. Worker thread only.
 */
#ifndef LAB_BENCH_LINE_H
#define LAB_BENCH_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

struct line_setup {
	uint32_t baud;
	uint8_t data_bits;                                                   /* 5 to 8 */
	char parity;                                                         /* N, E, O */
	uint8_t stop_bits;                                                   /* 1, 2 */
};

enum line_signal { LINE_DTR, LINE_RTS, LINE_BREAK };

struct line;

struct line_ops {
	const char *name;
	bool (*open)(struct line *l, const struct line_setup *s, struct err *e);
	bool (*setup)(struct line *l, const struct line_setup *s, struct err *e);
	bool (*signal)(struct line *l, enum line_signal which, bool asserted, struct err *e);
	bool (*write)(struct line *l, const void *bytes, size_t n, uint64_t deadline_ns, struct err *e);
	long (*read)(struct line *l, void *bytes, size_t n, size_t least, uint64_t deadline_ns, struct err *e);
	bool (*drop_input)(struct line *l, struct err *e);
	uint64_t (*now_ns)(struct line *l);
	void (*close)(struct line *l);
	void (*destroy)(struct line *l);
};

struct line {
	const struct line_ops *ops;
	void (*heard)(void *opaque, uint64_t at_ns, const uint8_t *bytes, size_t n);    /* every byte that arrives, for the run's record; may be NULL */
	void *opaque;
	bool is_open;
};

bool line_open(struct line *l, const struct line_setup *s, struct err *e);
bool line_setup(struct line *l, const struct line_setup *s, struct err *e);
bool line_signal(struct line *l, enum line_signal which, bool asserted, struct err *e);

/* All of it is on its way (not: on the wire) when this returns. */
bool line_write(struct line *l, const void *bytes, size_t n, uint64_t deadline_ns, struct err *e);

/* Returns as soon as least bytes are there, or at the deadline with what is there (0 to n); -1 when the line is lost (ERR_LOST) or the wait failed. */
long line_read(struct line *l, void *bytes, size_t n, size_t least, uint64_t deadline_ns, struct err *e);
bool line_drop_input(struct line *l, struct err *e);
uint64_t line_now_ns(struct line *l);
void line_close(struct line *l);
void line_destroy(struct line *l);                                           /* accepts NULL */

#endif
