// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames in, frames out: Ethernet, ARP, IPv4, ICMP and UDP. */
#include <string.h>

#include "net/arp.h"
#include "net/bytes.h"
#include "net/checksum.h"
#include "net/fake_host.h"
#include "net/fake_nic.h"
#include "net/net.h"
#include "net/tcp.h"
#include "net/udp.h"
#include "test/harness.h"

static uint8_t spare[LAB_BUFFER_BYTES];
static bool spare_is_free;
static char heard[65];
static uint16_t heard_total;
static int heard_count;

uint8_t *app_spare_buffer(void)
{
	return spare_is_free ? spare : NULL;
}

void app_tcp_opened(void)
{
}

void app_tcp_closed(void)
{
}

void app_tcp_bytes(const uint8_t *data, uint16_t n)
{
	(void)data;
	(void)n;
}

void app_udp_bytes(const uint8_t *data, uint16_t total)
{
	heard_total = total;
	heard_count++;
	memset(heard, 0, sizeof heard);
	memcpy(heard, data, total < 64 ? total : 64);
}

static void start(void)
{
	fake_reset();
	memcpy(net_self.mac, board_mac, 6);
	memcpy(net_self.ip, board_ip, 4);
	net_init();
	udp_bind(BOARD_PORT);
	tcp_listen(BOARD_PORT);
	spare_is_free = true;
	heard_count = 0;
}

static void push_arp(unsigned operation, const uint8_t *target, size_t n)
{
	uint8_t f[60] = { 0 };

	memset(f, 0xff, 6);
	memcpy(f + 6, host_mac, 6);
	memcpy(f + 12, (uint8_t[]){ 8, 6, 0, 1, 8, 0, 6, 4, 0, (uint8_t)operation }, 10);
	memcpy(f + 22, host_mac, 6);
	memcpy(f + 28, host_ip, 4);
	memcpy(f + 38, target, 4);
	fake_push(f, n);
	net_poll();
}

static void push_echo(size_t n, bool bad_sum, uint8_t type)
{
	uint8_t p[2000] = { type, 0, 0, 0, 0x12, 0x34, 0, 7 };

	for (size_t i = 0; i < n; i++)
		p[8 + i] = (uint8_t)(i * 7);
	put16(p + 2, (uint16_t)(~host_sum(0, p, 8 + n) ^ (bad_sum ? 1 : 0)));
	host_ip_packet((struct ip_packet){ .protocol = 1, .payload = p, .n = 8 + n });
	net_poll();
}

