// SPDX-License-Identifier: GPL-2.0-or-later
/* The Atmel flasher against a scripted boot loader: the contract, what reaches the chip, speed, and each fault with its sentence. */
#include "bench/flasher_contract.h"
#include "drivers/fake_isp.h"
#include "drivers/flash_drivers.h"

#include <stdlib.h>
#include <string.h>

#define FAULT(...) (&(struct fake_faults){ __VA_ARGS__ })
#define NO_FAULT (&(struct fake_faults){ 0 })

static struct err e;
static struct fake_isp *fake;                                                /* of the running test */

static const struct isp_config config = {
	.console = { 115200, 8, 'N', 1 }, .baud = 115200, .reset = { true, LINE_DTR, false }, .boot = { true, LINE_RTS, false },
	.sync_tries = 3, .step_ms = 1000, .erase_ms = 15000, .total_ms = 180000,
};

static struct flasher *flasher_with(const struct fake_faults *faults, const struct isp_config *c)
{
	struct flasher *f;

	fake = fake_isp_create(faults);
	f = atmel_isp_create(&fake->line, c);
	f->flash_size = 0x10000;
	f->reserved[0].at = 0xF800;
	f->reserved[0].size = 0x800;
	f->expected_id = 0;
	return f;
}

static struct flasher *create(void)
{
	return flasher_with(NO_FAULT, &config);
}

static void destroy(struct flasher *f)
{
	flasher_destroy(f);
	line_destroy(&fake->line);
	fake = NULL;
}

static const struct flasher_fixture fixture = { create, destroy, NULL };

FLASHER_CONTRACT(atmel_isp, fixture)

static struct image *image_of(uint32_t at, size_t size)
{
	uint8_t *bytes = malloc(size);
	struct image *img = NULL;

	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(i * 7 + (i >> 7));
	image_parse(bytes, size, IMAGE_RAW, at, 0, &img, &e);
	free(bytes);
	return img;
}

/* Program 1000 bytes at 40h with a fault; true if the sentence is what is expected (NULL: success). */
static bool programming_gives(const struct fake_faults *faults, const struct isp_config *c, enum err_code code, const char *sentence)
{
	struct flasher *f = flasher_with(faults, c);
	struct image *img = image_of(0x40, 1000);
	bool ok, as_expected;

	f->expected_id = 0x58D7EC;
	err_clear(&e);
	ok = flasher_program(f, img, NULL, &e);
	as_expected = sentence ? !ok && e.code == code && !strcmp(e.msg, sentence) : ok && !memcmp(fake->flash + 0x40, img->segments[0].bytes, 1000);
	if (!as_expected)
		test_fail(__FILE__, __LINE__, "got \"%s\" (%s), not \"%s\"", ok ? "success" : e.msg, ok ? "none" : err_word(e.code), sentence ? sentence : "success");
	image_destroy(img);
	destroy(f);
	return as_expected;
}


TEST(records_are_page_aligned_and_written_once_each)
{
	struct flasher *f = create();
	struct image *img = image_of(0x40, 1000);

	CHECK_OK(flasher_program(f, img, NULL, &e), &e);
	CHECK_EQ(fake->page_writes, 9);
	CHECK_EQ(fake->foreign_types, 0);
	CHECK_EQ(f->flash_cycles, 9);
	image_destroy(img);
	destroy(f);
}

TEST(the_application_starts_after_verify_and_only_then)
{
	struct flasher *f = create();
	struct image *img = image_of(0, 300);

	CHECK_OK(flasher_program(f, img, NULL, &e), &e);
	CHECK_EQ(fake->bsb, 0x00);
	CHECK(fake->application);
	CHECK_EQ(fake->sbv, 0xFC);
	fake->faults.stuck = true;
	fake->faults.stuck_at = 5;
	fake->flash[5] = 0x77;
	img->segments[0].bytes[5] = 0x42;
	CHECK(!flasher_program(f, img, NULL, &e));
	CHECK_EQ(e.code, ERR_MISMATCH);
	CHECK_STR(e.msg, "atmel_isp: verify: address 0x0005 holds FFh and should hold 42h: the flash cell does not take it, or the part is worn out");
	CHECK_EQ(fake->bsb, 0xFF);
	CHECK(!fake->application);
	image_destroy(img);
	destroy(f);
}

