// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One captured frame seen as Ethernet or Linux cooked, IPv4, TCP or UDP: numbers in host order, the payload a view into the frame's own
 * bytes. Reads nothing outside the bytes given; what is no whole IPv4 TCP or UDP packet is said so and is no error. Any thread.
 *
 * Sources: RFC 791 (IPv4), RFC 9293 (TCP), RFC 768 (UDP), RFC 1071 (checksum), RFC 7323 (window scale), libpcap's LINKTYPE_LINUX_SLL and
 * _SLL2.
 */
#ifndef LAB_WIRE_PACKET_H
#define LAB_WIRE_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum packet_kind {
	PACKET_OTHER,                /* ARP, IPv6, ICMP, a fragment, ... */
	PACKET_TCP,
	PACKET_UDP,
	PACKET_CUT                   /* the capture's snap length or a broken header cut it short */
};

enum { TCP_FIN = 0x01, TCP_SYN = 0x02, TCP_RST = 0x04, TCP_PSH = 0x08, TCP_ACK = 0x10 };

struct packet {
	enum packet_kind kind;
	uint32_t source, target;             /* IPv4 addresses */
	uint16_t source_port, target_port;
	uint32_t seq, ack;
	uint8_t flags;
	uint16_t window;                     /* as in the header, not scaled */
	uint16_t mss;                        /* option of a SYN; 0 = none */
	int8_t window_shift;                 /* option of a SYN; -1 = none */
	bool checksum_ok;                    /* IPv4 header and TCP or UDP (a UDP sum of 0 means none was made) */
	bool checksum_left_out;              /* not ok, but what a kernel leaves for its network card to fill in: the sum of the pseudo header alone */
	const uint8_t *payload;
	uint32_t payload_bytes;
	uint32_t wire_bytes;                 /* as an Ethernet frame: at least 60, FCS of 4 bytes included, preamble and gap not */
};

/* Which link types are read; DLT numbers of libpcap. */
bool packet_link_known(int link_type);

/* captured bytes of a frame whose length on the wire was wire_length. */
void packet_read(int link_type, const uint8_t *bytes, uint32_t captured, uint32_t wire_length, struct packet *out);

/* RFC 1071 sum of n bytes on top of sum, not folded; fold at the end: 0 means that a sum with its checksum field in it is right. */
uint64_t packet_sum(uint64_t sum, const uint8_t *bytes, size_t n);
uint16_t packet_fold(uint64_t sum);

#endif
