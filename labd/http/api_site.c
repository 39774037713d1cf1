// SPDX-License-Identifier: GPL-2.0-or-later
/* Handlers about the server itself: who is there, what it can do, and what happens. */
#include "http/api.h"
#include "http/auth.h"
#include "http/bodies.h"
#include "http/events.h"
#include "http/openapi.h"

#include <stdio.h>

bool api_openapi(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	(void)rq, (void)site, (void)e;
	rs->fixed = openapi_json;
	rs->fixed_size = openapi_json_size;
	rs->cache = "no-cache";
	return true;
}

bool api_events(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	rs->content_type = "text/event-stream; charset=utf-8";
	return rq->head || events_join(site->events, rq->last_event_id, &rs->subscriber, e);
}

bool api_login(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	char session[AUTH_TOKEN_TEXT];
	struct body_login body;
	struct json_doc d;
	bool ok = request_json(rq, &d, e) && body_login_parse(&d, &body, e) && auth_login(site->auth, body.token, session, e);

	json_doc_finish(&d);
	if (ok)
		rs->json = json_pack("{s:s,s:s}", "token", session, "role", "operator");
	return ok;
}

bool api_logout(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	(void)e;
	auth_logout(site->auth, rq->authorization);
	rs->json = json_pack("{s:s}", "role", "reader");
	return true;
}

bool api_session(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	(void)site, (void)e;
	rs->json = json_pack("{s:s}", "role", rq->role == ROLE_OPERATOR ? "operator" : "reader");
	return true;
}

bool api_login_link(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	char token[AUTH_TOKEN_TEXT], url[192];

	(void)rq;
	if (!auth_link(site->auth, token, e))
		return false;
	snprintf(url, sizeof url, "%s/#token=%s", site->url, token);
	rs->json = json_pack("{s:s}", "url", url);
	return true;
}
