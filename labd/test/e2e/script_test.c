// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ./lab as people type it: up, up again, --once, --detach with the terminal closed behind it, down, Ctrl-C at a bad moment, wrong options and files. Needs the release build that
 * ./lab makes (so that it has nothing to build), and skips elsewhere.
 */
#include <dirent.h>
#include <jansson.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/clock.h"
#include "lab_rig.h"
#include "test/harness.h"

static char lab[512];

/* Why this cannot be tested here; NULL: it can. */
static const char *reason_to_skip(void)
{
	const char *source = getenv("LAB_SOURCE"), *build = getenv("LAB_BUILD");
	char path[512];

	snprintf(path, sizeof path, "%s/build/release", source ? source : ".");
	if (!build || strcmp(build, path) != 0)
		return "not the release build, which ./lab uses";
	snprintf(path, sizeof path, "%s/build/web/.made", source);
	if (access(path, R_OK) != 0)
		return "the dashboard's libraries are not there (./lab up makes them)";
	snprintf(lab, sizeof lab, "%s/lab", source);
	return NULL;
}

#define LAB(r, seconds, ...) (rig_run(r, seconds, (const char *const[]){ lab, __VA_ARGS__, NULL }) ? (r)->status : -1)

TEST(wrong_options_and_files_end_with_2_and_say_what_to_do)
{
	const char *skip = reason_to_skip();
	char bench[128], *text, *at;
	struct lab_rig r;
	size_t size;

	if (skip)
		SKIP("%s", skip);
	CHECK(rig_prepare(&r, NULL));
	CHECK_EQ(LAB(&r, 20, "up", "--onec"), 2);
	CHECK(strstr(r.err, "--onec"));
	CHECK_EQ(LAB(&r, 20, "pu"), 2);
	CHECK_EQ(LAB(&r, 20, "up", "--port"), 2);
	CHECK_EQ(LAB(&r, 20, "up", "--port", "http"), 2);
	CHECK_EQ(LAB(&r, 20, "up", "--json"), 2);
	CHECK_EQ(LAB(&r, 20, "up", "--once", "--bench", "/nowhere/bench.json"), 2);
	CHECK(strstr(r.err, "/nowhere/bench.json"));

	CHECK_EQ(LAB(&r, 20, "up", "--once", "--state", "/etc/passwd"), 2);
	CHECK(strstr(r.err, "the state folder /etc/passwd cannot be made or written to"));
	CHECK_EQ(LAB(&r, 20, "test", "--only", "nothing"), 2);
	CHECK(strstr(r.err, "there are: release asan tsan fuzz browser"));
	CHECK_EQ(LAB(&r, 20, "fuzz", "--seconds", "soon"), 2);
	CHECK_EQ(LAB(&r, 20, "build", "nothing"), 2);
	CHECK_EQ(LAB(&r, 20, "--yes", "down", "--yes", "--state", "/nowhere"), 0);

	snprintf(bench, sizeof bench, "%s/typo.json", r.folder);
	text = test_read_file(r.bench, &size);
	at = strstr(text, "latency_ns");
	memcpy(at, "latancy_ns", 10);
	CHECK(test_write_file(bench, text, size));
	free(text);
	CHECK_EQ(LAB(&r, 30, "up", "--once", "--bench", bench, "--state", r.state, "--port", "0"), 2);
	CHECK(strstr(r.err, "typo.json:4: boards[0].wire.latancy_ns") && strstr(r.err, "did you mean \"latency_ns\""));
	CHECK_EQ(rig_left_over(&r), 0);
	rig_finish(&r);
}

TEST(the_daemon_of_up_detach_is_there_after_its_terminal_is_gone_and_down_ends_it)
{
	const char *skip = reason_to_skip();
	struct lab_rig r;
	int terminal, status;
	pid_t shell;

	if (skip)
		SKIP("%s", skip);
	CHECK(rig_prepare(&r, NULL));
	shell = forkpty(&terminal, NULL, NULL, NULL);
	if (shell == 0) {
		/* The shell stays, as a person's does, until its terminal is closed. */
		execl("/bin/bash", "bash", "-c", "\"$0\" up --detach --bench \"$1\" --state \"$2\" --port 0; echo up; exec sleep 60", lab, r.bench, r.state, NULL);
		_exit(127);
	}
	char said[4096] = "";
	size_t n = 0;
	struct pollfd p = { .fd = terminal, .events = POLLIN };
	while (!strstr(said, "up\r\n") && n + 1 < sizeof said && poll(&p, 1, 30000) == 1) {
		ssize_t got = read(terminal, said + n, sizeof said - 1 - n);
		if (got <= 0)
			break;
		n += (size_t)got;
		said[n] = 0;
	}
	CHECK(strstr(said, "dashboard: http://127.0.0.1:"));
	close(terminal);                                                     /* SIGHUP to everybody on it */
	CHECK(waitpid(shell, &status, 0) == shell);
	CHECK_EQ(rig_ctl(&r, "run", "published", "--wait", "--cell", "*=100", NULL), 0);

	CHECK_EQ(LAB(&r, 20, "up", "--detach", "--state", r.state), 0);      /* a second one leaves it alone */
	CHECK(strstr(r.err, "running already"));
	CHECK_EQ(LAB(&r, 20, "down", "--state", r.state), 0);
	CHECK_EQ(rig_left_over(&r), 0);
	CHECK_EQ(rig_socket_folders(&r), 0);
	CHECK_EQ(LAB(&r, 20, "down", "--state", r.state), 0);
	CHECK_EQ(rig_ctl(&r, "boards", NULL), 7);
	rig_finish(&r);
}

