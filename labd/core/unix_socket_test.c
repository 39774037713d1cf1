// SPDX-License-Identifier: GPL-2.0-or-later
/* The connection that somebody takes, that nobody takes, and that nobody could. */
#include "core/unix_socket.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/clock.h"
#include "test/harness.h"

static struct err e;
static struct sockaddr_un at = { .sun_family = AF_UNIX };

/* A listener with the shortest queue there is, who takes nothing from it. */
static int listener(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(at.sun_path, sizeof at.sun_path, "%s/socket", test_folder());
	return bind(fd, (struct sockaddr *)&at, sizeof at) == 0 && listen(fd, 0) == 0 ? fd : -1;
}

TEST(a_listener_that_takes_nothing_is_waited_for_and_given_up)
{
	int fd = listener(), first, second;
	uint64_t from;

	CHECK(fd >= 0);
	first = unix_socket_connect(at.sun_path, 50, &e);
	CHECK(first >= 0);
	from = clock_now_ns(&clock_host);
	second = unix_socket_connect(at.sun_path, 50, &e);
	CHECK_EQ(second, -1);
	CHECK_EQ(e.code, ERR_TIMEOUT);
	CHECK(strstr(e.msg, "nobody took the connection within 50 ms"));
	CHECK(clock_now_ns(&clock_host) - from >= 40 * NS_PER_MS);
	close(first);
	close(fd);
}

TEST(a_path_that_is_not_there_or_too_long_says_so)
{
	char longest[200];

	CHECK_EQ(unix_socket_connect("/tmp/labd-no-such-socket", 50, &e), -1);
	CHECK_EQ(e.code, ERR_NOT_FOUND);
	memset(longest, 'x', sizeof longest);
	longest[sizeof longest - 1] = 0;
	CHECK_EQ(unix_socket_connect(longest, 50, &e), -1);
	CHECK_EQ(e.code, ERR_INVALID);
	CHECK(strstr(e.msg, "socket path of 199 bytes, a Unix socket takes 107"));
}
