// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Other programs: an argument vector (never a shell) in a process group of its own, its output collected up to a limit, a deadline, and an end that
 * leaves nothing behind: TERM to the group, after a grace time KILL, then waitpid (field failures F02, F03, F07). The child ends with us
 * (PR_SET_PDEATHSIG), has no descriptor of ours but those named, and default signals. Any thread; one object one thread.
 *
 * PR_SET_PDEATHSIG follows the thread that started the child: start long-lived processes from a thread that lives as long.
 */
#ifndef LAB_CORE_PROC_H
#define LAB_CORE_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/buf.h"
#include "core/err.h"

/* How a program ended. */
struct proc_end {
	bool signalled;
	int status;                                                          /* exit status, or the signal's number */
};

/* Run to the end. False: could not start (ERR_NOT_FOUND: no such program), or the deadline passed (ERR_TIMEOUT; it is gone by then). */
struct proc_run {
	const char *const *argv;                                             /* NULL-terminated; argv[0] is searched in PATH */
	uint32_t deadline_ms;
	size_t output_max;                                                   /* of standard output and error together; more is read and dropped. 0 = 64 KiB */
	struct buf *output;                                                  /* NULL = nobody wants it */
};
bool proc_run(const struct proc_run *r, struct proc_end *end, struct err *e);

/* A program that goes on: descriptors it inherits under numbers of their own. */
struct proc_fd {
	int ours;                                                            /* stays ours: the caller closes it */
	int theirs;                                                          /* 0 to 9 */
};
struct proc {
	pid_t pid;
	uint64_t start_time;                                                 /* of /proc/<pid>/stat: pid and this name a process for good */
};
bool proc_start(const char *const *argv, const struct proc_fd *fds, size_t count, struct proc *out, struct err *e);

/* True when it has ended and is reaped; never waits. */
bool proc_ended(struct proc *p, struct proc_end *end);

/* TERM to its group, grace_ms later KILL; reaped on return. */
void proc_stop(struct proc *p, uint32_t grace_ms, struct proc_end *end);

/* 0: no such process. */
uint64_t proc_start_time(pid_t pid);

/* "exit status 3" or "killed by signal 9 (Killed)" into out. */
void proc_end_text(const struct proc_end *end, char *out, size_t room);

/*
 * First thing in a program: where descriptor 0, 1 or 2 is closed, something that fails takes its place, so that no socket or file of ours gets the number and
 * what is printed lands in it. Writing to a closed standard output stays the error it was.
 */
void proc_claim_standard_fds(void);

#endif
