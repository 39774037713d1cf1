// SPDX-License-Identifier: GPL-2.0-or-later
/* Processes of virtual boards: one thread polls their pipes and their ends, and starts again what fell. */
#include "bench/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/log.h"
#include "core/mem.h"
#include "core/proc.h"

enum { LOST_MS = 100, BACK_OFF_MS = 100, BACK_OFF_MAX_MS = 10000, STEADY_MS = 60000, READY_MS = 15000, END_MS = 2000, TEXT_MAX = 65536 };
enum { EXIT_REFUSED = 2 };                                               /* vboard's status for a configuration it does not take, with a line that says why */
enum { FD_READY, FD_ERR, FD_PID, FDS };

struct vprocess {
	const struct bench_board *board;
	struct proc proc;
	bool runs, is_ready;
	int fds[FDS], life;                                                  /* -1 = closed */
	struct buf ready_text, err_text;
	struct vboard_ready ready;
	bool refused;                                                        /* it will not come up before somebody repairs what it complains of */
	char ended[60];                                                      /* how the last one ended */
	unsigned generation;
	uint64_t started_ns, start_at_ns;                                    /* of this start; of the next one while it does not run */
	uint32_t back_off_ms;
	char said[sizeof ((struct err *)0)->msg];                                                      /* its last line on standard error, or why it did not start */
};

struct supervisor {
	struct supervisor_config config;
	char *vboard, *chip_dir;
	struct vprocess *processes;
	size_t count;
	pthread_t thread;
	pthread_mutex_t lock;                                                /* over is_ready, refused, ready, ended, generation, said, end */
	pthread_cond_t changed;
	int wake;
	bool end;
};

static uint64_t now(void)
{
	return clock_now_ns(&clock_host);
}

static bool ending(struct supervisor *s)
{
	bool end;

	pthread_mutex_lock(&s->lock);
	end = s->end;
	pthread_mutex_unlock(&s->lock);
	return end;
}

static void shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* --- what a process is told ----------------------------------------------------------------------------------------------------------------- */

static json_t *wire_json(const struct bench_wire *w)
{
	json_t *j = json_pack("{s:s, s:I, s:I, s:I, s:s, s:s}", "mode", w->mode == BENCH_WIRE_TAP ? "tap" : "gate", "rate", (json_int_t)w->rate,
		"latency_ns", (json_int_t)w->latency_ns, "ack_delay_ms", (json_int_t)w->ack_delay_ms, "outer", w->outer, "ports", w->ports_auto ? "auto" : "same");

	if (w->interface)
		json_object_set_new(j, "interface", json_string(w->interface));
	return j;
}

static char *config_text(const struct supervisor *s, const struct bench_board *b)
{
	json_t *j = json_pack("{s:s, s:s, s:o, s:{s:s, s:s, s:s}}", "type", b->type, "name", b->name, "wire", wire_json(&b->wire),
		"net", "mac", b->net.mac, "ip", b->net.ip, "host", b->net.host);
	char *text;

	if (s->chip_dir)
		json_object_set_new(j, "state_dir", json_string(s->chip_dir));
	if (b->chip)
		json_object_set(j, "chip", (json_t *)b->chip);
	if (b->faults)
		json_object_set(j, "faults", (json_t *)b->faults);
	text = json_dumps(j, JSON_COMPACT);
	json_decref(j);
	return text;
}

/* --- start ---------------------------------------------------------------------------------------------------------------------------------- */

struct pipes { int config[2], ready[2], life[2], err[2]; };

static bool make_pipes(struct pipes *p, struct err *e)
{
	int *all[] = { p->config, p->ready, p->life, p->err };

	memset(p, 0xFF, sizeof *p);
	for (size_t i = 0; i < 4; i++)
		if (pipe2(all[i], O_CLOEXEC))
			return err_errno(e, "pipe");
	fcntl(p->ready[0], F_SETFL, O_NONBLOCK);
	fcntl(p->err[0], F_SETFL, O_NONBLOCK);
	return true;
}

static bool start_with(struct supervisor *s, struct vprocess *v, struct pipes *p, struct err *e)
{
	const char *const argv[] = { s->vboard, "--type", v->board->type, "--name", v->board->name, "--config", "-", "--ready-fd", "3", "--life-fd", "4", NULL };
	const struct proc_fd fds[] = { { p->config[0], 0 }, { p->err[1], 2 }, { p->ready[1], 3 }, { p->life[0], 4 } };
	char *text = config_text(s, v->board);
	size_t size = strlen(text);
	bool ok = fcntl(p->config[1], F_SETPIPE_SZ, (int)(size < 65536 ? 65536 : size + 4096)) >= (int)size || err_set(e, ERR_TOO_LARGE, "its configuration is too large");

	ok = ok && (write(p->config[1], text, size) == (ssize_t)size || err_errno(e, "write its configuration")) && proc_start(argv, fds, 4, &v->proc, e);
	free(text);
	return ok;
}

