// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For whole-daemon tests: a labd of the build, started as people start it, with a state folder, a bench and matrices of its own in the running test's folder.
 * Its gate listens at a loopback address of its own and on free ports, so that tests run beside each other and beside other daemons. Programs are the real ones:
 * labd, vboard, labctl. Every wait is bounded; what went wrong is told in rig_said(). One thread.
 */
#ifndef LAB_TEST_E2E_LAB_RIG_H
#define LAB_TEST_E2E_LAB_RIG_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct lab_rig {
	char folder[64], state[96], bench[128], config[128];
	const char *utc;                                                     /* "1796002197": labd is started when the wall clock shows that (Unix time); NULL: as it is */
	pid_t labd;                                                          /* 0 = not running */
	int status;                                                          /* of the last program that ended: exit status, or 128 + signal */
	char *out, *err;                                                     /* what the last program of rig_run() and rig_ctl() wrote; never NULL */
};

/* What differs from the usual: one virtual 8051 named 8051-a without faults. NULL = as usual. */
struct rig_setup {
	const char *faults;                                                  /* JSON array of fault lines */
	const char *chip;                                                    /* JSON object */
	const char *name;                                                    /* folder name under the test's, for a second lab in one test */
	unsigned boards;                                                     /* 0 = 1: 8051-a, 8051-b, ... */
};

/* Folder, bench file, labd.json and the matrices: published, and quick, slow and long of one cell each. Starts nothing. Also sets $TMPDIR, so that sockets are in the test's folder. */
bool rig_prepare(struct lab_rig *r, const struct rig_setup *s);

/* Start labd and wait until it serves. False: it ended (status, rig_log()) or said nothing. */
bool rig_start(struct lab_rig *r);
bool rig_prepare_and_start(struct lab_rig *r, const struct rig_setup *s);

/* SIGTERM and wait; true when it ended with status 0 within the time that is promised (5 s, more under a sanitizer). */
bool rig_stop(struct lab_rig *r);
void rig_kill(struct lab_rig *r);                                            /* SIGKILL, reaped */
void rig_finish(struct lab_rig *r);                                          /* whatever runs is killed; frees */

/* Run a program to its end: argv ends with NULL. False when it had to be killed at the deadline. */
bool rig_run(struct lab_rig *r, unsigned deadline_s, const char *const *argv);

/* The same in the background, for rig_reap(). */
pid_t rig_begin(struct lab_rig *r, const char *const *argv);

/* labctl with --state; the words end with NULL. Its exit status; -1 when it hung. */
int rig_ctl(struct lab_rig *r, ...) __attribute__((sentinel));

/* The same with --json, read; the caller releases. NULL when it printed no JSON document. The exit status is in r->status. */
json_t *rig_ctl_json(struct lab_rig *r, ...) __attribute__((sentinel));

/* labctl in the background: a pid for rig_reap(). Its output goes to <folder>/background.{out,err}. */
pid_t rig_ctl_begin(struct lab_rig *r, ...) __attribute__((sentinel));
int rig_reap(struct lab_rig *r, pid_t pid, unsigned deadline_s);             /* exit status; -1: killed at the deadline; r->out and r->err are its output */

/* Wait until a board's live step (labctl boards) is that word, or a run is in that state. */
bool rig_await_step(struct lab_rig *r, const char *board, const char *step, unsigned deadline_s);
bool rig_await_run(struct lab_rig *r, int64_t run, const char *state, unsigned deadline_s);

/* The vboard processes of this labd; how many. */
size_t rig_vboards(const struct lab_rig *r, pid_t *pids, size_t room);

/* Programs of this rig that still run: their environment names this test's folder. */
size_t rig_left_over(const struct lab_rig *r);

/* Socket folders in the test's folder; how many. */
size_t rig_socket_folders(const struct lab_rig *r);

/* The socket folder of the only vboard, which answers there. */
bool rig_socket_folder(const struct lab_rig *r, char *path, size_t room);

/* One request to the control socket of the only vboard; its answer in text. */
bool rig_control(struct lab_rig *r, const char *request, char *answer, size_t room);

/* A fault at run time ("clear" too): true when the board said ok. */
bool rig_fault(struct lab_rig *r, const char *text);

/* One number from the store, beside the daemon or after it; -1 when it cannot be had. */
int64_t rig_count(const struct lab_rig *r, const char *sql);

char *rig_log(const struct lab_rig *r);                                      /* labd's log so far; the caller frees it */
const char *rig_said(void);

/* ---- reading documents ---- */

const char *text_in(const json_t *o, const char *key);                       /* "" when it is none */
json_t *cell_in(const json_t *report, size_t i);

/* SHA-256 of a file in hex; false when it cannot be read. */
bool file_sha256(const char *path, char out[65]);

/* How much slower this build is than a release: 1, or more under a sanitizer. For deadlines, never for results. */
unsigned slowness(void);

#endif
