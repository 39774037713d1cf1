// SPDX-License-Identifier: GPL-2.0-or-later
/* The listening socket is ours, so that port 0 works and a port in use is a sentence; the rest of the life is libmicrohttpd's. */
#include "http/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/log.h"
#include "core/mem.h"
#include "http/auth.h"
#include "http/events.h"
#include "http/exchange.h"
#include "http/static.h"
#include "run/lab.h"

struct http_server {
	struct site site;
	struct MHD_Daemon *daemon;
	int socket;
	uint16_t port;
	unsigned idle_s, connections, connections_per_address;
	bool stopped;
	char *announced;
};

/* --- the socket --------------------------------------------------------------------------------------------------------------------------------- */

static bool address_parse(const char *address, uint16_t port, struct sockaddr_storage *out, socklen_t *size, struct err *e)
{
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_PASSIVE, .ai_socktype = SOCK_STREAM }, *found;
	char service[8];

	snprintf(service, sizeof service, "%u", port);
	if (getaddrinfo(address, service, &hints, &found) != 0)
		return err_set(e, ERR_INVALID, "http.address: \"%.60s\" is not a numeric address", address);
	memcpy(out, found->ai_addr, found->ai_addrlen);
	*size = found->ai_addrlen;
	freeaddrinfo(found);
	return true;
}

static uint16_t bound_port(int fd)
{
	struct sockaddr_storage at = { 0 };
	socklen_t size = sizeof at;

	getsockname(fd, (struct sockaddr *)&at, &size);
	return ntohs(at.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&at)->sin6_port : ((struct sockaddr_in *)&at)->sin_port);
}

