// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/what_if.h"

#include "test/cell_lab.h"

enum { SIZES = 3, FRAMES = 100, BUILDS = 8, OVERS = 3, PLAIN = 0, ASM = 1, UNCHECKED = 2, X2 = 3, ALL = 7 };

static const unsigned payloads[SIZES] = { 1460, 750, 100 };

static const struct build {
	const char *checksum, *check_rx, *clock;
} builds[BUILDS] = {
	[PLAIN] = { "c", "1", "x1" }, [ASM] = { "asm", "1", "x1" }, [UNCHECKED] = { "c", "0", "x1" }, [X2] = { "c", "1", "x2" },
	{ "asm", "0", "x1" },         { "asm", "1", "x2" },         { "c", "0", "x2" },               [ALL] = { "asm", "0", "x2" },
};

static const struct over {
	const char *name;
	bool udp, ack;
} overs[OVERS] = { { "TCP", false, false }, { "UDP, `ack=1`", true, true }, { "UDP, `ack=0`", true, false } };

/* Milliseconds a frame. Over UDP the plain build and the fastest alone; M0 at 0 the X2 builds alone. */
static double tcp_ms[BUILDS][SIZES], over_ms[OVERS][2][SIZES], free_ms[BUILDS][SIZES];

static const int ends[2] = { PLAIN, ALL };

/* ---- measuring ---- */

static bool measure_build(struct cell_lab *lab, const struct build *b, const struct over *o, const char *capture, double ms[SIZES], struct err *e)
{
	bool ok = true;

	for (int i = 0; ok && i < SIZES; i++) {
		struct attempt_result r;
		struct cell c = { .checksum = b->checksum, .check_rx = b->check_rx, .clock = b->clock, .udp = o->udp, .ack = o->ack, .payload_bytes = payloads[i], .count = FRAMES,
		                  .capture = capture };

		ok = cell_lab_run(lab, &c, &r, e);
		ms[i] = ok ? (double)r.figures.elapsed_ns / 1e6 / FRAMES : 0;
		attempt_result_finish(&r);
	}
	return ok;
}

/* The ends over UDP come after their build's TCP cells, so that no image is flashed twice. */
static bool measure_all(struct cell_lab *lab, const char *capture, struct err *e)
{
	bool ok = true;

	for (int b = 0; ok && b < BUILDS; b++) {
		ok = measure_build(lab, &builds[b], &overs[0], capture, tcp_ms[b], e);
		for (int k = 0; ok && k < 2; k++)
			for (int o = 0; ok && b == ends[k] && o < OVERS; o++)
				ok = measure_build(lab, &builds[b], &overs[o], capture, over_ms[o][k], e);
	}
	return ok;
}

static bool is_x2(int b)
{
	return builds[b].clock[1] == '2';
}

bool what_if_measure(const char *capture, struct err *e)
{
	static const struct cell_setup costs_nothing = { .chip = "\"m0_cycles\":0" };
	struct cell_lab lab;
	bool ok;

	if (!cell_lab_open(&lab, NULL, e))
		return false;
	ok = measure_all(&lab, capture, e);
	cell_lab_close(&lab);
	if (!ok || !cell_lab_open(&lab, &costs_nothing, e))
		return false;
	for (int b = 0; ok && b < BUILDS; b++)
		if (is_x2(b))
			ok = measure_build(&lab, &builds[b], &overs[0], capture, free_ms[b], e);
	cell_lab_close(&lab);
	return ok;
}

/* ---- the tables ---- */

static double rate(double ms, int size)
{
	return 1e3 * payloads[size] / ms;
}

static void print_head(FILE *f, const char *first, int columns)
{
	fprintf(f, "| %s | 1460 bytes | 750 bytes | 100 bytes |\n|", first);
	for (int i = 0; i < columns + SIZES; i++)
		fprintf(f, "---|");
	fprintf(f, "\n");
}

/* "79.072 ms, 18464.1 byte/s, x1.00" */
static void print_cells(FILE *f, const double ms[SIZES], const double against[SIZES])
{
	for (int i = 0; i < SIZES; i++)
		fprintf(f, " %.3f ms, %.1f byte/s, x%.2f |", ms[i], rate(ms[i], i), against[i] / ms[i]);
	fprintf(f, "\n");
}

void what_if_print_builds(FILE *f)
{
	print_head(f, "`checksum` | `check_rx` | `clock`", 3);
	for (int b = 0; b < BUILDS; b++) {
		fprintf(f, "| %s | %s | %s |", builds[b].checksum, builds[b].check_rx, builds[b].clock);
		print_cells(f, tcp_ms[b], tcp_ms[PLAIN]);
	}
}

void what_if_print_gains(FILE *f)
{
	static const struct { const char *what; int build; } changes[] = {
		{ "assembly checksum alone", ASM }, { "received checksums unchecked alone", UNCHECKED }, { "X2 alone", X2 }, { "all three", ALL },
	};

	print_head(f, "less time a frame", 1);
	for (size_t k = 0; k < sizeof changes / sizeof changes[0]; k++) {
		fprintf(f, "| %s |", changes[k].what);
		for (int i = 0; i < SIZES; i++) {
			double less = tcp_ms[PLAIN][i] - tcp_ms[changes[k].build][i];

			fprintf(f, " %.3f ms, %.1f %% |", less, 100 * less / tcp_ms[PLAIN][i]);
		}
		fprintf(f, "\n");
	}
	fprintf(f, "| the three factors multiplied, and the factor of all three |");
	for (int i = 0; i < SIZES; i++)
		fprintf(f, " x%.2f, x%.2f |", tcp_ms[PLAIN][i] / tcp_ms[ASM][i] * tcp_ms[PLAIN][i] / tcp_ms[UNCHECKED][i] * tcp_ms[PLAIN][i] / tcp_ms[X2][i],
		        tcp_ms[PLAIN][i] / tcp_ms[ALL][i]);
	fprintf(f, "\n");
}

void what_if_print_udp(FILE *f)
{
	static const char *const names[2] = { "plain (c, 1, x1)", "fastest (asm, 0, x2)" };

	print_head(f, "build | over", 2);
	for (int k = 0; k < 2; k++)
		for (int o = 0; o < OVERS; o++) {
			fprintf(f, "| %s | %s |", names[k], overs[o].name);
			print_cells(f, over_ms[o][k], over_ms[0][k]);
		}
}

void what_if_print_stretch(FILE *f)
{
	print_head(f, "`checksum` | `check_rx` | M0 adds", 3);
	for (int b = 0; b < BUILDS; b++)
		for (int cycles = 0; is_x2(b) && cycles <= 2; cycles += 2) {
			fprintf(f, "| %s | %s | %d cycles |", builds[b].checksum, builds[b].check_rx, cycles);
			print_cells(f, cycles ? tcp_ms[b] : free_ms[b], tcp_ms[PLAIN]);
		}
}
