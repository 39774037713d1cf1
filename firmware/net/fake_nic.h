// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For tests: a network chip made of two queues, and a clock that stands until it is told. Implements nic.h and net_tick(). It watches the
 * contract: a misuse (reading past a frame, a transmission of another length than announced) ends the test program.
 */
#ifndef NET_FAKE_NIC_H
#define NET_FAKE_NIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAKE_FRAMES 64

/* Empties both queues, sets time to a value from which net_tick() soon wraps, ends every fault. */
void fake_reset(void);

/* A frame comes in; it is kept until the stack takes it. */
void fake_push(const void *bytes, size_t n);

/* The oldest frame sent that was not asked for yet; valid until FAKE_FRAMES more are sent. False: there is none. */
bool fake_sent(const uint8_t **bytes, size_t *n);

void fake_advance(uint32_t ms);

/* The chip has no room for this many transmissions. */
void fake_refuse_tx(unsigned n);

void fake_link(bool up);
void fake_chip_dead(bool dead);
void fake_missed(uint16_t n);

#endif
