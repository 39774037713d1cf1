// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The log: one line an event, level, tag, key=value first, on standard error unless a sink is set. errno is preserved. Any thread.
 * Console bytes of a board never go through here: they belong to the run. No secret is ever logged.
 */
#ifndef LAB_CORE_LOG_H
#define LAB_CORE_LOG_H

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

typedef void log_sink_fn(void *opaque, enum log_level level, const char *tag, const char *line);

/* Set before other threads start. */
void log_set_level(enum log_level level);
void log_set_sink(log_sink_fn *sink, void *opaque);

void log_write(enum log_level level, const char *tag, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#define log_error(tag, ...) log_write(LOG_ERROR, tag, __VA_ARGS__)
#define log_warn(tag, ...) log_write(LOG_WARN, tag, __VA_ARGS__)
#define log_info(tag, ...) log_write(LOG_INFO, tag, __VA_ARGS__)
#define log_debug(tag, ...) log_write(LOG_DEBUG, tag, __VA_ARGS__)

#endif
