// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The host's sockets as the pace drivers open them: non-blocking, close-on-exec, no Nagle delay, no SIGPIPE. Worker thread only.
 */
#ifndef LAB_DRIVERS_HOST_SOCKET_H
#define LAB_DRIVERS_HOST_SOCKET_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/pace.h"

/* Begin to connect (TCP) or set the peer (UDP). -1 on failure; *pending tells that a TCP connect goes on. */
int host_socket_open(const struct endpoint *to, bool *pending, struct err *e);
uint16_t host_socket_port(int fd);
/* The error the socket has met, 0 = none; reading clears it. */
int host_socket_error(int fd);
/* Close with RST instead of FIN. */
void host_socket_abort(int fd);
/* Acknowledge at once from now on; the kernel forgets it after a while (tcp(7)), so it is said again and again. */
void host_socket_quickack(int fd);
/* poll() one descriptor besides a cancelling one. 1 = ready, 0 = the time is up, -1 = cancelled or failed. deadline on the monotonic clock. */
int host_socket_poll(int fd, short events, int cancel_fd, uint64_t deadline_ns, struct err *e);

#endif
