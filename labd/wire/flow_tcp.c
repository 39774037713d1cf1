// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The trigger benchmark over TCP, as seen on the wire: the connection's start, the trigger line, then the board's bytes and the host's
 * acknowledgements, with positions unwrapped from sequence numbers (RFC 9293).
 */
#include <stdio.h>
#include <string.h>

#include "wire/flow_walk.h"

static int64_t total(const struct flow_walk *w)
{
	return (int64_t)w->q->payload_bytes * w->q->count;
}

/* Position of a sequence number in what the side sends, as the one nearest to where it is. */
static int64_t position(const struct flow_side *s, uint32_t seq)
{
	return s->next + (int32_t)(seq - (s->isn + 1 + (uint32_t)s->next));
}

/* A new connection of the host's: whatever went before it, such as a refused try, was no measurement. */
static void begin_flow(struct flow_walk *w, uint16_t host_port)
{
	struct flow_figures *f = w->out;

	w->sides[FLOW_BOARD] = (struct flow_side){ .syn = false };
	w->host_port = host_port;
	w->reset_by = NULL;
	w->ended = false;
	w->syn_tries = 0;
	f->retransmissions = f->duplicate_acks = f->zero_windows = f->out_of_order = f->window_max = 0;
	f->window_min = UINT32_MAX;
}

static void take_syn(struct flow_walk *w, const struct packet *p, bool from_board)
{
	struct flow_side *s = &w->sides[from_board ? FLOW_BOARD : FLOW_HOST];
	uint16_t port = from_board ? p->target_port : p->source_port;
	bool same_flow = port == w->host_port, again = same_flow && s->syn && s->isn == p->seq;

	if (again)
		w->out->retransmissions++;
	else if (!w->triggered && !from_board)
		begin_flow(w, port);
	w->syn_tries += !from_board && port == w->host_port;
	if (again || w->triggered || (from_board && !same_flow))
		return;
	*s = (struct flow_side){ .syn = true, .isn = p->seq, .shift = p->window_shift };
	if (from_board)
		w->out->mss = p->mss;
}

/* Host bytes before the trigger: keep the line, remember when its end first passed by, and start when all of it has. */
static bool take_host_data(struct flow_walk *w, const struct packet *p, int64_t at, uint64_t at_ns, struct err *e)
{
	struct flow_side *host = &w->sides[FLOW_HOST];

	for (uint32_t i = 0; i < p->payload_bytes && at + i < TRIGGER_LINE_MOST; i++) {
		w->line[at + i] = (char)p->payload[i];
		if (p->payload[i] == '\n' && !w->ended) {
			w->ended = true;
			w->line_end = at + i;
			w->line_end_ns = at_ns;
		}
	}
	if (!w->ended && spans_whole(&host->seen) >= TRIGGER_LINE_MOST)
		return err_set(e, ERR_MISMATCH, "the host sent %d bytes without a line end: this is no trigger line", TRIGGER_LINE_MOST);
	if (!w->ended || (int64_t)spans_whole(&host->seen) <= w->line_end)
		return true;
	if (!trigger_line_asks(w->line, (size_t)w->line_end, w->q->payload_bytes, w->q->count, false, false))
		return err_set(e, ERR_MISMATCH, "the trigger line in the capture does not ask for n=%u count=%u", w->q->payload_bytes, w->q->count);
	flow_trigger(w, w->line_end_ns);
	return true;
}

static bool take_board_data(struct flow_walk *w, const struct packet *p, int64_t at, uint64_t at_ns, struct err *e)
{
	uint32_t n = w->q->payload_bytes;
	int64_t end = at + p->payload_bytes;
	bool intact = p->checksum_ok || p->checksum_left_out;

	if (!w->triggered)
		return intact ? err_set(e, ERR_MISMATCH, "the board sent %u bytes before the trigger", p->payload_bytes) : true;
	if (at == 0 && intact && flow_board_error(p, e))
		return false;
	if (end > total(w))
		return intact ? err_set(e, ERR_MISMATCH, "the board sent %lld bytes, %lld were asked for", (long long)end, (long long)total(w)) : true;
	w->out->merged_frames += p->payload_bytes > n;
	for (int64_t frame = at / n; (frame + 1) * n <= end; frame++)
		flow_sent(w, (uint32_t)frame, at_ns);
	if (!intact)
		return true;
	size_t right = trigger_stream_right((uint64_t)at, n, p->payload, p->payload_bytes);
	if (right < p->payload_bytes)
		flow_wrong_byte(w, (uint64_t)at + right);
	return true;
}

/* What a segment takes up of its sender's sequence space. False: too many holes, or a position that no trigger run has. */
static bool take_data(struct flow_walk *w, const struct packet *p, bool from_board, uint64_t at_ns, struct err *e)
{
	struct flow_side *s = &w->sides[from_board ? FLOW_BOARD : FLOW_HOST];
	int64_t at = position(s, p->seq), end = at + p->payload_bytes;
	bool intact = p->checksum_ok || p->checksum_left_out;

	if (at < 0 || end > UINT32_MAX)
		return true;
	if (intact) {
		w->out->retransmissions += spans_hold(&s->seen, (uint64_t)at, (uint64_t)end);
		w->out->out_of_order += at > s->next;
		if (!spans_add(&s->seen, (uint64_t)at, (uint64_t)end))
			return err_set(e, ERR_INVALID, "more than %d holes in the stream at record %llu: the capture lost frames", SPANS_MOST,
			               (unsigned long long)w->record);
		s->next = end > s->next ? end : s->next;
	}
	if (from_board)
		return take_board_data(w, p, at, at_ns, e);
	return w->triggered || !intact || take_host_data(w, p, at, at_ns, e);
}

