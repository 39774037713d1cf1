// SPDX-License-Identifier: GPL-2.0-or-later
#include "wire/frame_builder.h"

#include <pcap/dlt.h>
#include <string.h>

#include "wire/trigger_text.h"

static const uint8_t board_ip[4] = { 10, 77, 0, 1 }, host_ip[4] = { 10, 77, 0, 254 };
static const uint8_t board_mac[6] = { 2, 0, 0, 0x77, 0, 1 }, host_mac[6] = { 2, 0, 0, 0x77, 0, 254 };

static void le32(struct buf *b, uint32_t v)
{
	buf_add(b, (uint8_t[]){ (uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16), (uint8_t)(v >> 24) }, 4);
}

static void put16(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static void put32(uint8_t *p, uint32_t v)
{
	put16(p, v >> 16);
	put16(p + 2, v);
}

void builder_begin(struct builder *b, int link_type)
{
	*b = (struct builder){ .link_type = link_type, .host_port = BUILD_HOST_PORT, .board_port = BUILD_BOARD_PORT };
	le32(&b->pcap, 0xA1B23C4D);
	le32(&b->pcap, 2 | 4 << 16);
	le32(&b->pcap, 0);
	le32(&b->pcap, 0);
	le32(&b->pcap, 65535);
	le32(&b->pcap, link_type == DLT_LINUX_SLL ? 113 : (uint32_t)link_type);
}

void builder_finish(struct builder *b)
{
	buf_finish(&b->pcap);
}

static size_t put_link(const struct builder *b, uint8_t *p, bool from_board)
{
	memset(p, 0, 20);
	if (b->link_type == DLT_EN10MB) {
		memcpy(p, from_board ? host_mac : board_mac, 6);
		memcpy(p + 6, from_board ? board_mac : host_mac, 6);
		put16(p + 12, 0x0800);
		return 14;
	}
	if (b->link_type == DLT_LINUX_SLL) {
		put16(p, from_board ? 0 : 4);
		put16(p + 2, 1);
		put16(p + 4, 6);
		memcpy(p + 6, from_board ? board_mac : host_mac, 6);
		put16(p + 14, 0x0800);
		return 16;
	}
	put16(p, 0x0800);
	put16(p + 8, 1);
	p[10] = from_board ? 0 : 4;
	p[11] = 6;
	return 20;
}

static void put_ip(uint8_t *ip, bool from_board, uint8_t protocol, size_t total)
{
	memset(ip, 0, 20);
	ip[0] = 0x45;
	put16(ip + 2, (uint32_t)total);
	ip[8] = 64;
	ip[9] = protocol;
	memcpy(ip + 12, from_board ? board_ip : host_ip, 4);
	memcpy(ip + 16, from_board ? host_ip : board_ip, 4);
	put16(ip + 10, packet_fold(packet_sum(0, ip, 20)));
}

/* segment: header and payload, its checksum field still 0. */
static void add_frame(struct builder *b, uint64_t at_ns, bool from_board, uint8_t protocol, uint8_t *segment, size_t n, size_t sum_at)
{
	uint8_t head[40], pseudo[12] = { 0 };
	size_t link = put_link(b, head, from_board), size;
	uint64_t sum;

	put_ip(head + link, from_board, protocol, 20 + n);
	memcpy(pseudo, head + link + 12, 8);
	pseudo[9] = protocol;
	put16(pseudo + 10, (uint32_t)n);
	sum = packet_sum(0, pseudo, 12);
	if (b->leave_sums_out && !from_board)
		put16(segment + sum_at, (uint16_t)~packet_fold(sum));
	else
		put16(segment + sum_at, packet_fold(packet_sum(sum, segment, n)));
	size = link + 20 + n;
	size_t pad = b->link_type == DLT_EN10MB && size < 60 ? 60 - size : 0;
	le32(&b->pcap, (uint32_t)(at_ns / 1000000000));
	le32(&b->pcap, (uint32_t)(at_ns % 1000000000));
	le32(&b->pcap, (uint32_t)(size + pad));
	le32(&b->pcap, (uint32_t)(size + pad));
	b->last = b->pcap.size;
	buf_add(&b->pcap, head, link + 20);
	buf_add(&b->pcap, segment, n);
	while (pad-- > 0)
		buf_add_byte(&b->pcap, 0);
	b->frames++;
	b->bytes += b->pcap.size - b->last;
}

void builder_tcp(struct builder *b, uint64_t at_ns, const struct build_tcp *t)
{
	uint8_t segment[4096] = { 0 };
	size_t header = t->mss ? 24 : 20;

	put16(segment, t->from_board ? b->board_port : b->host_port);
	put16(segment + 2, t->from_board ? b->host_port : b->board_port);
	put32(segment + 4, t->seq);
	put32(segment + 8, t->ack);
	segment[12] = (uint8_t)(header / 4 << 4);
	segment[13] = t->flags;
	put16(segment + 14, t->window);
	if (t->mss) {
		put16(segment + 20, 0x0204);
		put16(segment + 22, t->mss);
	}
	if (t->n)
		memcpy(segment + header, t->payload, t->n);
	b->payload_bytes += t->n;
	add_frame(b, at_ns, t->from_board, 6, segment, header + t->n, 16);
}

void builder_udp(struct builder *b, uint64_t at_ns, bool from_board, const void *payload, size_t n)
{
	uint8_t segment[4096] = { 0 };

	put16(segment, from_board ? b->board_port : b->host_port);
	put16(segment + 2, from_board ? b->host_port : b->board_port);
	put16(segment + 4, (uint32_t)(8 + n));
	memcpy(segment + 8, payload, n);
	b->payload_bytes += n;
	add_frame(b, at_ns, from_board, 17, segment, 8 + n, 6);
}

struct flow_query builder_query(uint32_t payload_bytes, uint32_t count)
{
	struct flow_query q = { .kind = FLOW_TRIGGER, .board_port = BUILD_BOARD_PORT, .payload_bytes = payload_bytes, .count = count };

	memcpy(q.board_ip, board_ip, 4);
	memcpy(q.host_ip, host_ip, 4);
	return q;
}

void builder_corrupt(struct builder *b, size_t from_end)
{
	b->pcap.bytes[b->pcap.size - from_end] ^= 0x10;
}

void builder_payload(uint32_t frame, uint8_t *out, size_t n)
{
	for (size_t k = 0; k < n; k++)
		out[k] = (uint8_t)(k + 31 * frame);
}

/* Numbers of a run as it goes on: what each side sends next. */
struct running {
	struct builder *b;
	const struct build_run *r;
	uint64_t now;
	uint32_t board, host;
};

static void say(struct running *s, bool from_board, uint8_t flags, uint16_t window, const void *payload, size_t n)
{
	bool syn = flags & TCP_SYN, first = syn && !from_board;
	struct build_tcp t = { .from_board = from_board, .seq = from_board ? s->board : s->host, .ack = first ? 0 : from_board ? s->host : s->board,
		.flags = flags, .window = window, .mss = syn ? 1460 : 0, .payload = payload, .n = n };

	builder_tcp(s->b, s->now, &t);
}

static void open_run(struct running *s)
{
	const struct build_run *r = s->r;
	char line[TRIGGER_LINE_MOST + 1];
	size_t n = trigger_line(line, r->n, r->count, false, false);

	say(s, false, TCP_SYN, 65535, NULL, 0);
	s->host++;
	s->now += 400000;
	say(s, true, TCP_SYN | TCP_ACK, 1460, NULL, 0);
	s->board++;
	s->now += 155000;
	say(s, false, TCP_ACK, 65535, NULL, 0);
	for (int i = 0; i < r->lose_trigger; i++, s->now += 200000000)
		say(s, false, TCP_ACK | TCP_PSH, 65535, line, n);
	say(s, false, TCP_ACK | TCP_PSH, 65535, line, n);
	s->host += (uint32_t)n;
}

static void send_frame(struct running *s, uint32_t i)
{
	const struct build_run *r = s->r;
	uint8_t payload[2 * TRIGGER_PAYLOAD_MOST];
	bool is_merged = r->merged == i + 1;
	size_t n = is_merged ? 2 * r->n : r->n;

	builder_payload(i, payload, r->n);
	builder_payload(i + 1, payload + r->n, r->n);
	if (r->wrong_byte == i + 1)
		payload[r->n / 2] ^= 1;
	s->now += r->make_ns;
	say(s, true, TCP_ACK | TCP_PSH, r->zero_window == i + 1 ? 0 : 1460, payload, n);
	if (r->bad_sum == i + 1)
		builder_corrupt(s->b, 1);
	if (r->again == i + 1 || r->bad_sum == i + 1) {
		s->now += 1000000000;
		say(s, true, TCP_ACK | TCP_PSH, 1460, payload, n);
	}
	s->board += (uint32_t)n;
}

void builder_run(struct builder *b, const struct build_run *r)
{
	struct running s = { b, r, r->begin_ns, r->board_isn, r->host_isn };

	open_run(&s);
	for (uint32_t i = 0; i < r->count; i++) {
		send_frame(&s, i);
		if (r->stop_at == i + 1)
			return;
		if (r->twice_acked == i + 1) {
			s.board -= r->n;
			s.now += 1000;
			say(&s, false, TCP_ACK, 65535, NULL, 0);
			s.board += r->n;
		}
		s.now += r->ack_ns;
		say(&s, false, TCP_ACK, 65535, NULL, 0);
		i += r->merged == i + 1;
	}
	say(&s, false, TCP_ACK | TCP_FIN, 65535, NULL, 0);
	s.host++;
	s.now += 400000;
	say(&s, true, TCP_ACK | TCP_FIN, 1460, NULL, 0);
	s.board++;
	s.now += 155000;
	say(&s, false, TCP_ACK, 65535, NULL, 0);
}
