// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The CS8900A's driver against the chip's registers, as the data sheet DS271F4 and AN181 describe them for an 8-bit bus. The chip here is strict:
 * whatever they forbid, or do not promise to work, is counted as a breach, and every test wants none.
 */
#include <stdio.h>
#include <string.h>

#include "bus.h"
#include "net/net.h"
#include "net/nic.h"
#include "test/harness.h"

uint8_t net_scratch[NET_WINDOW_BYTES];

/* The chip. Registers are words by PacketPage address; an event register clears when both of its bytes have been read. */
static struct chip {
	uint16_t pp[0x200];
	uint16_t pointer;
	uint8_t pointer_half, data_half;          /* an odd byte must follow its even one */
	uint32_t now;                             /* bus accesses */
	uint32_t reset_until;
	uint8_t rx[4][1600];
	size_t rx_n[4], rx_count, rx_at;          /* rx_at counts bytes taken, status and length among them */
	bool rx_committed;
	uint16_t tx_command, tx_length;
	bool tx_bid, tx_on_wire;
	uint8_t tx[1600];
	size_t tx_at;
	unsigned sent, skipped, breaches, forced;
	uint32_t sent_at;
	bool absent, never_ready, bid_error, never_sent, link;
} chip;

enum { RXCFG = 0x102, RXCTL = 0x104, LINECTL = 0x112, SELFCTL = 0x114, RXEVENT = 0x124, TXEVENT = 0x128, RXMISS = 0x130, LINEST = 0x134,
	SELFST = 0x136, BUSST = 0x138, ADDRESS = 0x158 };

uint16_t net_tick(void)
{
	return (uint16_t)(chip.now / 600);        /* about as many accesses as a fast loop makes in a millisecond */
}

static void breach(const char *what)
{
	if (!chip.breaches++)
		printf("breach: %s\n", what);
}

static void power_on(void)
{
	memset(&chip, 0, sizeof chip);
	chip.now = 100;
	chip.reset_until = 100 + 6000;
	chip.pp[0] = 0x630e;
	chip.link = true;
}

static uint16_t status_word(uint16_t at)
{
	switch (at) {
	case RXEVENT:
		return 0x0004 | (chip.rx_count && !chip.rx_committed ? 0x0500 : 0);
	case TXEVENT:
		if (chip.tx_on_wire && !chip.never_sent && chip.now > chip.sent_at + 700)
			return 0x0108;
		return 0x0008;
	case LINEST:
		return 0x0014 | (chip.link ? 0x0080 : 0);
	case SELFST:
		return 0x0016 | (chip.now >= chip.reset_until ? 0x0080 : 0);
	case BUSST:
		return (uint16_t)(0x0018 | (chip.bid_error ? 0x0080 : chip.tx_bid && !chip.never_ready ? 0x0100 : 0));
	default:
		return chip.pp[at / 2];
	}
}

/* What reading both bytes of a register does. */
static void was_read(uint16_t at, uint16_t value)
{
	if (at == RXEVENT && (value & 0x0100)) {
		chip.rx_committed = true;
		chip.rx_at = 0;
	}
	if (at == TXEVENT && (value & 0x0100)) {
		chip.tx_on_wire = false;
	}
	if (at == RXMISS)
		chip.pp[RXMISS / 2] = 0x0010;
}

static void drop_front(void)
{
	memmove(chip.rx[0], chip.rx[1], sizeof chip.rx - sizeof chip.rx[0]);
	memmove(chip.rx_n, chip.rx_n + 1, sizeof chip.rx_n - sizeof chip.rx_n[0]);
	chip.rx_count--;
	chip.rx_committed = false;
}

