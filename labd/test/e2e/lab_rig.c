// SPDX-License-Identifier: GPL-2.0-or-later
/* How whole-daemon tests start, ask and end the lab's programs. */
#include "lab_rig.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/buf.h"
#include "core/clock.h"
#include "image/sha256.h"
#include "store/sql.h"
#include "test/harness.h"

enum { START_S = 20, STOP_S = 5, CTL_S = 60, ARGUMENTS = 32, LOOK_MS = 15 };

static char said[512];

static bool say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static bool say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(said, sizeof said, fmt, ap);
	va_end(ap);
	fprintf(stderr, "rig: %s\n", said);
	return false;
}

const char *rig_said(void)
{
	return said;
}

static const char *env(const char *name)
{
	const char *value = getenv(name);

	return value ? value : ".";
}

unsigned slowness(void)
{
	const char *build = strrchr(env("LAB_BUILD"), '/');

	return build && (strcmp(build, "/asan") == 0 || strcmp(build, "/tsan") == 0) ? 6 : 1;
}

static void pause_ms(int ms)
{
	poll(NULL, 0, ms);
}

/* ---- files ---- */

static bool put_file(const char *path, const char *text)
{
	return test_write_file(path, text, strlen(text)) || say("cannot write %s: %s", path, strerror(errno));
}

static const char bench_board[] =
	"  { \"name\": \"8051-%c\", \"type\": \"at89c51ed2-cs8900a\", \"power\": { \"driver\": \"virtual\" },\n"
	"    \"line\": { \"driver\": \"rfc2217\", \"survives_power\": true }, \"flash\": [ { \"method\": \"atmel_isp\", \"reset\": \"dtr\", \"boot\": \"rts\" } ],\n"
	"    \"wire\": { \"mode\": \"gate\", \"rate\": 10000000, \"latency_ns\": 155000, \"ack_delay_ms\": 0, \"outer\": \"127.%u.%u.%u\", \"ports\": \"auto\" },\n"
	"    \"net\": { \"mac\": \"02:00:00:77:00:%02x\", \"ip\": \"10.77.0.%u\", \"host\": \"10.77.0.254\" }, \"tap\": { \"driver\": \"stream\" }%s%s%s%s }%s\n";

static bool write_bench(struct lab_rig *r, const struct rig_setup *s)
{
	unsigned pid = (unsigned)getpid(), n = s->boards ? s->boards : 1;
	struct buf b = { 0 };
	bool ok;

	buf_printf(&b, "{ \"version\": 1, \"name\": \"e2e\", \"boards\": [\n");
	for (unsigned i = 0; i < n; i++)
		buf_printf(&b, bench_board, 'a' + (int)i, 128 + (pid >> 14) % 64, (pid >> 6) % 256, pid % 64 * 4 + 1 + i % 4, i + 1, i + 1, s->faults ? ", \"faults\": " : "",
		           s->faults ? s->faults : "", s->chip ? ", \"chip\": " : "", s->chip ? s->chip : "", i + 1 < n ? "," : "");
	buf_printf(&b, "] }\n");
	ok = put_file(r->bench, buf_text(&b));
	buf_finish(&b);
	return ok;
}

static bool write_config(struct lab_rig *r)
{
	struct buf b = { 0 };
	bool ok;

	buf_printf(&b, "{ \"version\": 1, \"state_dir\": \"%s\", \"bench\": \"%s\",\n", r->state, r->bench);
	buf_printf(&b, "  \"board_types\": \"%s/fixtures/boards\", \"matrices\": \"%s.matrices\",\n", env("LAB_SOURCE"), r->state);
	buf_printf(&b, "  \"images\": \"%s/firmware/images.json\", \"vboard\": \"%s/fixtures/virtual/vboard\",\n", env("LAB_BUILD"), env("LAB_BUILD"));
	buf_printf(&b, "  \"web\": [\"%s/web\"], \"http\": { \"address\": \"127.0.0.1\", \"port\": 0 } }\n", env("LAB_SOURCE"));
	ok = put_file(r->config, buf_text(&b));
	buf_finish(&b);
	return ok;
}

/* Of one cell each: one takes a tenth of a second of wall time, one some seconds, one longer than any test. */
static const struct { const char *name; unsigned payload_bytes, count; } matrices[] = { { "quick", 100, 10 }, { "slow", 1460, 6000 }, { "long", 1460, 65000 } };