/* In a network namespace with nothing but the loopback interface. */
/* Each ends its own daemon; the second waits for that instead of losing its run with it. A path may hold what JSON and shells take for something else. */
TEST(two_at_once_on_one_state_folder_both_pass_and_another_bench_is_refused)
{
	static const char both[] = "S=\"$1/a \\\"b\\\\c\"; \"$0\" up --once --state \"$S\" --port 0 --bench \"$2\" & \"$0\" up --once --state \"$S\" --port 0 --bench \"$2\" || exit 1; wait $!";
	static const char other[] = "\"$0\" up --detach --state \"$1/d\" --port 0 --bench \"$2\" && cp \"$2\" \"$1/other.json\" && \"$0\" up --once --state \"$1/d\" --bench \"$1/other.json\";"
		" status=$?; \"$0\" down --state \"$1/d\"; exit $status";
	const char *skip = reason_to_skip();
	struct lab_rig r;

	if (skip)
		SKIP("%s", skip);
	CHECK(rig_prepare(&r, NULL));
	CHECK(rig_run(&r, 120, (const char *const[]){ "/bin/sh", "-c", both, lab, r.folder, r.bench, NULL }));
	CHECK_EQ(r.status, 0);
	CHECK(rig_run(&r, 60, (const char *const[]){ "/bin/sh", "-c", other, lab, r.folder, r.bench, NULL }));
	CHECK_EQ(r.status, 2);
	CHECK(strstr(r.err, "runs another bench than") && strstr(r.err, "other.json"));
	CHECK_EQ(rig_left_over(&r), 0);
	rig_finish(&r);
}

TEST(a_second_start_needs_no_network_and_serves_within_five_seconds)
{
	const char *skip = reason_to_skip(), *try[] = { "/usr/bin/unshare", "-rn", "true", NULL };
	const char *const offline[] = { "/usr/bin/unshare", "-rn", "sh", "-c", "ip link set lo up && exec \"$0\" up --once --json --bench \"$1\" --state \"$2\" --port 0", lab, NULL, NULL,
		                        NULL };
	const char *argv[sizeof offline / sizeof *offline];
	struct lab_rig r;
	uint64_t from;
	json_t *report;

	if (skip)
		SKIP("%s", skip);
	CHECK(rig_prepare(&r, NULL));
	if (!rig_run(&r, 10, try) || r.status != 0)
		SKIP("no network namespaces for this user: %s", r.err);
	memcpy(argv, offline, sizeof offline);
	argv[6] = r.bench;
	argv[7] = r.state;
	CHECK(rig_run(&r, 60, argv));
	if (r.status != 0)
		printf("%s", r.err);
	CHECK_EQ(r.status, 0);
	report = json_loads(r.out, 0, NULL);                                 /* one document and nothing else on standard output */
	CHECK(report && access(text_in(cell_in(report, 0), "capture"), R_OK) == 0);
	json_decref(report);

	from = clock_now_ns(&clock_host);
	CHECK_EQ(LAB(&r, 20, "up", "--detach", "--bench", r.bench, "--state", r.state, "--port", "0"), 0);
	CHECK(clock_now_ns(&clock_host) - from < 5 * NS_PER_S);
	CHECK_EQ(rig_ctl(&r, "status", NULL), 0);
	CHECK_EQ(LAB(&r, 20, "down", "--state", r.state), 0);
	CHECK_EQ(rig_left_over(&r), 0);
	rig_finish(&r);
}

/* The whole process group, as a terminal does it; earlier or later in the start each time. */
TEST(ctrl_c_at_any_moment_of_up_leaves_nobody)
{
	const char *skip = reason_to_skip();
	struct lab_rig r;

	if (skip)
		SKIP("%s", skip);
	CHECK(rig_prepare(&r, NULL));
	for (int ms = 100; ms < 3000; ms = ms * 2) {
		pid_t up = rig_begin(&r, (const char *const[]){ lab, "up", "--bench", r.bench, "--state", r.state, "--port", "0", NULL });

		poll(NULL, 0, ms);
		kill(-up, SIGINT);
		poll(NULL, 0, 300);
		kill(-up, SIGINT);                                           /* the first may have cancelled the run only */
		CHECK(rig_reap(&r, up, 20) >= 0);
		CHECK_EQ(rig_left_over(&r), 0);
		CHECK_EQ(rig_socket_folders(&r), 0);
	}
	rig_finish(&r);
}
