// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/unix_socket.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

static bool connect_in_time(int fd, const struct sockaddr_un *to, uint32_t timeout_ms, struct err *e)
{
	struct timeval most = { timeout_ms / 1000, timeout_ms % 1000 * 1000 };

	if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most) == 0 && connect(fd, (const struct sockaddr *)to, sizeof *to) == 0)
		return true;
	if (errno == EAGAIN)
		return err_set(e, ERR_TIMEOUT, "connect to %s: nobody took the connection within %u ms", to->sun_path, timeout_ms);
	return err_errno(e, "connect to %s", to->sun_path);
}

int unix_socket_connect(const char *path, uint32_t timeout_ms, struct err *e)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(path) >= sizeof to.sun_path)
		return err_set(e, ERR_INVALID, "socket path of %zu bytes, a Unix socket takes %zu: %s", strlen(path), sizeof to.sun_path - 1, path) - 1;
	memcpy(to.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return err_errno(e, "socket") - 1;
	if (connect_in_time(fd, &to, timeout_ms, e))
		return fd;
	close(fd);
	return -1;
}
