// SPDX-License-Identifier: GPL-2.0-or-later
/* The RFC 2217 line against ser2net, a server that is not ours, in front of a pseudo terminal. */
#include "core/mem.h"
#include "core/proc.h"
#include "drivers/line_contract.h"
#include "drivers/line_drivers.h"
#include "drivers/pace_drivers.h"
#include "drivers/pty_end.h"

#include <stdlib.h>
#include <string.h>

static struct err e;
static struct { struct proc proc; struct pty_end pty; uint16_t port; struct pace *pace; bool runs; } server;
static const char *skip;

static bool start_server(void)
{
	char *config = xasprintf("%s/ser2net.yaml", test_folder()), *text;
	bool ok;

	server.port = pty_end_free_port();
	text = xasprintf("%%YAML 1.1\n---\nconnection: &lab\n  accepter: telnet(rfc2217),tcp,127.0.0.1,%u\n  connector: serialdev,%s,115200n81,local,nobreak\n"
		"  options:\n    max-connections: 2\n    kickolduser: true\n", server.port, server.pty.path);
	ok = test_write_file(config, text, strlen(text))
		&& proc_start((const char *const[]){ "env", pty_end_preload(), "ser2net", "-n", "-d", "-c", config, NULL }, NULL, 0, &server.proc, &e);
	server.runs = ok;
	free(text);
	free(config);
	return ok && pty_end_listens(server.port);
}

static bool ser2net_is_there(void)
{
	struct proc_end end;

	return proc_run(&(struct proc_run){ .argv = (const char *const[]){ "ser2net", "-v", NULL }, .deadline_ms = 10000 }, &end, NULL);
}

static struct line *create(void)
{
	skip = !ser2net_is_there() ? "ser2net is not installed" : !pty_end_preload() ? "LAB_BUILD is not set: run by ctest" : NULL;
	if (skip)
		return NULL;
	if (!pty_end_open(&server.pty) || !start_server() || !(server.pace = pace_wall_create(&e)))
		return NULL;
	return line_rfc2217_create(server.pace, "127.0.0.1", server.port);
}

static void vanish(void)
{
	if (server.runs)
		proc_stop(&server.proc, 500, NULL);
	server.runs = false;
}

static void destroy(struct line *l)
{
	line_destroy(l);
	pace_destroy(server.pace);
	vanish();
	pty_end_close(&server.pty);
}

static int far_end(void)
{
	return server.pty.master;
}

static const struct line_fixture ser2net = { create, destroy, far_end, vanish, &skip };

LINE_CONTRACT(rfc2217_by_ser2net, ser2net)

TEST(nobody_at_the_port_is_said_so)
{
	struct pace *pace = pace_wall_create(&e);
	struct line *l = line_rfc2217_create(pace, "127.0.0.1", pty_end_free_port());

	CHECK(!line_open(l, &(struct line_setup){ 115200, 8, 'N', 1 }, &e));
	CHECK_EQ(e.code, ERR_LOST);
	CHECK(strstr(e.msg, "line rfc2217: nobody listens at 127.0.0.1 port "));
	line_destroy(l);
	pace_destroy(pace);
}
