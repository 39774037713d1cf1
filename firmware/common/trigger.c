// SPDX-License-Identifier: GPL-2.0-or-later
/* Parses the lines of the trigger workload. The whole syntax is checked before any range, so that a typo is never called a range. */
#include "common/trigger.h"

#define PAYLOAD_MAX 1460

static const uint8_t NET_MEM *at;         /* the cursor and its end */
static uint8_t left;
static uint16_t NET_MEM number;
static uint8_t NET_MEM too_large;

static bool word(const char *text)
{
	while (*text) {
		if (left == 0 || *at != (uint8_t)*text)
			return false;
		at++;
		left--;
		text++;
	}
	return true;
}

static void append(uint8_t digit)
{
	if (number > 6553 || (number == 6553 && digit > 5))
		too_large = 1;
	else
		number = (uint16_t)(number * 10 + digit);
}

/* A decimal number without leading zeros; one above 65535 is well-formed, and too_large. */
static bool decimal(void)
{
	uint8_t digits = 0;

	number = 0;
	too_large = 0;
	while (left && *at >= '0' && *at <= '9') {
		if (digits == 1 && number == 0)
			return false;
		append((uint8_t)(*at - '0'));
		digits = 1;
		at++;
		left--;
	}
	return digits != 0;
}

static void start(const uint8_t NET_MEM *line, uint8_t n)
{
	if (n && line[n - 1] == '\r')
		n--;
	at = line;
	left = n;
}

uint8_t trigger_parse(const uint8_t NET_MEM *line, uint8_t n, bool udp, struct trigger NET_MEM *out)
{
	uint8_t verdict = TRIGGER_OK;

	start(line, n);
	out->ack = 0;
	if (!word("LAB1 n=") || !decimal())
		return TRIGGER_SYNTAX;
	out->n = number;
	if (too_large || number == 0 || number > PAYLOAD_MAX)
		verdict = TRIGGER_RANGE;
	if (!word(" count=") || !decimal())
		return TRIGGER_SYNTAX;
	out->count = number;
	if (too_large || number == 0)
		verdict = TRIGGER_RANGE;
	if (left) {
		if (!udp || !word(" ack=") || left != 1 || (*at != '0' && *at != '1'))
			return TRIGGER_SYNTAX;
		out->ack = (uint8_t)(*at - '0');
	}
	return verdict;
}

bool trigger_is_ack(const uint8_t NET_MEM *line, uint8_t n, uint16_t frame)
{
	start(line, n);
	return word("ACK ") && decimal() && left == 0 && !too_large && number == frame;
}
