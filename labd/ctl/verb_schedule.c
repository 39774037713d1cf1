// SPDX-License-Identifier: GPL-2.0-or-later
/* Verbs about schedules. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/table.h"
#include "ctl/verb.h"

const struct option_row schedule_options[] = {
	{ "--cron", "'M H D M W'", "when: minute hour day month weekday, like '30 2 * * *'" }, { "--matrix", "NAME", "what to run (default: published)" },
	{ "--zone", "ZONE", "time zone (default: this computer's)" }, { "--board", "B", "only this board, or boards of this type" },
	{ "--cell", "GLOB", "only cells with such a name" }, { "--catch-up", "WORD", "a time missed while the daemon was down: one (default) or none" }, { NULL, NULL, NULL },
};
const struct option_row preview_options[] = {
	{ "--zone", "ZONE", "time zone (default: this computer's)" }, { "--count", "N", "how many times (default: 5)" }, { NULL, NULL, NULL },
};

int verb_schedule_list(struct call *c)
{
	static const struct column columns[] = {
		{ "schedule", "name", 0 }, { "cron", "cron", 0 }, { "zone", "zone", 0 }, { "matrix", "matrix", 0 }, { "board", "board", 0 }, { "cell", "cell", 0 },
		{ "enabled", "enabled", 0 }, { "next", "next", 0 }, { "last", "last.what", 0 }, { "run", "last.run", 0 }, { NULL, NULL, 0 },
	};

	return call_list(c, "/schedules", columns, "Nothing is scheduled.");
}

static int finish(struct call *c, json_t *answer, const char *sentence)
{
	if (!answer)
		return call_failed(c);
	if (c->json)
		return call_print(answer);
	printf("%s %s\n", c->args->words[0], sentence);
	json_decref(answer);
	return EXIT_PASSED;
}

int verb_schedule_add(struct call *c)
{
	static const struct { const char *option, *key; } texts[] = {
		{ "--cron", "cron" }, { "--matrix", "matrix" }, { "--zone", "zone" }, { "--board", "board" }, { "--cell", "cell" }, { "--catch-up", "catch_up" },
	};
	const char *user = getenv("USER");
	json_t *body, *answer;

	if (!args_text(c->args, "--cron")) {
		err_set(&c->err, ERR_INVALID, "--cron is missing, like --cron '30 2 * * *' for every night at half past two");
		return call_failed(c);
	}
	body = json_pack("{s:s,s:s,s:s}", "name", c->args->words[0], "author", user && user[0] ? user : "labctl", "matrix", "published");
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		if (args_text(c->args, texts[i].option))
			json_object_set_new(body, texts[i].key, json_string(args_text(c->args, texts[i].option)));
	answer = client_call(c->client, "POST", "/schedules", body, &c->err);
	json_decref(body);
	return finish(c, answer, "is scheduled");
}

static json_t *change(struct call *c, const char *method, const char *tail)
{
	struct buf path = { 0 };
	json_t *answer;

	buf_printf(&path, "/schedules/");
	client_part(&path, c->args->words[0]);
	buf_printf(&path, "%s", tail);
	answer = client_call(c->client, method, buf_text(&path), NULL, &c->err);
	buf_finish(&path);
	return answer;
}

int verb_schedule_remove(struct call *c)
{
	return finish(c, change(c, "DELETE", ""), "is removed");
}

int verb_schedule_enable(struct call *c)
{
	return finish(c, change(c, "POST", "/enable"), "is enabled");
}

int verb_schedule_disable(struct call *c)
{
	return finish(c, change(c, "POST", "/disable"), "is disabled");
}

int verb_schedule_preview(struct call *c)
{
	static const struct column columns[] = { { "local", "local", 0 }, { "UTC", "utc", 0 }, { NULL, NULL, 0 } };
	struct buf path = { 0 };
	json_t *doc;

	buf_printf(&path, "/schedules/preview");
	client_query(&path, "cron", c->args->words[0]);
	client_query(&path, "zone", args_text(c->args, "--zone"));
	client_query(&path, "count", args_text(c->args, "--count"));
	doc = client_call(c->client, "GET", buf_text(&path), NULL, &c->err);
	buf_finish(&path);
	if (!doc)
		return call_failed(c);
	if (c->json)
		return call_print(doc);
	table_print(stdout, columns, json_object_get(doc, "next"), "It never fires.");
	json_decref(doc);
	return EXIT_PASSED;
}
