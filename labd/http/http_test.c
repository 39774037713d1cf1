// SPDX-License-Identifier: GPL-2.0-or-later
/* The server as clients meet it: polite ones, slow ones, rude ones. Handlers over the store have tests of their own (api_test.c). */
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/mem.h"
#include "http/routes.h"
#include "http/test_server.h"
#include "test/harness.h"

static char text[256];

/* What is kept of such a request is found by the sanitizer's leak check at the end. */
TEST(requests_that_break_off_in_their_headers_leave_nothing_behind)
{
	struct http_server *s = test_serve((struct http_config){ 0 });
	struct buf lines = { 0 };

	CHECK(s);
	for (int i = 0; i < 3; i++) {
		int fd = client_connect(http_server_port(s));

		buf_clear(&lines);
		buf_printf(&lines, "GET /api/v1/status?");
		for (int k = 0; i == 1 && k < 500; k++)
			buf_printf(&lines, "a%d=1&", k);                /* more parameters than the library has room for */
		buf_printf(&lines, "x=1 HTTP/1.1\r\nHost: localhost\r\n%s", i == 1 ? "\r\n" : "");
		for (int k = 0; i == 0 && k < 900; k++)
			buf_printf(&lines, "X-%d: %050d\r\n", k, k);     /* too many: the library's own answer; then cut, then not one header */
		CHECK(client_send(fd, buf_text(&lines), i == 2 ? 30 : lines.size));
		if (i == 0) {
			CHECK(client_reply(fd, &answer));
			CHECK_EQ(answer.status, 431);
		}
		close(fd);
	}
	CHECK(client_ask(http_server_port(s), "GET", "/api/v1/session", NULL, NULL, &answer));
	CHECK_EQ(answer.status, 200);
	http_server_destroy(s);
	buf_finish(&lines);
}

TEST(an_unknown_address_and_a_wrong_method_are_told_apart)
{
	struct http_server *s = test_serve((struct http_config){ 0 });

	CHECK(s);
	CHECK(test_get(s, "/api/v1/nothing"));
	CHECK_EQ(answer.status, 404);
	CHECK(client_ask(http_server_port(s), "DELETE", "/api/v1/session", NULL, NULL, &answer));
	CHECK_EQ(answer.status, 405);
	CHECK_STR(test_header("Allow"), "GET");
	CHECK(client_ask(http_server_port(s), "POST", "/index.html", NULL, "{}", &answer));
	CHECK_EQ(answer.status, 405);
	CHECK(test_get(s, "/api/v1/session?role=x"));
	CHECK_EQ(answer.status, 400);
	CHECK(test_body_has("there is no parameter role here"));
	http_server_destroy(s);
}

TEST(a_body_is_whole_however_it_comes)
{
	static const char body[] = "{\"token\":\"none such\"}";
	struct http_server *s = test_serve((struct http_config){ 0 });
	struct buf raw = { 0 };

	CHECK(s);
	int fd = client_connect(http_server_port(s));
	snprintf(text, sizeof text, "POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n", strlen(body));
	CHECK(client_text(fd, text));
	for (const char *p = body; *p; p++)
		CHECK(client_send(fd, p, 1));
	CHECK(client_reply(fd, &answer));
	CHECK_EQ(answer.status, 403);
	CHECK(test_body_has("login link"));
	CHECK(client_text(fd, "POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"));
	for (const char *p = body; *p; p++) {
		char chunk[16];

		snprintf(chunk, sizeof chunk, "1\r\n%c\r\n", *p);
		CHECK(client_text(fd, chunk));
	}
	CHECK(client_text(fd, "0\r\n\r\n") && client_reply(fd, &answer));
	CHECK_EQ(answer.status, 403);
	CHECK(test_body_has("login link"));
	snprintf(text, sizeof text, "POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: %zu\r\n\r\n", strlen(body));
	CHECK(client_text(fd, text));
	CHECK(client_until(fd, &raw, "100 Continue", 10000));
	CHECK(client_text(fd, body) && client_reply(fd, &answer));
	CHECK(test_body_has("login link"));
	close(fd);
	buf_finish(&raw);
	http_server_destroy(s);
}

