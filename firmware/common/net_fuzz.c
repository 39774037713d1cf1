// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzzes the firmware with frames. The input is a list of records: one byte says what happens (a raw frame, a packet of which the fuzzer writes
 * only the interesting part, time passes, a connection is made), two bytes a length, then bytes. Checksums of packets are made right, so that the
 * fuzzer gets behind them.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/app.h"
#include "common/fake_board.h"
#include "net/fake_host.h"
#include "net/fake_nic.h"
#include "net/tcp_conn.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t size);

#define TCP_FIXED 8

static uint32_t number(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Sequence and acknowledgement are near what the connection expects, or far off. */
static void tcp_record(const uint8_t *p, size_t n)
{
	if (n < TCP_FIXED)
		return;
	size_t options_n = p[2] % 11 * 4u;

	if (n - TCP_FIXED < options_n)
		options_n = 0;
	host_tcp((struct tcp_packet){
		.seq = tcp.next + (uint32_t)(int8_t)p[0], .ack = tcp.una + tcp.sent + (uint32_t)(int8_t)p[1], .flags = p[3],
		.window = (uint16_t)(p[4] << 8 | p[5]), .length = p[6] & 0x10 ? p[6] & 15 : 0, .to = p[7] == 1 ? 80 : 0, .from = p[7] == 2 ? 50000 : 0,
		.options = p + TCP_FIXED, .options_n = options_n, .data = p + TCP_FIXED + options_n, .n = n - TCP_FIXED - options_n });
}

static void connect_record(void)
{
	host_tcp((struct tcp_packet){ .seq = 1000, .flags = TCP_SYN });
	app_step();
	host_tcp((struct tcp_packet){ .seq = 1001, .ack = tcp.una + tcp.sent, .flags = TCP_ACK });
	app_step();
}

static void record(uint8_t what, const uint8_t *p, size_t n)
{
	switch (what % 6) {
	case 0:
		if (n)
			fake_push(p, n);
		break;
	case 1:
		host_ip_packet((struct ip_packet){ .protocol = n ? p[0] : 1, .payload = p, .n = n });
		break;
	case 2:
		tcp_record(p, n);
		break;
	case 3:
		host_udp((struct udp_packet){ .data = p, .n = n });
		break;
	case 4:
		fake_advance(n >= 4 ? number(p) % 70000 : (uint32_t)n * 100);
		break;
	default:
		connect_record();
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t size)
{
	fake_reset();
	fake_board_reset(true);
	app_start();
	app_step();
	for (int records = 0; size >= 3 && records < 200; records++) {
		size_t n = ((size_t)p[1] << 8 | p[2]) % 1500;

		if (n > size - 3)
			n = size - 3;
		record(p[0], p + 3, n);
		p += 3 + n;
		size -= 3 + n;
		app_step();
		app_step();
	}
	return fake_board_lines_good(fake_board_printed()) ? 0 : (abort(), 0);
}