static bool listen_on(struct http_server *s, const char *address, uint16_t port, struct err *e)
{
	struct sockaddr_storage at;
	socklen_t size = 0;
	int on = 1;

	if (!address_parse(address, port, &at, &size, e))
		return false;
	s->socket = socket(at.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->socket < 0)
		return err_errno(e, "no socket for the web server");
	setsockopt(s->socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (bind(s->socket, (struct sockaddr *)&at, size) != 0 || listen(s->socket, 128) != 0)
		return err_errno(e, "cannot serve on %.60s port %u (another labd? choose another with --port)", address, port);
	s->port = bound_port(s->socket);
	return true;
}

/* --- the life ----------------------------------------------------------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 0))) static void library_log(void *cls, const char *fmt, va_list ap)
{
	char line[512];

	(void)cls;
	vsnprintf(line, sizeof line, fmt, ap);
	line[strcspn(line, "\r\n")] = '\0';
	log_debug("http", "%s", line);
}

bool http_server_start(struct http_server *s, struct err *e)
{
	s->daemon = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, NULL, NULL, exchange_step, &s->site,
		MHD_OPTION_EXTERNAL_LOGGER, library_log, NULL,
		MHD_OPTION_LISTEN_SOCKET, s->socket,
		MHD_OPTION_URI_LOG_CALLBACK, exchange_begin, &s->site,
		MHD_OPTION_NOTIFY_COMPLETED, exchange_end, &s->site,
		MHD_OPTION_NOTIFY_CONNECTION, exchange_connection, NULL,
		MHD_OPTION_CONNECTION_TIMEOUT, s->idle_s,
		MHD_OPTION_CONNECTION_LIMIT, s->connections,
		MHD_OPTION_PER_IP_CONNECTION_LIMIT, s->connections_per_address,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)32768,
		MHD_OPTION_END);
	return s->daemon || err_set(e, ERR_IO, "the web server's thread does not start");
}

/* Where people and labctl reach it: an address that listens everywhere is reached through loopback. */
static void make_url(struct http_server *s, const char *address)
{
	bool v6 = strchr(address, ':') != NULL;
	bool any = strcmp(address, "0.0.0.0") == 0 || strcmp(address, "::") == 0;

	if (any)
		address = v6 ? "::1" : "127.0.0.1";
	snprintf(s->site.url, sizeof s->site.url, v6 ? "http://[%s]:%u" : "http://%s:%u", address, s->port);
}

bool http_server_create(const struct http_config *config, struct lab *lab, struct http_server **out, struct err *e)
{
	struct http_server *s = xcalloc(1, sizeof *s);
	const char *address = config->address ? config->address : "127.0.0.1";
	const struct clock *clock = config->clock ? config->clock : &clock_host;

	s->socket = -1;
	s->site.lab = lab;
	s->site.clock = clock;
	s->site.started_ns = clock_now_ns(clock);
	s->idle_s = config->idle_s ? config->idle_s : 30;
	s->connections = config->connections ? config->connections : 256;
	s->connections_per_address = config->connections_per_address ? config->connections_per_address : 128;
	if (!auth_create(clock, config->hosts, &s->site.auth, e) || !static_create(config->web, &s->site.files, e) ||
	    !events_create(&exchange_hooks, config->keep_alive_ms ? config->keep_alive_ms : 15000, &s->site.events, e) ||
	    !listen_on(s, address, config->port, e)) {
		http_server_destroy(s);
		return false;
	}
	make_url(s, address);
	log_info("http", "url=%s files=%zu", s->site.url, static_count(s->site.files));
	*out = s;
	return true;
}

uint16_t http_server_port(const struct http_server *s)
{
	return s->port;
}

const char *http_server_url(const struct http_server *s)
{
	return s->site.url;
}

bool http_server_login_url(struct http_server *s, char out[192], struct err *e)
{
	char token[AUTH_TOKEN_TEXT];

	if (!auth_link(s->site.auth, token, e))
		return false;
	snprintf(out, 192, "%s/#token=%s", s->site.url, token);
	return true;
}

/* --- endpoint.json ------------------------------------------------------------------------------------------------------------------------------ */

static bool write_private(const char *path, const char *text, struct err *e)
{
	char *part = xasprintf("%s.part", path);
	size_t size = strlen(text);
	bool ok = false;

	unlink(part);
	int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd >= 0) {
		ok = write(fd, text, size) == (ssize_t)size && fsync(fd) == 0;
		ok = close(fd) == 0 && ok;
		ok = ok && rename(part, path) == 0;
	}
	if (!ok)
		err_errno(e, "%.150s", path);
	free(part);
	return ok;
}

bool http_server_announce(struct http_server *s, const char *state_dir, struct err *e)
{
	char *path = xasprintf("%s/endpoint.json", state_dir);
	json_t *json = json_pack("{s:s,s:s,s:i,s:s}", "url", s->site.url, "token", auth_operator_token(s->site.auth), "pid", (int)getpid(),
	                         "version", s->site.lab->version);
	char *text = json_dumps(json, JSON_INDENT(1));
	bool ok = write_private(path, text, e);

	free(s->announced);
	s->announced = ok ? path : NULL;
	if (!ok)
		free(path);
	free(text);
	json_decref(json);
	return ok;
}

void http_server_publish(void *opaque, const char *event, json_t *document)
{
	struct http_server *s = opaque;

	events_publish(s->site.events, event, document);
}

/* --- the end ------------------------------------------------------------------------------------------------------------------------------------ */

void http_server_stop(struct http_server *s)
{
	if (s->stopped)
		return;
	s->stopped = true;
	if (s->announced)
		unlink(s->announced);
	if (s->site.events)
		events_close(s->site.events);
	if (s->daemon)
		MHD_stop_daemon(s->daemon);
	else if (s->socket >= 0)
		close(s->socket);
}

void http_server_destroy(struct http_server *s)
{
	if (!s)
		return;
	http_server_stop(s);
	events_destroy(s->site.events);
	static_destroy(s->site.files);
	auth_destroy(s->site.auth);
	free(s->announced);
	free(s);
}
