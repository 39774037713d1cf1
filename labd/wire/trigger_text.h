// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The trigger protocol's words and bytes (docs/workloads.md "trigger"), in one place for the host that speaks it and for the measurement
 * that reads it. Any thread.
 */
#ifndef LAB_WIRE_TRIGGER_TEXT_H
#define LAB_WIRE_TRIGGER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TRIGGER_PORT = 5100, TRIGGER_LINE_MOST = 48, TRIGGER_PAYLOAD_MOST = 1460, TRIGGER_COUNT_MOST = 65535 };

/* "LAB1 n=1460 count=100\n" into out; " ack=1" or " ack=0" is added over UDP. Returns its length. */
size_t trigger_line(char out[TRIGGER_LINE_MOST + 1], uint32_t payload_bytes, uint32_t count, bool udp, bool ack);

/* Does the line (without its LF, an optional CR before it) ask for just that? */
bool trigger_line_asks(const char *line, size_t n, uint32_t payload_bytes, uint32_t count, bool udp, bool ack);

/* Compare n bytes with those from byte k of a frame on, (k + 31 frame) mod 256. Returns how many are right before the first wrong one: n
   when all are. */
size_t trigger_right(uint32_t frame, uint32_t k, const uint8_t *bytes, size_t n);

/* The same for n bytes from position at of the whole stream of frames of payload_bytes each. */
size_t trigger_stream_right(uint64_t at, uint32_t payload_bytes, const uint8_t *bytes, size_t n);

/* Of which frame (mod 256) a datagram with this first byte would be. */
uint8_t trigger_frame_of(uint8_t first_byte);

#endif
