// SPDX-License-Identifier: GPL-2.0-or-later
/* The serial lines there are. */
#ifndef LAB_DRIVERS_LINE_DRIVERS_H
#define LAB_DRIVERS_LINE_DRIVERS_H

#include <stdint.h>

#include "bench/line.h"
#include "bench/pace.h"

/* RFC 2217 over TCP (ser2net, a virtual board), through the board's pace, so that a virtual board's clock counts its bytes. pace: borrowed. */
struct line *line_rfc2217_create(struct pace *pace, const char *host, uint16_t port);

/*
 * A serial port of this computer through libserialport. path: a device or a link to one (/dev/serial/by-id/...), resolved at each open. Opened
 * exclusively, with HUPCL off, so that closing moves no line; ERR_CONFLICT names who has it. An adapter that vanishes is ERR_LOST within 2 s.
 * pace: borrowed, of the kind `wall`.
 */
struct line *line_serial_create(struct pace *pace, const char *path);

#endif
