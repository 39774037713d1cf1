// SPDX-License-Identifier: GPL-2.0-or-later
/* What the application needs from a board beside net_tick() and a network chip: its serial line. Each boards/<type>/ implements it. */
#ifndef COMMON_BOARD_H
#define COMMON_BOARD_H

#include <stdbool.h>
#include <stdint.h>

/* Sends one character at 115200 8N1; waits while the last one is going out. */
void uart_put(char c);

/* True: *c is the next received character. The board keeps a few while the main loop is busy. */
bool uart_get(char *c);

#endif
