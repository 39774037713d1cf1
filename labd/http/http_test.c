// SPDX-License-Identifier: GPL-2.0-or-later
/* The server as clients meet it: polite ones, slow ones, rude ones, and pages of other sites. Handlers over the store have tests of their own (api_test.c). */
#include "http/server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/mem.h"
#include "http/auth.h"
#include "http/bodies.h"
#include "http/events.h"
#include "http/routes.h"
#include "http/test_client.h"
#include "run/lab.h"
#include "test/harness.h"

static struct lab lab = { .version = "test", .clock = &clock_host };
static struct reply r;
static struct err e;
static char text[256];

static struct http_server *serve(struct http_config config)
{
	struct http_server *s = NULL;

	if (!http_server_create(&config, &lab, &s, &e))
		fprintf(stderr, "%s\n", e.msg);
	return s;
}

static struct http_server *serve_folder(const char *folder)
{
	const char *web[] = { folder, NULL };

	return serve((struct http_config){ .web = web });
}

static bool put(const char *name, const char *content)
{
	char path[512];

	snprintf(path, sizeof path, "%s/%s", test_folder(), name);
	return test_write_file(path, content, strlen(content));
}

static bool get(struct http_server *s, const char *target)
{
	return client_ask(http_server_port(s), "GET", target, NULL, NULL, &r);
}

static const char *header(const char *name)
{
	return reply_header(&r, name, text, sizeof text);
}

static bool body_has(const char *what)
{
	return strstr(buf_text(&r.body), what) != NULL;
}

/* The operator's header line, from endpoint.json. */
static bool operator_header(struct http_server *s, char out[160])
{
	char path[512], *content;
	json_t *json;

	snprintf(path, sizeof path, "%s/endpoint.json", test_folder());
	if (!http_server_announce(s, test_folder(), &e) || !(content = test_read_file(path, NULL)))
		return false;
	json = json_loads(content, 0, NULL);
	snprintf(out, 160, "Authorization: Bearer %s\r\n", json_string_value(json_object_get(json, "token")));
	json_decref(json);
	free(content);
	return strlen(out) > 64;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* --- addresses ---------------------------------------------------------------------------------------------------------------------------------- */

TEST(a_target_is_decoded_once_and_its_query_with_it)
{
	struct request rq = { 0 };

	CHECK_OK(request_target(&rq, "/api/v1/results?board=8051%2Da&cell=a+b%26&empty=&bare", &e), &e);
	CHECK_STR(rq.path, "/api/v1/results");
	CHECK_EQ(rq.query_count, 4);
	CHECK_STR(request_query(&rq, "board"), "8051-a");
	CHECK_STR(request_query(&rq, "cell"), "a b&");
	CHECK_STR(request_query(&rq, "empty"), "");
	CHECK_STR(request_query(&rq, "bare"), "");
	CHECK(request_query(&rq, "other") == NULL);
	CHECK_OK(request_target(&rq, "/a%2541", &e), &e);
	CHECK_STR(rq.path, "/a%41");
}

TEST(a_target_that_is_not_plain_is_refused)
{
	static const char *const bad[] = { "", "x", "http://a/b", "/..", "/../etc", "/a/../b", "/a/.", "/a/./b", "/%2e%2e/x", "/a%2fb", "/a//b", "//", "/a\\b",
		"/%00", "/%0a", "/%7f", "/%", "/%2", "/%zz", "/a?x=%", "/a?%00=1" };

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct request rq = { 0 };

		if (request_target(&rq, bad[i], &e)) {
			test_fail(__FILE__, __LINE__, "accepted: %s", bad[i]);
			return;
		}
		CHECK_EQ(e.code, ERR_INVALID);
	}
}

TEST(a_target_of_any_length_up_to_the_limit_fits)
{
	struct request *rq = xcalloc(1, sizeof *rq);
	char target[REQUEST_TARGET_MAX + 2];

	memset(target, 'a', sizeof target);
	target[0] = '/';
	target[sizeof target - 1] = '\0';
	CHECK(!request_target(rq, target, &e));
	target[sizeof target - 2] = '\0';
	CHECK_OK(request_target(rq, target, &e), &e);
	target[1] = '?';
	CHECK_OK(request_target(rq, target, &e), &e);
	free(rq);
}

