// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * TCP, what arrives: the order of checks is that of RFC 9293 3.10.7, for one connection and without a queue for segments out of order.
 * A segment's header is in net_head and its data in net_scratch until something is sent.
 */
#include "net/tcp.h"

#include <string.h>

#include "net/bytes.h"
#include "net/ipv4.h"
#include "net/tcp_conn.h"

#define MSS_DEFAULT 536                           /* RFC 9293 3.7.1 */
#define OPTION_END 0
#define OPTION_NOP 1
#define OPTION_MSS 2

struct tcp_conn NET_MEM tcp;
uint16_t NET_MEM tcp_port;

/* The segment being handled. */
static uint32_t NET_MEM seg_seq, seg_ack;
static uint16_t NET_MEM seg_bytes;                /* of data */
static uint16_t NET_MEM seg_taken;                /* of which are in net_scratch */
static uint16_t NET_MEM seg_mss;
static uint8_t NET_MEM seg_flags;

void tcp_init(void)
{
	memset(&tcp, 0, sizeof tcp);
	tcp_port = 0;
}

void tcp_listen(uint16_t port)
{
	tcp_port = port;
}

/* Looks for the MSS in n bytes of options in net_scratch. */
static void parse_options(uint8_t n)
{
	uint8_t i = 0;

	while (i < n && net_scratch[i] != OPTION_END) {
		if (net_scratch[i] == OPTION_NOP) {
			i++;
			continue;
		}
		if (n - i < 2 || net_scratch[i + 1] < 2 || net_scratch[i + 1] > n - i)
			return;                               /* malformed: the rest means nothing */
		if (net_scratch[i] == OPTION_MSS && net_scratch[i + 1] == 4 && get16(net_scratch + i + 2) != 0)
			seg_mss = get16(net_scratch + i + 2);
		i = (uint8_t)(i + net_scratch[i + 1]);
	}
}

/* Takes header, options and the beginning of the data. False: malformed, wrong sum. Ends the frame. */
static bool take_segment(void)
{
	uint8_t header;

	if (ipv4_left < TCP_BYTES) {
		ipv4_abandon();
		return false;
	}
	ipv4_take(TCP, TCP_BYTES);
	header = (uint8_t)((TCP[12] >> 4) << 2);
	if (header < TCP_BYTES || header - TCP_BYTES > ipv4_left) {
		ipv4_abandon();
		return false;
	}
	header = (uint8_t)(header - TCP_BYTES);
	seg_mss = MSS_DEFAULT;
	ipv4_take(net_scratch, header);
	parse_options(header);
	seg_bytes = ipv4_left;
	seg_taken = seg_bytes < sizeof net_scratch ? seg_bytes : sizeof net_scratch;
	ipv4_take(net_scratch, seg_taken);
	net_from.port = get16(TCP);
	seg_seq = get32(TCP + 4);
	seg_ack = get32(TCP + 8);
	seg_flags = TCP[13];
	return ipv4_end() && net_from.port != 0;
}

/* The sequence numbers that the segment occupies. */
static uint16_t seg_length(void)
{
	return (uint16_t)(seg_bytes + ((seg_flags & TCP_SYN) ? 1 : 0) + ((seg_flags & TCP_FIN) ? 1 : 0));
}

static void accept_connection(void)
{
	uint16_t port = tcp_port;
	uint32_t start = tcp.una + tcp.sent;

	memset(&tcp, 0, sizeof tcp);
	tcp_port = port;
	memcpy(&tcp.peer, &net_from, sizeof tcp.peer);
	/* Always ahead of the last connection's numbers, and moving with time as RFC 9293 3.4.1 asks (4 us a number). */
	tcp.una = start + 0x10000UL + (uint32_t)net_tick() * 250;
	tcp.next = seg_seq + 1;
	tcp.mss = seg_mss;
	tcp.window = get16(TCP + 14);
	tcp.state = TCP_SYN_RECEIVED;
	tcp.heard = net_tick();
	tcp_output();
}

static void input_listening(void)
{
	if (seg_flags & TCP_RST)
		return;
	if (seg_flags & TCP_ACK)
		tcp_reject(seg_length());
	else if (seg_flags & TCP_SYN)
		accept_connection();
}

/* The connection's last states hold nothing of the application, so a new connection may take their place. */
static bool may_be_replaced(void)
{
	return tcp.state == TCP_TIME_WAIT || tcp.state == TCP_LAST_ACK || tcp.state == TCP_CLOSING;
}

static bool is_from_peer(void)
{
	return net_from.port == tcp.peer.port && memcmp(net_from.ip, tcp.peer.ip, 4) == 0;
}

/* RFC 5961: only a RST with exactly the expected number resets; one that is merely in the window is asked to prove itself. */
static void input_reset(void)
{
	uint32_t ahead = seg_seq - tcp.next;

	if (ahead == 0)
		tcp_forget();
	else if (ahead < NET_WINDOW_BYTES)
		tcp_send_flags(TCP_ACK);
}

