// SPDX-License-Identifier: GPL-2.0-or-later
/* The trigger benchmark over UDP, as seen on the wire: the trigger datagram, then the board's datagrams in order, each with the host's
   "ACK i" where the run asks for them. */
#include <stdio.h>
#include <string.h>

#include "wire/flow_walk.h"

static bool take_trigger(struct flow_walk *w, const struct packet *p, uint64_t at_ns, struct err *e)
{
	const char *text = (const char *)p->payload;

	if (p->payload_bytes == 0 || p->payload_bytes > TRIGGER_LINE_MOST || text[p->payload_bytes - 1] != '\n')
		return err_set(e, ERR_MISMATCH, "the first datagram to port %u is no trigger line", w->q->board_port);
	if (!trigger_line_asks(text, p->payload_bytes - 1, w->q->payload_bytes, w->q->count, true, w->q->ack))
		return err_set(e, ERR_MISMATCH, "the trigger line in the capture does not ask for n=%u count=%u ack=%d", w->q->payload_bytes,
		               w->q->count, w->q->ack);
	w->host_port = p->source_port;
	flow_trigger(w, at_ns);
	return true;
}

static bool take_ack(struct flow_walk *w, const struct packet *p, uint64_t at_ns, struct err *e)
{
	char want[24];
	int n = snprintf(want, sizeof want, "ACK %u\n", w->reached);

	if (!w->q->ack || p->payload_bytes != (uint32_t)n || memcmp(p->payload, want, (size_t)n) != 0) {
		w->out->duplicate_acks += w->q->ack;         /* a repeated trigger or ACK; the board ignores both */
		return true;
	}
	if (w->out->frames[w->reached].transmissions == 0)
		return err_set(e, ERR_INVALID, "datagram %u was acknowledged in record %llu, but the capture does not hold it: it lost frames",
		               w->reached,
		               (unsigned long long)w->record);
	flow_frame_end(w, at_ns);
	return true;
}

static bool out_of_sequence(const struct flow_walk *w, uint32_t came, struct err *e)
{
	uint32_t due = w->reached;
	uint8_t ahead = (uint8_t)(came - due);

	if (ahead < 128)
		return err_set(e, ERR_MISMATCH, "datagram %u came where datagram %u was due: %u missing or late", due + ahead, due, ahead);
	return err_set(e, ERR_MISMATCH, "datagram %u came again where datagram %u was due: doubled or late", due - (uint8_t)(due - came), due);
}

static bool take_datagram(struct flow_walk *w, const struct packet *p, uint64_t at_ns, struct err *e)
{
	uint32_t n = w->q->payload_bytes, due = w->reached;
	size_t right;

	if (flow_board_error(p, e))
		return false;
	if (p->payload_bytes != n)
		return err_set(e, ERR_MISMATCH, "datagram %u has %u bytes, %u were asked for", due, p->payload_bytes, n);
	right = trigger_right(due, 0, p->payload, n);
	uint8_t came = trigger_frame_of(p->payload[0]);
	if (right < n && trigger_right(came, 0, p->payload, n) == n) {
		bool again = w->q->ack && due > 0 && came == (uint8_t)(due - 1);
		if (!again)
			return out_of_sequence(w, came, e);
		w->out->retransmissions++;
		flow_sent(w, due - 1, at_ns);
		return true;
	}
	if (right < n)
		flow_wrong_byte(w, (uint64_t)due * n + right);
	w->out->retransmissions += w->out->frames[due].transmissions > 0;
	flow_sent(w, due, at_ns);
	if (!w->q->ack)
		flow_frame_end(w, at_ns);
	return true;
}

bool flow_udp_take(struct flow_walk *w, const struct packet *p, uint64_t at_ns, struct err *e)
{
	bool from_board = p->source == w->board;

	if (!p->checksum_ok && !p->checksum_left_out)
		return true;
	if (!w->triggered)
		return from_board ? err_set(e, ERR_MISMATCH, "the board sent %u bytes before the trigger", p->payload_bytes)
			: take_trigger(w, p, at_ns, e);
	if ((from_board ? p->target_port : p->source_port) != w->host_port)
		return true;
	return from_board ? take_datagram(w, p, at_ns, e) : take_ack(w, p, at_ns, e);
}

bool flow_udp_short(const struct flow_walk *w, struct err *e)
{
	if (!w->triggered)
		return err_set(e, ERR_NOT_FOUND, "no trigger datagram to port %u in the capture", w->q->board_port);
	bool sent = w->out->frames[w->reached].transmissions > 0;
	return err_set(e, ERR_LOST, "%u of %u datagrams %s, datagram %u was %s, then the capture ends", w->reached, w->q->count,
	               w->q->ack ? "were acknowledged" : "came", w->reached, sent ? "sent but not acknowledged" : "not sent");
}
