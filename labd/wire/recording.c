// SPDX-License-Identifier: GPL-2.0-or-later
/* The only user of pcap_open_offline; memory goes the same way through fmemopen, so that a fuzzer exercises what files do. */
#include "wire/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/mem.h"

struct capture {
	pcap_t *pcap;
	uint64_t records;
};

static struct capture *from_stream(FILE *f, struct err *e)
{
	char why[PCAP_ERRBUF_SIZE] = "";
	pcap_t *p = pcap_fopen_offline_with_tstamp_precision(f, PCAP_TSTAMP_PRECISION_NANO, why);

	if (!p) {
		fclose(f);
		err_set(e, ERR_INVALID, "not a pcap file: %s", why);
		return NULL;
	}
	struct capture *c = xcalloc(1, sizeof *c);
	c->pcap = p;
	return c;
}

struct capture *capture_open(const char *file, struct err *e)
{
	FILE *f = fopen(file, "rbe");

	if (!f) {
		err_errno(e, "capture %s", file);
		return NULL;
	}
	struct capture *c = from_stream(f, e);
	if (!c)
		err_prefix(e, "capture %s", file);
	return c;
}

struct capture *capture_open_bytes(const void *bytes, size_t size, struct err *e)
{
	FILE *f = size ? fmemopen((void *)(uintptr_t)bytes, size, "rb") : NULL;

	if (!f) {
		err_set(e, ERR_INVALID, "not a pcap file: it is empty");
		return NULL;
	}
	return from_stream(f, e);
}

int capture_next(struct capture *c, struct capture_record *out, struct err *e)
{
	struct pcap_pkthdr *h;
	const uint8_t *bytes;
	int got = pcap_next_ex(c->pcap, &h, &bytes);

	if (got == PCAP_ERROR_BREAK)
		return 0;
	if (got != 1) {
		err_set(e, ERR_INVALID, "the capture is broken after record %llu: %s", (unsigned long long)c->records, pcap_geterr(c->pcap));
		return -1;
	}
	*out = (struct capture_record){ .number = ++c->records, .bytes = bytes, .captured = h->caplen, .wire_length = h->len,
		.at_ns = (uint64_t)h->ts.tv_sec * 1000000000u + (uint64_t)h->ts.tv_usec };
	return 1;
}

int capture_link_type(const struct capture *c)
{
	return pcap_datalink(c->pcap);
}

const char *capture_link_name(const struct capture *c)
{
	const char *name = pcap_datalink_val_to_name(pcap_datalink(c->pcap));

	return name ? name : "unknown";
}

void capture_close(struct capture *c)
{
	if (!c)
		return;
	pcap_close(c->pcap);
	free(c);
}
