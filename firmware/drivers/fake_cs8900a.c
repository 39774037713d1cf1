// SPDX-License-Identifier: GPL-2.0-or-later
/* For tests: the CS8900A's registers, strictly. */
#include "drivers/fake_cs8900a.h"

#include <stdio.h>
#include <string.h>

#define RESET_US 10000
#define BYTE_NS 800                               /* 10 Mbit/s */

enum { RXCFG = 0x102, SELFCTL = 0x114, RXEVENT = 0x124, TXEVENT = 0x128, RXMISS = 0x130, LINEST = 0x134,
	SELFST = 0x136, BUSST = 0x138 };

struct fake_cs fake_cs;

static void breach(const char *what)
{
	if (!fake_cs.breaches++)
		printf("CS8900A: %s\n", what);
}

void fake_cs_power_on(void)
{
	memset(&fake_cs, 0, sizeof fake_cs);
	fake_cs.reset_until_us = RESET_US;
	fake_cs.pp[0] = 0x630e;
	fake_cs.link = true;
}

static uint16_t status_word(uint16_t at)
{
	switch (at) {
	case RXEVENT:
		return 0x0004 | (fake_cs.rx_count && !fake_cs.rx_committed ? 0x0500 : 0);
	case TXEVENT:
		if (fake_cs.tx_on_wire && !fake_cs.never_sent && fake_cs.now_us > fake_cs.sent_at_us + fake_cs.tx_length * BYTE_NS / 1000)
			return 0x0108;
		return 0x0008;
	case LINEST:
		return 0x0014 | (fake_cs.link ? 0x0080 : 0);
	case SELFST:
		return 0x0016 | (fake_cs.now_us >= fake_cs.reset_until_us ? 0x0080 : 0);
	case BUSST:
		return (uint16_t)(0x0018 | (fake_cs.bid_error ? 0x0080 : fake_cs.tx_bid && !fake_cs.never_ready ? 0x0100 : 0));
	default:
		return fake_cs.pp[at / 2];
	}
}

/* What reading both bytes of a register does. */
static void was_read(uint16_t at, uint16_t value)
{
	if (at == RXEVENT && (value & 0x0100)) {
		fake_cs.rx_committed = true;
		fake_cs.rx_at = 0;
	}
	if (at == TXEVENT && (value & 0x0100))
		fake_cs.tx_on_wire = false;
	if (at == RXMISS)
		fake_cs.pp[RXMISS / 2] = 0x0010;
}

static void drop_front(void)
{
	memmove(fake_cs.rx[0], fake_cs.rx[1], sizeof fake_cs.rx - sizeof fake_cs.rx[0]);
	memmove(fake_cs.rx_n, fake_cs.rx_n + 1, sizeof fake_cs.rx_n - sizeof fake_cs.rx_n[0]);
	fake_cs.rx_count--;
	fake_cs.rx_committed = false;
}

/* RxStatus and RxLength high byte first, then the frame's bytes from even and odd port in turn. */
static uint8_t read_data(unsigned odd)
{
	size_t k = fake_cs.rx_at++;
	uint16_t word = k < 2 ? 0x0504 : (uint16_t)fake_cs.rx_n[0];
	uint8_t byte;

	if (!fake_cs.rx_committed) {
		breach("data is read though no frame is committed");
		return 0;
	}
	if (k < 4) {
		if (odd != !(k & 1))
			breach("RxStatus and RxLength are read high byte first");
		return odd ? (uint8_t)(word >> 8) : (uint8_t)word;
	}
	if (odd != (k & 1))
		breach("byte k of a frame comes from port k mod 2");
	byte = fake_cs.rx[0][k - 4];
	if (k - 4 + 1 == fake_cs.rx_n[0])
		drop_front();
	return byte;
}

