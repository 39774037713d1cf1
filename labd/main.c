// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The daemon: start order and signals, nothing else. Every part is started after what it needs and stopped before it; a part that fails ends
 * the start with one sentence.
 *
 *     labd --config FILE        runs in the foreground until SIGTERM or SIGINT; logs to standard error
 *     labd --check --config FILE  reads all files and says what is wrong, starts nothing
 *
 * Exit status: 0 ended by a signal, 2 usage or configuration, 5 the start failed.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/board.h"
#include "bench/supervisor.h"
#include "config/bench.h"
#include "config/board_type.h"
#include "config/labd_config.h"
#include "core/log.h"
#include "core/mem.h"
#include "core/proc.h"
#include "http/server.h"
#include "run/lab.h"
#include "run/runner.h"
#include "run/schedule.h"
#include "run/seed.h"
#include "store/store.h"

enum { EXIT_USAGE = 2, EXIT_START = 5, LEFTOVER_GRACE_MS = 1000, READY_MS = 500 };

struct daemon {
	const char *config_file;
	bool check_only;
	struct labd_config config;
	struct board_types types;
	struct bench *bench;
	struct runner_board *boards;
	int lock_fd;
	struct store *store;
	struct supervisor *supervisor;
	struct runner *runner;
	struct scheduler *scheduler;
	struct http_server *http;
	struct lab lab;
};

/* ---- reading ---- */

static bool read_config(struct daemon *d, struct err *e)
{
	return labd_config_load(d->config_file, &d->config, e);
}

static bool set_log_level(struct daemon *d, struct err *e)
{
	static const char *const words[] = { "error", "warn", "info", "debug" };

	for (int i = 0; i < 4; i++)
		if (!d->config.log_level || strcmp(d->config.log_level, words[i]) == 0) {
			log_set_level(d->config.log_level ? (enum log_level)i : LOG_INFO);
			return true;
		}
	return err_set(e, ERR_INVALID, "%s: log_level \"%.20s\": error, warn, info or debug", d->config_file, d->config.log_level);
}

static bool read_bench(struct daemon *d, struct err *e)
{
	return board_types_load(d->config.board_types, &d->types, e) && bench_load(d->config.bench, &d->bench, e);
}

static bool match_types(struct daemon *d, struct err *e)
{
	d->boards = xcalloc(d->bench->count + 1, sizeof *d->boards);
	for (size_t i = 0; i < d->bench->count; i++) {
		const struct bench_board *b = &d->bench->boards[i];

		d->boards[i] = (struct runner_board){ b, board_types_find(&d->types, b->type) };
		if (!d->boards[i].type)
			return err_set(e, ERR_INVALID, "%s: board %s: there is no board type \"%s\" in %s", d->config.bench, b->name, b->type, d->config.board_types);
	}
	return true;
}

/* ---- starting ---- */

/* Folder by folder, for nobody else's eyes. */
static bool make_folders(const char *path, struct err *e)
{
	char *part = xstrdup(path);
	bool ok = true;

	for (char *p = part + 1; ok && *p; p++) {
		if (*p != '/')
			continue;
		*p = 0;
		ok = mkdir(part, 0700) == 0 || errno == EEXIST;
		*p = '/';
	}
	ok = ok && (mkdir(part, 0700) == 0 || errno == EEXIST);
	if (!ok)
		err_errno(e, "state folder %s", path);
	free(part);
	return ok;
}

/* Two daemons on one state folder would both be wrong; the lock ends with the process, however that ends. */
static bool lock_state(struct daemon *d, struct err *e)
{
	char *path;

	if (!make_folders(d->config.state_dir, e))
		return false;
	path = xasprintf("%s/lock", d->config.state_dir);
	d->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (d->lock_fd < 0)
		err_errno(e, "%s", path);
	free(path);
	if (d->lock_fd < 0)
		return false;
	return flock(d->lock_fd, LOCK_EX | LOCK_NB) == 0
	    || err_set(e, ERR_CONFLICT, "another labd uses the state folder %s; stop it (./lab down) or give this one a folder of its own", d->config.state_dir);
}

