// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

static const char *const names[] = { "error", "warn", "info", "debug" };

static void to_stderr(void *opaque, enum log_level level, const char *tag, const char *line)
{
	struct timespec now;
	struct tm tm;
	char stamp[32];

	(void)opaque;
	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &tm);
	strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%S", &tm);
	fprintf(stderr, "%s.%03ldZ %s %s: %s\n", stamp, now.tv_nsec / 1000000, names[level], tag, line);
}

static struct {
	enum log_level level;
	log_sink_fn *sink;
	void *opaque;
} out = { LOG_INFO, to_stderr, NULL };

void log_set_level(enum log_level level)
{
	out.level = level;
}

void log_set_sink(log_sink_fn *sink, void *opaque)
{
	out.sink = sink ? sink : to_stderr;
	out.opaque = opaque;
}

void log_write(enum log_level level, const char *tag, const char *fmt, ...)
{
	int saved = errno;
	char line[1024];
	va_list ap;

	if (level > out.level)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	for (char *p = line; *p; p++)                /* one event is one line, whatever a board or a tool printed */
		if ((unsigned char)*p < ' ')
			*p = ' ';
	out.sink(out.opaque, level, tag, line);
	errno = saved;
}
