// SPDX-License-Identifier: GPL-2.0-or-later
/* TCP, what is sent and when: segments, the retransmission timer, probes of a closed window, giving up, and the application's calls. */
#include <string.h>

#include "net/bytes.h"
#include "net/checksum.h"
#include "net/ipv4.h"
#include "net/tcp.h"
#include "net/tcp_conn.h"

#define FIRST_WAIT_MS 1000u
#define MAX_RETRANSMISSIONS 6
#define MAX_SYN_RETRANSMISSIONS 3                 /* 15 s: nobody has said a word yet */
#define IDLE_MS 30000u
#define MSS_OFFERED 1460

static uint16_t elapsed(uint16_t since)
{
	return (uint16_t)(net_tick() - since);
}

/* Fills in ports, length, sum and the IP header around sequence numbers, flags and options that are in place, and sends. */
static void send_built(const struct net_peer NET_MEM *to, uint8_t head, const uint8_t NET_MEM *data, uint16_t n)
{
	uint16_t sum;

	ipv4_head(to, IPV4_TCP, (uint16_t)(head + n));
	put16(TCP, tcp_port);
	put16(TCP + 2, to->port);
	TCP[12] = (uint8_t)(head << 2);
	put16(TCP + 14, NET_WINDOW_BYTES);
	put16(TCP + 16, 0);
	put16(TCP + 18, 0);
	sum = checksum_add(ipv4_pseudo((uint16_t)(head + n)), TCP, head);
	if (n)
		sum = checksum_add(sum, data, n);
	put16(TCP + 16, (uint16_t)~sum);
	ipv4_send(head, data, n);                         /* where the chip has no room, the timer sends again */
}

void tcp_send_flags(uint8_t flags)
{
	put32(TCP + 4, tcp.una + tcp.sent);
	put32(TCP + 8, tcp.next);
	TCP[13] = flags;
	send_built(&tcp.peer, TCP_BYTES, net_scratch, 0);
}

static void send_syn(void)
{
	put32(TCP + 4, tcp.una);
	put32(TCP + 8, tcp.next);
	TCP[13] = TCP_SYN | TCP_ACK;
	TCP[20] = 2;
	TCP[21] = 4;
	put16(TCP + 22, MSS_OFFERED);
	send_built(&tcp.peer, TCP_BYTES + 4, net_scratch, 0);
}

static void send_data(uint16_t n)
{
	put32(TCP + 4, tcp.una);
	put32(TCP + 8, tcp.next);
	TCP[13] = TCP_PSH | TCP_ACK;
	send_built(&tcp.peer, TCP_BYTES, tcp.data, n);
}

static void send_fin(void)
{
	put32(TCP + 4, tcp.una);
	put32(TCP + 8, tcp.next);
	TCP[13] = TCP_FIN | TCP_ACK;
	send_built(&tcp.peer, TCP_BYTES, net_scratch, 0);
}

void tcp_reject(uint16_t length)
{
	bool acknowledged = (TCP[13] & TCP_ACK) != 0;
	uint16_t port = tcp_port;

	tcp_port = get16(TCP + 2);                        /* the answer comes from the port that was asked, whichever it is */
	if (acknowledged) {
		memcpy(TCP + 4, TCP + 8, 4);
		put32(TCP + 8, 0);
		TCP[13] = TCP_RST;
	} else {
		put32(TCP + 8, get32(TCP + 4) + length);
		put32(TCP + 4, 0);
		TCP[13] = TCP_RST | TCP_ACK;
	}
	send_built(&net_from, TCP_BYTES, net_scratch, 0);
	tcp_port = port;
}

static void start_timer(uint8_t wait)
{
	tcp.wait = wait;
	tcp.since = net_tick();
}

/* What is in flight counts from una; a repetition does not make it more. */
static void in_flight(uint16_t n)
{
	if (tcp.sent < n)
		tcp.sent = n;
	start_timer(TCP_WAIT_ACK);
}

/* So many of the application's bytes fit the host's segment size and window. */
static uint16_t sendable(void)
{
	uint16_t n = tcp.left < tcp.mss ? tcp.left : tcp.mss;

	return n < tcp.window ? n : tcp.window;
}