static bool write_matrices(const struct lab_rig *r)
{
	static const char format[] = "{\"version\":1,\"name\":\"%s\",\"cells\":[{\"workload\":\"trigger\",\"board_types\":[\"at89c51ed2-cs8900a\"],\"variants\":{},"
		"\"params\":{\"payload_bytes\":[%u],\"count\":[%u]},\"repeats\":{\"wall\":1,\"turns\":1},\"deadline_s\":%u}]}\n";
	char folder[128], path[512], *text;
	size_t size;
	bool ok;

	snprintf(folder, sizeof folder, "%s.matrices", r->state);
	mkdir(folder, 0700);
	snprintf(path, sizeof path, "%s/db/matrices/published.json", env("LAB_SOURCE"));
	text = test_read_file(path, &size);
	snprintf(path, sizeof path, "%s/published.json", folder);
	ok = text && test_write_file(path, text, size);
	free(text);
	for (size_t i = 0; ok && i < sizeof matrices / sizeof *matrices; i++) {
		unsigned count = matrices[i].count > 10000 || matrices[i].count < 100 ? matrices[i].count : matrices[i].count / slowness();
		struct buf b = { 0 };

		snprintf(path, sizeof path, "%s/%s.json", folder, matrices[i].name);
		buf_printf(&b, format, matrices[i].name, matrices[i].payload_bytes, count, 30 + count / 8);
		ok = put_file(path, buf_text(&b));
		buf_finish(&b);
	}
	return ok;
}

bool rig_prepare(struct lab_rig *r, const struct rig_setup *s)
{
	static const struct rig_setup usual;

	s = s ? s : &usual;
	*r = (struct lab_rig){ .out = calloc(1, 1), .err = calloc(1, 1) };
	snprintf(r->folder, sizeof r->folder, "%s", test_folder());
	snprintf(r->state, sizeof r->state, "%s/%s", r->folder, s->name ? s->name : "state");
	snprintf(r->bench, sizeof r->bench, "%s.bench.json", r->state);
	snprintf(r->config, sizeof r->config, "%s.labd.json", r->state);
	setenv("TMPDIR", r->folder, 1);
	unsetenv("LABD_STATE");
	return (mkdir(r->state, 0700) == 0 || errno == EEXIST) && write_bench(r, s) && write_config(r) && write_matrices(r);
}

/* ---- processes ---- */

static int open_log(const char *folder, const char *name, int flags)
{
	char path[128];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	return open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0600);
}

/* Before exec, in the child. */
static void shift_clock(const char *utc)
{
	char library[512];

	snprintf(library, sizeof library, "%s/labd/test/clock_shift.so", env("LAB_BUILD"));
	setenv("LD_PRELOAD", library, 1);
	setenv("LAB_TEST_UTC", utc, 1);
}

/* Ends with the test, whatever happens to it. */
static pid_t begin(const char *const *argv, int out, int err, const char *utc)
{
	pid_t pid = fork();

	if (pid != 0) {
		close(out);
		if (err != out)
			close(err);
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	if (utc)
		shift_clock(utc);
	if (dup2(open("/dev/null", O_RDONLY), 0) == 0 && dup2(out, 1) == 1 && dup2(err, 2) == 2)
		execv(argv[0], (char *const *)argv);
	_exit(127);
}

static int status_of(int wait)
{
	return WIFSIGNALED(wait) ? 128 + WTERMSIG(wait) : WEXITSTATUS(wait);
}

/* False: still there at the deadline. */
static bool await_end(struct lab_rig *r, pid_t pid, unsigned deadline_s)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0), wait = 0;
	struct pollfd p = { .fd = fd, .events = POLLIN };
	bool ended = fd >= 0 && poll(&p, 1, (int)deadline_s * 1000) == 1 && waitpid(pid, &wait, 0) == pid;

	if (fd >= 0)
		close(fd);
	if (ended)
		r->status = status_of(wait);
	return ended;
}

