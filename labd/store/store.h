// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The store: everything the lab knows, in one SQLite file. The only user of sqlite3.h; docs/store.md explains the tables.
 *
 * Any thread. One write connection behind one lock, every writing function is one BEGIN IMMEDIATE transaction that is retried as a whole
 * when another process holds the database (field failure F40); one read connection behind a lock of its own. Readers return JSON documents
 * the caller releases with json_decref(): the form the HTTP API and the command line show as they are. No statement stays open when a
 * function returns, so a slow reader holds nothing; long lists come in pages by key. Missing values are null, never 0.
 *
 * Errors: ERR_NOT_FOUND, ERR_CONFLICT (exists, frozen, in another state), ERR_INVALID (a value the schema refuses), ERR_FULL (disk or page
 * limit: nothing of the transaction was kept), ERR_TIMEOUT (another process held the database for 10 s), ERR_IO.
 */
#ifndef LAB_STORE_STORE_H
#define LAB_STORE_STORE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/buf.h"
#include "core/clock.h"
#include "core/err.h"

struct store;

/* ---- the file ---- */

/*
 * Open or create. path ":memory:" makes a store that dies with the process. Steps the schema up, one transaction a step, after a copy to
 * "<path>.before-<version>"; a database of a newer labd, or of another program, is refused and left as it is.
 */
bool store_open(const char *path, const struct clock *clock, struct store **out, struct err *e);
void store_close(struct store *s);                                           /* accepts NULL; checkpoints the log */

/* {path, schema_version, bytes, wal_bytes, runs, attempts, queued, running} */
json_t *store_status(struct store *s, struct err *e);

/* The database may grow to this many pages (4096 bytes); 0 = not beyond what it has now. Beyond it every write is ERR_FULL. */
bool store_limit_pages(struct store *s, int64_t pages, struct err *e);

/* The computer labd runs on; the row id for runs and attempts. */
bool store_host(struct store *s, const char *name, const char *kernel, const char *cpu, const char *labd, int64_t *id, struct err *e);
json_t *store_hosts(struct store *s, struct err *e);

/* ---- readers for pages and commands ---- */

/*
 * [{name, board_type, virtual, state, health, health_reason, flash_cycles, flash_rated, holds{sha256, build}, last_seen, last_result{id,
 * cell, verdict, cause, finished}}], by name; boards no longer on the bench have present false.
 */
json_t *store_boards(struct store *s, struct err *e);

/* Newest first, those with an id below before (0 = from the newest): [{id, matrix, matrix_version, reason, requested_by, state, created, started, finished,
   attempts{total, finished, pass, fail, error, skipped, cancelled, timeout}}] */
json_t *store_runs(struct store *s, int64_t before, unsigned limit, struct err *e);

/* The same object with request{} and cells[], in matrix order: {id, ordinal, cell, board, ..., attempts[] (as store_result, without frames)}. */
json_t *store_run(struct store *s, int64_t run, struct err *e);

/* Which attempts; NULL and 0 mean any. Texts are compared as a whole. */
struct result_filter {
	int64_t run;
	const char *board, *board_type, *workload, *verdict, *cell, *matrix;
	int payload_bytes;
	const char *transport, *board_or_type;
	bool finished_only, latest_attempt_only, without_excluded;
	bool newest_run_only;                                                /* of each cell (board, name, parameters) on each wire (mode, pace): what its newest run has that brought a verdict of its own (else the newest) */
	bool newest_first;                                                   /* descending by id; pages: ids below before */
	int64_t after, before;                                               /* pages: ids above after; below before, 0 = no limit */
	unsigned limit;                                                      /* 0 = 1000; at most 10000 */
};

/*
 * Ascending by id unless asked otherwise: [{id, run, cell, cell_id, ordinal, board, board_type, virtual, workload, variant{}, params{},
 * payload_bytes, repeat, attempt, state, step, verdict, cause, error, queued, started, finished, wall_s, flash_s, boot_s, image{sha256,
 * build, toolchain, proof}, mode, pace, host, capture, excluded{reason, author} or null, figures{goodput_byte_per_s, goodput_bit_per_s,
 * frames_per_s, elapsed_s, elapsed_ns, payload_bytes, wire_bytes, frames, retransmissions, ..., ack_paced} or null}]
 */
