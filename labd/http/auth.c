// SPDX-License-Identifier: GPL-2.0-or-later
/* Tokens live in memory: a restart ends every session, and there is nothing to steal from the disk but the operator's own file. */
#include "http/auth.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

#include "core/mem.h"

struct token {
	char text[AUTH_TOKEN_TEXT];
	uint64_t used_ns;                                        /* monotonic; of a link: when it was made; 0: free */
};

struct auth {
	const struct clock *clock;
	const char *const *hosts;
	pthread_mutex_t lock;
	char operator_token[AUTH_TOKEN_TEXT];
	struct token links[AUTH_LINKS_MAX], sessions[AUTH_SESSIONS_MAX];
};

#define NS_PER_HOUR (3600 * NS_PER_S)

static bool token_make(char out[AUTH_TOKEN_TEXT], struct err *e)
{
	static const char digits[] = "0123456789abcdef";
	uint8_t random[32];

	if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
		return err_errno(e, "no random numbers for a token");
	for (size_t i = 0; i < sizeof random; i++) {
		out[2 * i] = digits[random[i] >> 4];
		out[2 * i + 1] = digits[random[i] & 15];
	}
	out[2 * sizeof random] = '\0';
	return true;
}

bool auth_create(const struct clock *clock, const char *const *hosts, struct auth **out, struct err *e)
{
	struct auth *a = xcalloc(1, sizeof *a);

	if (!token_make(a->operator_token, e)) {
		free(a);
		return false;
	}
	a->clock = clock;
	a->hosts = hosts;
	pthread_mutex_init(&a->lock, NULL);
	*out = a;
	return true;
}

void auth_destroy(struct auth *a)
{
	if (!a)
		return;
	pthread_mutex_destroy(&a->lock);
	explicit_bzero(a, sizeof *a);
	free(a);
}

const char *auth_operator_token(const struct auth *a)
{
	return a->operator_token;
}

bool auth_same(const char *a, const char *b)
{
	size_t n = strlen(a);
	unsigned char different = 0;

	if (strlen(b) != n)
		return false;
	for (size_t i = 0; i < n; i++)
		different |= (unsigned char)(a[i] ^ b[i]);
	return different == 0;
}

/* Looks at every slot, so that the time does not tell which one matched. */
static struct token *find(struct token *tokens, size_t n, const char *text, uint64_t oldest_ns)
{
	struct token *found = NULL;

	for (size_t i = 0; i < n; i++)
		if (auth_same(tokens[i].text, text) && tokens[i].used_ns > oldest_ns)
			found = &tokens[i];
	return found;
}

/* A new token in the slot unused for longest. */
static bool put(struct auth *a, struct token *tokens, size_t n, char out[AUTH_TOKEN_TEXT], struct err *e)
{
	struct token *slot = tokens;

	for (size_t i = 1; i < n; i++)
		if (tokens[i].used_ns < slot->used_ns)
			slot = &tokens[i];
	if (!token_make(slot->text, e))
		return false;
	slot->used_ns = clock_now_ns(a->clock) + 1;
	memcpy(out, slot->text, AUTH_TOKEN_TEXT);
	return true;
}

static uint64_t hours_ago(const struct auth *a, unsigned hours)
{
	uint64_t now = clock_now_ns(a->clock), span = hours * NS_PER_HOUR;

	return now > span ? now - span : 0;
}

bool auth_link(struct auth *a, char out[AUTH_TOKEN_TEXT], struct err *e)
{
	pthread_mutex_lock(&a->lock);
	bool ok = put(a, a->links, AUTH_LINKS_MAX, out, e);
	pthread_mutex_unlock(&a->lock);
	return ok;
}

bool auth_login(struct auth *a, const char *token, char session[AUTH_TOKEN_TEXT], struct err *e)
{
	bool ok;

	pthread_mutex_lock(&a->lock);
	struct token *link = find(a->links, AUTH_LINKS_MAX, token, hours_ago(a, AUTH_LINK_HOURS));
	if (link) {
		explicit_bzero(link, sizeof *link);
		ok = put(a, a->sessions, AUTH_SESSIONS_MAX, session, e);
	} else {
		ok = err_set(e, ERR_DENIED, "this login link is unknown, used already, or too old; `labctl login --link` prints a new one");
	}
	pthread_mutex_unlock(&a->lock);
	return ok;
}

static const char *bearer(const char *authorization)
{
	static const char scheme[] = "Bearer ";

	if (!authorization || strncasecmp(authorization, scheme, sizeof scheme - 1) != 0)
		return NULL;
	authorization += sizeof scheme - 1;
	return strlen(authorization) == AUTH_TOKEN_TEXT - 1 ? authorization : NULL;
}

void auth_logout(struct auth *a, const char *authorization)
{
	const char *token = bearer(authorization);

	if (!token)
		return;
	pthread_mutex_lock(&a->lock);
	struct token *session = find(a->sessions, AUTH_SESSIONS_MAX, token, 0);
	if (session)
		explicit_bzero(session, sizeof *session);
	pthread_mutex_unlock(&a->lock);
}

enum role auth_role(struct auth *a, const char *authorization, bool *known)
{
	const char *token = bearer(authorization);

	*known = !authorization;
	if (!token)
		return ROLE_READER;
	pthread_mutex_lock(&a->lock);
	struct token *session = find(a->sessions, AUTH_SESSIONS_MAX, token, hours_ago(a, AUTH_SESSION_HOURS));
	if (session)
		session->used_ns = clock_now_ns(a->clock) + 1;
	*known = auth_same(token, a->operator_token) || session;
	pthread_mutex_unlock(&a->lock);
	return *known ? ROLE_OPERATOR : ROLE_READER;
}

/* "name", "name:port", "[::1]:port" -> the name's length. */
static size_t host_name_length(const char *host)
{
	if (host[0] == '[')
		return strcspn(host, "]") + (strchr(host, ']') != NULL);
	return strcspn(host, ":");
}

/* Behind the name: nothing, or a port. "127.0.0.1:80.evil.example" is no name of ours. */
static bool port_plain(const char *port)
{
	size_t n = port[0] == ':' ? strspn(port + 1, "0123456789") : 0;

	return port[0] == '\0' || (port[0] == ':' && n <= 5 && port[1 + n] == '\0');
}

static bool host_known(const struct auth *a, const char *host)
{
	static const char *const loopback[] = { "localhost", "127.0.0.1", "[::1]", NULL };
	const char *const *lists[] = { loopback, a->hosts };
	size_t n = host_name_length(host);

	for (size_t i = 0; i < 2; i++)
		for (const char *const *name = lists[i]; name && *name; name++)
			if (strlen(*name) == n && strncasecmp(*name, host, n) == 0)
				return port_plain(host + n);
	return false;
}

bool auth_site_ok(const struct auth *a, const struct request *rq, struct err *e)
{
	static const char scheme[] = "http://";

	if (!host_known(a, rq->host))
		return err_set(e, ERR_DENIED, "this server is not known as \"%.60s\"; use 127.0.0.1, or add the name to http.hosts in labd.json", rq->host);
	if (rq->origin[0] == '\0')
		return true;
	if (strncmp(rq->origin, scheme, sizeof scheme - 1) == 0 && strcasecmp(rq->origin + sizeof scheme - 1, rq->host) == 0)
		return true;
	return err_set(e, ERR_DENIED, "requests from the page of another site (%.60s) are refused", rq->origin);
}
