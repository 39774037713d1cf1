// SPDX-License-Identifier: GPL-2.0-or-later
/* The answer's life, and the one table from error codes to HTTP statuses. */
#include "http/response.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "http/events.h"

static const unsigned statuses[ERR_CODES] = {
	[ERR_NONE] = 500, [ERR_INVALID] = 400, [ERR_NOT_FOUND] = 404, [ERR_CONFLICT] = 409, [ERR_DENIED] = 403, [ERR_TOO_LARGE] = 413,
	[ERR_UNSUPPORTED] = 415, [ERR_TIMEOUT] = 504, [ERR_PROTOCOL] = 502, [ERR_LOST] = 502, [ERR_IO] = 500, [ERR_CANCELLED] = 409,
	[ERR_FULL] = 503, [ERR_MISMATCH] = 409, [ERR_INTERNAL] = 500,
};

unsigned response_status(enum err_code code)
{
	return statuses[code];
}

void response_error(struct response *rs, const struct err *e)
{
	unsigned status = rs->status >= 400 ? rs->status : statuses[e->code];
	const char *allow = rs->allow;

	response_finish(rs);
	*rs = (struct response){ .status = status, .allow = allow };
	rs->json = json_pack("{s:{s:s,s:s}}", "error", "code", err_word(e->code), "message", e->msg);
	if (!rs->json)                                           /* a sentence with bytes that are not UTF-8 */
		rs->json = json_pack("{s:{s:s,s:s}}", "error", "code", err_word(e->code), "message", "the reason cannot be shown as text");
}

void response_name(struct response *rs, const char *stem, int64_t utc_ms, const char *suffix)
{
	time_t seconds = (time_t)(utc_ms / 1000);
	struct tm tm;
	char when[24];

	gmtime_r(&seconds, &tm);
	strftime(when, sizeof when, "%Y%m%dT%H%M%SZ", &tm);
	snprintf(rs->filename, sizeof rs->filename, "%.80s_%s%s", stem, when, suffix);
	for (char *p = rs->filename; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("._+-", *p))
			*p = '-';
}

void response_finish(struct response *rs)
{
	json_decref(rs->json);
	buf_finish(&rs->text);
	if (rs->stream)
		rs->stream->ops->close(rs->stream);
	events_leave(rs->subscriber);
	rs->json = NULL;
	rs->stream = NULL;
	rs->subscriber = NULL;
}
