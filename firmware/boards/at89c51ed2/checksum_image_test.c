// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Both implementations of checksum_add() as they are in the images, called on the emulated chip, beside the C function compiled for the PC: the same bits for
 * every length, start, carry and cut. The function's address and those of its arguments come from the linker's map.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chips/at89c51ed2.h"
#include "image/image.h"
#include "net/checksum.h"
#include "test/harness.h"

#define HZ 22118400u
#define RETURN_TO 0x7e00                          /* behind the code: SJMP $ */
#define STACK_AT 0xd0
#define IEN0 0xa8
#define PACKET_MAX 1460u
#define STEP_CYCLES 4

/* An image on a chip of its own, past its start-up. */
struct subject {
	struct vclock clock;
	struct at89c51ed2_memory memory;
	struct at89c51ed2 chip;
	struct serial_wire rx, tx;
	unsigned function, p_at, n_at;
	uint64_t cycles;                          /* of the last call */
};

static struct subject c_image, asm_image;
static uint32_t seed = 12345;

static uint32_t any(uint32_t below)
{
	seed = seed * 1664525u + 1013904223u;
	return (uint32_t)(((uint64_t)seed * below) >> 32);
}

static uint8_t nowhere_read(void *opaque, uint16_t addr, const struct at89c51ed2_access *how)
{
	(void)opaque, (void)addr, (void)how;
	return 0xff;
}

static void nowhere_write(void *opaque, uint16_t addr, uint8_t value, const struct at89c51ed2_access *how)
{
	(void)opaque, (void)addr, (void)value, (void)how;
}

/* "     00000070  _checksum_add_PARM_2    checksum": the address of a name in the linker's map. */
static unsigned address_of(const char *map, const char *name)
{
	char line[300], word[200];
	unsigned at, found = 0;
	FILE *f = fopen(map, "r");

	while (f && fgets(line, sizeof line, f)) {
		char *text = strncmp(line, "C:", 2) == 0 ? line + 2 : line;

		if (sscanf(text, " %8x %199s", &at, word) == 2 && strcmp(word, name) == 0)
			found = at;
	}
	if (f)
		fclose(f);
	return found;
}

static void run_ticks(struct subject *s, uint64_t n)
{
	uint64_t end = s->clock.now + n;

	while (s->clock.now < end)
		at89c51ed2_step(&s->chip, end);
}

static bool subject_start(struct subject *s, const char *image, struct err *e)
{
	static const struct at89c51ed2_board board = { .bus_read = nowhere_read, .bus_write = nowhere_write };
	const char *build = getenv("LAB_BUILD");
	struct image *img = NULL;
	char path[500], map[500];

	snprintf(path, sizeof path, "%s/firmware/%s.ihx", build ? build : ".", image);
	snprintf(map, sizeof map, "%s/firmware/%s.dir/linked.map", build ? build : ".", image);
	if (!image_load(path, IMAGE_IHEX, 0, 0, &img, e))
		return false;
	at89c51ed2_memory_factory(&s->memory);
	image_copy(img, 0, s->memory.flash, sizeof s->memory.flash, 0xff);
	image_destroy(img);
	s->memory.hsb = 0xff;                     /* BLJB unprogrammed: the application starts at reset */
	memcpy(s->memory.flash + RETURN_TO, (const uint8_t[]){ 0x80, 0xfe }, 2);
	s->function = address_of(map, "_checksum_add");
	s->p_at = address_of(map, "_checksum_add_PARM_2");
	s->n_at = address_of(map, "_checksum_add_PARM_3");
	vclock_init(&s->clock, HZ);
	serial_init(&s->rx, &s->clock);
	serial_init(&s->tx, &s->clock);
	at89c51ed2_init(&s->chip, &s->clock, &s->memory, &AT89C51ED2_CONFIG, &board, &s->rx, &s->tx);
	run_ticks(s, HZ / 50);                    /* start-up code: all of XRAM is on */
	s->chip.sfr[IEN0 - 0x80] = 0;             /* no interrupt: what is called is all that runs */
	s->chip.cpu.requests = 0;
	return (s->function && s->p_at && s->n_at) || err_set(e, ERR_NOT_FOUND, "%s: no checksum_add with its arguments", map);
}

static void put_word(struct subject *s, unsigned at, unsigned word)
{
	s->chip.cpu.iram[at] = (uint8_t)word;
	s->chip.cpu.iram[at + 1] = (uint8_t)(word >> 8);
}

/* As SDCC calls it: the first argument and the result in DPTR, the others in internal RAM. -1: it did not come back. */
static long call(struct subject *s, uint16_t sum, uint16_t at, uint16_t n)
{
	uint64_t begun = s->chip.cpu.cycles;

	put_word(s, s->p_at, at);
	put_word(s, s->n_at, n);
	put_word(s, STACK_AT - 1, RETURN_TO);
	s->chip.cpu.sp = STACK_AT;
	s->chip.cpu.dptr[0] = sum;
	s->chip.cpu.pc = (uint16_t)s->function;
	for (uint32_t i = 0; i < 200u + n * 50u / STEP_CYCLES; i++) {
		run_ticks(s, 12 * STEP_CYCLES);
		if (s->chip.cpu.pc == RETURN_TO) {
			s->cycles = s->chip.cpu.cycles - begun;
			return s->chip.cpu.sp == STACK_AT - 2 ? s->chip.cpu.dptr[0] : -1;
		}
	}
	return -1;
}

