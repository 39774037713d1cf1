// SPDX-License-Identifier: GPL-2.0-or-later
/* A stream connection to a Unix socket, whoever listens there. Any thread. */
#ifndef LAB_CORE_UNIX_SOCKET_H
#define LAB_CORE_UNIX_SOCKET_H

#include <stdint.h>

#include "core/err.h"

/*
 * A blocking, close-on-exec socket; -1 on failure. Connecting, and each later send, waits timeout_ms at most: a listener that has stopped (a signal, a
 * debugger) would hold us for ever once its queue is full (unix(7), socket(7) SO_SNDTIMEO). ERR_INVALID: the path is too long; ERR_TIMEOUT; else as
 * errno has it: ERR_NOT_FOUND, ERR_LOST, ...
 */
int unix_socket_connect(const char *path, uint32_t timeout_ms, struct err *e);

#endif
