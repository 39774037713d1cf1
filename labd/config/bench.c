// SPDX-License-Identifier: GPL-2.0-or-later
/* Bench files: tables say which keys there are; below them what no table can say (which driver needs what, what must be unique). */
#include "config/bench.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "config/read.h"
#include "core/mem.h"
#include "image/identity.h"

enum { REAL_PAUSE_MS = 500 };                                                /* capacitors; a virtual board has none */

const char *const bench_power_words[] = { "virtual", "command", NULL };
const char *const bench_line_words[] = { "rfc2217", "serial", NULL };
const char *const bench_wire_words[] = { "gate", "tap", "nic", NULL };
const char *const bench_tap_words[] = { "stream", "pcap", "none", NULL };
const char *const bench_pace_words[] = { "turns", "wall", NULL };
static const char *const reset_words[] = { "dtr", "rts", "power", NULL };
static const char *const boot_words[] = { "rts", "dtr", "none", NULL };
static const char *const echo_words[] = { "character", "record", NULL };
static const char *const port_words[] = { "same", "auto", NULL };

/* Keys whose values need more than a table: read into this first. */
struct raw_board {
	struct bench_board b;
	json_t *on, *off, *state, *flash, *chip, *faults;
	int ports, pace;
};

#define AT(member) offsetof(struct raw_board, member)
#define BOARD(member) offsetof(struct raw_board, b.member)

