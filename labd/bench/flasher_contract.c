// SPDX-License-Identifier: GPL-2.0-or-later
/* The contract of the flasher seam, as tests over any fixture. */
#include "bench/flasher_contract.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct err e;

static struct flasher *begin(const struct flasher_fixture *fixture)
{
	struct flasher *f = fixture->create();

	err_clear(&e);
	if (!f && fixture->skip && *fixture->skip)
		test_skip("%s", *fixture->skip);
	else if (!f)
		test_fail(__FILE__, __LINE__, "the fixture has no flasher");
	return f;
}

static uint8_t pattern(uint32_t at)
{
	return (uint8_t)(at * 37 + (at >> 8) * 11 + 5);
}

/* Two segments, one beginning in the middle of a page and crossing two boundaries, one of a single byte. */
static struct image *two_segments(const struct flasher *f, uint8_t flip)
{
	uint8_t bytes[300];
	struct image *a = NULL, *img;
	uint32_t at = f->flash_base + 100;

	for (uint32_t i = 0; i < sizeof bytes; i++)
		bytes[i] = pattern(at + i) ^ flip;
	if (!image_parse(bytes, sizeof bytes, IMAGE_RAW, at, 0, &a, &e))
		return NULL;
	img = image_dup(a);
	img->segments = realloc(img->segments, 2 * sizeof *img->segments);
	img->segments[1] = (struct segment){ f->flash_base + 0x1000, 1, malloc(1) };
	img->segments[1].bytes[0] = pattern(f->flash_base + 0x1000) ^ flip;
	img->count = 2;
	image_destroy(a);
	return img;
}

static struct image *raw(uint32_t at, size_t size)
{
	uint8_t *bytes = calloc(size, 1);
	struct image *img = NULL;

	image_parse(bytes, size, IMAGE_RAW, at, 0, &img, &e);
	free(bytes);
	return img;
}

#define END_IF(cond) do { if (!(cond)) { test_fail(__FILE__, __LINE__, "%s: %s", #cond, e.msg); goto end; } } while (0)

void flasher_contract_identify(const struct flasher_fixture *fixture)
{
	struct flasher *f = begin(fixture);
	struct part part = { 0 };

	if (!f)
		return;
	END_IF(flasher_identify(f, &part, &e));
	END_IF(part.text[0] && part.id);
	f->expected_id = part.id ^ 1;
	END_IF(!flasher_identify(f, &part, &e) && e.code == ERR_MISMATCH);
end:
	fixture->destroy(f);
}

void flasher_contract_program_and_read(const struct flasher_fixture *fixture)
{
	struct flasher *f = begin(fixture);
	struct image *img;
	uint8_t found[300], byte;

	if (!f)
		return;
	img = two_segments(f, 0);
	END_IF(flasher_program(f, img, NULL, &e));
	END_IF(flasher_read(f, f->flash_base + 100, found, sizeof found, &e));
	END_IF(!memcmp(found, img->segments[0].bytes, sizeof found));
	END_IF(flasher_read(f, f->flash_base + 0x1000, &byte, 1, &e) && byte == img->segments[1].bytes[0]);
	END_IF(flasher_verify(f, img, NULL, &e));
	END_IF(!flasher_read(f, f->flash_base + f->flash_size, &byte, 1, &e) && e.code == ERR_INVALID);
end:
	image_destroy(img);
	fixture->destroy(f);
}

static void refuses(const struct flasher_fixture *fixture, bool reserved)
{
	struct flasher *f = begin(fixture);
	struct image *img;
	uint64_t before;
	uint32_t at;

	if (!f)
		return;
	at = reserved ? f->reserved[0].at : f->flash_base + f->flash_size;
	img = raw(at - 1, 2);
	before = f->flash_cycles;
	END_IF(!flasher_program(f, img, NULL, &e) && e.code == ERR_INVALID);
	END_IF(f->flash_cycles == before);
	END_IF(strstr(e.msg, f->ops->name) == e.msg);
end:
	image_destroy(img);
	fixture->destroy(f);
}

void flasher_contract_outside(const struct flasher_fixture *fixture)
{
	refuses(fixture, false);
}

