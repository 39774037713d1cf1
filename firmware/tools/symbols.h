// SPDX-License-Identifier: GPL-2.0-or-later
/* Where each function of an SDCC image begins, for profiles: global ones from the linker's map, static ones from the relocated listings. */
#ifndef TOOLS_SYMBOLS_H
#define TOOLS_SYMBOLS_H

#include <jansson.h>

#include "core/err.h"

/* Adds {at, name} of each function named in the text of a .map file to list. */
void symbols_of_map(const char *text, json_t *list);

/* Adds those of the text of a .rst file. */
void symbols_of_listing(const char *text, json_t *list);

/* The list in ascending order, each address once; the caller frees it. A function reaches to the next one. */
json_t *symbols_sorted(const json_t *list);

#endif
