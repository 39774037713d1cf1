// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kill -9 of the daemon and of a board's process at random moments of a run: nothing is lost, nothing counts twice, nobody and nothing is left over, and the figures are
 * what they always were. The moments come from a seed that is printed; $LAB_SEED repeats one.
 */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "core/clock.h"
#include "lab_rig.h"
#include "test/harness.h"

enum { KILLS = 10, KILLS_SLOW = 2, LIVES = 2, CELLS_A_ROUND = 4, RUNS_A_ROUND = 2, FINISH_S = 60 };

/* Under a sanitizer a round takes twenty times as long; what it looks for shows in two. */
static unsigned kills(void)
{
	return slowness() > 1 ? KILLS_SLOW : KILLS;
}

static unsigned seed_of_test(void)
{
	const char *given = getenv("LAB_SEED");
	unsigned seed = given ? (unsigned)strtoul(given, NULL, 0) : (unsigned)time(NULL);

	printf("%s: LAB_SEED=%u\n", test_name(), seed);
	return seed;
}

/* A round: the board is flashed, then the published matrix. */
static bool queue_round(struct lab_rig *r)
{
	return rig_ctl(r, "flash", "8051-a", NULL) == 0 && rig_ctl(r, "run", "published", NULL) == 0;
}

static bool all_finished(struct lab_rig *r)
{
	uint64_t until = clock_now_ns(&clock_host) + FINISH_S * slowness() * NS_PER_S;

	while (clock_now_ns(&clock_host) < until) {
		if (rig_count(r, "SELECT count(*) FROM run WHERE state != 'finished'") == 0)
			return true;
		poll(NULL, 0, 20);
	}
	return false;
}

/* How long a round takes in wall time here and now, in milliseconds. */
static unsigned measure_round(struct lab_rig *r)
{
	uint64_t from = clock_now_ns(&clock_host);

	return queue_round(r) && all_finished(r) ? (unsigned)((clock_now_ns(&clock_host) - from) / NS_PER_MS) : 0;
}

static bool none(const struct lab_rig *r, const char *what, const char *sql)
{
	int64_t n = rig_count(r, sql);

	if (n != 0)
		printf("%lld x %s\n", (long long)n, what);
	return n == 0;
}

static bool nothing_lost_or_doubled(const struct lab_rig *r, int rounds)
{
	static const struct { const char *what, *sql; } laws[] = {
		{ "an attempt that has not ended", "SELECT count(*) FROM attempt WHERE state != 'finished'" },
		{ "a doubled attempt", "SELECT count(*) FROM (SELECT 1 FROM attempt GROUP BY run_id, cell_id, repeat, attempt HAVING count(*) > 1)" },
		{ "attempts with a gap", "SELECT count(*) FROM (SELECT 1 FROM attempt GROUP BY cell_id, repeat HAVING max(attempt) != count(*))" },
		{ "a cell that passed twice", "SELECT count(*) FROM (SELECT 1 FROM attempt WHERE verdict = 'pass' GROUP BY cell_id, repeat HAVING count(*) > 1)" },
		{ "an attempt after a pass", "SELECT count(*) FROM attempt a JOIN attempt b ON a.cell_id = b.cell_id AND a.repeat = b.repeat"
		  " WHERE a.verdict = 'pass' AND b.attempt > a.attempt" },
		{ "an attempt that blames the board", "SELECT count(*) FROM attempt WHERE verdict != 'pass' AND (verdict != 'error' OR cause NOT IN ('daemon', 'host'))" },
		{ "figures without a pass", "SELECT count(*) FROM figures JOIN attempt ON id = attempt_id WHERE verdict != 'pass'" },
		{ "a measured cell without figures", "SELECT count(*) FROM attempt a JOIN cell c ON c.id = a.cell_id WHERE verdict = 'pass' AND workload != 'flash'"
		  " AND a.id NOT IN (SELECT attempt_id FROM figures)" },
		{ "a cell whose figures changed", "SELECT count(*) FROM (SELECT 1 FROM figures JOIN attempt a ON a.id = attempt_id JOIN cell c ON c.id = a.cell_id"
		  " GROUP BY c.name HAVING count(DISTINCT elapsed_ns) > 1)" },
	};
	bool ok = rig_count(r, "SELECT count(*) FROM run") == RUNS_A_ROUND * rounds && rig_count(r, "SELECT count(*) FROM cell") == CELLS_A_ROUND * rounds
	       && rig_count(r, "SELECT count(*) FROM attempt WHERE verdict = 'pass'") == CELLS_A_ROUND * rounds;

	if (!ok)
		printf("%lld runs, %lld cells, %lld passes of %d rounds\n", (long long)rig_count(r, "SELECT count(*) FROM run"), (long long)rig_count(r, "SELECT count(*) FROM cell"),
		       (long long)rig_count(r, "SELECT count(*) FROM attempt WHERE verdict = 'pass'"), rounds);
	for (size_t i = 0; i < sizeof laws / sizeof laws[0]; i++)
		ok = none(r, laws[i].what, laws[i].sql) && ok;
	return ok;
}

