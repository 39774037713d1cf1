// SPDX-License-Identifier: GPL-2.0-or-later
/* Cells of a matrix, one for each board that can run them. */
#include "run/plan.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "config/bench.h"
#include "config/board_type.h"
#include "core/mem.h"

struct planner {
	const struct runner_board *boards;
	size_t board_count;
	const struct images *images;
	const struct run_request *q;
	struct plan *plan;
};

bool plan_board_fits(const char *filter, const char *name, const char *type)
{
	return !filter || !filter[0] || strcmp(filter, type) == 0 || (name && strcmp(filter, name) == 0);
}

static struct cell_row *new_row(struct planner *p, const struct matrix_cell *c, json_t *variant)
{
	struct plan *plan = p->plan;

	plan->cells = xrealloc(plan->cells, (plan->count + 1) * sizeof *plan->cells);
	plan->images = xrealloc(plan->images, (plan->count + 1) * sizeof *plan->images);
	plan->images[plan->count] = NULL;
	plan->cells[plan->count] = (struct cell_row){ .name = xstrdup(c->name), .board_type = xstrdup(c->board_type), .workload = xstrdup(c->workload),
	                                              .variant = json_incref(variant), .params = json_incref(c->params), .repeats = 1, .deadline_ms = c->deadline_ms };
	return &plan->cells[plan->count++];
}

static void skip(struct cell_row *row, enum cause cause, const char *why)
{
	row->skip_cause = cause_word(cause);
	row->skip_error = xstrdup(why);
}

/* No image is a cell that cannot run; two are a mistake in images.json that nobody should have to find in a result. */
static bool choose_image(struct planner *p, struct cell_row *row, const struct lab_image **image, struct err *e)
{
	*image = images_select(p->images, row->board_type, row->variant, e);
	if (!*image && e->code != ERR_NOT_FOUND)
		return false;
	if (!*image)
		skip(row, CAUSE_IMAGE, e->msg);
	return true;
}

static bool add_board(struct planner *p, const struct matrix_cell *c, const struct runner_board *b, struct err *e)
{
	json_t *variant = variant_complete(b->type, c->variant, e);
	struct cell_row *row;

	if (!variant)
		return err_prefix(e, "%s", c->name);
	row = new_row(p, c, variant);
	json_decref(variant);
	row->board = xstrdup(b->config->name);
	row->is_virtual = b->config->is_virtual;
	row->repeats = b->config->pace == BENCH_PACE_TURNS ? c->repeats_turns : c->repeats_wall;
	if (board_type_has(b->type->workloads, c->workload))
		return choose_image(p, row, &p->plan->images[p->plan->count - 1], e) || err_prefix(e, "%s", c->name);
	skip(row, CAUSE_UNSUPPORTED, "this board type does not run this workload");
	return true;
}

static bool add_cell(struct planner *p, const struct matrix_cell *c, struct err *e)
{
	size_t before = p->plan->count, of_type = 0;
	bool ok = true;

	if (p->q->cell && p->q->cell[0] && fnmatch(p->q->cell, c->name, 0) != 0)
		return true;
	for (size_t i = 0; ok && i < p->board_count; i++) {
		const struct runner_board *b = &p->boards[i];

		if (strcmp(b->type->name, c->board_type) != 0)
			continue;
		of_type++;
		if (plan_board_fits(p->q->board, b->config->name, b->type->name))
			ok = add_board(p, c, b, e);
	}
	if (ok && p->plan->count == before && of_type == 0 && plan_board_fits(p->q->board, NULL, c->board_type))
		skip(new_row(p, c, c->variant), CAUSE_NO_BOARD, "no board of this type is on the bench");
	return ok;
}

bool plan_make(const struct matrix *m, const struct runner_board *boards, size_t board_count, const struct images *images, const struct run_request *q, struct plan *out,
               struct err *e)
{
	struct plan plan = { 0 };
	struct planner p = { boards, board_count, images, q, &plan };
	struct matrix_cells cells = { 0 };
	bool ok = matrix_expand(m, &cells, e);

	for (size_t i = 0; ok && i < cells.count; i++)
		ok = add_cell(&p, &cells.cells[i], e);
	matrix_cells_finish(&cells);
	if (ok && plan.count == 0)
		ok = err_set(e, ERR_NOT_FOUND, "no cell of matrix %s fits%s%s%s%s", matrix_name(m), q->board && q->board[0] ? " board " : "", q->board ? q->board : "",
		             q->cell && q->cell[0] ? " cell " : "", q->cell ? q->cell : "");
	if (!ok) {
		plan_finish(&plan);
		return false;
	}
	*out = plan;
	return true;
}

void plan_finish(struct plan *p)
{
	for (size_t i = 0; i < p->count; i++) {
		struct cell_row *c = &p->cells[i];

		free(c->name);
		free(c->board);
		free(c->board_type);
		free(c->workload);
		free((char *)c->skip_error);
		json_decref(c->variant);
		json_decref(c->params);
	}
	free(p->cells);
	free(p->images);
	*p = (struct plan){ 0 };
}