static bool open_store(struct daemon *d, struct err *e)
{
	char *path = xasprintf("%s/lab.db", d->config.state_dir);
	unsigned ended = 0, closed = 0;
	bool ok = store_open(path, &clock_host, &d->store, e) && store_process_sweep(d->store, LEFTOVER_GRACE_MS, &ended, e) && store_recover(d->store, &closed, e);

	if (ok && (ended || closed))
		log_warn("labd", "the last labd did not end well: %u attempts closed and queued again, %u processes ended", closed, ended);
	free(path);
	return ok;
}

static bool seed(struct daemon *d, struct err *e)
{
	return seed_references(d->store, e) && seed_host(d->store, LABD_VERSION, &d->lab.host_id, e) && (!d->config.matrices || seed_matrices(d->store, d->config.matrices, e));
}

static void vboard_started(void *opaque, const char *board, pid_t pid, uint64_t start_time)
{
	struct daemon *d = opaque;
	struct err e;

	(void)start_time;
	if (!store_process_add(d->store, pid, "vboard", &e))
		log_warn("labd", "board=%s pid=%d %s", board, (int)pid, e.msg);
}

static void vboard_ended(void *opaque, const char *board, pid_t pid)
{
	struct daemon *d = opaque;
	struct err e;

	if (!store_process_remove(d->store, pid, &e))
		log_warn("labd", "board=%s pid=%d %s", board, (int)pid, e.msg);
}

static bool start_supervisor(struct daemon *d, struct err *e)
{
	struct supervisor_config c = { .vboard = d->config.vboard, .state_dir = d->config.state_dir, .bench = d->bench, .started = vboard_started, .ended = vboard_ended,
	                               .opaque = d };

	return supervisor_create(&c, &d->supervisor, e);
}

/* Worker threads: the drivers of one board, with the end points of its process if it is a virtual one. A process that is not up yet is asked for
   again by the worker, who must hear of a stop between. */
static bool open_board(void *opaque, const struct runner_board *b, struct board **out, struct err *e)
{
	struct daemon *d = opaque;
	struct vboard_ready *ready = NULL;

	if (b->config->is_virtual) {
		ready = xcalloc(1, sizeof *ready);
		if (!supervisor_ready(d->supervisor, b->config->name, READY_MS, ready, NULL, e)) {
			free(ready);
			return false;
		}
	}
	if (board_open(b->config, b->type, ready, out, e))
		return true;
	free(ready);
	return false;
}

static void close_board(void *opaque, struct board *b)
{
	struct vboard_ready *ready = (struct vboard_ready *)b->ready;

	(void)opaque;
	board_close(b);
	free(ready);
}

static bool board_lost(void *opaque, struct board *b, struct err *e)
{
	struct daemon *d = opaque;

	return b->ready && supervisor_lost(d->supervisor, b->config->name, b->ready->pid, e);
}

static bool make_runner(struct daemon *d, struct err *e)
{
	struct runner_config c = { .store = d->store, .clock = &clock_host, .state_dir = d->config.state_dir, .images_file = d->config.images, .host_id = d->lab.host_id,
	                           .boards = d->boards, .board_count = d->bench->count, .board_open = open_board, .board_close = close_board, .board_lost = board_lost, .opaque = d };

	return runner_create(&c, &d->runner, e) && scheduler_create(d->store, d->runner, &clock_host, &d->scheduler, e);
}

static bool start_http(struct daemon *d, struct err *e)
{
	struct http_config c = { .address = d->config.address, .port = d->config.port, .hosts = (const char *const *)d->config.hosts, .web = (const char *const *)d->config.web };

	d->lab.store = d->store;
	d->lab.runner = d->runner;
	d->lab.scheduler = d->scheduler;
	d->lab.clock = &clock_host;
	d->lab.state_dir = d->config.state_dir;
	d->lab.bench_name = d->bench->name;
	d->lab.version = LABD_VERSION;
	if (!http_server_create(&c, &d->lab, &d->http, e))
		return false;
	runner_set_events(d->runner, (struct run_events){ http_server_publish, d->http });
	return http_server_start(d->http, e);
}

