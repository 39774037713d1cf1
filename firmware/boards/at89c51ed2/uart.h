// SPDX-License-Identifier: GPL-2.0-or-later
/* The serial line: 115200 8N1 from the chip's own baud generator. */
#ifndef BOARD_UART_H
#define BOARD_UART_H

#include "chip.h"

void uart_start(void);
void uart_interrupt(void) __interrupt(VECTOR_UART) __using(1);

#endif
