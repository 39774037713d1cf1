// SPDX-License-Identifier: GPL-2.0-or-later
/* A request meets a bench: which cells of a matrix run on which boards with which image, and which are skipped and why. Nothing is stored
   here. Any thread. */
#ifndef LAB_RUN_PLAN_H
#define LAB_RUN_PLAN_H

#include "run/images.h"
#include "run/matrix.h"
#include "run/runner.h"
#include "store/store.h"

struct plan {
	struct cell_row *cells;
	const struct lab_image **images;                                     /* of each cell; NULL where skipped */
	size_t count;
};

/*
 * Cells of m that match the request's board and cell filters, in matrix order, one for each board of the cell's type. A board type without
 * a board on the bench gives a skipped cell (no_board); a missing image too (image); a wrong variant is ERR_INVALID. ERR_NOT_FOUND: nothing
 * matches.
 */
bool plan_make(const struct matrix *m, const struct runner_board *boards, size_t board_count, const struct images *images, const struct run_request *q, struct plan *out,
               struct err *e);
void plan_finish(struct plan *p);

/* "8051-a", its type, or NULL and "": all. */
bool plan_board_fits(const char *filter, const char *name, const char *type);

#endif