/* Serve first, then run. */
static bool start_work(struct daemon *d, struct err *e)
{
	return runner_start(d->runner, e) && scheduler_start(d->scheduler, e);
}

static bool announce(struct daemon *d, struct err *e)
{
	if (!http_server_announce(d->http, d->config.state_dir, e))
		return false;
	log_info("labd", "version=%s bench=%s boards=%zu url=%s", LABD_VERSION, d->bench->name, d->bench->count, http_server_url(d->http));
	return true;
}

static const struct stage {
	bool (*start)(struct daemon *d, struct err *e);
	bool checked;                                                        /* belongs to --check, and what fails here is the configuration's fault */
} stages[] = {
	{ read_config, true },       { set_log_level, true },  { read_bench, true }, { match_types, true }, { lock_state, false }, { open_store, false }, { seed, false },
	{ start_supervisor, false }, { make_runner, false },   { start_http, false }, { start_work, false }, { announce, false },
};

static bool start(struct daemon *d, int *status)
{
	for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
		struct err e = { 0 };

		if (d->check_only && !stages[i].checked)
			break;
		if (!stages[i].start(d, &e)) {
			fprintf(stderr, "labd: %s\n", e.msg);
			*status = stages[i].checked ? EXIT_USAGE : EXIT_START;
			return false;
		}
	}
	return true;
}

/* The other way round. Nothing new is begun, what runs is recorded, then the pages are told to go. Until then they may ask the scheduler and the
   runner, which have stopped but are there. */
static void stop(struct daemon *d)
{
	if (d->scheduler)
		scheduler_stop(d->scheduler);
	if (d->runner)
		runner_stop(d->runner);
	http_server_destroy(d->http);
	scheduler_destroy(d->scheduler);
	runner_destroy(d->runner);
	supervisor_destroy(d->supervisor);
	store_close(d->store);
	if (d->lock_fd >= 0)
		close(d->lock_fd);
	free(d->boards);
	bench_destroy(d->bench);
	board_types_finish(&d->types);
	labd_config_finish(&d->config);
}

/* ---- signals ---- */

/* Blocked before the first thread, so that all inherit it and only wait_for_end() sees them. A write beyond a limit or to a closed socket is
   an error, not an end. */
static void hold_signals(sigset_t *ends)
{
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	sigemptyset(ends);
	sigaddset(ends, SIGINT);
	sigaddset(ends, SIGTERM);
	sigaddset(ends, SIGHUP);
	pthread_sigmask(SIG_BLOCK, ends, NULL);
}

static void wait_for_end(const sigset_t *ends)
{
	int which = 0;

	while (sigwait(ends, &which) != 0)
		;
	log_info("labd", "signal=%d stopping", which);
}

static bool arguments(int argc, char **argv, struct daemon *d)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--config") == 0 && i + 1 < argc)
			d->config_file = argv[++i];
		else if (strcmp(argv[i], "--check") == 0)
			d->check_only = true;
		else
			return false;
	}
	return d->config_file != NULL;
}

int main(int argc, char **argv)
{
	struct daemon d = { .lock_fd = -1 };
	sigset_t ends;
	int status = 0;

	if (argc == 2 && strcmp(argv[1], "--version") == 0)
		return printf("labd %s\n", LABD_VERSION) > 0 ? 0 : EXIT_START;
	if (!arguments(argc, argv, &d)) {
		bool asked = argc == 2 && strcmp(argv[1], "--help") == 0;

		fprintf(asked ? stdout : stderr, "usage: labd [--check] --config FILE\n       labd --version\n");
		return asked ? 0 : EXIT_USAGE;
	}
	proc_claim_standard_fds();
	umask(077);
	hold_signals(&ends);
	if (start(&d, &status)) {
		if (d.check_only)
			printf("labd: the configuration is right: bench %s, boards: %zu\n", d.bench->name, d.bench->count);
		else
			wait_for_end(&ends);
	}
	stop(&d);
	return status;
}
