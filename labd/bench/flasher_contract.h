// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What every flasher must do: the same tests, run against each driver. FLASHER_CONTRACT(name, fixture) makes one set of them; the fixture brings a
 * flasher of a board with flash_size bytes of flash at flash_base whose last page is reserved.
 */
#ifndef LAB_BENCH_FLASHER_CONTRACT_H
#define LAB_BENCH_FLASHER_CONTRACT_H

#include "bench/flasher.h"
#include "test/harness.h"

struct flasher_fixture {
	struct flasher *(*create)(void);                                     /* a fresh board with blank flash (FFh); NULL with a reason in *skip */
	void (*destroy)(struct flasher *f);
	const char **skip;
};

typedef void flasher_contract_fn(const struct flasher_fixture *fixture);
flasher_contract_fn flasher_contract_identify, flasher_contract_program_and_read, flasher_contract_outside, flasher_contract_reserved,
	flasher_contract_neighbours, flasher_contract_progress, flasher_contract_erase, flasher_contract_verify, flasher_contract_again, flasher_contract_cycles;

#define FLASHER_CONTRACT(id, fixture) \
	TEST(id##_names_the_part) { flasher_contract_identify(&(fixture)); } \
	TEST(id##_reads_back_what_it_programmed) { flasher_contract_program_and_read(&(fixture)); } \
	TEST(id##_refuses_bytes_outside_flash) { flasher_contract_outside(&(fixture)); } \
	TEST(id##_refuses_bytes_in_a_reserved_range) { flasher_contract_reserved(&(fixture)); } \
	TEST(id##_leaves_what_the_image_does_not_mention) { flasher_contract_neighbours(&(fixture)); } \
	TEST(id##_reports_progress_that_grows_to_the_whole) { flasher_contract_progress(&(fixture)); } \
	TEST(id##_erases_to_blank) { flasher_contract_erase(&(fixture)); } \
	TEST(id##_names_the_address_that_differs) { flasher_contract_verify(&(fixture)); } \
	TEST(id##_programs_over_an_old_image) { flasher_contract_again(&(fixture)); } \
	TEST(id##_counts_flash_cycles) { flasher_contract_cycles(&(fixture)); }

#endif