static bool output_data(void)
{
	uint16_t whole = tcp.left < tcp.mss ? tcp.left : tcp.mss;

	if (whole > tcp.window) {                         /* it would not fit whole: wait for the window, but not for ever */
		if (tcp.wait != TCP_WAIT_WINDOW)
			start_timer(TCP_WAIT_WINDOW);
		return false;
	}
	send_data(whole);
	in_flight(whole);
	return true;
}

static bool output_fin(void)
{
	if (tcp.state == TCP_ESTABLISHED)
		tcp.state = TCP_FIN_WAIT_1;
	else if (tcp.state == TCP_CLOSE_WAIT)
		tcp.state = TCP_LAST_ACK;
	send_fin();
	in_flight(1);
	return true;
}

/* A FIN of ours is out or acknowledged. */
static bool fin_is_sent(void)
{
	return tcp.state >= TCP_FIN_WAIT_1;
}

bool tcp_output(void)
{
	if (tcp.state == TCP_LISTEN || tcp.wait == TCP_WAIT_ACK)
		return false;
	if (tcp.state == TCP_SYN_RECEIVED) {
		send_syn();
		in_flight(1);
		return true;
	}
	if (tcp.left)
		return output_data();
	return tcp.closing && !fin_is_sent() && output_fin();
}

void tcp_forget(void)
{
	bool told = tcp.state != TCP_SYN_RECEIVED && tcp.state != TCP_TIME_WAIT;

	tcp.state = TCP_LISTEN;
	tcp.wait = TCP_WAIT_NONE;
	tcp.left = 0;
	if (told)
		app_tcp_closed();
}

static void give_up(void)
{
	tcp_send_flags(TCP_RST | TCP_ACK);
	tcp_forget();
}

/* The timer for an acknowledgement has run out. */
static void send_again(void)
{
	if (tcp.tries >= (tcp.state == TCP_SYN_RECEIVED ? MAX_SYN_RETRANSMISSIONS : MAX_RETRANSMISSIONS)) {
		give_up();
		return;
	}
	tcp.tries++;
	tcp.retransmits++;
	if (tcp.state == TCP_SYN_RECEIVED)
		send_syn();
	else if (tcp.left)
		send_data(tcp.sent < tcp.left ? tcp.sent : tcp.left);
	else
		send_fin();
	tcp.since = net_tick();
}

/* The timer for the window has run out: send what fits, or one byte that does not (RFC 9293 3.8.6.1). */
static void probe(void)
{
	uint16_t n = sendable();

	if (tcp.tries >= MAX_RETRANSMISSIONS) {
		give_up();
		return;
	}
	tcp.tries++;
	send_data(n ? n : 1);
	in_flight(n ? n : 1);
	if (n == 0)
		start_timer(TCP_WAIT_WINDOW);
}

static void idle(void)
{
	if (elapsed(tcp.heard) < IDLE_MS)
		return;
	if (tcp.state == TCP_TIME_WAIT)
		tcp_forget();
	else
		give_up();
}

void tcp_timer(void)
{
	if (tcp.state == TCP_LISTEN)
		return;
	if (tcp.wait == TCP_WAIT_NONE)
		idle();
	else if (elapsed(tcp.since) >= (uint16_t)(FIRST_WAIT_MS << tcp.tries))
		tcp.wait == TCP_WAIT_ACK ? send_again() : probe();
}

bool tcp_open(void)
{
	return (tcp.state == TCP_ESTABLISHED || tcp.state == TCP_CLOSE_WAIT) && !tcp.closing;
}

bool tcp_ready(void)
{
	return tcp_open() && tcp.left == 0;
}

bool tcp_sending(void)
{
	return tcp.left != 0;
}

bool tcp_half_closed(void)
{
	return tcp.state == TCP_CLOSE_WAIT;
}

uint16_t tcp_mss(void)
{
	return tcp.mss;
}

uint16_t tcp_retransmits(void)
{
	return tcp.retransmits;
}

bool tcp_send(const uint8_t NET_MEM *data, uint16_t n)
{
	if (!tcp_ready())
		return false;
	tcp.data = data;
	tcp.left = n;
	tcp_output();
	return true;
}

void tcp_close(void)
{
	tcp.closing = 1;
	tcp_output();
}
