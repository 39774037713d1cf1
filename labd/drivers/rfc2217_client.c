// SPDX-License-Identifier: GPL-2.0-or-later
/* RFC 2217 in libtelnet's events: negotiate binary and the option, set, compare the answers. */
#include "drivers/rfc2217_client.h"

#include <libtelnet.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

enum { COM_PORT = 44, ANSWER = 100, FROM_SERVER_SUSPEND = 108, FROM_SERVER_RESUME = 109, PENDING_MAX = 16 };

struct pending {
	uint8_t command;
	uint32_t value;
};

struct rfc2217_client {
	telnet_t *telnet;
	struct buf out, data;
	bool agreed, suspended;
	bool broken;                                                         /* beyond repair: nothing more is believed */
	struct pending pending[PENDING_MAX];
	size_t count;
	struct err wrong;                                                    /* the first refusal */
};

static const char *const names[] = {
	[RFC2217_BAUDRATE] = "baud rate", [RFC2217_DATASIZE] = "data size", [RFC2217_PARITY] = "parity", [RFC2217_STOPSIZE] = "stop bits",
	[RFC2217_CONTROL] = "control line", [RFC2217_LINESTATE_MASK] = "line state mask", [RFC2217_MODEMSTATE_MASK] = "modem state mask",
	[RFC2217_PURGE] = "purge",
};

static void refuse(struct rfc2217_client *c, enum err_code code, const char *sentence)
{
	if (!c->wrong.code && !c->broken)
		err_set(&c->wrong, code, "%s", sentence);
}

static void compare(struct rfc2217_client *c, const struct pending *asked, uint32_t got)
{
	if (got != asked->value && !c->wrong.code)
		err_set(&c->wrong, ERR_UNSUPPORTED, "%s: asked for %u, but the RFC 2217 server set %u", names[asked->command], asked->value, got);
}

/* Control values come in groups: flow control, break, DTR, RTS. */
static int group(uint8_t command, uint32_t value)
{
	if (command != RFC2217_CONTROL)
		return 0;
	return value <= 3 || value >= 13 ? 1 : value <= 6 ? 2 : value <= 9 ? 3 : 4;
}

/* An answer belongs to the oldest question of its kind; ser2net does not keep the order of kinds. */
static void answered(struct rfc2217_client *c, uint8_t command, uint32_t value)
{
	for (size_t i = 0; i < c->count; i++) {
		if (c->pending[i].command != command || group(command, c->pending[i].value) != group(command, value))
			continue;
		compare(c, &c->pending[i], value);
		memmove(&c->pending[i], &c->pending[i + 1], (--c->count - i) * sizeof *c->pending);
		return;
	}
}

static void take_option(struct rfc2217_client *c, const uint8_t *p, size_t n)
{
	uint32_t value = 0;
	size_t width;

	if (n < 1)
		return;
	if (p[0] == FROM_SERVER_SUSPEND || p[0] == FROM_SERVER_RESUME) {
		c->suspended = p[0] == FROM_SERVER_SUSPEND;
		return;
	}
	width = p[0] == ANSWER + RFC2217_BAUDRATE ? 4 : 1;
	if (p[0] <= ANSWER || n < 1 + width)
		return;                                                      /* signature, line and modem state: nobody asked */
	for (size_t i = 0; i < width; i++)
		value = value << 8 | p[1 + i];
	answered(c, (uint8_t)(p[0] - ANSWER), value);
}

/* What we did not offer or ask for ourselves is refused. */
static void take_negotiation(struct rfc2217_client *c, enum telnet_event_type_t type, uint8_t option)
{
	bool ours = option == COM_PORT || option == TELNET_TELOPT_BINARY || option == TELNET_TELOPT_SGA;

	if (type == TELNET_EV_WILL && !ours)
		telnet_negotiate(c->telnet, TELNET_DONT, option);
	if (type == TELNET_EV_DO && !ours)
		telnet_negotiate(c->telnet, TELNET_WONT, option);
	if (type == TELNET_EV_DO && option == COM_PORT)
		c->agreed = true;
	if (type == TELNET_EV_DONT && option == COM_PORT)
		refuse(c, ERR_UNSUPPORTED, "the server refuses RFC 2217 (COM-PORT-OPTION): it is a plain telnet or raw port");
}

