// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CSV files (docs/csv.md): RFC 4180, UTF-8, one header row with units in the names, base units, an empty field for what is missing.
 *
 * An export is pulled page by page; between two pages nothing of the store is held, and it ends at the last result there was when it was
 * opened. One thread at a time.
 */
#ifndef LAB_REPORT_CSV_H
#define LAB_REPORT_CSV_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/buf.h"
#include "core/err.h"
#include "report/compare.h"
#include "store/store.h"

enum csv_kind {
	CSV_SAMPLES,                                                         /* a row per attempt and figure */
	CSV_SUMMARY,                                                         /* a row per cell of a run and figure */
	CSV_COMPARE                                                          /* a row per row of compare() */
};

struct csv_format {
	char separator;                                                      /* 0 = ',' */
	char decimal;                                                        /* 0 = '.' */
	bool bom;
	bool excel;                                                          /* UTF-16LE with mark and tabs: what Excel opens as columns everywhere */
};

/* Texts are copied. */
struct csv_query {
	enum csv_kind kind;
	struct csv_format format;
	struct result_filter results;                                        /* samples, summary */
	struct compare_query compare;                                        /* compare */
};

struct csv_export;

bool csv_open(struct store *s, const struct csv_query *q, struct csv_export **out, struct err *e);
void csv_close(struct csv_export *x);                                        /* accepts NULL */

/* Append the next page to out. *end: that was the last. After an error the file must not be taken for complete. */
bool csv_more(struct csv_export *x, struct buf *out, bool *end, struct err *e);

uint64_t csv_rows(const struct csv_export *x);                               /* so far, without the header */

/* The sidecar, once the end was reached: {file, rows, sha256, columns[{name, unit, type, description}], query, labd}. */
json_t *csv_meta(struct csv_export *x, const char *file, const char *labd, json_t *query);

/* "labd_samples_20261130T152600Z.csv" */
void csv_name(enum csv_kind kind, int64_t utc_ms, char out[64]);

/* One field as it stands in a file: quoted where needed; free text that a spreadsheet would take for a formula gets an apostrophe. */
void csv_text(struct buf *out, const char *text, char separator, bool free_text);

#endif