TEST(a_body_over_the_limit_is_refused_while_it_comes)
{
	struct http_server *s = test_serve((struct http_config){ 0 });
	size_t size = BODY_JSON_MAX + 1;
	char *big = xcalloc(1, size + 1);

	CHECK(s);
	memset(big, ' ', size);
	CHECK(client_ask(http_server_port(s), "POST", "/api/v1/login", NULL, big, &answer));
	CHECK_EQ(answer.status, 413);
	int fd = client_connect(http_server_port(s));
	CHECK(client_text(fd, "POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"));
	snprintf(text, sizeof text, "%zx\r\n", size);
	CHECK(client_text(fd, text) && client_send(fd, big, size) && client_text(fd, "\r\n0\r\n\r\n") && client_reply(fd, &answer));
	CHECK_EQ(answer.status, 413);
	close(fd);
	fd = client_connect(http_server_port(s));
	CHECK(client_text(fd, "POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 99999999999\r\n\r\n") && client_reply(fd, &answer));
	CHECK_EQ(answer.status, 413);
	close(fd);
	big[BODY_JSON_MAX] = '\0';
	CHECK(client_ask(http_server_port(s), "POST", "/api/v1/login", NULL, big, &answer));
	CHECK_EQ(answer.status, 400);
	free(big);
	http_server_destroy(s);
}

TEST(nothing_is_made_of_a_cut_upload)
{
	struct http_server *s = test_serve((struct http_config){ .idle_s = 1 });
	char url[192], request[512];

	CHECK(s);
	CHECK_OK(http_server_login_url(s, url, &problem), &problem);
	const char *token = strstr(url, "#token=") + 7;
	snprintf(request, sizeof request, "POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{\"token\":\"%s\"}", token);
	int fd = client_connect(http_server_port(s));
	CHECK(client_text(fd, request));
	shutdown(fd, SHUT_WR);
	CHECK(!client_reply(fd, &answer) || answer.status >= 400);
	close(fd);
	snprintf(request, sizeof request, "{\"token\":\"%s\"}", token);
	CHECK(client_ask(http_server_port(s), "POST", "/api/v1/login", NULL, request, &answer));
	CHECK_EQ(answer.status, 200);
	http_server_destroy(s);
}

TEST(a_bad_body_is_named_by_key_line_or_type)
{
	static const struct { const char *body, *says; } cases[] = {
		{ "{\"token\":1}", "body:1: token: " },
		{ "{\"tokn\":\"x\"}", "did you mean \\\"token\\\"?" },
		{ "{}", "token" },
		{ "[]", "object" },
		{ "{\"token\":\"a\",\"token\":\"b\"}", "duplicate" },
		{ "{\"token\":\n!}", "body:2" },
		{ "{\"token\":\"\\ud800\"}", "body:1" },
	};
	struct http_server *s = test_serve((struct http_config){ 0 });

	CHECK(s);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		CHECK(client_ask(http_server_port(s), "POST", "/api/v1/login", NULL, cases[i].body, &answer));
		CHECK_EQ(answer.status, 400);
		if (!test_body_has(cases[i].says)) {
			test_fail(__FILE__, __LINE__, "%s: %s", cases[i].body, buf_text(&answer.body));
			return;
		}
	}
	int fd = client_connect(http_server_port(s));
	CHECK(client_text(fd, "POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}") && client_reply(fd, &answer));
	CHECK_EQ(answer.status, 415);
	close(fd);
	http_server_destroy(s);
}

TEST(idle_connections_do_not_keep_others_out_for_long)
{
	struct http_server *s = test_serve((struct http_config){ .connections = 4, .connections_per_address = 4, .idle_s = 1 });
	int idle[4];

	CHECK(s);
	for (int i = 0; i < 4; i++)
		CHECK((idle[i] = client_connect(http_server_port(s))) >= 0);
	bool answered = false;
	for (double until = test_seconds() + 9; !answered && test_seconds() < until;)
		answered = test_get(s, "/api/v1/session");
	CHECK(answered);
	CHECK_EQ(answer.status, 200);
	for (int i = 0; i < 4; i++)
		close(idle[i]);
	http_server_destroy(s);
}

TEST(one_address_cannot_take_every_connection)
{
	struct http_server *s = test_serve((struct http_config){ .connections = 64, .connections_per_address = 3, .idle_s = 60 });
	int fd[3];
	char byte;

	CHECK(s);
	for (int i = 0; i < 3; i++) {
		CHECK((fd[i] = client_connect(http_server_port(s))) >= 0);
		CHECK(client_text(fd[i], "GET /api/v1/session HTTP/1.1\r\nHost: localhost\r\n\r\n") && client_reply(fd[i], &answer));
	}
	int extra = client_connect(http_server_port(s));
	CHECK(extra >= 0);
	CHECK(recv(extra, &byte, 1, 0) <= 0);
	close(extra);
	for (int i = 0; i < 3; i++)
		close(fd[i]);
	http_server_destroy(s);
}

