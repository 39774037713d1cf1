// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The whole daemon with a virtual board, as a user has it: labd, vboard, the firmware and labctl are the programs of this build. Same
 * figures in any order
 * and on a busy machine, killed daemons and boards, stops, faults, missed schedules. Every test has a state folder and free ports of its own.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/buf.h"
#include "core/clock.h"
#include "core/mem.h"
#include "image/sha256.h"
#include "store/sql.h"
#include "test/harness.h"

enum { START_MS = 20000, RUN_MS = 120000, MAX_CHILDREN = 8 };

static pid_t daemon_pid;
static char state[300];

/* ---- files ---- */

static bool write_bench(const char *faults)
{
	char *path = xasprintf("%s/bench.json", test_folder());
	char *text = xasprintf("{\"version\":1,\"name\":\"test\",\"boards\":[{\"name\":\"8051-a\",\"type\":\"at89c51ed2-cs8900a\",\"power\":{\"driver\":\"virtual\"},"
	                       "\"line\":{\"driver\":\"rfc2217\",\"survives_power\":true},\"flash\":[{\"method\":\"atmel_isp\",\"reset\":\"dtr\",\"boot\":\"rts\"}],"
	                       "\"wire\":{\"mode\":\"gate\",\"rate\":10000000,\"latency_ns\":155000,\"ack_delay_ms\":0,\"outer\":\"127.0.0.1\",\"ports\":\"auto\"},"
	                       "\"net\":{\"mac\":\"02:00:00:77:00:01\",\"ip\":\"10.77.0.1\",\"host\":\"10.77.0.254\"},\"tap\":{\"driver\":\"stream\"}%s%s%s}]}",
	                       faults ? ",\"faults\":[\"" : "", faults ? faults : "", faults ? "\"]" : "");
	bool ok = test_write_file(path, text, strlen(text));

	free(text);
	free(path);
	return ok;
}

static bool write_config(void)
{
	const char *source = getenv("LAB_SOURCE"), *build = getenv("LAB_BUILD");
	char *path = xasprintf("%s/labd.json", test_folder());
	char *text = xasprintf("{\"version\":1,\"state_dir\":\"%s\",\"bench\":\"%s/bench.json\",\"board_types\":\"%s/fixtures/boards\",\"matrices\":\"%s/db/matrices\","
	                       "\"images\":\"%s/firmware/images.json\",\"vboard\":\"%s/fixtures/virtual/vboard\",\"http\":{\"address\":\"127.0.0.1\",\"port\":0}}",
	                       state, test_folder(), source, source, build, build);
	bool ok = test_write_file(path, text, strlen(text));

	free(text);
	free(path);
	return ok;
}

/* ---- processes ---- */

static void sleep_ms(unsigned ms)
{
	nanosleep(&(struct timespec){ ms / 1000, (long)(ms % 1000) * 1000000 }, NULL);
}

static uint64_t in_ms(unsigned ms)
{
	return clock_now_ns(&clock_host) + (uint64_t)ms * NS_PER_MS;
}

/* Standard output to fd, standard error to a file. */
static pid_t spawn(char *const argv[], int out, const char *errors)
{
	pid_t pid = fork();

	if (pid == 0) {
		int err = open(errors, O_WRONLY | O_CREAT | O_APPEND, 0600);

		dup2(out >= 0 ? out : err, 1);
		dup2(err, 2);
		execv(argv[0], argv);
		_exit(127);
	}
	return pid;
}

static bool is_there(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && st.st_size > 0;
}

static bool start_daemon(void)
{
	char *labd = xasprintf("%s/labd/labd", getenv("LAB_BUILD")), *config = xasprintf("%s/labd.json", test_folder()), *log = xasprintf("%s/labd.log", test_folder());
	char *endpoint = xasprintf("%s/endpoint.json", state), *argv[] = { labd, "--config", config, NULL };
	uint64_t until = in_ms(START_MS);

	unlink(endpoint);
	daemon_pid = spawn(argv, -1, log);
	while (!is_there(endpoint) && clock_now_ns(&clock_host) < until && waitpid(daemon_pid, NULL, WNOHANG) == 0)
		sleep_ms(10);
	until = is_there(endpoint);
	free(labd);
	free(config);
	free(log);
	free(endpoint);
	return until;
}

static bool begin(const char *faults)
{
	snprintf(state, sizeof state, "%s/state", test_folder());
	return write_bench(faults) && write_config() && start_daemon();
}

