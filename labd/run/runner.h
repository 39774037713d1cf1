// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The runner: takes requests, turns them into runs and cells, and keeps one worker thread per board that works them off.
 *
 * Requests come from any thread (HTTP, schedule, main); they only write the store and wake workers. What happens is told through run_events,
 * from any of these and the workers' threads; the receiver copies what it needs and returns at once.
 */
#ifndef LAB_RUN_RUNNER_H
#define LAB_RUN_RUNNER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/clock.h"
#include "core/err.h"

struct store;
struct board;
struct board_type;
struct bench_board;
struct runner;

/*
 * What is told. event: "board" {board, state, health, step, attempt, cell}, "progress" {board, run, attempt, cell, step, done, total},
 * "result" (one element of store_results()), "run" {run, state, matrix}, "console" {board, attempt, at_ns, text}: a line, or what
 * came of it within 50 ms, "schedule" {schedule, what, run or null}.
 * document is borrowed.
 */
struct run_events {
	void (*publish)(void *opaque, const char *event, json_t *document);
	void *opaque;
};

/* A board as the runner knows it; all borrowed and alive as long as the runner. */
struct runner_board {
	const struct bench_board *config;
	const struct board_type *type;
};

struct runner_config {
	struct store *store;
	const struct clock *clock;
	const char *state_dir;                                               /* captures go to <state_dir>/captures */
	const char *images_file;                                             /* build/firmware/images.json; its files are relative to its folder */
	int64_t host_id;
	const struct runner_board *boards;
	size_t board_count;
	/* Make the drivers of one board, on its worker thread. The runner closes it with board_close. */
	bool (*board_open)(void *opaque, const struct runner_board *b, struct board **out, struct err *e);
	void (*board_close)(void *opaque, struct board *b);
	/* Asked after a failed attempt, on the worker thread: has a process of the lab that stands behind the board ended? True: *e says which and
	   how. May be NULL. */
	bool (*board_lost)(void *opaque, struct board *b, struct err *e);
	void *opaque;
	struct run_events events;
};

/* Copies the config. Nothing runs before runner_start(). */
bool runner_create(const struct runner_config *config, struct runner **out, struct err *e);

/* Start the workers: queued attempts of earlier days go on. */
bool runner_start(struct runner *r, struct err *e);

/* Cancel what runs (it is recorded as error/daemon and queued again), end the workers. Bounded: 5 s a board. Requests are still taken, for the
   next start, and boards still answer what they are: HTTP serves on until everything is recorded. */
void runner_stop(struct runner *r);
void runner_destroy(struct runner *r);                                       /* accepts NULL; stops first */

/* Where events go; before runner_start(). */
void runner_set_events(struct runner *r, struct run_events events);

/* Tell everybody something; any thread. The document is released. */
void runner_tell(struct runner *r, const char *event, json_t *document);

struct run_request {
	const char *matrix;                                                  /* stored name */
	int version;                                                         /* 0 = newest */
	const char *board;                                                   /* name or type; NULL or "" = every board that fits */
	const char *cell;                                                    /* glob over cell names; NULL = all */
	const char *reason;                                                  /* "manual", "schedule", "up" */
	const char *requested_by;
	int64_t schedule_id, due_ms;                                         /* 0 = none */
	bool reverse;
	bool profile;                                                        /* where the cycles go, too; boards that cannot tell are skipped */
};

/* ERR_NOT_FOUND: no such matrix or board, or no cell matches; ERR_INVALID: the matrix does not fit (says where). */
bool runner_request(struct runner *r, const struct run_request *q, int64_t *run, struct err *e);

/* What would be done: {matrix, version, cells[{cell, board, repeats, skipped, image{}, estimated_s}], attempts, estimated_s or null, flash_cycles}: how often images are
   written, from what the boards hold now. Nothing is stored. */
json_t *runner_estimate(struct runner *r, const struct run_request *q, struct err *e);

/* Write an image to a board and show that it starts: a run of one cell, workload "flash". image: sha256, or a build id; NULL = the default
   variant's. */
bool runner_flash(struct runner *r, const char *board, const char *image, const char *requested_by, int64_t *run, struct err *e);

/* Queued attempts are cancelled now, a running one within moments. ERR_CONFLICT: the run is finished. */
bool runner_cancel(struct runner *r, int64_t run, const char *by, struct err *e);

/* Live state of all boards: [{board, state, step, run, attempt, cell, done, total, since_s}]; without the store. */
json_t *runner_boards(struct runner *r);

/* Wait until the run is finished. False: ERR_TIMEOUT, ERR_CANCELLED (runner is stopping), ERR_NOT_FOUND. */
bool runner_wait(struct runner *r, int64_t run, int64_t timeout_ms, struct err *e);

#endif
