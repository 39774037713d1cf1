// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/own_network.h"

#include <errno.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "test/harness.h"

/* As an ordinary user: become root of a namespace of users, or what started programs may do would end with their exec. */
static bool user_namespace(void)
{
	unsigned uid = (unsigned)getuid(), gid = (unsigned)getgid();
	char users[64], groups[64];
	int n = snprintf(users, sizeof users, "0 %u 1", uid), m = snprintf(groups, sizeof groups, "0 %u 1", gid);

	return unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 && test_write_file("/proc/self/setgroups", "deny", 4)
		&& test_write_file("/proc/self/uid_map", users, (size_t)n) && test_write_file("/proc/self/gid_map", groups, (size_t)m);
}

static bool loopback_up(void)
{
	struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool ok = ioctl(fd, SIOCSIFFLAGS, &lo) == 0;

	close(fd);
	return ok;
}

static bool failed(const char *what, char *why, size_t room)
{
	snprintf(why, room, "%s: %s", what, strerror(errno));
	return false;
}

bool own_network(char *why, size_t room)
{
	if (access("/dev/net/tun", R_OK | W_OK) != 0)
		return failed("/dev/net/tun", why, room);
	if (unshare(CLONE_NEWNET) != 0 && !user_namespace())
		return failed("no network namespace", why, room);
	if (!loopback_up())
		return failed("the loopback interface", why, room);
	(void)test_write_file("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1", 1);
	return true;
}