static void kill_and_reap(pid_t pid)
{
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void take_output(struct lab_rig *r, const char *name)
{
	char path[128];

	free(r->out);
	free(r->err);
	snprintf(path, sizeof path, "%s/%s.out", r->folder, name);
	r->out = test_read_file(path, NULL);
	snprintf(path, sizeof path, "%s/%s.err", r->folder, name);
	r->err = test_read_file(path, NULL);
	r->out = r->out ? r->out : calloc(1, 1);
	r->err = r->err ? r->err : calloc(1, 1);
}

static pid_t begin_named(struct lab_rig *r, const char *name, const char *const *argv)
{
	char out[64], err[64];

	snprintf(out, sizeof out, "%s.out", name);
	snprintf(err, sizeof err, "%s.err", name);
	return begin(argv, open_log(r->folder, out, O_TRUNC), open_log(r->folder, err, O_TRUNC), NULL);
}

static bool end_named(struct lab_rig *r, const char *name, pid_t pid, unsigned deadline_s)
{
	bool ended = await_end(r, pid, deadline_s * slowness());

	if (!ended) {
		kill_and_reap(pid);
		say("%s did not end within %u s", name, deadline_s * slowness());
	}
	take_output(r, name);
	return ended;
}

bool rig_run(struct lab_rig *r, unsigned deadline_s, const char *const *argv)
{
	return end_named(r, "program", begin_named(r, "program", argv), deadline_s);
}

pid_t rig_begin(struct lab_rig *r, const char *const *argv)
{
	return begin_named(r, "background", argv);
}

/* ---- the daemon ---- */

/* endpoint.json of this very process: an old one may lie there. */
static bool serves(const struct lab_rig *r)
{
	char path[128];
	json_t *j;
	bool ours;

	snprintf(path, sizeof path, "%s/endpoint.json", r->state);
	j = json_load_file(path, 0, NULL);
	ours = json_integer_value(json_object_get(j, "pid")) == r->labd;
	json_decref(j);
	return ours;
}

bool rig_start(struct lab_rig *r)
{
	char program[512];
	const char *const argv[] = { program, "--config", r->config, NULL };
	uint64_t until = clock_now_ns(&clock_host) + START_S * slowness() * NS_PER_S;
	int log = open_log(r->folder, "labd.log", O_APPEND);

	snprintf(program, sizeof program, "%s/labd/labd", env("LAB_BUILD"));
	r->labd = begin(argv, log, log, r->utc);
	while (clock_now_ns(&clock_host) < until) {
		if (serves(r))
			return true;
		if (await_end(r, r->labd, 0)) {
			r->labd = 0;
			return say("labd ended with status %d", r->status);
		}
		pause_ms(LOOK_MS);
	}
	rig_kill(r);
	return say("labd does not serve after %u s", START_S * slowness());
}

bool rig_prepare_and_start(struct lab_rig *r, const struct rig_setup *s)
{
	return rig_prepare(r, s) && rig_start(r);
}

bool rig_stop(struct lab_rig *r)
{
	kill(r->labd, SIGTERM);
	if (!await_end(r, r->labd, STOP_S * slowness())) {
		rig_kill(r);
		return say("labd did not end within %u s of SIGTERM", STOP_S * slowness());
	}
	r->labd = 0;
	return r->status == 0 || say("labd ended with status %d", r->status);
}

void rig_kill(struct lab_rig *r)
{
	if (r->labd)
		kill_and_reap(r->labd);
	r->labd = 0;
}

void rig_finish(struct lab_rig *r)
{
	rig_kill(r);
	free(r->out);
	free(r->err);
	r->out = r->err = NULL;
}

int64_t rig_count(const struct lab_rig *r, const char *sql)
{
	struct db db = { 0 };
	char path[128];
	struct err e = { 0 };
	int64_t n = -1;

	snprintf(path, sizeof path, "%s/lab.db", r->state);
	if (!db_open(&db, path, SQLITE_OPEN_READWRITE, &e) || !sql_number(&db, &n, -1, &e, sql, ""))
		say("%s: %s", sql, e.msg);
	db_close(&db);
	return n;
}

char *rig_log(const struct lab_rig *r)
{
	char path[128], *text;

	snprintf(path, sizeof path, "%s/labd.log", r->folder);
	text = test_read_file(path, NULL);
	return text ? text : calloc(1, 1);
}

/* ---- labctl ---- */

static pid_t begin_ctl(struct lab_rig *r, const char *name, bool json, va_list ap)
{
	char program[512];
	const char *argv[ARGUMENTS] = { program, "--state", r->state };
	size_t n = 3;

	snprintf(program, sizeof program, "%s/labd/ctl/labctl", env("LAB_BUILD"));
	if (json)
		argv[n++] = "--json";
	while (n + 1 < ARGUMENTS && (argv[n] = va_arg(ap, const char *)))
		n++;
	argv[n] = NULL;
	return begin_named(r, name, argv);
}

int rig_ctl(struct lab_rig *r, ...)
{
	va_list ap;
	pid_t pid;

	va_start(ap, r);
	pid = begin_ctl(r, "labctl", false, ap);
	va_end(ap);
	return end_named(r, "labctl", pid, CTL_S) ? r->status : -1;
}

json_t *rig_ctl_json(struct lab_rig *r, ...)
{
	json_error_t why;
	json_t *j;
	va_list ap;
	pid_t pid;

	va_start(ap, r);
	pid = begin_ctl(r, "labctl", true, ap);
	va_end(ap);
	if (!end_named(r, "labctl", pid, CTL_S))
		return NULL;
	j = json_loads(r->out, JSON_DECODE_ANY, &why);
	if (!j)
		say("labctl printed no JSON (%s, exit status %d): %.200s%.200s", why.text, r->status, r->out, r->err);
	return j;
}

pid_t rig_ctl_begin(struct lab_rig *r, ...)
{
	va_list ap;
	pid_t pid;

	va_start(ap, r);
	pid = begin_ctl(r, "background", false, ap);
	va_end(ap);
	return pid;
}

int rig_reap(struct lab_rig *r, pid_t pid, unsigned deadline_s)
{
	return end_named(r, "background", pid, deadline_s) ? r->status : -1;
}

static bool step_is(struct lab_rig *r, const char *board, const char *step)
{
	json_t *boards = rig_ctl_json(r, "boards", NULL), *b;
	bool is = false;
	size_t i;

	json_array_foreach(boards, i, b)
		is |= strcmp(text_in(b, "name"), board) == 0 && strcmp(text_in(json_object_get(b, "live"), "step"), step) == 0;
	json_decref(boards);
	return is;
}

bool rig_await_step(struct lab_rig *r, const char *board, const char *step, unsigned deadline_s)
{
	uint64_t until = clock_now_ns(&clock_host) + deadline_s * slowness() * NS_PER_S;

	while (clock_now_ns(&clock_host) < until) {
		if (step_is(r, board, step))
			return true;
		pause_ms(LOOK_MS);
	}
	return say("%s is not in step %s after %u s", board, step, deadline_s * slowness());
}

bool rig_await_run(struct lab_rig *r, int64_t run, const char *state, unsigned deadline_s)
{
	uint64_t until = clock_now_ns(&clock_host) + deadline_s * slowness() * NS_PER_S;

	while (clock_now_ns(&clock_host) < until) {
		json_t *runs = rig_ctl_json(r, "runs", NULL), *one;
		bool is = false;
		size_t i;

		json_array_foreach(runs, i, one)
			is |= json_integer_value(json_object_get(one, "id")) == run && strcmp(text_in(one, "state"), state) == 0;
		json_decref(runs);
		if (is)
			return true;
		pause_ms(LOOK_MS);
	}
	return say("run %lld is not %s after %u s", (long long)run, state, deadline_s * slowness());
}

/* ---- other processes ---- */

static bool small_file(pid_t pid, const char *name, char *out, size_t room, size_t *size)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, out, room - 1);
	if (fd >= 0)
		close(fd);
	out[n > 0 ? n : 0] = 0;
	*size = n > 0 ? (size_t)n : 0;
	return n > 0;
}

