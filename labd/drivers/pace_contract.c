// SPDX-License-Identifier: GPL-2.0-or-later
#include "drivers/pace_contract.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"

#define PATIENCE (5 * NS_PER_S)

static struct err e;

static bool open_link(struct contract_world *w, const struct endpoint *to, struct link **out)
{
	uint64_t deadline = pace_now_ns(w->pace) + PATIENCE;

	if (!pace_open(w->pace, to, NULL, out, &e))
		return false;
	while (!(link_state(*out) & (LINK_OPEN | LINK_RESET)) && pace_now_ns(w->pace) < deadline)
		if (!pace_wait(w->pace, NULL, 0, deadline, &e))
			return false;
	return link_state(*out) & LINK_OPEN;
}

/* Until n bytes are there, or no more come. */
static size_t take(struct link *l, uint8_t *bytes, size_t n)
{
	uint64_t deadline = pace_now_ns(l->pace) + PATIENCE;
	size_t done = 0;

	while (done < n) {
		unsigned state = link_state(l);
		long got = link_recv(l, bytes + done, n - done, &e);
		if (got < 0 || (got == 0 && ((state & (LINK_EOF | LINK_RESET)) || pace_now_ns(l->pace) >= deadline)))
			break;
		done += (size_t)got;
		struct link_want want = { .link = l, .received = l->received + (n - done) };
		if (got == 0 && !pace_wait(l->pace, &want, 1, deadline, &e))
			break;
	}
	return done;
}

static bool send_all(struct link *l, const void *bytes, size_t n)
{
	uint64_t deadline = pace_now_ns(l->pace) + PATIENCE;

	for (size_t done = 0; done < n;) {
		long took = link_send(l, (const uint8_t *)bytes + done, n - done, &e);
		if (took < 0 || pace_now_ns(l->pace) >= deadline)
			return false;
		done += (size_t)took;
		struct link_want room = { .link = l, .room = l->sent + 1 };
		if (done < n && !pace_wait(l->pace, &room, 1, deadline, &e))
			return false;
	}
	return true;
}

static void restart(struct contract_world *w)
{
	if (w->power_cycle)
		w->power_cycle(w->opaque);
	pace_restarted(w->pace);
}

void contract_a_link_opens_and_echoes(struct contract_world *w)
{
	struct link *l;
	uint8_t back[5];

	CHECK_OK(open_link(w, &w->tcp, &l), &e);
	CHECK(l->local_port != 0);
	CHECK_OK(send_all(l, "Ehello", 6), &e);
	CHECK_EQ(take(l, back, 5), 5);
	CHECK(memcmp(back, "hello", 5) == 0);
	CHECK_EQ(link_sent(l), 6);
	CHECK_EQ(link_received(l), 5);
	link_close(l, false);
}

void contract_a_wait_ends_when_all_of_the_wanted_bytes_are_there(struct contract_world *w)
{
	struct link *l;
	uint8_t bytes[CONTRACT_PIECES_TOTAL];
	struct link_want want;

	CHECK_OK(open_link(w, &w->tcp, &l), &e);
	CHECK_OK(send_all(l, "P", 1), &e);
	want = (struct link_want){ .link = l, .received = sizeof bytes };
	CHECK_OK(pace_wait(w->pace, &want, 1, pace_now_ns(w->pace) + PATIENCE, &e), &e);
	CHECK_EQ(link_recv(l, bytes, sizeof bytes, &e), sizeof bytes);
	for (size_t k = 0; k < sizeof bytes; k++)
		CHECK_EQ(bytes[k], (uint8_t)k);
	link_close(l, false);
}

void contract_the_end_is_seen_after_the_last_byte(struct contract_world *w)
{
	struct link *l;
	uint8_t bytes[100];

	CHECK_OK(open_link(w, &w->tcp, &l), &e);
	CHECK_OK(send_all(l, "S12345", 6), &e);
	link_shutdown(l);
	CHECK_EQ(take(l, bytes, sizeof bytes), 1);
	CHECK_EQ(bytes[0], '5');
	CHECK(link_state(l) & LINK_EOF);
	CHECK(!(link_state(l) & LINK_RESET));
	link_close(l, false);
}

void contract_a_reset_is_seen(struct contract_world *w)
{
	struct link *l;
	uint8_t byte;
	uint64_t deadline = pace_now_ns(w->pace) + PATIENCE;

	CHECK_OK(open_link(w, &w->tcp, &l), &e);
	CHECK_OK(send_all(l, "R", 1), &e);
	while (!(link_state(l) & LINK_RESET) && pace_now_ns(w->pace) < deadline)
		CHECK_OK(pace_wait(w->pace, NULL, 0, deadline, &e), &e);
	CHECK(link_state(l) & LINK_RESET);
	CHECK_EQ(link_recv(l, &byte, 1, &e), -1);
	CHECK_EQ(e.code, ERR_LOST);
	CHECK_EQ(link_send(l, "x", 1, &e), -1);
	link_close(l, true);
}

void contract_a_refused_connection_is_seen(struct contract_world *w)
{
	struct link *l = NULL;

	CHECK(!open_link(w, &w->closed, &l));
	CHECK(l ? link_state(l) == LINK_RESET : e.code == ERR_LOST);
	link_close(l, true);
}

