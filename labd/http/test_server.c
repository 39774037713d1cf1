// SPDX-License-Identifier: GPL-2.0-or-later
/* Kept in statics: tests run one after the other. */
#include "http/test_server.h"

#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "run/lab.h"
#include "test/harness.h"

struct reply answer;
struct err problem;
struct lab test_empty_lab = { .version = "test", .clock = &clock_host };

struct http_server *test_serve(struct http_config config)
{
	struct http_server *s = NULL;

	if (!http_server_create(&config, &test_empty_lab, &s, &problem) || !http_server_start(s, &problem))
		fprintf(stderr, "%s\n", problem.msg);
	return s;
}

struct http_server *test_serve_folder(const char *folder)
{
	const char *web[] = { folder, NULL };

	return test_serve((struct http_config){ .web = web });
}

bool test_get(struct http_server *s, const char *target)
{
	return client_ask(http_server_port(s), "GET", target, NULL, NULL, &answer);
}

const char *test_header(const char *name)
{
	static char text[512];

	return reply_header(&answer, name, text, sizeof text);
}

bool test_body_has(const char *text)
{
	return strstr(buf_text(&answer.body), text) != NULL;
}

bool test_put(const char *name, const char *content)
{
	char path[512];

	snprintf(path, sizeof path, "%s/%s", test_folder(), name);
	return test_write_file(path, content, strlen(content));
}

double test_seconds(void)
{
	return (double)clock_now_ns(&clock_host) / 1e9;
}