/* The tables of nested objects count their offsets from the board, so one struct holds all. */
static const struct json_field power_fields[] = {
	{ .key = "driver", .kind = JSON_KIND_WORD, .offset = BOARD(power.driver), .required = true, .words = bench_power_words },
	{ .key = "on", .kind = JSON_KIND_ARRAY, .offset = AT(on) },
	{ .key = "off", .kind = JSON_KIND_ARRAY, .offset = AT(off) },
	{ .key = "state", .kind = JSON_KIND_ARRAY, .offset = AT(state) },
	{ .key = "deadline_ms", .kind = JSON_KIND_U32, .offset = BOARD(power.deadline_ms), .min = 10, .max = 600000 },
	{ .key = "pause_ms", .kind = JSON_KIND_U32, .offset = BOARD(power.pause_ms), .min = 0, .max = 600000 },
	{ 0 }
};
static const struct json_field line_fields[] = {
	{ .key = "driver", .kind = JSON_KIND_WORD, .offset = BOARD(line.driver), .required = true, .words = bench_line_words },
	{ .key = "path", .kind = JSON_KIND_TEXT, .offset = BOARD(line.path), .min = 1, .max = 1000 },
	{ .key = "host", .kind = JSON_KIND_TEXT, .offset = BOARD(line.host), .min = 1, .max = 63 },
	{ .key = "port", .kind = JSON_KIND_U16, .offset = BOARD(line.port), .min = 1, .max = 65535 },
	{ .key = "survives_power", .kind = JSON_KIND_BOOL, .offset = BOARD(line.survives_power) },
	{ .key = "reopen_ms", .kind = JSON_KIND_U32, .offset = BOARD(line.reopen_ms), .min = 100, .max = 600000 },
	{ 0 }
};
static const struct json_field wire_fields[] = {
	{ .key = "mode", .kind = JSON_KIND_WORD, .offset = BOARD(wire.mode), .required = true, .words = bench_wire_words },
	{ .key = "rate", .kind = JSON_KIND_U64, .offset = BOARD(wire.rate), .min = 10000000, .max = 1000000000 },
	{ .key = "latency_ns", .kind = JSON_KIND_U32, .offset = BOARD(wire.latency_ns), .min = 0, .max = 1000000000 },
	{ .key = "ack_delay_ms", .kind = JSON_KIND_U32, .offset = BOARD(wire.ack_delay_ms), .min = 0, .max = 1000 },
	{ .key = "outer", .kind = JSON_KIND_TEXT, .offset = BOARD(wire.outer), .min = 1, .max = 63 },
	{ .key = "ports", .kind = JSON_KIND_WORD, .offset = AT(ports), .words = port_words },
	{ .key = "interface", .kind = JSON_KIND_TEXT, .offset = BOARD(wire.interface), .min = 1, .max = 15 },
	{ 0 }
};
static const struct json_field net_fields[] = {
	{ .key = "mac", .kind = JSON_KIND_TEXT, .offset = BOARD(net.mac), .required = true },
	{ .key = "ip", .kind = JSON_KIND_TEXT, .offset = BOARD(net.ip), .required = true },
	{ .key = "mask", .kind = JSON_KIND_TEXT, .offset = BOARD(net.mask) },
	{ .key = "gateway", .kind = JSON_KIND_TEXT, .offset = BOARD(net.gateway) },
	{ .key = "host", .kind = JSON_KIND_TEXT, .offset = BOARD(net.host), .required = true },
	{ 0 }
};
static const struct json_field tap_fields[] = {
	{ .key = "driver", .kind = JSON_KIND_WORD, .offset = BOARD(tap.driver), .required = true, .words = bench_tap_words },
	{ .key = "interface", .kind = JSON_KIND_TEXT, .offset = BOARD(tap.interface), .min = 1, .max = 15 },
	{ 0 }
};
static const struct json_field board_fields[] = {
	{ .key = "name", .kind = JSON_KIND_TEXT, .offset = BOARD(name), .required = true },
	{ .key = "type", .kind = JSON_KIND_TEXT, .offset = BOARD(type), .required = true },
	{ .key = "power", .kind = JSON_KIND_STRUCT, .required = true, .fields = power_fields },
	{ .key = "line", .kind = JSON_KIND_STRUCT, .required = true, .fields = line_fields },
	{ .key = "flash", .kind = JSON_KIND_ARRAY, .offset = AT(flash), .required = true },
	{ .key = "wire", .kind = JSON_KIND_STRUCT, .required = true, .fields = wire_fields },
	{ .key = "net", .kind = JSON_KIND_STRUCT, .required = true, .fields = net_fields },
	{ .key = "tap", .kind = JSON_KIND_STRUCT, .required = true, .fields = tap_fields },
	{ .key = "pace", .kind = JSON_KIND_WORD, .offset = AT(pace), .words = bench_pace_words },
	{ .key = "chip", .kind = JSON_KIND_OBJECT, .offset = AT(chip) },
	{ .key = "faults", .kind = JSON_KIND_ARRAY, .offset = AT(faults) },
	{ 0 }
};
static const struct json_field flash_fields[] = {
	{ .key = "method", .kind = JSON_KIND_TEXT, .offset = offsetof(struct bench_flash, method), .required = true, .min = 1, .max = 32 },
	{ .key = "reset", .kind = JSON_KIND_WORD, .offset = offsetof(struct bench_flash, reset), .words = reset_words },
	{ .key = "boot", .kind = JSON_KIND_WORD, .offset = offsetof(struct bench_flash, boot), .words = boot_words },
	{ .key = "echo", .kind = JSON_KIND_WORD, .offset = offsetof(struct bench_flash, echo), .words = echo_words },
	{ .key = "reset_inverted", .kind = JSON_KIND_BOOL, .offset = offsetof(struct bench_flash, reset_inverted) },
	{ .key = "boot_inverted", .kind = JSON_KIND_BOOL, .offset = offsetof(struct bench_flash, boot_inverted) },
	{ .key = "baud", .kind = JSON_KIND_U32, .offset = offsetof(struct bench_flash, baud), .min = 300, .max = 921600 },
	{ .key = "sync_tries", .kind = JSON_KIND_U32, .offset = offsetof(struct bench_flash, sync_tries), .min = 1, .max = 20 },
	{ .key = "step_ms", .kind = JSON_KIND_U32, .offset = offsetof(struct bench_flash, step_ms), .min = 10, .max = 60000 },
	{ .key = "erase_ms", .kind = JSON_KIND_U32, .offset = offsetof(struct bench_flash, erase_ms), .min = 100, .max = 300000 },
	{ .key = "total_ms", .kind = JSON_KIND_U32, .offset = offsetof(struct bench_flash, total_ms), .min = 1000, .max = 3600000 },
	{ 0 }
};