static void started(struct supervisor *s, struct vprocess *v, struct pipes *p)
{
	v->fds[FD_READY] = p->ready[0];
	v->fds[FD_ERR] = p->err[0];
	v->fds[FD_PID] = (int)syscall(SYS_pidfd_open, v->proc.pid, 0);
	v->life = p->life[1];
	p->ready[0] = p->err[0] = p->life[1] = -1;
	v->runs = true;
	v->started_ns = now();
	buf_clear(&v->ready_text);
	buf_clear(&v->err_text);
	log_info("vboard", "board=%s pid=%d started", v->board->name, (int)v->proc.pid);
	if (s->config.started)
		s->config.started(s->config.opaque, v->board->name, v->proc.pid, v->proc.start_time);
}

/* refused: waiting for this process would be in vain. It is started again all the same, since somebody may repair it meanwhile. */
static void say(struct supervisor *s, struct vprocess *v, const char *text, bool refused)
{
	pthread_mutex_lock(&s->lock);
	v->refused = v->refused || refused;
	snprintf(v->said, sizeof v->said, "%s", text);
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
}

static void plan_next(struct vprocess *v)
{
	v->back_off_ms = v->back_off_ms ? 2 * v->back_off_ms : BACK_OFF_MS;
	if (v->back_off_ms > BACK_OFF_MAX_MS)
		v->back_off_ms = BACK_OFF_MAX_MS;
	v->start_at_ns = now() + v->back_off_ms * NS_PER_MS;
}

static void start(struct supervisor *s, struct vprocess *v)
{
	struct pipes p;
	struct err e;
	bool ok = make_pipes(&p, &e) && start_with(s, v, &p, &e);

	if (ok) {
		started(s, v, &p);
	} else {
		log_error("vboard", "board=%s cannot be started: %s", v->board->name, e.msg);
		say(s, v, e.msg, true);
		plan_next(v);
	}
	for (size_t i = 0; i < sizeof p / sizeof(int); i++)
		shut((int *)&p + i);
}

/* --- what a process says -------------------------------------------------------------------------------------------------------------------- */

static void take_err_lines(struct supervisor *s, struct vprocess *v)
{
	uint8_t *end;

	while (v->err_text.size && (end = memchr(v->err_text.bytes, '\n', v->err_text.size))) {
		*end = 0;
		log_warn("vboard", "board=%s %s", v->board->name, buf_text(&v->err_text));
		say(s, v, buf_text(&v->err_text), false);
		buf_drop(&v->err_text, (size_t)(end - v->err_text.bytes) + 1);
	}
}

static void take_ready_line(struct supervisor *s, struct vprocess *v)
{
	const uint8_t *end = v->ready_text.size ? memchr(v->ready_text.bytes, '\n', v->ready_text.size) : NULL;
	struct vboard_ready r;
	struct err e;

	if (!end || v->is_ready)
		return;
	if (!vboard_ready_parse(buf_text(&v->ready_text), (size_t)(end - v->ready_text.bytes), &r, &e)) {
		log_error("vboard", "board=%s %s", v->board->name, e.msg);
		say(s, v, e.msg, false);
		return;
	}
	pthread_mutex_lock(&s->lock);
	v->ready = r;
	v->is_ready = true;
	v->refused = false;
	v->generation++;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	log_info("vboard", "board=%s pid=%d ready", v->board->name, (int)v->proc.pid);
}

static void drain(struct supervisor *s, struct vprocess *v, int which)
{
	struct buf *to = which == FD_READY ? &v->ready_text : &v->err_text;
	char piece[4096];
	ssize_t n = read(v->fds[which], piece, sizeof piece);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0 || to->size + (size_t)n > TEXT_MAX) {
		shut(&v->fds[which]);
		return;
	}
	buf_add(to, piece, (size_t)n);
	if (which == FD_READY)
		take_ready_line(s, v);
	else
		take_err_lines(s, v);
}

/* --- end ------------------------------------------------------------------------------------------------------------------------------------ */