TEST(more_than_a_thousand_open_files_do_not_matter)
{
	enum { FILES = 1100 };
	struct rlimit limit;
	int *fds = xcalloc(FILES, sizeof *fds), opened = 0;

	getrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_max < FILES + 200)
		SKIP("no more than %llu open files are allowed here", (unsigned long long)limit.rlim_max);
	limit.rlim_cur = FILES + 200;
	setrlimit(RLIMIT_NOFILE, &limit);
	while (opened < FILES && (fds[opened] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
		opened++;
	CHECK_EQ(opened, FILES);
	struct http_server *s = test_serve((struct http_config){ 0 });
	CHECK(s);
	CHECK(test_get(s, "/api/v1/session"));
	CHECK_EQ(answer.status, 200);
	http_server_destroy(s);
	while (opened > 0)
		close(fds[--opened]);
	free(fds);
}

TEST(when_no_file_can_be_opened_others_are_served_and_the_rest_later)
{
	struct http_server *s = test_serve((struct http_config){ .idle_s = 1 });
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct rlimit before, low;
	int fds[256], opened = 0;

	CHECK(s);
	int served = client_connect(http_server_port(s)), late = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	CHECK(client_text(served, "GET /api/v1/session HTTP/1.1\r\nHost: localhost\r\n\r\n") && client_reply(served, &answer));
	getrlimit(RLIMIT_NOFILE, &before);
	low = before;
	low.rlim_cur = 200;
	setrlimit(RLIMIT_NOFILE, &low);
	while (opened < 256 && (fds[opened] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
		opened++;
	at.sin_port = htons(http_server_port(s));
	bool connected = connect(late, (struct sockaddr *)&at, sizeof at) == 0 && client_text(late, "GET /api/v1/session HTTP/1.1\r\nHost: localhost\r\n\r\n");
	bool others = client_text(served, "GET /api/v1/session HTTP/1.1\r\nHost: localhost\r\n\r\n") && client_reply(served, &answer) && answer.status == 200;
	while (opened > 0)
		close(fds[--opened]);
	setrlimit(RLIMIT_NOFILE, &before);
	CHECK(connected && others);
	CHECK(client_reply(late, &answer));
	CHECK_EQ(answer.status, 200);
	close(late);
	close(served);
	http_server_destroy(s);
}

TEST(nothing_of_the_server_is_inherited_by_children)
{
	struct http_server *s = test_serve((struct http_config){ 0 });
	struct buf in = { 0 };

	CHECK(s);
	int fd = client_connect(http_server_port(s));
	CHECK(client_text(fd, "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n") && client_until(fd, &in, "event: hello", 10000));
	for (int i = 3; i < 256; i++) {
		int flags = fcntl(i, F_GETFD);

		if (flags >= 0 && !(flags & FD_CLOEXEC)) {
			char path[32], target[256] = "";

			snprintf(path, sizeof path, "/proc/self/fd/%d", i);
			if (readlink(path, target, sizeof target - 1) > 0 && (strncmp(target, "socket:", 7) == 0 || strncmp(target, "anon_inode:", 11) == 0)) {
				test_fail(__FILE__, __LINE__, "%d (%s) would be inherited", i, target);
				return;
			}
		}
	}
	close(fd);
	buf_finish(&in);
	http_server_destroy(s);
}

TEST(a_head_request_opens_no_stream)
{
	struct http_server *s = test_serve((struct http_config){ 0 });
	struct buf in = { 0 };

	CHECK(s);
	int fd = client_connect(http_server_port(s));
	CHECK(client_text(fd, "HEAD /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n") && client_until(fd, &in, "\r\n\r\n", 10000));
	CHECK(strstr(buf_text(&in), "text/event-stream"));
	buf_clear(&in);
	CHECK(client_text(fd, "GET /api/v1/session HTTP/1.1\r\nHost: localhost\r\n\r\n") && client_until(fd, &in, "\"reader\"", 10000));
	close(fd);
	buf_finish(&in);
	http_server_destroy(s);
}

TEST(a_port_in_use_is_a_sentence)
{
	struct http_server *s = test_serve((struct http_config){ 0 }), *second = NULL;

	CHECK(s);
	CHECK(!http_server_create(&(struct http_config){ .port = http_server_port(s) }, &test_empty_lab, &second, &problem));
	CHECK_EQ(problem.code, ERR_CONFLICT);
	CHECK(strstr(problem.msg, "choose another with --port"));
	CHECK(!http_server_create(&(struct http_config){ .address = "example" }, &test_empty_lab, &second, &problem));
	CHECK_EQ(problem.code, ERR_INVALID);
	http_server_destroy(s);
}