json_t *store_results(struct store *s, const struct result_filter *f, struct err *e);
json_t *store_result(struct store *s, int64_t attempt, struct err *e);

/* The last id that store_results() would give: fix it before paging, so that an export has an end. */
bool store_last_result(struct store *s, int64_t *id, struct err *e);

/* {attempt, total, frames[[n, begin_ns, sent_ns, end_ns, transmissions]]} with n >= from; limit 0 = 65536. */
json_t *store_frames(struct store *s, int64_t attempt, unsigned from, unsigned limit, struct err *e);

/* [{n, at_ns, power, text}]: text is made valid UTF-8, the raw bytes are in store_console_bytes(). */
json_t *store_console(struct store *s, int64_t attempt, struct err *e);
bool store_console_bytes(struct store *s, int64_t attempt, struct buf *out, struct err *e);

/* Rows with board_type and workload (NULL = any): [{id, board_type, workload, payload_bytes, conditions{}, figure, value, unit, printed,
   kind, source, description, grade}] */
json_t *store_references(struct store *s, const char *board_type, const char *workload, struct err *e);

json_t *store_images(struct store *s, struct err *e);

/* ---- matrices ---- */

/* Newest version of each name: [{id, name, version, frozen, author, created, cells}]; frozen: a run refers to it. */
json_t *store_matrices(struct store *s, struct err *e);

/* {id, name, version, frozen, author, created, document{}}; version 0 = the newest. */
json_t *store_matrix(struct store *s, const char *name, int version, struct err *e);

/*
 * Keep a document that matrix_parse() accepted. The same document as the newest version changes nothing; a changed one replaces the newest
 * version while no run refers to it, and becomes the next version once one does. version: what it is kept as.
 */
bool store_matrix_put(struct store *s, const char *name, json_t *document, const char *author, int *version, struct err *e);
bool store_matrix_copy(struct store *s, const char *from, int version, const char *to, const char *author, struct err *e);

/* ---- schedules ---- */

struct schedule_row {
	int64_t id;
	char *name, *cron, *zone, *matrix, *board, *cell, *author;           /* owned; board and cell may be NULL */
	bool catch_up, enabled;
	int64_t next_ms;                                                     /* 0 while disabled */
};
void schedule_row_finish(struct schedule_row *r);

/* [{id, name, cron, zone, matrix, board, cell, catch_up, enabled, next, last{due, happened, what, run, note}}] */
json_t *store_schedules(struct store *s, struct err *e);
json_t *store_schedule_events(struct store *s, int64_t schedule, unsigned limit, struct err *e);
bool store_schedule_add(struct store *s, const struct schedule_row *r, int64_t *id, struct err *e);
bool store_schedule_enable(struct store *s, int64_t id, bool enabled, int64_t next_ms, struct err *e);
bool store_schedule_delete(struct store *s, int64_t id, struct err *e);
bool store_schedule_get(struct store *s, const char *name, struct schedule_row *out, struct err *e);

/* The enabled one that is due first. ERR_NOT_FOUND: there is none. */
bool store_schedule_first(struct store *s, struct schedule_row *out, struct err *e);

/* What became of a due time, and when it is due next, in one transaction. what: "fired", "caught_up", "missed", "overlap", "failed". run: 0
   = none. */
bool store_schedule_done(struct store *s, int64_t id, int64_t due_ms, const char *what, int64_t run, const char *note, int64_t next_ms, struct err *e);

/* True when a run of that schedule is not finished. */
bool store_schedule_running(struct store *s, int64_t id, bool *running, struct err *e);

/* ---- exclusions ---- */

bool store_exclude(struct store *s, int64_t attempt, const char *reason, const char *author, struct err *e);
bool store_exclusion_lift(struct store *s, int64_t attempt, struct err *e);

/* ---- images and references, as they come from files ---- */

/* A row of images.json (variant with defaults filled in). */
bool store_image_put(struct store *s, json_t *row, struct err *e);

/* Replace all references by these rows (db/references.json). */
bool store_references_put(struct store *s, json_t *rows, struct err *e);

/* ---- boards: bench and workers
   --------------------------------------------------------------------------------------------------------------------- */

/* Called for each board of the bench file at start; others become "not present". flash_rated 0 = not known. */
bool store_bench_begin(struct store *s, struct err *e);
bool store_board_put(struct store *s, const char *name, const char *board_type, bool is_virtual, int64_t flash_rated, struct err *e);
bool store_board_state(struct store *s, const char *name, const char *state, struct err *e);
bool store_board_health(struct store *s, const char *name, const char *health, const char *reason, struct err *e);

