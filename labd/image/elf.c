// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ELF: what a loader would put into memory, at load (physical) addresses: p_paddr and p_filesz of each PT_LOAD (field failures F25 to F27). libelf
 * reads; this file checks. Only 32-bit little-endian executables: all the lab's chips are.
 */
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "image/build.h"

static bool check_header(const Elf32_Ehdr *h, uint16_t machine, struct err *e)
{
	if (h->e_ident[EI_DATA] != ELFDATA2LSB)
		return err_set(e, ERR_INVALID, "a big-endian ELF file: the board's chip is little-endian");
	if (machine && h->e_machine != machine)
		return err_set(e, ERR_INVALID, "the ELF file is for machine %u, and the board's chip is machine %u: a file of another target", h->e_machine, machine);
	if (h->e_type != ET_EXEC)
		return err_set(e, ERR_INVALID, "the ELF file is of type %u, not an executable: link it first", h->e_type);
	return true;
}

static bool take_segment(const uint8_t *bytes, size_t size, const GElf_Phdr *p, size_t number, struct build *b, struct err *e)
{
	if (p->p_type != PT_LOAD || !p->p_filesz)
		return true;
	if (p->p_offset > size || p->p_filesz > size - p->p_offset)
		return err_set(e, ERR_INVALID, "program header %zu: its %llu bytes at offset %llu go beyond the end of the file (%zu bytes): it is cut", number,
			(unsigned long long)p->p_filesz, (unsigned long long)p->p_offset, size);
	return build_add(b, (uint32_t)p->p_paddr, bytes + p->p_offset, p->p_filesz, number, e);
}

static bool take_all(Elf *elf, const uint8_t *bytes, size_t size, uint16_t machine, struct build *b, struct err *e)
{
	const Elf32_Ehdr *h = elf32_getehdr(elf);
	GElf_Phdr p;                                                         /* a copy: in the file it may stand unaligned */
	size_t count;

	if (!h)
		return err_set(e, ERR_INVALID, "not a 32-bit ELF file, or its header is cut");
	if (!check_header(h, machine, e))
		return false;
	if (elf_getphdrnum(elf, &count) || !count)
		return err_set(e, ERR_INVALID, "the ELF file has no program headers: nothing would be loaded");
	if (h->e_phentsize != sizeof(Elf32_Phdr) || h->e_phoff > size || count > (size - h->e_phoff) / sizeof(Elf32_Phdr))
		return err_set(e, ERR_INVALID, "the ELF file's %zu program headers are not inside the file (%zu bytes): it is cut or broken", count, size);
	for (size_t i = 0; i < count; i++)
		if (!gelf_getphdr(elf, (int)i, &p))
			return err_set(e, ERR_INVALID, "program header %zu: %s", i, elf_errmsg(-1));
		else if (!take_segment(bytes, size, &p, i, b, e))
			return false;
	build_entry(b, h->e_entry);
	return true;
}

bool elf_parse(const void *bytes, size_t size, uint16_t machine, struct build *b, struct err *e)
{
	char *copy;
	Elf *elf;
	bool ok;

	if (size < sizeof(Elf32_Ehdr))
		return err_set(e, ERR_INVALID, "the ELF header is cut: %zu bytes of %zu", size, sizeof(Elf32_Ehdr));
	if (elf_version(EV_CURRENT) == EV_NONE)
		return err_set(e, ERR_INTERNAL, "libelf is of another version");
	copy = xcalloc(1, size);                                             /* libelf wants memory it may write to, and aligned */
	memcpy(copy, bytes, size);
	elf = elf_memory(copy, size);
	ok = elf && elf_kind(elf) == ELF_K_ELF ? take_all(elf, bytes, size, machine, b, e) : err_set(e, ERR_INVALID, "not an ELF file");
	elf_end(elf);
	free(copy);
	return ok;
}
