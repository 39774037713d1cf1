// SPDX-License-Identifier: GPL-2.0-or-later
/* The PC's bus to a CS8900A: drivers/cs8900a_test.c implements the chip behind it, register by register. */
#ifndef BOARD_BUS_H
#define BOARD_BUS_H

#include <stdint.h>

uint8_t bus_read(uint8_t offset);
void bus_write(uint8_t offset, uint8_t byte);

#endif