static void note_windows(struct flow_walk *w, const struct packet *p, bool from_board)
{
	struct flow_side *s = &w->sides[from_board ? FLOW_BOARD : FLOW_HOST];
	bool scaled = !(p->flags & TCP_SYN) && w->sides[FLOW_BOARD].shift >= 0 && w->sides[FLOW_HOST].shift >= 0;
	uint32_t window = scaled ? (uint32_t)p->window << s->shift : p->window;

	w->out->zero_windows += window == 0;
	if (from_board && window < w->out->window_min)
		w->out->window_min = window;
	if (from_board && window > w->out->window_max)
		w->out->window_max = window;
}

/* RFC 5681 section 2: bare, the same acknowledgement and window as the last one, while the other side waits for something. */
static void note_duplicate(struct flow_walk *w, const struct packet *p, bool from_board)
{
	struct flow_side *s = &w->sides[from_board ? FLOW_BOARD : FLOW_HOST];
	const struct flow_side *other = &w->sides[from_board ? FLOW_HOST : FLOW_BOARD];
	bool bare = p->payload_bytes == 0 && !(p->flags & (TCP_SYN | TCP_FIN));

	if (bare && s->spoke && p->ack == s->last_ack && p->window == s->last_window && other->next > s->acked)
		w->out->duplicate_acks++;
	s->spoke = true;
	s->last_ack = p->ack;
	s->last_window = p->window;
}

static bool take_ack(struct flow_walk *w, const struct packet *p, bool from_board, uint64_t at_ns, struct err *e)
{
	struct flow_side *s = &w->sides[from_board ? FLOW_BOARD : FLOW_HOST], *other = &w->sides[from_board ? FLOW_HOST : FLOW_BOARD];
	int64_t ack = other->syn ? position(other, p->ack) : 0;

	note_windows(w, p, from_board);
	note_duplicate(w, p, from_board);
	if (ack > other->next + other->fin)
		return err_set(e, ERR_INVALID, "record %llu acknowledges byte %lld of %s, but the capture holds only %lld: it lost frames",
		               (unsigned long long)w->record,
		               (long long)ack, from_board ? "the host" : "the board", (long long)other->next);
	s->acked = ack > s->acked ? ack : s->acked;
	while (!from_board && w->triggered && !w->done && s->acked >= (int64_t)(w->reached + 1) * w->q->payload_bytes) {
		uint64_t begin = (uint64_t)w->reached * w->q->payload_bytes;
		if (!spans_hold(&other->seen, begin, begin + w->q->payload_bytes))
			return err_set(e, ERR_INVALID, "frame %u was acknowledged in record %llu, but the capture does not hold all of it: it lost frames", w->reached,
			               (unsigned long long)w->record);
		flow_frame_end(w, at_ns);
	}
	return true;
}

static bool in_flow(const struct flow_walk *w, const struct packet *p, bool from_board)
{
	return w->host_port && (from_board ? p->target_port : p->source_port) == w->host_port;
}

bool flow_tcp_take(struct flow_walk *w, const struct packet *p, uint64_t at_ns, struct err *e)
{
	bool from_board = p->source == w->board, intact = p->checksum_ok || p->checksum_left_out;
	struct flow_side *s = &w->sides[from_board ? FLOW_BOARD : FLOW_HOST];

	if ((p->flags & TCP_SYN) && intact && !(p->flags & TCP_RST))
		take_syn(w, p, from_board);
	if (!in_flow(w, p, from_board))
		return true;
	if ((p->flags & TCP_RST) && intact) {
		w->reset_by = from_board ? "the board" : "the host";
		return true;
	}
	if (!s->syn)
		return true;
	if (p->payload_bytes && !(p->flags & TCP_SYN) && !take_data(w, p, from_board, at_ns, e))
		return false;
	if ((p->flags & TCP_FIN) && intact)
		s->fin = true;
	return !(p->flags & TCP_ACK) || !intact || take_ack(w, p, from_board, at_ns, e);
}

static const char *ending(const struct flow_walk *w)
{
	if (w->reset_by)
		return strcmp(w->reset_by, "the board") == 0 ? "then the board reset the connection" : "then the host reset the connection";
	if (w->sides[FLOW_BOARD].fin)
		return "then the board closed the connection";
	if (w->sides[FLOW_HOST].fin)
		return "then the host closed the connection";
	return "then the capture ends";
}

bool flow_tcp_short(const struct flow_walk *w, struct err *e)
{
	uint32_t tries = w->syn_tries;

	if (!w->sides[FLOW_HOST].syn)
		return err_set(e, ERR_NOT_FOUND, "no connection to port %u begins in the capture, though %llu packets of that port are there: it was started too late",
		               w->q->board_port, (unsigned long long)w->between);
	if (!w->sides[FLOW_BOARD].syn)
		return err_set(e, ERR_LOST, "the board did not answer %u SYN%s to port %u, %s", tries, tries == 1 ? "" : "s", w->q->board_port,
		               ending(w));
	if (!w->triggered)
		return err_set(e, ERR_LOST, "the connection was open, but no whole trigger line was sent, %s", ending(w));
	bool sent = w->out->frames[w->reached].transmissions > 0;
	return err_set(e, ERR_LOST, "%u of %u frames were acknowledged, frame %u was %s, %s", w->reached, w->q->count, w->reached,
	               sent ? "sent but not acknowledged" : "not sent", ending(w));
}
