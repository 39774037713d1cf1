// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The numbers in docs/results.md and README.md are those of a run: the three published cells, profiled, and all builds of the firmware, written as tables between
 * marks. The test runs them again and compares; `cmake --build build/dev --target results_doc` writes them. In turns they are the same on every machine, so a difference is
 * a change of firmware, virtual board or measurement. With another SDCC than the listed one the image is another, and the test is skipped.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "report/fit.h"
#include "run/profile_file.h"
#include "test/cell_lab.h"
#include "test/doc_block.h"
#include "test/harness.h"
#include "test/what_if.h"

enum { CELLS = 3, FRAMES = 100 };

static const unsigned payloads[CELLS] = { 1460, 750, 100 };

/* Everything the tables are made of. */
struct measured {
	uint64_t elapsed_ns[CELLS], unchecked_ns[CELLS], first_ns[CELLS], wire_ns[CELLS], answer_ns[CELLS];
	double published_s[CELLS], published_rate[CELLS];
	json_t *profiles;
	char other_toolchain[200];                                           /* "" = the image is the listed one */
};

static struct err e;
static struct measured m;
static char *text;
static size_t text_size;

static char *tree_file(const char *name)
{
	return xasprintf("%s/%s", getenv("LAB_SOURCE"), name);
}

static json_t *load(const char *name)
{
	char *path = tree_file(name);
	json_t *doc = json_load_file(path, 0, NULL);

	free(path);
	return doc;
}

/* ---- measuring ---- */

static double published(const json_t *rows, unsigned payload, const char *figure)
{
	json_t *row;
	size_t i;

	json_array_foreach((json_t *)rows, i, row)
		if (json_integer_value(json_object_get(row, "payload_bytes")) == (json_int_t)payload
		    && strcmp(json_string_value(json_object_get(row, "board_type")), "at89c51ed2-cs8900a") == 0
		    && strcmp(json_string_value(json_object_get(row, "figure")), figure) == 0)
			return json_number_value(json_object_get(row, "value"));
	return 0;
}

static bool read_published(void)
{
	json_t *rows = load("db/references.json");
	bool all = true;

	for (int i = 0; i < CELLS; i++) {
		m.published_s[i] = published(rows, payloads[i], "elapsed_s");
		m.published_rate[i] = published(rows, payloads[i], "goodput_byte_per_s");
		all = all && m.published_s[i] > 0 && m.published_rate[i] > 0;
	}
	json_decref(rows);
	return all || err_set(&e, ERR_NOT_FOUND, "db/references.json lacks a published figure");
}

/* A frame's time on the wire, preamble included, at 10 Mbit/s; and the mean from its end to its acknowledgement's. */
static void split_frame(int i, const struct flow_figures *f)
{
	uint64_t answers = 0;

	for (size_t k = 0; k < f->frame_count; k++)
		answers += f->frames[k].end_ns - f->frames[k].sent_ns;
	m.answer_ns[i] = answers / f->frame_count;
	m.wire_ns[i] = (8 + 14 + 40 + payloads[i] + 4) * 800;
	m.first_ns[i] = f->frames[0].end_ns - f->frames[0].begin_ns;
}

static bool measure_cell(struct cell_lab *lab, int i, const char *capture)
{
	struct attempt_result r;
	struct cell c = { .payload_bytes = payloads[i], .count = FRAMES, .profile = true, .capture = capture };
	char name[80];
	struct profile_run run = { name, "", 0, FRAMES, payloads[i] };
	const struct lab_image *image = cell_lab_image(lab, NULL, &e);
	json_t *profile = NULL;

	snprintf(name, sizeof name, "trigger/at89c51ed2-cs8900a/payload_bytes=%u", payloads[i]);
	if (image && cell_lab_run(lab, &c, &r, &e)) {
		m.elapsed_ns[i] = run.elapsed_ns = r.figures.elapsed_ns;
		run.build = image->build;
		split_frame(i, &r.figures);
		profile = profile_of_image(image, r.profile, &run, &e);
	}
	if (image)
		attempt_result_finish(&r);
	if (profile)
		json_array_append_new(m.profiles, profile);
	return profile;
}

static bool measure_unchecked(struct cell_lab *lab, int i, const char *capture)
{
	struct attempt_result r;
	struct cell c = { .payload_bytes = payloads[i], .count = FRAMES, .check_rx = "0", .capture = capture };
	bool ok = cell_lab_run(lab, &c, &r, &e);

	m.unchecked_ns[i] = ok ? r.figures.elapsed_ns : 0;
	attempt_result_finish(&r);
	return ok;
}

