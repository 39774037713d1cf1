// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What every serial line must do: the same tests, run against each driver. The fixture brings a line and what is at its far end: a file descriptor of a
 * pseudo terminal's other side.
 */
#ifndef LAB_DRIVERS_LINE_CONTRACT_H
#define LAB_DRIVERS_LINE_CONTRACT_H

#include "bench/line.h"
#include "test/harness.h"

struct line_fixture {
	struct line *(*create)(void);                                        /* not open; NULL with a reason in *skip */
	void (*destroy)(struct line *l);
	int (*far_end)(void);
	void (*vanish)(void);                                                /* the adapter or server goes away */
	const char **skip;
};

typedef void line_contract_fn(const struct line_fixture *fixture);
line_contract_fn line_contract_both_ways, line_contract_deadline, line_contract_least, line_contract_drop, line_contract_record, line_contract_setups,
	line_contract_reopen, line_contract_closed, line_contract_lost;

#define LINE_CONTRACT(id, fixture) \
	TEST(id##_carries_every_byte_both_ways) { line_contract_both_ways(&(fixture)); } \
	TEST(id##_returns_at_the_deadline_with_what_is_there) { line_contract_deadline(&(fixture)); } \
	TEST(id##_returns_as_soon_as_enough_is_there) { line_contract_least(&(fixture)); } \
	TEST(id##_drops_what_has_arrived) { line_contract_drop(&(fixture)); } \
	TEST(id##_tells_every_byte_to_the_record) { line_contract_record(&(fixture)); } \
	TEST(id##_takes_other_setups_and_signals) { line_contract_setups(&(fixture)); } \
	TEST(id##_can_be_closed_and_opened_again) { line_contract_reopen(&(fixture)); } \
	TEST(id##_refuses_work_while_closed) { line_contract_closed(&(fixture)); } \
	TEST(id##_is_lost_within_two_seconds) { line_contract_lost(&(fixture)); }

#endif
