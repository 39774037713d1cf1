// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measured beside published: the documents that pages, the command line and CSV share. Readers of the store only; any thread. The caller releases
 * documents with json_decref().
 */
#ifndef LAB_REPORT_COMPARE_H
#define LAB_REPORT_COMPARE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/err.h"

struct store;

/* NULL and 0: any. Without run, each cell's newest run counts, so that results of different images are never mixed; nor are those of
   different wires (mode) and clocks (pace), which are rows of their own. */
struct compare_query {
	const char *figure;                                                  /* "goodput_byte_per_s" (NULL), "goodput_bit_per_s", "frames_per_s", "frame_time_s", "elapsed_s" */
	const char *matrix, *board, *workload, *transport;                   /* board: name or type */
	int64_t run;
};

/*
 * {figure, unit, rows[{cell, run, board, board_type, virtual, workload, variant{}, transport, payload_bytes, mode, pace, n, n_failed, value,
 * ci95_low, ci95_high, min, max, iqr, verdict, result, published[{figure, value, unit, printed, source, differs[]}], ratio}],
 * fits[{series, board, board_type, variant, transport, ack, mode, pace, published, a_s, b_s_per_byte, max_relative_error, n}]}, rows by board, workload, variant,
 * transport, mode, pace and falling payload. Statistics are over passed and not excluded results only; a cell without one has null.
 */
json_t *compare(struct store *s, const struct compare_query *q, struct err *e);

/* One run as a document, {run, state, matrix, matrix_version, virtual, cells[...]}: design of `./lab up --once --json`. Of each cell the
   last attempt of its last repeat. */
json_t *report_run(struct store *s, int64_t run, struct err *e);

/* The same as a table for a terminal, measured beside published; the caller frees it. */
char *report_table(json_t *report);

/* 0 every cell passed or was skipped and one passed, 1 a cell failed, 5 a failure of the lab, 6 cancelled, 124 timeout, 4 no board. strict:
   skipped counts as 4. */
int report_exit_status(json_t *report, bool strict);

/* One figure out of a figures{} object; false: it is not there. */
bool figure_value(json_t *figures, const char *figure, double *out);

/* "byte/s", ...; NULL: there is no such figure. */
const char *figure_unit(const char *figure);

#endif