struct raw_bench {
	uint32_t version;
	const char *name;
	json_t *boards;
};
static const struct json_field bench_fields[] = {
	{ .key = "version", .kind = JSON_KIND_U32, .offset = offsetof(struct raw_bench, version), .required = true },
	{ .key = "name", .kind = JSON_KIND_TEXT, .offset = offsetof(struct raw_bench, name), .required = true },
	{ .key = "boards", .kind = JSON_KIND_ARRAY, .offset = offsetof(struct raw_bench, boards), .required = true },
	{ 0 }
};

static const struct raw_board defaults = {
	.b = {
		.power = { .deadline_ms = 10000, .pause_ms = UINT32_MAX },
		.line = { .survives_power = true, .reopen_ms = 10000 },
		.wire = { .rate = 10000000, .latency_ns = 155000, .outer = "127.0.0.1" },
		.net = { .mask = "255.255.255.0" },
	},
	.pace = -1,
};
static const struct bench_flash flash_defaults = { .reset = BENCH_RESET_DTR, .boot = BENCH_BOOT_RTS, .echo = BENCH_ECHO_RECORD, .baud = 115200,
	.sync_tries = 3, .step_ms = 1000, .erase_ms = 15000, .total_ms = 180000 };

/* A path of two keys below a board, for sentences. */
#define BELOW(board, object, name) (&(struct json_path){ &(struct json_path){ (board), (object), 0 }, (name), 0 })

static bool read_command(const struct json_doc *d, const struct json_path *board, const char *key, const json_t *array, struct bench_command *out, struct err *e)
{
	const struct json_path *at = BELOW(board, "power", key);

	if (!array)
		return true;
	if (!json_array_size(array))
		return json_fail(d, at, e, "an argument vector like [\"uhubctl\", \"-a\", \"on\"]: it must not be empty");
	return config_words(d, at, array, out->argv, BENCH_MAX_ARGUMENTS, e);
}

static bool check_power(const struct json_doc *d, const struct json_path *at, struct raw_board *r, struct err *e)
{
	struct bench_power *p = &r->b.power;

	if (!read_command(d, at, "on", r->on, &p->on, e) || !read_command(d, at, "off", r->off, &p->off, e)
		|| !read_command(d, at, "state", r->state, &p->state, e))
		return false;
	if (p->driver == BENCH_POWER_COMMAND && (!r->on || !r->off))
		return json_fail(d, BELOW(at, "power", "driver"), e, "the driver \"command\" needs \"on\" and \"off\"");
	if (p->driver == BENCH_POWER_VIRTUAL && (r->on || r->off || r->state))
		return json_fail(d, BELOW(at, "power", "driver"), e, "the driver \"virtual\" takes no commands");
	return true;
}

static bool check_line(const struct json_doc *d, const struct json_path *at, const struct bench_board *b, struct err *e)
{
	const struct bench_line *l = &b->line;

	if (l->driver == BENCH_LINE_SERIAL && !l->path)
		return json_fail(d, BELOW(at, "line", "driver"), e, "the driver \"serial\" needs \"path\", best one of /dev/serial/by-id/");
	if (l->driver == BENCH_LINE_SERIAL && (l->host || l->port))
		return json_fail(d, BELOW(at, "line", l->host ? "host" : "port"), e, "the driver \"serial\" has a path, not a host and port");
	if (l->driver == BENCH_LINE_RFC2217 && l->path)
		return json_fail(d, BELOW(at, "line", "path"), e, "the driver \"rfc2217\" has a host and port, not a path");
	if (l->driver == BENCH_LINE_RFC2217 && !b->is_virtual && (!l->host || !l->port))
		return json_fail(d, BELOW(at, "line", "driver"), e, "the driver \"rfc2217\" of a real board needs \"host\" and \"port\"");
	if (b->is_virtual && (l->driver != BENCH_LINE_RFC2217 || l->host || l->port))
		return json_fail(d, BELOW(at, "line", "driver"), e, "a virtual board has its own line: {\"driver\":\"rfc2217\"}");
	return true;
}

