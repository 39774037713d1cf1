// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For tests: the computer at the other end of the wire. It builds frames for the stack and takes apart what the stack sends, with a checksum of
 * its own. Packets are built by one call from a description in which what is zero is usual, so that a test names only what is special.
 */
#ifndef NET_FAKE_HOST_H
#define NET_FAKE_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOST_PORT 40100
#define BOARD_PORT 5100

extern const uint8_t host_mac[6], host_ip[4], board_mac[6], board_ip[4];

struct ip_packet {
	uint8_t protocol;
	const void *payload;
	size_t n;
	const uint8_t *options;                   /* IP options, a multiple of 4 bytes */
	size_t options_n;
	uint16_t fragment;                        /* flags and offset */
	int total_off;                            /* added to the true total length */
	bool bad_sum;
	uint8_t version_length;                   /* 0 = the right one */
	size_t padding;                           /* bytes behind the packet in its frame */
	const uint8_t *source;                    /* IP address, null = host_ip */
	const uint8_t *target;                    /* null = board_ip */
	bool broadcast;                           /* to the Ethernet broadcast address */
};

struct tcp_packet {
	uint32_t seq, ack;
	uint8_t flags;
	uint16_t window;                          /* 0 = 65535 */
	bool window_closed;
	const void *data;
	size_t n;
	const uint8_t *options;
	size_t options_n;
	uint16_t from, to;                        /* 0 = HOST_PORT, BOARD_PORT */
	uint8_t length;                           /* of the header, in words; 0 = the right one */
	bool bad_sum;
};

struct udp_packet {
	const void *data;
	size_t n;
	uint16_t from, to;
	int length_off;
	bool bad_sum, no_sum;
};

/* A packet that the stack sent. data points into the frame. */
struct sent {
	uint8_t protocol;
	uint16_t from, to;
	uint32_t seq, ack;
	uint8_t flags;
	uint16_t window, mss;                     /* mss 0 = no option */
	const uint8_t *data;
	size_t n;
};

uint16_t host_sum(uint32_t start, const void *bytes, size_t n);

void host_ip_packet(struct ip_packet p);
void host_tcp(struct tcp_packet p);
void host_udp(struct udp_packet p);

/* The next packet sent. False: there is none, or one that is wrong: length, address, checksum (printed). */
bool host_got(struct sent *s);

/* Nothing was sent that was not asked for. */
bool host_got_nothing(void);

#endif