static void tell_failures(const struct lab_rig *r)
{
	char *log = rig_log(r), *line = strtok(log, "\n");

	for (; line; line = strtok(NULL, "\n"))
		if (strstr(line, " warn ") || strstr(line, " error "))
			printf("%s\n", line);
	free(log);
}

TEST(a_daemon_killed_at_ten_random_moments_loses_nothing_doubles_nothing_and_leaves_nobody)
{
	unsigned seed = seed_of_test(), round_ms;
	struct lab_rig r;
	bool ok;

	CHECK(rig_prepare_and_start(&r, NULL));
	CHECK((round_ms = measure_round(&r)) > 0);
	for (unsigned i = 0; i < kills(); i++) {
		CHECK(queue_round(&r));
		poll(NULL, 0, rand_r(&seed) % (int)round_ms);
		rig_kill(&r);
		CHECK_EQ(rig_left_over(&r), 0);
		CHECK_EQ(rig_socket_folders(&r), 0);
		CHECK(rig_start(&r));
	}
	CHECK(all_finished(&r));
	CHECK(rig_stop(&r));
	ok = nothing_lost_or_doubled(&r, (int)kills() + 1);
	if (!ok)
		tell_failures(&r);
	CHECK(ok);
	CHECK(kills() < KILLS || rig_count(&r, "SELECT count(*) FROM attempt WHERE cause = 'daemon'") > 0);        /* some were hit */
	CHECK_EQ(rig_left_over(&r), 0);
	CHECK_EQ(rig_socket_folders(&r), 0);
	rig_finish(&r);
}

/* Seconds since something in it changed count for the next process that starts; make it old. */
static void age_socket_folders(const struct lab_rig *r)
{
	const struct timespec old[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	DIR *d = opendir(r->folder);
	struct dirent *entry;

	while (d && (entry = readdir(d)))
		if (strncmp(entry->d_name, "labv.", 5) == 0)
			utimensat(dirfd(d), entry->d_name, old, 0);
	if (d)
		closedir(d);
}

static bool kill_the_board(struct lab_rig *r)
{
	pid_t pids[2];

	return rig_vboards(r, pids, 2) == 1 && kill(pids[0], SIGKILL) == 0;
}

TEST(a_board_whose_process_is_killed_at_ten_random_moments_comes_back_and_its_runs_pass)
{
	unsigned seed = seed_of_test(), round_ms, killed = 0;
	struct lab_rig r;
	bool ok;

	CHECK(rig_prepare_and_start(&r, NULL));
	CHECK((round_ms = measure_round(&r)) > 0);
	/* Two daemons' lives, since the pause before a process is started again doubles each time. */
	for (unsigned i = 0; i < kills(); i++) {
		if (i > 0 && i % (kills() / LIVES) == 0)
			CHECK(rig_stop(&r) && rig_start(&r));
		CHECK(queue_round(&r));
		poll(NULL, 0, rand_r(&seed) % (int)round_ms);
		killed += kill_the_board(&r);
		CHECK(all_finished(&r));
	}
	age_socket_folders(&r);
	CHECK(rig_stop(&r));
	ok = nothing_lost_or_doubled(&r, (int)kills() + 1);
	if (!ok)
		tell_failures(&r);
	CHECK(ok);
	CHECK(killed >= kills() / 2);
	CHECK(rig_socket_folders(&r) > 0);
	CHECK(rig_start(&r) && rig_ctl(&r, "run", "quick", "--wait", NULL) == 0 && rig_stop(&r));
	CHECK_EQ(rig_socket_folders(&r), 0);                                 /* the next one to start tidied up */
	CHECK_EQ(rig_left_over(&r), 0);
	rig_finish(&r);
}
