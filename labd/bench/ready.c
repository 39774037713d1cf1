// SPDX-License-Identifier: GPL-2.0-or-later
/* The ready line, read like any document from outside: strictly. */
#include "bench/ready.h"

#include <stdio.h>
#include <string.h>

#include "core/json.h"

struct raw_ready {
	uint32_t ready, pid;
	const char *name, *type, *control, *tap, *uart_host;
	uint16_t uart_port;
	json_t *gate;
};

#define RAW(member) offsetof(struct raw_ready, member)

static const struct json_field fields[] = {
	{ .key = "ready", .kind = JSON_KIND_U32, .offset = RAW(ready), .required = true, .min = 1, .max = 1 },
	{ .key = "pid", .kind = JSON_KIND_U32, .offset = RAW(pid), .required = true, .min = 1, .max = INT32_MAX },
	{ .key = "name", .kind = JSON_KIND_TEXT, .offset = RAW(name), .required = true, .min = 1, .max = 64 },
	{ .key = "type", .kind = JSON_KIND_TEXT, .offset = RAW(type), .required = true, .min = 1, .max = 64 },
	{ .key = "control", .kind = JSON_KIND_TEXT, .offset = RAW(control), .required = true, .min = 1, .max = 107 },
	{ .key = "tap", .kind = JSON_KIND_TEXT, .offset = RAW(tap), .required = true, .min = 1, .max = 107 },
	{ .key = "gate", .kind = JSON_KIND_ARRAY, .offset = RAW(gate), .required = true },
	{ 0 }
};
static const struct json_field uart_fields[] = {
	{ .key = "host", .kind = JSON_KIND_TEXT, .offset = RAW(uart_host), .required = true, .min = 1, .max = 63 },
	{ .key = "port", .kind = JSON_KIND_U16, .offset = RAW(uart_port), .required = true, .min = 1, .max = 65535 },
	{ 0 }
};

struct raw_gate {
	int proto;
	uint16_t port, outer_port;
	const char *host;
};
static const char *const proto_words[] = { "tcp", "udp", NULL };
static const struct json_field gate_fields[] = {
	{ .key = "proto", .kind = JSON_KIND_WORD, .offset = offsetof(struct raw_gate, proto), .required = true, .words = proto_words },
	{ .key = "port", .kind = JSON_KIND_U16, .offset = offsetof(struct raw_gate, port), .required = true, .min = 1, .max = 65535 },
	{ .key = "host", .kind = JSON_KIND_TEXT, .offset = offsetof(struct raw_gate, host), .required = true, .min = 1, .max = 63 },
	{ .key = "outer_port", .kind = JSON_KIND_U16, .offset = offsetof(struct raw_gate, outer_port), .required = true, .min = 1, .max = 65535 },
	{ 0 }
};

static bool read_gates(const struct json_doc *d, const json_t *array, struct vboard_ready *r, struct err *e)
{
	const struct json_path at = { NULL, "gate", 0 };

	if (json_array_size(array) > VBOARD_MAX_GATES)
		return json_fail(d, &at, e, "more than %d services", VBOARD_MAX_GATES);
	for (size_t i = 0; i < json_array_size(array); i++) {
		struct vboard_gate *to = &r->gates[i];
		struct raw_gate g = { 0 };

		if (!json_read(d, &(struct json_path){ &at, NULL, i }, json_array_get(array, i), gate_fields, &g, e))
			return false;
		*to = (struct vboard_gate){ .proto = g.proto ? LINK_UDP : LINK_TCP, .port = g.port, .outer_port = g.outer_port };
		snprintf(to->host, sizeof to->host, "%s", g.host);
	}
	r->gate_count = json_array_size(array);
	return true;
}

/* The pty is a text or null, which no table says: it is taken out before the table reads the rest. */
static bool read_uart(const struct json_doc *d, struct raw_ready *raw, struct vboard_ready *r, struct err *e)
{
	json_t *uart = json_object_get(d->root, "uart");
	const char *pty = json_string_value(json_object_get(uart, "pty"));

	if (pty)
		snprintf(r->pty, sizeof r->pty, "%s", pty);
	json_object_del(uart, "pty");
	return json_read(d, &(struct json_path){ NULL, "uart", 0 }, uart, uart_fields, raw, e);
}

static bool read_ready(const struct json_doc *d, struct vboard_ready *r, struct err *e)
{
	struct raw_ready raw = { 0 };

	if (!json_object_get(d->root, "uart"))
		return json_fail(d, NULL, e, "the key \"uart\" is missing");
	if (!read_uart(d, &raw, r, e))
		return false;
	snprintf(r->uart_host, sizeof r->uart_host, "%s", raw.uart_host);
	json_object_del(d->root, "uart");                                    /* its texts are gone with it */
	if (!json_read(d, NULL, d->root, fields, &raw, e) || !read_gates(d, raw.gate, r, e))
		return false;
	r->pid = (int)raw.pid;
	r->uart_port = raw.uart_port;
	snprintf(r->name, sizeof r->name, "%s", raw.name);
	snprintf(r->type, sizeof r->type, "%s", raw.type);
	snprintf(r->control, sizeof r->control, "%s", raw.control);
	snprintf(r->tap, sizeof r->tap, "%s", raw.tap);
	return true;
}

bool vboard_ready_parse(const char *line, size_t size, struct vboard_ready *out, struct err *e)
{
	struct vboard_ready r = { 0 };
	struct json_doc d;
	bool ok;

	if (!json_doc_parse(&d, "ready line", line, size, e))
		return false;
	ok = read_ready(&d, &r, e);
	json_doc_finish(&d);
	if (ok)
		*out = r;
	return ok;
}
