// SPDX-License-Identifier: GPL-2.0-or-later
#include "drivers/pty_end.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

bool pty_end_open(struct pty_end *p)
{
	struct termios t;

	p->slave = -1;
	p->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (p->master < 0 || grantpt(p->master) || unlockpt(p->master) || !(p->path = ptsname(p->master)))
		return false;
	p->slave = open(p->path, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (p->slave < 0 || tcgetattr(p->slave, &t))
		return false;
	cfmakeraw(&t);
	return tcsetattr(p->slave, TCSANOW, &t) == 0;
}

void pty_end_close(struct pty_end *p)
{
	if (p->slave >= 0)
		close(p->slave);
	if (p->master >= 0)
		close(p->master);
	p->slave = p->master = -1;
}

uint16_t pty_end_free_port(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof at;
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	bool ok = !bind(fd, (struct sockaddr *)&at, sizeof at) && !getsockname(fd, (struct sockaddr *)&at, &size);

	close(fd);
	return ok ? ntohs(at.sin_port) : 0;
}

bool pty_end_listens(uint16_t port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

	for (int i = 0; i < 500; i++) {
		int fd = socket(AF_INET, SOCK_STREAM, 0), failed = connect(fd, (struct sockaddr *)&at, sizeof at);

		close(fd);
		if (!failed)
			return true;
		usleep(10000);
	}
	return false;
}

const char *pty_end_preload(void)
{
	static char text[4096];
	const char *build = getenv("LAB_BUILD");

	snprintf(text, sizeof text, "LD_PRELOAD=%s/labd/test/pty_tty.so", build ? build : "");
	return build && !access(text + 11, R_OK) ? text : NULL;
}
