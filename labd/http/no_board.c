// SPDX-License-Identifier: GPL-2.0-or-later
/* The bench of a lab that has no board: these tests play the worker themselves, so whoever comes here has gone wrong. */
#include <stdlib.h>

#include "bench/board.h"

void board_cancel(struct board *b)
{
	(void)b;
	abort();
}

bool board_power_cycle(struct board *b, struct err *e)
{
	(void)b, (void)e;
	abort();
}

bool board_endpoint(const struct board *b, enum link_proto proto, uint16_t port, struct endpoint *out, struct err *e)
{
	(void)b, (void)proto, (void)port, (void)out, (void)e;
	abort();
}