TEST(numbers_and_flags_of_a_query_name_what_they_want)
{
	struct request rq = { 0 };
	int64_t n = 0;
	bool flag = false;

	CHECK_OK(request_target(&rq, "/x?limit=5&zero=0&word=5x&huge=99999999999999999999&yes=1&maybe=2", &e), &e);
	CHECK_OK(request_number(&rq, "limit", 1, 10, 3, &n, &e), &e);
	CHECK_EQ(n, 5);
	CHECK_OK(request_number(&rq, "absent", 1, 10, 3, &n, &e), &e);
	CHECK_EQ(n, 3);
	CHECK(!request_number(&rq, "zero", 1, 10, 3, &n, &e));
	CHECK_STR(e.msg, "zero: must be a whole number from 1 to 10");
	CHECK(!request_number(&rq, "word", 1, 10, 3, &n, &e));
	CHECK(!request_number(&rq, "huge", 1, INT64_MAX, 3, &n, &e));
	CHECK_OK(request_flag(&rq, "yes", false, &flag, &e), &e);
	CHECK(flag);
	CHECK(!request_flag(&rq, "maybe", false, &flag, &e));
	CHECK_STR(e.msg, "maybe: must be true or false");
}

TEST(an_unknown_address_and_a_wrong_method_are_told_apart)
{
	struct http_server *s = serve((struct http_config){ 0 });

	CHECK(s);
	CHECK(get(s, "/api/v1/nothing"));
	CHECK_EQ(r.status, 404);
	CHECK(client_ask(http_server_port(s), "DELETE", "/api/v1/session", NULL, NULL, &r));
	CHECK_EQ(r.status, 405);
	CHECK_STR(header("Allow"), "GET");
	CHECK(client_ask(http_server_port(s), "POST", "/index.html", NULL, "{}", &r));
	CHECK_EQ(r.status, 405);
	CHECK(get(s, "/api/v1/session?role=x"));
	CHECK_EQ(r.status, 400);
	CHECK(body_has("there is no parameter role here"));
	http_server_destroy(s);
}

/* --- who may ------------------------------------------------------------------------------------------------------------------------------------ */

TEST(whatever_changes_something_needs_the_operators_token)
{
	struct http_server *s = serve((struct http_config){ 0 });

	CHECK(s);
	for (size_t i = 0; i < route_count; i++) {
		if (strcmp(routes[i].method, "GET") == 0) {
			CHECK_EQ(routes[i].role, ROLE_READER);
			continue;
		}
		if (routes[i].role == ROLE_READER)
			continue;
		CHECK(client_ask(http_server_port(s), routes[i].method, routes[i].path, NULL, "{}", &r));
		CHECK_EQ(r.status, 401);
		CHECK_STR(header("WWW-Authenticate"), "Bearer");
	}
	http_server_destroy(s);
}

TEST(a_login_link_is_good_for_one_session)
{
	struct http_server *s = serve((struct http_config){ 0 });
	char url[192], body[256], session[160];
	json_t *json;

	CHECK(s);
	CHECK_OK(http_server_login_url(s, url, &e), &e);
	CHECK(strncmp(url, http_server_url(s), strlen(http_server_url(s))) == 0);
	snprintf(body, sizeof body, "{\"token\":\"%s\"}", strstr(url, "#token=") + 7);
	CHECK(client_ask(http_server_port(s), "POST", "/api/v1/login", NULL, body, &r));
	CHECK_EQ(r.status, 200);
	json = reply_json(&r);
	snprintf(session, sizeof session, "Authorization: Bearer %s\r\n", json_string_value(json_object_get(json, "token")));
	json_decref(json);
	CHECK(client_ask(http_server_port(s), "POST", "/api/v1/login", NULL, body, &r));
	CHECK_EQ(r.status, 403);
	CHECK(client_ask(http_server_port(s), "GET", "/api/v1/session", session, NULL, &r));
	CHECK(body_has("\"operator\""));
	CHECK(client_ask(http_server_port(s), "POST", "/api/v1/logout", session, "{}", &r));
	CHECK_EQ(r.status, 200);
	CHECK(client_ask(http_server_port(s), "GET", "/api/v1/session", session, NULL, &r));
	CHECK_EQ(r.status, 401);
	http_server_destroy(s);
}

TEST(a_wrong_token_is_refused_even_for_reading)
{
	struct http_server *s = serve((struct http_config){ 0 });

	CHECK(s);
	CHECK(client_ask(http_server_port(s), "GET", "/api/v1/session", "Authorization: Bearer 0123\r\n", NULL, &r));
	CHECK_EQ(r.status, 401);
	CHECK(client_ask(http_server_port(s), "GET", "/api/v1/session", "Authorization: Basic eDp5\r\n", NULL, &r));
	CHECK_EQ(r.status, 401);
	CHECK(get(s, "/api/v1/session"));
	CHECK(body_has("\"reader\""));
	http_server_destroy(s);
}

