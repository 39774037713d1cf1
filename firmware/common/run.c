// SPDX-License-Identifier: GPL-2.0-or-later
/* The trigger workload. One run at a time, over TCP or UDP; what arrives in between is the stack's business. */
#include "common/run.h"

#include <string.h>

#include "common/console.h"
#include "common/trigger.h"
#include "net/nic.h"
#include "net/tcp.h"
#include "net/udp.h"

#define ACK_WAIT_MS 1000u
#define ACK_REPEATS 5

enum run_mode { RUN_NONE, RUN_TCP, RUN_UDP };
enum line_state { LINE_TAKING, LINE_SKIPPING, LINE_REFUSED };

static uint8_t NET_MEM buffer[LAB_BUFFER_BYTES];
static struct trigger NET_MEM trigger;
static struct net_peer NET_MEM requester;         /* of a run over UDP */
static uint8_t NET_MEM mode;
static uint8_t NET_MEM verdict;                   /* of the line of a run that has not begun */
static uint8_t NET_MEM is_new;                    /* a run that has not begun */
static uint8_t NET_MEM is_waiting;                /* UDP: for the host's ACK of the frame before `frame` */
static uint8_t NET_MEM repeats;
static uint16_t NET_MEM since;
static uint16_t NET_MEM frame;                    /* frames sent; also the number of the next one */
static uint16_t NET_MEM retransmits;
static uint8_t NET_MEM line[TRIGGER_LINE_BYTES];
static uint8_t NET_MEM line_bytes;
static uint8_t NET_MEM line_state;

void run_init(void)
{
	mode = RUN_NONE;
	tcp_listen(RUN_PORT);
	udp_bind(RUN_PORT);
}

bool run_is_going(void)
{
	return mode != RUN_NONE;
}

uint8_t NET_MEM *app_spare_buffer(void)
{
	return mode == RUN_NONE && !tcp_sending() ? buffer : 0;
}

static void begin(uint8_t how, uint8_t judged)
{
	mode = how;
	verdict = judged;
	is_new = 1;
	frame = 0;
	retransmits = 0;
	is_waiting = 0;
}

/* All of the buffer, whatever n is: the published experiment did so, and its time is part of the figure. */
static void fill(void)
{
	uint8_t v = (uint8_t)(frame * 31);
	uint16_t k;

	for (k = 0; k < LAB_BUFFER_BYTES; k++)
		buffer[k] = v++;
}

static uint8_t add_text(uint8_t at, const char *text)
{
	while (*text)
		buffer[at++] = (uint8_t)*text++;
	return at;
}

/* Puts the answer to a bad line into the buffer, and says how long it is. */
static uint8_t refusal(void)
{
	uint8_t n = add_text(0, "ERR ");

	if (verdict == TRIGGER_SYNTAX)
		n = add_text(n, "syntax\n");
	else if (verdict == TRIGGER_RANGE)
		n = add_text(n, "range\n");
	else
		n = add_text(n, "mss\n");
	return n;
}

static void finish(void)
{
	if (mode == RUN_TCP)
		retransmits = (uint16_t)(tcp_retransmits() - retransmits);
	mode = RUN_NONE;
	console_begin("done");
	console_text("workload", "trigger");
	console_number("frames", frame);
	console_number("retransmits", retransmits);
	console_number("rx_missed", nic_missed());
	console_end();
}

static void start_tcp(void)
{
	is_new = 0;
	retransmits = tcp_retransmits();
	nic_missed();                                     /* what was lost before is not this run's */
	if (verdict == TRIGGER_OK && trigger.n > tcp_mss())
		verdict = TRIGGER_MSS;
	if (verdict == TRIGGER_OK)
		return;
	mode = RUN_NONE;
	line_state = LINE_REFUSED;
	tcp_send(buffer, refusal());
	tcp_close();
}

static void step_tcp(void)
{
	if (is_new)
		start_tcp();
	if (mode == RUN_NONE || !tcp_ready())
		return;
	if (frame == trigger.count) {
		finish();
		return;
	}
	fill();
#if defined(APP_FILL_PASSES) && APP_FILL_PASSES == 2
	fill();                                           /* only in the tests' image, which shows that the figures see it */
#endif
	tcp_send(buffer, trigger.n);
	frame++;
}

static void start_udp(void)
{
	is_new = 0;
	nic_missed();
	if (verdict == TRIGGER_OK)
		return;
	mode = RUN_NONE;
	udp_send(&requester, buffer, refusal());
}

/* False: the chip had no room, and nobody will notice but us; the same frame goes out at the next step. */
static bool send_datagram(void)
{
	bool sent = udp_send(&requester, buffer, trigger.n);

	is_waiting = trigger.ack;
	since = net_tick();
	return sent || trigger.ack;
}

/* The acknowledgement is out: send the datagram again, or end the run. */
static void wait_for_ack(void)
{
	if ((uint16_t)(net_tick() - since) < ACK_WAIT_MS)
		return;
	if (repeats == ACK_REPEATS) {
		finish();
		return;
	}
	repeats++;
	retransmits++;
	send_datagram();
}

static void step_udp(void)
{
	if (is_new)
		start_udp();
	if (mode == RUN_NONE)
		return;
	if (is_waiting) {
		wait_for_ack();
	} else if (frame == trigger.count) {
		finish();
	} else {
		fill();
		repeats = 0;
		if (send_datagram())
			frame++;
	}
}

void run_step(void)
{
	if (mode == RUN_TCP)
		step_tcp();
	else if (mode == RUN_UDP)
		step_udp();
	else if (tcp_half_closed() && tcp_ready())
		tcp_close();
}

void app_tcp_opened(void)
{
	line_bytes = 0;
	line_state = LINE_TAKING;
}

void app_tcp_closed(void)
{
	line_state = LINE_TAKING;
	if (mode == RUN_TCP)
		mode = RUN_NONE;
}

/* A line has ended, or has become too long. */
static void judge_line(bool too_long)
{
	uint8_t judged = too_long ? TRIGGER_SYNTAX : trigger_parse(line, line_bytes, false, &trigger);

	line_bytes = 0;
	begin(RUN_TCP, judged);
}

/* A line that begins during a run is ignored up to its end. */
static void take_byte(uint8_t byte)
{
	if (line_state == LINE_TAKING && mode != RUN_NONE)
		line_state = LINE_SKIPPING;
	if (line_state == LINE_SKIPPING) {
		if (byte == '\n')
			line_state = LINE_TAKING;
	} else if (byte == '\n') {
		judge_line(false);
	} else if (line_bytes == sizeof line) {
		judge_line(true);
	} else {
		line[line_bytes++] = byte;
	}
}

void app_tcp_bytes(const uint8_t NET_MEM *data, uint16_t n)
{
	while (n-- && line_state != LINE_REFUSED)
		take_byte(*data++);
}

void app_udp_bytes(const uint8_t NET_MEM *data, uint16_t total)
{
	uint8_t n = total > TRIGGER_LINE_BYTES + 1 || total == 0 || data[total - 1] != '\n' ? 0 : (uint8_t)(total - 1);

	if (mode == RUN_UDP && is_waiting && memcmp(&net_from, &requester, sizeof requester) == 0 && trigger_is_ack(data, n, (uint16_t)(frame - 1)))
		is_waiting = 0;
	if (mode != RUN_NONE || app_spare_buffer() == 0)
		return;
	memcpy(&requester, &net_from, sizeof requester);
	begin(RUN_UDP, trigger_parse(data, n, true, &trigger));
}
