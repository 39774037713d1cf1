// SPDX-License-Identifier: GPL-2.0-or-later
/* Images from text and back: what every field failure of firmware files (F18 to F28) asks for, hashes, identity. */
#include "image/identity.h"
#include "image/image.h"
#include "image/sha256.h"
#include "core/buf.h"
#include "test/harness.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

static struct err e;

static struct image *parse(const char *text)
{
	struct image *img = NULL;

	err_clear(&e);
	return image_parse(text, strlen(text), IMAGE_AUTO, 0, 0, &img, &e) ? img : NULL;
}

/* One line of Intel HEX with the right checksum. */
static void add_hex(struct buf *b, unsigned type, unsigned offset, const uint8_t *data, unsigned n)
{
	unsigned sum = n + type + offset + (offset >> 8);

	buf_printf(b, ":%02X%04X%02X", n, offset, type);
	for (unsigned i = 0; i < n; i++) {
		buf_printf(b, "%02X", data[i]);
		sum += data[i];
	}
	buf_printf(b, "%02X\n", -sum & 0xFF);
}

static bool image_is(const struct image *img, uint32_t at, const char *bytes, size_t n)
{
	return img && img->count == 1 && img->segments[0].at == at && img->segments[0].size == n && !memcmp(img->segments[0].bytes, bytes, n);
}

static bool rejects(const char *text, const char *sentence)
{
	struct image *img = parse(text);

	image_destroy(img);
	if (!img && !strcmp(e.msg, sentence))
		return true;
	test_fail(__FILE__, __LINE__, "\"%s\" gave \"%s\", not \"%s\"", text, img ? "an image" : e.msg, sentence);
	return false;
}

#define END ":00000001FF\n"

