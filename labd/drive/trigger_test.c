// SPDX-License-Identifier: GPL-2.0-or-later
/* The trigger conversation against boards that behave and boards that do not, in virtual time, and once over kernel sockets. */
#include "drive/trigger.h"

#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/clock.h"
#include "drive/exchange.h"
#include "drivers/pace_drivers.h"
#include "drivers/turn_board.h"
#include "test/harness.h"
#include "wire/trigger_text.h"

#define FRAME_NS (20 * NS_PER_MS)

/* How the board answers. Positions count payload bytes. */
struct manners {
	size_t piece;                        /* bytes given at once; 0 = a frame */
	int64_t wrong_at, silent_at, close_at, reset_at;     /* -1 = never */
	const char *says;                    /* instead of payload */
	size_t extra;                        /* bytes beyond what was asked for */
	bool ends_late;                      /* FIN is not answered */
	const uint32_t *order;               /* UDP: frame numbers as they come; NULL = as they should */
	bool deaf_once;                      /* UDP with ack: the first ACK of each datagram is not heard */
};

#define WELL { .wrong_at = -1, .silent_at = -1, .close_at = -1, .reset_at = -1 }

static struct err e;
static enum cause cause;

/* One board at a time: what its script knows. */
static struct {
	struct manners m;
	struct cell_params asked;
	char line[64];
	size_t line_bytes;
	uint32_t next;                       /* UDP with ack */
	bool deaf;
} board;

static void fill(uint8_t *bytes, uint64_t from, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t at = from + i;
		bytes[i] = (uint8_t)(at % board.asked.payload_bytes + 31 * (at / board.asked.payload_bytes));
		if ((int64_t)at == board.m.wrong_at)
			bytes[i] ^= 0x80;
	}
}

static bool stops(struct turn_board *b, struct turn_end *end, uint64_t at, uint64_t when)
{
	if ((int64_t)at == board.m.close_at || (int64_t)at == board.m.reset_at)
		turn_board_close(b, end, when, (int64_t)at == board.m.reset_at);
	return (int64_t)at == board.m.silent_at || (int64_t)at == board.m.close_at || (int64_t)at == board.m.reset_at;
}

static void answer_stream(struct turn_board *b, struct turn_end *end)
{
	uint64_t asked = (uint64_t)board.asked.payload_bytes * board.asked.count, total = asked + board.m.extra;
	size_t piece = board.m.piece ? board.m.piece : board.asked.payload_bytes;
	uint8_t bytes[TRIGGER_PAYLOAD_MOST + 4096];

	for (uint64_t at = 0; at < total; at += piece) {
		uint64_t frame = (at < asked ? at : asked - 1) / board.asked.payload_bytes,
			when = FRAME_NS * (frame + 1) + at % board.asked.payload_bytes;
		size_t n = total - at < piece ? (size_t)(total - at) : piece;
		if (stops(b, end, at, when))
			return;
		fill(bytes, at, n);
		turn_board_say(b, end, when, bytes, n);
	}
}

static void serve_tcp(struct turn_board *b, struct turn_end *end, const uint8_t *bytes, size_t n, bool fin, void *opaque)
{
	(void)opaque;
	if (fin) {
		if (!board.m.ends_late)
			turn_board_close(b, end, NS_PER_MS, false);
		return;
	}
	memcpy(board.line + board.line_bytes, bytes, n);
	board.line_bytes += n;
	if (board.m.says) {
		turn_board_say(b, end, NS_PER_MS, board.m.says, strlen(board.m.says));
		turn_board_close(b, end, NS_PER_MS, false);
	} else if (board.line[board.line_bytes - 1] == '\n') {
		answer_stream(b, end);
	}
}

static void say_datagram(struct turn_board *b, struct turn_end *end, uint32_t i, uint64_t when)
{
	uint8_t bytes[TRIGGER_PAYLOAD_MOST];

	fill(bytes, (uint64_t)(board.m.order ? board.m.order[i] : i) * board.asked.payload_bytes, board.asked.payload_bytes);
	turn_board_say(b, end, when, bytes, board.asked.payload_bytes - board.m.extra);
}