static void fell(struct supervisor *s, struct vprocess *v, const struct proc_end *end)
{
	char how[60];

	proc_end_text(end, how, sizeof how);
	while (v->fds[FD_ERR] >= 0 && poll(&(struct pollfd){ .fd = v->fds[FD_ERR], .events = POLLIN }, 1, 0) > 0)
		drain(s, v, FD_ERR);                                         /* its last words */
	if (!ending(s))
		log_warn("vboard", "board=%s pid=%d ended: %s", v->board->name, (int)v->proc.pid, how);
	pthread_mutex_lock(&s->lock);
	v->refused = v->refused || (!v->is_ready && !end->signalled && end->status == EXIT_REFUSED);
	v->is_ready = false;
	snprintf(v->ended, sizeof v->ended, "%s", how);
	pthread_cond_broadcast(&s->changed);
	if (!v->said[0])
		snprintf(v->said, sizeof v->said, "it ended: %s", how);
	pthread_mutex_unlock(&s->lock);
	for (size_t i = 0; i < FDS; i++)
		shut(&v->fds[i]);
	shut(&v->life);
	v->runs = false;
	if (s->config.ended)
		s->config.ended(s->config.opaque, v->board->name, v->proc.pid);
	if (now() - v->started_ns > STEADY_MS * NS_PER_MS)
		v->back_off_ms = 0;
	plan_next(v);
}

/* It started and says nothing: end it, and let the usual path start it again. */
static void check_patience(struct supervisor *s, struct vprocess *v)
{
	struct proc_end end;

	if (v->is_ready || now() - v->started_ns < READY_MS * NS_PER_MS)
		return;
	say(s, v, "no ready line within 15 s; ended", false);
	proc_stop(&v->proc, 500, &end);
	fell(s, v, &end);
}

/* --- the thread ----------------------------------------------------------------------------------------------------------------------------- */

static void serve(struct supervisor *s, struct vprocess *v, const struct pollfd *fds)
{
	struct proc_end end;

	if (!v->runs) {
		if (now() >= v->start_at_ns)
			start(s, v);
		return;
	}
	for (int i = FD_READY; i <= FD_ERR; i++)
		if (fds[i].revents)
			drain(s, v, i);
	if (proc_ended(&v->proc, &end))
		fell(s, v, &end);
	else
		check_patience(s, v);
}

/* Milliseconds until something is due; -1 = nothing is, so that an idle bench costs nothing. */
static int next_due(const struct supervisor *s)
{
	int least = -1;

	for (size_t i = 0; i < s->count; i++) {
		const struct vprocess *v = &s->processes[i];
		uint64_t due = !v->runs ? v->start_at_ns : !v->is_ready ? v->started_ns + READY_MS * NS_PER_MS : UINT64_MAX;
		int left = due == UINT64_MAX ? -1 : clock_left_ms(&clock_host, due);

		if (left >= 0 && (least < 0 || left < least))
			least = left;
	}
	return least;
}

/* End of file on the life pipe first; a process that does not take the hint is ended. */
static void end_all(struct supervisor *s)
{
	uint64_t until = now() + END_MS * NS_PER_MS;
	struct proc_end end;

	for (size_t i = 0; i < s->count; i++)
		shut(&s->processes[i].life);
	for (size_t i = 0; i < s->count; i++) {
		struct vprocess *v = &s->processes[i];

		while (v->runs && now() < until && !proc_ended(&v->proc, &end))
			poll(&(struct pollfd){ .fd = v->fds[FD_PID], .events = POLLIN }, 1, 20);
		if (v->runs && now() >= until)
			proc_stop(&v->proc, 300, &end);
		if (v->runs)
			fell(s, v, &end);
	}
}

static void *run(void *opaque)
{
	struct supervisor *s = opaque;
	size_t n = 1 + s->count * FDS;
	struct pollfd *fds = xcalloc(n, sizeof *fds);

	while (!ending(s)) {
		fds[0] = (struct pollfd){ .fd = s->wake, .events = POLLIN };
		for (size_t i = 0; i < s->count * FDS; i++)
			fds[1 + i] = (struct pollfd){ .fd = s->processes[i / FDS].fds[i % FDS], .events = POLLIN };
		poll(fds, n, next_due(s));
		for (size_t i = 0; i < s->count; i++)
			serve(s, &s->processes[i], fds + 1 + i * FDS);
	}
	end_all(s);
	free(fds);
	return NULL;
}

/* --- outside -------------------------------------------------------------------------------------------------------------------------------- */

static bool make_chip_dir(struct supervisor *s, const char *state_dir, struct err *e)
{
	if (!state_dir)
		return true;
	s->chip_dir = xasprintf("%s/vboard", state_dir);
	return mkdir(s->chip_dir, 0700) == 0 || errno == EEXIST || err_errno(e, "%s", s->chip_dir);
}

