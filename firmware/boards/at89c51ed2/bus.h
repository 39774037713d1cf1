// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The CS8900A on the external data bus: A15, inverted, is its AEN, A3 to A0 to SA3 to SA0, the other address lines are strapped to the I/O base 300h.
 * So its ports are XDATA 8000h to 800Fh. In X1 mode the bus meets the chip's timing without stretching (AUXR.M0 = 0), in X2 it must be stretched.
 */
#ifndef BOARD_BUS_H
#define BOARD_BUS_H

#include <stdint.h>

#define CS8900A_AT 0x8000

#define bus_port(offset) (*(volatile uint8_t __xdata *)(CS8900A_AT + (offset)))
#define bus_read(offset) (bus_port(offset))
#define bus_write(offset, byte) (bus_port(offset) = (byte))

#endif