static void input_syn(void)
{
	if (tcp.state == TCP_SYN_RECEIVED && seg_seq + 1 == tcp.next) {
		tcp.wait = TCP_WAIT_NONE;                 /* our SYN was lost, or is late: say it again */
		tcp_output();
	} else {
		tcp_send_flags(TCP_ACK);
	}
}

/* Both sides have closed: the application is done, only a repeated FIN may still want an answer. */
static void both_closed(void)
{
	tcp.state = TCP_TIME_WAIT;
	app_tcp_closed();
}

/* All that we sent is acknowledged: a SYN or a FIN among it changes the state. */
static void all_acknowledged(void)
{
	tcp.wait = TCP_WAIT_NONE;
	if (tcp.state == TCP_SYN_RECEIVED) {
		tcp.state = TCP_ESTABLISHED;
		app_tcp_opened();
	} else if (tcp.left == 0 && tcp.state == TCP_FIN_WAIT_1) {
		tcp.state = TCP_FIN_WAIT_2;
	} else if (tcp.left == 0 && tcp.state == TCP_CLOSING) {
		both_closed();
	} else if (tcp.left == 0 && tcp.state == TCP_LAST_ACK) {
		tcp_forget();
	}
}

static void advance(uint16_t acked)
{
	uint16_t bytes = acked < tcp.left ? acked : tcp.left;

	if (tcp.state == TCP_SYN_RECEIVED)
		bytes = 0;
	tcp.una += acked;
	tcp.sent -= acked;
	if (bytes) {
		tcp.data += bytes;
		tcp.left -= bytes;
	}
	tcp.tries = 0;
	if (tcp.sent == 0)
		all_acknowledged();
}

/* False: the segment goes no further. */
static bool input_ack(void)
{
	uint32_t acked = seg_ack - tcp.una;

	if (acked > tcp.sent) {
		if (tcp.state == TCP_SYN_RECEIVED) {
			tcp_reject(seg_length());
			return false;
		}
		if (acked < 0x80000000UL) {               /* of something never sent */
			tcp_send_flags(TCP_ACK);
			return false;
		}
		return true;                              /* an old one: says nothing new */
	}
	tcp.window = get16(TCP + 14);
	if (tcp.wait == TCP_WAIT_WINDOW)
		tcp.tries = tcp.tries ? 1 : 0;            /* whoever answers probes is alive, however long the window stays closed */
	if (acked)
		advance((uint16_t)acked);
	return tcp.state != TCP_LISTEN;
}

/* Takes data in order. False: there was something that cannot be taken now. */
static bool input_data(void)
{
	if (seg_seq != tcp.next)
		return false;
	if (seg_taken && (tcp.state == TCP_ESTABLISHED || tcp.state == TCP_FIN_WAIT_1 || tcp.state == TCP_FIN_WAIT_2)) {
		tcp.next += seg_taken;
		app_tcp_bytes(net_scratch, seg_taken);
	}
	return seg_taken == seg_bytes;
}

static void input_fin(void)
{
	tcp.next++;
	if (tcp.state == TCP_ESTABLISHED) {
		tcp.state = TCP_CLOSE_WAIT;
	} else if (tcp.state == TCP_FIN_WAIT_1) {
		tcp.state = TCP_CLOSING;
	} else if (tcp.state == TCP_FIN_WAIT_2) {
		both_closed();
	} else {
		tcp.next--;                               /* a repetition: it was counted when it came first */
	}
}

static void input_connected(void)
{
	bool answer = seg_length() != 0;

	if (seg_flags & TCP_RST) {
		input_reset();
		return;
	}
	if (seg_flags & TCP_SYN) {
		input_syn();
		return;
	}
	tcp.heard = net_tick();
	if (seg_seq - tcp.next >= NET_WINDOW_BYTES) { /* before or behind the window: a repetition, a keep-alive, or a stray */
		tcp_send_flags(TCP_ACK);
		return;
	}
	if (!(seg_flags & TCP_ACK))
		return;
	if (!input_ack())
		return;
	if (answer && input_data() && (seg_flags & TCP_FIN))
		input_fin();
	if (!tcp_output() && answer)
		tcp_send_flags(TCP_ACK);
}

void tcp_input(void)
{
	if (!take_segment())
		return;
	if (get16(TCP + 2) != tcp_port || tcp_port == 0) {
		if (!(seg_flags & TCP_RST))
			tcp_reject(seg_length());
		return;
	}
	if (tcp.state != TCP_LISTEN && may_be_replaced() && (seg_flags & (TCP_SYN | TCP_ACK | TCP_RST)) == TCP_SYN)
		tcp_forget();
	if (tcp.state == TCP_LISTEN)
		input_listening();
	else if (is_from_peer())
		input_connected();
	else if (!(seg_flags & TCP_RST))
		tcp_reject(seg_length());
}
