// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A serial port of this computer. libserialport sets it up; reading and writing is poll() on its descriptor, because a vanished adapter
 * (hang-up, end of file, EIO) must not be taken for silence (field failure F16), and a cancelled job must not wait.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libserialport.h>
#include <limits.h>
#include <linux/serial.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/mem.h"
#include "drivers/line_drivers.h"

enum { LOOK_MS = 500 };                                                      /* how often a silent adapter is looked for */

struct line_serial {
	struct line line;
	struct pace *pace;
	char *path, *device;                                                 /* device: what path was when it was opened */
	struct sp_port *port;
	int fd;
};

static struct line_serial *self(struct line *l)
{
	return (struct line_serial *)l;
}

static bool failed(const char *what, enum sp_return code, struct err *e)
{
	char *text = code == SP_ERR_FAIL ? sp_last_error_message() : NULL;

	err_set(e, code == SP_ERR_SUPP ? ERR_UNSUPPORTED : ERR_IO, "%s: %s", what, text ? text : code == SP_ERR_SUPP ? "the port cannot do this" : "refused");
	sp_free_error_message(text);
	return false;
}

#define SP(call) ((code = (call)) == SP_OK)

/* Which process has the device open, for the sentence; 0 = not to be seen (another user's). */
static int holder(const char *device)
{
	DIR *proc = opendir("/proc");
	struct dirent *p;
	int found = 0;

	while (proc && !found && (p = readdir(proc))) {
		char folder[300], target[PATH_MAX];
		struct dirent *f;
		DIR *fds;

		snprintf(folder, sizeof folder, "/proc/%s/fd", p->d_name);
		if (atoi(p->d_name) <= 0 || atoi(p->d_name) == getpid() || !(fds = opendir(folder)))
			continue;
		while (!found && (f = readdir(fds))) {
			ssize_t n = readlinkat(dirfd(fds), f->d_name, target, sizeof target - 1);

			target[n > 0 ? n : 0] = 0;
			if (!strcmp(target, device))
				found = atoi(p->d_name);
		}
		closedir(fds);
	}
	if (proc)
		closedir(proc);
	return found;
}

static bool in_use(const char *device, struct err *e)
{
	char path[40], name[40] = "";
	int pid = holder(device);
	FILE *f;

	if (!pid)
		return err_set(e, ERR_CONFLICT, "%s is in use by another program", device);
	snprintf(path, sizeof path, "/proc/%d/comm", pid);
	f = fopen(path, "re");
	if (f) {
		if (fscanf(f, "%39s", name) != 1)
			name[0] = 0;
		fclose(f);
	}
	return err_set(e, ERR_CONFLICT, "%s is in use by process %d (%s)", device, pid, name);
}

/* libserialport takes only a device of its list: links are followed here, and a pseudo terminal gets a sentence of its own (field failure F06). */
static bool find_device(struct line_serial *s, struct err *e)
{
	free(s->device);
	s->device = realpath(s->path, NULL);
	if (!s->device)
		return err_set(e, errno == ENOENT ? ERR_NOT_FOUND : ERR_IO, "%s: %s (is the adapter plugged in?)", s->path, strerror(errno));
	if (sp_get_port_by_name(s->device, &s->port) == SP_OK)
		return true;
	if (!strncmp(s->device, "/dev/pts/", 9))
		return err_set(e, ERR_UNSUPPORTED, "%s is a pseudo terminal: it has no modem lines and parity; reach it over RFC 2217 instead", s->device);
	return err_set(e, ERR_INVALID, "%s is not a serial port (not in /sys/class/tty)", s->device);
}

static bool open_device(struct line_serial *s, struct err *e)
{
	enum sp_return code;
	int error;

	if (!SP(sp_open(s->port, SP_MODE_READ_WRITE))) {
		error = sp_last_error_code();
		if (error == EBUSY)
			return in_use(s->device, e);
		return failed(s->device, code, e);
	}
	sp_get_port_handle(s->port, &s->fd);
	if (flock(s->fd, LOCK_EX | LOCK_NB)) {
		sp_close(s->port);
		return in_use(s->device, e);
	}
	ioctl(s->fd, TIOCEXCL);
	return true;
}

/* Closing must not drop DTR; and an FTDI adapter must not sit on a character for 16 ms, where the kernel lets us ask. */
static void tune(int fd)
{
	struct serial_struct serial;
	struct termios t;

	if (!tcgetattr(fd, &t)) {
		t.c_cflag &= ~(tcflag_t)HUPCL;
		tcsetattr(fd, TCSANOW, &t);
	}
	if (!ioctl(fd, TIOCGSERIAL, &serial)) {
		serial.flags |= ASYNC_LOW_LATENCY;
		ioctl(fd, TIOCSSERIAL, &serial);
	}
}

static bool configure(struct line_serial *s, const struct line_setup *setup, struct err *e)
{
	enum sp_parity parity = setup->parity == 'N' ? SP_PARITY_NONE : setup->parity == 'E' ? SP_PARITY_EVEN : SP_PARITY_ODD;
	enum sp_return code;

	if (!SP(sp_set_baudrate(s->port, (int)setup->baud)))
		return failed("baud rate", code, e);
	if (!SP(sp_set_bits(s->port, setup->data_bits)))
		return failed("data bits", code, e);
	if (!SP(sp_set_parity(s->port, parity)))
		return failed("parity", code, e);
	if (!SP(sp_set_stopbits(s->port, setup->stop_bits)))
		return failed("stop bits", code, e);
	return true;
}