static uint64_t test_now_ns = 1000 * NS_PER_S;

static uint64_t test_monotonic_ns(const struct clock *c)
{
	(void)c;
	return test_now_ns;
}

TEST(sessions_and_links_grow_old)
{
	static const struct clock clock = { .monotonic_ns = test_monotonic_ns };
	struct auth *a = NULL;
	char link[AUTH_TOKEN_TEXT], session[AUTH_TOKEN_TEXT], bearer[80];
	bool known;

	CHECK_OK(auth_create(&clock, NULL, &a, &e), &e);
	CHECK_OK(auth_link(a, link, &e), &e);
	test_now_ns += (AUTH_LINK_HOURS * 3600ull + 1) * NS_PER_S;
	CHECK(!auth_login(a, link, session, &e));
	CHECK_EQ(e.code, ERR_DENIED);
	CHECK_OK(auth_link(a, link, &e), &e);
	CHECK_OK(auth_login(a, link, session, &e), &e);
	snprintf(bearer, sizeof bearer, "Bearer %s", session);
	test_now_ns += (AUTH_SESSION_HOURS * 3600ull - 1) * NS_PER_S;
	CHECK_EQ(auth_role(a, bearer, &known), ROLE_OPERATOR);
	test_now_ns += (AUTH_SESSION_HOURS * 3600ull - 1) * NS_PER_S;
	CHECK_EQ(auth_role(a, bearer, &known), ROLE_OPERATOR);
	test_now_ns += (AUTH_SESSION_HOURS * 3600ull + 1) * NS_PER_S;
	CHECK_EQ(auth_role(a, bearer, &known), ROLE_READER);
	CHECK(!known);
	auth_destroy(a);
}

TEST(the_session_unused_for_longest_makes_room_for_a_new_one)
{
	struct auth *a = NULL;
	char link[AUTH_TOKEN_TEXT], first[AUTH_TOKEN_TEXT], session[AUTH_TOKEN_TEXT], bearer[80];
	bool known;

	CHECK_OK(auth_create(&clock_host, NULL, &a, &e), &e);
	for (int i = 0; i <= AUTH_SESSIONS_MAX; i++) {
		CHECK_OK(auth_link(a, link, &e), &e);
		CHECK_OK(auth_login(a, link, i ? session : first, &e), &e);
	}
	snprintf(bearer, sizeof bearer, "Bearer %s", first);
	CHECK_EQ(auth_role(a, bearer, &known), ROLE_READER);
	snprintf(bearer, sizeof bearer, "Bearer %s", session);
	CHECK_EQ(auth_role(a, bearer, &known), ROLE_OPERATOR);
	auth_destroy(a);
}

TEST(a_foreign_host_name_or_page_is_refused)
{
	struct http_server *s = serve((struct http_config){ 0 });
	uint16_t port;

	CHECK(s);
	port = http_server_port(s);
	int fd = client_connect(port);
	CHECK(client_text(fd, "GET /api/v1/session HTTP/1.1\r\nHost: evil.example\r\n\r\n") && client_reply(fd, &r));
	CHECK_EQ(r.status, 403);
	CHECK(client_text(fd, "GET /api/v1/session HTTP/1.1\r\nHost: localhost:9999\r\n\r\n") && client_reply(fd, &r));
	CHECK_EQ(r.status, 200);
	CHECK(client_text(fd, "GET /api/v1/session HTTP/1.1\r\nHost: 127.0.0.1.evil.example\r\n\r\n") && client_reply(fd, &r));
	CHECK_EQ(r.status, 403);
	close(fd);
	CHECK(client_ask(port, "POST", "/api/v1/login", "Origin: http://evil.example\r\n", "{\"token\":\"x\"}", &r));
	CHECK_EQ(r.status, 403);
	CHECK(body_has("another site"));
	CHECK(client_ask(port, "POST", "/api/v1/login", "Origin: null\r\n", "{\"token\":\"x\"}", &r));
	CHECK(body_has("another site"));
	snprintf(text, sizeof text, "Origin: %s\r\n", http_server_url(s));
	CHECK(client_ask(port, "GET", "/api/v1/session", text, NULL, &r));
	CHECK_EQ(r.status, 200);
	http_server_destroy(s);
}

