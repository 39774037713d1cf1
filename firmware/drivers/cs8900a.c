// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Driver of the Cirrus CS8900A on an 8-bit bus in I/O mode, polled: the network chip of net/nic.h.
 *
 * Data sheet DS271F4 ("D") and application note AN181 ("CS8900A in 8-bit mode"). In this mode interrupts, DMA and the pointer's auto-increment
 * do not work, and both bytes of every status register must be read. The board brings bus.h: bus_read(offset), bus_write(offset, byte) of the
 * sixteen I/O ports.
 */
#include "bus.h"
#include "net/net.h"
#include "net/nic.h"

/* I/O ports (D 4.10); the odd neighbour is the high byte. */
#define PORT_DATA 0x00
#define PORT_TXCMD 0x04
#define PORT_TXLEN 0x06
#define PORT_PP_POINTER 0x0a
#define PORT_PP_DATA 0x0c

/* PacketPage addresses (D 4.4). */
#define PP_PRODUCT_ID 0x0000
#define PP_RXCFG 0x0102
#define PP_RXCTL 0x0104
#define PP_LINECTL 0x0112
#define PP_SELFCTL 0x0114
#define PP_RXEVENT 0x0124
#define PP_TXEVENT 0x0128
#define PP_RXMISS 0x0130
#define PP_LINEST 0x0134
#define PP_SELFST 0x0136
#define PP_BUSST 0x0138
#define PP_ADDRESS 0x0158

/* Values written keep the register's own number in bits 5 to 0. */
#define PRODUCT_ID 0x630e
#define RXCFG_SKIP_1 0x0043
#define RXCTL_OK_INDIVIDUAL_BROADCAST 0x0d05
#define LINECTL_RX_TX_ON 0x00d3                   /* AutoAUI/10BT clear: 10BASE-T only */
#define SELFCTL_RESET 0x0055
#define RXEVENT_OK 0x0100
#define EVENT_BITS 0xffc0                         /* without the register's number */
#define LINEST_LINK_OK 0x0080
#define SELFST_INITD 0x0080
#define SELFST_SIBUSY 0x0100
#define BUSST_BID_ERROR 0x0080
#define BUSST_READY_NOW 0x0100
#define TXCMD_WHOLE_FRAME 0x00c9                  /* start when the whole frame is in; with padding and CRC */
#define TXCMD_FORCE 0x0100                        /* drops what is queued */

#define RESET_MS 100                              /* D: about 10 ms */
#define TX_MS 100                                 /* 16 collisions with their back-off stay well below */

static uint16_t rx_left;
static uint8_t rx_odd, tx_odd;                    /* the next byte belongs to the odd port */
static uint8_t tx_busy;

static void point(uint16_t at)
{
	bus_write(PORT_PP_POINTER, (uint8_t)at);
	bus_write(PORT_PP_POINTER + 1, (uint8_t)(at >> 8));
}

static uint16_t pp_read(uint16_t at)
{
	uint8_t low;

	point(at);
	low = bus_read(PORT_PP_DATA);
	return (uint16_t)(low | (uint16_t)bus_read(PORT_PP_DATA + 1) << 8);
}

static void pp_write(uint16_t at, uint16_t v)
{
	point(at);
	bus_write(PORT_PP_DATA, (uint8_t)v);
	bus_write(PORT_PP_DATA + 1, (uint8_t)(v >> 8));
}

static bool expired(uint16_t since, uint16_t ms)
{
	return (uint16_t)(net_tick() - since) >= ms;
}

/* Waits for the end of the internal reset and calibration; until then nothing but SelfST may be touched (AN205). */
static bool wait_initialised(void)
{
	uint16_t since = net_tick();

	while ((pp_read(PP_SELFST) & (SELFST_INITD | SELFST_SIBUSY)) != SELFST_INITD)
		if (expired(since, RESET_MS))
			return false;
	return true;
}

/* The low byte, which holds the bit, comes last: from then on the chip resets, and must be left alone. */
static void reset(void)
{
	point(PP_SELFCTL);
	bus_write(PORT_PP_DATA + 1, SELFCTL_RESET >> 8);
	bus_write(PORT_PP_DATA, (uint8_t)SELFCTL_RESET);
}

