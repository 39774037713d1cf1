// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A matrix: which workloads run on which boards, with which variants and parameters, how often. A document people write (docs/store.md has
 * an example), read strictly; expanded into cells in a fixed order. Immutable after parsing; any thread.
 */
#ifndef LAB_RUN_MATRIX_H
#define LAB_RUN_MATRIX_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "drive/workload.h"

#define MATRIX_MAX_CELLS 10000

struct matrix;

/* file: for the sentences, which carry line, path and the nearest key. Ranges of parameters are checked by the workload. */
bool matrix_parse(const char *file, const char *text, size_t size, struct matrix **out, struct err *e);

/* A document that came as JSON already (store, HTTP). name: for the sentences. */
bool matrix_from_json(const char *name, json_t *document, struct matrix **out, struct err *e);
void matrix_destroy(struct matrix *m);                                       /* accepts NULL */

const char *matrix_name(const struct matrix *m);
json_t *matrix_document(const struct matrix *m);                             /* borrowed */

/* One cell before it meets a bench. */
struct matrix_cell {
	char *name;                                                          /* trigger/at89c51ed2-cs8900a/payload_bytes=1460: with what varies in this matrix */
	char *workload, *board_type;
	json_t *variant;                                                     /* as given; defaults are the board type's */
	json_t *params;                                                      /* complete */
	unsigned repeats_wall, repeats_turns;
	int64_t deadline_ms;
};

struct matrix_cells {
	struct matrix_cell *cells;
	size_t count;
};

/* In the document's order: entries, board types, variants, then parameters (keys by name, values as given). */
bool matrix_expand(const struct matrix *m, struct matrix_cells *out, struct err *e);
void matrix_cells_finish(struct matrix_cells *c);

/* params{} of a cell as a struct. */
bool cell_params_from_json(json_t *params, struct cell_params *out, struct err *e);

#endif