/* Bytes that carry seldom, always, or by turns. */
static void make_data(uint8_t *bytes, unsigned n)
{
	unsigned kind = any(5);

	for (unsigned i = 0; i < n; i++) {
		static const uint8_t ends[] = { 0x00, 0xff, 0x01, 0xfe };

		bytes[i] = kind == 0 ? 0xff : kind == 1 ? 0 : kind == 2 ? ends[any(4)] : (uint8_t)any(256);
	}
}

static uint16_t make_sum(void)
{
	static const uint16_t ends[] = { 0, 1, 0xff, 0x100, 0xff00, 0xfffe, 0xffff };
	unsigned which = any(10);

	return which < 7 ? ends[which] : (uint16_t)any(65536);
}

/* The same data at the same place of both chips: three sums, which must be one. */
static bool agree(const uint8_t *bytes, uint16_t at, uint16_t n, uint16_t sum)
{
	memcpy(c_image.chip.xram + at, bytes, n);
	memcpy(asm_image.chip.xram + at, bytes, n);
	long wanted = checksum_add(sum, bytes, n), c = call(&c_image, sum, at, n), a = call(&asm_image, sum, at, n);

	if (wanted != c || wanted != a)
		printf("  %u bytes at %04Xh from %04Xh: PC %04lX, C image %04lX, assembly %04lX\n", n, at, sum, wanted, c, a);
	return wanted == c && wanted == a;
}

static bool both_start(struct err *e)
{
	return subject_start(&c_image, "at89c51ed2", e) && subject_start(&asm_image, "at89c51ed2-asm", e);
}

TEST(assembly_gives_the_bits_of_c_for_every_length_start_and_carry)
{
	static uint8_t bytes[PACKET_MAX];
	struct err e = { ERR_NONE, "" };
	unsigned wrong = 0;

	CHECK_OK(both_start(&e), &e);
	for (unsigned i = 0; i < 1500 && wrong < 5; i++) {
		uint16_t n = (uint16_t)(i < 70 ? i : any(70)), at = (uint16_t)any(AT89C51ED2_XRAM_BYTES - n);

		make_data(bytes, n);
		wrong += !agree(bytes, at, n, make_sum());
	}
	CHECK_EQ(wrong, 0);
}

/* 512 bytes and their neighbours: where the loop's count has a low byte of 0. */
TEST(assembly_gives_the_bits_of_c_for_whole_packets)
{
	static const uint16_t sizes[] = { 510, 511, 512, 513, 514, 750, 1023, 1024, 1025, 1459, 1460 };
	static uint8_t bytes[PACKET_MAX];
	struct err e = { ERR_NONE, "" };

	CHECK_OK(both_start(&e), &e);
	for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
		for (int i = 0; i < 5; i++) {
			make_data(bytes, sizes[k]);
			CHECK(agree(bytes, (uint16_t)any(AT89C51ED2_XRAM_BYTES - PACKET_MAX), sizes[k], make_sum()));
		}
}

TEST(a_packet_in_pieces_sums_like_the_whole)
{
	static uint8_t bytes[PACKET_MAX];
	struct err e = { ERR_NONE, "" };

	CHECK_OK(both_start(&e), &e);
	for (int i = 0; i < 100; i++) {
		uint16_t n = (uint16_t)(1 + any(300)), cut = (uint16_t)(any(n / 2 + 1) * 2), sum = make_sum();

		make_data(bytes, n);
		memcpy(asm_image.chip.xram, bytes, n);
		long whole = call(&asm_image, sum, 0, n), first = call(&asm_image, sum, 0, cut);

		CHECK_EQ(whole, checksum_add(sum, bytes, n));
		CHECK_EQ(call(&asm_image, (uint16_t)first, cut, (uint16_t)(n - cut)), whole);
	}
}

TEST(assembly_takes_seven_machine_cycles_a_byte)
{
	struct err e = { ERR_NONE, "" };
	double a, c;

	CHECK_OK(both_start(&e), &e);
	CHECK(call(&c_image, 0, 0, PACKET_MAX) >= 0 && call(&asm_image, 0, 0, PACKET_MAX) >= 0);
	c = (double)c_image.cycles / PACKET_MAX;
	a = (double)asm_image.cycles / PACKET_MAX;
	printf("  %u bytes: C %.2f machine cycles a byte, assembly %.2f\n", PACKET_MAX, c, a);
	CHECK(a < 7.1 && a > 6.9);
	CHECK(c > 4 * a);
}