/* What its flash holds; sha256 NULL: not known. wrote: count one more flash cycle. */
bool store_board_holds(struct store *s, const char *name, const char *sha256, const char *build, const char *identity, bool wrote, struct err *e);

/* Owned texts, NULL when not known. */
struct board_holds {
	char *sha256, *build, *identity;
};
bool store_board_held(struct store *s, const char *name, struct board_holds *out, struct err *e);
void board_holds_finish(struct board_holds *h);

/* ---- runs and the queue: the runner
   --------------------------------------------------------------------------------------------------------------- */

struct cell_row {
	char *name, *board, *board_type, *workload;                          /* board NULL: none on the bench */
	json_t *variant, *params;
	bool is_virtual;
	unsigned repeats;
	int64_t deadline_ms;
	const char *skip_cause, *skip_error;                                 /* cannot run at all: stored as skipped at once ("no_board", "image", ...) */
};

struct run_row {
	const char *matrix;                                                  /* NULL: without matrix */
	int matrix_version;
	const char *reason, *requested_by;
	json_t *request;
	int64_t schedule_id, due_ms, host_id;                                /* 0 = none; ERR_CONFLICT: that due time has its run already */
	bool reverse;                                                        /* cells in reverse order */
};

/* The run, its cells and one queued attempt for each repeat, interleaved (all cells, then all cells again), in one transaction. */
bool store_run_add(struct store *s, const struct run_row *r, const struct cell_row *cells, size_t n, int64_t *run, struct err *e);

/* A job as the worker needs it; owned. */
struct job {
	int64_t attempt_id, run_id, cell_id;
	unsigned repeat, attempt;
	char *cell, *board, *board_type, *workload, *matrix, *reason;
	json_t *variant, *params;
	int64_t deadline_ms;
	bool profile;                                                        /* "profile" of the run's request */
};
void job_finish(struct job *j);

/* Take the first queued attempt of that board: it is 'running' from here on. ERR_NOT_FOUND: nothing to do. */
bool store_job_take(struct store *s, const char *board, int64_t host_id, struct job *out, struct err *e);
bool store_job_step(struct store *s, int64_t attempt, const char *step, struct err *e);

/* One entry of the console as it arrived. */
struct console_row {
	uint64_t at_ns;
	unsigned power;
	const uint8_t *bytes;
	size_t size;
};

struct flow_figures;

/* How an attempt ended. Texts are borrowed; NULL and negative numbers mean not known. figures is stored if and only if verdict is "pass". */
struct outcome {
	const char *verdict, *cause, *step, *error;
	int64_t wall_ns, flash_ns, flash_bytes, boot_ns;
	const char *image_sha256, *image_build, *toolchain, *proof, *mode, *pace, *capture;
	int bad_lines;
	const struct flow_figures *figures;
	const struct console_row *console;
	size_t console_count;
	bool retry;                                                          /* queue attempt n+1 in the same transaction */
};

/* Finish a running attempt; the run too when it was its last. run_finished may be NULL. */
bool store_job_done(struct store *s, int64_t attempt, const struct outcome *o, bool *run_finished, struct err *e);

/* Queued attempts of the run become 'cancelled'; running ones are the worker's. ERR_CONFLICT: it is finished. */
bool store_run_cancel(struct store *s, int64_t run, const char *by, struct err *e);
bool store_run_cancelled(struct store *s, int64_t run, bool *cancelled, struct err *e);

/* At start: attempts left 'running' end as error/daemon and are queued again as attempt n+1 in the same transaction (not those of a cancelled run); boards are idle.
   At most twenty attempts of one repeat die with the daemon. closed: how many there were. */
bool store_recover(struct store *s, unsigned *closed, struct err *e);

/* ---- child processes ---- */

bool store_process_add(struct store *s, int64_t pid, const char *role, struct err *e);
bool store_process_remove(struct store *s, int64_t pid, struct err *e);

/* At start: those left over from an earlier daemon of this boot, still the same process (pid and start time), are ended: TERM, then KILL
   after grace_ms. */
bool store_process_sweep(struct store *s, unsigned grace_ms, unsigned *ended, struct err *e);

#endif