TEST(the_announced_file_is_private_and_goes_with_the_server)
{
	struct http_server *s = serve((struct http_config){ 0 });
	char line[160], path[512];
	struct stat st;

	CHECK(s);
	CHECK(operator_header(s, line));
	snprintf(path, sizeof path, "%s/endpoint.json", test_folder());
	CHECK_EQ(stat(path, &st), 0);
	CHECK_EQ(st.st_mode & 0777, 0600);
	CHECK(client_ask(http_server_port(s), "POST", "/api/v1/login-links", line, "{}", &r));
	CHECK_EQ(r.status, 200);
	CHECK(body_has("/#token="));
	http_server_destroy(s);
	CHECK(stat(path, &st) != 0);
}

TEST(tokens_are_compared_whole)
{
	CHECK(auth_same("abc", "abc"));
	CHECK(!auth_same("abc", "abd"));
	CHECK(!auth_same("abc", "ab"));
	CHECK(auth_same("", ""));
}

/* --- the dashboard's files ---------------------------------------------------------------------------------------------------------------------- */

TEST(pages_come_with_type_etag_and_policy)
{
	char etag[64];

	CHECK(put("index.html", "<p>hello"));
	CHECK(put("about.html", "<p>about"));
	CHECK(put("plot.0a1b2c3d4e5f.js", "export {}"));
	CHECK(put("csp.json", "{\"style\":[\"sha256-jSYQUrW7J0b3jPqhZP9C2Xh1PyJKHKXd4s0fpGGKrww=\"]}"));
	struct http_server *s = serve_folder(test_folder());
	CHECK(s);
	CHECK(get(s, "/"));
	CHECK_EQ(r.status, 200);
	CHECK_STR(buf_text(&r.body), "<p>hello");
	CHECK_STR(header("Content-Type"), "text/html; charset=utf-8");
	CHECK_STR(header("X-Content-Type-Options"), "nosniff");
	CHECK_STR(header("Referrer-Policy"), "no-referrer");
	CHECK_STR(header("Cache-Control"), "no-cache");
	char policy[512];
	CHECK_STR(reply_header(&r, "Content-Security-Policy", policy, sizeof policy), "default-src 'none'; script-src 'self'; style-src 'self' "
		"'sha256-jSYQUrW7J0b3jPqhZP9C2Xh1PyJKHKXd4s0fpGGKrww='; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; "
		"form-action 'self'; frame-ancestors 'none'");
	reply_header(&r, "ETag", etag, sizeof etag);
	snprintf(text, sizeof text, "If-None-Match: %s\r\n", etag);
	CHECK(client_ask(http_server_port(s), "GET", "/", text, NULL, &r));
	CHECK_EQ(r.status, 304);
	CHECK(get(s, "/about"));
	CHECK_STR(buf_text(&r.body), "<p>about");
	CHECK(get(s, "/plot.0a1b2c3d4e5f.js"));
	CHECK(strstr(header("Cache-Control"), "immutable"));
	CHECK(get(s, "/csp.json"));
	CHECK_EQ(r.status, 404);
	CHECK(client_ask(http_server_port(s), "HEAD", "/", NULL, NULL, &r) || r.status);
	CHECK_EQ(r.status, 200);
	http_server_destroy(s);
}

TEST(a_compressed_twin_is_sent_to_those_who_accept_it)
{
	CHECK(put("app.js", "plain"));
	CHECK(put("app.js.gz", "squeezed"));
	struct http_server *s = serve_folder(test_folder());
	CHECK(s);
	CHECK(client_ask(http_server_port(s), "GET", "/app.js", "Accept-Encoding: br, gzip\r\n", NULL, &r));
	CHECK_STR(buf_text(&r.body), "squeezed");
	CHECK_STR(header("Content-Encoding"), "gzip");
	CHECK_STR(header("Content-Type"), "text/javascript; charset=utf-8");
	CHECK(get(s, "/app.js"));
	CHECK_STR(buf_text(&r.body), "plain");
	CHECK_STR(header("Vary"), "Accept-Encoding");
	CHECK(get(s, "/app.js.gz"));
	CHECK_EQ(r.status, 404);
	http_server_destroy(s);
}

