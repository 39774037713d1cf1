// SPDX-License-Identifier: GPL-2.0-or-later
/* For tests: the network chip as queues of frames. */
#include "net/fake_nic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/net.h"
#include "net/nic.h"

struct frame {
	uint8_t bytes[2048];
	size_t n;
};

static struct frame in[FAKE_FRAMES], out[FAKE_FRAMES];
static size_t in_put, in_get, out_put, out_get;
static size_t rx_at, tx_announced;
static bool rx_open, tx_open, link_up, dead;
static unsigned refuse;
static uint16_t missed;
static uint32_t now;

static void misuse(const char *what)
{
	fprintf(stderr, "fake_nic: %s\n", what);
	abort();
}

void fake_reset(void)
{
	in_put = in_get = out_put = out_get = 0;
	rx_open = tx_open = dead = false;
	link_up = true;
	refuse = 0;
	missed = 0;
	now = 60000;
}

void fake_push(const void *bytes, size_t n)
{
	struct frame *f = &in[in_put++ % FAKE_FRAMES];

	if (n > sizeof f->bytes || in_put - in_get > FAKE_FRAMES)
		misuse("too much pushed");
	memcpy(f->bytes, bytes, n);
	f->n = n;
}

bool fake_sent(const uint8_t **bytes, size_t *n)
{
	struct frame *f = &out[out_get % FAKE_FRAMES];

	if (out_get == out_put)
		return false;
	out_get++;
	*bytes = f->bytes;
	*n = f->n;
	return true;
}

void fake_advance(uint32_t ms)
{
	now += ms;
}

void fake_refuse_tx(unsigned n)
{
	refuse = n;
}

void fake_link(bool up)
{
	link_up = up;
}

void fake_chip_dead(bool is)
{
	dead = is;
}

void fake_missed(uint16_t n)
{
	missed = n;
}

uint16_t net_tick(void)
{
	return (uint16_t)now;
}

bool nic_init(const uint8_t *mac)
{
	(void)mac;
	return !dead;
}

bool nic_link(void)
{
	return link_up;
}

uint16_t nic_missed(void)
{
	uint16_t n = missed;

	missed = 0;
	return n;
}

bool nic_rx_begin(uint16_t *len)
{
	if (rx_open)
		misuse("a frame was begun and not ended");
	if (in_get == in_put)
		return false;
	rx_open = true;
	rx_at = 0;
	*len = (uint16_t)in[in_get % FAKE_FRAMES].n;
	return true;
}

void nic_rx_bytes(uint8_t *dst, uint16_t n)
{
	struct frame *f = &in[in_get % FAKE_FRAMES];

	if (!rx_open || rx_at + n > f->n)
		misuse("reading past the end of a frame");
	memcpy(dst, f->bytes + rx_at, n);
	rx_at += n;
}

void nic_rx_skip(uint16_t n)
{
	if (!rx_open || rx_at + n > in[in_get % FAKE_FRAMES].n)
		misuse("skipping past the end of a frame");
	rx_at += n;
}

void nic_rx_end(void)
{
	if (!rx_open)
		misuse("no frame to end");
	rx_open = false;
	in_get++;
}

bool nic_tx_begin(uint16_t len)
{
	struct frame *f = &out[out_put % FAKE_FRAMES];

	if (rx_open || tx_open || len > NIC_FRAME_BYTES)
		misuse("a transmission begins at the wrong time, or is too long");
	if (refuse) {
		refuse--;
		return false;
	}
	tx_open = true;
	tx_announced = len;
	f->n = 0;
	return true;
}

void nic_tx_bytes(const uint8_t *src, uint16_t n)
{
	struct frame *f = &out[out_put % FAKE_FRAMES];

	if (!tx_open || f->n + n > tx_announced)
		misuse("more sent than announced");
	memcpy(f->bytes + f->n, src, n);
	f->n += n;
}

void nic_tx_end(void)
{
	if (!tx_open || out[out_put % FAKE_FRAMES].n != tx_announced)
		misuse("another length sent than announced");
	tx_open = false;
	out_put++;
	if (out_put - out_get > FAKE_FRAMES)
		out_get = out_put - FAKE_FRAMES;
}
