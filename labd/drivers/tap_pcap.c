// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A live interface through libpcap: nanosecond stamps where the kernel gives them, only what is from or to the board. A
 * thread empties the kernel's ring, so that the worker's own waits cannot overflow it.
 */
#include <errno.h>
#include <pcap/pcap.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/mem.h"
#include "drivers/tap_drivers.h"

/* Without libpcap's immediate mode, whose ring has a slot of the snap length for every frame, however short: 256 frames fit 16 MiB. A
   block is handed over when it is full or BLOCK_MS old, so the ring is empty after a quiet time of several blocks. */
enum { SNAP_LENGTH = 65535, RING_BYTES = 16 << 20, BLOCK_MS = 5, QUIET_MS = 50 };

struct live {
	struct tap base;
	char *interface;
	uint8_t board_ip[4];
	pcap_t *pcap;                        /* NULL = no capture runs */
	pcap_dumper_t *file;
	int end_fd;
	bool running;
	pthread_t thread;                    /* has pcap and file to itself from start to join */
	uint64_t records;
	bool failed;                         /* the thread's; read after join */
	char why[PCAP_ERRBUF_SIZE];
};

static void keep(u_char *opaque, const struct pcap_pkthdr *h, const u_char *bytes)
{
	struct live *l = (struct live *)opaque;

	pcap_dump((u_char *)l->file, h, bytes);
	l->records++;
}

/* Everything that is in the ring. */
static bool drain(struct live *l)
{
	int n;

	while ((n = pcap_dispatch(l->pcap, -1, keep, (u_char *)l)) > 0)
		;
	if (n < 0)
		snprintf(l->why, sizeof l->why, "%s", pcap_geterr(l->pcap));
	return n >= 0;
}

/* After the end is asked for, until the ring has been quiet for a moment: the last acknowledgement may still be on its way up. */
static void *read_interface(void *opaque)
{
	struct live *l = opaque;
	struct pollfd fds[2] = { { .fd = pcap_get_selectable_fd(l->pcap), .events = POLLIN }, { .fd = l->end_fd, .events = POLLIN } };

	while (drain(l)) {
		bool ending = fds[1].revents != 0;
		int ready = poll(fds, ending ? 1 : 2, ending ? QUIET_MS : -1);
		if (ending && ready == 0)
			return NULL;
	}
	l->failed = true;
	return NULL;
}

static bool set_filter(struct live *l, struct err *e)
{
	struct bpf_program program;
	char text[64];
	const uint8_t *ip = l->board_ip;

	snprintf(text, sizeof text, "host %u.%u.%u.%u", ip[0], ip[1], ip[2], ip[3]);
	if (pcap_compile(l->pcap, &program, text, 1, PCAP_NETMASK_UNKNOWN) != 0)
		return err_set(e, ERR_INTERNAL, "filter \"%s\": %s", text, pcap_geterr(l->pcap));
	bool ok = pcap_setfilter(l->pcap, &program) == 0 || err_set(e, ERR_IO, "filter \"%s\": %s", text, pcap_geterr(l->pcap));
	pcap_freecode(&program);
	return ok;
}

static const struct { int status; enum err_code code; const char *advice; } refusals[] = {
	{ PCAP_ERROR_PERM_DENIED, ERR_DENIED, "may not capture: run as root or give the program CAP_NET_RAW" },
	{ PCAP_ERROR_NO_SUCH_DEVICE, ERR_NOT_FOUND, "there is no such interface" },
	{ PCAP_ERROR_IFACE_NOT_UP, ERR_CONFLICT, "the interface is down" },
};

static bool refused(struct live *l, int status, struct err *e)
{
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
		if (refusals[i].status == status)
			return err_set(e, refusals[i].code, "interface %s: %s", l->interface, refusals[i].advice);
	return err_set(e, ERR_IO, "interface %s: %s", l->interface, pcap_geterr(l->pcap));
}

