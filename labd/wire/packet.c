// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames to packets: link header, IPv4, TCP or UDP, each layer a function that narrows what is left. */
#include "wire/packet.h"

#include <pcap/dlt.h>
#include <string.h>

#ifndef DLT_LINUX_SLL2
#define DLT_LINUX_SLL2 276
#endif

enum { ETHERTYPE_IPV4 = 0x0800, PROTOCOL_TCP = 6, PROTOCOL_UDP = 17, ETHERNET_HEADER = 14, ETHERNET_LEAST = 60, ETHERNET_FCS = 4 };

/* Where a link header keeps the type of what it carries. */
static const struct link_header { int type; uint8_t bytes, type_at; } headers[] = {
	{ DLT_EN10MB, ETHERNET_HEADER, 12 },
	{ DLT_LINUX_SLL, 16, 14 },
	{ DLT_LINUX_SLL2, 20, 0 },
};

static const struct link_header *header_of(int link_type)
{
	for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
		if (headers[i].type == link_type)
			return &headers[i];
	return NULL;
}

bool packet_link_known(int link_type)
{
	return header_of(link_type) != NULL;
}

static uint16_t be16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static uint32_t be32(const uint8_t *p)
{
	return (uint32_t)be16(p) << 16 | be16(p + 2);
}

/* Sums 32-bit words in memory order, which a ones' complement sum allows (RFC 1071 section 2B); the fold puts them right. */
uint64_t packet_sum(uint64_t sum, const uint8_t *bytes, size_t n)
{
	uint32_t word;
	uint8_t rest[4] = { 0 };

	for (; n >= 4; n -= 4, bytes += 4) {
		memcpy(&word, bytes, 4);
		sum += word;
	}
	memcpy(rest, bytes, n);
	memcpy(&word, rest, 4);
	return sum + word;
}

uint16_t packet_fold(uint64_t sum)
{
	uint8_t bytes[2];
	uint16_t folded;

	sum = (sum >> 32) + (sum & 0xFFFFFFFFu);
	sum = (sum >> 32) + (sum & 0xFFFFFFFFu);
	sum = (sum >> 16) + (sum & 0xFFFF);
	sum = (sum >> 16) + (sum & 0xFFFF);
	folded = (uint16_t)~((sum >> 16) + (sum & 0xFFFF));
	memcpy(bytes, &folded, 2);
	return be16(bytes);
}

/* The sum over pseudo header and segment, 0 when right; and the pseudo header's own, for senders that leave the rest to their card. */
struct sums { uint16_t all, pseudo; };

static struct sums transport_sums(const uint8_t *ip, uint8_t protocol, const uint8_t *segment, uint32_t n)
{
	uint8_t pseudo[12] = { 0 };
	uint64_t sum;

	memcpy(pseudo, ip + 12, 8);
	pseudo[9] = protocol;
	pseudo[10] = (uint8_t)(n >> 8);
	pseudo[11] = (uint8_t)n;
	sum = packet_sum(0, pseudo, sizeof pseudo);
	return (struct sums){ packet_fold(packet_sum(sum, segment, n)), (uint16_t)~packet_fold(sum) };
}

static void read_options(const uint8_t *at, const uint8_t *end, struct packet *out)
{
	while (at < end && *at != 0) {
		if (*at == 1) {
			at++;
			continue;
		}
		if (end - at < 2 || at[1] < 2 || at[1] > end - at)
			return;
		if (at[0] == 2 && at[1] == 4)
			out->mss = be16(at + 2);
		if (at[0] == 3 && at[1] == 3)
			out->window_shift = (int8_t)(at[2] > 14 ? 14 : at[2]);
		at += at[1];
	}
}

static enum packet_kind read_tcp(const uint8_t *tcp, uint32_t n, struct packet *out)
{
	uint32_t header = n >= 20 ? (uint32_t)(tcp[12] >> 4) * 4 : 0;

	if (header < 20 || header > n)
		return PACKET_CUT;
	out->source_port = be16(tcp);
	out->target_port = be16(tcp + 2);
	out->seq = be32(tcp + 4);
	out->ack = be32(tcp + 8);
	out->flags = tcp[13];
	out->window = be16(tcp + 14);
	if (out->flags & TCP_SYN)
		read_options(tcp + 20, tcp + header, out);
	out->payload = tcp + header;
	out->payload_bytes = n - header;
	return PACKET_TCP;
}

static enum packet_kind read_udp(const uint8_t *udp, uint32_t n, struct packet *out)
{
	if (n < 8 || be16(udp + 4) < 8 || be16(udp + 4) > n)
		return PACKET_CUT;
	out->source_port = be16(udp);
	out->target_port = be16(udp + 2);
	out->payload = udp + 8;
	out->payload_bytes = be16(udp + 4) - 8u;
	return PACKET_UDP;
}

static void check_sums(const uint8_t *ip, uint32_t header, uint32_t rest, struct packet *out)
{
	const uint8_t *segment = ip + header;
	uint16_t field = be16(segment + (ip[9] == PROTOCOL_TCP ? 16 : 6));
	struct sums sums = transport_sums(ip, ip[9], segment, rest);
	bool header_ok = packet_fold(packet_sum(0, ip, header)) == 0, none_made = ip[9] == PROTOCOL_UDP && field == 0;

	out->checksum_ok = header_ok && (none_made || sums.all == 0);
	out->checksum_left_out = header_ok && !out->checksum_ok && field == sums.pseudo;
}

static enum packet_kind read_ip(const uint8_t *ip, uint32_t n, struct packet *out)
{
	uint32_t header, total;

	if (n < 20)
		return PACKET_CUT;
	header = (uint32_t)(ip[0] & 15) * 4;
	total = be16(ip + 2);
	if (ip[0] >> 4 != 4)
		return PACKET_OTHER;
	if (header < 20 || total < header)
		return PACKET_CUT;
	out->source = be32(ip + 12);
	out->target = be32(ip + 16);
	if ((be16(ip + 6) & 0x3FFF) != 0 || (ip[9] != PROTOCOL_TCP && ip[9] != PROTOCOL_UDP))
		return PACKET_OTHER;
	if (total > n)
		return PACKET_CUT;
	uint32_t rest = total - header;
	enum packet_kind kind = (ip[9] == PROTOCOL_TCP ? read_tcp : read_udp)(ip + header, rest, out);
	if (kind != PACKET_CUT)
		check_sums(ip, header, kind == PACKET_UDP ? out->payload_bytes + 8 : rest, out);
	return kind;
}

void packet_read(int link_type, const uint8_t *bytes, uint32_t captured, uint32_t wire_length, struct packet *out)
{
	const struct link_header *h = header_of(link_type);
	uint32_t on_ethernet = h ? wire_length - h->bytes + ETHERNET_HEADER : wire_length;

	*out = (struct packet){ .kind = PACKET_OTHER, .window_shift = -1 };
	if (!h)
		return;
	if (captured < h->bytes || wire_length < h->bytes) {
		out->kind = PACKET_CUT;
		return;
	}
	out->wire_bytes = (on_ethernet < ETHERNET_LEAST ? ETHERNET_LEAST : on_ethernet) + ETHERNET_FCS;
	if (be16(bytes + h->type_at) == ETHERTYPE_IPV4)
		out->kind = read_ip(bytes + h->bytes, captured - h->bytes, out);
}
