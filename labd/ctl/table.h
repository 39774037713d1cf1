// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of JSON as a table for people: columns as wide as they need, numbers to the right, a dash for what is missing. One thread. */
#ifndef LAB_CTL_TABLE_H
#define LAB_CTL_TABLE_H

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

struct column {
	const char *head;                                        /* NULL ends a list */
	const char *path;                                        /* keys, dots between: "figures.frames_per_s" */
	int decimals;                                            /* of a number that is not whole; numbers stand to the right */
};

/* "nothing yet" (a sentence) is printed when rows is empty. */
void table_print(FILE *f, const struct column *columns, const json_t *rows, const char *empty);

/* The value at a path of keys; borrowed; NULL when a key is not there. */
const json_t *table_value(const json_t *row, const char *path);

#endif
