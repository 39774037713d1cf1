// SPDX-License-Identifier: GPL-2.0-or-later
/* For tests: the board's serial line and its identity. Implements board.h and defines the fields of identity.h. */
#ifndef COMMON_FAKE_BOARD_H
#define COMMON_FAKE_BOARD_H

#include <stdbool.h>

/* Empties the line; the identity becomes that of net/fake_host.h, with a right or a wrong CRC. */
void fake_board_reset(bool identity_is_good);

/* Text for the board to receive. */
void fake_board_type(const char *text);

/* What the board has printed since the last call. Valid until the next. */
const char *fake_board_printed(void);

/* The text is one `@lab` line or several, each with the right sum and at most 120 bytes. */
bool fake_board_lines_good(const char *text);

#endif