TEST(nothing_outside_the_web_folder_can_be_reached)
{
	static const char *const targets[] = { "/../secret.txt", "/%2e%2e/secret.txt", "/%2e%2e%2fsecret.txt", "/x/%2e%2e/%2e%2e/secret.txt", "/..%5csecret.txt",
		"//secret.txt", "/./secret.txt", "/link.txt", "/folder/secret.txt", "/.hidden.txt", "/secret.txt%00.html", "/etc/passwd", "/%2fetc/passwd",
		"/web/../../secret.txt", "/%c0%ae%c0%ae/secret.txt", "/node_modules/x.js" };
	char path[512];

	CHECK(put("secret.txt", "secret"));
	snprintf(path, sizeof path, "%s/web", test_folder());
	CHECK_EQ(mkdir(path, 0700), 0);
	CHECK(put("web/index.html", "page") && put("web/.hidden.txt", "secret"));
	snprintf(path, sizeof path, "%s/web/node_modules", test_folder());
	CHECK_EQ(mkdir(path, 0700), 0);
	CHECK(put("web/node_modules/x.js", "secret"));
	snprintf(path, sizeof path, "%s/web/link.txt", test_folder());
	CHECK_EQ(symlink("../secret.txt", path), 0);
	snprintf(path, sizeof path, "%s/web/folder", test_folder());
	CHECK_EQ(symlink("..", path), 0);
	snprintf(path, sizeof path, "%s/web", test_folder());
	struct http_server *s = serve_folder(path);
	CHECK(s);
	for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
		CHECK(get(s, targets[i]));
		CHECK(r.status == 404 || r.status == 400);
		CHECK(!strstr(buf_text(&r.body), "\"secret\""));
		CHECK(strncmp(buf_text(&r.body), "secret", 6) != 0);
	}
	int fd = client_connect(http_server_port(s));
	CHECK(client_text(fd, "GET secret.txt HTTP/1.1\r\nHost: localhost\r\n\r\n"));
	CHECK(!client_reply(fd, &r) || r.status >= 400);
	close(fd);
	http_server_destroy(s);
}

TEST(a_malformed_policy_file_stops_the_start)
{
	struct http_config config = { 0 };
	struct http_server *s = NULL;
	const char *web[] = { test_folder(), NULL };

	CHECK(put("csp.json", "{\"style\":[\"sha256-x'; script-src *\"]}"));
	config.web = web;
	CHECK(!http_server_create(&config, &lab, &s, &e));
	CHECK(strstr(e.msg, "csp.json"));
}

/* --- bodies ------------------------------------------------------------------------------------------------------------------------------------- */

TEST(a_body_is_whole_however_it_comes)
{
	static const char body[] = "{\"token\":\"none such\"}";
	struct http_server *s = serve((struct http_config){ 0 });
	struct buf raw = { 0 };

	CHECK(s);
	int fd = client_connect(http_server_port(s));
	snprintf(text, sizeof text, "POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n", strlen(body));
	CHECK(client_text(fd, text));
	for (const char *p = body; *p; p++)
		CHECK(client_send(fd, p, 1));
	CHECK(client_reply(fd, &r));
	CHECK_EQ(r.status, 403);
	CHECK(body_has("login link"));
	CHECK(client_text(fd, "POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"));
	for (const char *p = body; *p; p++) {
		char chunk[16];

		snprintf(chunk, sizeof chunk, "1\r\n%c\r\n", *p);
		CHECK(client_text(fd, chunk));
	}
	CHECK(client_text(fd, "0\r\n\r\n") && client_reply(fd, &r));
	CHECK_EQ(r.status, 403);
	CHECK(body_has("login link"));
	snprintf(text, sizeof text, "POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: %zu\r\n\r\n", strlen(body));
	CHECK(client_text(fd, text));
	CHECK(client_until(fd, &raw, "100 Continue", 10000));
	CHECK(client_text(fd, body) && client_reply(fd, &r));
	CHECK(body_has("login link"));
	close(fd);
	buf_finish(&raw);
	http_server_destroy(s);
}

TEST(a_body_over_the_limit_is_refused_while_it_comes)
{
	struct http_server *s = serve((struct http_config){ 0 });
	size_t size = BODY_JSON_MAX + 1;
	char *big = xcalloc(1, size + 1);

	CHECK(s);
	memset(big, ' ', size);
	CHECK(client_ask(http_server_port(s), "POST", "/api/v1/login", NULL, big, &r));
	CHECK_EQ(r.status, 413);
	int fd = client_connect(http_server_port(s));
	CHECK(client_text(fd, "POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"));
	snprintf(text, sizeof text, "%zx\r\n", size);
	CHECK(client_text(fd, text) && client_send(fd, big, size) && client_text(fd, "\r\n0\r\n\r\n") && client_reply(fd, &r));
	CHECK_EQ(r.status, 413);
	close(fd);
	fd = client_connect(http_server_port(s));
	CHECK(client_text(fd, "POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 99999999999\r\n\r\n") && client_reply(fd, &r));
	CHECK_EQ(r.status, 413);
	close(fd);
	big[BODY_JSON_MAX] = '\0';
	CHECK(client_ask(http_server_port(s), "POST", "/api/v1/login", NULL, big, &r));
	CHECK_EQ(r.status, 400);
	free(big);
	http_server_destroy(s);
}

