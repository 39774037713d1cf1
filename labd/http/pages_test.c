// SPDX-License-Identifier: GPL-2.0-or-later
/* The dashboard's files: headers, compressed twins, and every way out of the folder. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "http/test_server.h"
#include "test/harness.h"

static char text[256];

TEST(pages_come_with_type_etag_and_policy)
{
	char etag[64];

	CHECK(test_put("index.html", "<p>hello"));
	CHECK(test_put("about.html", "<p>about"));
	CHECK(test_put("plot.0a1b2c3d4e5f.js", "export {}"));
	CHECK(test_put("csp.json", "{\"style\":[\"sha256-jSYQUrW7J0b3jPqhZP9C2Xh1PyJKHKXd4s0fpGGKrww=\"]}"));
	struct http_server *s = test_serve_folder(test_folder());
	CHECK(s);
	CHECK(test_get(s, "/"));
	CHECK_EQ(answer.status, 200);
	CHECK_STR(buf_text(&answer.body), "<p>hello");
	CHECK_STR(test_header("Content-Type"), "text/html; charset=utf-8");
	CHECK_STR(test_header("X-Content-Type-Options"), "nosniff");
	CHECK_STR(test_header("Referrer-Policy"), "no-referrer");
	CHECK_STR(test_header("Cache-Control"), "no-cache");
	char policy[512];
	CHECK_STR(reply_header(&answer, "Content-Security-Policy", policy, sizeof policy), "default-src 'none'; script-src 'self'; style-src 'self' "
		"'sha256-jSYQUrW7J0b3jPqhZP9C2Xh1PyJKHKXd4s0fpGGKrww='; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; "
		"form-action 'self'; frame-ancestors 'none'");
	reply_header(&answer, "ETag", etag, sizeof etag);
	snprintf(text, sizeof text, "If-None-Match: %s\r\n", etag);
	CHECK(client_ask(http_server_port(s), "GET", "/", text, NULL, &answer));
	CHECK_EQ(answer.status, 304);
	CHECK(test_get(s, "/about"));
	CHECK_STR(buf_text(&answer.body), "<p>about");
	CHECK(test_get(s, "/plot.0a1b2c3d4e5f.js"));
	CHECK(strstr(test_header("Cache-Control"), "immutable"));
	CHECK(test_get(s, "/csp.json"));
	CHECK_EQ(answer.status, 404);
	CHECK(client_ask(http_server_port(s), "HEAD", "/", NULL, NULL, &answer) || answer.status);
	CHECK_EQ(answer.status, 200);
	http_server_destroy(s);
}

TEST(a_compressed_twin_is_sent_to_those_who_accept_it)
{
	CHECK(test_put("app.js", "plain"));
	CHECK(test_put("app.js.gz", "squeezed"));
	struct http_server *s = test_serve_folder(test_folder());
	CHECK(s);
	CHECK(client_ask(http_server_port(s), "GET", "/app.js", "Accept-Encoding: br, gzip\r\n", NULL, &answer));
	CHECK_STR(buf_text(&answer.body), "squeezed");
	CHECK_STR(test_header("Content-Encoding"), "gzip");
	CHECK_STR(test_header("Content-Type"), "text/javascript; charset=utf-8");
	CHECK(test_get(s, "/app.js"));
	CHECK_STR(buf_text(&answer.body), "plain");
	CHECK_STR(test_header("Vary"), "Accept-Encoding");
	CHECK(test_get(s, "/app.js.gz"));
	CHECK_EQ(answer.status, 404);
	http_server_destroy(s);
}

TEST(nothing_outside_the_web_folder_can_be_reached)
{
	static const char *const targets[] = { "/../secret.txt", "/%2e%2e/secret.txt", "/%2e%2e%2fsecret.txt", "/x/%2e%2e/%2e%2e/secret.txt", "/..%5csecret.txt",
		"//secret.txt", "/./secret.txt", "/link.txt", "/folder/secret.txt", "/.hidden.txt", "/secret.txt%00.html", "/etc/passwd", "/%2fetc/passwd",
		"/web/../../secret.txt", "/%c0%ae%c0%ae/secret.txt", "/node_modules/x.js" };
	char path[512];

	CHECK(test_put("secret.txt", "secret"));
	snprintf(path, sizeof path, "%s/web", test_folder());
	CHECK_EQ(mkdir(path, 0700), 0);
	CHECK(test_put("web/index.html", "page") && test_put("web/.hidden.txt", "secret"));
	snprintf(path, sizeof path, "%s/web/node_modules", test_folder());
	CHECK_EQ(mkdir(path, 0700), 0);
	CHECK(test_put("web/node_modules/x.js", "secret"));
	snprintf(path, sizeof path, "%s/web/link.txt", test_folder());
	CHECK_EQ(symlink("../secret.txt", path), 0);
	snprintf(path, sizeof path, "%s/web/folder", test_folder());
	CHECK_EQ(symlink("..", path), 0);
	snprintf(path, sizeof path, "%s/web", test_folder());
	struct http_server *s = test_serve_folder(path);
	CHECK(s);
	for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
		CHECK(test_get(s, targets[i]));
		CHECK(answer.status == 404 || answer.status == 400);
		CHECK(!strstr(buf_text(&answer.body), "\"secret\""));
		CHECK(strncmp(buf_text(&answer.body), "secret", 6) != 0);
	}
	int fd = client_connect(http_server_port(s));
	CHECK(client_text(fd, "GET secret.txt HTTP/1.1\r\nHost: localhost\r\n\r\n"));
	CHECK(!client_reply(fd, &answer) || answer.status >= 400);
	close(fd);
	http_server_destroy(s);
}

TEST(a_malformed_policy_file_stops_the_start)
{
	struct http_config config = { 0 };
	struct http_server *s = NULL;
	const char *web[] = { test_folder(), NULL };

	CHECK(test_put("csp.json", "{\"style\":[\"sha256-x'; script-src *\"]}"));
	config.web = web;
	CHECK(!http_server_create(&config, &test_empty_lab, &s, &problem));
	CHECK(strstr(problem.msg, "csp.json"));
}
