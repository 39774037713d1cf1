// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For tests: the other end of the turn protocol (docs/virtual-board.md), on a thread of its own, with a script in place of a chip. Bytes
 * that the host has announced come to the script at the start of a turn; what the script says is given at its virtual instant. Written
 * apart from the real gate, so that the two can disagree.
 */
#ifndef LAB_DRIVERS_TURN_BOARD_H
#define LAB_DRIVERS_TURN_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/pace.h"

struct turn_board;
struct turn_end;                             /* the board's end of a link */

struct turn_script {
	/* Bytes (UDP: a datagram) from the host; fin: it has no more to say, bytes may be NULL then. On the board's thread. */
	void (*input)(struct turn_board *b, struct turn_end *end, const uint8_t *bytes, size_t n, bool fin, void *opaque);
	void *opaque;
	bool refuse;                         /* connections are answered with RST */
	bool unanswered;                     /* connections never open */
	bool power_off;
	int alive;                           /* so many alive lines before each stop */
	int mute_after;                      /* 0 = never; else after so many turns nothing is answered */
	const char *answer;                  /* said instead of each stop; NULL = the true one */
	bool hang_up;                        /* close the control socket instead of answering */
};

/* Listens; the folder gets the control socket. The script is borrowed and not to be changed while the board runs. */
struct turn_board *turn_board_create(const char *folder, const struct turn_script *script);
void turn_board_destroy(struct turn_board *b);               /* ends and joins the thread */
void turn_board_restart(struct turn_board *b);               /* the power goes off and on before the next turn */
const char *turn_board_control(const struct turn_board *b);  /* path */
struct endpoint turn_board_endpoint(const struct turn_board *b, enum link_proto proto);
struct endpoint turn_board_uart(const struct turn_board *b); /* the stream uart0 */

/* From input(): bytes are copied. delay_ns from now in virtual time. */
void turn_board_say(struct turn_board *b, struct turn_end *end, uint64_t delay_ns, const void *bytes, size_t n);
void turn_board_close(struct turn_board *b, struct turn_end *end, uint64_t delay_ns, bool reset);

/* Counters; at any time, from any thread. */
unsigned turn_board_turns(const struct turn_board *b);
unsigned turn_board_aborts(const struct turn_board *b);

#endif
