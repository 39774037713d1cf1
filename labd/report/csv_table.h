// SPDX-License-Identifier: GPL-2.0-or-later
/* The columns of each CSV file: where a value comes from in a row's JSON, how it is written, and what it means. Inside report/ only. */
#ifndef LAB_REPORT_CSV_TABLE_H
#define LAB_REPORT_CSV_TABLE_H

#include "report/csv.h"

enum csv_type {
	CSV_TEXT,                                                            /* guarded against spreadsheets */
	CSV_NUMBER,
	CSV_FLAG,                                                            /* true, false */
	CSV_TIME,                                                            /* ISO 8601 UTC */
	CSV_JSON,                                                            /* an object as compact text */
	CSV_ID,                                                              /* hex digits behind the letter g, so that no program takes them for a number */
	CSV_WORDS                                                            /* a list of texts, joined by blanks */
};

struct csv_column {
	const char *name, *from;                                             /* from: "image.build" in the row */
	enum csv_type type;
	const char *unit, *description;
};

/* Ends with a NULL name. New columns go to the end. */
const struct csv_column *csv_columns(enum csv_kind kind);

/* The figures that a sample has a row for, with unit; ends with NULL. */
extern const struct csv_metric {
	const char *name, *unit;
} csv_metrics[];

#define CSV_SCHEMA_VERSION 1

#endif