static void serve_udp(struct turn_board *b, struct turn_end *end, const uint8_t *bytes, size_t n, bool fin, void *opaque)
{
	char ack[24];

	(void)opaque, (void)fin;
	if (board.line_bytes == 0) {
		memcpy(board.line, bytes, n);
		board.line_bytes = n;
		for (uint32_t i = 0; i < board.asked.count && !board.asked.ack && !board.m.says; i++)
			say_datagram(b, end, i, FRAME_NS * (i + 1));
		if (board.m.says)
			turn_board_say(b, end, NS_PER_MS, board.m.says, strlen(board.m.says));
		else if (board.asked.ack)
			say_datagram(b, end, 0, FRAME_NS);
		return;
	}
	size_t size = (size_t)snprintf(ack, sizeof ack, "ACK %u\n", board.next);
	if (n != size || memcmp(bytes, ack, size) != 0)
		return;
	if (board.m.deaf_once && !board.deaf) {
		board.deaf = true;
		say_datagram(b, end, board.next, NS_PER_S);
		return;
	}
	board.deaf = false;
	if (++board.next < board.asked.count)
		say_datagram(b, end, board.next, FRAME_NS);
}

/* One run in turns. *took: virtual time from start to end. */
static bool run_with(const struct manners *m, const struct cell_params *p, const struct turn_script *script, uint64_t deadline_ns, uint64_t *took)
{
	struct turn_board *b;
	char path[200];
	bool ok;

	snprintf(path, sizeof path, "%s/control", test_folder());
	unlink(path);
	memset(&board, 0, sizeof board);
	board.m = *m;
	board.asked = *p;
	b = turn_board_create(test_folder(), script);
	struct endpoint to = turn_board_endpoint(b, p->proto);
	struct pace *pace = pace_turns_create(turn_board_control(b), &e);
	ok = pace && trigger_workload.drive(p, pace, &to, deadline_ns, &cause, &e);
	if (pace && took)
		*took = pace_now_ns(pace);
	pace_destroy(pace);
	turn_board_destroy(b);
	return ok;
}

static bool run(const struct manners *m, const struct cell_params *p)
{
	struct turn_script script = { .input = p->proto == LINK_UDP ? serve_udp : serve_tcp };

	return run_with(m, p, &script, 60 * NS_PER_S, NULL);
}

static const struct cell_params tcp = { .proto = LINK_TCP, .payload_bytes = 1460, .count = 20 };
static const struct cell_params udp = { .proto = LINK_UDP, .payload_bytes = 100, .count = 50 };

static bool said(const char *words)
{
	return strstr(e.msg, words) != NULL;
}

TEST(a_run_that_goes_well_says_the_trigger_line_and_takes_every_byte)
{
	struct manners m = WELL;

	CHECK_OK(run(&m, &tcp), &e);
	CHECK_EQ(cause, CAUSE_NONE);
	CHECK_STR(board.line, "LAB1 n=1460 count=20\n");
}

TEST(an_answer_in_pieces_of_any_size_is_put_together)
{
	static const size_t pieces[] = { 1, 536, 1023, 1460, 4096 };
	struct cell_params p = { .payload_bytes = 1460, .count = 7 };

	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
		struct manners m = WELL;
		m.piece = pieces[i];
		CHECK_OK(run(&m, &p), &e);
	}
}

TEST(the_run_ends_with_the_boards_fin_and_a_last_turn)
{
	struct turn_script script = { .input = serve_tcp };
	struct manners m = WELL;
	uint64_t took;

	CHECK_OK(run_with(&m, &tcp, &script, 60 * NS_PER_S, &took), &e);
	CHECK_EQ(took, 555000 + 20 * FRAME_NS + NS_PER_MS + 10 * NS_PER_MS);
}

TEST(a_board_that_never_answers_the_fin_costs_time_but_no_verdict)
{
	struct turn_script script = { .input = serve_tcp };
	struct manners m = WELL;
	uint64_t took;

	m.ends_late = true;
	CHECK_OK(run_with(&m, &tcp, &script, 60 * NS_PER_S, &took), &e);
	CHECK_EQ(took, 555000 + 20 * FRAME_NS + 2 * NS_PER_S + 10 * NS_PER_MS);
}

TEST(a_wrong_byte_is_the_firmwares_and_is_named_by_position)
{
	struct manners m = WELL;

	m.wrong_at = 1460 * 3 + 7;
	CHECK(!run(&m, &tcp));
	CHECK_EQ(cause, CAUSE_FIRMWARE);
	CHECK_EQ(e.code, ERR_MISMATCH);
	CHECK_STR(e.msg, "trigger: wrong byte at position 4387 (byte 7 of frame 3): e4, expected 64");
	m.wrong_at = 0;
	CHECK(!run(&m, &tcp));
	CHECK(said("wrong byte at position 0 (byte 0 of frame 0): 80, expected 00"));
}