static pid_t parent_of(pid_t pid)
{
	char text[1024], *p;
	size_t size;
	int parent = 0;

	if (small_file(pid, "stat", text, sizeof text, &size) && (p = strrchr(text, ')')))
		sscanf(p + 1, " %*c %d", &parent);
	return parent;
}

static bool is_named(pid_t pid, const char *name)
{
	char text[64];
	size_t size;

	return small_file(pid, "comm", text, sizeof text, &size) && strncmp(text, name, strlen(name)) == 0;
}

/* Its environment has our TMPDIR; a zombie has none. */
static bool is_of(pid_t pid, const char *folder)
{
	static char text[65536];
	char wanted[80];
	size_t size;

	snprintf(wanted, sizeof wanted, "TMPDIR=%s", folder);
	return small_file(pid, "environ", text, sizeof text, &size) && memmem(text, size, wanted, strlen(wanted) + 1);
}

static size_t processes(bool (*wanted)(pid_t pid, const void *of), const void *of, pid_t *pids, size_t room)
{
	DIR *d = opendir("/proc");
	struct dirent *entry;
	size_t n = 0;

	while (d && (entry = readdir(d))) {
		pid_t pid = (pid_t)atoi(entry->d_name);

		if (pid <= 0 || !wanted(pid, of))
			continue;
		if (n < room)
			pids[n] = pid;
		n++;
	}
	if (d)
		closedir(d);
	return n;
}

