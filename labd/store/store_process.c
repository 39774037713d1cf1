// SPDX-License-Identifier: GPL-2.0-or-later
/* Child processes by pid and start time, so that a daemon after a crash ends its predecessor's children and nobody else's. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/log.h"
#include "core/mem.h"
#include "store/sql.h"

static bool read_text(const char *path, char *out, size_t size)
{
	FILE *f = fopen(path, "re");
	size_t n;

	if (!f)
		return false;
	n = fread(out, 1, size - 1, f);
	fclose(f);
	out[n] = 0;
	out[strcspn(out, "\n")] = 0;
	return n > 0;
}

/* Field 22 of /proc/PID/stat (proc(5)); field 2 may hold anything, so count from its last parenthesis. -1: no such process, or it has ended
   already. */
static int64_t started_ticks(int64_t pid)
{
	char path[64], text[1024], state = 'Z';
	long long ticks = -1;
	const char *p;

	snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
	if (!read_text(path, text, sizeof text) || !(p = strrchr(text, ')')))
		return -1;
	if (sscanf(p + 1, " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lld", &state, &ticks) != 2 || state == 'Z' || state == 'X')
		return -1;
	return ticks;
}

static void boot_id(char out[64])
{
	if (!read_text("/proc/sys/kernel/random/boot_id", out, 64))
		snprintf(out, 64, "unknown");
}

bool store_process_add(struct store *s, int64_t pid, const char *role, struct err *e)
{
	int64_t ticks = started_ticks(pid);
	char boot[64];

	if (ticks < 0)
		return err_set(e, ERR_NOT_FOUND, "process %lld has ended already", (long long)pid);
	boot_id(boot);
	return tx_begin(s, e) && tx_end(s, sql_run(&s->write, e, "INSERT OR REPLACE INTO process (pid, started_ticks, boot_id, role, noted_ms) VALUES (?1, ?2, ?3, ?4, ?5)",
	                                           "iitti", pid, ticks, boot, role, store_now_ms(s)), e);
}

bool store_process_remove(struct store *s, int64_t pid, struct err *e)
{
	return tx_begin_light(s, e) && tx_end(s, sql_run(&s->write, e, "DELETE FROM process WHERE pid = ?1", "i", pid), e);
}

/* Through a pidfd, checked after it is open: between a look at /proc and kill() the pid may have become somebody else's. */
static bool end_process(int64_t pid, int64_t ticks, unsigned grace_ms)
{
	int fd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	bool ours = fd >= 0 && started_ticks(pid) == ticks;

	if (ours && syscall(SYS_pidfd_send_signal, fd, SIGTERM, NULL, 0) == 0 && poll(&p, 1, (int)grace_ms) == 0) {
		syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0);
		poll(&p, 1, 1000);
	}
	if (fd >= 0)
		close(fd);
	return ours;
}

static json_t *left_over(struct store *s, struct err *e)
{
	char boot[64];
	json_t *rows;

	boot_id(boot);
	db_lock(s->read);
	rows = sql_all(s->read, sql_query(s->read, e, "SELECT pid, started_ticks, role FROM process WHERE boot_id = ?1", "t", boot), e);
	db_unlock(s->read);
	return rows;
}

bool store_process_sweep(struct store *s, unsigned grace_ms, unsigned *ended, struct err *e)
{
	json_t *rows = left_over(s, e), *row;
	size_t i;

	if (!rows)
		return false;
	*ended = 0;
	json_array_foreach(rows, i, row) {
		int64_t pid = json_integer_value(json_object_get(row, "pid"));

		if (end_process(pid, json_integer_value(json_object_get(row, "started_ticks")), grace_ms)) {
			(*ended)++;
			log_warn("store", "pid=%lld role=%s left over from an earlier labd, ended", (long long)pid, json_string_value(json_object_get(row, "role")));
		}
	}
	json_decref(rows);
	return tx_begin(s, e) && tx_end(s, sql_run(&s->write, e, "DELETE FROM process", ""), e);
}
