// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A test-only preload library that makes a pseudo terminal look like a serial port: it is found below /sys/class/tty, and has modem lines. libserialport
 * and ser2net take it for an adapter. The lines after each change are appended to the file LAB_PTY_LOG: "dtr=0 rts=1". As a kernel does, DTR and RTS are
 * raised when a port is opened (seen at the first question for them).
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

int ioctl(int fd, unsigned long request, ...);
ssize_t readlink(const char *path, char *out, size_t room);
int __lxstat(int version, const char *path, struct stat *st);
int lstat(const char *path, struct stat *st);

enum { FDS = 1024 };
static struct { int known, lines; ino_t inode; } ports[FDS];

static int is_pty(int fd)
{
	struct stat st;

	return fd >= 0 && fd < FDS && !fstat(fd, &st) && S_ISCHR(st.st_mode) && major(st.st_rdev) >= 136 && major(st.st_rdev) <= 143;
}

static void note(int lines)
{
	const char *path = getenv("LAB_PTY_LOG");
	char text[40];
	int n = snprintf(text, sizeof text, "dtr=%d rts=%d\n", !!(lines & TIOCM_DTR), !!(lines & TIOCM_RTS)), fd;

	if (!path || (fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) < 0)
		return;
	if (write(fd, text, (size_t)n) < 0)
		_exit(99);
	close(fd);
}

static int *lines_of(int fd)
{
	struct stat st;

	fstat(fd, &st);
	if (!ports[fd].known || ports[fd].inode != st.st_ino) {
		ports[fd].known = 1;
		ports[fd].inode = st.st_ino;
		ports[fd].lines = TIOCM_DTR | TIOCM_RTS;
	}
	return &ports[fd].lines;
}

static int modem(int fd, unsigned long request, int *bits)
{
	int *lines = lines_of(fd), before = *lines;

	if (request == TIOCMGET)
		*bits = *lines;
	else if (request == TIOCMSET)
		*lines = *bits;
	else if (request == TIOCMBIS)
		*lines |= *bits;
	else
		*lines &= ~*bits;
	if ((before ^ *lines) & (TIOCM_DTR | TIOCM_RTS))
		note(*lines);
	return 0;
}

int ioctl(int fd, unsigned long request, ...)
{
	int (*next)(int, unsigned long, void *);
	va_list ap;
	void *argument;

	va_start(ap, request);
	argument = va_arg(ap, void *);
	va_end(ap);
	if ((request == TIOCMGET || request == TIOCMSET || request == TIOCMBIS || request == TIOCMBIC) && is_pty(fd))
		return modem(fd, request, argument);
	*(void **)&next = dlsym(RTLD_NEXT, "ioctl");
	return next(fd, request, argument);
}

/* A kernel drops the lines, or not, at close; the next open raises them. */
int close(int fd)
{
	int (*next)(int);

	if (fd >= 0 && fd < FDS)
		ports[fd].known = 0;
	*(void **)&next = dlsym(RTLD_NEXT, "close");
	return next(fd);
}

static int is_pty_of_sys(const char *path)
{
	return !strncmp(path, "/sys/class/tty/pts/", 19);
}

ssize_t readlink(const char *path, char *out, size_t room)
{
	static const char target[] = "../../devices/pretended/usb1/1-1/ttyUSB0";
	ssize_t (*next)(const char *, char *, size_t);

	if (is_pty_of_sys(path)) {
		size_t n = sizeof target - 1 < room ? sizeof target - 1 : room;

		memcpy(out, target, n);
		return (ssize_t)n;
	}
	*(void **)&next = dlsym(RTLD_NEXT, "readlink");
	return next(path, out, room);
}

static int pretend_link(struct stat *st)
{
	memset(st, 0, sizeof *st);
	st->st_mode = S_IFLNK | 0777;
	return 0;
}

int __lxstat(int version, const char *path, struct stat *st)
{
	int (*next)(int, const char *, struct stat *);

	if (is_pty_of_sys(path))
		return pretend_link(st);
	*(void **)&next = dlsym(RTLD_NEXT, "__lxstat");
	return next(version, path, st);
}

int lstat(const char *path, struct stat *st)
{
	int (*next)(const char *, struct stat *);

	if (is_pty_of_sys(path))
		return pretend_link(st);
	*(void **)&next = dlsym(RTLD_NEXT, "lstat");
	return next(path, st);
}