/* Another compiler makes another image, whose figures are others and as true. */
static void look_at_toolchain(struct cell_lab *lab)
{
	const struct lab_image *image = cell_lab_image(lab, NULL, &e);
	json_t *listed = load("firmware/hashes.json");
	const char *toolchain = json_string_value(json_object_get(json_array_get(listed, 0), "toolchain"));

	if (image && toolchain && strcmp(toolchain, image->toolchain) != 0)
		snprintf(m.other_toolchain, sizeof m.other_toolchain, "the image is made by %s, docs/results.md by %s", image->toolchain, toolchain);
	json_decref(listed);
}

static bool measure_all(void)
{
	struct cell_lab lab;
	char *capture = xasprintf("%s/cell.pcap", test_folder());
	bool ok = read_published() && cell_lab_open(&lab, NULL, &e);

	if (ok) {
		m.profiles = json_array();
		look_at_toolchain(&lab);
		for (int i = 0; ok && i < CELLS; i++)
			ok = measure_cell(&lab, i, capture);
		for (int i = 0; ok && i < CELLS; i++)
			ok = measure_unchecked(&lab, i, capture);
		cell_lab_close(&lab);
	}
	ok = ok && what_if_measure(capture, &e);
	free(capture);
	return ok;
}

/* ---- the tables ---- */

static double ms(uint64_t elapsed_ns)
{
	return (double)elapsed_ns / 1e6 / FRAMES;
}

static void print_cells(FILE *f)
{
	fprintf(f, "| payload of a frame | measured (virtual) | published | ratio | time of a frame, measured | published |\n|---|---|---|---|---|---|\n");
	for (int i = 0; i < CELLS; i++) {
		double rate = 1e9 * payloads[i] * FRAMES / (double)m.elapsed_ns[i];

		fprintf(f, "| %u bytes | %.1f byte/s | %.0f byte/s | x%.2f | %.3f ms | %.1f ms |\n", payloads[i], rate, m.published_rate[i], rate / m.published_rate[i],
		        ms(m.elapsed_ns[i]), 1e3 * m.published_s[i] / FRAMES);
	}
}

/* Machine cycles of this board: X1, 22.1184 MHz. */
static double cycles(double time_ms)
{
	return time_ms * 22118.4 / 12;
}

static void print_line(FILE *f)
{
	double x[CELLS], y[2][CELLS];
	struct fit fit[2];

	for (int i = 0; i < CELLS; i++) {
		x[i] = payloads[i];
		y[0][i] = ms(m.elapsed_ns[i]);
		y[1][i] = 1e3 * m.published_s[i] / FRAMES;
	}
	fprintf(f, "| | fixed | a byte | a byte, in machine cycles | largest error of the line |\n|---|---|---|---|---|\n");
	for (int k = 0; k < 2; k++)
		if (fit_line(x, y[k], CELLS, &fit[k]))
			fprintf(f, "| %s | %.2f ms | %.5f ms | %.1f | %.2f %% |\n", k ? "published" : "measured", fit[k].a, fit[k].b, cycles(fit[k].b), 100 * fit[k].max_relative_error);
	fprintf(f, "| published / measured | %.2f | %.2f | | |\n", fit[1].a / fit[0].a, fit[1].b / fit[0].b);
}

static double bucket_ms(int cell, size_t bucket)
{
	json_t *row = json_array_get(json_object_get(json_array_get(m.profiles, (size_t)cell), "buckets"), bucket);

	return json_number_value(json_object_get(row, "us_per_frame")) / 1e3;
}

/* The line through each bucket: what it costs with no payload, and for each byte of it. */
static void print_bytes(FILE *f)
{
	json_t *buckets = json_object_get(json_array_get(m.profiles, 0), "buckets"), *row;
	double x[CELLS] = { payloads[0], payloads[1], payloads[2] }, y[CELLS], fixed = 0, each = 0;
	struct fit fit;
	size_t i;

	fprintf(f, "| bucket | fixed, ms | machine cycles a byte of payload |\n|---|---|---|\n");
	json_array_foreach(buckets, i, row) {
		for (int k = 0; k < CELLS; k++)
			y[k] = bucket_ms(k, i);
		if (y[0] == 0 || !fit_line(x, y, CELLS, &fit))
			continue;
		fprintf(f, "| %s | %.3f | %.2f |\n", json_string_value(json_object_get(row, "name")), fit.a, fabs(cycles(fit.b)) < 0.005 ? 0 : cycles(fit.b));
		fixed += fit.a;
		each += cycles(fit.b);
	}
	fprintf(f, "| **sum** | **%.3f** | **%.2f** |\n", fixed, each);
}