static bool open_interface(struct live *l, struct err *e)
{
	int status;

	l->pcap = pcap_create(l->interface, l->why);
	if (!l->pcap)
		return err_set(e, ERR_NOT_FOUND, "interface %s: %s", l->interface, l->why);
	pcap_set_snaplen(l->pcap, SNAP_LENGTH);
	pcap_set_timeout(l->pcap, BLOCK_MS);
	pcap_set_buffer_size(l->pcap, RING_BYTES);
	pcap_set_tstamp_precision(l->pcap, PCAP_TSTAMP_PRECISION_NANO);
	status = pcap_activate(l->pcap);
	if (status < 0)
		return refused(l, status, e);
	if (pcap_setnonblock(l->pcap, 1, l->why) != 0)
		return err_set(e, ERR_IO, "interface %s: %s", l->interface, l->why);
	return set_filter(l, e);
}

static void end_thread(struct live *l)
{
	struct pcap_stat stat = { .ps_drop = 0 };

	if (!l->running)
		return;
	eventfd_write(l->end_fd, 1);
	pthread_join(l->thread, NULL);
	l->running = false;
	pcap_stats(l->pcap, &stat);
	l->base.dropped = (uint64_t)stat.ps_drop + stat.ps_ifdrop;
	l->base.captured = l->records;
}

static void wind_up(struct live *l)
{
	end_thread(l);
	if (l->file)
		pcap_dump_close(l->file);
	if (l->pcap)
		pcap_close(l->pcap);
	if (l->end_fd >= 0)
		close(l->end_fd);
	l->file = NULL;
	l->pcap = NULL;
	l->end_fd = -1;
}

static bool live_start(struct tap *t, const char *file, struct err *e)
{
	struct live *l = (struct live *)t;
	bool ok;

	wind_up(l);
	l->records = 0;
	l->failed = false;
	t->dropped = 0;
	ok = open_interface(l, e);
	if (ok && !(l->file = pcap_dump_open(l->pcap, file)))
		ok = err_set(e, ERR_IO, "%s", pcap_geterr(l->pcap));
	if (ok && (l->end_fd = eventfd(0, EFD_CLOEXEC)) < 0)
		ok = err_errno(e, "eventfd");
	l->running = ok && pthread_create(&l->thread, NULL, read_interface, l) == 0;
	if (l->running)
		return true;
	if (ok)
		err_set(e, ERR_INTERNAL, "no thread to read the interface with");
	wind_up(l);
	return false;
}

/* The board's own count, where there is one, is of another place on the wire: what the interface has is what there is. */
static bool live_stop(struct tap *t, uint64_t frames, struct err *e)
{
	struct live *l = (struct live *)t;
	bool written;

	(void)frames;
	if (!l->running)
		return err_set(e, ERR_CONFLICT, "there is no capture to stop");
	end_thread(l);
	written = pcap_dump_flush(l->file) == 0;
	wind_up(l);
	if (l->failed)
		return err_set(e, ERR_LOST, "interface %s: %s", l->interface, l->why);
	return written || err_errno(e, "write the capture");
}

static void live_destroy(struct tap *t)
{
	struct live *l = (struct live *)t;

	wind_up(l);
	free(l->interface);
	free(l);
}

static const struct tap_ops live_ops = { .name = "pcap", .captures = true, .start = live_start, .stop = live_stop, .destroy = live_destroy };

struct tap *tap_pcap_create(const char *interface, const uint8_t board_ip[4], struct err *e)
{
	struct live *l;

	if (interface[0] == '\0') {
		err_set(e, ERR_INVALID, "tap pcap: the bench file names no interface");
		return NULL;
	}
	l = xcalloc(1, sizeof *l);
	l->base.ops = &live_ops;
	l->interface = xstrdup(interface);
	l->end_fd = -1;
	memcpy(l->board_ip, board_ip, 4);
	return &l->base;
}
