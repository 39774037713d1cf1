// SPDX-License-Identifier: GPL-2.0-or-later
/* The board's clock: timer 2 makes the ticks of net_tick(). SDCC wants an interrupt's prototype in the file with main(). */
#ifndef BOARD_TICK_H
#define BOARD_TICK_H

#include "chip.h"

void tick_start(void);
void tick_interrupt(void) __interrupt(VECTOR_TIMER_2) __using(1);

#endif