/* RxStatus and RxLength high byte first, then the frame's bytes from even and odd port in turn. */
static uint8_t read_data(unsigned odd)
{
	size_t k = chip.rx_at++;
	uint16_t word = k < 2 ? 0x0504 : (uint16_t)chip.rx_n[0];
	uint8_t byte;

	if (!chip.rx_committed) {
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
	byte = chip.rx[0][k - 4];
	if (k - 4 + 1 == chip.rx_n[0])
		drop_front();
	return byte;
}

static void write_data(unsigned odd, uint8_t byte)
{
	if (!chip.tx_bid || !(chip.tx_command & 0x8000)) {
		breach("a frame is written without a committed bid");
		return;
	}
	if (odd != (chip.tx_at & 1))
		breach("byte k of a frame goes to port k mod 2");
	chip.tx[chip.tx_at++] = byte;
	if (chip.tx_at == chip.tx_length) {
		chip.tx_bid = false;
		chip.tx_on_wire = true;
		chip.sent_at = chip.now;
		chip.sent++;
	}
}

uint8_t bus_read(uint8_t offset)
{
	uint16_t at = chip.pointer & 0x0fff, value;

	chip.now++;
	if (chip.absent)
		return 0xff;
	if (offset < 2)
		return read_data(offset);
	if (offset != 0x0c && offset != 0x0d) {
		breach("a port is read that says nothing");
		return 0;
	}
	if (chip.now < chip.reset_until && at != SELFST)
		breach("only SelfST may be read during a reset");
	value = status_word(at);
	if ((offset & 1) != chip.data_half)
		breach("both bytes of a register are read, low byte first");
	chip.data_half ^= 1;
	if (!(offset & 1))
		return (uint8_t)value;
	was_read(at, value);
	if (at == BUSST && (value & 0x0100))
		chip.tx_command |= 0x8000;        /* committed */
	return (uint8_t)(value >> 8);
}

static void write_register(uint16_t at, uint16_t value)
{
	chip.pp[at / 2] = value;
	if (at == SELFCTL && (value & 0x0040)) {
		chip.reset_until = chip.now + 6000;
		chip.rx_count = 0;
	}
	if (at == RXCFG && (value & 0x0040)) {
		if (!chip.rx_committed || chip.rx_at < 4)
			breach("a skip before RxStatus and RxLength are read jams the chip");
		else
			drop_front();
		chip.skipped++;
	}
}

static void bid(void)
{
	if (chip.tx_on_wire)
		breach("a bid before the last frame's end loses it");
	chip.tx_bid = chip.tx_length != 0;
	chip.tx_at = 0;
	if (chip.tx_command & 0x0100) {
		chip.forced++;
		chip.tx_on_wire = false;
	}
}

void bus_write(uint8_t offset, uint8_t byte)
{
	uint16_t *word = offset < 6 ? &chip.tx_command : &chip.tx_length;

	chip.now++;
	if (offset < 2) {
		write_data(offset, byte);
	} else if (offset == 4 || offset == 6) {
		*word = byte;
		if (offset == 4 && chip.never_sent)
			chip.tx_on_wire = false;  /* the test's way to let a forced abort pass */
	} else if (offset == 5 || offset == 7) {
		*word |= (uint16_t)(byte << 8);
		if (offset == 7)
			bid();
	} else if (offset == 0x0a) {
		chip.pointer = byte;
	} else if (offset == 0x0b) {
		chip.pointer |= (uint16_t)(byte << 8);
		if (chip.pointer & 0x8000)
			breach("auto-increment does not work in 8-bit mode");
		chip.data_half = 0;
	} else if (offset == 0x0c) {
		chip.pp[0x1ff] = byte;
	} else if (offset == 0x0d) {
		if (chip.now < chip.reset_until)
			breach("nothing is written during a reset");
		write_register(chip.pointer & 0x0fff, (uint16_t)(chip.pp[0x1ff] | byte << 8));
	} else {
		breach("a port is written that takes nothing");
	}
}

static const uint8_t mac[6] = { 0x02, 0x00, 0x00, 0x77, 0x00, 0x01 };

static bool started(void)
{
	power_on();
	return nic_init(mac) && chip.breaches == 0;
}

static void receive(size_t n)
{
	for (size_t i = 0; i < n; i++)
		chip.rx[chip.rx_count][i] = (uint8_t)(i * 5 + n);
	chip.rx_n[chip.rx_count++] = n;
}

TEST(a_chip_is_reset_addressed_and_opened)
{
	CHECK(started());
	CHECK_EQ(chip.pp[ADDRESS / 2], 0x0002);
	CHECK_EQ(chip.pp[ADDRESS / 2 + 1], 0x7700);
	CHECK_EQ(chip.pp[ADDRESS / 2 + 2], 0x0100);
	CHECK_EQ(chip.pp[RXCTL / 2], 0x0d05);
	CHECK_EQ(chip.pp[LINECTL / 2], 0x00d3);
}

TEST(a_missing_chip_is_noticed_in_bounded_time)
{
	power_on();
	chip.absent = true;
	CHECK(!nic_init(mac));
	CHECK(net_tick() < 250);
}

TEST(another_chip_is_refused)
{
	power_on();
	chip.pp[0] = 0x1234;
	CHECK(!nic_init(mac));
}

TEST(a_chip_that_stays_in_reset_is_refused)
{
	power_on();
	chip.reset_until = UINT32_MAX;
	CHECK(!nic_init(mac));
	CHECK(net_tick() < 250);
}

TEST(the_link_is_what_the_chip_says)
{
	CHECK(started());
	CHECK(nic_link());
	chip.link = false;
	CHECK(!nic_link());
	CHECK_EQ(chip.breaches, 0);
}

TEST(missed_frames_are_counted_from_the_last_time)
{
	CHECK(started());
	chip.pp[RXMISS / 2] = 0x0010 | 37 << 6;
	CHECK_EQ(nic_missed(), 37);
	CHECK_EQ(nic_missed(), 0);
}

TEST(no_frame_is_no_frame)
{
	uint16_t len;

	CHECK(started());
	CHECK(!nic_rx_begin(&len));
	CHECK_EQ(chip.breaches, 0);
}

/* Takes a frame in pieces of the given size. */
static bool takes(size_t n, size_t piece)
{
	uint8_t got[1600];
	uint16_t len = 0;

	receive(n);
	if (!nic_rx_begin(&len) || len != n)
		return false;
	for (size_t at = 0; at < n; at += piece)
		nic_rx_bytes(got + at, (uint16_t)(n - at < piece ? n - at : piece));
	nic_rx_end();
	for (size_t i = 0; i < n; i++)
		if (got[i] != (uint8_t)(i * 5 + n))
			return false;
	return chip.rx_count == 0 && chip.breaches == 0;
}

TEST(frames_are_taken_in_pieces_of_any_size)
{
	CHECK(started());
	for (size_t piece = 1; piece < 20; piece++) {
		CHECK(takes(60, piece));
		CHECK(takes(61, piece));
	}
	CHECK(takes(1514, 1514));
	CHECK_EQ(chip.skipped, 0);
}

TEST(what_is_not_read_of_a_frame_is_skipped_and_the_next_one_comes)
{
	uint8_t got[14];
	uint16_t len;

	CHECK(started());
	receive(200);
	receive(64);
	CHECK(nic_rx_begin(&len));
	nic_rx_bytes(got, 13);
	nic_rx_skip(2);
	nic_rx_bytes(got, 1);
	CHECK_EQ(got[0], (uint8_t)(15 * 5 + 200));
	nic_rx_end();
	CHECK_EQ(chip.skipped, 1);
	CHECK(nic_rx_begin(&len));
	CHECK_EQ(len, 64);
	nic_rx_end();
	CHECK_EQ(chip.rx_count, 0);
	CHECK_EQ(chip.breaches, 0);
}

TEST(a_length_that_cannot_be_is_skipped)
{
	uint16_t len;

	CHECK(started());
	receive(1518);
	CHECK(!nic_rx_begin(&len));
	CHECK_EQ(chip.rx_count, 0);
	CHECK_EQ(chip.breaches, 0);
}

static bool sends(size_t n, size_t piece)
{
	uint8_t frame[1514];
	unsigned before = chip.sent;

	for (size_t i = 0; i < n; i++)
		frame[i] = (uint8_t)(i * 3 + n);
	if (!nic_tx_begin((uint16_t)n))
		return false;
	for (size_t at = 0; at < n; at += piece)
		nic_tx_bytes(frame + at, (uint16_t)(n - at < piece ? n - at : piece));
	nic_tx_end();
	return chip.sent == before + 1 && chip.tx_at == n && !memcmp(chip.tx, frame, n) && chip.breaches == 0;
}

TEST(frames_are_sent_in_pieces_of_any_size_each_after_the_end_of_the_last)
{
	CHECK(started());
	for (size_t piece = 1; piece < 20; piece++) {
		CHECK(sends(54, piece));
		CHECK(sends(55, piece));
	}
	CHECK(sends(1514, 54));
	CHECK_EQ(chip.forced, 0);
	CHECK_EQ(chip.tx_command & 0x7fff, 0x00c9);
}

TEST(a_chip_without_room_is_given_up_and_the_bid_withdrawn)
{
	uint16_t since;

	CHECK(started());
	chip.never_ready = true;
	since = net_tick();
	CHECK(!nic_tx_begin(60));
	CHECK((uint16_t)(net_tick() - since) < 120);
	CHECK_EQ(chip.forced, 1);
	chip.never_ready = false;
	CHECK(sends(60, 60));
}

TEST(a_refused_length_is_given_up_at_once)
{
	uint16_t since;

	CHECK(started());
	chip.bid_error = true;
	since = net_tick();
	CHECK(!nic_tx_begin(60));
	CHECK((uint16_t)(net_tick() - since) < 2);
	CHECK_EQ(chip.forced, 1);
}

TEST(a_frame_that_never_ends_does_not_stop_the_next_one)
{
	CHECK(started());
	CHECK(sends(60, 60));
	chip.never_sent = true;
	CHECK(nic_tx_begin(60));
	CHECK_EQ(chip.forced, 1);
	CHECK_EQ(chip.breaches, 0);
}
