// SPDX-License-Identifier: GPL-2.0-or-later
/* Walks a capture, hands each packet between board and host to the follower of its protocol, and turns what was followed into figures. */
#include "wire/flow.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "wire/recording.h"
#include "wire/flow_walk.h"

#define MS 1000000u

/* A kernel that stamps on several processors may hand on records whose stamps are not in their order; a clock that was set jumps by more. */
#define STAMP_DISORDER_NS (1 * MS)

static const struct follower {
	enum packet_kind kind;
	flow_take_fn *take;
	flow_short_fn *short_of;
} followers[] = {
	[false] = { PACKET_TCP, flow_tcp_take, flow_tcp_short },
	[true] = { PACKET_UDP, flow_udp_take, flow_udp_short },
};

void flow_trigger(struct flow_walk *w, uint64_t at_ns)
{
	w->triggered = true;
	w->trigger_ns = at_ns;
}

void flow_sent(struct flow_walk *w, uint32_t frame, uint64_t at_ns)
{
	struct flow_frame *f = &w->out->frames[frame];

	if (f->transmissions++ == 0)
		f->sent_ns = at_ns - w->trigger_ns;
}

void flow_frame_end(struct flow_walk *w, uint64_t at_ns)
{
	struct flow_frame *f = &w->out->frames[w->reached];

	f->begin_ns = w->reached ? w->out->frames[w->reached - 1].end_ns : 0;
	f->end_ns = at_ns - w->trigger_ns;
	w->reached++;
	w->out->payload_bytes += w->q->payload_bytes;
	w->out->elapsed_ns = f->end_ns;
	w->done = w->reached == w->q->count;
}

void flow_wrong_byte(struct flow_walk *w, uint64_t at)
{
	if (w->out->payload_ok || at < w->out->payload_bad_at)
		w->out->payload_bad_at = at;
	w->out->payload_ok = false;
}

bool flow_board_error(const struct packet *p, struct err *e)
{
	char word[24];
	size_t n = 0;

	if (p->payload_bytes < 5 || memcmp(p->payload, "ERR ", 4) != 0)
		return false;
	for (const uint8_t *c = p->payload + 4; n < p->payload_bytes - 4 && n < sizeof word - 1 && *c >= 'a' && *c <= 'z'; c++)
		word[n++] = (char)*c;
	word[n] = '\0';
	err_set(e, ERR_MISMATCH, "the board answered the trigger with \"ERR %s\"", word);
	return true;
}

static void count_packet(struct flow_walk *w, const struct packet *p)
{
	bool from_board = p->source == w->board;
	uint16_t port = from_board ? p->target_port : p->source_port;

	w->out->bad_checksums += !p->checksum_ok;
	if (from_board && port == w->host_port && w->triggered)
		w->out->wire_bytes += p->wire_bytes;
}

static bool of_query(const struct flow_walk *w, const struct packet *p)
{
	bool from_board = p->source == w->board && p->target == w->host, from_host = p->source == w->host && p->target == w->board;
	uint16_t board_port = from_board ? p->source_port : p->target_port, host_port = from_board ? p->target_port : p->source_port;

	return (from_board || from_host) && (p->kind == PACKET_CUT
	                                     || (board_port == w->q->board_port && (!w->q->host_port || host_port == w->q->host_port)));
}

/* The record's time, in the order of the records; false where the clock went back. */
static bool next_time(struct flow_walk *w, const struct capture_record *r, struct err *e)
{
	if (w->between++ && r->at_ns + STAMP_DISORDER_NS < w->last_ns)
		return err_set(e, ERR_INVALID, "the capture's time runs backwards by %llu ns at record %llu: was the clock set while it ran?",
		               (unsigned long long)(w->last_ns - r->at_ns), (unsigned long long)r->number);
	w->last_ns = r->at_ns > w->last_ns ? r->at_ns : w->last_ns;
	return true;
}

static bool take_record(struct flow_walk *w, int link_type, const struct capture_record *r, struct err *e)
{
	const struct follower *f = &followers[w->q->udp];
	struct packet p;

	w->record = r->number;
	w->out->captured_frames++;
	w->out->captured_bytes += r->wire_length;
	packet_read(link_type, r->bytes, r->captured, r->wire_length, &p);
	if (w->done || !of_query(w, &p) || (p.kind != f->kind && p.kind != PACKET_CUT))
		return true;
	if (p.kind == PACKET_CUT)
		return err_set(e, ERR_INVALID, "record %llu is cut or malformed (%u of %u bytes): capture frames whole",
		               (unsigned long long)r->number, r->captured,
		               r->wire_length);
	if (!next_time(w, r, e))
		return false;
	count_packet(w, &p);
	return f->take(w, &p, w->last_ns, e);
}

static bool walk(struct flow_walk *w, struct capture *c, struct err *e)
{
	struct capture_record r;
	int got;

	snprintf(w->out->link_type, sizeof w->out->link_type, "%s", capture_link_name(c));
	if (!packet_link_known(capture_link_type(c)))
		return err_set(e, ERR_UNSUPPORTED, "link type %s: capture Ethernet or Linux cooked frames", capture_link_name(c));
	while ((got = capture_next(c, &r, e)) == 1)
		if (!take_record(w, capture_link_type(c), &r, e))
			return false;
	return got == 0;
}