TEST(silence_in_the_middle_ends_at_the_deadline_and_says_where)
{
	struct turn_script script = { .input = serve_tcp };
	struct manners m = WELL;
	uint64_t took;

	m.silent_at = 1460 * 5;
	CHECK(!run_with(&m, &tcp, &script, 30 * NS_PER_S, &took));
	CHECK_EQ(cause, CAUSE_BOARD);
	CHECK_EQ(e.code, ERR_TIMEOUT);
	CHECK(said("nothing more came from the board at frame 5 of 20"));
	CHECK_EQ(took, 30 * NS_PER_S + 10 * NS_PER_MS);
}

TEST(an_early_close_says_how_much_had_come)
{
	struct manners m = WELL;

	m.close_at = 1460 * 4;
	CHECK(!run(&m, &tcp));
	CHECK_EQ(cause, CAUSE_BOARD);
	CHECK_STR(e.msg, "trigger: the board closed the connection at frame 4 of 20, 5840 of 29200 bytes had come");
}

TEST(a_reset_says_where)
{
	struct manners m = WELL;

	m.reset_at = 1460 * 4;
	CHECK(!run(&m, &tcp));
	CHECK_EQ(cause, CAUSE_BOARD);
	CHECK_EQ(e.code, ERR_LOST);
	CHECK(said("the board reset the connection at frame"));
}

TEST(an_error_line_is_the_firmwares_and_is_explained)
{
	struct manners m = WELL;
	struct cell_params one = { .payload_bytes = 1, .count = 1 };

	m.says = "ERR mss\n";
	CHECK(!run(&m, &tcp));
	CHECK_EQ(cause, CAUSE_FIRMWARE);
	CHECK_EQ(e.code, ERR_PROTOCOL);
	CHECK_STR(e.msg, "trigger: the board answered \"ERR mss\" to the trigger: n is larger than the MSS it was offered");
	m.says = "ERR range\r\n";
	CHECK(!run(&m, &one));
	CHECK(said("\"ERR range\" to the trigger: it does not allow this n or count"));
	m.says = "ERR banana\n";
	CHECK(!run(&m, &tcp));
	CHECK(said("\"ERR banana\" to the trigger: a word that docs/workloads.md does not have"));
	m.says = "Even this";
	CHECK(!run(&m, &tcp));
	CHECK(said("wrong byte at position 0: 45, expected 00"));
}

TEST(bytes_beyond_the_last_frame_are_the_firmwares)
{
	struct manners m = WELL;

	m.extra = 3;
	CHECK(!run(&m, &tcp));
	CHECK_EQ(cause, CAUSE_FIRMWARE);
	CHECK(said("the board sent bytes beyond the last frame"));
}

TEST(a_refused_and_an_unanswered_connection_are_told_apart)
{
	struct turn_script refuses = { .input = serve_tcp, .refuse = true }, dead = { .input = serve_tcp, .unanswered = true };
	struct manners m = WELL;

	CHECK(!run_with(&m, &tcp, &refuses, 60 * NS_PER_S, NULL));
	CHECK_EQ(cause, CAUSE_FIRMWARE);
	CHECK(said("of the board refuses the connection"));
	CHECK(!run_with(&m, &tcp, &dead, 5 * NS_PER_S, NULL));
	CHECK_EQ(cause, CAUSE_NETWORK);
	CHECK(said("did not answer a connection to 127.0.0.1 port"));
	CHECK(said("within 5000 ms"));
}

TEST(a_virtual_board_that_goes_away_is_a_failure_of_the_lab)
{
	struct turn_script script = { .input = serve_tcp, .hang_up = true };
	struct manners m = WELL;

	CHECK(!run_with(&m, &tcp, &script, 60 * NS_PER_S, NULL));
	CHECK_EQ(cause, CAUSE_HOST);
	CHECK_EQ(e.code, ERR_LOST);
}

TEST(datagrams_are_taken_in_order)
{
	struct manners m = WELL;

	CHECK_OK(run(&m, &udp), &e);
	CHECK_STR(board.line, "LAB1 n=100 count=50 ack=0\n");
}

TEST(each_datagram_is_acknowledged_where_that_is_asked_for)
{
	struct manners m = WELL;
	struct cell_params p = udp;

	p.ack = true;
	CHECK_OK(run(&m, &p), &e);
	CHECK_STR(board.line, "LAB1 n=100 count=50 ack=1\n");
	CHECK_EQ(board.next, 50);
}

TEST(a_datagram_that_comes_again_for_its_acknowledgement_gets_it_again)
{
	struct manners m = WELL;
	struct cell_params p = udp;

	p.ack = true;
	p.count = 3;
	m.deaf_once = true;
	struct turn_script script = { .input = serve_udp };
	CHECK_OK(run_with(&m, &p, &script, 60 * NS_PER_S, NULL), &e);
}

