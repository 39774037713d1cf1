// SPDX-License-Identifier: GPL-2.0-or-later
#include "drivers/pcap_file.h"

#include <string.h>

enum { FILE_HEADER = 24, RECORD_HEADER = 16, LINK_ETHERNET = 1 };
#define MAGIC_NS 0xA1B23C4Du

/* The virtual board writes on the same machine: its byte order is ours. */
static uint32_t word(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, 4);
	return v;
}

/* How long the piece at p is, of which n bytes are there: 0 = cannot tell yet. */
static size_t piece(const struct pcap_cut *c, const uint8_t *p, size_t n)
{
	if (!c->header)
		return FILE_HEADER;
	return n < RECORD_HEADER ? 0 : RECORD_HEADER + (size_t)word(p + 8);
}

static bool check(const struct pcap_cut *c, const uint8_t *p, size_t n, struct err *e)
{
	if (!c->header && n >= FILE_HEADER && (word(p) != MAGIC_NS || word(p + 20) != LINK_ETHERNET))
		return err_set(e, ERR_PROTOCOL, "not a nanosecond Ethernet pcap stream: it begins with %08x, link type %u", word(p), word(p + 20));
	if (c->header && n >= RECORD_HEADER && word(p + 8) > PCAP_RECORD_MOST)
		return err_set(e, ERR_PROTOCOL, "record %llu of the pcap stream claims %u bytes", (unsigned long long)c->records + 1, word(p + 8));
	return true;
}

bool pcap_cut_take(struct pcap_cut *c, const void *bytes, size_t n, struct buf *out, struct err *e)
{
	size_t at = 0, size;

	buf_add(&c->rest, bytes, n);
	for (;;) {
		const uint8_t *p = c->rest.bytes + at;
		size_t left = c->rest.size - at;
		if (!check(c, p, left, e))
			return false;
		size = piece(c, p, left);
		if (size == 0 || left < size)
			break;
		at += size;
		c->records += c->header;
		c->header = true;
	}
	buf_add(out, c->rest.bytes, at);
	buf_drop(&c->rest, at);
	return true;
}

void pcap_cut_finish(struct pcap_cut *c)
{
	buf_finish(&c->rest);
	*c = (struct pcap_cut){ .header = false };
}