static void write_data(unsigned odd, uint8_t byte)
{
	if (!fake_cs.tx_bid || !(fake_cs.tx_command & 0x8000)) {
		breach("a frame is written without a committed bid");
		return;
	}
	if (odd != (fake_cs.tx_at & 1))
		breach("byte k of a frame goes to port k mod 2");
	fake_cs.tx[fake_cs.tx_at++] = byte;
	if (fake_cs.tx_at == fake_cs.tx_length) {
		fake_cs.tx_bid = false;
		fake_cs.tx_on_wire = true;
		fake_cs.sent_at_us = fake_cs.now_us;
		fake_cs.sent++;
	}
}

uint8_t fake_cs_read(uint8_t offset)
{
	uint16_t at = fake_cs.pointer & 0x0fff, value;

	if (fake_cs.absent)
		return 0xff;
	if (offset < 2)
		return read_data(offset);
	if (offset != 0x0c && offset != 0x0d) {
		breach("a port is read that says nothing");
		return 0;
	}
	if (fake_cs.now_us < fake_cs.reset_until_us && at != SELFST)
		breach("only SelfST may be read during a reset");
	value = status_word(at);
	if ((offset & 1) != fake_cs.data_half)
		breach("both bytes of a register are read, low byte first");
	fake_cs.data_half ^= 1;
	if (!(offset & 1))
		return (uint8_t)value;
	was_read(at, value);
	if (at == BUSST && (value & 0x0100))
		fake_cs.tx_command |= 0x8000;         /* committed */
	return (uint8_t)(value >> 8);
}

/* The reset begins with the byte that holds its bit. */
static void write_low(uint16_t at, uint8_t byte)
{
	fake_cs.pp[0x1ff] = byte;
	if (at == SELFCTL && (byte & 0x40)) {
		fake_cs.reset_until_us = fake_cs.now_us + RESET_US;
		fake_cs.rx_count = 0;
	}
}

static void write_register(uint16_t at, uint16_t value)
{
	fake_cs.pp[at / 2] = value;
	if (at == RXCFG && (value & 0x0040)) {
		if (!fake_cs.rx_committed || fake_cs.rx_at < 4)
			breach("a skip before RxStatus and RxLength are read jams the chip");
		else
			drop_front();
		fake_cs.skipped++;
	}
}

static void bid(void)
{
	bool force = fake_cs.tx_command & 0x0100;

	if (fake_cs.tx_on_wire && !force)
		breach("a bid before the last frame's end loses it");
	fake_cs.tx_bid = fake_cs.tx_length != 0;
	fake_cs.tx_at = 0;
	if (force) {
		fake_cs.forced++;
		fake_cs.tx_on_wire = false;
	}
}

void fake_cs_write(uint8_t offset, uint8_t byte)
{
	uint16_t *word = offset < 6 ? &fake_cs.tx_command : &fake_cs.tx_length;

	if (offset < 2) {
		write_data(offset, byte);
	} else if (offset == 4 || offset == 6) {
		*word = byte;
	} else if (offset == 5 || offset == 7) {
		*word = (uint16_t)((*word & 0xff) | byte << 8);
		if (offset == 7)
			bid();
	} else if (offset == 0x0a) {
		fake_cs.pointer = byte;
	} else if (offset == 0x0b) {
		fake_cs.pointer |= (uint16_t)(byte << 8);
		if (fake_cs.pointer & 0x8000)
			breach("auto-increment does not work in 8-bit mode");
		fake_cs.data_half = 0;
	} else if (fake_cs.now_us < fake_cs.reset_until_us) {
		breach("nothing is written during a reset");
	} else if (offset == 0x0c) {
		write_low(fake_cs.pointer & 0x0fff, byte);
	} else if (offset == 0x0d) {
		write_register(fake_cs.pointer & 0x0fff, (uint16_t)(fake_cs.pp[0x1ff] | byte << 8));
	} else {
		breach("a port is written that takes nothing");
	}
}

bool fake_cs_receive(const uint8_t *frame, size_t n)
{
	if (fake_cs.rx_count == FAKE_CS_FRAMES)
		return false;
	memset(fake_cs.rx[fake_cs.rx_count], 0, sizeof fake_cs.rx[0]);
	memcpy(fake_cs.rx[fake_cs.rx_count], frame, n);
	fake_cs.rx_n[fake_cs.rx_count++] = n;
	return true;
}