TEST(the_line_is_busy_nine_tenths_of_the_time)
{
	struct flasher *f = create();
	struct image *img = image_of(0, 16384);
	uint64_t before, limit = atmel_isp_limit_ns(img, 115200, 10000);

	CHECK_OK(line_open(&fake->line, &config.console, &e), &e);
	CHECK(f->ops->identify(f, &(struct part){ 0 }, &e));
	before = fake->now_ns;
	CHECK_OK(f->ops->program(f, img, NULL, &e), &e);
	CHECK(fake->now_ns - before >= limit);
	CHECK((double)limit / (double)(fake->now_ns - before) >= 0.95);
	image_destroy(img);
	destroy(f);
}

TEST(a_silent_loader_gives_its_own_sentence)
{
	CHECK(programming_gives(FAULT(.silent = true), &config, ERR_TIMEOUT,
		"atmel_isp: identify: the boot loader is silent: no answer to 'U' at 115200 baud in 3 resets (RST and PSEN wired, power on?)"));
}

TEST(an_application_instead_of_the_loader_gives_its_own_sentence)
{
	CHECK(programming_gives(FAULT(.application_runs = true), &config, ERR_TIMEOUT,
		"atmel_isp: identify: the boot loader is silent: no answer to 'U' at 115200 baud in 3 resets (RST and PSEN wired, power on?)"));
}

TEST(x_p_and_l_give_their_own_sentences)
{
	CHECK(programming_gives(FAULT(.reject_after = 7), &config, ERR_MISMATCH,
		"atmel_isp: program: 128 bytes at 0x0080: the boot loader answered X: the record reached it with a wrong checksum (4 times)"));
	CHECK(programming_gives(FAULT(.security = 0xFE), &config, ERR_DENIED,
		"atmel_isp: program: 64 bytes at 0x0040: the boot loader answered P: the chip is write-protected (security level 1 or 2); a full chip erase lifts it"));
}

TEST(a_read_protected_chip_gives_its_own_sentence)
{
	struct flasher *f = flasher_with(FAULT(.security = 0xFC), &config);
	uint8_t byte;

	CHECK(!flasher_read(f, 0, &byte, 1, &e));
	CHECK_EQ(e.code, ERR_DENIED);
	CHECK_STR(e.msg, "atmel_isp: read: 1 bytes at 0x0000: the boot loader answered L: the chip is read-protected (security level 2); a full chip erase lifts it");
	destroy(f);
}

TEST(one_garbled_record_is_repeated_and_nobody_notices)
{
	CHECK(programming_gives(FAULT(.reject_after = 7, .reject_once = true), &config, 0, NULL));
	CHECK(programming_gives(FAULT(.lose_every = 700), &config, 0, NULL));
	CHECK(programming_gives(FAULT(.flip_every = 700), &config, 0, NULL));
	CHECK(programming_gives(FAULT(.flip_echo_every = 1900), &config, 0, NULL));
}

TEST(noise_without_end_is_given_up_with_its_own_sentence)
{
	struct flasher *f = flasher_with(FAULT(.flip_echo_every = 50), &config);
	struct image *img = image_of(0, 300);

	CHECK(!flasher_program(f, img, NULL, &e));
	CHECK_EQ(e.code, ERR_PROTOCOL);
	CHECK_STR(e.msg, "atmel_isp: program: 128 bytes at 0x0000: character 44 of 267 came back as 33h instead of 37h: noise on the line (4 times)");
	image_destroy(img);
	destroy(f);
}

TEST(a_chip_that_loses_power_midway_names_the_address)
{
	CHECK(programming_gives(FAULT(.die_after_bytes = 200), &config, ERR_TIMEOUT,
		"atmel_isp: program: 128 bytes at 0x0100: no answer within 1026 ms after the record: the chip is busy or lost its power; then"
		" the boot loader is silent: no answer to 'U' at 115200 baud in 3 resets (RST and PSEN wired, power on?)"));
}

