// SPDX-License-Identifier: GPL-2.0-or-later
/* A row of images.json, and what it is made of beside the image: the linker's report of memory, the command line's words. One thread. */
#ifndef TOOLS_ROW_H
#define TOOLS_ROW_H

#include <jansson.h>
#include <stdbool.h>

#include "core/err.h"

/* The command line: --name value, in any order; everything else in order. Borrowed from argv. */
struct options {
	int argc;
	char **argv;
};

/* The value of --name; an error names the option that is missing. */
const char *option(const struct options *o, const char *name, struct err *e);

/* The contents of a text file (4 MiB at the most), to be freed. */
char *read_text(const char *path, struct err *e);

/* {code, xram, iram, stack} in bytes from the memory report of SDCC's linker (.mem). NULL: the report is not one. */
json_t *row_sections(const char *report, struct err *e);

/* The row of an image that is stamped and written already; sha256 is that of its file. */
json_t *row_of_image(const struct options *o, const char *build, struct err *e);

/* Two rows are of the same image to be: board type and variant agree. */
bool row_same(json_t *a, json_t *b);

/* "board_type variant", for people. Valid until the next call. */
const char *row_name(json_t *row);

#endif