static void collect(struct supervisor *s)
{
	s->processes = xcalloc(s->config.bench->count, sizeof *s->processes);
	for (size_t i = 0; i < s->config.bench->count; i++) {
		struct vprocess *v = &s->processes[s->count];

		if (!s->config.bench->boards[i].is_virtual)
			continue;
		*v = (struct vprocess){ .board = &s->config.bench->boards[i], .fds = { -1, -1, -1 }, .life = -1 };
		s->count++;
	}
}

static void release(struct supervisor *s)
{
	for (size_t i = 0; i < s->count; i++) {
		buf_finish(&s->processes[i].ready_text);
		buf_finish(&s->processes[i].err_text);
	}
	shut(&s->wake);
	pthread_cond_destroy(&s->changed);
	pthread_mutex_destroy(&s->lock);
	free(s->processes);
	free(s->chip_dir);
	free(s->vboard);
	free(s);
}

static bool start_thread(struct supervisor *s, struct err *e)
{
	return !pthread_create(&s->thread, NULL, run, s) || err_set(e, ERR_IO, "no thread for the virtual boards");
}

bool supervisor_create(const struct supervisor_config *config, struct supervisor **out, struct err *e)
{
	struct supervisor *s = xcalloc(1, sizeof *s);
	pthread_condattr_t attributes;

	s->config = *config;
	s->vboard = config->vboard ? xstrdup(config->vboard) : NULL;
	s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&s->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	collect(s);
	if (s->count && !config->vboard) {
		release(s);
		return err_set(e, ERR_INVALID, "the bench has virtual boards, but labd.json names no \"vboard\" program");
	}
	if (!make_chip_dir(s, config->state_dir, e) || !start_thread(s, e)) {
		release(s);
		return false;
	}
	*out = s;
	return true;
}

static struct vprocess *find(struct supervisor *s, const char *board)
{
	for (size_t i = 0; i < s->count; i++)
		if (!strcmp(s->processes[i].board->name, board))
			return &s->processes[i];
	return NULL;
}

static bool wait_ready(struct supervisor *s, const struct vprocess *v, uint32_t timeout_ms)
{
	uint64_t until = now() + timeout_ms * NS_PER_MS;
	struct timespec at = { (time_t)(until / NS_PER_S), (long)(until % NS_PER_S) };

	while (!v->is_ready && !v->refused && pthread_cond_timedwait(&s->changed, &s->lock, &at) != ETIMEDOUT)
		continue;
	return v->is_ready;
}

bool supervisor_ready(struct supervisor *s, const char *board, uint32_t timeout_ms, struct vboard_ready *out, unsigned *generation, struct err *e)
{
	struct vprocess *v = find(s, board);
	bool ok;

	if (!v)
		return err_set(e, ERR_NOT_FOUND, "there is no virtual board \"%s\"", board);
	pthread_mutex_lock(&s->lock);
	ok = wait_ready(s, v, timeout_ms);
	if (ok) {
		*out = v->ready;
		if (generation)
			*generation = v->generation;
	} else if (v->refused) {
		err_set(e, ERR_INVALID, "the vboard process of %s does not start: %s", board, v->said);
	} else {
		err_set(e, ERR_TIMEOUT, "the vboard process of %s is not ready within %u ms: %s", board, timeout_ms, v->said[0] ? v->said : "it says nothing");
	}
	pthread_mutex_unlock(&s->lock);
	return ok;
}

bool supervisor_lost(struct supervisor *s, const char *board, pid_t pid, struct err *e)
{
	struct vprocess *v = find(s, board);
	uint64_t until = now() + LOST_MS * NS_PER_MS;
	struct timespec at = { (time_t)(until / NS_PER_S), (long)(until % NS_PER_S) };
	bool lost;

	if (!v)
		return false;
	pthread_mutex_lock(&s->lock);
	while (v->is_ready && v->ready.pid == pid && pthread_cond_timedwait(&s->changed, &s->lock, &at) != ETIMEDOUT)
		continue;
	lost = !v->is_ready || v->ready.pid != pid;
	if (lost)
		err_set(e, ERR_LOST, "the vboard process of %s ended: %s", board, v->ended[0] ? v->ended : "not known how");
	pthread_mutex_unlock(&s->lock);
	return lost;
}

void supervisor_destroy(struct supervisor *s)
{
	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	s->end = true;
	pthread_mutex_unlock(&s->lock);
	eventfd_write(s->wake, 1);
	pthread_join(s->thread, NULL);
	release(s);
}