void flasher_contract_reserved(const struct flasher_fixture *fixture)
{
	refuses(fixture, true);
}

void flasher_contract_neighbours(const struct flasher_fixture *fixture)
{
	struct flasher *f = begin(fixture);
	struct image *img;
	uint8_t around[4];

	if (!f)
		return;
	img = two_segments(f, 0);
	END_IF(flasher_program(f, img, NULL, &e));
	END_IF(flasher_read(f, f->flash_base + 96, around, 4, &e) && !memcmp(around, "\xFF\xFF\xFF\xFF", 4));
	END_IF(flasher_read(f, f->flash_base + 400, around, 4, &e) && !memcmp(around, "\xFF\xFF\xFF\xFF", 4));
end:
	image_destroy(img);
	fixture->destroy(f);
}

struct progress_seen {
	size_t last[2], total[2];                                            /* program, verify */
	bool shrank;
};

static void see(void *opaque, const char *step, size_t done, size_t total)
{
	struct progress_seen *s = opaque;
	int i = !strcmp(step, "program") ? 0 : !strcmp(step, "verify") ? 1 : -1;

	if (i < 0)
		return;
	s->shrank |= done < s->last[i];
	s->last[i] = done;
	s->total[i] = total;
}

void flasher_contract_progress(const struct flasher_fixture *fixture)
{
	struct flasher *f = begin(fixture);
	struct progress_seen seen = { 0 };
	struct image *img;

	if (!f)
		return;
	img = two_segments(f, 0);
	END_IF(flasher_program(f, img, &(struct progress){ see, &seen }, &e));
	END_IF(!seen.shrank && seen.last[0] == 301 && seen.total[0] == 301 && seen.last[1] == 301 && seen.total[1] == 301);
end:
	image_destroy(img);
	fixture->destroy(f);
}

void flasher_contract_erase(const struct flasher_fixture *fixture)
{
	struct flasher *f = begin(fixture);
	struct image *img;
	uint8_t found[300];

	if (!f)
		return;
	img = two_segments(f, 0);
	END_IF(flasher_program(f, img, NULL, &e));
	END_IF(flasher_erase(f, NULL, &e));
	END_IF(flasher_read(f, f->flash_base + 100, found, sizeof found, &e));
	for (size_t i = 0; i < sizeof found; i++)
		END_IF(found[i] == 0xFF);
end:
	image_destroy(img);
	fixture->destroy(f);
}

void flasher_contract_verify(const struct flasher_fixture *fixture)
{
	struct flasher *f = begin(fixture);
	struct image *img;
	char address[16];

	if (!f)
		return;
	img = two_segments(f, 0);
	END_IF(flasher_program(f, img, NULL, &e));
	img->segments[0].bytes[200] ^= 0x10;
	END_IF(!flasher_verify(f, img, NULL, &e) && e.code == ERR_MISMATCH);
	snprintf(address, sizeof address, "0x%04X", f->flash_base + 300);
	END_IF(strstr(e.msg, address));
end:
	image_destroy(img);
	fixture->destroy(f);
}

void flasher_contract_again(const struct flasher_fixture *fixture)
{
	struct flasher *f = begin(fixture);
	struct image *first, *second;

	if (!f)
		return;
	first = two_segments(f, 0);
	second = two_segments(f, 0x5A);
	END_IF(flasher_program(f, first, NULL, &e));
	END_IF(flasher_program(f, second, NULL, &e));
	END_IF(!flasher_verify(f, first, NULL, &e));
	END_IF(flasher_verify(f, second, NULL, &e));
end:
	image_destroy(first);
	image_destroy(second);
	fixture->destroy(f);
}

void flasher_contract_cycles(const struct flasher_fixture *fixture)
{
	struct flasher *f = begin(fixture);
	struct image *img;

	if (!f)
		return;
	img = two_segments(f, 0);
	END_IF(flasher_program(f, img, NULL, &e));
	END_IF(f->flash_cycles >= 2 && f->flash_cycles <= 301);
end:
	image_destroy(img);
	fixture->destroy(f);
}
