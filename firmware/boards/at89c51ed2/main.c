// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Start-up of the AT89C51ED2 board: 22.1184 MHz in X1 or X2 mode (clock.h), 1792 bytes of XRAM, the CS8900A above.
 *
 * The hardware watchdog stays off: once started it cannot be stopped and runs out after 1.1 s at the most, and a firmware that hangs must be
 * seen to hang. A board that restarts itself in the middle of a measurement would hide the fault and look like a slow one.
 */
#include "clock.h"
#include "common/app.h"
#include "tick.h"
#include "uart.h"

#define AUXR_XRAM_1792 0x10                       /* XRS = 100; EXTRAM = 0, AO = 0 */
#define AUXR_M0 0x20                              /* RD and WR stretched */
#define CKCON0_X2 0x01                            /* the timers follow: their own bits are 0 */

/*
 * SDCC's start-up calls this before it clears and fills memory: until then XRAM ends at 768 bytes, and the clearing would write to the bus. Up to
 * version 4.2 it looks for the first name, later for the second; under a wrong name it would silently call an empty function of its library.
 */
unsigned char _sdcc_external_startup(void)
{
	AUXR = AUXR_XRAM_1792 | (BOARD_STRETCH ? AUXR_M0 : 0);
	CKCON0 = BOARD_X2 ? CKCON0_X2 : 0;                /* also 0: a chip whose X2 fuse is programmed starts in X2 */
	return 0;                                         /* 0: go on and initialise variables */
}

unsigned char __sdcc_external_startup(void)
{
	return _sdcc_external_startup();
}

void main(void)
{
	uart_start();
	tick_start();
	EA = 1;
	app_start();
	for (;;)
		app_step();
}
