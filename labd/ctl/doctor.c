// SPDX-License-Identifier: GPL-2.0-or-later
/* labctl doctor: each line says what was looked at and, where something is wrong, what to do. It changes nothing and works without a daemon. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "config/labd_config.h"
#include "ctl/doctor.h"
#include "ctl/table.h"
#include "ctl/verb.h"

const struct option_row doctor_options[] = {
	{ "--bench", "FILE", "what this bench needs (default: the bench of the state folder's labd.json)" },
	{ NULL, NULL, NULL },
};

void doctor_add(json_t *checks, const char *what, const char *state, const char *sentence)
{
	json_array_append_new(checks, json_pack("{s:s,s:s,s:s}", "what", what, "state", state, "sentence", sentence));
}

/* --- tools -------------------------------------------------------------------------------------------------------------------------------------- */

static const struct { const char *name, *why; } tools[] = {
	{ "sdcc", "builds the firmware of the 8051 boards" },
	{ "openocd", "flashes boards with a debug probe; not needed for boards with a serial boot loader" },
	{ "tshark", "reads captures in tests" },
	{ "npm", "builds the dashboard's chart libraries" },
};

static bool on_path(const char *name)
{
	const char *path = getenv("PATH");
	char file[4096];

	while (path && *path) {
		size_t n = strcspn(path, ":");

		snprintf(file, sizeof file, "%.*s/%s", (int)n, path, name);
		if (access(file, X_OK) == 0)
			return true;
		path += n + (path[n] == ':');
	}
	return false;
}

static void check_tools(json_t *checks)
{
	char sentence[200];

	for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++) {
		bool there = on_path(tools[i].name);

		snprintf(sentence, sizeof sentence, "%s: %s", there ? "is there" : "is not there", tools[i].why);
		doctor_add(checks, tools[i].name, there ? "ok" : "note", sentence);
	}
}

/* --- the state folder --------------------------------------------------------------------------------------------------------------------------- */

static void check_folder(json_t *checks, const char *dir)
{
	char sentence[300];
	struct statvfs v;
	struct stat st;

	if (stat(dir, &st) != 0) {
		snprintf(sentence, sizeof sentence, "%.150s does not exist yet; ./lab up makes it", dir);
		doctor_add(checks, "state folder", "note", sentence);
		return;
	}
	if (!S_ISDIR(st.st_mode) || access(dir, R_OK | W_OK | X_OK) != 0) {
		snprintf(sentence, sizeof sentence, "%.150s is not a folder this user can write", dir);
		doctor_add(checks, "state folder", "problem", sentence);
		return;
	}
	bool open_to_others = (st.st_mode & 077) != 0;
	snprintf(sentence, sizeof sentence, open_to_others ? "%.150s can be read by others; chmod 700 keeps captures and tokens private" : "%.150s", dir);
	doctor_add(checks, "state folder", open_to_others ? "note" : "ok", sentence);
	if (statvfs(dir, &v) == 0) {
		double free_mb = (double)v.f_bavail * (double)v.f_frsize / 1e6;

		snprintf(sentence, sizeof sentence, "%.0f MB are free%s", free_mb, free_mb < 500 ? "; results need room" : "");
		doctor_add(checks, "disk", free_mb < 500 ? "problem" : "ok", sentence);
	}
}

/* --- ports, limits ------------------------------------------------------------------------------------------------------------------------------ */

static void check_port(json_t *checks, uint16_t port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
	char sentence[120];

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	bool is_free = fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof at) == 0;
	snprintf(sentence, sizeof sentence, is_free ? "%u is free" : "%u is taken by another program; use ./lab up --port 0", port);
	doctor_add(checks, "port", is_free ? "ok" : "note", sentence);
	if (fd >= 0)
		close(fd);
}