static bool echoed(size_t n)
{
	struct sent s;

	if (!host_got(&s) || s.protocol != 1 || s.n != n || s.from != 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (s.data[i] != (uint8_t)(i * 7))
			return false;
	return get16(s.data - 4) == 0x1234 && get16(s.data - 2) == 7;
}

TEST(an_arp_request_for_us_is_answered)
{
	const uint8_t *f;
	size_t n;

	start();
	push_arp(1, board_ip, 60);
	CHECK(fake_sent(&f, &n));
	CHECK_EQ(n, 42);
	CHECK(!memcmp(f, host_mac, 6) && !memcmp(f + 6, board_mac, 6) && f[21] == 2);
	CHECK(!memcmp(f + 22, board_mac, 6) && !memcmp(f + 28, board_ip, 4));
	CHECK(!memcmp(f + 32, host_mac, 6) && !memcmp(f + 38, host_ip, 4));
	CHECK(host_got_nothing());
}

TEST(an_arp_request_for_another_or_a_reply_or_a_stump_is_not_answered)
{
	start();
	push_arp(1, host_ip, 60);
	push_arp(2, board_ip, 60);
	push_arp(1, board_ip, 41);
	CHECK(host_got_nothing());
}

TEST(an_announcement_is_a_request_for_our_own_address)
{
	const uint8_t *f;
	size_t n;

	start();
	arp_announce();
	CHECK(fake_sent(&f, &n));
	CHECK(f[0] == 0xff && f[5] == 0xff && f[21] == 1 && !memcmp(f + 28, board_ip, 4) && !memcmp(f + 38, board_ip, 4));
}

TEST(frames_too_short_for_a_header_or_of_other_types_are_dropped)
{
	uint8_t f[60] = { 0 };

	start();
	for (size_t n = 1; n < 34; n++) {
		memcpy(f + 12, n & 1 ? "\x08\x00" : "\x86\xdd", 2);
		fake_push(f, n);
		net_poll();
	}
	CHECK(host_got_nothing());
}

TEST(echo_of_every_length_up_to_the_buffer_comes_back)
{
	start();
	for (size_t n = 0; n <= LAB_BUFFER_BYTES; n += n < 70 ? 1 : 139) {
		push_echo(n, false, 8);
		CHECK(echoed(n));
	}
	push_echo(LAB_BUFFER_BYTES, false, 8);
	CHECK(echoed(LAB_BUFFER_BYTES));
	push_echo(LAB_BUFFER_BYTES + 1, false, 8);
	CHECK(host_got_nothing());
}

TEST(echo_stays_within_64_bytes_while_the_buffer_is_in_use)
{
	start();
	spare_is_free = false;
	push_echo(56, false, 8);
	CHECK(echoed(56));
	push_echo(64, false, 8);
	CHECK(echoed(64));
	push_echo(65, false, 8);
	CHECK(host_got_nothing());
}

TEST(other_icmp_is_ignored)
{
	start();
	push_echo(8, false, 0);
	push_echo(8, false, 3);
	host_ip_packet((struct ip_packet){ .protocol = 1, .payload = "\x08\x00\xf7\xff", .n = 4 });
	net_poll();
	CHECK(host_got_nothing());
}

/* A packet that would be answered if nothing were wrong with it. */
static bool is_dropped(struct ip_packet p)
{
	uint8_t echo[24] = { 8, 0, 0xf7, 0xff };

	start();
	p.payload = echo;
	p.n = sizeof echo;
	p.protocol = p.protocol ? p.protocol : 1;
	host_ip_packet(p);
	net_poll();
	return host_got_nothing();
}

TEST(ip_headers_that_are_wrong_are_dropped)
{
	static const uint8_t other[4] = { 10, 77, 0, 2 }, zero[4] = { 0 }, loopback[4] = { 127, 0, 0, 1 }, multicast[4] = { 224, 0, 0, 1 };

	CHECK(!is_dropped((struct ip_packet){ 0 }));
	CHECK(is_dropped((struct ip_packet){ .version_length = 0x65 }));
	CHECK(is_dropped((struct ip_packet){ .version_length = 0x44 }));
	CHECK(is_dropped((struct ip_packet){ .version_length = 0x4f }));
	CHECK(is_dropped((struct ip_packet){ .total_off = 1 }));
	CHECK(is_dropped((struct ip_packet){ .total_off = -25 }));
	CHECK(is_dropped((struct ip_packet){ .total_off = -30 }));
	CHECK(is_dropped((struct ip_packet){ .target = other }));
	CHECK(is_dropped((struct ip_packet){ .source = zero }));
	CHECK(is_dropped((struct ip_packet){ .source = loopback }));
	CHECK(is_dropped((struct ip_packet){ .source = multicast }));
	CHECK(is_dropped((struct ip_packet){ .source = board_ip }));
	CHECK(is_dropped((struct ip_packet){ .broadcast = true }));
	CHECK(is_dropped((struct ip_packet){ .protocol = 99 }));
}

TEST(fragments_are_dropped_and_dont_fragment_is_not)
{
	CHECK(is_dropped((struct ip_packet){ .fragment = 0x2000 }));
	CHECK(is_dropped((struct ip_packet){ .fragment = 0x0001 }));
	CHECK(is_dropped((struct ip_packet){ .fragment = 0x1fff }));
	CHECK(!is_dropped((struct ip_packet){ .fragment = 0x4000 }));
}

TEST(ip_options_are_skipped)
{
	static const uint8_t nops[40] = { 1, 1, 1, 1 };

	CHECK(!is_dropped((struct ip_packet){ .options = nops, .options_n = 4 }));
	CHECK(!is_dropped((struct ip_packet){ .options = nops, .options_n = 40 }));
}

TEST(padding_behind_a_packet_is_ignored)
{
	CHECK(!is_dropped((struct ip_packet){ .padding = 1 }));
	CHECK(!is_dropped((struct ip_packet){ .padding = 18 }));
}

TEST(wrong_checksums_are_dropped_if_and_only_if_the_build_looks)
{
	CHECK_EQ(is_dropped((struct ip_packet){ .bad_sum = true }), NET_CHECK_RX);
	start();
	push_echo(20, true, 8);
	CHECK_EQ(host_got_nothing(), NET_CHECK_RX);
	start();
	host_udp((struct udp_packet){ .data = "x", .n = 1, .bad_sum = true });
	net_poll();
	CHECK_EQ(heard_count, !NET_CHECK_RX);
}

TEST(a_datagram_is_heard_with_its_sender)
{
	start();
	host_udp((struct udp_packet){ .data = "hello", .n = 5, .from = 777 });
	net_poll();
	CHECK_STR(heard, "hello");
	CHECK_EQ(heard_total, 5);
	CHECK_EQ(net_from.port, 777);
	CHECK(!memcmp(net_from.ip, host_ip, 4) && !memcmp(net_from.mac, host_mac, 6));
}

TEST(a_datagram_without_checksum_is_heard)
{
	start();
	host_udp((struct udp_packet){ .data = "hello", .n = 5, .no_sum = true });
	net_poll();
	CHECK_EQ(heard_count, 1);
}

TEST(an_empty_and_a_long_datagram_are_heard_with_their_true_length)
{
	static const uint8_t zeros[1472];

	start();
	host_udp((struct udp_packet){ .n = 0 });
	net_poll();
	CHECK_EQ(heard_total, 0);
	host_udp((struct udp_packet){ .data = zeros, .n = sizeof zeros });
	net_poll();
	CHECK_EQ(heard_total, 1472);
	CHECK_EQ(heard_count, 2);
}

TEST(datagrams_for_other_ports_or_with_wrong_lengths_are_ignored)
{
	start();
	host_udp((struct udp_packet){ .data = "x", .n = 1, .to = 5101 });
	host_udp((struct udp_packet){ .data = "x", .n = 1, .length_off = 1 });
	host_udp((struct udp_packet){ .data = "x", .n = 1, .length_off = -1 });
	host_udp((struct udp_packet){ .data = "x", .n = 1, .length_off = -9 });
	host_ip_packet((struct ip_packet){ .protocol = 17, .payload = "\x9c\xa4\x13\xec\x00\x07\x00", .n = 7 });
	for (int i = 0; i < 5; i++)
		net_poll();
	CHECK_EQ(heard_count, 0);
	CHECK(host_got_nothing());
}

TEST(a_datagram_is_sent_whole)
{
	struct net_peer to = { { 0 }, { 0 }, 777 };
	struct sent s;

	start();
	memcpy(to.mac, host_mac, 6);
	memcpy(to.ip, host_ip, 4);
	for (int i = 0; i < LAB_BUFFER_BYTES; i++)
		spare[i] = (uint8_t)i;
	for (uint16_t n = 0; n <= LAB_BUFFER_BYTES; n = (uint16_t)(n + 73)) {
		CHECK(udp_send(&to, spare, n));
		CHECK(host_got(&s));
		CHECK(s.protocol == 17 && s.from == BOARD_PORT && s.to == 777);
		CHECK_EQ(s.n, n);
		CHECK(!memcmp(s.data, spare, n));
	}
	fake_refuse_tx(1);
	CHECK(!udp_send(&to, spare, 10));
	CHECK(host_got_nothing());
}

TEST(a_udp_checksum_that_comes_out_as_zero_is_sent_as_all_ones)
{
	struct net_peer to = { { 0 }, { 0 }, 777 };
	const uint8_t *f;
	size_t n;
	uint16_t sum;

	start();
	memcpy(to.ip, host_ip, 4);
	put16(spare, 0);
	udp_send(&to, spare, 2);
	CHECK(fake_sent(&f, &n));
	sum = get16(f + 40);
	put16(spare, sum);                        /* adding the complement makes the sum all ones, its complement zero */
	udp_send(&to, spare, 2);
	CHECK(fake_sent(&f, &n));
	CHECK_EQ(get16(f + 40), 0xffff);
}

TEST(the_checksum_equals_that_of_another_implementation_and_the_rfcs_example)
{
	static const uint8_t rfc1071[8] = { 0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7 };
	uint8_t p[200];
	uint32_t x = 1;

	CHECK_EQ(checksum_add(0, rfc1071, 8), 0xddf2);
	for (int round = 0; round < 300; round++) {
		uint16_t n = (uint16_t)(round % sizeof p), cut = (uint16_t)(n / 4 * 2);

		for (uint16_t i = 0; i < n; i++)
			p[i] = (uint8_t)((x = x * 1664525 + 1013904223) >> 24) | (round & 1 ? 0xfe : 0);
		CHECK_EQ(checksum_add(checksum_add(0, p, cut), p + cut, (uint16_t)(n - cut)), host_sum(0, p, n));
	}
}
