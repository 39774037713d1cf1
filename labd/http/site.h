// SPDX-License-Identifier: GPL-2.0-or-later
/* What a handler may use, and what it is: a function from a request to a response that knows nothing of the server library and never waits for hardware. */
#ifndef LAB_HTTP_SITE_H
#define LAB_HTTP_SITE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/clock.h"
#include "core/err.h"
#include "http/request.h"
#include "http/response.h"

struct auth;
struct events;
struct lab;
struct static_files;

struct site {
	struct lab *lab;                                         /* run/lab.h */
	const struct clock *clock;
	struct auth *auth;
	struct events *events;
	struct static_files *files;
	uint64_t started_ns;                                     /* monotonic */
	char url[96];                                            /* "http://127.0.0.1:8090" */
};

/* Fill rs, or return false with the reason, which becomes the answer. The HTTP thread. */
typedef bool handler_fn(const struct request *rq, struct site *site, struct response *rs, struct err *e);

#endif
