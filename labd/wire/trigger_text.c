// SPDX-License-Identifier: GPL-2.0-or-later
#include "wire/trigger_text.h"

#include <stdio.h>
#include <string.h>

#define B4(n) (n), (n) + 1, (n) + 2, (n) + 3
#define B16(n) B4(n), B4((n) + 4), B4((n) + 8), B4((n) + 12)
#define B64(n) B16(n), B16((n) + 16), B16((n) + 32), B16((n) + 48)
#define B256 B64(0), B64(64), B64(128), B64(192)

/* Any 256 consecutive bytes of any frame stand in here, so that a check is a memcmp(). */
static const uint8_t ramp[512] = { B256, B256 };

size_t trigger_line(char out[TRIGGER_LINE_MOST + 1], uint32_t payload_bytes, uint32_t count, bool udp, bool ack)
{
	const char *tail = !udp ? "" : ack ? " ack=1" : " ack=0";

	return (size_t)snprintf(out, TRIGGER_LINE_MOST + 1, "LAB1 n=%u count=%u%s\n", payload_bytes, count, tail);
}

static bool same(const char *line, size_t n, uint32_t payload_bytes, uint32_t count, bool udp, bool ack)
{
	char want[TRIGGER_LINE_MOST + 1];
	size_t size = trigger_line(want, payload_bytes, count, udp, ack) - 1;

	return n == size && memcmp(line, want, n) == 0;
}

bool trigger_line_asks(const char *line, size_t n, uint32_t payload_bytes, uint32_t count, bool udp, bool ack)
{
	if (n > 0 && line[n - 1] == '\r')
		n--;
	return same(line, n, payload_bytes, count, udp, ack) || (!ack && same(line, n, payload_bytes, count, false, false));
}

static size_t first_difference(const uint8_t *a, const uint8_t *b, size_t n)
{
	size_t i = 0;

	while (i < n && a[i] == b[i])
		i++;
	return i;
}

size_t trigger_right(uint32_t frame, uint32_t k, const uint8_t *bytes, size_t n)
{
	const uint8_t *want = ramp + ((k + 31 * frame) & 255);

	for (size_t done = 0; done < n; done += 256) {
		size_t some = n - done < 256 ? n - done : 256;
		if (memcmp(bytes + done, want, some) != 0)
			return done + first_difference(bytes + done, want, some);
	}
	return n;
}

size_t trigger_stream_right(uint64_t at, uint32_t payload_bytes, const uint8_t *bytes, size_t n)
{
	for (size_t done = 0; done < n;) {
		uint32_t frame = (uint32_t)((at + done) / payload_bytes), k = (uint32_t)((at + done) % payload_bytes);
		size_t some = payload_bytes - k < n - done ? payload_bytes - k : n - done;
		size_t right = trigger_right(frame, k, bytes + done, some);
		if (right < some)
			return done + right;
		done += some;
	}
	return n;
}

/* 223 is the inverse of 31 modulo 256. */
uint8_t trigger_frame_of(uint8_t first_byte)
{
	return (uint8_t)(first_byte * 223u);
}