/* Exit status, or minus the signal. */
static int end_daemon(int signal)
{
	int status = 0;

	kill(daemon_pid, signal);
	waitpid(daemon_pid, &status, 0);
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static pid_t start_ctl(const char *const *words, int out)
{
	char *argv[16], *log = xasprintf("%s/labctl.log", test_folder());
	size_t n = 0;
	pid_t pid;

	argv[n++] = xasprintf("%s/labd/ctl/labctl", getenv("LAB_BUILD"));
	argv[n++] = "--state";
	argv[n++] = state;
	while (*words && n < 15)
		argv[n++] = (char *)*words++;
	argv[n] = NULL;
	pid = spawn(argv, out, log);
	free(argv[0]);
	free(log);
	return pid;
}

static json_t *ctl_words(int *status, const char *const *words)
{
	struct buf out = { 0 };
	char block[4096];
	int ends[2], how = 0;
	json_t *document;
	ssize_t n;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return NULL;
	pid = start_ctl(words, ends[1]);
	close(ends[1]);
	while ((n = read(ends[0], block, sizeof block)) > 0 || (n < 0 && errno == EINTR))
		buf_add(&out, block, n > 0 ? (size_t)n : 0);
	close(ends[0]);
	waitpid(pid, &how, 0);
	*status = WIFEXITED(how) ? WEXITSTATUS(how) : -1;
	document = json_loads(buf_text(&out), JSON_DECODE_ANY, NULL);
	buf_finish(&out);
	return document;
}

#define CTL(status, ...) ctl_words(status, (const char *const[]){ __VA_ARGS__, NULL })

static size_t children_of(pid_t parent, pid_t *out)
{
	DIR *proc = opendir("/proc");
	struct dirent *d;
	size_t n = 0;

	while (proc && (d = readdir(proc)) && n < MAX_CHILDREN) {
		char path[300], text[512], *p;
		FILE *f;
		int ppid = 0;

		snprintf(path, sizeof path, "/proc/%s/stat", d->d_name);
		f = d->d_name[0] >= '1' && d->d_name[0] <= '9' ? fopen(path, "re") : NULL;
		if (!f)
			continue;
		p = fgets(text, sizeof text, f) ? strrchr(text, ')') : NULL;
		fclose(f);
		if (p && sscanf(p + 1, " %*c %d", &ppid) == 1 && ppid == parent)
			out[n++] = (pid_t)atoi(d->d_name);
	}
	if (proc)
		closedir(proc);
	return n;
}

/* Alive and not a zombie. */
static bool lives(pid_t pid)
{
	char path[64], text[512], *p, how = 'Z';
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	p = fgets(text, sizeof text, f) ? strrchr(text, ')') : NULL;
	fclose(f);
	return p && sscanf(p + 1, " %c", &how) == 1 && how != 'Z';
}

static bool gone_within(const pid_t *pids, size_t n, unsigned ms)
{
	uint64_t until = in_ms(ms);

	for (size_t i = 0; i < n; i++)
		while (lives(pids[i])) {
			if (clock_now_ns(&clock_host) > until)
				return false;
			sleep_ms(10);
		}
	return true;
}

/* ---- documents and tests ---- */

static json_t *cell_at(json_t *report, size_t i)
{
	return json_array_get(json_object_get(report, "cells"), i);
}

static const char *text_of(json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "";
}

static bool all_finished(void)
{
	int status;
	json_t *runs = CTL(&status, "runs", "--json"), *list = json_is_array(runs) ? runs : json_object_get(runs, "runs"), *run;
	bool all = json_array_size(list) > 0;
	size_t i;

	json_array_foreach(list, i, run)
		all = all && strcmp(text_of(run, "state"), "finished") == 0;
	json_decref(runs);
	return all;
}

static bool wait_for_all(void)
{
	uint64_t until = in_ms(RUN_MS);

	while (!all_finished()) {
		if (clock_now_ns(&clock_host) > until)
			return false;
		sleep_ms(50);
	}
	return true;
}

static int64_t count(const char *sql)
{
	char *path = xasprintf("%s/lab.db", state);
	struct db db = { 0 };
	struct err e;
	int64_t n = -1;

	if (db_open(&db, path, SQLITE_OPEN_READWRITE, &e) && !sql_number(&db, &n, -1, &e, sql, ""))
		n = -1;
	db_close(&db);
	free(path);
	return n;
}

/* What the attempts came to, for a test that failed. */
static void tell_attempts(void)
{
	char *path = xasprintf("%s/lab.db", state);
	struct db db = { 0 };
	struct err e;
	sqlite3_stmt *q = NULL;

	if (db_open(&db, path, SQLITE_OPEN_READWRITE, &e))
		q = sql_query(&db, &e, "SELECT run_id, cell_id, attempt, verdict, cause, coalesce(error, '') FROM attempt WHERE verdict IS NOT 'pass' OR attempt > 1 ORDER BY id", "");
	while (q && sql_step(&db, q, &e) == 1)
		printf("run %d cell %d attempt %d: %s %s: %s\n", sqlite3_column_int(q, 0), sqlite3_column_int(q, 1), sqlite3_column_int(q, 2), sqlite3_column_text(q, 3),
		       sqlite3_column_text(q, 4), sqlite3_column_text(q, 5));
	sqlite3_finalize(q);
	db_close(&db);
	free(path);
}

/* Every repeat of every cell has passed exactly once, and what else it has was the lab's fault. */
static bool nothing_lost_or_doubled(int64_t runs)
{
	bool ok = count("SELECT count(*) FROM run") == runs && count("SELECT count(*) FROM cell") == 3 * runs
	    && count("SELECT count(*) FROM attempt WHERE verdict = 'pass'") == 3 * runs && count("SELECT count(*) FROM figures") == 3 * runs
	    && count("SELECT count(*) FROM attempt WHERE verdict NOT IN ('pass', 'error', 'timeout', 'fail')") == 0
	    && count("SELECT count(DISTINCT cell_id) FROM attempt WHERE verdict = 'pass'") == 3 * runs && count("SELECT count(*) FROM attempt WHERE state != 'finished'") == 0;

	if (!ok)
		tell_attempts();
	return ok;
}

TEST(a_daemon_killed_at_ten_moments_loses_nothing_doubles_nothing_and_leaves_nobody)
{
	static const char *const run[] = { "run", "published", NULL };

	CHECK(begin(NULL));
	for (unsigned i = 0; i < 10; i++) {
		pid_t children[MAX_CHILDREN];
		size_t n;
		int status;

		/* Queued first; the moment of the kill moves through boot, flash, drive and store. */
		waitpid(start_ctl(run, -1), &status, 0);
		CHECK_EQ(WEXITSTATUS(status), 0);
		sleep_ms(3 + i * 41 % 400);
		n = children_of(daemon_pid, children);
		CHECK_EQ(end_daemon(SIGKILL), -SIGKILL);
		CHECK(n >= 1);
		CHECK(gone_within(children, n, 5000));
		CHECK(start_daemon());
	}
	CHECK(wait_for_all());
	CHECK_EQ(end_daemon(SIGTERM), 0);
	CHECK(nothing_lost_or_doubled(10));
}

TEST(a_board_killed_at_ten_moments_is_started_again_and_the_runs_pass)
{
	static const char *const run[] = { "run", "published", NULL };
	unsigned killed = 0;
	int status;

	/* Two daemons' lives, since the pause before a process is started again doubles each time. */
	for (unsigned life = 0; life < 2; life++) {
		CHECK(life == 0 ? begin(NULL) : start_daemon());
		for (unsigned i = 0; i < 5; i++) {
			pid_t children[MAX_CHILDREN];

			waitpid(start_ctl(run, -1), &status, 0);
			CHECK_EQ(WEXITSTATUS(status), 0);
			sleep_ms(5 + (5 * life + i) * 37 % 300);
			if (children_of(daemon_pid, children) > 0)
				killed += kill(children[0], SIGKILL) == 0;
			CHECK(wait_for_all());
		}
		CHECK_EQ(end_daemon(SIGTERM), 0);
	}
	CHECK(killed >= 8);
	CHECK(nothing_lost_or_doubled(10));
}

TEST(a_stop_in_the_middle_takes_less_than_five_seconds_and_the_run_goes_on_later)
{
	static const char *const run[] = { "run", "published", NULL };
	uint64_t from;
	int status;

	CHECK(begin(NULL));
	waitpid(start_ctl(run, -1), &status, 0);
	sleep_ms(100);
	from = clock_now_ns(&clock_host);
	CHECK_EQ(end_daemon(SIGTERM), 0);
	CHECK(clock_now_ns(&clock_host) - from < 5 * NS_PER_S);
	CHECK_EQ(count("SELECT count(*) FROM attempt WHERE state = 'running'"), 0);
	CHECK(start_daemon());
	CHECK(wait_for_all());
	CHECK_EQ(end_daemon(SIGINT), 0);
	CHECK(nothing_lost_or_doubled(1));
}

TEST(two_daemons_never_share_a_state_folder)
{
	pid_t first;

	CHECK(begin(NULL));
	first = daemon_pid;
	CHECK(!start_daemon());
	daemon_pid = first;
	CHECK_EQ(end_daemon(SIGTERM), 0);
}

static const struct {
	const char *fault, *verdict, *cause;
	int status;
} faults[] = {
	{ "uart.dead dir=both", "error", "line", 5 },       { "uart.noise every=7 dir=tx", "error", "line", 5 },
	{ "uart.loss every=11 dir=tx", "error", "line", 5 }, { "link.down", "error", "network", 5 },
	{ "cpu.hang after_ns=1500000000", "timeout", "board", 124 }, { "wire.loss every=10 dir=both", "pass", "none", 0 },
	{ "wire.dup every=5 dir=both", "pass", "none", 0 }, { "wire.corrupt every=9 dir=both", "pass", "none", 0 },
};

/* The board is flashed while it is well; then the daemon is started with the fault. */
static bool ends_as_it_should(size_t i)
{
	json_t *r;
	int status;
	bool ok;

	if (!write_bench(faults[i].fault) || !start_daemon())
		return false;
	r = CTL(&status, "run", "published", "--cell", "*=100", "--wait", "--json");
	ok = status == faults[i].status && strcmp(text_of(cell_at(r, 0), "verdict"), faults[i].verdict) == 0 && strcmp(text_of(cell_at(r, 0), "cause"), faults[i].cause) == 0;
	if (!ok)
		printf("%s: status %d, %s %s: %s\n", faults[i].fault, status, text_of(cell_at(r, 0), "verdict"), text_of(cell_at(r, 0), "cause"), text_of(cell_at(r, 0), "error"));
	/* No number comes out of a failure. */
	ok = ok && json_is_object(json_object_get(cell_at(r, 0), "figures")) == (faults[i].status == 0);
	json_decref(r);
	return end_daemon(SIGTERM) == 0 && ok;
}

TEST(every_fault_ends_with_its_verdict_and_the_next_run_passes)
{
	json_t *r;
	int status;

	CHECK(begin(NULL));
	r = CTL(&status, "run", "published", "--cell", "*=100", "--wait", "--json");
	CHECK_EQ(status, 0);
	json_decref(r);
	CHECK_EQ(end_daemon(SIGTERM), 0);
	for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
		CHECK(ends_as_it_should(i));
	CHECK(write_bench(NULL) && start_daemon());
	r = CTL(&status, "run", "published", "--cell", "*=100", "--wait", "--json");
	CHECK_EQ(status, 0);
	json_decref(r);
	CHECK_EQ(end_daemon(SIGTERM), 0);
}

TEST(a_nightly_that_was_missed_runs_when_the_daemon_is_back)
{
	json_t *r;
	int status;

	CHECK(begin(NULL));
	r = CTL(&status, "schedule", "add", "nightly", "--cron", "30 2 * * *", "--zone", "UTC", "--matrix", "published", "--cell", "*=100", "--json");
	CHECK_EQ(status, 0);
	json_decref(r);
	CHECK_EQ(end_daemon(SIGTERM), 0);
	/* As if the daemon had been away since yesterday. */
	CHECK(count("UPDATE schedule SET next_ms = next_ms - 2 * 86400000 RETURNING 1") == 1);
	CHECK(start_daemon());
	CHECK(wait_for_all());
	CHECK_EQ(end_daemon(SIGTERM), 0);
	CHECK_EQ(count("SELECT count(*) FROM run WHERE reason = 'schedule'"), 1);
	CHECK_EQ(count("SELECT count(*) FROM schedule_event WHERE what = 'caught_up' AND run_id = 1"), 1);
	CHECK_EQ(count("SELECT count(*) FROM attempt WHERE verdict = 'pass'"), 1);
}

TEST(a_wrong_configuration_ends_with_status_2_and_one_sentence)
{
	char *path = xasprintf("%s/labd.json", test_folder()), *log = xasprintf("%s/labd.log", test_folder()), *text;
	static const char wrong[] = "{\"version\":1,\n\"state_dri\":\"x\"}";
	char *labd = xasprintf("%s/labd/labd", getenv("LAB_BUILD")), *argv[] = { labd, "--config", path, NULL };
	size_t size;
	int status;

	CHECK(test_write_file(path, wrong, sizeof wrong - 1));
	waitpid(spawn(argv, -1, log), &status, 0);
	CHECK_EQ(WEXITSTATUS(status), 2);
	text = test_read_file(log, &size);
	CHECK(text && strstr(text, "labd.json:2: state_dri"));
	CHECK(strchr(text, '\n') == text + size - 1);
	free(text);
	free(path);
	free(log);
	free(labd);
}
