// SPDX-License-Identifier: GPL-2.0-or-later
/* The console's lines, character by character: no line is ever in memory. */
#include "common/console.h"

#include "common/board.h"

static uint8_t NET_MEM sum;
static uint8_t NET_MEM matched;                   /* characters of the question that have come in a row */
static const char LAB_FLASH question[] = "@lab who";
static const char LAB_FLASH hex_digits[] = "0123456789abcdef";

void console_char(char c)
{
	sum ^= (uint8_t)c;
	uart_put(c);
}

static void put_text(const char *s)
{
	while (*s)
		console_char(*s++);
}

static void put_hex(uint8_t v)
{
	console_char(hex_digits[v >> 4]);
	console_char(hex_digits[v & 15]);
}

static void put_number(uint16_t v)
{
	static char NET_MEM digits[5];
	uint8_t n = 0;

	do {
		digits[n++] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	while (n)
		console_char(digits[--n]);
}

void console_begin(const char *kind)
{
	uart_put('@');
	sum = 0;
	put_text("lab ");
	put_text(kind);
	console_char(' ');
}

void console_key(const char *key)
{
	put_text(key);
	console_char('=');
}

void console_text(const char *key, const char *value)
{
	console_key(key);
	put_text(value);
	console_char(' ');
}

void console_number(const char *key, uint16_t value)
{
	console_key(key);
	put_number(value);
	console_char(' ');
}

void console_mac(const char *key, const uint8_t NET_MEM *mac)
{
	uint8_t i;

	console_key(key);
	for (i = 0; i < 6; i++) {
		if (i)
			console_char(':');
		put_hex(mac[i]);
	}
	console_char(' ');
}

void console_ip(const char *key, const uint8_t NET_MEM *ip)
{
	uint8_t i;

	console_key(key);
	for (i = 0; i < 4; i++) {
		if (i)
			console_char('.');
		put_number(ip[i]);
	}
	console_char(' ');
}

void console_end(void)
{
	uint8_t hh = sum;

	uart_put('*');
	put_hex(hh);
	uart_put('\r');
	uart_put('\n');
}

/* Follows the question through the input; any other line makes it wait for that line's end. */
static bool follow(char c)
{
	bool complete = matched == sizeof question - 1;

	if (c == '\r' || c == '\n') {
		matched = 0;
		return complete;
	}
	if (!complete && c == question[matched])
		matched++;
	else
		matched = 0xff;
	return false;
}

bool console_asked(void)
{
	bool asked = false;
	char c;

	while (uart_get(&c))
		if (matched == 0xff && c != '\r' && c != '\n')
			continue;
		else if (follow(c))
			asked = true;
	return asked;
}
