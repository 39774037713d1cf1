// SPDX-License-Identifier: GPL-2.0-or-later
/* The words after a verb: options by a table, and what is left over in order. Texts are borrowed from argv. One thread. */
#ifndef LAB_CTL_ARGS_H
#define LAB_CTL_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

#define ARGS_MAX 24

struct option_row {
	const char *name;                                        /* "--board"; NULL ends a table */
	const char *value;                                       /* what its value is called; NULL: a flag */
	const char *help;
};

struct args {
	struct { const char *name, *value; } options[ARGS_MAX];
	size_t option_count;
	const char *words[ARGS_MAX];
	size_t word_count;
};

/*
 * Read argv. "--name value" and "--name=value" are the same; "--" ends the options; "-" is a word. Tables are looked through in order; the second may be NULL.
 * ERR_INVALID names the option, and the nearest there is.
 */
bool args_parse(struct args *a, int argc, char **argv, const struct option_row *own, const struct option_row *common, struct err *e);

/* The value of an option (the last one given), or NULL; "" for a flag. */
const char *args_text(const struct args *a, const char *name);
bool args_flag(const struct args *a, const char *name);

/* A whole number from least to most; *out is fallback when the option is not given. */
bool args_number(const struct args *a, const char *name, int64_t least, int64_t most, int64_t fallback, int64_t *out, struct err *e);

#endif
