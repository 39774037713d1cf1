// SPDX-License-Identifier: GPL-2.0-or-later
/* The turns pace against a scripted board: the contract, then what only turns have: exact time, totals, silence, and answers that the
   protocol does not allow. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "drivers/pace_contract.h"
#include "drivers/pace_drivers.h"
#include "drivers/turn_board.h"
#include "drivers/turn_text.h"

enum { ANSWER_NS = 155000 };

static struct err e;

/* What one connection is doing; by its end, as the board hands it. */
static struct { struct turn_end *end; char mode; size_t taken; } talks[16];
static size_t talk_count;

static void say_ramp(struct turn_board *b, struct turn_end *end, size_t from, size_t to, unsigned modulus, uint64_t at)
{
	uint8_t *bytes = malloc(to - from);

	for (size_t i = from; i < to; i++)
		bytes[i - from] = (uint8_t)(i % modulus);
	turn_board_say(b, end, at, bytes, to - from);
	free(bytes);
}

static void begin(struct turn_board *b, struct turn_end *end, char mode)
{
	if (mode == 'P') {
		say_ramp(b, end, 0, CONTRACT_PIECE, 256, ANSWER_NS);
		say_ramp(b, end, CONTRACT_PIECE, CONTRACT_PIECES_TOTAL, 256, 2 * ANSWER_NS);
	} else if (mode == 'B') {
		for (size_t at = 0; at < CONTRACT_BULK; at += 1000)
			say_ramp(b, end, at, at + 1000, 251, ANSWER_NS * (at / 1000 + 1));
	} else if (mode == 'C' || mode == 'R') {
		turn_board_close(b, end, ANSWER_NS, mode == 'R');
	}
}

static void serve(struct turn_board *b, struct turn_end *end, const uint8_t *bytes, size_t n, bool fin, void *opaque)
{
	size_t i = 0;
	char text[16];

	(void)opaque;
	while (i < talk_count && talks[i].end != end)
		i++;
	if (i == talk_count) {
		talks[talk_count].end = end;
		talks[talk_count].mode = 0;
		talks[talk_count++].taken = 0;
	}
	if (fin) {
		if (talks[i].mode == 'S')
			turn_board_say(b, end, ANSWER_NS, text, (size_t)snprintf(text, sizeof text, "%zu", talks[i].taken));
		turn_board_close(b, end, ANSWER_NS, false);
		return;
	}
	if (!talks[i].mode) {
		talks[i].mode = (char)*bytes++;
		n--;
		begin(b, end, talks[i].mode);
	}
	talks[i].taken += n;
	if (talks[i].mode == 'E' && n > 0)
		turn_board_say(b, end, ANSWER_NS, bytes, n);
}

static void echo(struct turn_board *b, struct turn_end *end, const uint8_t *bytes, size_t n, bool fin, void *opaque)
{
	(void)opaque;
	if (!fin)
		turn_board_say(b, end, ANSWER_NS, bytes, n);
}

static void power_cycle(void *board)
{
	turn_board_restart(board);
}

static void with_script(const struct turn_script *script, unsigned silence_ms, void (*check)(struct contract_world *w))
{
	struct turn_board *b = turn_board_create(test_folder(), script);
	struct contract_world w = { .tcp = turn_board_endpoint(b, LINK_TCP), .udp = turn_board_endpoint(b, LINK_UDP),
		.closed = turn_board_endpoint(b, LINK_TCP) };

	w.power_cycle = power_cycle;
	w.opaque = b;
	talk_count = 0;
	w.pace = pace_turns_create_with(turn_board_control(b), silence_ms, &e);
	if (w.pace)
		check(&w);
	pace_destroy(w.pace);
	turn_board_destroy(b);
	CHECK_OK(w.pace != NULL, &e);
}

static void with_turns(void (*contract)(struct contract_world *w))
{
	bool refused = contract == contract_a_refused_connection_is_seen, datagrams = contract == contract_a_datagram_is_taken_whole_and_one_a_call;
	struct turn_script script = { .input = datagrams ? echo : serve, .refuse = refused };

	with_script(&script, 5000, contract);
}

PACE_CONTRACTS(PACE_CONTRACT_TURNS)

static struct link *opened(struct contract_world *w)
{
	struct link *l;

	if (!pace_open(w->pace, &w->tcp, NULL, &l, &e) || !pace_wait(w->pace, NULL, 0, pace_now_ns(w->pace) + NS_PER_S, &e))
		return NULL;
	return l;
}

