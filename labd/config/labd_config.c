// SPDX-License-Identifier: GPL-2.0-or-later
/* labd.json: read by a table, then copied with paths made absolute. */
#include "config/labd_config.h"

#include <stdlib.h>
#include <string.h>

#include "config/read.h"
#include "core/mem.h"

struct raw_config {
	uint32_t version;
	const char *state_dir, *bench, *board_types, *matrices, *images, *vboard, *address;
	json_t *web, *hosts;
	uint16_t port;
	int log_level;
};

static const char *const level_words[] = { "error", "warn", "info", "debug", NULL };

#define RAW(member) offsetof(struct raw_config, member)

static const struct json_field http_fields[] = {
	{ .key = "address", .kind = JSON_KIND_TEXT, .offset = RAW(address), .min = 1, .max = 63 },
	{ .key = "port", .kind = JSON_KIND_U16, .offset = RAW(port) },
	{ .key = "hosts", .kind = JSON_KIND_ARRAY, .offset = RAW(hosts) },
	{ 0 }
};
static const struct json_field fields[] = {
	{ .key = "version", .kind = JSON_KIND_U32, .offset = RAW(version), .required = true },
	{ .key = "state_dir", .kind = JSON_KIND_TEXT, .offset = RAW(state_dir), .min = 1, .max = 4000 },
	{ .key = "bench", .kind = JSON_KIND_TEXT, .offset = RAW(bench), .required = true, .min = 1, .max = 4000 },
	{ .key = "board_types", .kind = JSON_KIND_TEXT, .offset = RAW(board_types), .required = true, .min = 1, .max = 4000 },
	{ .key = "matrices", .kind = JSON_KIND_TEXT, .offset = RAW(matrices), .min = 1, .max = 4000 },
	{ .key = "images", .kind = JSON_KIND_TEXT, .offset = RAW(images), .min = 1, .max = 4000 },
	{ .key = "vboard", .kind = JSON_KIND_TEXT, .offset = RAW(vboard), .min = 1, .max = 4000 },
	{ .key = "web", .kind = JSON_KIND_ARRAY, .offset = RAW(web) },
	{ .key = "http", .kind = JSON_KIND_STRUCT, .fields = http_fields },
	{ .key = "log_level", .kind = JSON_KIND_WORD, .offset = RAW(log_level), .words = level_words },
	{ 0 }
};

static char *absolute(const char *folder, const char *path)
{
	if (!path)
		return NULL;
	return *path == '/' ? xstrdup(path) : xasprintf("%s/%s", folder, path);
}

static char *default_state_dir(void)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	if (state && *state == '/')
		return xasprintf("%s/labd", state);
	return home && *home == '/' ? xasprintf("%s/.local/state/labd", home) : NULL;
}

static bool has_default_state_dir(void)
{
	char *folder = default_state_dir();

	free(folder);
	return folder != NULL;
}

static void copy_config(const struct raw_config *r, const char *folder, struct labd_config *c)
{
	c->state_dir = r->state_dir ? absolute(folder, r->state_dir) : default_state_dir();
	c->bench = absolute(folder, r->bench);
	c->board_types = absolute(folder, r->board_types);
	c->matrices = absolute(folder, r->matrices);
	c->images = absolute(folder, r->images);
	c->vboard = absolute(folder, r->vboard);
	c->address = xstrdup(r->address);
	c->port = r->port;
	c->log_level = xstrdup(level_words[r->log_level]);
}

bool labd_config_parse(const char *file, const char *text, size_t size, const char *folder, struct labd_config *out, struct err *e)
{
	const struct json_path http = { NULL, "http", 0 };
	const char *web[LABD_MAX_WEB_ROOTS + 1] = { NULL }, *hosts[9] = { NULL };
	struct raw_config r = { .address = "127.0.0.1", .port = 8090, .log_level = 2 };
	struct labd_config c = { 0 };
	struct json_doc d;
	bool ok;

	if (!json_doc_parse(&d, file, text, size, e))
		return false;
	ok = json_read(&d, NULL, d.root, fields, &r, e) && config_version(&d, r.version, e)
		&& (!r.web || config_words(&d, &(struct json_path){ NULL, "web", 0 }, r.web, web, LABD_MAX_WEB_ROOTS, e))
		&& (!r.hosts || config_words(&d, &(struct json_path){ &http, "hosts", 0 }, r.hosts, hosts, 8, e));
	ok = ok && (r.state_dir || has_default_state_dir()
		|| err_set(e, ERR_INVALID, "%s: without \"state_dir\" the state folder is $XDG_STATE_HOME/labd or $HOME/.local/state/labd, and neither is set to a whole path", file));
	if (ok) {
		copy_config(&r, folder, &c);
		for (size_t i = 0; web[i]; i++)
			c.web[i] = absolute(folder, web[i]);
		for (size_t i = 0; hosts[i]; i++)
			c.hosts[i] = xstrdup(hosts[i]);
		*out = c;
	}
	json_doc_finish(&d);
	return ok;
}

bool labd_config_load(const char *path, struct labd_config *out, struct err *e)
{
	char *whole = realpath(path, NULL), *text, *slash;
	size_t size;
	bool ok;

	if (!whole)
		return err_errno(e, "%s", path);
	if (!config_file_text(whole, &text, &size, e)) {
		free(whole);
		return false;
	}
	slash = strrchr(whole, '/');
	*slash = 0;
	ok = labd_config_parse(slash + 1, text, size, whole, out, e);
	free(text);
	free(whole);
	return ok;
}

void labd_config_finish(struct labd_config *c)
{
	char *all[] = { c->state_dir, c->bench, c->board_types, c->matrices, c->images, c->vboard, c->address, c->log_level };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		free(all[i]);
	for (size_t i = 0; c->web[i]; i++)
		free(c->web[i]);
	for (size_t i = 0; c->hosts[i]; i++)
		free(c->hosts[i]);
	*c = (struct labd_config){ 0 };
}
