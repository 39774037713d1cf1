// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The serial line. Characters come every 87 us, faster than the main loop turns, so an interrupt keeps up to fifteen of them; later ones are
 * lost. Sending waits for the character before.
 */
#include "uart.h"

#include "clock.h"
#include "common/board.h"

#define BRL_115200 (uint8_t)(256 - CYCLES_A_SECOND * 6 / 16 / 115200)     /* SMOD1 = 1, SPD = 1: six counts a machine cycle, 16 a bit */
#define BDRCON_RUN_FOR_BOTH 0x1e                  /* BRR, TBCK, RBCK, SPD */
#define SCON_8BIT_RECEIVE 0x50
#define RING 16

static volatile uint8_t __idata ring[RING];
static volatile uint8_t __data put_at, get_at;
static volatile __bit sending;

void uart_start(void)
{
	PCON |= 0x80;
	BRL = BRL_115200;
	BDRCON = BDRCON_RUN_FOR_BOTH;
	SCON = SCON_8BIT_RECEIVE;
	ES = 1;
}

void uart_interrupt(void) __interrupt(VECTOR_UART) __using(1)
{
	uint8_t next;

	if (TI) {
		TI = 0;
		sending = 0;
	}
	if (RI) {
		next = (put_at + 1) & (RING - 1);
		if (next != get_at) {
			ring[put_at] = SBUF;
			put_at = next;
		}
		RI = 0;
	}
}

void uart_put(char c)
{
	while (sending)
		;
	sending = 1;
	SBUF = (uint8_t)c;
}

bool uart_get(char *c)
{
	if (get_at == put_at)
		return false;
	*c = (char)ring[get_at];
	get_at = (get_at + 1) & (RING - 1);
	return true;
}
