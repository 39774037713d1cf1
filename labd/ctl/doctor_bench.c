// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a bench file needs of this computer: for each board on a kernel interface, the interface with its address, the device that makes TAP interfaces, and the right to capture. Looks only;
 * docs/benches.md has what to do.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <libgen.h>
#include <linux/capability.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "config/bench.h"
#include "ctl/doctor.h"

#define SCRIPT "fixtures/benches/tap-interface up"

struct subject {
	json_t *checks;
	const struct bench_board *board;
	char what[100];
};

static void say(const struct subject *s, const char *state, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void say(const struct subject *s, const char *state, const char *fmt, ...)
{
	char sentence[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(sentence, sizeof sentence, fmt, ap);
	va_end(ap);
	doctor_add(s->checks, s->what, state, sentence);
}

/* ---- rights ---- */

/* Of this process; the daemon has the same, or more by its file. */
static bool may(unsigned capability)
{
	char line[256];
	unsigned long long set = 0;
	FILE *f = fopen("/proc/self/status", "re");

	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "CapEff: %llx", &set) == 1)
			break;
	if (f)
		fclose(f);
	return set >> capability & 1;
}

/* Has somebody given the daemon beside this program a right of its own? */
static bool daemon_has_rights(void)
{
	char self[4096], path[4200];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

	self[n > 0 ? n : 0] = 0;
	snprintf(path, sizeof path, "%s/../labd", dirname(self));
	return getxattr(path, "security.capability", NULL, 0) > 0;
}

/* ---- an interface ---- */

/* The first line of <folder>/<interface>/<name>. */
static bool read_of(const char *folder, const char *interface, const char *name, char *text, size_t room)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s/%s", folder, interface, name);
	f = fopen(path, "re");
	bool ok = f && fgets(text, (int)room, f);
	if (f)
		fclose(f);
	if (ok)
		text[strcspn(text, "\n")] = 0;
	return ok;
}

static bool has_address(const char *interface, const char *address)
{
	struct ifaddrs *all = NULL;
	struct in_addr wanted;
	bool found = false;

	inet_pton(AF_INET, address, &wanted);
	if (getifaddrs(&all) != 0)
		return false;
	for (const struct ifaddrs *a = all; a; a = a->ifa_next)
		found |= a->ifa_addr && a->ifa_addr->sa_family == AF_INET && strcmp(a->ifa_name, interface) == 0
			&& ((const struct sockaddr_in *)(const void *)a->ifa_addr)->sin_addr.s_addr == wanted.s_addr;
	freeifaddrs(all);
	return found;
}

/* By ioctl and not by /sys, which in a network namespace may show another one's interfaces. */
static bool ask_kernel(unsigned long request, const char *interface, struct ifreq *r)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	snprintf(r->ifr_name, sizeof r->ifr_name, "%s", interface);
	bool ok = fd >= 0 && ioctl(fd, request, r) == 0;
	if (fd >= 0)
		close(fd);
	return ok;
}

static bool is_up(const char *interface)
{
	struct ifreq r = { .ifr_flags = 0 };

	return ask_kernel(SIOCGIFFLAGS, interface, &r) && r.ifr_flags & IFF_UP;
}

static bool is_tap(const char *interface)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	struct ifreq r = { .ifr_data = (char *)&info };

	return ask_kernel(SIOCETHTOOL, interface, &r) && strcmp(info.driver, "tun") == 0 && strcmp(info.bus_info, "tap") == 0;
}

/* The virtual board's process attaches to it: as its owner, or with the right to administer networks. */
static void check_owner(const struct subject *s, const char *interface)
{
	char text[32];

	if (!is_tap(interface))
		say(s, "problem", "%s is there and no TAP interface: give wire.interface another name", interface);
	else if (!may(CAP_NET_ADMIN) && read_of("/sys/class/net", interface, "owner", text, sizeof text) && strtol(text, NULL, 10) != (long)geteuid())
		say(s, "problem", "%s is not this user's: ip link delete %s, then sudo " SCRIPT " $USER", interface, interface);
}

static void check_missing(const struct subject *s, const char *interface)
{
	if (s->board->wire.mode == BENCH_WIRE_NIC)
		say(s, "problem", "there is no interface %s (ip link lists what there is)", interface);
	else if (may(CAP_NET_ADMIN))
		say(s, "note", "there is no interface %s yet: " SCRIPT " makes it, with its address", interface);
	else
		say(s, "problem", "there is no interface %s, and no right to make it (CAP_NET_ADMIN): sudo " SCRIPT " $USER", interface);
}

static void check_interface(const struct subject *s)
{
	const char *interface = s->board->wire.interface, *host = s->board->net.host;
	char text[32];

	if (if_nametoindex(interface) == 0) {
		check_missing(s, interface);
		return;
	}
	if (s->board->wire.mode == BENCH_WIRE_TAP)
		check_owner(s, interface);
	if (!is_up(interface))
		say(s, "problem", "%s is down: ip link set %s up", interface, interface);
	if (!has_address(interface, host))
		say(s, "problem", "%s does not have the address %s of net.host: ip address add %s/24 dev %s", interface, host, host, interface);
	else
		say(s, "ok", "%s is there, with %s", interface, host);
	if (read_of("/proc/sys/net/ipv6/conf", interface, "disable_ipv6", text, sizeof text) && text[0] == '0')
		say(s, "note", "IPv6 is on at %s, and its packets are in the captures: sysctl net.ipv6.conf.%s.disable_ipv6=1", interface, interface);
}

/* ---- a board ---- */

static void check_tun(const struct subject *s)
{
	if (access("/dev/net/tun", R_OK | W_OK) == 0)
		say(s, "ok", "/dev/net/tun can be used");
	else
		say(s, "problem", "/dev/net/tun: %s: modprobe tun, or give the container that device", strerror(errno));
}

static void check_capture(const struct subject *s)
{
	if (may(CAP_NET_RAW) || daemon_has_rights())
		say(s, "ok", "labd has the right to capture on %s", s->board->tap.interface);
	else
		say(s, "problem", "no right to capture on %s (CAP_NET_RAW): sudo setcap cap_net_raw+ep build/release/labd/labd", s->board->tap.interface);
}

static void check_one(json_t *checks, const struct bench_board *b)
{
	struct subject s = { .checks = checks, .board = b };

	snprintf(s.what, sizeof s.what, "board %.64s", b->name);
	if (b->wire.mode == BENCH_WIRE_TAP)
		check_tun(&s);
	if (b->wire.mode != BENCH_WIRE_GATE)
		check_interface(&s);
	if (b->tap.driver == BENCH_TAP_PCAP)
		check_capture(&s);
	if (b->line.driver == BENCH_LINE_SERIAL && access(b->line.path, R_OK | W_OK) != 0)
		say(&s, "problem", "%s: %s%s", b->line.path, strerror(errno), errno == EACCES ? ": is this user in the group dialout?" : "");
}

void doctor_bench(json_t *checks, const char *file)
{
	struct bench *bench;
	struct err e;

	if (!bench_load(file, &bench, &e)) {
		doctor_add(checks, "bench file", "problem", e.msg);
		return;
	}
	doctor_add(checks, "bench file", "ok", file);
	for (size_t i = 0; i < bench->count; i++)
		check_one(checks, &bench->boards[i]);
	bench_destroy(bench);
}
