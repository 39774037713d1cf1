// SPDX-License-Identifier: GPL-2.0-or-later
/* Power switches: the contract of the seam over programs and over a virtual board's control socket, and what each says when it fails. */
#include "core/mem.h"
#include "drivers/power_drivers.h"
#include "test/harness.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct err e;

/* --- a switch made of a file ---------------------------------------------------------------------------------------------------------------- */

static struct power *file_switch(void)
{
	static char *on[4], *off[4], *state[4];
	const char *folder = test_folder();

	on[0] = off[0] = state[0] = (char *)"sh";
	on[1] = off[1] = state[1] = (char *)"-c";
	on[2] = xasprintf("echo on > '%s/switch'", folder);
	off[2] = xasprintf("echo off > '%s/switch'", folder);
	state[2] = xasprintf("cat '%s/switch'", folder);
	struct power *p = power_command_create((const char *const *)on, (const char *const *)off, (const char *const *)state, 10000);
	free(on[2]);
	free(off[2]);
	free(state[2]);
	return p;
}

/* --- a control socket that answers as docs/virtual-board.md says ---------------------------------------------------------------------------- */

static struct { int fd; char path[108]; pthread_t thread; const char *override, *clock; bool real, real_at_power_on; } control;

static void *serve(void *opaque)
{
	bool on = false;
	int fd;

	while ((fd = accept(control.fd, NULL, NULL)) >= 0) {
		char line[100], answer[200] = "ok\n";
		ssize_t n = read(fd, line, sizeof line - 1);

		line[n > 0 ? n : 0] = 0;
		if (!strcmp(line, "clock real\n"))
			control.real = true;
		if (!strcmp(line, "power on\n")) {
			on = true;
			control.real_at_power_on = control.real;
		} else if (!strcmp(line, "power off\n"))
			on = false;
		else if (!strcmp(line, "state\n"))
			snprintf(answer, sizeof answer, "state {\"power\":\"%s\",\"mode\":\"turns\"}\n", on ? "on" : "off");
		if (control.override)
			snprintf(answer, sizeof answer, "%s", control.override);
		if (write(fd, answer, strlen(answer)) < 0)
			perror("write");
		close(fd);
	}
	return opaque;
}

static struct power *socket_switch(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };

	snprintf(at.sun_path, sizeof at.sun_path, "%s/control", test_folder());
	control.override = NULL;
	control.fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (bind(control.fd, (struct sockaddr *)&at, sizeof at) || listen(control.fd, 4))
		return NULL;
	pthread_create(&control.thread, NULL, serve, NULL);
	return power_virtual_create(at.sun_path, control.clock);
}

static void socket_end(void)
{
	shutdown(control.fd, SHUT_RDWR);
	pthread_join(control.thread, NULL);
	close(control.fd);
}

static void nothing(void)
{
}

/* --- the contract --------------------------------------------------------------------------------------------------------------------------- */

static bool keeps_the_contract(struct power *p)
{
	bool on = true;

	return power_off(p, &e) && power_state(p, &on, &e) && !on
		&& power_on(p, &e) && power_state(p, &on, &e) && on
		&& power_on(p, &e) && power_state(p, &on, &e) && on
		&& power_off(p, &e) && power_off(p, &e) && power_state(p, &on, &e) && !on;
}

#define POWER_CONTRACT(id, create, end) \
	TEST(id##_goes_on_and_off_and_setting_what_is_set_is_fine) \
	{ \
		struct power *p = create(); \
		CHECK(p); \
		CHECK_OK(keeps_the_contract(p), &e); \
		power_destroy(p); \
		end(); \
	}

POWER_CONTRACT(power_command, file_switch, nothing)
POWER_CONTRACT(power_virtual, socket_switch, socket_end)

TEST(a_program_that_fails_is_quoted)
{
	const char *const bad[] = { "sh", "-c", "echo probing >&2; echo no hub at 1-1.4 >&2; exit 2", NULL }, *const odd[] = { "echo", "perhaps", NULL };
	struct power *p = power_command_create(bad, bad, odd, 10000);
	bool on;

	CHECK(!power_on(p, &e));
	CHECK_STR(e.msg, "power command: on: sh: exit status 2: no hub at 1-1.4");
	CHECK(!power_state(p, &on, &e));
	CHECK_STR(e.msg, "power command: state: echo printed \"perhaps\" instead of \"on\" or \"off\"");
	power_destroy(p);
	p = power_command_create(bad, bad, NULL, 10000);
	CHECK(!power_state(p, &on, &e));
	CHECK_EQ(e.code, ERR_UNSUPPORTED);
	power_destroy(p);
	power_destroy(NULL);
}

TEST(a_switch_that_hangs_is_a_timeout)
{
	const char *const hang[] = { "sleep", "60", NULL };
	struct power *p = power_command_create(hang, hang, NULL, 50);

	CHECK(!power_off(p, &e));
	CHECK_EQ(e.code, ERR_TIMEOUT);
	CHECK_STR(e.msg, "power command: off: sleep: not finished within 50 ms; ended");
	power_destroy(p);
}

TEST(a_virtual_board_that_is_gone_or_refuses_is_named)
{
	struct power *p = power_virtual_create("/tmp/labd-no-such-socket", NULL);

	CHECK(!power_on(p, &e));
	CHECK_EQ(e.code, ERR_LOST);
	CHECK_STR(e.msg, "power virtual: on: the vboard process is gone: connect to /tmp/labd-no-such-socket: No such file or directory");
	power_destroy(p);
	p = socket_switch();
	control.override = "err the fuse is blown\n";
	CHECK(!power_on(p, &e));
	CHECK_STR(e.msg, "power virtual: on: the fuse is blown");
	control.override = "state []\n";
	CHECK(!power_state(p, &(bool){ 0 }, &e));
	CHECK_EQ(e.code, ERR_PROTOCOL);
	control.override = "half";
	CHECK(!power_on(p, &e));
	CHECK_EQ(e.code, ERR_LOST);
	power_destroy(p);
	socket_end();
}

TEST(a_virtual_boards_clock_is_real_before_its_power_comes_on)
{
	control.clock = "real";
	struct power *p = socket_switch();

	CHECK(p);
	CHECK_OK(power_off(p, &e), &e);
	CHECK(!control.real);
	CHECK_OK(power_on(p, &e), &e);
	CHECK(control.real_at_power_on);
	power_destroy(p);
	socket_end();
	control.clock = NULL;
}
