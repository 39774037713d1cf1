// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A pcap file read record by record, from disk or from memory, through libpcap's offline reader; time stamps of any resolution come out in nanoseconds. One thread at a time.
 */
#ifndef LAB_WIRE_RECORDING_H
#define LAB_WIRE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

struct capture;

struct capture_record {
	uint64_t number;                     /* from 1, as Wireshark counts */
	uint64_t at_ns;                      /* end of the frame on the capture's clock */
	const uint8_t *bytes;                /* valid until the next record */
	uint32_t captured, wire_length;
};

struct capture *capture_open(const char *file, struct err *e);

/* bytes are borrowed until capture_close(). */
struct capture *capture_open_bytes(const void *bytes, size_t size, struct err *e);

/* 1 = a record, 0 = the end, -1 = the file is broken (the sentence says at which record). */
int capture_next(struct capture *c, struct capture_record *out, struct err *e);

int capture_link_type(const struct capture *c);                         /* a DLT number */
const char *capture_link_name(const struct capture *c);                 /* "EN10MB" */
void capture_close(struct capture *c);                                   /* accepts NULL */

#endif
