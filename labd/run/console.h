// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A board's console as bytes in and believed lines out (docs/workloads.md "The console").
 *
 * Lines that begin with "@lab " and carry the right sum are told; those with a wrong sum, or that break the form, are counted and not
 * believed; everything else is for people and ignored here. Bytes may come in any pieces. One thread.
 */
#ifndef LAB_RUN_CONSOLE_H
#define LAB_RUN_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONSOLE_LINE_BYTES 120
#define CONSOLE_PAIRS 16

/* Texts point into the line given to console_parse(), or into the console until its next byte; not NUL-terminated there: use the sizes. */
struct console_word {
	const char *text;
	size_t size;
};

struct console_line {
	struct console_word kind;                                            /* boot, net, mem, done, fault */
	struct { struct console_word key, value; } pairs[CONSOLE_PAIRS];
	size_t count;
};

enum console_trust {
	CONSOLE_TEXT,                                                        /* not an @lab line */
	CONSOLE_BAD,                                                         /* an @lab line with a wrong sum or form */
	CONSOLE_GOOD
};

/* One line without its end. out is filled when CONSOLE_GOOD. */
enum console_trust console_parse(const char *line, size_t size, struct console_line *out);

bool console_is(const struct console_line *l, const char *kind);

/* The value of a key as text into out; false and "" when it is not there or does not fit. */
bool console_value(const struct console_line *l, const char *key, char *out, size_t size);

struct console {
	void (*line)(void *opaque, const struct console_line *l);            /* each good line; may be NULL */
	void *opaque;
	unsigned good, bad;
	/* below: the parser's own */
	char text[CONSOLE_LINE_BYTES];
	size_t size;
	bool overlong;
};

/* Zero-initialise, set line and opaque. */
void console_feed(struct console *c, const void *bytes, size_t size);

/* The boot banner and the net line, kept as they are told. */
struct banner {
	bool boot, net, fault;
	char board[48], build[16], stack[24], mac[24], ip[24], what[24];
};
void banner_hear(struct banner *b, const struct console_line *l);

#endif
