// SPDX-License-Identifier: GPL-2.0-or-later
/* The power switch of a virtual board: one line to its control socket, one line back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "core/mem.h"
#include "drivers/control_ask.h"
#include "drivers/power_drivers.h"

enum { ANSWER_MAX = 65536 };

struct power_virtual {
	struct power power;
	char *path;
	const char *clock;                   /* NULL: left as it is */
};

static bool order(const struct power_virtual *p, const char *request, struct err *e)
{
	char answer[512];

	if (!control_ask(p->path, request, answer, sizeof answer, e))
		return false;
	return !strcmp(answer, "ok") || err_set(e, ERR_PROTOCOL, "%.200s", strncmp(answer, "err ", 4) ? answer : answer + 4);
}

/* The clock at each power-on: a process that was started again is in its first mode again. */
static bool set(struct power *base, bool on, struct err *e)
{
	const struct power_virtual *p = (const struct power_virtual *)base;
	char clock[40];

	snprintf(clock, sizeof clock, "clock %s", p->clock ? p->clock : "");
	return (!on || !p->clock || order(p, clock, e)) && order(p, on ? "power on" : "power off", e);
}

static bool read_state(const char *answer, bool *on, struct err *e)
{
	json_t *root = strncmp(answer, "state ", 6) ? NULL : json_loads(answer + 6, 0, NULL), *power = json_object_get(root, "power");
	const char *word = json_string_value(power);
	bool known = json_is_boolean(power) || (word && (!strcmp(word, "on") || !strcmp(word, "off")));

	if (known)
		*on = json_is_true(power) || (word && !strcmp(word, "on"));
	json_decref(root);
	return known || err_set(e, ERR_PROTOCOL, "no state in \"%.100s\"", answer);
}

static bool state(struct power *p, bool *on, struct err *e)
{
	char *answer = xcalloc(1, ANSWER_MAX);
	bool ok = control_ask(((struct power_virtual *)p)->path, "state", answer, ANSWER_MAX, e) && read_state(answer, on, e);

	free(answer);
	return ok;
}

static void destroy(struct power *p)
{
	free(((struct power_virtual *)p)->path);
	free(p);
}

static const struct power_ops ops = { .name = "virtual", .set = set, .state = state, .destroy = destroy };

struct power *power_virtual_create(const char *control_socket, const char *clock)
{
	struct power_virtual *p = xcalloc(1, sizeof *p);

	p->power.ops = &ops;
	p->path = xstrdup(control_socket);
	p->clock = clock;
	return &p->power;
}