bool nic_init(const uint8_t NET_MEM *mac)
{
	uint8_t i;

	rx_left = 0;
	tx_busy = 0;
	if (!wait_initialised() || pp_read(PP_PRODUCT_ID) != PRODUCT_ID)
		return false;
	reset();
	if (!wait_initialised())
		return false;
	for (i = 0; i < 6; i += 2)
		pp_write((uint16_t)(PP_ADDRESS + i), (uint16_t)(mac[i] | (uint16_t)mac[i + 1] << 8));
	pp_write(PP_RXCTL, RXCTL_OK_INDIVIDUAL_BROADCAST);
	pp_write(PP_LINECTL, LINECTL_RX_TX_ON);
	return true;
}

bool nic_link(void)
{
	return (pp_read(PP_LINEST) & LINEST_LINK_OK) != 0;
}

uint16_t nic_missed(void)
{
	return pp_read(PP_RXMISS) >> 6;
}

/* RxStatus and RxLength come high byte first (AN181). */
static uint16_t read_word_high_first(void)
{
	uint8_t high = bus_read(PORT_DATA + 1);

	return (uint16_t)((uint16_t)high << 8 | bus_read(PORT_DATA));
}

/* Frees the rest of the frame in front. Only after its RxStatus and RxLength were read, or the chip's buffer jams (AN205). */
static void skip_frame(void)
{
	pp_write(PP_RXCFG, RXCFG_SKIP_1);
	rx_left = 0;
}

bool nic_rx_begin(uint16_t *len)
{
	if (!(pp_read(PP_RXEVENT) & RXEVENT_OK))
		return false;
	read_word_high_first();                           /* RxStatus: says again what RxEvent said */
	rx_left = read_word_high_first();
	rx_odd = 0;
	if (rx_left == 0 || rx_left > NIC_FRAME_BYTES) {
		skip_frame();
		return false;
	}
	*len = rx_left;
	return true;
}

/* Byte k of a frame comes out of port k mod 2. */
void nic_rx_bytes(uint8_t NET_MEM *dst, uint16_t n)
{
	rx_left -= n;
	if (n && rx_odd) {
		*dst++ = bus_read(PORT_DATA + 1);
		rx_odd = 0;
		n--;
	}
	while (n >= 2) {
		*dst++ = bus_read(PORT_DATA);
		*dst++ = bus_read(PORT_DATA + 1);
		n -= 2;
	}
	if (n) {
		*dst = bus_read(PORT_DATA);
		rx_odd = 1;
	}
}

void nic_rx_skip(uint16_t n)
{
	uint8_t NET_MEM *into = &net_scratch[0];

	while (n--)
		nic_rx_bytes(into, 1);
}

void nic_rx_end(void)
{
	if (rx_left)
		skip_frame();
}

static void tx_command(uint16_t command, uint16_t len)
{
	bus_write(PORT_TXCMD, (uint8_t)command);
	bus_write(PORT_TXCMD + 1, (uint8_t)(command >> 8));
	bus_write(PORT_TXLEN, (uint8_t)len);
	bus_write(PORT_TXLEN + 1, (uint8_t)(len >> 8));
}

static void tx_abort(void)
{
	tx_command(TXCMD_WHOLE_FRAME | TXCMD_FORCE, 0);
	tx_busy = 0;
}

/* One frame may be in progress (AN83): waits for the last one's event, sent or failed. */
static void wait_sent(void)
{
	uint16_t since = net_tick();

	while (tx_busy) {
		if (pp_read(PP_TXEVENT) & EVENT_BITS)
			tx_busy = 0;
		else if (expired(since, TX_MS))
			tx_abort();
	}
}

/* The bid is committed by reading BusST, both bytes, while it says ready (D 5.7). */
bool nic_tx_begin(uint16_t len)
{
	uint16_t since, status;

	wait_sent();
	tx_odd = 0;
	tx_command(TXCMD_WHOLE_FRAME, len);
	since = net_tick();
	do {
		status = pp_read(PP_BUSST);
		if (status & BUSST_READY_NOW)
			return true;
	} while (!(status & BUSST_BID_ERROR) && !expired(since, TX_MS));
	tx_abort();
	return false;
}

void nic_tx_bytes(const uint8_t NET_MEM *src, uint16_t n)
{
	if (n && tx_odd) {
		bus_write(PORT_DATA + 1, *src++);
		tx_odd = 0;
		n--;
	}
	while (n >= 2) {
		bus_write(PORT_DATA, *src++);
		bus_write(PORT_DATA + 1, *src++);
		n -= 2;
	}
	if (n) {
		bus_write(PORT_DATA, *src);
		tx_odd = 1;
	}
}

void nic_tx_end(void)
{
	tx_busy = 1;                                      /* the last byte has started it */
}