TEST(nothing_is_made_of_a_cut_upload)
{
	struct http_server *s = serve((struct http_config){ .idle_s = 1 });
	char url[192], request[512];

	CHECK(s);
	CHECK_OK(http_server_login_url(s, url, &e), &e);
	const char *token = strstr(url, "#token=") + 7;
	snprintf(request, sizeof request, "POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{\"token\":\"%s\"}", token);
	int fd = client_connect(http_server_port(s));
	CHECK(client_text(fd, request));
	shutdown(fd, SHUT_WR);
	CHECK(!client_reply(fd, &r) || r.status >= 400);
	close(fd);
	snprintf(request, sizeof request, "{\"token\":\"%s\"}", token);
	CHECK(client_ask(http_server_port(s), "POST", "/api/v1/login", NULL, request, &r));
	CHECK_EQ(r.status, 200);
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
	struct http_server *s = serve((struct http_config){ 0 });

	CHECK(s);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		CHECK(client_ask(http_server_port(s), "POST", "/api/v1/login", NULL, cases[i].body, &r));
		CHECK_EQ(r.status, 400);
		if (!body_has(cases[i].says)) {
			test_fail(__FILE__, __LINE__, "%s: %s", cases[i].body, buf_text(&r.body));
			return;
		}
	}
	int fd = client_connect(http_server_port(s));
	CHECK(client_text(fd, "POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}") && client_reply(fd, &r));
	CHECK_EQ(r.status, 415);
	close(fd);
	http_server_destroy(s);
}

TEST(names_are_fit_for_files_and_spreadsheets)
{
	static const char *const bad[] = { "", "=1+1", "+cmd", "-x", "@x", "a b", "a,b", "a\"b", "a/b", "\xc3\xa9", "a\n" };
	static const char *const good[] = { "a", "8051-a", "published", "v1.2_x+y" };

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		CHECK(!body_name_ok(bad[i]));
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
		CHECK(body_name_ok(good[i]));
}

/* --- many, slow and gone clients ------------------------------------------------------------------------------------------------------------------ */

TEST(idle_connections_do_not_keep_others_out_for_long)
{
	struct http_server *s = serve((struct http_config){ .connections = 4, .connections_per_address = 4, .idle_s = 1 });
	int idle[4];

	CHECK(s);
	for (int i = 0; i < 4; i++)
		CHECK((idle[i] = client_connect(http_server_port(s))) >= 0);
	bool answered = false;
	for (double until = seconds() + 9; !answered && seconds() < until;)
		answered = get(s, "/api/v1/session");
	CHECK(answered);
	CHECK_EQ(r.status, 200);
	for (int i = 0; i < 4; i++)
		close(idle[i]);
	http_server_destroy(s);
}

