// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The chip's clock: a crystal of 22.1184 MHz, whose clocks a machine cycle counts 12 of in X1 mode, the reset state, and 6 in X2 mode (CKCON0.X2). What
 * counts cycles follows from here: the tick and the baud rate.
 *
 * In X2 a read of the external bus must be answered within 83 ns, and the CS8900A takes up to 135 (data sheet 4235K, external data memory): there AUXR.M0
 * stretches RD and WR to five times their length. BOARD_STRETCH=0 leaves that away, for a test that wants to see the mistake found.
 */
#ifndef BOARD_CLOCK_H
#define BOARD_CLOCK_H

#define CRYSTAL_HZ 22118400

#ifndef BOARD_X2
#define BOARD_X2 0
#endif
#ifndef BOARD_STRETCH
#define BOARD_STRETCH BOARD_X2
#endif

#if BOARD_X2
#define CYCLES_A_SECOND (CRYSTAL_HZ / 6)
#else
#define CYCLES_A_SECOND (CRYSTAL_HZ / 12)
#endif

#endif
