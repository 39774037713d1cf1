// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The console's lines: `@lab KIND key=value ... *hh` (docs/workloads.md). A line is built as it is sent; hh, the exclusive-or of all bytes
 * between `@` and `*`, is kept on the way. Main loop only.
 */
#ifndef COMMON_CONSOLE_H
#define COMMON_CONSOLE_H

#include <stdbool.h>
#include <stdint.h>

#include "lab_config.h"

void console_begin(const char *kind);
void console_text(const char *key, const char *value);
void console_number(const char *key, uint16_t value);
void console_mac(const char *key, const uint8_t NET_MEM *mac);
void console_ip(const char *key, const uint8_t NET_MEM *ip);
void console_end(void);

/* The pieces of a value: a key, then as many characters of the value as wanted. */
void console_key(const char *key);
void console_char(char c);

/* Reads what has come in. True, once: the line `@lab who` was among it. */
bool console_asked(void);

#endif
