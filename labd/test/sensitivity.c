// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the figures hang on: the 1460-byte and the 100-byte cell, flashing and booting, with each time of the virtual board that no data sheet fixes at both of its ends. Prints the
 * table of docs/accuracy.md; the target accuracy_doc writes it there. A run of the harness, so that it has a folder of its own; half a minute.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "test/cell_lab.h"
#include "test/doc_block.h"
#include "test/harness.h"

enum { FRAMES = 100 };

static const struct rule {
	const char *what, *value;
	const char *wire, *chip;
	const char *clock;                                                   /* of the image; NULL = "x1". The first of a clock is what the others are compared with */
} rules[] = {
	{ "as it is", "", NULL, NULL, NULL },
	{ "AUXR.M0: cycles it adds to an external MOVX", "0", NULL, "\"m0_cycles\":0", NULL },
	{ "AUXR.M0: cycles it adds to an external MOVX", "4", NULL, "\"m0_cycles\":4", NULL },
	{ "flash: programming a page", "7 ms", NULL, "\"write_us\":7000", NULL },
	{ "flash: programming a page", "17 ms", NULL, "\"write_us\":17000", NULL },
	{ "flash: erasing the chip", "3 s", NULL, "\"erase_us\":3000000", NULL },
	{ "flash: erasing the chip", "12 s", NULL, "\"erase_us\":12000000", NULL },
	{ "CS8900A: reset and calibration", "1 ms", NULL, "\"nic_reset_us\":1000", NULL },
	{ "CS8900A: reset and calibration", "30 ms", NULL, "\"nic_reset_us\":30000", NULL },
	{ "CS8900A: link pulses until LinkOK", "10", NULL, "\"nic_link_pulses\":10", NULL },
	{ "CS8900A: interval of link pulses", "8 ms", NULL, "\"nic_link_pulse_us\":8000", NULL },
	{ "CS8900A: interval of link pulses", "24 ms", NULL, "\"nic_link_pulse_us\":24000", NULL },
	{ "CS8900A: free bytes a frame needs to be received", "64", NULL, "\"nic_receive_reserve\":64", NULL },
	{ "CS8900A: free bytes a frame needs to be received", "3072, all of them", NULL, "\"nic_receive_reserve\":3072", NULL },
	{ "wire: rate", "+100 ppm", "\"rate\":10001000", NULL, NULL },
	{ "bench PC: answer latency", "0", "\"latency_ns\":0", NULL, NULL },
	{ "bench PC: answer latency", "310 us", "\"latency_ns\":310000", NULL, NULL },
	{ "the X2 image as it is: AUXR.M0 adds 2 cycles", "", NULL, NULL, "x2" },
	{ "the X2 image, AUXR.M0: cycles it adds", "0", NULL, "\"m0_cycles\":0", "x2" },
	{ "the X2 image, AUXR.M0: cycles it adds", "4", NULL, "\"m0_cycles\":4", "x2" },
};

static struct err e;
static double usual_ms[2];

static double frame_ms(struct cell_lab *lab, const struct rule *rule, unsigned payload, const char *capture, struct attempt_result *r)
{
	struct cell c = { .clock = rule->clock, .payload_bytes = payload, .count = FRAMES, .capture = capture };

	return cell_lab_run(lab, &c, r, &e) ? (double)r->figures.elapsed_ns / 1e6 / FRAMES : 0;
}

static void print_frame(FILE *f, double ms, double usual)
{
	if (ms == 0)
		fprintf(f, " no figure: %s |", e.msg);
	else if (ms == usual)
		fprintf(f, " %.3f |", ms);
	else
		fprintf(f, " %.3f (%+.2f us) |", ms, 1e3 * (ms - usual));
}

/* A blank chip, so that the first cell flashes. */
static bool try_rule(FILE *f, const struct rule *rule, const char *capture)
{
	struct cell_lab lab;
	struct attempt_result big, small;
	double ms[2];

	if (!cell_lab_open(&lab, &(struct cell_setup){ .wire = rule->wire, .chip = rule->chip }, &e))
		return false;
	ms[0] = frame_ms(&lab, rule, 1460, capture, &big);
	ms[1] = frame_ms(&lab, rule, 100, capture, &small);
	cell_lab_close(&lab);
	if (rule == rules || rule->clock != rule[-1].clock)
		memcpy(usual_ms, ms, sizeof ms);
	fprintf(f, "| %s | %s |", rule->what, rule->value);
	for (int i = 0; i < 2; i++)
		print_frame(f, ms[i], usual_ms[i]);
	fprintf(f, " %.2f | %.1f |\n", (double)big.flash_ns / 1e9, (double)small.boot_ns / 1e6);
	attempt_result_finish(&big);
	attempt_result_finish(&small);
	return true;
}

TEST(every_time_at_both_ends)
{
	char *capture = xasprintf("%s/cell.pcap", test_folder()), *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	bool ok = true;

	fprintf(f, "| what | value | a frame of 1460 bytes, ms | of 100 bytes, ms | flashing, s | power-on to `@lab net`, ms |\n|---|---|---|---|---|---|\n");
	for (size_t i = 0; ok && i < sizeof rules / sizeof rules[0]; i++)
		ok = try_rule(f, &rules[i], capture);
	fclose(f);
	printf("%s", text);
	ok = ok && (!getenv("LAB_WRITE_DOCS") || doc_block_holds("docs/accuracy.md", "sensitivity", text, size, true, &e));
	free(text);
	free(capture);
	CHECK_OK(ok, &e);
}
