// SPDX-License-Identifier: GPL-2.0-or-later
/* Programs that end, fail, hang, refuse to die and leave children: each is gone when the call returns. */
#include "core/clock.h"
#include "core/proc.h"
#include "test/harness.h"

#include <sys/wait.h>

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct err e;
static struct buf output;

static bool shell(const char *script, uint32_t deadline_ms, struct proc_end *end)
{
	buf_clear(&output);
	err_clear(&e);
	return proc_run(&(struct proc_run){ .argv = (const char *const[]){ "sh", "-c", script, NULL }, .deadline_ms = deadline_ms, .output = &output }, end, &e);
}

TEST(a_closed_standard_output_is_no_place_for_a_file_of_ours)
{
	int status = 0;
	pid_t pid;

	pid = fork();
	if (pid == 0) {
		close(0);
		close(1);
		close(2);
		proc_claim_standard_fds();
		int fd = open("/dev/null", O_WRONLY);
		bool safe = fd > 2 && write(1, "x", 1) < 0 && write(2, "x", 1) < 0 && read(0, &fd, 1) < 0;

		_exit(safe ? 0 : 1);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 0);
}

TEST(output_and_exit_status_are_those_of_the_program)
{
	struct proc_end end;
	char text[60];

	CHECK_OK(shell("echo out; echo err >&2; exit 3", 10000, &end), &e);
	CHECK_STR(buf_text(&output), "out\nerr\n");
	proc_end_text(&end, text, sizeof text);
	CHECK_STR(text, "exit status 3");
	CHECK_OK(shell("kill -9 $$", 10000, &end), &e);
	proc_end_text(&end, text, sizeof text);
	CHECK_STR(text, "killed by signal 9 (Killed)");
}

TEST(a_program_that_does_not_exist_is_named)
{
	struct proc_end end;

	CHECK(!proc_run(&(struct proc_run){ .argv = (const char *const[]){ "labd-no-such-program", NULL }, .deadline_ms = 1000 }, &end, &e));
	CHECK_EQ(e.code, ERR_NOT_FOUND);
	CHECK_STR(e.msg, "labd-no-such-program: no such program (is it installed, is the path right?)");
}

TEST(a_program_that_hangs_is_ended_at_its_deadline)
{
	uint64_t before = clock_now_ns(&clock_host);
	struct proc_end end;

	CHECK(!shell("sleep 60", 50, &end));
	CHECK_EQ(e.code, ERR_TIMEOUT);
	CHECK_STR(e.msg, "sh: not finished within 50 ms; ended");
	CHECK(end.signalled);
	CHECK(clock_now_ns(&clock_host) - before < 30 * NS_PER_S);
}

TEST(a_program_that_ignores_term_is_killed)
{
	const char *const argv[] = { "sh", "-c", "trap '' TERM; echo ready; while :; do sleep 1; done", NULL };
	struct proc_end end;
	struct proc p;
	int fds[2];
	char byte;

	CHECK(pipe2(fds, O_CLOEXEC) == 0);
	CHECK_OK(proc_start(argv, &(struct proc_fd){ fds[1], 1 }, 1, &p, &e), &e);
	close(fds[1]);
	CHECK(read(fds[0], &byte, 1) == 1);
	proc_stop(&p, 20, &end);
	close(fds[0]);
	CHECK(end.signalled);
	CHECK_EQ(end.status, SIGKILL);
	CHECK_EQ(proc_start_time(p.pid), 0);
}

TEST(a_child_in_the_background_does_not_hold_the_caller)
{
	struct proc_end end;
	pid_t child;

	CHECK_OK(shell("sleep 60 & echo $!", 10000, &end), &e);
	child = atoi(buf_text(&output));
	CHECK(child > 1);
	for (int i = 0; i < 2000 && proc_start_time(child); i++)
		usleep(1000);
	CHECK_EQ(proc_start_time(child), 0);
}

TEST(output_without_end_is_cut_and_the_program_not_blocked)
{
	struct proc_end end;

	CHECK_OK(shell("head -c 300000 /dev/zero | tr '\\0' x", 20000, &end), &e);
	CHECK_EQ(output.size, 65536);
	CHECK_EQ(end.status, 0);
}

TEST(a_child_gets_only_the_descriptors_it_should)
{
	struct proc_end end;
	int leak = open("/dev/null", O_RDONLY);

	signal(SIGPIPE, SIG_IGN);
	CHECK_OK(shell("ls /proc/self/fd | wc -l; kill -PIPE $$; echo still here", 10000, &end), &e);
	CHECK(end.signalled && end.status == SIGPIPE);
	CHECK(atoi(buf_text(&output)) <= 4);
	close(leak);
}
