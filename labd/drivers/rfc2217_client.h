// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The client's side of RFC 2217 (Telnet Com Port Control Option) as bytes in and bytes out: no socket, no clock. Telnet framing is libtelnet's.
 *
 * Every set is remembered until the server answers it with the value in force (section 3 of the RFC). One thread.
 */
#ifndef LAB_DRIVERS_RFC2217_CLIENT_H
#define LAB_DRIVERS_RFC2217_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/buf.h"
#include "core/err.h"

/* Commands of the client; the server answers with 100 more. */
enum rfc2217_command {
	RFC2217_BAUDRATE = 1, RFC2217_DATASIZE, RFC2217_PARITY, RFC2217_STOPSIZE, RFC2217_CONTROL, RFC2217_LINESTATE_MASK = 10, RFC2217_MODEMSTATE_MASK,
	RFC2217_PURGE,
};

/* Values of RFC2217_CONTROL. */
enum { RFC2217_NO_FLOW_CONTROL = 1, RFC2217_BREAK_ON = 5, RFC2217_BREAK_OFF, RFC2217_DTR_ON = 8, RFC2217_DTR_OFF, RFC2217_RTS_ON = 11, RFC2217_RTS_OFF };

struct rfc2217_client;

/* The opening negotiation waits in the output. */
struct rfc2217_client *rfc2217_client_create(void);
void rfc2217_client_destroy(struct rfc2217_client *c);                       /* accepts NULL */

void rfc2217_client_input(struct rfc2217_client *c, const void *bytes, size_t n);
struct buf *rfc2217_client_output(struct rfc2217_client *c);                 /* raw bytes for the server: send, then buf_drop() */
struct buf *rfc2217_client_data(struct rfc2217_client *c);                   /* what came from the line */

void rfc2217_client_send(struct rfc2217_client *c, const void *bytes, size_t n);      /* data for the line, into the output */
void rfc2217_client_set(struct rfc2217_client *c, enum rfc2217_command what, uint32_t value);

/* All that was asked for is answered (the option itself, each set). */
bool rfc2217_client_settled(const struct rfc2217_client *c);

/* False once, with a sentence, when something was refused or answered with another value since the last call. */
bool rfc2217_client_check(struct rfc2217_client *c, struct err *e);

/* What is waited for, for the sentence of a deadline. */
const char *rfc2217_client_waits_for(const struct rfc2217_client *c);

bool rfc2217_client_suspended(const struct rfc2217_client *c);               /* the server wants no more data for now */

#endif