/* What nobody can shorten: the frame on the wire, the host's answer, the acknowledgement. */
static void print_wait(FILE *f)
{
	fprintf(f, "| ms a frame | 1460 bytes | 750 bytes | 100 bytes |\n|---|---|---|---|\n| data frame on the wire (8 + 14 + 40 + n + 4 bytes of 0.8 us) |");
	for (int i = 0; i < CELLS; i++)
		fprintf(f, " %.3f |", (double)m.wire_ns[i] / 1e6);
	fprintf(f, "\n| from its end to the end of its acknowledgement |");
	for (int i = 0; i < CELLS; i++)
		fprintf(f, " %.3f |", (double)m.answer_ns[i] / 1e6);
	fprintf(f, "\n| first frame, from the trigger |");
	for (int i = 0; i < CELLS; i++)
		fprintf(f, " %.3f |", (double)m.first_ns[i] / 1e6);
	fprintf(f, "\n");
}

static void print_checksum(FILE *f)
{
	fprintf(f, "| payload | `check_rx=1` | `check_rx=0` | less a frame | goodput, `check_rx=0` |\n|---|---|---|---|---|\n");
	for (int i = 0; i < CELLS; i++)
		fprintf(f, "| %u bytes | %.3f ms | %.3f ms | %.3f ms | %.1f byte/s |\n", payloads[i], ms(m.elapsed_ns[i]), ms(m.unchecked_ns[i]),
		        ms(m.elapsed_ns[i] - m.unchecked_ns[i]), 1e9 * payloads[i] * FRAMES / (double)m.unchecked_ns[i]);
}

static void print_profile(FILE *f)
{
	profile_print(f, m.profiles);
}

static const struct block {
	const char *file, *name;
	void (*print)(FILE *f);
} blocks[] = {
	{ "README.md", "cells", print_cells },         { "docs/results.md", "cells", print_cells }, { "docs/results.md", "line", print_line },
	{ "docs/results.md", "profile", print_profile }, { "docs/results.md", "bytes", print_bytes }, { "docs/results.md", "wait", print_wait },
	{ "docs/results.md", "checksum", print_checksum }, { "docs/results.md", "builds", what_if_print_builds }, { "docs/results.md", "gains", what_if_print_gains },
	{ "docs/results.md", "udp", what_if_print_udp }, { "docs/results.md", "stretch", what_if_print_stretch },
};

/* ---- documents ---- */

static const char *table_of(const struct block *b)
{
	FILE *f;

	free(text);
	text = NULL;
	f = open_memstream(&text, &text_size);
	b->print(f);
	fclose(f);
	return text;
}

/* The table of docs/accuracy.md takes half a minute to make; its first line tells whether it is of this firmware and virtual board. */
static bool accuracy_is_of_now(void)
{
	char line[80], *path = tree_file("docs/accuracy.md"), *doc = test_read_file(path, NULL);
	bool ok;

	snprintf(line, sizeof line, "| as it is |  | %.3f | %.3f |", ms(m.elapsed_ns[0]), ms(m.elapsed_ns[2]));
	ok = doc && strstr(doc, line);
	free(doc);
	free(path);
	return ok || err_set(&e, ERR_MISMATCH, "docs/accuracy.md is of another time (no \"%s\"); cmake --build BUILD --target accuracy_doc writes it", line);
}

TEST(the_documents_say_what_is_measured)
{
	bool write = getenv("LAB_WRITE_DOCS") != NULL, ok = true;

	CHECK_OK(measure_all(), &e);
	if (m.other_toolchain[0] && !write)
		SKIP("%s", m.other_toolchain);
	for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
		const char *table = table_of(&blocks[i]);

		ok = doc_block_holds(blocks[i].file, blocks[i].name, table, text_size, write, &e) && ok;
	}
	ok = (write || accuracy_is_of_now()) && ok;
	json_decref(m.profiles);
	free(text);
	CHECK_OK(ok, &e);
}
