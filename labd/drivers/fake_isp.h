// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For tests: a line at whose end an AT89C51ED2 boot loader sits, in simulated time: 11 bits a character, one character of receive buffer while it
 * programs, echo, answers, security bytes, DTR to RST and RTS to PSEN. Written against the data sheet (4235K), not against labd's client. Faults are fields.
 */
#ifndef LAB_DRIVERS_FAKE_ISP_H
#define LAB_DRIVERS_FAKE_ISP_H

#include "bench/line.h"

struct fake_faults {
	bool silent;                                                         /* the loader answers nothing */
	bool application_runs;                                               /* PSEN is not wired: reset starts an application that prints */
	unsigned reject_after;                                               /* from this record on the answer is X; 0 = never */
	bool reject_once;                                                    /* ... but only that record */
	unsigned lose_every, flip_every;                                     /* characters to the chip; 0 = never */
	unsigned flip_echo_every;                                            /* characters from the chip */
	unsigned die_after_bytes;                                            /* power fails after so many bytes of flash */
	bool stuck;                                                          /* the flash cell at stuck_at stays FFh */
	uint16_t stuck_at;
	uint8_t id[4];                                                       /* 0: an AT89C51ED2's */
	uint8_t security;                                                    /* SSB: 0 or FFh, FEh (level 1), FCh (level 2) */
	bool empty_line_before_display;
	bool answer_garbage;                                                 /* '?' where '.' belongs */
	unsigned unplug_after;                                               /* the line is lost after so many characters; 0 = never */
	bool inverted_reset;
};

struct fake_isp {
	struct line line;
	struct fake_faults faults;
	uint8_t flash[65536];
	uint8_t bsb, sbv;
	unsigned page_writes, records, resets, foreign_types;                /* foreign_types: records of another type than the client may send */
	bool application;                                                    /* the last reset started it */
	uint64_t now_ns, programming_ns;
};

/* All zero: no faults. */
struct fake_isp *fake_isp_create(const struct fake_faults *faults);

/* Switch it off and on: flash stays. */
void fake_isp_power_cycle(struct fake_isp *f);

#endif
