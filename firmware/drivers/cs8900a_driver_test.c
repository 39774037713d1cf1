// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The CS8900A's driver against the chip's registers (fake_cs8900a.h). Every access to the bus takes time, so that waits end.
 */
#include <string.h>

#include "bus.h"
#include "drivers/fake_cs8900a.h"
#include "net/net.h"
#include "net/nic.h"
#include "test/harness.h"

uint8_t net_scratch[NET_WINDOW_BYTES];

#define ACCESS_US 2
#define chip fake_cs

enum { RXCTL = 0x104, LINECTL = 0x112, RXMISS = 0x130, ADDRESS = 0x158 };

uint16_t net_tick(void)
{
	return (uint16_t)(chip.now_us / 1000);
}

uint8_t bus_read(uint8_t offset)
{
	chip.now_us += ACCESS_US;
	return fake_cs_read(offset);
}

void bus_write(uint8_t offset, uint8_t byte)
{
	chip.now_us += ACCESS_US;
	fake_cs_write(offset, byte);
}

static const uint8_t mac[6] = { 0x02, 0x00, 0x00, 0x77, 0x00, 0x01 };

static bool started(void)
{
	fake_cs_power_on();
	return nic_init(mac) && chip.breaches == 0;
}

static void receive(size_t n)
{
	uint8_t frame[1600];

	for (size_t i = 0; i < n; i++)
		frame[i] = (uint8_t)(i * 5 + n);
	fake_cs_receive(frame, n);
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
	fake_cs_power_on();
	chip.absent = true;
	CHECK(!nic_init(mac));
	CHECK(net_tick() < 250);
}

TEST(another_chip_is_refused)
{
	fake_cs_power_on();
	chip.pp[0] = 0x1234;
	CHECK(!nic_init(mac));
}

TEST(a_chip_that_stays_in_reset_is_refused)
{
	fake_cs_power_on();
	chip.reset_until_us = UINT64_MAX;
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