static void time_is_exact(struct contract_world *w)
{
	struct link *l = opened(w);
	uint8_t bytes[3];

	CHECK_OK(l != NULL, &e);
	CHECK_EQ(pace_now_ns(w->pace), 555000);
	CHECK_EQ(link_send(l, "Eabc", 4, &e), 4);
	struct link_want want = { .link = l, .received = 3 };
	CHECK_OK(pace_wait(w->pace, &want, 1, NS_PER_S, &e), &e);
	CHECK_EQ(pace_now_ns(w->pace), 555000 + ANSWER_NS);
	CHECK_EQ(link_recv(l, bytes, 3, &e), 3);
	CHECK_OK(pace_wait(w->pace, NULL, 0, 10 * NS_PER_S, &e), &e);
	CHECK_EQ(pace_now_ns(w->pace), 10 * NS_PER_S);
	CHECK_EQ(pace_frames(w->pace), 2 + 10);                /* ten slices of a second; the scripted board counts turns */
	link_close(l, false);
}

TEST(time_is_the_boards_to_the_nanosecond)
{
	struct turn_script script = { .input = serve };

	with_script(&script, 5000, time_is_exact);
}

static void no_turn_is_taken(struct contract_world *w)
{
	struct link *l = opened(w);
	uint64_t frames = pace_frames(w->pace);
	uint8_t bytes[3];

	CHECK_OK(l != NULL, &e);
	CHECK_EQ(link_send(l, "Eabc", 4, &e), 4);
	struct link_want want = { .link = l, .received = 3 };
	CHECK_OK(pace_wait(w->pace, &want, 1, NS_PER_S, &e), &e);
	CHECK_EQ(pace_frames(w->pace), frames + 1);
	CHECK_OK(pace_wait(w->pace, &want, 1, NS_PER_S, &e), &e);
	CHECK_EQ(pace_frames(w->pace), frames + 1);
	CHECK_EQ(link_recv(l, bytes, 3, &e), 3);
	link_close(l, false);
}

TEST(a_want_that_holds_already_costs_no_turn)
{
	struct turn_script script = { .input = serve };

	with_script(&script, 5000, no_turn_is_taken);
}

static void credit_is_a_limit(struct contract_world *w)
{
	struct link *l = opened(w);
	static uint8_t bytes[100000] = "S";

	CHECK_OK(l != NULL, &e);
	CHECK_EQ(link_send(l, bytes, sizeof bytes, &e), 65536);
	CHECK_EQ(link_send(l, bytes, sizeof bytes, &e), 0);
	struct link_want want = { .link = l, .room = 65537 };
	CHECK_OK(pace_wait(w->pace, &want, 1, NS_PER_S, &e), &e);
	CHECK_EQ(link_send(l, bytes, 10, &e), 10);
	link_close(l, true);
}

TEST(no_more_is_sent_than_the_board_gives_credit_for)
{
	struct turn_script script = { .input = serve };

	with_script(&script, 5000, credit_is_a_limit);
}

static void alive_is_patience(struct contract_world *w)
{
	CHECK_OK(pace_wait(w->pace, NULL, 0, 5 * NS_PER_S, &e), &e);
	CHECK_EQ(pace_now_ns(w->pace), 5 * NS_PER_S);
}

TEST(alive_lines_are_no_answer)
{
	struct turn_script script = { .alive = 3 };

	with_script(&script, 5000, alive_is_patience);
}

static void silence_is_named(struct contract_world *w)
{
	CHECK_OK(pace_wait(w->pace, NULL, 0, NS_PER_S, &e), &e);
	CHECK(!pace_wait(w->pace, NULL, 0, 5 * NS_PER_S, &e));
	CHECK_EQ(e.code, ERR_TIMEOUT);
	CHECK_STR(e.msg, "the virtual board's control socket was silent for 50 ms while waiting for the end of a turn of 1000 ms from 1000 ms");
}

TEST(a_silent_board_is_a_timeout_that_names_the_turn)
{
	struct turn_script script = { .mute_after = 1 };

	with_script(&script, 50, silence_is_named);
}

static void loss_is_named(struct contract_world *w)
{
	CHECK(!pace_wait(w->pace, NULL, 0, NS_PER_S, &e));
	CHECK_EQ(e.code, ERR_LOST);
}

TEST(a_board_that_hangs_up_is_lost)
{
	struct turn_script script = { .hang_up = true };

	with_script(&script, 5000, loss_is_named);
}

static void protocol_is_kept(struct contract_world *w)
{
	CHECK(!pace_wait(w->pace, NULL, 0, NS_PER_S, &e));
	CHECK_EQ(e.code, ERR_PROTOCOL);
}

TEST(answers_that_the_protocol_does_not_allow_are_refused)
{
	static const char *const wrong[] = {
		"hello\n", "stop\n", "stop 5\n", "stop 5 never 0 0\n", "stop 5 deadline 0 1\n", "stop 5 deadline 0 0 x\n",
		"stop 5 deadline 0 1 40100 0 0 -\n",
		"stop 99999999999 deadline 0 0\n", "stop -5 deadline 0 0\n", "stop 5 deadline 0 17\n", "err no such thing\n",
		"stop 99999999999999999999999 deadline 0 0\n",
	};

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct turn_script script = { .answer = wrong[i] };
		char path[200];
		with_script(&script, 5000, protocol_is_kept);
		snprintf(path, sizeof path, "%s/control", test_folder());
		remove(path);
	}
}