TEST(missing_doubled_and_reordered_datagrams_are_the_networks)
{
	static const uint32_t orders[][4] = { { 0, 2, 3, 4 }, { 0, 1, 1, 2 }, { 0, 2, 1, 3 } };
	static const char *const words[] = { "datagram 2 came where datagram 1 was due", "datagram 1 came again where datagram 2 was due",
		"datagram 2 came where datagram 1 was due" };
	struct cell_params p = { .proto = LINK_UDP, .payload_bytes = 8, .count = 4 };

	for (size_t i = 0; i < 3; i++) {
		struct manners m = WELL;
		m.order = orders[i];
		CHECK(!run(&m, &p));
		CHECK_EQ(cause, CAUSE_NETWORK);
		CHECK(said(words[i]));
	}
}

TEST(wrong_bytes_sizes_and_error_lines_of_datagrams_are_the_firmwares)
{
	struct manners m = WELL;

	m.wrong_at = 205;
	CHECK(!run(&m, &udp));
	CHECK_EQ(cause, CAUSE_FIRMWARE);
	CHECK(said("wrong byte at position 205 (byte 5 of frame 2)"));
	m = (struct manners)WELL;
	m.extra = 1;
	CHECK(!run(&m, &udp));
	CHECK(said("datagram 0 has 99 bytes, 100 were asked for"));
	m = (struct manners)WELL;
	m.says = "ERR range\n";
	CHECK(!run(&m, &udp));
	CHECK(said("ERR range"));
}

TEST(parameters_out_of_range_are_named)
{
	CHECK_OK(trigger_workload.check(&tcp, &e), &e);
	CHECK(!trigger_workload.check(&(struct cell_params){ .payload_bytes = 1461, .count = 1 }, &e));
	CHECK(said("payload_bytes is 1461"));
	CHECK(!trigger_workload.check(&(struct cell_params){ .payload_bytes = 1, .count = 65536 }, &e));
	CHECK(said("count is 65536"));
	CHECK(!trigger_workload.check(&(struct cell_params){ .payload_bytes = 1, .count = 1, .ack = true }, &e));
	CHECK(said("udp"));
}

TEST(a_workload_is_found_by_its_name)
{
	CHECK(workload_find("trigger") == &trigger_workload);
	CHECK(workload_find("trigge") == NULL);
	CHECK(workload_all()[0] == &trigger_workload && workload_all()[1] == NULL);
	CHECK_STR(cause_word(CAUSE_NO_BOARD), "no_board");
	for (int c = 0; c < CAUSES; c++)
		CHECK(cause_word((enum cause)c) != NULL);
}

/* Over kernel sockets: one connection, served by a thread in the pieces given. */
struct loopback {
	int listener;
	size_t piece;
};

static void *serve_once(void *opaque)
{
	struct loopback *l = opaque;
	int fd = accept4(l->listener, NULL, NULL, SOCK_CLOEXEC);
	uint64_t total = (uint64_t)board.asked.payload_bytes * board.asked.count;
	uint8_t bytes[4096];

	if (recv(fd, bytes, sizeof bytes, 0) <= 0)
		return NULL;
	for (uint64_t at = 0; at < total; at += l->piece) {
		size_t n = total - at < l->piece ? (size_t)(total - at) : l->piece;
		fill(bytes, at, n);
		if (send(fd, bytes, n, MSG_NOSIGNAL) < 0)
			break;
	}
	while (recv(fd, bytes, sizeof bytes, 0) > 0)
		;
	close(fd);
	return NULL;
}

TEST(kernel_sockets_carry_the_same_conversation)
{
	static const size_t pieces[] = { 1, 536, 1023, 1460 };

	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
		struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
		socklen_t size = sizeof at;
		struct loopback l = { .listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), .piece = pieces[i] };
		pthread_t thread;

		board.m = (struct manners)WELL;
		board.asked = tcp;
		CHECK(bind(l.listener, (struct sockaddr *)&at, sizeof at) == 0 && listen(l.listener, 1) == 0);
		getsockname(l.listener, (struct sockaddr *)&at, &size);
		CHECK(pthread_create(&thread, NULL, serve_once, &l) == 0);
		struct pace *pace = pace_wall_create(&e);
		struct endpoint to = { LINK_TCP, "127.0.0.1", ntohs(at.sin_port) };
		bool ok = pace && trigger_workload.drive(&tcp, pace, &to, pace_now_ns(pace) + 20 * NS_PER_S, &cause, &e);
		pthread_join(thread, NULL);
		pace_destroy(pace);
		close(l.listener);
		CHECK_OK(ok, &e);
	}
}
