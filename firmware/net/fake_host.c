// SPDX-License-Identifier: GPL-2.0-or-later
/* For tests: builds and takes apart packets. */
#include "net/fake_host.h"

#include <stdio.h>
#include <string.h>

#include "net/fake_nic.h"

const uint8_t host_mac[6] = { 0x02, 0, 0, 0x77, 0, 0xfe }, host_ip[4] = { 10, 77, 0, 254 };
const uint8_t board_mac[6] = { 0x02, 0, 0, 0x77, 0, 0x01 }, board_ip[4] = { 10, 77, 0, 1 };

static void put16(uint8_t *p, unsigned v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static void put32(uint8_t *p, uint32_t v)
{
	put16(p, v >> 16);
	put16(p + 2, v & 0xffff);
}

static unsigned get16(const uint8_t *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

static uint32_t get32(const uint8_t *p)
{
	return (uint32_t)get16(p) << 16 | get16(p + 2);
}

uint16_t host_sum(uint32_t start, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;
	uint64_t sum = start;

	for (size_t i = 0; i < n; i++)
		sum += i & 1 ? p[i] : (uint64_t)p[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

static uint16_t pseudo(const uint8_t *source, const uint8_t *target, uint8_t protocol, size_t n)
{
	return host_sum(host_sum((uint32_t)(protocol + n), source, 4), target, 4);
}

void host_ip_packet(struct ip_packet p)
{
	static const uint8_t everybody[6] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	uint8_t frame[2048] = { 0 }, *ip = frame + 14;
	size_t head = 20 + p.options_n;

	memcpy(frame, p.broadcast ? everybody : board_mac, 6);
	memcpy(frame + 6, host_mac, 6);
	put16(frame + 12, 0x0800);
	ip[0] = p.version_length ? p.version_length : (uint8_t)(0x40 | head / 4);
	put16(ip + 2, (unsigned)((int)(head + p.n) + p.total_off));
	put16(ip + 6, p.fragment);
	ip[8] = 64;
	ip[9] = p.protocol;
	memcpy(ip + 12, p.source ? p.source : host_ip, 4);
	memcpy(ip + 16, p.target ? p.target : board_ip, 4);
	if (p.options_n)
		memcpy(ip + 20, p.options, p.options_n);
	put16(ip + 10, (uint16_t)(~host_sum(0, ip, head) ^ (p.bad_sum ? 1 : 0)));
	if (p.n)
		memcpy(ip + head, p.payload, p.n);
	fake_push(frame, 14 + head + p.n + p.padding);
}

void host_tcp(struct tcp_packet p)
{
	uint8_t t[1800] = { 0 };
	size_t head = 20 + p.options_n, n = head + p.n;

	put16(t, p.from ? p.from : HOST_PORT);
	put16(t + 2, p.to ? p.to : BOARD_PORT);
	put32(t + 4, p.seq);
	put32(t + 8, p.ack);
	t[12] = (uint8_t)((p.length ? p.length : head / 4) << 4);
	t[13] = p.flags;
	put16(t + 14, p.window_closed ? 0 : p.window ? p.window : 65535);
	if (p.options_n)
		memcpy(t + 20, p.options, p.options_n);
	if (p.n)
		memcpy(t + head, p.data, p.n);
	put16(t + 16, (uint16_t)(~host_sum(pseudo(host_ip, board_ip, 6, n), t, n) ^ (p.bad_sum ? 1 : 0)));
	host_ip_packet((struct ip_packet){ .protocol = 6, .payload = t, .n = n });
}

void host_udp(struct udp_packet p)
{
	uint8_t u[1800] = { 0 };
	size_t n = 8 + p.n;

	put16(u, p.from ? p.from : HOST_PORT);
	put16(u + 2, p.to ? p.to : BOARD_PORT);
	put16(u + 4, (unsigned)((int)n + p.length_off));
	if (p.n)
		memcpy(u + 8, p.data, p.n);
	if (!p.no_sum)
		put16(u + 6, (uint16_t)(~host_sum(pseudo(host_ip, board_ip, 17, n), u, n) ^ (p.bad_sum ? 1 : 0)));
	host_ip_packet((struct ip_packet){ .protocol = 17, .payload = u, .n = n });
}

static bool wrong(const char *what)
{
	fprintf(stderr, "fake_host: a packet with a wrong %s was sent\n", what);
	return false;
}

static bool take_tcp(const uint8_t *t, size_t n, struct sent *s)
{
	size_t head = (size_t)(t[12] >> 4) * 4;

	if (n < 20 || head < 20 || head > n)
		return wrong("TCP header length");
	s->seq = get32(t + 4);
	s->ack = get32(t + 8);
	s->flags = t[13];
	s->window = (uint16_t)get16(t + 14);
	s->mss = head == 24 && t[20] == 2 && t[21] == 4 ? (uint16_t)get16(t + 22) : 0;
	s->data = t + head;
	s->n = n - head;
	return true;
}

static bool take_ip(const uint8_t *f, size_t size, struct sent *s)
{
	const uint8_t *ip = f + 14, *p = ip + 20;
	size_t n = get16(ip + 2) - 20u;

	if (get16(ip + 2) + 14u != size || ip[0] != 0x45)
		return wrong("IP length");
	if (host_sum(0, ip, 20) != 0xffff)
		return wrong("IP checksum");
	if (memcmp(ip + 12, board_ip, 4) || memcmp(ip + 16, host_ip, 4))
		return wrong("IP address");
	s->protocol = ip[9];
	if (host_sum(ip[9] == 1 ? 0 : pseudo(ip + 12, ip + 16, ip[9], n), p, n) != 0xffff)
		return wrong("checksum");
	s->from = (uint16_t)get16(p);
	s->to = (uint16_t)get16(p + 2);
	s->data = p + 8;
	s->n = n - 8;
	return ip[9] != 6 || take_tcp(p, n, s);
}

bool host_got(struct sent *s)
{
	const uint8_t *f;
	size_t n;

	memset(s, 0, sizeof *s);
	if (!fake_sent(&f, &n))
		return false;
	if (n < 42 || memcmp(f, host_mac, 6) || memcmp(f + 6, board_mac, 6))
		return wrong("Ethernet address");
	return take_ip(f, n, s);
}

bool host_got_nothing(void)
{
	const uint8_t *f;
	size_t n;

	return !fake_sent(&f, &n);
}
