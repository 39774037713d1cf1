// SPDX-License-Identifier: GPL-2.0-or-later
/* Any power switch that a program can operate: a PDU, uhubctl, a relay. An argument vector each, never a shell. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/proc.h"
#include "drivers/power_drivers.h"

struct power_command {
	struct power power;
	char **on, **off, **state;
	uint32_t deadline_ms;
};

static char **copy(const char *const *argv)
{
	size_t n = 0;
	char **all;

	if (!argv || !argv[0])
		return NULL;
	while (argv[n])
		n++;
	all = xcalloc(n + 1, sizeof *all);
	for (size_t i = 0; i < n; i++)
		all[i] = xstrdup(argv[i]);
	return all;
}

static void release(char **argv)
{
	for (size_t i = 0; argv && argv[i]; i++)
		free(argv[i]);
	free(argv);
}

/* The last line a program printed, cut out of its output: it most likely says why. */
static const char *last_words(struct buf *b)
{
	const char *newline;

	while (b->size && isspace(b->bytes[b->size - 1]))
		b->bytes[--b->size] = 0;
	newline = strrchr(buf_text(b), '\n');
	return newline ? newline + 1 : buf_text(b);
}

static bool run(const struct power_command *p, char **argv, struct buf *output, struct err *e)
{
	struct proc_end end;
	char how[60];

	if (!proc_run(&(struct proc_run){ .argv = (const char *const *)argv, .deadline_ms = p->deadline_ms, .output = output }, &end, e))
		return false;
	proc_end_text(&end, how, sizeof how);
	return (!end.signalled && !end.status) || err_set(e, ERR_IO, "%s: %s: %.100s", argv[0], how, last_words(output));
}

static bool set(struct power *power, bool on, struct err *e)
{
	struct power_command *p = (struct power_command *)power;
	struct buf output = { 0 };
	bool ok = run(p, on ? p->on : p->off, &output, e);

	buf_finish(&output);
	return ok;
}

static bool read_word(const char *text, bool *on)
{
	static const struct { const char *word; bool on; } words[] = {
		{ "on", true }, { "1", true }, { "closed", true }, { "off", false }, { "0", false }, { "open", false },
	};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcasecmp(text, words[i].word)) {
			*on = words[i].on;
			return true;
		}
	return false;
}

static bool state(struct power *power, bool *on, struct err *e)
{
	struct power_command *p = (struct power_command *)power;
	struct buf output = { 0 };
	const char *word;
	bool ok;

	if (!p->state)
		return err_set(e, ERR_UNSUPPORTED, "the bench file has no \"state\" command for this switch");
	ok = run(p, p->state, &output, e);
	if (ok) {
		word = last_words(&output);
		ok = read_word(word, on) || err_set(e, ERR_PROTOCOL, "%s printed \"%.60s\" instead of \"on\" or \"off\"", p->state[0], word);
	}
	buf_finish(&output);
	return ok;
}

static void destroy(struct power *power)
{
	struct power_command *p = (struct power_command *)power;

	release(p->on);
	release(p->off);
	release(p->state);
	free(p);
}

static const struct power_ops ops = { .name = "command", .set = set, .state = state, .destroy = destroy };

struct power *power_command_create(const char *const *on, const char *const *off, const char *const *state_argv, uint32_t deadline_ms)
{
	struct power_command *p = xcalloc(1, sizeof *p);

	p->power.ops = &ops;
	p->on = copy(on);
	p->off = copy(off);
	p->state = copy(state_argv);
	p->deadline_ms = deadline_ms;
	return &p->power;
}