static bool check_address(const struct json_doc *d, const struct json_path *at, const char *text, struct err *e)
{
	struct in_addr ignored;

	return !text || inet_pton(AF_INET, text, &ignored) == 1 || json_fail(d, at, e, "\"%.40s\" is not an IPv4 address like 10.77.0.1", text);
}

static uint32_t number(const char *address)
{
	struct in_addr a = { 0 };

	inet_pton(AF_INET, address, &a);
	return ntohl(a.s_addr);
}

/* One computer's: not this net, loopback, multicast or reserved, and neither the first nor the last of its subnet. */
static bool is_host(uint32_t ip, uint32_t mask)
{
	uint32_t first = ip >> 24;

	return first != 0 && first != 127 && first < 224 && (ip & ~mask) != 0 && (ip & ~mask) != ~mask;
}

/* Board, bench PC and gateway hear each other without a router only inside one subnet; anything else would be silence on the wire. */
static bool check_subnet(const struct json_doc *d, const struct json_path *at, const struct bench_net *n, struct err *e)
{
	const struct { const char *key, *address; } all[] = { { "ip", n->ip }, { "host", n->host }, { "gateway", n->gateway } };
	uint32_t mask = number(n->mask);

	if (!mask || ~mask & (~mask + 1) || ~mask < 3)
		return json_fail(d, BELOW(at, "net", "mask"), e, "%s is not a mask like 255.255.255.0 with room for two addresses", n->mask);
	for (size_t i = 0; i < 3 && all[i].address; i++) {
		if (!is_host(number(all[i].address), mask))
			return json_fail(d, BELOW(at, "net", all[i].key), e, "%s with the mask %s is not the address of one computer", all[i].address, n->mask);
		if ((number(all[i].address) & mask) != (number(n->ip) & mask))
			return json_fail(d, BELOW(at, "net", all[i].key), e, "%s is not in the board's subnet (%s, mask %s)", all[i].address, n->ip, n->mask);
	}
	return true;
}

static bool check_net(const struct json_doc *d, const struct json_path *at, const struct bench_net *n, struct err *e)
{
	struct identity id;
	struct err why;

	if (!check_address(d, BELOW(at, "net", "ip"), n->ip, e) || !check_address(d, BELOW(at, "net", "mask"), n->mask, e)
		|| !check_address(d, BELOW(at, "net", "gateway"), n->gateway, e) || !check_address(d, BELOW(at, "net", "host"), n->host, e))
		return false;
	if (!identity_from_text(n->mac, n->ip, n->mask, n->gateway, &id, &why))
		return json_fail(d, BELOW(at, "net", "mac"), e, "%s", why.msg);
	if (!memcmp(id.mac, (uint8_t[6]){ 0 }, 6))
		return json_fail(d, BELOW(at, "net", "mac"), e, "%s is nobody's address", n->mac);
	if (!strcmp(n->ip, n->host))
		return json_fail(d, BELOW(at, "net", "host"), e, "the bench PC's address is the board's: %s", n->ip);
	return check_subnet(d, at, n, e);
}

static bool check_wire(const struct json_doc *d, const struct json_path *at, struct raw_board *r, struct err *e)
{
	struct bench_board *b = &r->b;
	bool gate = b->wire.mode == BENCH_WIRE_GATE;

	b->pace = r->pace >= 0 ? r->pace : gate ? BENCH_PACE_TURNS : BENCH_PACE_WALL;
	b->wire.ports_auto = r->ports == 1;
	if (b->is_virtual == (b->wire.mode == BENCH_WIRE_NIC))
		return json_fail(d, BELOW(at, "wire", "mode"), e, b->is_virtual ? "a virtual board has no network card: \"gate\" or \"tap\""
			: "a real board's wire is \"nic\" with its \"interface\"");
	if (gate != !b->wire.interface)
		return json_fail(d, BELOW(at, "wire", gate ? "interface" : "mode"), e, gate ? "the mode \"gate\" uses no interface" : "this mode needs \"interface\"");
	if (!gate && b->pace == BENCH_PACE_TURNS)
		return json_fail(d, &(struct json_path){ at, "pace", 0 }, e, "\"turns\" needs wire.mode \"gate\"");
	if (!check_address(d, BELOW(at, "wire", "outer"), b->wire.outer, e))
		return false;
	return !strncmp(b->wire.outer, "127.", 4) || json_fail(d, BELOW(at, "wire", "outer"), e, "must be a loopback address (127.x.y.z), not %s", b->wire.outer);
}

