// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For tests: what every driver of the seam `pace` must do, run once a driver. The board behind it, whatever it is, serves what
 * pace_contract.c says: the first byte of a connection chooses how it behaves.
 */
#ifndef LAB_DRIVERS_PACE_CONTRACT_H
#define LAB_DRIVERS_PACE_CONTRACT_H

#include "bench/pace.h"
#include "test/harness.h"

enum { CONTRACT_PIECE = 536, CONTRACT_PIECES_TOTAL = 1460, CONTRACT_BULK = 1000000 };

/* First bytes: E echoes what follows; P says 1460 bytes (byte k is k mod 256) in two pieces; C closes; R resets; B says a million bytes (k
   mod 251); S swallows what follows, and at the host's end says how much it was, as decimal text, and closes. A datagram is echoed. */
struct contract_world {
	struct pace *pace;
	struct endpoint tcp, udp, closed;    /* closed: a port where nobody listens, or that refuses */
	void (*power_cycle)(void *opaque);   /* what goes before pace_restarted(); NULL = nothing has to */
	void *opaque;
};

#define PACE_CONTRACTS(X) \
	X(a_link_opens_and_echoes) \
	X(a_wait_ends_when_all_of_the_wanted_bytes_are_there) \
	X(the_end_is_seen_after_the_last_byte) \
	X(a_reset_is_seen) \
	X(a_refused_connection_is_seen) \
	X(a_wait_ends_at_its_deadline) \
	X(a_cancelled_wait_fails_until_the_restart) \
	X(a_datagram_is_taken_whole_and_one_a_call) \
	X(after_an_abort_the_next_link_works) \
	X(a_megabyte_comes_in_whole) \
	X(a_megabyte_goes_out_whole_and_the_end_is_answered) \
	X(a_restart_ends_every_link) \
	X(two_links_do_not_mix)

#define X(name) void contract_##name(struct contract_world *w);
PACE_CONTRACTS(X)
#undef X

/* A TEST for each, which calls with_wall(), with_turns() of the test file. */
#define PACE_CONTRACT_WALL(name) TEST(wall_##name) { with_wall(contract_##name); }
#define PACE_CONTRACT_TURNS(name) TEST(turns_##name) { with_turns(contract_##name); }

#endif
