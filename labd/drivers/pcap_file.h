// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A pcap stream cut into its records as it arrives, in pieces of any size: counts what has passed, bounds what it believes.
 * Zero-initialise; pcap_cut_finish() frees. One thread.
 */
#ifndef LAB_DRIVERS_PCAP_FILE_H
#define LAB_DRIVERS_PCAP_FILE_H

#include "core/buf.h"
#include "core/err.h"

enum { PCAP_RECORD_MOST = 65535 };

struct pcap_cut {
	struct buf rest;                     /* the record or header that is not whole yet */
	bool header;                         /* the file header has passed */
	uint64_t records;
};

/* Append to out all that is whole. False: this is no nanosecond Ethernet pcap stream, or a record is larger than any frame. */
bool pcap_cut_take(struct pcap_cut *c, const void *bytes, size_t n, struct buf *out, struct err *e);
void pcap_cut_finish(struct pcap_cut *c);

#endif
