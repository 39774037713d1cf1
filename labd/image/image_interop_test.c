// SPDX-License-Identifier: GPL-2.0-or-later
/* Second opinions: what srec_cat and objcopy write is read here, and gives the bytes they started from. */
#include "core/mem.h"
#include "core/proc.h"
#include "image/image.h"
#include "test/harness.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

static struct err e;

static bool run_in(const char *folder, const char *command)
{
	char *script = xasprintf("cd '%s' && %s", folder, command);
	struct buf output = { 0 };
	struct proc_end end = { 0 };
	bool ok = proc_run(&(struct proc_run){ .argv = (const char *const[]){ "sh", "-c", script, NULL }, .deadline_ms = 60000, .output = &output }, &end, &e)
		&& !end.signalled && !end.status;

	if (!ok)
		test_fail(__FILE__, __LINE__, "%s: %s", command, buf_text(&output));
	buf_finish(&output);
	free(script);
	return ok;
}

static bool have(const char *program)
{
	struct proc_end end;

	return proc_run(&(struct proc_run){ .argv = (const char *const[]){ program, "--version", NULL }, .deadline_ms = 10000 }, &end, NULL);
}

static uint32_t state = 12345;

static uint8_t random_byte(void)
{
	state = state * 1664525 + 1013904223;
	return (uint8_t)(state >> 24);
}

static bool write_random(const char *name, uint8_t *bytes, size_t size)
{
	char *path = xasprintf("%s/%s", test_folder(), name);
	bool ok;

	for (size_t i = 0; i < size; i++)
		bytes[i] = random_byte();
	ok = test_write_file(path, bytes, size);
	free(path);
	return ok;
}

/* One segment with these bytes at this address. */
static bool file_is(const char *name, uint16_t machine, uint32_t at, const uint8_t *bytes, size_t size)
{
	char *path = xasprintf("%s/%s", test_folder(), name);
	struct image *img = NULL;
	bool ok = image_load(path, IMAGE_AUTO, 0, machine, &img, &e)
		&& img->count == 1 && img->segments[0].at == at && img->segments[0].size == size && !memcmp(img->segments[0].bytes, bytes, size);

	if (!ok)
		test_fail(__FILE__, __LINE__, "%s: %s", name, img ? "other bytes" : e.msg);
	image_destroy(img);
	free(path);
	return ok;
}

TEST(what_srec_cat_writes_gives_the_bytes_it_had)
{
	static const struct { const char *format; uint32_t at; size_t size; } cases[] = {
		{ "-Intel", 0, 1 }, { "-Intel", 0, 5000 }, { "-Intel", 0xFFE0, 40 }, { "-Intel -Address_Length=3", 0x1FFE0, 70000 }, { "-Intel", 0x08000000, 3000 },
		{ "-Intel -Output_Block_Size=255", 0x80, 1000 }, { "-Intel -Output_Block_Size=1", 0x80, 20 },
		{ "-Motorola", 0, 1 }, { "-Motorola", 0xFFF0, 5000 }, { "-Motorola -Address_Length=3", 0x10, 3000 }, { "-Motorola -Address_Length=4", 0x08000000, 3000 },
		{ "-Motorola -Output_Block_Size=250", 0, 1000 },
	};
	static uint8_t bytes[70000];

	if (!have("srec_cat"))
		SKIP("srec_cat is not installed (package srecord)");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *command = xasprintf("srec_cat in.bin -Binary -offset %u -o out %s", cases[i].at, cases[i].format);
		bool ok = write_random("in.bin", bytes, cases[i].size) && run_in(test_folder(), command);

		free(command);
		CHECK(ok);
		CHECK(file_is("out", 0, cases[i].at, bytes, cases[i].size));
	}
}

TEST(what_objcopy_writes_gives_the_bytes_it_had)
{
	static const struct { const char *format; uint32_t at; size_t size; } cases[] = {
		{ "ihex", 0, 5000 }, { "ihex", 0xFFF0, 4000 }, { "ihex", 0x18000, 40000 }, { "ihex", 0x08000000, 3000 },
		{ "srec", 0, 5000 }, { "srec", 0xFFF0, 4000 }, { "srec", 0x18000, 40000 }, { "srec --srec-forceS3", 0x100, 3000 }, { "srec --srec-len=40", 0, 3000 },
	};
	static uint8_t bytes[40000];

	if (!have("objcopy"))
		SKIP("objcopy is not installed (package binutils)");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *command = xasprintf("objcopy -I binary -O %s --change-addresses %u in.bin out", cases[i].format, cases[i].at);
		bool ok = write_random("in.bin", bytes, cases[i].size) && run_in(test_folder(), command);

		free(command);
		CHECK(ok);
		CHECK(file_is("out", 0, cases[i].at, bytes, cases[i].size));
	}
}

TEST(an_elf_file_has_the_load_addresses_that_objcopy_sees)
{
	static const char source[] = ".text\n.byte 1,2,3,4,5,6,7,8\n.data\n.byte 9,10,11,12\n.bss\n.space 32\n";
	static const char script[] = "MEMORY { F : ORIGIN = 0x400, LENGTH = 64K\n R : ORIGIN = 0x20000000, LENGTH = 64K }\n"
		"SECTIONS { .text : { *(.text) } >F\n .data : { *(.data) } >R AT>F\n .bss (NOLOAD) : { *(.bss) } >R\n /DISCARD/ : { *(.note*) } }\n";
	const char *folder = test_folder();
	char *path = xasprintf("%s/t.s", folder), *linker = xasprintf("%s/t.ld", folder), *whole = xasprintf("%s/t.bin", folder), *bytes;
	size_t size = 0;
	bool made = have("as") && have("ld") && have("objcopy");

	if (made)
		made = test_write_file(path, source, sizeof source - 1) && test_write_file(linker, script, sizeof script - 1)
			&& run_in(folder, "as --32 t.s -o t.o && ld -m elf_i386 -n --no-warn-rwx-segments -T t.ld -e 0x400 t.o -o t.elf && objcopy -O binary t.elf t.bin && objcopy -O ihex t.elf t.hex");
	bytes = made ? test_read_file(whole, &size) : NULL;
	free(path);
	free(linker);
	free(whole);
	if (!have("as"))
		SKIP("as is not installed (package binutils)");
	CHECK(bytes);
	CHECK(file_is("t.elf", EM_386, 0x400, (uint8_t *)bytes, size));
	CHECK(file_is("t.hex", 0, 0x400, (uint8_t *)bytes, size));
	free(bytes);
}

TEST(a_file_srec_cat_calls_broken_is_refused_here_too)
{
	static const char *const broken[] = { ":0100000055AB\n:00000001FF\n", ":0200000055A9\n:00000001FF\n", "S10412345561\nS9030000FC\n", ":01000009 55A1\n" };

	if (!have("srec_cat"))
		SKIP("srec_cat is not installed (package srecord)");
	for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
		char *path = xasprintf("%s/broken", test_folder());
		struct image *img = NULL;
		struct proc_end end;
		bool theirs, ours;

		test_write_file(path, broken[i], strlen(broken[i]));
		proc_run(&(struct proc_run){ .argv = (const char *const[]){ "srec_cat", path, broken[i][0] == ':' ? "-Intel" : "-Motorola", "-o", "/dev/null", "-Binary", NULL },
			.deadline_ms = 10000 }, &end, &e);
		theirs = end.status == 0;
		ours = image_load(path, IMAGE_AUTO, 0, 0, &img, &e);
		image_destroy(img);
		free(path);
		CHECK(!theirs);
		CHECK(!ours);
	}
}