TEST(one_address_cannot_take_every_connection)
{
	struct http_server *s = serve((struct http_config){ .connections = 64, .connections_per_address = 3, .idle_s = 60 });
	int fd[3];
	char byte;

	CHECK(s);
	for (int i = 0; i < 3; i++) {
		CHECK((fd[i] = client_connect(http_server_port(s))) >= 0);
		CHECK(client_text(fd[i], "GET /api/v1/session HTTP/1.1\r\nHost: localhost\r\n\r\n") && client_reply(fd[i], &r));
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
	struct http_server *s = serve((struct http_config){ 0 });
	CHECK(s);
	CHECK(get(s, "/api/v1/session"));
	CHECK_EQ(r.status, 200);
	http_server_destroy(s);
	while (opened > 0)
		close(fds[--opened]);
	free(fds);
}

TEST(when_no_file_can_be_opened_others_are_served_and_the_rest_later)
{
	struct http_server *s = serve((struct http_config){ .idle_s = 1 });
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct rlimit before, low;
	int fds[256], opened = 0;

	CHECK(s);
	int served = client_connect(http_server_port(s)), late = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	CHECK(client_text(served, "GET /api/v1/session HTTP/1.1\r\nHost: localhost\r\n\r\n") && client_reply(served, &r));
	getrlimit(RLIMIT_NOFILE, &before);
	low = before;
	low.rlim_cur = 200;
	setrlimit(RLIMIT_NOFILE, &low);
	while (opened < 256 && (fds[opened] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
		opened++;
	at.sin_port = htons(http_server_port(s));
	bool connected = connect(late, (struct sockaddr *)&at, sizeof at) == 0 && client_text(late, "GET /api/v1/session HTTP/1.1\r\nHost: localhost\r\n\r\n");
	bool others = client_text(served, "GET /api/v1/session HTTP/1.1\r\nHost: localhost\r\n\r\n") && client_reply(served, &r) && r.status == 200;
	while (opened > 0)
		close(fds[--opened]);
	setrlimit(RLIMIT_NOFILE, &before);
	CHECK(connected && others);
	CHECK(client_reply(late, &r));
	CHECK_EQ(r.status, 200);
	close(late);
	close(served);
	http_server_destroy(s);
}

TEST(nothing_of_the_server_is_inherited_by_children)
{
	struct http_server *s = serve((struct http_config){ 0 });
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
	struct http_server *s = serve((struct http_config){ 0 });
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
	struct http_server *s = serve((struct http_config){ 0 }), *second = NULL;

	CHECK(s);
	CHECK(!http_server_create(&(struct http_config){ .port = http_server_port(s) }, &lab, &second, &e));
	CHECK_EQ(e.code, ERR_CONFLICT);
	CHECK(strstr(e.msg, "choose another with --port"));
	CHECK(!http_server_create(&(struct http_config){ .address = "example" }, &lab, &second, &e));
	CHECK_EQ(e.code, ERR_INVALID);
	http_server_destroy(s);
}

/* --- events ------------------------------------------------------------------------------------------------------------------------------------- */

static int open_stream(struct http_server *s, const char *headers, struct buf *in)
{
	int fd = client_connect(http_server_port(s));
	char request[256];

	snprintf(request, sizeof request, "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nConnection: close\r\n%s\r\n", headers);
	if (fd < 0 || !client_text(fd, request) || !client_until(fd, in, "event: ", 10000))
		return -1;
	return fd;
}

static void tell(struct http_server *s, const char *event, int n)
{
	json_t *json = json_pack("{s:i}", "n", n);

	http_server_publish(s, event, json);
	json_decref(json);
}

TEST(what_happens_is_told_to_every_stream_in_order)
{
	struct http_server *s = serve((struct http_config){ 0 });
	struct buf in[3] = { { 0 } };
	int fd[3];

	CHECK(s);
	for (int i = 0; i < 3; i++) {
		CHECK((fd[i] = open_stream(s, "", &in[i])) >= 0);
		CHECK(client_until(fd[i], &in[i], "event: hello", 10000));
	}
	tell(s, "run", 1);
	for (int i = 0; i < 3; i++)
		CHECK(client_until(fd[i], &in[i], "id: 1\nevent: run\ndata: {\"n\":1}\n\n", 10000));
	tell(s, "board", 2);
	tell(s, "board", 3);
	for (int i = 0; i < 3; i++) {
		CHECK(client_until(fd[i], &in[i], "data: {\"n\":3}", 10000));
		CHECK(strstr(buf_text(&in[i]), "data: {\"n\":2}") < strstr(buf_text(&in[i]), "data: {\"n\":3}"));
		close(fd[i]);
		buf_finish(&in[i]);
	}
	http_server_destroy(s);
}

TEST(a_stream_that_comes_back_late_is_told_to_resync)
{
	struct http_server *s = serve((struct http_config){ 0 });
	struct buf in = { 0 };

	CHECK(s);
	tell(s, "run", 1);
	tell(s, "run", 2);
	int fd = open_stream(s, "Last-Event-ID: 1\r\n", &in);
	CHECK(fd >= 0);
	CHECK(strstr(buf_text(&in), "id: 2\nevent: resync"));
	close(fd);
	buf_clear(&in);
	fd = open_stream(s, "Last-Event-ID: 2\r\n", &in);
	CHECK(fd >= 0);
	CHECK(strstr(buf_text(&in), "event: hello"));
	close(fd);
	buf_finish(&in);
	http_server_destroy(s);
}

TEST(a_quiet_stream_is_kept_alive_and_a_gone_one_is_noticed)
{
	struct http_server *s = serve((struct http_config){ .keep_alive_ms = 50, .idle_s = 1 });
	struct buf in = { 0 };

	CHECK(s);
	int fd = open_stream(s, "", &in);
	CHECK(fd >= 0);
	CHECK(client_until(fd, &in, ": still here\n\n", 10000));
	for (double until = seconds() + 1.5; seconds() < until;) {
		buf_clear(&in);
		CHECK(client_until(fd, &in, ": still here\n\n", 10000));
	}
	close(fd);
	for (int i = 0; i < EVENTS_SUBSCRIBERS_MAX - 1; i++) {
		buf_clear(&in);
		CHECK((fd = open_stream(s, "", &in)) >= 0);
		close(fd);
	}
	buf_clear(&in);
	bool again = false;
	for (double until = seconds() + 9; !again && seconds() < until;) {
		fd = open_stream(s, "", &in);
		again = fd >= 0;
		if (again)
			close(fd);
		else
			buf_clear(&in);
	}
	CHECK(again);
	buf_finish(&in);
	http_server_destroy(s);
}

TEST(no_more_than_a_fixed_number_of_streams_is_served)
{
	struct http_server *s = serve((struct http_config){ 0 });
	struct buf in = { 0 };
	int fd[EVENTS_SUBSCRIBERS_MAX];

	CHECK(s);
	for (int i = 0; i < EVENTS_SUBSCRIBERS_MAX; i++) {
		buf_clear(&in);
		CHECK((fd[i] = open_stream(s, "", &in)) >= 0);
	}
	CHECK(get(s, "/api/v1/events"));
	CHECK_EQ(r.status, 503);
	for (int i = 0; i < EVENTS_SUBSCRIBERS_MAX; i++)
		close(fd[i]);
	buf_finish(&in);
	http_server_destroy(s);
}

TEST(a_stop_with_suspended_streams_is_quick)
{
	struct http_server *s = serve((struct http_config){ 0 });
	struct buf in = { 0 };
	int fd[5];

	CHECK(s);
	for (int i = 0; i < 5; i++) {
		buf_clear(&in);
		CHECK((fd[i] = open_stream(s, "", &in)) >= 0);
	}
	double before = seconds();
	http_server_destroy(s);
	CHECK(seconds() - before < 5);
	for (int i = 0; i < 5; i++)
		close(fd[i]);
	buf_finish(&in);
}

static void *publish_many(void *opaque)
{
	for (int i = 0; i < 2000; i++)
		tell(opaque, "progress", i);
	return NULL;
}

TEST(publishing_from_many_threads_while_streams_come_and_go_and_the_server_stops)
{
	struct http_server *s = serve((struct http_config){ .keep_alive_ms = 5 });
	struct buf in = { 0 };
	pthread_t threads[4];

	CHECK(s);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, publish_many, s);
	for (int i = 0; i < 40; i++) {
		buf_clear(&in);
		int fd = open_stream(s, "", &in);
		if (fd >= 0)
			close(fd);
	}
	http_server_stop(s);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	http_server_destroy(s);
	buf_finish(&in);
}

/* A subscriber without a connection: shows what the buffer does. */
static int suspended, resumed;
static void count_suspend(void *connection) { (void)connection; suspended++; }
static void count_resume(void *connection) { (void)connection; resumed++; }

TEST(a_stream_that_is_not_read_overflows_into_one_resync_and_stays_well_formed)
{
	static const struct events_hooks hooks = { count_suspend, count_resume };
	struct events *ev = NULL;
	struct subscriber *sub = NULL;
	char bytes[64];
	struct buf all = { 0 };
	ssize_t n;

	CHECK_OK(events_create(&hooks, 60000, &ev, &e), &e);
	CHECK_OK(events_join(ev, "", &sub, &e), &e);
	json_t *json = json_pack("{s:s}", "text", "0123456789012345678901234567890123456789012345678901234567890123456789");
	events_publish(ev, "console", json);
	CHECK_EQ(events_read(sub, bytes, 60), 60);
	buf_add(&all, bytes, 60);
	for (int i = 0; i < 2000; i++)
		events_publish(ev, "console", json);
	while ((n = events_read(sub, bytes, sizeof bytes)) > 0)
		buf_add(&all, bytes, (size_t)n);
	CHECK_EQ(n, 0);
	CHECK_EQ(suspended, 1);
	CHECK(all.size < EVENTS_BUFFER_BYTES + 1000);
	CHECK(strstr(buf_text(&all), "event: resync\ndata: {}\n\n"));
	for (const char *p = buf_text(&all); (p = strstr(p, "data: ")); p++)
		CHECK(strstr(p, "}\n\n") && strcspn(p, "\n") == (size_t)(strstr(p, "}\n\n") + 1 - p));
	events_publish(ev, "console", json);
	CHECK_EQ(resumed, 1);
	json_decref(json);
	events_leave(sub);
	CHECK_EQ(events_count(ev), 0);
	events_destroy(ev);
	buf_finish(&all);
}