static bool set_signal(struct line *l, enum line_signal which, bool asserted, struct err *e)
{
	struct line_serial *s = self(l);
	enum sp_return code;
	bool ok;

	switch (which) {
	case LINE_DTR:
		ok = SP(sp_set_dtr(s->port, asserted ? SP_DTR_ON : SP_DTR_OFF));
		break;
	case LINE_RTS:
		ok = SP(sp_set_rts(s->port, asserted ? SP_RTS_ON : SP_RTS_OFF));
		break;
	default:
		ok = SP(asserted ? sp_start_break(s->port) : sp_end_break(s->port));
	}
	if (ok)
		return true;
	if (access(s->device, F_OK))
		return err_set(e, ERR_LOST, "%s is gone: the adapter was unplugged", s->device);
	return failed("control line", code, e);
}

static void release(struct line_serial *s)
{
	if (s->fd >= 0)
		sp_close(s->port);
	if (s->port)
		sp_free_port(s->port);
	s->port = NULL;
	s->fd = -1;
}

/* The kernel raises DTR and RTS at open; they are released at once, before anything that takes time (field failure F14). */
static bool open_line(struct line *l, const struct line_setup *setup, struct err *e)
{
	struct line_serial *s = self(l);
	enum sp_return code = SP_OK;
	bool ok = find_device(s, e) && open_device(s, e) && set_signal(l, LINE_DTR, false, e) && set_signal(l, LINE_RTS, false, e);

	if (ok && !SP(sp_set_flowcontrol(s->port, SP_FLOWCONTROL_NONE)))
		ok = failed("flow control", code, e);
	ok = ok && set_signal(l, LINE_DTR, false, e) && set_signal(l, LINE_RTS, false, e) && configure(s, setup, e);
	if (!ok) {
		release(s);
		return false;
	}
	tune(s->fd);
	tcflush(s->fd, TCIOFLUSH);
	return true;
}

static bool setup_line(struct line *l, const struct line_setup *setup, struct err *e)
{
	return configure(self(l), setup, e);
}

static bool gone(const struct line_serial *s, struct err *e)
{
	return err_set(e, ERR_LOST, "%s is gone: the adapter was unplugged", s->device);
}

/* Until the port is ready for events, cancelled, gone or the deadline passes (*ready false). */
static bool wait_ready(struct line_serial *s, short events, uint64_t deadline_ns, bool *ready, struct err *e)
{
	for (*ready = false;;) {
		struct pollfd fds[2] = { { .fd = s->fd, .events = events }, { .fd = s->pace->cancel_fd, .events = POLLIN } };
		int left = clock_left_ms(&clock_host, deadline_ns), n = poll(fds, 2, left < LOOK_MS ? left : LOOK_MS);

		if (n < 0 && errno != EINTR)
			return err_errno(e, "%s: poll", s->device);
		if (n > 0 && fds[1].revents)
			return err_set(e, ERR_CANCELLED, "cancelled");
		if (n > 0 && fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
			return gone(s, e);
		if (n > 0 && fds[0].revents & events) {
			*ready = true;
			return true;
		}
		if (access(s->device, F_OK))
			return gone(s, e);
		if (left == 0)
			return true;
	}
}

static bool write_bytes(struct line *l, const void *bytes, size_t n, uint64_t deadline_ns, struct err *e)
{
	struct line_serial *s = self(l);
	bool ready;

	for (size_t done = 0; done < n;) {
		ssize_t took = write(s->fd, (const char *)bytes + done, n - done);

		if (took > 0) {
			done += (size_t)took;
			continue;
		}
		if (took < 0 && errno != EAGAIN && errno != EINTR)
			return errno == EIO || errno == ENXIO || errno == ENODEV ? gone(s, e) : err_errno(e, "%s: write", s->device);
		if (!wait_ready(s, POLLOUT, deadline_ns, &ready, e))
			return false;
		if (!ready)
			return err_set(e, ERR_TIMEOUT, "%s: %zu of %zu bytes could not be sent in time", s->device, n - done, n);
	}
	return true;
}

static long read_bytes(struct line *l, void *bytes, size_t n, size_t least, uint64_t deadline_ns, struct err *e)
{
	struct line_serial *s = self(l);
	size_t got = 0;
	bool ready;

	for (;;) {
		ssize_t some = read(s->fd, (char *)bytes + got, n - got);

		if (some < 0 && errno != EAGAIN && errno != EINTR)
			break;
		if (some > 0)
			got += (size_t)some;
		if (got >= least && got)
			return (long)got;
		if (!wait_ready(s, POLLIN, least ? deadline_ns : 0, &ready, e))
			return got ? (long)got : -1;
		if (!ready)
			return (long)got;
		if (some == 0)
			break;                                               /* ready and nothing there, twice: end of file */
	}
	return got ? (long)got : gone(s, e) - 1;
}

static bool drop_input(struct line *l, struct err *e)
{
	uint8_t bytes[256];
	ssize_t n;

	(void)e;
	while ((n = read(self(l)->fd, bytes, sizeof bytes)) > 0)
		if (l->heard)
			l->heard(l->opaque, pace_now_ns(self(l)->pace), bytes, (size_t)n);
	return true;
}

static uint64_t now_ns(struct line *l)
{
	return pace_now_ns(self(l)->pace);
}

static void close_line(struct line *l)
{
	release(self(l));
}

static void destroy(struct line *l)
{
	free(self(l)->path);
	free(self(l)->device);
	free(l);
}

static const struct line_ops ops = {
	.name = "serial", .open = open_line, .setup = setup_line, .signal = set_signal, .write = write_bytes, .read = read_bytes, .drop_input = drop_input,
	.now_ns = now_ns, .close = close_line, .destroy = destroy,
};

struct line *line_serial_create(struct pace *pace, const char *path)
{
	struct line_serial *s = xcalloc(1, sizeof *s);

	s->line.ops = &ops;
	s->pace = pace;
	s->path = xstrdup(path);
	s->fd = -1;
	return &s->line;
}
