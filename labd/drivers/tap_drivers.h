// SPDX-License-Identifier: GPL-2.0-or-later
/* Constructors of the drivers of the seam `tap` (bench/tap.h). The caller ends with tap_destroy(). */
#ifndef LAB_DRIVERS_TAP_DRIVERS_H
#define LAB_DRIVERS_TAP_DRIVERS_H

#include <stdint.h>

#include "bench/tap.h"

/* The pcap stream of a vboard process: its tap socket (docs/virtual-board.md "The tap socket"). Connects at tap_start(). */
struct tap *tap_stream_create(const char *tap_socket, struct err *e);

/* The same with another bound than 10 s on waiting for a frame that the board says it has sent; for tests. */
struct tap *tap_stream_create_with(const char *tap_socket, unsigned patience_ms, struct err *e);

/* A live interface through libpcap; what is from or to the board's address. Needs CAP_NET_RAW: ERR_DENIED says so at tap_start(). */
struct tap *tap_pcap_create(const char *interface, const uint8_t board_ip[4], struct err *e);

/* No capture: figures can only come from socket times, and tap_captures() says so. */
struct tap *tap_none_create(void);

#endif