TEST(sha256_gives_the_digests_of_nist)
{
	char hex[65];
	struct sha256 s;

	sha256_hex("abc", 3, hex);
	CHECK_STR(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	sha256_hex("", 0, hex);
	CHECK_STR(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, hex);
	CHECK_STR(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	sha256_init(&s);
	for (int i = 0; i < 1000000; i++)
		sha256_add(&s, "a", 1);
	sha256_digest_hex(&s, hex);
	CHECK_STR(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(line_ends_blanks_case_and_bom_do_not_change_the_bytes)
{
	static const char *variants[] = {
		":03000000024A5A57\n:00000001FF\n", ":03000000024A5A57\r\n:00000001FF\r\n", ":03000000024A5A57\r:00000001FF\r",
		":03000000024A5A57\r\n\n  \n:00000001FF", "\xEF\xBB\xBF:03000000024a5a57 \t\n\r:00000001ff\n\n\n", "\n\n:03000000024A5a57\n:00000001Ff \n",
	};

	for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
		struct image *img = parse(variants[i]);

		CHECK_OK(img, &e);
		CHECK(image_is(img, 0, "\x02\x4A\x5A", 3));
		image_destroy(img);
	}
}

TEST(a_segment_base_is_shifted_by_four_and_a_later_base_replaces_it)
{
	struct image *img = parse(":020000021000EC\n:0100000055AA\n:020000040001F9\n:010001006698\n" END);

	CHECK_OK(img, &e);
	CHECK(image_is(img, 0x10000, "\x55\x66", 2));
	image_destroy(img);
}

TEST(a_segment_wraps_at_64_kb_and_a_linear_base_does_not)
{
	struct image *img = parse(":020000021000EC\n:02FFFF001122CD\n" END);

	CHECK_OK(img, &e);
	CHECK_EQ(img->count, 2);
	CHECK_EQ(img->segments[0].at, 0x10000);
	CHECK_EQ(img->segments[0].bytes[0], 0x22);
	CHECK_EQ(img->segments[1].at, 0x1FFFF);
	image_destroy(img);
	CHECK(rejects(":020000040001F9\n:02FFFF001122CD\n" END, "line 2: 2 bytes at offset FFFFh cross the end of the 64 KB range of their base address"));
	CHECK(rejects(":02000004FFFFFC\n:02FFFF001122CD\n" END, "line 2: 2 bytes at offset FFFFh cross the end of the 64 KB range of their base address"));
}

TEST(start_records_are_kept_and_never_become_contents)
{
	struct image *img = parse(":0100000055AA\n:0400000500000102F4\n" END);

	CHECK_OK(img, &e);
	CHECK(image_is(img, 0, "\x55", 1));
	CHECK(img->has_entry);
	CHECK_EQ(img->entry, 0x102);
	image_destroy(img);
	img = parse(":0100000055AA\n:0400000312340010A3\n" END);
	CHECK_OK(img, &e);
	CHECK_EQ(img->entry, 0x12350);
	image_destroy(img);
}

TEST(a_cut_file_is_an_error_at_every_byte)
{
	const char *whole = ":03000000024A5A57\n:0400000500000000F7\n:00000001FF";

	for (size_t n = 0; n < strlen(whole); n++) {
		struct image *img = NULL;

		CHECK(!image_parse(whole, n, IMAGE_IHEX, 0, 0, &img, &e));
		CHECK(e.code == ERR_INVALID && e.msg[0]);
	}
	CHECK(rejects(":0100000055AA\n", "line 1: the file ends without an end-of-file record (:00000001FF): it is cut"));
	CHECK(rejects("", "the file is empty"));
	CHECK(rejects("\n \n", "the file is empty"));
	CHECK(rejects(END, "the image is empty: there is nothing to program"));
	CHECK(rejects(":0100000055AA\n" END ":0100000055AA\n" END, "line 3: there is a record after the end-of-file record"));
}

TEST(a_wrong_checksum_length_or_type_names_the_line)
{
	CHECK(rejects(":0100000055AB\n" END, "line 1: the checksum is ABh and should be AAh"));
	CHECK(rejects(END "\n:0200000055AB\n", "line 3: there is a record after the end-of-file record"));
	CHECK(rejects("\n:0200000055A9\n" END, "line 2: the record's length is 02h, but the line holds 1 bytes of data"));
	CHECK(rejects(":0000000055AB\n" END, "line 1: the record's length is 00h, but the line holds 1 bytes of data"));
	CHECK(rejects(":00000006FA\n" END, "line 1: record type 06h does not exist"));
	CHECK(rejects(":0100000501F9\n" END, "line 1: a record of type 05h has 4 bytes of data, not 1"));
	CHECK(rejects(":0100000055A\n" END, "line 1: an odd number of hex digits: the line is cut"));
	CHECK(rejects(":01000000G5AA\n" END, "line 1: expected a hex digit, found 'G' (47h)"));
	CHECK(rejects("\r\n<html>\n", "line 2: expected the start of an Intel HEX, S-record or ELF file, found '<' (3Ch)"));
	CHECK(rejects(":0100000055AA\n; note\n" END, "line 2: expected ':', found ';' (3Bh)"));
}

TEST(records_of_every_length_up_to_255_are_taken)
{
	static const unsigned lengths[] = { 1, 15, 16, 17, 128, 254, 255 };
	uint8_t data[255];

	for (unsigned i = 0; i < sizeof data; i++)
		data[i] = (uint8_t)(i * 7);
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		struct buf b = { 0 };
		struct image *img;

		add_hex(&b, 0, 0x300, data, 0);
		add_hex(&b, 0, 0x200, data, lengths[i]);
		buf_printf(&b, END);
		img = parse(buf_text(&b));
		buf_finish(&b);
		CHECK_OK(img, &e);
		CHECK(image_is(img, 0x200, (const char *)data, lengths[i]));
		image_destroy(img);
	}
}

TEST(unsorted_records_merge_and_equal_duplicates_warn)
{
	struct image *img = parse(":010002007786\n:010001006698\n:0100000055AA\n" END);

	CHECK_OK(img, &e);
	CHECK(image_is(img, 0, "\x55\x66\x77", 3));
	CHECK_EQ(img->warnings, 0);
	image_destroy(img);
	img = parse(":0100000055AA\n:02000000556643\n" END);
	CHECK_OK(img, &e);
	CHECK(image_is(img, 0, "\x55\x66", 2));
	CHECK_EQ(img->warnings, 1);
	image_destroy(img);
}

TEST(bytes_that_contradict_each_other_name_line_and_address)
{
	CHECK(rejects(":02000000556643\n:010001006797\n" END, "line 2: address 0x0001 is given twice, as 66h and as 67h"));
}

TEST(gaps_stay_sparse)
{
	struct image *img = parse(":0100000055AA\n:020000041800E2\n:010000006699\n" END);
	uint8_t out[4];

	CHECK_OK(img, &e);
	CHECK_EQ(img->count, 2);
	CHECK_EQ(image_bytes(img), 2);
	image_copy(img, 0x17FFFFFE, out, 4, 0xFF);
	CHECK(!memcmp(out, "\xFF\xFF\x66\xFF", 4));
	image_destroy(img);
}

TEST(flash_limits_hold_to_the_byte)
{
	struct image *img = parse(":01FFFF0055AC\n" END);

	CHECK_OK(img, &e);
	CHECK(image_fits(img, 0, 0x10000, &e));
	CHECK(!image_fits(img, 0, 0xFFFF, &e));
	CHECK_STR(e.msg, "1 bytes at 0xFFFF are outside the flash (0x0000 to 0xFFFE): the linker script places them there");
	image_destroy(img);
	img = parse(":020000042000DA\n:0100000055AA\n" END);
	CHECK_OK(img, &e);
	CHECK(!image_fits(img, 0x08000000, 0x100000, &e));
	CHECK_STR(e.msg, "1 bytes at 0x20000000 are outside the flash (0x8000000 to 0x80FFFFF): the linker script places them there");
	image_destroy(img);
}

TEST(s_records_of_all_widths_give_the_same_byte)
{
	struct image *img = parse("S10412345560\nS9030000FC\n");

	CHECK_OK(img, &e);
	CHECK(image_is(img, 0x1234, "\x55", 1));
	image_destroy(img);
	img = parse("S00600004844521B\nS205001234555F\nS5030001FB\nS804000000FB\n");
	CHECK_OK(img, &e);
	CHECK(image_is(img, 0x1234, "\x55", 1));
	image_destroy(img);
	img = parse("s30600001234555E\ns70500001234B4\n");
	CHECK_OK(img, &e);
	CHECK(image_is(img, 0x1234, "\x55", 1));
	CHECK_EQ(img->entry, 0x1234);
	image_destroy(img);
}

TEST(s_records_that_lie_are_refused)
{
	CHECK(rejects("S10412345561\nS9030000FC\n", "line 1: the checksum is 61h and should be 60h"));
	CHECK(rejects("S10412345560\nS5030002FA\n", "line 2: S5 counts 2 data records, but the file has 1"));
	CHECK(rejects("S10412345560\n", "line 1: the file ends without a count (S5, S6) or an end record (S7 to S9): it is cut"));
	CHECK(rejects("S10512345560\nS9030000FC\n", "line 1: the record's count is 05h, but 4 bytes follow it"));
	CHECK(rejects("S4030000FC\n", "line 1: not one of the records S0 to S3 and S5 to S9"));
	CHECK(rejects("S10412345560\nS9030000FC\nS10412345560\n", "line 3: there is a record after the end record"));
	CHECK(rejects("S9030000FC\n", "the image is empty: there is nothing to program"));
}

/* An ELF file of two segments: code at 0, and four bytes of data whose load address is 0x100 and whose run address is 0x20000000. */
struct elf_file {
	Elf32_Ehdr h;
	Elf32_Phdr p[3];
	uint8_t code[8], data[4];
};

static struct elf_file elf_file(void)
{
	struct elf_file f = { .h = { .e_type = ET_EXEC, .e_machine = EM_ARM, .e_version = EV_CURRENT, .e_entry = 0x41, .e_phoff = sizeof(Elf32_Ehdr),
		.e_ehsize = sizeof(Elf32_Ehdr), .e_phentsize = sizeof(Elf32_Phdr), .e_phnum = 3 }, .code = { 1, 2, 3, 4, 5, 6, 7, 8 }, .data = { 9, 10, 11, 12 } };

	memcpy(f.h.e_ident, ELFMAG, SELFMAG);
	f.h.e_ident[EI_CLASS] = ELFCLASS32;
	f.h.e_ident[EI_DATA] = ELFDATA2LSB;
	f.h.e_ident[EI_VERSION] = EV_CURRENT;
	f.p[0] = (Elf32_Phdr){ .p_type = PT_LOAD, .p_offset = offsetof(struct elf_file, code), .p_filesz = 8, .p_memsz = 8 };
	f.p[1] = (Elf32_Phdr){ .p_type = PT_LOAD, .p_offset = offsetof(struct elf_file, data), .p_vaddr = 0x20000000, .p_paddr = 0x100, .p_filesz = 4, .p_memsz = 64 };
	f.p[2] = (Elf32_Phdr){ .p_type = PT_LOAD, .p_vaddr = 0x20000100, .p_paddr = 0x20000100, .p_memsz = 64 };
	return f;
}

static bool elf_refused(const struct elf_file *f, size_t size, uint16_t machine)
{
	struct image *img = NULL;
	bool ok = image_parse(f, size, IMAGE_AUTO, 0, machine, &img, &e);

	image_destroy(ok ? img : NULL);
	return !ok && e.code == ERR_INVALID && strlen(e.msg) > 10;
}

TEST(an_elf_file_is_taken_at_its_load_addresses)
{
	struct elf_file f = elf_file();
	struct image *img = NULL;

	CHECK_OK(image_parse(&f, sizeof f, IMAGE_AUTO, 0, EM_ARM, &img, &e), &e);
	CHECK_EQ(img->count, 2);
	CHECK_EQ(img->segments[1].at, 0x100);
	CHECK_EQ(img->segments[1].bytes[3], 12);
	CHECK_EQ(img->entry, 0x41);
	image_destroy(img);
}

TEST(a_broken_elf_file_is_refused)
{
	struct elf_file f = elf_file();

	for (size_t n = 4; n < sizeof f; n++)
		CHECK(elf_refused(&f, n, EM_ARM));
	CHECK(elf_refused(&f, sizeof f, 165));
	CHECK_STR(e.msg, "the ELF file is for machine 40, and the board's chip is machine 165: a file of another target");
	f.h.e_phnum = 65535;
	CHECK(elf_refused(&f, sizeof f, EM_ARM));
	f = elf_file();
	f.h.e_phoff = 0xFFFFFFF0;
	CHECK(elf_refused(&f, sizeof f, EM_ARM));
	f = elf_file();
	f.h.e_phentsize = 8;
	CHECK(elf_refused(&f, sizeof f, EM_ARM));
	f = elf_file();
	f.p[0].p_offset = 0xFFFFFFFC;
	CHECK(elf_refused(&f, sizeof f, EM_ARM));
	f = elf_file();
	f.h.e_ident[EI_CLASS] = ELFCLASS64;
	CHECK(elf_refused(&f, sizeof f, EM_ARM));
	f = elf_file();
	f.h.e_ident[EI_DATA] = ELFDATA2MSB;
	CHECK(elf_refused(&f, sizeof f, EM_ARM));
}

TEST(raw_bytes_go_where_they_are_told_and_are_never_guessed)
{
	struct image *img = NULL;

	CHECK_OK(image_parse("\x02\x03", 2, IMAGE_RAW, 0x8000, 0, &img, &e), &e);
	CHECK(image_is(img, 0x8000, "\x02\x03", 2));
	image_destroy(img);
	CHECK(!image_parse("\x02\x03", 2, IMAGE_AUTO, 0x8000, 0, &img, &e));
	CHECK_STR(e.msg, "line 1: expected the start of an Intel HEX, S-record or ELF file, found byte 02h");
	CHECK(!image_parse("\x02\x03", 2, IMAGE_RAW, 0xFFFFFFFF, 0, &img, &e));
}

TEST(a_build_id_depends_on_the_code_alone)
{
	uint8_t bytes[256];
	char id[13], other[13], expected[65];
	uint8_t message[8 + sizeof bytes] = { 0, 0, 0, 0, 0, 0, 1, 0 };
	struct image *img = NULL;
	struct identity unit;

	for (unsigned i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)i;
	memset(bytes + 64, 0, 32);
	CHECK_OK(image_parse(bytes, sizeof bytes, IMAGE_RAW, 0, 0, &img, &e), &e);
	CHECK_OK(image_build_id(img, 64, 100, id, &e), &e);
	memcpy(message + 8, bytes, sizeof bytes);
	memset(message + 8 + 100, 0, 12);
	sha256_hex(message, sizeof message, expected);
	expected[12] = 0;
	CHECK_STR(id, expected);
	CHECK_OK(image_patch(img, 100, id, 12, &e), &e);
	CHECK_OK(identity_from_text("02:00:00:77:00:01", "10.77.0.1", NULL, NULL, &unit, &e), &e);
	CHECK_OK(identity_patch(img, 64, &unit, &e), &e);
	CHECK_OK(image_build_id(img, 64, 100, other, &e), &e);
	CHECK_STR(id, other);
	CHECK_OK(image_patch(img, 10, "x", 1, &e), &e);
	CHECK_OK(image_build_id(img, 64, 100, other, &e), &e);
	CHECK(strcmp(id, other) != 0);
	CHECK(!image_build_id(img, 250, 100, other, &e));
	image_destroy(img);
}

TEST(an_identity_block_has_the_documented_bytes)
{
	struct identity id, back;
	uint8_t block[IDENTITY_BYTES];

	CHECK_EQ(identity_crc16((const uint8_t *)"123456789", 9), 0x29B1);
	CHECK_OK(identity_from_text("02:00:00:77:00:01", "10.77.0.1", "255.255.0.0", "10.77.0.254", &id, &e), &e);
	identity_encode(&id, block);
	CHECK(!memcmp(block, "LAB1\x02\x00\x00\x77\x00\x01\x0A\x4D\x00\x01\xFF\xFF\x00\x00\x0A\x4D\x00\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 30));
	CHECK_EQ(block[30] | block[31] << 8, identity_crc16(block, 30));
	CHECK_OK(identity_decode(block, &back, &e), &e);
	CHECK(!memcmp(&id, &back, sizeof id));
	block[7] ^= 1;
	CHECK(!identity_decode(block, &back, &e));
}

TEST(an_identity_is_not_written_over_code)
{
	struct image *img = NULL;
	struct identity id;
	uint8_t code[64];

	for (unsigned i = 0; i < sizeof code; i++)
		code[i] = (uint8_t)(i + 1);
	CHECK_OK(image_parse(code, sizeof code, IMAGE_RAW, 0, 0, &img, &e), &e);
	CHECK_OK(identity_from_text("02:00:00:77:00:01", "10.77.0.1", NULL, NULL, &id, &e), &e);
	CHECK(!identity_patch(img, 16, &id, &e));
	CHECK_STR(e.msg, "the image has no identity block at 0x0010: there are other bytes");
	CHECK(!identity_patch(img, 200, &id, &e));
	CHECK(!identity_from_text("01:00:00:77:00:01", "10.77.0.1", NULL, NULL, &id, &e));
	CHECK(!identity_from_text("02:00:00:77:00:01", "10.77.0.300", NULL, NULL, &id, &e));
	CHECK_STR(e.msg, "\"10.77.0.300\" is not an IPv4 address like 10.77.0.1");
	CHECK(!identity_from_text("02-00-00-77-00-01", "10.77.0.3", NULL, NULL, &id, &e));
	image_destroy(img);
}
