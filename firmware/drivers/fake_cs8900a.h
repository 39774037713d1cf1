// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For tests: the registers of a CS8900A on an 8-bit bus, as the data sheet DS271F4 and AN181 describe them. This chip is strict: whatever they
 * forbid, or do not promise to work, is counted as a breach, and tests want none. There is one chip; its fields are there to be looked at and set.
 */
#ifndef DRIVERS_FAKE_CS8900A_H
#define DRIVERS_FAKE_CS8900A_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAKE_CS_FRAMES 4

/* Registers are words by PacketPage address; an event register clears when both of its bytes have been read. */
struct fake_cs {
	uint16_t pp[0x200];
	uint16_t pointer;
	uint8_t data_half;                        /* an odd byte must follow its even one */
	uint64_t now_us;                          /* the owner's clock: it moves it */
	uint64_t reset_until_us, sent_at_us;
	uint8_t rx[FAKE_CS_FRAMES][1600];
	size_t rx_n[FAKE_CS_FRAMES], rx_count, rx_at; /* rx_at counts bytes taken, status and length among them */
	bool rx_committed;
	uint16_t tx_command, tx_length;
	bool tx_bid, tx_on_wire;
	uint8_t tx[1600];
	size_t tx_at;
	unsigned sent, skipped, breaches, forced;
	bool absent, never_ready, bid_error, never_sent, link;
};

extern struct fake_cs fake_cs;

void fake_cs_power_on(void);

/* The sixteen I/O ports. */
uint8_t fake_cs_read(uint8_t offset);
void fake_cs_write(uint8_t offset, uint8_t byte);

/* A frame comes in. False: there is no room. */
bool fake_cs_receive(const uint8_t *frame, size_t n);

#endif
