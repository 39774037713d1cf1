// SPDX-License-Identifier: GPL-2.0-or-later
/* Who may do what: tokens, login links, and pages of other sites. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "http/auth.h"
#include "http/routes.h"
#include "http/test_server.h"
#include "test/harness.h"

static char text[256];

TEST(whatever_changes_something_needs_the_operators_token)
{
	struct http_server *s = test_serve((struct http_config){ 0 });

	CHECK(s);
	for (size_t i = 0; i < route_count; i++) {
		if (strcmp(routes[i].method, "GET") == 0) {
			CHECK_EQ(routes[i].role, ROLE_READER);
			continue;
		}
		if (routes[i].role == ROLE_READER)
			continue;
		CHECK(client_ask(http_server_port(s), routes[i].method, routes[i].path, NULL, "{}", &answer));
		CHECK_EQ(answer.status, 401);
		CHECK_STR(test_header("WWW-Authenticate"), "Bearer");
	}
	http_server_destroy(s);
}

TEST(a_login_link_is_good_for_one_session)
{
	struct http_server *s = test_serve((struct http_config){ 0 });
	char url[192], body[256], session[160];
	json_t *json;

	CHECK(s);
	CHECK_OK(http_server_login_url(s, url, &problem), &problem);
	CHECK(strncmp(url, http_server_url(s), strlen(http_server_url(s))) == 0);
	snprintf(body, sizeof body, "{\"token\":\"%s\"}", strstr(url, "#token=") + 7);
	CHECK(client_ask(http_server_port(s), "POST", "/api/v1/login", NULL, body, &answer));
	CHECK_EQ(answer.status, 200);
	json = reply_json(&answer);
	snprintf(session, sizeof session, "Authorization: Bearer %s\r\n", json_string_value(json_object_get(json, "token")));
	json_decref(json);
	CHECK(client_ask(http_server_port(s), "POST", "/api/v1/login", NULL, body, &answer));
	CHECK_EQ(answer.status, 403);
	CHECK(client_ask(http_server_port(s), "GET", "/api/v1/session", session, NULL, &answer));
	CHECK(test_body_has("\"operator\""));
	CHECK(client_ask(http_server_port(s), "POST", "/api/v1/logout", session, "{}", &answer));
	CHECK_EQ(answer.status, 200);
	CHECK(client_ask(http_server_port(s), "GET", "/api/v1/session", session, NULL, &answer));
	CHECK_EQ(answer.status, 401);
	http_server_destroy(s);
}

TEST(a_wrong_token_is_refused_even_for_reading)
{
	struct http_server *s = test_serve((struct http_config){ 0 });

	CHECK(s);
	CHECK(client_ask(http_server_port(s), "GET", "/api/v1/session", "Authorization: Bearer 0123\r\n", NULL, &answer));
	CHECK_EQ(answer.status, 401);
	CHECK(client_ask(http_server_port(s), "GET", "/api/v1/session", "Authorization: Basic eDp5\r\n", NULL, &answer));
	CHECK_EQ(answer.status, 401);
	CHECK(test_get(s, "/api/v1/session"));
	CHECK(test_body_has("\"reader\""));
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

	CHECK_OK(auth_create(&clock, NULL, &a, &problem), &problem);
	CHECK_OK(auth_link(a, link, &problem), &problem);
	test_now_ns += (AUTH_LINK_HOURS * 3600ull + 1) * NS_PER_S;
	CHECK(!auth_login(a, link, session, &problem));
	CHECK_EQ(problem.code, ERR_DENIED);
	CHECK_OK(auth_link(a, link, &problem), &problem);
	CHECK_OK(auth_login(a, link, session, &problem), &problem);
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

	CHECK_OK(auth_create(&clock_host, NULL, &a, &problem), &problem);
	for (int i = 0; i <= AUTH_SESSIONS_MAX; i++) {
		CHECK_OK(auth_link(a, link, &problem), &problem);
		CHECK_OK(auth_login(a, link, i ? session : first, &problem), &problem);
	}
	snprintf(bearer, sizeof bearer, "Bearer %s", first);
	CHECK_EQ(auth_role(a, bearer, &known), ROLE_READER);
	snprintf(bearer, sizeof bearer, "Bearer %s", session);
	CHECK_EQ(auth_role(a, bearer, &known), ROLE_OPERATOR);
	auth_destroy(a);
}

TEST(a_foreign_host_name_or_page_is_refused)
{
	struct http_server *s = test_serve((struct http_config){ 0 });
	uint16_t port;

	CHECK(s);
	port = http_server_port(s);
	int fd = client_connect(port);
	CHECK(client_text(fd, "GET /api/v1/session HTTP/1.1\r\nHost: evil.example\r\n\r\n") && client_reply(fd, &answer));
	CHECK_EQ(answer.status, 403);
	CHECK(client_text(fd, "GET /api/v1/session HTTP/1.1\r\nHost: localhost:9999\r\n\r\n") && client_reply(fd, &answer));
	CHECK_EQ(answer.status, 200);
	CHECK(client_text(fd, "GET /api/v1/session HTTP/1.1\r\nHost: 127.0.0.1.evil.example\r\n\r\n") && client_reply(fd, &answer));
	CHECK_EQ(answer.status, 403);
	CHECK(client_text(fd, "GET /api/v1/session HTTP/1.1\r\nHost: 127.0.0.1:80.evil.example\r\n\r\n") && client_reply(fd, &answer));
	CHECK_EQ(answer.status, 403);
	CHECK(client_text(fd, "GET /api/v1/session HTTP/1.1\r\nHost: 127.0.0.1:80@evil.example\r\n\r\n") && client_reply(fd, &answer));
	CHECK_EQ(answer.status, 403);
	CHECK(client_text(fd, "GET /api/v1/session HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n") && client_reply(fd, &answer));
	CHECK_EQ(answer.status, 400);
	CHECK(test_body_has("the header Host is there more than once"));
	char cut[400] = "GET /api/v1/session HTTP/1.1\r\nHost: localhost:";
	memset(cut + strlen(cut), '1', 200);
	snprintf(cut + strlen(cut), sizeof cut - strlen(cut), "\r\n\r\n");
	CHECK(client_text(fd, cut) && client_reply(fd, &answer));
	CHECK_EQ(answer.status, 400);
	CHECK(test_body_has("the header Host is too long"));
	close(fd);
	CHECK(client_ask(port, "POST", "/api/v1/login", "Origin: http://evil.example\r\n", "{\"token\":\"x\"}", &answer));
	CHECK_EQ(answer.status, 403);
	CHECK(test_body_has("another site"));
	CHECK(client_ask(port, "POST", "/api/v1/login", "Origin: null\r\n", "{\"token\":\"x\"}", &answer));
	CHECK(test_body_has("another site"));
	snprintf(text, sizeof text, "Origin: %s\r\n", http_server_url(s));
	CHECK(client_ask(port, "GET", "/api/v1/session", text, NULL, &answer));
	CHECK_EQ(answer.status, 200);
	http_server_destroy(s);
}

/* The operator's header line, from endpoint.json. */
static bool operator_header(struct http_server *s, char out[160])
{
	char path[512], *content;
	json_t *json;

	snprintf(path, sizeof path, "%s/endpoint.json", test_folder());
	if (!http_server_announce(s, test_folder(), &problem) || !(content = test_read_file(path, NULL)))
		return false;
	json = json_loads(content, 0, NULL);
	snprintf(out, 160, "Authorization: Bearer %s\r\n", json_string_value(json_object_get(json, "token")));
	json_decref(json);
	free(content);
	return strlen(out) > 64;
}

TEST(the_announced_file_is_private_and_goes_with_the_server)
{
	struct http_server *s = test_serve((struct http_config){ 0 });
	char line[160], path[512];
	struct stat st;

	CHECK(s);
	CHECK(operator_header(s, line));
	snprintf(path, sizeof path, "%s/endpoint.json", test_folder());
	CHECK_EQ(stat(path, &st), 0);
	CHECK_EQ(st.st_mode & 0777, 0600);
	CHECK(client_ask(http_server_port(s), "POST", "/api/v1/login-links", line, "{}", &answer));
	CHECK_EQ(answer.status, 200);
	CHECK(test_body_has("/#token="));
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