static bool vboard_of(pid_t pid, const void *of)
{
	return parent_of(pid) == *(const pid_t *)of && is_named(pid, "vboard");
}

static bool belongs(pid_t pid, const void *of)
{
	return pid != getpid() && is_of(pid, of);
}

size_t rig_vboards(const struct lab_rig *r, pid_t *pids, size_t room)
{
	return processes(vboard_of, &r->labd, pids, room);
}

size_t rig_left_over(const struct lab_rig *r)
{
	pid_t pids[8];
	size_t n = 8;

	/* What was told to end a moment ago may need one. */
	for (uint64_t until = clock_now_ns(&clock_host) + 5 * NS_PER_S; n && clock_now_ns(&clock_host) < until; pause_ms(n ? LOOK_MS : 0))
		n = processes(belongs, r->folder, pids, 8);
	return n;
}

size_t rig_socket_folders(const struct lab_rig *r)
{
	DIR *d = opendir(r->folder);
	struct dirent *entry;
	size_t n = 0;

	while (d && (entry = readdir(d)))
		n += strncmp(entry->d_name, "labv.", 5) == 0;
	if (d)
		closedir(d);
	return n;
}

static int connect_to(const char *folder)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(a.sun_path, sizeof a.sun_path, "%.80s/control", folder);
	if (connect(fd, (struct sockaddr *)&a, sizeof a) == 0)
		return fd;
	close(fd);
	return -1;
}

/* Connected to its control socket; folder: its path. -1: there is none that answers. */
static int find_board(const struct lab_rig *r, char *folder, size_t room)
{
	DIR *d = opendir(r->folder);
	struct dirent *entry;
	int fd = -1;

	while (d && fd < 0 && (entry = readdir(d))) {
		if (strncmp(entry->d_name, "labv.", 5) != 0)
			continue;
		snprintf(folder, room, "%.60s/%.20s", r->folder, entry->d_name);
		fd = connect_to(folder);
	}
	if (d)
		closedir(d);
	return fd;
}

bool rig_socket_folder(const struct lab_rig *r, char *path, size_t room)
{
	int fd = find_board(r, path, room);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

bool rig_control(struct lab_rig *r, const char *request, char *answer, size_t room)
{
	char folder[100];
	int fd = find_board(r, folder, sizeof folder);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	size_t n = 0;
	bool ok = fd >= 0 && dprintf(fd, "%s\n", request) > 0;

	while (ok && n + 1 < room && !memchr(answer, '\n', n)) {
		ssize_t got = poll(&p, 1, 10000) == 1 ? read(fd, answer + n, room - 1 - n) : -1;

		ok = got > 0;
		n += got > 0 ? (size_t)got : 0;
	}
	answer[n] = 0;
	answer[strcspn(answer, "\n")] = 0;
	if (fd >= 0)
		close(fd);
	return ok || say("no answer to \"%s\" from the board's control socket", request);
}

bool rig_fault(struct lab_rig *r, const char *text)
{
	char request[128], answer[256];

	snprintf(request, sizeof request, "fault %s", text);
	return rig_control(r, request, answer, sizeof answer) && (strcmp(answer, "ok") == 0 || say("fault %s: %s", text, answer));
}

/* ---- reading documents ---- */

const char *text_in(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "";
}

json_t *cell_in(const json_t *report, size_t i)
{
	return json_array_get(json_object_get(report, "cells"), i);
}

bool file_sha256(const char *path, char out[65])
{
	size_t size;
	char *bytes = test_read_file(path, &size);

	if (!bytes)
		return say("cannot read %s", path);
	sha256_hex(bytes, size, out);
	free(bytes);
	return true;
}