static bool check_tap(const struct json_doc *d, const struct json_path *at, const struct bench_board *b, struct err *e)
{
	if (b->tap.driver == BENCH_TAP_STREAM && !b->is_virtual)
		return json_fail(d, BELOW(at, "tap", "driver"), e, "the driver \"stream\" reads a virtual board; a real one has \"pcap\" or \"none\"");
	if (b->tap.driver == BENCH_TAP_PCAP && !b->tap.interface)
		return json_fail(d, BELOW(at, "tap", "driver"), e, "the driver \"pcap\" needs \"interface\"");
	return true;
}

static bool check_virtual(const struct json_doc *d, const struct json_path *at, const struct raw_board *r, struct err *e)
{
	const char *text;
	size_t i;
	json_t *fault;

	if (!r->b.is_virtual && (r->chip || r->faults))
		return json_fail(d, &(struct json_path){ at, r->chip ? "chip" : "faults", 0 }, e, "only a virtual board has this");
	json_array_foreach(r->faults, i, fault)
		if (!json_read_text(d, &(struct json_path){ &(struct json_path){ at, "faults", 0 }, NULL, i }, fault, &text, e))
			return false;
	return true;
}

static bool read_flash(const struct json_doc *d, const struct json_path *board, const json_t *array, struct bench_board *b, struct err *e)
{
	const struct json_path at = { board, "flash", 0 };
	size_t n = json_array_size(array);

	if (!n || n > sizeof b->flash / sizeof *b->flash)
		return json_fail(d, &at, e, "1 to %zu flash methods, not %zu", sizeof b->flash / sizeof *b->flash, n);
	for (size_t i = 0; i < n; i++) {
		const struct json_path entry = { &at, NULL, i };
		struct bench_flash *f = &b->flash[i];

		*f = flash_defaults;
		if (!json_read(d, &entry, json_array_get(array, i), flash_fields, f, e))
			return false;
		if (f->reset != BENCH_RESET_POWER && f->boot != BENCH_BOOT_NONE && !strcmp(reset_words[f->reset], boot_words[f->boot]))
			return json_fail(d, &(struct json_path){ &entry, "boot", 0 }, e, "reset and boot are the same signal \"%s\"", boot_words[f->boot]);
	}
	b->flash_count = n;
	return true;
}

static bool read_board(const struct json_doc *d, const struct json_path *at, const json_t *object, struct bench_board *out, struct err *e)
{
	struct raw_board r = defaults;

	if (!json_read(d, at, object, board_fields, &r, e))
		return false;
	r.b.is_virtual = r.b.power.driver == BENCH_POWER_VIRTUAL;
	if (r.b.power.pause_ms == UINT32_MAX)
		r.b.power.pause_ms = r.b.is_virtual ? 0 : REAL_PAUSE_MS;
	r.b.chip = r.chip;
	r.b.faults = r.faults;
	if (!config_name(d, &(struct json_path){ at, "name", 0 }, r.b.name, e) || !config_name(d, &(struct json_path){ at, "type", 0 }, r.b.type, e)
		|| !check_power(d, at, &r, e) || !check_line(d, at, &r.b, e) || !read_flash(d, at, r.flash, &r.b, e) || !check_wire(d, at, &r, e)
		|| !check_net(d, at, &r.b.net, e) || !check_tap(d, at, &r.b, e) || !check_virtual(d, at, &r, e))
		return false;
	*out = r.b;
	return true;
}

static bool same(const char *a, const char *b)
{
	return a && b && !strcasecmp(a, b);
}