TEST(a_wrong_device_id_is_refused_before_anything_is_written)
{
	struct flasher *f = flasher_with(FAULT(.id = { 0x58, 0xD7, 0xFC, 0xEF }), &config);
	struct image *img = image_of(0, 300);

	f->expected_id = 0x58D7EC;
	CHECK(!flasher_program(f, img, NULL, &e));
	CHECK_EQ(e.code, ERR_MISMATCH);
	CHECK_STR(e.msg, "atmel_isp: identify: found manufacturer 58h family D7h device FCh revision EFh (58D7FC), and the board's chip is 58D7EC: another board,"
		" or a wrong board type");
	CHECK_EQ(fake->page_writes, 0);
	CHECK_EQ(fake->bsb, 0xFF);
	image_destroy(img);
	destroy(f);
}

TEST(an_answer_that_makes_no_sense_is_quoted)
{
	CHECK(programming_gives(FAULT(.answer_garbage = true), &config, ERR_PROTOCOL,
		"atmel_isp: program: 64 bytes at 0x0040: the boot loader answered \"?\" instead of \".\": noise on the line (4 times)"));
}

TEST(an_adapter_that_vanishes_is_lost_at_once)
{
	struct flasher *f = flasher_with(FAULT(.unplug_after = 600), &config);
	struct image *img = image_of(0, 1000);
	uint64_t before;

	CHECK_OK(line_open(&fake->line, &config.console, &e), &e);
	before = fake->now_ns;
	CHECK(!flasher_program(f, img, NULL, &e));
	CHECK_EQ(e.code, ERR_LOST);
	CHECK(fake->now_ns - before < 2000000000u);
	image_destroy(img);
	destroy(f);
}

TEST(an_empty_line_before_a_display_is_fine)
{
	CHECK(programming_gives(FAULT(.empty_line_before_display = true), &config, 0, NULL));
}

TEST(echo_can_be_waited_for_character_by_character)
{
	struct isp_config c = config;

	c.lock_step = true;
	CHECK(programming_gives(NO_FAULT, &c, 0, NULL));
	CHECK(programming_gives(FAULT(.lose_every = 700), &c, 0, NULL));
}

TEST(an_inverted_reset_line_is_driven_the_other_way)
{
	struct isp_config c = config;

	c.reset.inverted = true;
	CHECK(programming_gives(FAULT(.inverted_reset = true), &c, 0, NULL));
}

static unsigned cycles;

static bool cycle_power(void *opaque, struct err *err)
{
	(void)opaque;
	(void)err;
	cycles++;
	fake_isp_power_cycle(fake);
	return true;
}

TEST(a_power_switch_can_stand_for_the_reset_line)
{
	struct isp_config c = config;

	c.reset.wired = false;
	c.power_cycle = cycle_power;
	cycles = 0;
	CHECK(programming_gives(NO_FAULT, &c, 0, NULL));
	CHECK_EQ(cycles, 2);
}

TEST(the_total_deadline_ends_an_operation_that_crawls)
{
	struct isp_config c = config;
	struct flasher *f;
	struct image *img = image_of(0, 16384);

	c.total_ms = 1000;
	f = flasher_with(NO_FAULT, &c);
	CHECK(!flasher_program(f, img, NULL, &e));
	CHECK_EQ(e.code, ERR_TIMEOUT);
	CHECK(strstr(e.msg, ": the whole operation takes longer than 1000 ms; last: the echo stopped after "));
	CHECK(fake->now_ns < 2000000000u);
	image_destroy(img);
	destroy(f);
}

TEST(a_hostile_hex_file_never_becomes_a_command)
{
	struct flasher *f = create();
	struct image *img = NULL;

	CHECK(!image_parse(":0400000301000000F8\n:00000001FF\n", 31, IMAGE_AUTO, 0, 0, &img, &e));
	CHECK(!image_parse(":0100000307F5\n:00000001FF\n", 26, IMAGE_AUTO, 0, 0, &img, &e));
	CHECK_STR(e.msg, "line 1: a record of type 03h has 4 bytes of data, not 1");
	CHECK_OK(image_parse(":0400000307000000F2\n:0100000055AA\n:0400000507000000F0\n:00000001FF\n", 66, IMAGE_AUTO, 0, 0, &img, &e), &e);
	CHECK_OK(flasher_program(f, img, NULL, &e), &e);
	CHECK_EQ(fake->page_writes, 1);
	CHECK_EQ(fake->flash[0], 0x55);
	CHECK_EQ(fake->foreign_types, 0);
	image_destroy(img);
	destroy(f);
}
