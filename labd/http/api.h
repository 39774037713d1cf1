// SPDX-License-Identifier: GPL-2.0-or-later
/* The handlers of the route table, by file. See site.h for what a handler is and docs/openapi.json for what each takes and gives. Private to http/. */
#ifndef LAB_HTTP_API_H
#define LAB_HTTP_API_H

#include "http/site.h"

/* api_site.c: the server itself */
handler_fn api_openapi, api_events, api_login, api_logout, api_session, api_login_link;

#endif
