// SPDX-License-Identifier: GPL-2.0-or-later
/* Columns. Names are the interface of many scripts: never rename, never move, only append. */
#include "report/csv_table.h"

const struct csv_metric csv_metrics[] = {
	{ "goodput_bit_per_s", "bit/s" }, { "goodput_byte_per_s", "byte/s" }, { "frames_per_s", "frame/s" }, { "elapsed_s", "s" }, { "payload_bytes", "byte" },
	{ "wire_bytes", "byte" },         { "retransmissions", "1" },         { NULL, NULL },
};

#define WHAT_CELL \
	{ "board_model", "board_type", CSV_TEXT, NULL, "board type" }, { "board_serial", "board", CSV_TEXT, NULL, "the board's name on its bench" }, \
	{ "virtual", "virtual", CSV_FLAG, NULL, "true: an emulated board, whose firmware executes instruction by instruction" }, \
	{ "workload", "workload", CSV_TEXT, NULL, "what the board was asked to do" }, { "variant", "variant", CSV_JSON, NULL, "build options of the firmware" }, \
	{ "transport", "transport", CSV_TEXT, NULL, "tcp or udp" }, { "payload_bytes", "payload_bytes", CSV_NUMBER, "byte", "application bytes of a frame" }, \
	{ "cell", "cell", CSV_TEXT, NULL, "name within the matrix" }
#define WHAT_STATISTICS \
	{ "n", "n", CSV_NUMBER, "1", "trials behind the numbers: passed, not excluded" }, { "n_failed", "n_failed", CSV_NUMBER, "1", "trials that do not count" }, \
	{ "median", "value", CSV_NUMBER, "see unit", "median" }, { "ci95_low", "ci95_low", CSV_NUMBER, "see unit", "95 % interval of the median, from order statistics; empty below 6" }, \
	{ "ci95_high", "ci95_high", CSV_NUMBER, "see unit", "its upper end" }, { "min", "min", CSV_NUMBER, "see unit", "smallest" }, \
	{ "max", "max", CSV_NUMBER, "see unit", "largest" }, { "iqr", "iqr", CSV_NUMBER, "see unit", "interquartile range; empty below 2" }

static const struct csv_column samples[] = {
	{ "schema_version", "schema_version", CSV_NUMBER, "1", "of this table" },
	{ "session_id", "run", CSV_NUMBER, NULL, "run" },
	{ "started_at", "started", CSV_TIME, NULL, "UTC" },
	WHAT_CELL,
	{ "matrix", "matrix", CSV_TEXT, NULL, "name of the matrix" },
	{ "matrix_version", "matrix_version", CSV_NUMBER, "1", "its version" },
	{ "trial", "repeat", CSV_NUMBER, "1", "repeat, from 0" },
	{ "attempt", "attempt", CSV_NUMBER, "1", "from 1; a retry adds one" },
	{ "status", "verdict", CSV_TEXT, NULL, "pass, fail, error, skipped, cancelled, timeout" },
	{ "cause", "cause", CSV_TEXT, NULL, "who is to blame" },
	{ "error", "error", CSV_TEXT, NULL, "one sentence" },
	{ "excluded_reason", "excluded.reason", CSV_TEXT, NULL, "why somebody excluded it from statistics" },
	{ "firmware_build", "image.build", CSV_ID, NULL, "build id, behind the letter g" },
	{ "firmware_sha256", "image.sha256", CSV_ID, NULL, "hash of the image file, behind the letter g" },
	{ "toolchain", "image.toolchain", CSV_TEXT, NULL, "compiler and version" },
	{ "mode", "mode", CSV_TEXT, NULL, "how the wire reaches the host: gate, tap, nic" },
	{ "pace", "pace", CSV_TEXT, NULL, "whose clock: turns (virtual time), wall" },
	{ "host", "host", CSV_TEXT, NULL, "computer labd ran on" },
	{ "result_id", "id", CSV_NUMBER, NULL, "attempt, unique in this lab" },
	{ "metric", "metric", CSV_TEXT, NULL, "which figure" },
	{ "value", "value", CSV_NUMBER, "see unit", "empty unless the attempt passed" },
	{ "unit", "unit", CSV_TEXT, NULL, "of value" },
	{ 0 },
};

static const struct csv_column summary[] = {
	{ "schema_version", "schema_version", CSV_NUMBER, "1", "of this table" },
	{ "session_id", "run", CSV_NUMBER, NULL, "run" },
	WHAT_CELL,
	{ "mode", "mode", CSV_TEXT, NULL, "how the wire reaches the host: gate, tap, nic" },
	{ "pace", "pace", CSV_TEXT, NULL, "whose clock: turns (virtual time), wall" },
	{ "status", "verdict", CSV_TEXT, NULL, "of the trial shown; pass if any counts" },
	{ "cause", "cause", CSV_TEXT, NULL, "who is to blame" },
	{ "firmware_build", "image.build", CSV_ID, NULL, "build id, behind the letter g" },
	{ "metric", "metric", CSV_TEXT, NULL, "which figure" },
	{ "unit", "unit", CSV_TEXT, NULL, "of the numbers that follow" },
	WHAT_STATISTICS,
	{ 0 },
};

static const struct csv_column comparison[] = {
	{ "schema_version", "schema_version", CSV_NUMBER, "1", "of this table" },
	{ "session_id", "run", CSV_NUMBER, NULL, "run" },
	WHAT_CELL,
	{ "mode", "mode", CSV_TEXT, NULL, "how the wire reaches the host: gate, tap, nic" },
	{ "pace", "pace", CSV_TEXT, NULL, "whose clock: turns (virtual time), wall" },
	{ "status", "verdict", CSV_TEXT, NULL, "of the trial shown; pass if any counts" },
	{ "metric", "metric", CSV_TEXT, NULL, "which figure" },
	{ "unit", "unit", CSV_TEXT, NULL, "of the numbers that follow" },
	WHAT_STATISTICS,
	{ "published", "published.value", CSV_NUMBER, "see unit", "published figure" },
	{ "published_printed", "published.printed", CSV_TEXT, NULL, "as the source has it" },
	{ "published_source", "published.source", CSV_TEXT, NULL, "where it was published" },
	{ "published_differs", "published.differs", CSV_WORDS, NULL, "conditions that differ; then there is no ratio" },
	{ "ratio", "ratio", CSV_NUMBER, "1", "measured / published" },
	{ 0 },
};

const struct csv_column *csv_columns(enum csv_kind kind)
{
	static const struct csv_column *const tables[] = { samples, summary, comparison };

	return tables[kind];
}
