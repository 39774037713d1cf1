// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What an idle bench costs: starts the daemon with its virtual board, runs one cell so that everything has been in use, then looks at the resident memory of
 * labd and at the CPU time of labd and its children over some seconds in which nobody asks for anything. One JSON object a line for ./lab bench.
 */
#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/mem.h"
#include "core/proc.h"

enum { IDLE_S = 10 };

static char folder[] = "/tmp/daemon_bench.XXXXXX";

/* Field n (from 1) of /proc/PID/stat behind the name; 0 when the process is gone. */
static unsigned long long stat_field(int pid, int n)
{
	char path[64], text[1024];
	unsigned long long value = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	f = fopen(path, "r");
	size_t size = f ? fread(text, 1, sizeof text - 1, f) : 0;
	text[size] = '\0';
	if (f)
		fclose(f);
	char *p = strrchr(text, ')');
	for (int i = 2; p && i < n; i++)
		p = strchr(p + 1, ' ');
	if (p)
		sscanf(p, " %llu", &value);
	return value;
}

/* User and system time of a process and of its children, in clock ticks. */
static unsigned long long family_ticks(int pid)
{
	unsigned long long sum = stat_field(pid, 14) + stat_field(pid, 15);
	DIR *d = opendir("/proc");
	struct dirent *entry;

	while (d && (entry = readdir(d))) {
		int child = atoi(entry->d_name);

		if (child > 0 && stat_field(child, 4) == (unsigned long long)pid)
			sum += stat_field(child, 14) + stat_field(child, 15);
	}
	if (d)
		closedir(d);
	return sum;
}

static double resident_mb(int pid)
{
	return (double)stat_field(pid, 24) * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

static bool write_file(const char *name, const char *text)
{
	char *path = xasprintf("%s/%s", folder, name);
	FILE *f = fopen(path, "w");
	bool ok = f && fputs(text, f) >= 0;

	ok = f && fclose(f) == 0 && ok;
	free(path);
	return ok;
}

static bool write_config(const char *source, const char *build)
{
	char *config = xasprintf("{\"version\":1,\"state_dir\":\"%s/state\",\"bench\":\"%s/bench.json\",\"board_types\":\"%s/fixtures/boards\",\"matrices\":\"%s/db/matrices\","
	                         "\"images\":\"%s/firmware/images.json\",\"vboard\":\"%s/fixtures/virtual/vboard\",\"web\":[\"%s/web\"],\"http\":{\"address\":\"127.0.0.1\",\"port\":0}}",
	                         folder, folder, source, source, build, build, source);
	bool ok = write_file("labd.json", config)
	          && write_file("bench.json", "{\"version\":1,\"name\":\"idle\",\"boards\":[{\"name\":\"idle-8051\",\"type\":\"at89c51ed2-cs8900a\",\"power\":{\"driver\":\"virtual\"},"
	                        "\"line\":{\"driver\":\"rfc2217\",\"survives_power\":true},\"flash\":[{\"method\":\"atmel_isp\",\"reset\":\"dtr\",\"boot\":\"rts\"}],"
	                        "\"wire\":{\"mode\":\"gate\",\"rate\":10000000,\"latency_ns\":155000,\"ack_delay_ms\":0,\"outer\":\"127.77.9.8\",\"ports\":\"auto\"},"
	                        "\"net\":{\"mac\":\"02:00:00:77:09:02\",\"ip\":\"10.77.8.1\",\"host\":\"10.77.8.254\"},\"tap\":{\"driver\":\"stream\"}}]}");

	free(config);
	return ok;
}

static bool wait_for_daemon(void)
{
	char *path = xasprintf("%s/state/endpoint.json", folder);
	bool there = false;

	for (int i = 0; i < 100 && !(there = access(path, R_OK) == 0); i++)
		usleep(100000);
	free(path);
	return there;
}

static bool run_one_cell(const char *build, struct err *e)
{
	char *labctl = xasprintf("%s/labd/ctl/labctl", build), *state = xasprintf("%s/state", folder);
	const char *const argv[] = { labctl, "--state", state, "run", "published", "--cell", "*=100", "--wait", "--json", NULL };
	struct proc_run r = { .argv = argv, .deadline_ms = 120000 };
	struct proc_end end;
	bool ok = proc_run(&r, &end, e) && ((!end.signalled && end.status == 0) || err_set(e, ERR_IO, "labctl run ended with status %d", end.status));

	free(labctl);
	free(state);
	return ok;
}

static void row(const char *name, double value, const char *unit, double goal, const char *limit)
{
	printf("{\"name\":\"%s\",\"value\":%.4f,\"unit\":\"%s\",\"peer\":\"%s\",\"peer_value\":null,\"ratio\":null,\"goal\":%g,\"smaller\":true}\n", name, value, unit, limit, goal);
}

static void look(int pid)
{
	unsigned long long before = family_ticks(pid);
	uint64_t begin = clock_now_ns(&clock_host);

	sleep(IDLE_S);
	double used = (double)(family_ticks(pid) - before) / (double)sysconf(_SC_CLK_TCK), wall = (double)(clock_now_ns(&clock_host) - begin) / 1e9;
	row("labd_resident_mb", resident_mb(pid), "MB", 20, "(goal: under 20 MB)");
	row("idle_cpu_percent", 100 * used / wall, "%", 1, "(goal: under 1 %)");
}

int main(void)
{
	const char *source = realpath(getenv("LAB_SOURCE") ? getenv("LAB_SOURCE") : ".", NULL);
	const char *build = realpath(getenv("LAB_BUILD") ? getenv("LAB_BUILD") : "build/release", NULL);
	struct err e = { 0 };
	struct proc labd;
	bool ok;

	if (!source || !build || !mkdtemp(folder) || !write_config(source, build)) {
		perror("daemon_bench");
		return 1;
	}
	char *program = xasprintf("%s/labd/labd", build), *config = xasprintf("%s/labd.json", folder);
	const char *const argv[] = { program, "--config", config, NULL };
	ok = proc_start(argv, NULL, 0, &labd, &e);
	if (ok) {
		ok = (wait_for_daemon() || err_set(&e, ERR_TIMEOUT, "labd did not start")) && run_one_cell(build, &e);
		if (ok)
			look((int)labd.pid);
		proc_stop(&labd, 5000, &(struct proc_end){ 0 });
	}
	if (!ok)
		fprintf(stderr, "daemon_bench: %s\n", e.msg);
	const char *const remove_argv[] = { "rm", "-rf", folder, NULL };
	proc_run(&(struct proc_run){ .argv = remove_argv, .deadline_ms = 10000 }, &(struct proc_end){ 0 }, NULL);
	free(program);
	free(config);
	free((char *)source);
	free((char *)build);
	return ok ? 0 : 1;
}
