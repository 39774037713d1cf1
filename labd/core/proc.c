// SPDX-License-Identifier: GPL-2.0-or-later
/* Other programs: how they are started, watched and ended. */
#include "core/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/clock.h"

enum { OUTPUT_MAX = 64 << 10, GRACE_MS = 2000, FIRST_FREE_FD = 10 };

/* --- the child, between fork and exec: only async-signal-safe calls ------------------------------------------------------------------------- */

static void default_signals(void)
{
	static const int changed[] = { SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGUSR1, SIGUSR2, SIGQUIT };
	sigset_t none;

	for (size_t i = 0; i < sizeof changed / sizeof *changed; i++)
		signal(changed[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* First out of the way of each other, then to their numbers; everything else is closed. */
static bool place_fds(const struct proc_fd *fds, size_t count, int report)
{
	int moved[10], kept = fcntl(report, F_DUPFD, FIRST_FREE_FD + 10);

	for (size_t i = 0; i < count; i++)
		if ((moved[i] = fcntl(fds[i].ours, F_DUPFD, FIRST_FREE_FD + 10)) < 0)
			return false;
	for (int fd = 0; fd < FIRST_FREE_FD; fd++)
		close(fd);
	if (open("/dev/null", O_RDWR) != 0 || dup2(0, 1) < 0 || dup2(0, 2) < 0)
		return false;
	for (size_t i = 0; i < count; i++)
		if (dup2(moved[i], fds[i].theirs) < 0)
			return false;
	if (dup3(kept, FIRST_FREE_FD, O_CLOEXEC) < 0)
		return false;
	return close_range(FIRST_FREE_FD + 1, ~0u, 0) == 0;
}

static _Noreturn void become(const char *const *argv, const struct proc_fd *fds, size_t count, int report, pid_t parent)
{
	int why;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	default_signals();
	if (getppid() == parent && place_fds(fds, count, report)) {
		report = FIRST_FREE_FD;
		execvp(argv[0], (char *const *)argv);
	}
	why = errno;
	if (write(report, &why, sizeof why) < 0)
		_exit(126);
	_exit(127);
}

void proc_claim_standard_fds(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
			return;                                              /* not even that: nothing to be done about it here */
}

/* --- start ---------------------------------------------------------------------------------------------------------------------------------- */

uint64_t proc_start_time(pid_t pid)
{
	char path[40], text[1024], *p;
	unsigned long long start = 0;
	int fd;
	ssize_t n;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof text - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	p = strrchr(text, ')');                                              /* the name may hold anything */
	if (!p || sscanf(p + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu", &start) != 1)
		return 0;
	return start;
}

/* The pipe closes at exec; an errno on it says that there was none. */
static bool started(int report, const char *program, struct err *e)
{
	int why;
	ssize_t n;

	do
		n = read(report, &why, sizeof why);
	while (n < 0 && errno == EINTR);
	if (n != sizeof why)
		return true;
	errno = why;
	if (why == ENOENT)
		return err_set(e, ERR_NOT_FOUND, "%s: no such program (is it installed, is the path right?)", program);
	return err_errno(e, "%s: cannot be started", program);
}

bool proc_start(const char *const *argv, const struct proc_fd *fds, size_t count, struct proc *out, struct err *e)
{
	pid_t parent = getpid(), pid;
	int report[2];
	bool ok;

	if (pipe2(report, O_CLOEXEC))
		return err_errno(e, "%s: pipe", argv[0]);
	pid = fork();
	if (pid == 0)
		become(argv, fds, count, report[1], parent);
	close(report[1]);
	if (pid < 0) {
		close(report[0]);
		return err_errno(e, "%s: fork", argv[0]);
	}
	setpgid(pid, pid);                                                   /* here too: a group must exist before anybody ends it */
	ok = started(report[0], argv[0], e);
	close(report[0]);
	if (!ok) {
		waitpid(pid, NULL, 0);
		return false;
	}
	*out = (struct proc){ pid, proc_start_time(pid) };
	return true;
}

/* --- end ------------------------------------------------------------------------------------------------------------------------------------ */

bool proc_ended(struct proc *p, struct proc_end *end)
{
	int status;
	pid_t pid;

	do
		pid = waitpid(p->pid, &status, WNOHANG);
	while (pid < 0 && errno == EINTR);
	if (pid == 0)
		return false;
	*end = pid < 0 ? (struct proc_end){ false, 0 }
		: WIFSIGNALED(status) ? (struct proc_end){ true, WTERMSIG(status) } : (struct proc_end){ false, WEXITSTATUS(status) };
	return true;
}

static void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 2 * NS_PER_MS }, NULL);
}

void proc_stop(struct proc *p, uint32_t grace_ms, struct proc_end *end)
{
	uint64_t until = clock_now_ns(&clock_host) + grace_ms * NS_PER_MS;
	struct proc_end ignored;

	if (!end)
		end = &ignored;
	kill(-p->pid, SIGTERM);
	while (!proc_ended(p, end)) {
		if (clock_now_ns(&clock_host) > until)
			kill(-p->pid, SIGKILL);
		nap();
	}
	kill(-p->pid, SIGKILL);                                              /* grandchildren that are still there */
}

void proc_end_text(const struct proc_end *end, char *out, size_t room)
{
	if (end->signalled)
		snprintf(out, room, "killed by signal %d (%s)", end->status, strsignal(end->status));
	else
		snprintf(out, room, "exit status %d", end->status);
}

/* --- run ------------------------------------------------------------------------------------------------------------------------------------ */

struct drain {
	int fd;
	struct buf *to;
	size_t max;
	bool open;
};

static void take(struct drain *d)
{
	char piece[4096];
	ssize_t n = read(d->fd, piece, sizeof piece);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		d->open = false;
		return;
	}
	if (d->to && d->to->size < d->max)
		buf_add(d->to, piece, (size_t)n < d->max - d->to->size ? (size_t)n : d->max - d->to->size);
}

/* Until the program has ended; its output may end later (a grandchild holds the pipe) or earlier. */
static bool watch(struct proc *p, struct drain *d, uint64_t deadline, struct proc_end *end)
{
	while (!proc_ended(p, end)) {
		struct pollfd fd = { .fd = d->open ? d->fd : -1, .events = POLLIN };

		if (clock_now_ns(&clock_host) >= deadline)
			return false;
		if (poll(&fd, 1, 5) > 0)
			take(d);
	}
	for (int i = 0; d->open && i < 100; i++) {
		struct pollfd fd = { .fd = d->fd, .events = POLLIN };

		if (poll(&fd, 1, 0) <= 0)
			break;
		take(d);
	}
	return true;
}

bool proc_run(const struct proc_run *r, struct proc_end *end, struct err *e)
{
	uint64_t deadline = clock_now_ns(&clock_host) + r->deadline_ms * NS_PER_MS;
	struct drain d = { .to = r->output, .max = r->output_max ? r->output_max : OUTPUT_MAX, .open = true };
	struct proc p;
	int out[2];
	bool ok;

	if (pipe2(out, O_CLOEXEC | O_NONBLOCK))
		return err_errno(e, "%s: pipe", r->argv[0]);
	fcntl(out[1], F_SETFL, 0);                                           /* the program's end blocks, as it expects */
	d.fd = out[0];
	ok = proc_start(r->argv, (struct proc_fd[]){ { out[1], 1 }, { out[1], 2 } }, 2, &p, e);
	close(out[1]);
	if (ok && !watch(&p, &d, deadline, end)) {
		proc_stop(&p, GRACE_MS, end);
		ok = err_set(e, ERR_TIMEOUT, "%s: not finished within %u ms; ended", r->argv[0], r->deadline_ms);
	} else if (ok) {
		kill(-p.pid, SIGKILL);                                       /* what it left in the background */
	}
	close(out[0]);
	return ok;
}
