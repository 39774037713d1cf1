// SPDX-License-Identifier: GPL-2.0-or-later
/* One request to the control socket of a vboard process (docs/virtual-board.md "Control protocol"): a line there, a line back, within ten seconds. Any thread. */
#ifndef LAB_DRIVERS_CONTROL_ASK_H
#define LAB_DRIVERS_CONTROL_ASK_H

#include <stdbool.h>
#include <stddef.h>

#include "core/err.h"

/* answer: NUL-terminated, without its line feed. ERR_LOST: nobody is there; ERR_TIMEOUT; ERR_PROTOCOL: longer than room. */
bool control_ask(const char *path, const char *request, char *answer, size_t room, struct err *e);

#endif
