// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/tshark.h"

#include <stdlib.h>
#include <string.h>

#include "core/buf.h"
#include "core/proc.h"

/* The columns asked for, in this order; counts rows in which the field is there, or sums it up. */
enum column { FRAME_LENGTH, SOURCE_PORT, PAYLOAD, MALFORMED, IP_STATUS, TCP_STATUS, AGAIN, FAST_AGAIN, SPURIOUS, DUPLICATE, ZERO, COLUMNS };

static const char *const names[COLUMNS] = {
	"frame.len", "tcp.srcport", "tcp.len", "_ws.malformed", "ip.checksum.status", "tcp.checksum.status", "tcp.analysis.retransmission",
	"tcp.analysis.fast_retransmission", "tcp.analysis.spurious_retransmission", "tcp.analysis.duplicate_ack", "tcp.analysis.zero_window",
};

static void take_row(struct witness *w, char *row)
{
	char *cell[COLUMNS], *at = row;

	for (int i = 0; i < COLUMNS; i++)
		cell[i] = (at && (cell[i] = strsep(&at, ";"))) ? cell[i] : row + strlen(row);
	w->frames++;
	w->bytes += strtoull(cell[FRAME_LENGTH], NULL, 10);
	w->payload += strcmp(cell[SOURCE_PORT], "5100") == 0 ? strtoull(cell[PAYLOAD], NULL, 10) : 0;
	w->malformed += *cell[MALFORMED] != '\0';
	w->bad_sums += (*cell[IP_STATUS] && strcmp(cell[IP_STATUS], "1") != 0) || (*cell[TCP_STATUS] && strcmp(cell[TCP_STATUS], "1") != 0);
	w->retransmissions += *cell[AGAIN] || *cell[FAST_AGAIN] || *cell[SPURIOUS];
	w->duplicate_acks += *cell[DUPLICATE] != '\0';
	w->zero_windows += *cell[ZERO] != '\0';
}

bool ask_tshark(const char *file, struct witness *w, struct err *e)
{
	const char *argv[16 + 2 * COLUMNS + 1] = { "tshark", "-r", file, "-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE", "-T",
		"fields", "-E", "separator=;" };
	struct buf out = { .bytes = NULL };
	struct proc_run run = { .argv = argv, .deadline_ms = 120000, .output_max = 16 << 20, .output = &out };
	struct proc_end end;
	size_t n = 11;

	for (int i = 0; i < COLUMNS; i++) {
		argv[n++] = "-e";
		argv[n++] = names[i];
	}
	*w = (struct witness){ .frames = 0 };
	bool ok = proc_run(&run, &end, e) && (!end.signalled && end.status == 0);
	for (char *line, *rest = (char *)out.bytes; ok && rest && (line = strsep(&rest, "\n"));)
		if (*line >= '0' && *line <= '9')
			take_row(w, line);
	buf_finish(&out);
	return ok;
}

bool have_tshark(struct err *e)
{
	static bool asked, have;
	const char *const argv[] = { "tshark", "--version", NULL };
	struct proc_end end;

	if (!asked)
		have = proc_run(&(struct proc_run){ .argv = argv, .deadline_ms = 60000 }, &end, e);
	asked = true;
	return have;
}