static void check_limits(json_t *checks)
{
	struct rlimit limit;
	char sentence[120];

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	bool enough = limit.rlim_max >= 512;
	snprintf(sentence, sizeof sentence, "%llu may be open at a time%s", (unsigned long long)limit.rlim_max, enough ? "" : "; labd wants 512 (ulimit -Hn)");
	doctor_add(checks, "files", enough ? "ok" : "problem", sentence);
}

/* --- the daemon and its bench ------------------------------------------------------------------------------------------------------------------- */

static void check_board(json_t *checks, const json_t *board)
{
	const char *health = json_string_value(json_object_get(board, "health")), *reason = json_string_value(json_object_get(board, "health_reason"));
	const char *name = json_string_value(json_object_get(board, "name"));
	char what[100], sentence[300];
	bool bad = health && (strcmp(health, "bad") == 0 || strcmp(health, "quarantined") == 0);

	snprintf(what, sizeof what, "board %.64s", name ? name : "?");
	snprintf(sentence, sizeof sentence, "health %s%s%.200s", health ? health : "unknown", reason ? ": " : "", reason ? reason : "");
	doctor_add(checks, what, bad ? "problem" : "ok", sentence);
}

static void check_boards(json_t *checks, struct client *client)
{
	struct err e = { 0 };
	json_t *boards = client_call(client, "GET", "/boards", NULL, &e), *board;
	size_t i;

	if (!boards)
		doctor_add(checks, "bench", "problem", e.msg);
	else if (json_array_size(boards) == 0)
		doctor_add(checks, "bench", "problem", "no board is on it");
	json_array_foreach(boards, i, board)
		if (json_is_true(json_object_get(board, "present")))
			check_board(checks, board);
	json_decref(boards);
}

/* The bench that was asked for, or that the next start takes. Neither: nothing to look at. */
static void check_bench(json_t *checks, const struct call *c)
{
	const char *file = args_text(c->args, "--bench");
	struct labd_config config;
	char path[4096];
	struct err e;

	if (file) {
		doctor_bench(checks, file);
		return;
	}
	snprintf(path, sizeof path, "%s/labd.json", c->state_dir);
	if (access(path, R_OK) != 0)
		return;
	if (!labd_config_load(path, &config, &e)) {
		doctor_add(checks, "labd.json", "problem", e.msg);
		return;
	}
	doctor_bench(checks, config.bench);
	labd_config_finish(&config);
}

/* True when there is a daemon. */
static bool check_daemon(json_t *checks, const char *state_dir)
{
	struct client *client = NULL;
	struct err e = { 0 };
	json_t *status = client_open(state_dir, &client, &e) ? client_call(client, "GET", "/status", NULL, &e) : NULL;

	if (status) {
		char sentence[160];

		snprintf(sentence, sizeof sentence, "answers at %s", client_url(client));
		doctor_add(checks, "daemon", "ok", sentence);
		check_boards(checks, client);
	} else {
		doctor_add(checks, "daemon", "note", e.msg);
	}
	json_decref(status);
	client_close(client);
	return status != NULL;
}

static bool any_problem(const json_t *checks)
{
	size_t i;
	json_t *check;

	json_array_foreach((json_t *)(uintptr_t)checks, i, check)
		if (strcmp(json_string_value(json_object_get(check, "state")), "problem") == 0)
			return true;
	return false;
}

int verb_doctor(struct call *c)
{
	static const struct column columns[] = { { "what", "what", 0 }, { "state", "state", 0 }, { "", "sentence", 0 }, { NULL, NULL, 0 } };
	json_t *checks = json_array();
	bool problem;

	check_tools(checks);
	check_folder(checks, c->state_dir);
	check_limits(checks);
	check_bench(checks, c);
	if (!check_daemon(checks, c->state_dir))
		check_port(checks, 8090);
	problem = any_problem(checks);
	if (c->json)
		call_print(json_incref(checks));
	else
		table_print(stdout, columns, checks, "");
	json_decref(checks);
	return problem ? EXIT_LAB : EXIT_PASSED;
}