static bool complete(const struct flow_walk *w, struct err *e)
{
	const uint8_t *ip = w->q->board_ip;

	if (!w->between)
		return err_set(e, ERR_NOT_FOUND, "no %s packet of %u.%u.%u.%u port %u among the capture's %llu frames", w->q->udp ? "UDP" : "TCP",
		               ip[0], ip[1], ip[2],
		               ip[3], w->q->board_port, (unsigned long long)w->out->captured_frames);
	if (!w->done)
		return followers[w->q->udp].short_of(w, e);
	if (w->out->elapsed_ns == 0)
		return err_set(e, ERR_INVALID, "no time passes between trigger and last acknowledgement: the capture's time stamps are of no use");
	return true;
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t median_wait(const struct flow_figures *f)
{
	uint64_t *waits = xcalloc(f->frame_count, sizeof *waits), median;

	for (size_t i = 0; i < f->frame_count; i++)
		waits[i] = f->frames[i].end_ns - f->frames[i].sent_ns;
	qsort(waits, f->frame_count, sizeof *waits, by_size);
	median = waits[f->frame_count / 2];
	free(waits);
	return median;
}

static bool near(uint64_t value, uint64_t timer, uint64_t slack)
{
	return value + timer * 3 / 100 >= timer && value <= timer + timer * 3 / 100 + slack;
}

/*
 * A kernel's timer of 40 ms fires up to a tick of 4 ms (HZ=250) late. The wait decides, for a slow board's frame may take 200 ms without
 * any timer (AT89C51ED2: n = 707), and a timer of 200 ms hides in a frame of 500; a frame time of just 40 or 200 ms counts where most of it
 * is wait.
 */
static void judge_pace(struct flow_figures *f)
{
	static const uint32_t timers_ms[] = { 40, 200 };
	uint64_t wait = median_wait(f), frame = f->elapsed_ns / f->frame_count;

	for (size_t i = 0; i < sizeof timers_ms / sizeof *timers_ms; i++) {
		uint64_t timer = (uint64_t)timers_ms[i] * MS;
		if (near(wait, timer, 4 * MS) || (near(frame, timer, 0) && wait >= frame / 2)) {
			f->ack_paced = true;
			f->ack_pace_ms = timers_ms[i];
		}
	}
}

static bool measure(struct capture *c, const struct flow_query *q, struct flow_figures *out, struct err *e)
{
	struct flow_figures f = { .payload_ok = true, .window_min = UINT32_MAX, .frame_count = q->count };
	struct flow_walk w = { .q = q, .out = &f, .host_port = 0 };
	const uint8_t *b = q->board_ip, *h = q->host_ip;

	w.board = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
	w.host = (uint32_t)h[0] << 24 | (uint32_t)h[1] << 16 | (uint32_t)h[2] << 8 | h[3];
	f.frames = xcalloc(q->count, sizeof *f.frames);
	if (!walk(&w, c, e) || !complete(&w, e)) {
		flow_figures_finish(&f);
		return false;
	}
	if (f.window_min == UINT32_MAX)
		f.window_min = 0;
	if (!q->udp)
		judge_pace(&f);
	*out = f;
	return true;
}

static bool query_ok(const struct flow_query *q, struct err *e)
{
	if (q->payload_bytes < 1 || q->payload_bytes > TRIGGER_PAYLOAD_MOST)
		return err_set(e, ERR_INVALID, "flow query: payload_bytes is %u, allowed are 1 to %d", q->payload_bytes, TRIGGER_PAYLOAD_MOST);
	if (q->count < 1 || q->count > TRIGGER_COUNT_MOST)
		return err_set(e, ERR_INVALID, "flow query: count is %u, allowed are 1 to %d", q->count, TRIGGER_COUNT_MOST);
	return true;
}

static bool measure_and_close(struct capture *c, const struct flow_query *q, struct flow_figures *out, struct err *e)
{
	bool ok = c && measure(c, q, out, e);

	capture_close(c);
	return ok;
}

bool flow_measure(const char *pcap_file, const struct flow_query *q, struct flow_figures *out, struct err *e)
{
	return query_ok(q, e) && measure_and_close(capture_open(pcap_file, e), q, out, e);
}

bool flow_measure_bytes(const void *bytes, size_t size, const struct flow_query *q, struct flow_figures *out, struct err *e)
{
	return query_ok(q, e) && measure_and_close(capture_open_bytes(bytes, size, e), q, out, e);
}

void flow_figures_finish(struct flow_figures *f)
{
	free(f->frames);
	f->frames = NULL;
	f->frame_count = 0;
}

double rate_byte_per_s(uint64_t bytes, uint64_t elapsed_ns)
{
	return rate_per_s(bytes, elapsed_ns);
}

double rate_per_s(uint64_t count, uint64_t elapsed_ns)
{
	return elapsed_ns ? (double)count * 1e9 / (double)elapsed_ns : 0;
}