static void the_boards_error_is_quoted(struct contract_world *w)
{
	CHECK(!pace_wait(w->pace, NULL, 0, NS_PER_S, &e));
	CHECK_EQ(e.code, ERR_LOST);
	CHECK_STR(e.msg, "the virtual board: link 40100: 7 bytes were announced, 5 came");
}

TEST(an_error_of_the_boards_is_quoted)
{
	struct turn_script script = { .answer = "stop 7 error 0 0 : link 40100: 7 bytes were announced, 5 came\n" };

	with_script(&script, 5000, the_boards_error_is_quoted);
}

TEST(without_power_the_serial_line_talks_and_the_hosts_time_passes)
{
	struct turn_script script = { .input = echo, .power_off = true };
	struct turn_board *b = turn_board_create(test_folder(), &script);
	struct endpoint uart = turn_board_uart(b);
	struct pace *p = pace_turns_create(turn_board_control(b), &e);
	struct link *l = NULL;
	uint8_t bytes[8];
	long got = 0;

	bool ok = p && pace_open(p, &uart, "uart0", &l, &e) && link_send(l, "hi", 2, &e) == 2;
	for (int i = 0; ok && i < 100 && got < 2; i++) {
		struct link_want want = { .link = l, .received = 2 };
		long some;
		ok = pace_wait(p, &want, 1, pace_now_ns(p) + 5 * NS_PER_S, &e) && (some = link_recv(l, bytes + got, sizeof bytes - (size_t)got, &e)) >= 0;
		got += ok ? some : 0;
	}
	uint64_t before = ok ? pace_now_ns(p) : 0;
	ok = ok && pace_wait(p, NULL, 0, before + 5 * NS_PER_MS, &e);
	bool passed = ok && pace_now_ns(p) >= before + 5 * NS_PER_MS;
	pace_destroy(p);
	turn_board_destroy(b);
	CHECK_OK(ok, &e);
	CHECK_EQ(got, 2);
	CHECK(before < 2 * NS_PER_S);                        /* the wait ended with the bytes, not with its deadline */
	CHECK(passed);
}

TEST(an_abort_reaches_the_board_with_the_next_turn)
{
	struct turn_script script = { .input = serve };
	struct turn_board *b = turn_board_create(test_folder(), &script);
	struct contract_world w = { .tcp = turn_board_endpoint(b, LINK_TCP), .pace = pace_turns_create(turn_board_control(b), &e) };

	talk_count = 0;
	struct link *l = w.pace ? opened(&w) : NULL;
	link_close(l, true);
	unsigned before = turn_board_aborts(b);
	bool ok = l && pace_wait(w.pace, NULL, 0, pace_now_ns(w.pace) + NS_PER_MS, &e);
	unsigned after = turn_board_aborts(b);
	pace_destroy(w.pace);
	turn_board_destroy(b);
	CHECK_OK(ok, &e);
	CHECK_EQ(before, 0);
	CHECK_EQ(after, 1);
}

TEST(nobody_at_the_control_socket_is_said)
{
	CHECK(pace_turns_create("/tmp/no-such-folder-of-labd/control", &e) == NULL);
	CHECK_EQ(e.code, ERR_NOT_FOUND);
}

TEST(a_stop_line_is_read_word_by_word)
{
	struct turn_stop stop;

	CHECK_EQ(turn_read("stop 5 event 17 2 40100 3 65539 o u40101 1 17 oe", &stop, &e), TURN_STOP);
	CHECK_EQ(stop.now_ns, 5);
	CHECK_EQ(stop.frames, 17);
	CHECK_EQ(stop.count, 2);
	CHECK_STR(stop.links[1].id, "u40101");
	CHECK(stop.links[0].open && !stop.links[0].eof && stop.links[1].eof);
	CHECK_EQ(turn_read("stop 0 error 0 0 : the power is off", &stop, &e), TURN_STOP);
	CHECK_STR(stop.sentence, "the power is off");
	CHECK_EQ(turn_read("alive 12", &stop, &e), TURN_ALIVE);
	CHECK_EQ(turn_read("stop 5 event 17 1 40100 3 65539 x", &stop, &e), TURN_OTHER);
	CHECK_EQ(turn_read("stop 5 event 17 1 40100 3 65539", &stop, &e), TURN_OTHER);
	CHECK_EQ(turn_read("", &stop, &e), TURN_OTHER);
}