void contract_a_wait_ends_at_its_deadline(struct contract_world *w)
{
	struct link *l;
	uint64_t before, deadline;
	struct link_want want;

	CHECK_OK(open_link(w, &w->tcp, &l), &e);
	want = (struct link_want){ .link = l, .received = 1 };
	before = pace_now_ns(w->pace);
	deadline = before + 30 * NS_PER_MS;
	CHECK_OK(pace_wait(w->pace, &want, 1, deadline, &e), &e);
	CHECK(pace_now_ns(w->pace) >= deadline);
	CHECK_EQ(link_received(l), 0);
	link_close(l, false);
}

static void *cancel_soon(void *pace)
{
	pace_cancel(pace);
	return NULL;
}

void contract_a_cancelled_wait_fails_until_the_restart(struct contract_world *w)
{
	pthread_t thread;
	uint64_t deadline = pace_now_ns(w->pace) + 3600 * NS_PER_S;
	bool ok = true;

	CHECK(pthread_create(&thread, NULL, cancel_soon, w->pace) == 0);
	while (ok && pace_now_ns(w->pace) < deadline)
		ok = pace_wait(w->pace, NULL, 0, pace_now_ns(w->pace) + NS_PER_S, &e);
	pthread_join(thread, NULL);
	CHECK(!ok);
	CHECK_EQ(e.code, ERR_CANCELLED);
	CHECK(!pace_wait(w->pace, NULL, 0, deadline, &e));
	restart(w);
	CHECK_OK(pace_wait(w->pace, NULL, 0, pace_now_ns(w->pace) + NS_PER_MS, &e), &e);
}

void contract_a_datagram_is_taken_whole_and_one_a_call(struct contract_world *w)
{
	struct link *l;
	uint8_t bytes[100];
	uint64_t deadline = pace_now_ns(w->pace) + PATIENCE;

	CHECK_OK(open_link(w, &w->udp, &l), &e);
	CHECK_EQ(link_send(l, "first", 5, &e), 5);
	CHECK_EQ(link_send(l, "2nd", 3, &e), 3);
	CHECK_EQ(link_sent(l), 2);
	for (uint64_t i = 1; i <= 2; i++) {
		long got = 0;
		while (got == 0 && pace_now_ns(w->pace) < deadline) {
			struct link_want want = { .link = l, .received = i };
			CHECK_OK(pace_wait(w->pace, &want, 1, deadline, &e), &e);
			got = link_recv(l, bytes, sizeof bytes, &e);
		}
		CHECK_EQ(got, i == 1 ? 5 : 3);
		CHECK_EQ(link_received(l), i);
	}
	CHECK_EQ(link_recv(l, bytes, sizeof bytes, &e), 0);
	link_close(l, false);
}

void contract_after_an_abort_the_next_link_works(struct contract_world *w)
{
	struct link *l;
	uint8_t byte;

	CHECK_OK(open_link(w, &w->tcp, &l), &e);
	CHECK_OK(send_all(l, "Ea", 2), &e);
	CHECK_EQ(take(l, &byte, 1), 1);
	link_close(l, true);
	CHECK_OK(open_link(w, &w->tcp, &l), &e);
	CHECK_OK(send_all(l, "Eb", 2), &e);
	CHECK_EQ(take(l, &byte, 1), 1);
	CHECK_EQ(byte, 'b');
	link_close(l, false);
}

void contract_a_megabyte_comes_in_whole(struct contract_world *w)
{
	struct link *l;
	uint8_t *bytes = calloc(1, CONTRACT_BULK);
	size_t n, right = 0;

	CHECK_OK(open_link(w, &w->tcp, &l), &e);
	CHECK_OK(send_all(l, "B", 1), &e);
	n = take(l, bytes, CONTRACT_BULK);
	while (right < n && bytes[right] == right % 251)
		right++;
	free(bytes);
	CHECK_EQ(n, CONTRACT_BULK);
	CHECK_EQ(right, CONTRACT_BULK);
	link_close(l, false);
}

void contract_a_megabyte_goes_out_whole_and_the_end_is_answered(struct contract_world *w)
{
	struct link *l;
	char *bytes = calloc(1, CONTRACT_BULK + 1), text[16] = "";

	bytes[0] = 'S';
	bool opened = open_link(w, &w->tcp, &l), sent = opened && send_all(l, bytes, CONTRACT_BULK + 1);
	free(bytes);
	CHECK_OK(opened && sent, &e);
	link_shutdown(l);
	CHECK_EQ(take(l, (uint8_t *)text, sizeof text - 1), 7);
	CHECK_STR(text, "1000000");
	link_close(l, false);
}

void contract_a_restart_ends_every_link(struct contract_world *w)
{
	struct link *l;
	uint8_t byte;

	CHECK_OK(open_link(w, &w->tcp, &l), &e);
	restart(w);
	CHECK(link_state(l) & LINK_RESET);
	CHECK_EQ(link_recv(l, &byte, 1, &e), -1);
	link_close(l, false);
}

void contract_two_links_do_not_mix(struct contract_world *w)
{
	struct link *one, *two;
	uint8_t bytes[2];

	CHECK_OK(open_link(w, &w->tcp, &one), &e);
	CHECK_OK(open_link(w, &w->tcp, &two), &e);
	CHECK_OK(send_all(two, "E22", 3), &e);
	CHECK_OK(send_all(one, "E11", 3), &e);
	CHECK_EQ(take(one, bytes, 2), 2);
	CHECK(bytes[0] == '1' && bytes[1] == '1');
	CHECK_EQ(take(two, bytes, 2), 2);
	CHECK(bytes[0] == '2' && bytes[1] == '2');
	link_close(one, false);
	link_close(two, false);
}
