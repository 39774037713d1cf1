// SPDX-License-Identifier: GPL-2.0-or-later
/* The libserialport line on a pseudo terminal that labd/test/pty_tty.c makes look like an adapter (preloaded by CTest), reached by a link as by-id names are. */
#include "core/mem.h"
#include "drivers/line_contract.h"
#include "drivers/line_drivers.h"
#include "drivers/pace_drivers.h"
#include "drivers/pty_end.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static struct err e;
static struct { struct pty_end pty; struct pace *pace; char *link, *log; } adapter;
static const char *skip;
static const struct line_setup usual = { 115200, 8, 'N', 1 };

static struct line *create(void)
{
	const char *preload = getenv("LD_PRELOAD");

	skip = preload && strstr(preload, "pty_tty") ? NULL : "the library pty_tty is not preloaded: run by ctest";
	if (skip || !pty_end_open(&adapter.pty) || !(adapter.pace = pace_wall_create(&e)))
		return NULL;
	adapter.link = xasprintf("%s/usb-Pretended-port0", test_folder());
	adapter.log = xasprintf("%s/lines", test_folder());
	setenv("LAB_PTY_LOG", adapter.log, 1);
	return symlink(adapter.pty.path, adapter.link) ? NULL : line_serial_create(adapter.pace, adapter.link);
}

static void destroy(struct line *l)
{
	line_destroy(l);
	pace_destroy(adapter.pace);
	pty_end_close(&adapter.pty);
	unsetenv("LAB_PTY_LOG");
	free(adapter.link);
	free(adapter.log);
}

static int far_end(void)
{
	return adapter.pty.master;
}

static void vanish(void)
{
	pty_end_close(&adapter.pty);
}

static const struct line_fixture pretended = { create, destroy, far_end, vanish, &skip };

LINE_CONTRACT(serial, pretended)

#define BEGIN(l) struct line *l = create(); if (!l && skip) SKIP("%s", skip); CHECK(l)

static bool logged(const char *expected)
{
	char *text = test_read_file(adapter.log, NULL);
	bool same = text && !strcmp(text, expected);

	if (!same)
		test_fail(__FILE__, __LINE__, "the lines went \"%s\", not \"%s\"", text ? text : "(nothing)", expected);
	free(text);
	return same;
}

TEST(dtr_and_rts_are_released_in_that_order_at_open_and_stay_at_close)
{
	BEGIN(l);

	CHECK_OK(line_open(l, &usual, &e), &e);
	CHECK(logged("dtr=0 rts=1\ndtr=0 rts=0\n"));
	CHECK_OK(line_signal(l, LINE_DTR, true, &e), &e);
	CHECK_OK(line_setup(l, &(struct line_setup){ 9600, 8, 'N', 2 }, &e), &e);
	line_close(l);
	CHECK(logged("dtr=0 rts=1\ndtr=0 rts=0\ndtr=1 rts=0\n"));
	destroy(l);
}

TEST(a_second_opener_is_told_who_has_the_port)
{
	int ready[2], status;
	char byte, expected[80];
	pid_t child;
	BEGIN(l);

	CHECK(pipe(ready) == 0);
	child = fork();
	if (child == 0) {
		int fd = open(adapter.pty.path, O_RDWR | O_NOCTTY);

		_exit(flock(fd, LOCK_EX) || write(ready[1], "x", 1) < 0 || pause());
	}
	CHECK(read(ready[0], &byte, 1) == 1);
	snprintf(expected, sizeof expected, "is in use by process %d (line_serial_tes)", (int)child);
	CHECK(!line_open(l, &usual, &e));
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	CHECK_EQ(e.code, ERR_CONFLICT);
	CHECK(strstr(e.msg, expected));
	CHECK_OK(line_open(l, &usual, &e), &e);
	close(ready[0]);
	close(ready[1]);
	destroy(l);
}

static void nothing(int number)
{
	(void)number;
}

TEST(signals_do_not_cut_what_is_read_or_written)
{
	struct itimerval often = { { 0, 2000 }, { 0, 2000 } }, never = { { 0, 0 }, { 0, 0 } };
	uint8_t out[3000], in[3000];
	BEGIN(l);

	CHECK_OK(line_open(l, &usual, &e), &e);
	sigaction(SIGALRM, &(struct sigaction){ .sa_handler = nothing }, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (size_t i = 0; i < sizeof out; i++)
		out[i] = (uint8_t)(i * 13);
	for (int round = 0; round < 20; round++) {
		uint64_t until = line_now_ns(l) + 10000000000u;
		bool ok = line_write(l, out, sizeof out, until, &e);

		for (size_t got = 0; ok && got < sizeof in;) {
			ssize_t n = read(adapter.pty.master, in + got, sizeof in - got);

			got += n > 0 ? (size_t)n : 0;
		}
		ok = ok && !memcmp(in, out, sizeof in) && write(adapter.pty.master, out, sizeof out) == (ssize_t)sizeof out;
		ok = ok && line_read(l, in, sizeof in, sizeof in, until, &e) == (long)sizeof in && !memcmp(in, out, sizeof in);
		if (!ok)
			setitimer(ITIMER_REAL, &never, NULL);
		CHECK(ok);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	destroy(l);
}

static void *cancel_soon(void *opaque)
{
	usleep(50000);
	pace_cancel(opaque);
	return NULL;
}

TEST(a_cancelled_read_returns_at_once)
{
	pthread_t thread;
	uint8_t byte;
	BEGIN(l);

	CHECK_OK(line_open(l, &usual, &e), &e);
	pthread_create(&thread, NULL, cancel_soon, adapter.pace);
	CHECK(line_read(l, &byte, 1, 1, line_now_ns(l) + 60000000000u, &e) == -1);
	CHECK_EQ(e.code, ERR_CANCELLED);
	pthread_join(thread, NULL);
	destroy(l);
}

TEST(a_missing_adapter_and_what_is_no_port_have_their_sentences)
{
	struct pace *pace = pace_wall_create(&e);
	struct line *l = line_serial_create(pace, "/dev/serial/by-id/usb-none");

	CHECK(!line_open(l, &usual, &e));
	CHECK_EQ(e.code, ERR_NOT_FOUND);
	CHECK_STR(e.msg, "line serial: /dev/serial/by-id/usb-none: No such file or directory (is the adapter plugged in?)");
	line_destroy(l);
	l = line_serial_create(pace, "/dev/null");
	CHECK(!line_open(l, &usual, &e));
	CHECK_STR(e.msg, "line serial: /dev/null is not a serial port (not in /sys/class/tty)");
	line_destroy(l);
	pace_destroy(pace);
}
