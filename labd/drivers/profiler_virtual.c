// SPDX-License-Identifier: GPL-2.0-or-later
/* The profiler of a virtual board: two requests to its control socket. */
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "drivers/control_ask.h"
#include "drivers/profiler_drivers.h"

enum { SHORT_ANSWER = 512, LONG_ANSWER = 4 << 20 };

struct profiler_virtual {
	struct profiler profiler;
	char *path;
};

static bool refused(const char *answer, struct err *e)
{
	return err_set(e, ERR_PROTOCOL, "%.200s", strncmp(answer, "err ", 4) ? answer : answer + 4);
}

static bool start(struct profiler *p, struct err *e)
{
	char answer[SHORT_ANSWER];

	return control_ask(((struct profiler_virtual *)p)->path, "profile start", answer, sizeof answer, e) && (!strcmp(answer, "ok") || refused(answer, e));
}

static json_t *stop(struct profiler *p, struct err *e)
{
	static const char word[] = "profile ";
	char *answer = xcalloc(1, LONG_ANSWER);
	json_t *counts = NULL;

	if (control_ask(((struct profiler_virtual *)p)->path, "profile stop", answer, LONG_ANSWER, e)) {
		counts = strncmp(answer, word, sizeof word - 1) ? NULL : json_loads(answer + sizeof word - 1, JSON_REJECT_DUPLICATES, NULL);
		if (!counts)
			refused(answer, e);
	}
	free(answer);
	return counts;
}

static void destroy(struct profiler *p)
{
	free(((struct profiler_virtual *)p)->path);
	free(p);
}

static const struct profiler_ops ops = { .name = "virtual", .start = start, .stop = stop, .destroy = destroy };

struct profiler *profiler_virtual_create(const char *control_socket)
{
	struct profiler_virtual *p = xcalloc(1, sizeof *p);

	p->profiler.ops = &ops;
	p->path = xstrdup(control_socket);
	return &p->profiler;
}
