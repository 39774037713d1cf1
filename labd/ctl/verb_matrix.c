// SPDX-License-Identifier: GPL-2.0-or-later
/* Verbs about matrices. A file is sent as it is: the daemon checks it and names what is wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "ctl/table.h"
#include "ctl/verb.h"

#define FILE_MAX (1u << 20)

const struct option_row matrix_options[] = { { "--version", "N", "this version (default: the newest)" }, { NULL, NULL, NULL } };
const struct option_row export_options[] = {
	{ "--version", "N", "this version (default: the newest)" }, { "--output", "FILE", "write there (default: standard output)" }, { NULL, NULL, NULL },
};
const struct option_row import_options[] = { { "--name", "NAME", "keep it under this name (default: the name in the document)" }, { NULL, NULL, NULL } };

int verb_matrix_list(struct call *c)
{
	static const struct column columns[] = {
		{ "matrix", "name", 0 }, { "version", "version", 0 }, { "frozen", "frozen", 0 }, { "author", "author", 0 }, { "created", "created", 0 },
		{ NULL, NULL, 0 },
	};

	return call_list(c, "/matrices", columns, "No matrix is stored.");
}

static json_t *matrix_get(struct call *c, const char *tail)
{
	struct buf path = { 0 };
	json_t *json;

	buf_printf(&path, "/matrices/");
	client_part(&path, c->args->words[0]);
	buf_printf(&path, "%s", tail);
	client_query(&path, "version", args_text(c->args, "--version"));
	json = client_call(c->client, "GET", buf_text(&path), NULL, &c->err);
	buf_finish(&path);
	return json;
}

int verb_matrix_show(struct call *c)
{
	json_t *json = matrix_get(c, "");

	return json ? call_print(json) : call_failed(c);
}

int verb_matrix_export(struct call *c)
{
	const char *name = args_text(c->args, "--output");
	json_t *json = matrix_get(c, "/document");
	bool ok;

	if (!json)
		return call_failed(c);
	if (!name)
		return call_print(json);
	ok = json_dump_file(json, name, JSON_INDENT(2)) == 0;
	json_decref(json);
	if (!ok)
		err_errno(&c->err, "%.150s", name);
	return ok ? EXIT_PASSED : call_failed(c);
}

/* The file's text, which the caller frees, and its JSON; NULL with where it is broken. */
static char *read_document(struct call *c, json_t **document)
{
	const char *name = c->args->words[0];
	FILE *f = strcmp(name, "-") == 0 ? stdin : fopen(name, "rb");
	char *text = xcalloc(1, FILE_MAX + 1);
	json_t *json = NULL;
	json_error_t je;

	if (!f) {
		err_errno(&c->err, "%.150s", name);
	} else {
		size_t n = fread(text, 1, FILE_MAX + 1, f);

		bool read = !ferror(f) || err_errno(&c->err, "%.150s", name);

		json = n > FILE_MAX || !read ? NULL : json_loadb(text, n, JSON_REJECT_DUPLICATES, &je);
		if (read && n > FILE_MAX)
			err_set(&c->err, ERR_TOO_LARGE, "%.150s: larger than %u bytes", name, FILE_MAX);
		else if (read && !json)
			err_set(&c->err, ERR_INVALID, "%.100s:%d: %s", name, je.line, je.text);
		if (f != stdin)
			fclose(f);
	}
	if (json) {
		*document = json;
		return text;
	}
	free(text);
	return NULL;
}

/* The daemon knows the document as "matrix"; whoever wrote it knows the file. */
static void name_the_file(struct call *c)
{
	static const char own[] = "matrix:";
	struct err e = c->err;

	if (strncmp(e.msg, own, strlen(own)) == 0)
		err_set(&c->err, e.code, "%.100s:%s", c->args->words[0], e.msg + strlen(own));
}

static int send_answer(struct call *c, json_t *answer)
{
	if (c->json)
		return call_print(answer);
	if (json_object_get(answer, "version"))
		printf("%s is kept as version %lld\n", json_string_value(json_object_get(answer, "name")), (long long)json_integer_value(json_object_get(answer, "version")));
	else
		printf("%s is valid\n", json_string_value(json_object_get(answer, "name")));
	json_decref(answer);
	return EXIT_PASSED;
}

static int send_document(struct call *c, const char *method, const char *path, const char *text)
{
	json_t *answer = client_call_text(c->client, method, path, text, &c->err);

	if (answer)
		return send_answer(c, answer);
	name_the_file(c);
	return call_failed(c);
}

int verb_matrix_import(struct call *c)
{
	const char *name = args_text(c->args, "--name"), *user = getenv("USER");
	json_t *document = NULL;
	char *text = read_document(c, &document);
	struct buf path = { 0 };
	int status;

	if (!text)
		return call_failed(c);
	name = name ? name : json_string_value(json_object_get(document, "name"));
	buf_printf(&path, "/matrices/");
	client_part(&path, name ? name : "");
	client_query(&path, "author", user && user[0] ? user : "labctl");
	if (name && name[0]) {
		status = send_document(c, "PUT", buf_text(&path), text);
	} else {
		err_set(&c->err, ERR_INVALID, "%.100s: the key \"name\" is missing; or say --name", c->args->words[0]);
		status = call_failed(c);
	}
	buf_finish(&path);
	json_decref(document);
	free(text);
	return status;
}

int verb_matrix_validate(struct call *c)
{
	json_t *document = NULL;
	char *text = read_document(c, &document);
	int status;

	if (!text)
		return call_failed(c);
	status = send_document(c, "POST", "/matrices/validate", text);
	json_decref(document);
	free(text);
	return status;
}

int verb_matrix_copy(struct call *c)
{
	json_t *body = json_pack("{s:s}", "to", c->args->words[1]);
	struct buf path = { 0 };
	int64_t version;
	int status;

	buf_printf(&path, "/matrices/");
	client_part(&path, c->args->words[0]);
	buf_printf(&path, "/copy");
	if (args_number(c->args, "--version", 1, 1000000, 0, &version, &c->err)) {
		if (version)
			json_object_set_new(body, "version", json_integer(version));
		json_t *answer = client_call(c->client, "POST", buf_text(&path), body, &c->err);

		status = answer ? send_answer(c, answer) : call_failed(c);
	} else {
		status = call_failed(c);
	}
	buf_finish(&path);
	json_decref(body);
	return status;
}