/* Two boards that answer to one name, address or adapter would be each other's results (field failure F04). */
static bool check_unique(const struct json_doc *d, const struct json_path *list, const struct bench *b, size_t i, struct err *e)
{
	const struct json_path at = { list, NULL, i };
	const struct bench_board *x = &b->boards[i];

	for (size_t j = 0; j < i; j++) {
		const struct bench_board *y = &b->boards[j];

		if (same(x->name, y->name))
			return json_fail(d, &(struct json_path){ &at, "name", 0 }, e, "boards[%zu] has the name \"%s\" already", j, x->name);
		if (same(x->net.mac, y->net.mac))
			return json_fail(d, BELOW(&at, "net", "mac"), e, "boards[%zu] has the address %s already", j, x->net.mac);
		if (same(x->line.path, y->line.path))
			return json_fail(d, BELOW(&at, "line", "path"), e, "boards[%zu] has this serial port already", j);
		if (same(x->line.host, y->line.host) && x->line.port == y->line.port)
			return json_fail(d, BELOW(&at, "line", "port"), e, "boards[%zu] has %s port %u already", j, x->line.host, x->line.port);
		if (same(x->net.ip, y->net.ip) && x->wire.mode != BENCH_WIRE_GATE && y->wire.mode != BENCH_WIRE_GATE)
			return json_fail(d, BELOW(&at, "net", "ip"), e, "boards[%zu] has the address %s already", j, x->net.ip);
		if (x->wire.mode == BENCH_WIRE_TAP && y->wire.mode == BENCH_WIRE_TAP && same(x->wire.interface, y->wire.interface))
			return json_fail(d, BELOW(&at, "wire", "interface"), e, "boards[%zu] is the other end of %s already: a virtual wire has one board", j, x->wire.interface);
		if (x->wire.mode == BENCH_WIRE_GATE && y->wire.mode == BENCH_WIRE_GATE && same(x->wire.outer, y->wire.outer) && !(x->wire.ports_auto && y->wire.ports_auto))
			return json_fail(d, BELOW(&at, "wire", "outer"), e, "boards[%zu] listens at %s already: give each board a loopback address of its own", j, x->wire.outer);
	}
	return true;
}

static bool read_boards(const struct json_doc *d, const json_t *array, struct bench *b, struct err *e)
{
	const struct json_path list = { NULL, "boards", 0 };
	size_t n = json_array_size(array);

	if (!n || n > BENCH_MAX_BOARDS)
		return json_fail(d, &list, e, "1 to %d boards, not %zu", BENCH_MAX_BOARDS, n);
	b->boards = xcalloc(n, sizeof *b->boards);
	for (; b->count < n; b->count++)
		if (!read_board(d, &(struct json_path){ &list, NULL, b->count }, json_array_get(array, b->count), &b->boards[b->count], e)
			|| !check_unique(d, &list, b, b->count, e))
			return false;
	return true;
}

bool bench_parse(const char *file, const char *text, size_t size, struct bench **out, struct err *e)
{
	struct raw_bench raw = { 0 };
	struct json_doc d;
	struct bench *b;

	if (!json_doc_parse(&d, file, text, size, e))
		return false;
	b = xcalloc(1, sizeof *b);
	b->root = d.root;
	if (!json_read(&d, NULL, d.root, bench_fields, &raw, e) || !config_version(&d, raw.version, e)
		|| !config_name(&d, &(struct json_path){ NULL, "name", 0 }, raw.name, e) || !read_boards(&d, raw.boards, b, e)) {
		bench_destroy(b);
		return false;
	}
	b->name = raw.name;
	*out = b;
	return true;
}

bool bench_load(const char *path, struct bench **out, struct err *e)
{
	const char *slash = strrchr(path, '/');
	char *text;
	size_t size;
	bool ok;

	if (!config_file_text(path, &text, &size, e))
		return false;
	ok = bench_parse(slash ? slash + 1 : path, text, size, out, e);
	free(text);
	return ok;
}

void bench_destroy(struct bench *b)
{
	if (!b)
		return;
	json_decref(b->root);
	free(b->boards);
	free(b);
}

const struct bench_board *bench_find(const struct bench *b, const char *name)
{
	for (size_t i = 0; i < b->count; i++)
		if (!strcmp(b->boards[i].name, name))
			return &b->boards[i];
	return NULL;
}