static void take_event(telnet_t *t, telnet_event_t *event, void *opaque)
{
	struct rfc2217_client *c = opaque;

	(void)t;
	if (c->broken)
		return;
	switch (event->type) {
	case TELNET_EV_DATA:
		buf_add(&c->data, event->data.buffer, event->data.size);
		break;
	case TELNET_EV_SEND:
		buf_add(&c->out, event->data.buffer, event->data.size);
		break;
	case TELNET_EV_DO:
	case TELNET_EV_DONT:
	case TELNET_EV_WILL:
	case TELNET_EV_WONT:
		take_negotiation(c, event->type, event->neg.telopt);
		break;
	case TELNET_EV_SUBNEGOTIATION:
		if (event->sub.telopt == COM_PORT)
			take_option(c, (const uint8_t *)event->sub.buffer, event->sub.size);
		break;
	case TELNET_EV_COMPRESS:
		refuse(c, ERR_PROTOCOL, "the server begins a compression that nobody asked for");
		c->broken = true;
		break;
	case TELNET_EV_ERROR:
		refuse(c, ERR_PROTOCOL, "the server's telnet cannot be understood");
		c->broken = true;
		break;
	default:
		break;
	}
}

struct rfc2217_client *rfc2217_client_create(void)
{
	static const telnet_telopt_t none[] = { { -1, 0, 0 } };
	struct rfc2217_client *c = xcalloc(1, sizeof *c);

	c->telnet = telnet_init(none, take_event, TELNET_FLAG_PROXY, c);      /* negotiation is ours: a refusal must be heard of */
	telnet_negotiate(c->telnet, TELNET_WILL, COM_PORT);
	telnet_negotiate(c->telnet, TELNET_WILL, TELNET_TELOPT_BINARY);
	telnet_negotiate(c->telnet, TELNET_DO, TELNET_TELOPT_BINARY);
	telnet_negotiate(c->telnet, TELNET_WILL, TELNET_TELOPT_SGA);
	telnet_negotiate(c->telnet, TELNET_DO, TELNET_TELOPT_SGA);
	return c;
}

void rfc2217_client_destroy(struct rfc2217_client *c)
{
	if (!c)
		return;
	telnet_free(c->telnet);
	buf_finish(&c->out);
	buf_finish(&c->data);
	free(c);
}

void rfc2217_client_input(struct rfc2217_client *c, const void *bytes, size_t n)
{
	if (!c->broken)
		telnet_recv(c->telnet, bytes, n);
}

struct buf *rfc2217_client_output(struct rfc2217_client *c)
{
	return &c->out;
}

struct buf *rfc2217_client_data(struct rfc2217_client *c)
{
	return &c->data;
}

void rfc2217_client_send(struct rfc2217_client *c, const void *bytes, size_t n)
{
	telnet_send(c->telnet, bytes, n);
}

void rfc2217_client_set(struct rfc2217_client *c, enum rfc2217_command what, uint32_t value)
{
	uint8_t text[5] = { (uint8_t)what, (uint8_t)value };

	if (what == RFC2217_BAUDRATE)
		memcpy(text + 1, (uint8_t[]){ (uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8), (uint8_t)value }, 4);
	telnet_subnegotiation(c->telnet, COM_PORT, (const char *)text, what == RFC2217_BAUDRATE ? 5 : 2);
	if (c->count < PENDING_MAX)
		c->pending[c->count++] = (struct pending){ (uint8_t)what, value };
}

bool rfc2217_client_settled(const struct rfc2217_client *c)
{
	return c->agreed && !c->count;
}

bool rfc2217_client_check(struct rfc2217_client *c, struct err *e)
{
	struct err wrong = c->wrong;

	if (!c->broken)
		c->wrong.code = ERR_NONE;
	return !wrong.code || err_set(e, wrong.code, "%s", wrong.msg);
}

const char *rfc2217_client_waits_for(const struct rfc2217_client *c)
{
	return !c->agreed ? "agreement on RFC 2217" : c->count ? names[c->pending[0].command] : "nothing";
}

bool rfc2217_client_suspended(const struct rfc2217_client *c)
{
	return c->suspended;
}
