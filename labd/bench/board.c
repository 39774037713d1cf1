// SPDX-License-Identifier: GPL-2.0-or-later
/* A board made of the drivers its bench entry names. The only place that knows which words mean which driver. */
#include "bench/board.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/ready.h"
#include "config/board_type.h"
#include "core/clock.h"
#include "core/mem.h"
#include "drivers/flash_drivers.h"
#include "drivers/line_drivers.h"
#include "drivers/pace_drivers.h"
#include "drivers/power_drivers.h"
#include "drivers/profiler_drivers.h"
#include "drivers/tap_drivers.h"

enum { REOPEN_EVERY_MS = 100 };

static bool open_power(struct board *b, struct err *e)
{
	const struct bench_power *c = &b->config->power;

	(void)e;
	if (c->driver == BENCH_POWER_VIRTUAL)
		b->power = power_virtual_create(b->ready->control, b->config->pace == BENCH_PACE_WALL ? "real" : NULL);
	else
		b->power = power_command_create(c->on.argv, c->off.argv, c->state.argv, c->deadline_ms);
	return true;
}

static bool open_pace(struct board *b, struct err *e)
{
	b->pace = b->config->pace == BENCH_PACE_TURNS ? pace_turns_create(b->ready->control, e) : pace_wall_create(e);
	return b->pace;
}

static bool open_line(struct board *b, struct err *e)
{
	const struct bench_line *c = &b->config->line;

	(void)e;
	if (c->driver == BENCH_LINE_SERIAL)
		b->line = line_serial_create(b->pace, c->path);
	else
		b->line = line_rfc2217_create(b->pace, b->ready ? b->ready->uart_host : c->host, b->ready ? b->ready->uart_port : c->port);
	return true;
}

static bool open_tap(struct board *b, struct err *e)
{
	const struct bench_tap *c = &b->config->tap;
	uint8_t ip[4];

	if (c->driver == BENCH_TAP_STREAM) {
		b->tap = tap_stream_create(b->ready->tap, e);
	} else if (c->driver == BENCH_TAP_PCAP) {
		inet_pton(AF_INET, b->config->net.ip, ip);                   /* checked when the bench was read */
		b->tap = tap_pcap_create(c->interface, ip, e);
	} else {
		b->tap = tap_none_create();
	}
	return b->tap;
}

/* A reset by the power switch: a line that goes away with the power is opened again, when it is back. */
static bool cycle_for_flasher(void *opaque, struct err *e)
{
	struct board *b = opaque;
	const struct bench_line *c = &b->config->line;
	struct line_setup setup = { b->config->flash[0].baud, 8, 'N', 2 };
	uint64_t until;

	if (!c->survives_power)
		line_close(b->line);
	if (!board_power_cycle(b, e))
		return false;
	until = pace_now_ns(b->pace) + c->reopen_ms * NS_PER_MS;
	while (!b->line->is_open) {
		if (line_open(b->line, &setup, e))
			return true;
		if (pace_now_ns(b->pace) >= until || e->code == ERR_CANCELLED)
			return err_prefix(e, "after the power came back, within %u ms", c->reopen_ms);
		if (!pace_wait(b->pace, NULL, 0, pace_now_ns(b->pace) + REOPEN_EVERY_MS * NS_PER_MS, e))
			return false;
	}
	return true;
}

static struct flasher *open_atmel_isp(struct board *b, const struct bench_flash *c)
{
	struct isp_config isp = {
		.console = { b->type->limits.boot_baud, 8, 'N', 1 }, .baud = c->baud,
		.reset = { c->reset != BENCH_RESET_POWER, c->reset == BENCH_RESET_DTR ? LINE_DTR : LINE_RTS, c->reset_inverted },
		.boot = { c->boot != BENCH_BOOT_NONE, c->boot == BENCH_BOOT_DTR ? LINE_DTR : LINE_RTS, c->boot_inverted },
		.power_cycle = cycle_for_flasher, .opaque = b, .lock_step = c->echo == BENCH_ECHO_CHARACTER,
		.sync_tries = c->sync_tries, .step_ms = c->step_ms, .erase_ms = c->erase_ms, .total_ms = c->total_ms,
	};

	return atmel_isp_create(b->line, &isp);
}

static const struct { const char *method; struct flasher *(*open)(struct board *b, const struct bench_flash *c); } methods[] = {
	{ "atmel_isp", open_atmel_isp },
};

static struct flasher *open_method(struct board *b, const struct bench_flash *c)
{
	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
		if (!strcmp(methods[i].method, c->method) && board_type_has(b->type->methods, c->method))
			return methods[i].open(b, c);
	return NULL;
}

static bool open_flasher(struct board *b, struct err *e)
{
	const struct board_flash *flash = &b->type->flash;

	for (size_t i = 0; i < b->config->flash_count && !b->flasher; i++)
		b->flasher = open_method(b, &b->config->flash[i]);
	if (!b->flasher)
		return err_set(e, ERR_UNSUPPORTED, "none of the flash methods of the bench file (\"%s\"...) is one of the type %s", b->config->flash[0].method, b->type->name);
	b->flasher->flash_base = flash->base;
	b->flasher->flash_size = flash->size;
	b->flasher->expected_id = b->type->chip.id;
	for (size_t i = 0; i < flash->reserved_count; i++) {
		b->flasher->reserved[i].at = flash->reserved[i].at;
		b->flasher->reserved[i].size = flash->reserved[i].size;
	}
	return true;
}

bool board_open(const struct bench_board *config, const struct board_type *type, const struct vboard_ready *ready, struct board **out, struct err *e)
{
	struct board *b;

	if (config->is_virtual && !ready)
		return err_set(e, ERR_LOST, "board %s: its vboard process does not run", config->name);
	b = xcalloc(1, sizeof *b);
	b->config = config;
	b->type = type;
	b->ready = config->is_virtual ? ready : NULL;
	b->profiler = b->ready ? profiler_virtual_create(b->ready->control) : NULL;
	if (!open_power(b, e) || !open_pace(b, e) || !open_line(b, e) || !open_tap(b, e) || !open_flasher(b, e)) {
		board_close(b);
		return err_prefix(e, "board %s", config->name);
	}
	*out = b;
	return true;
}

void board_close(struct board *b)
{
	if (!b)
		return;
	flasher_destroy(b->flasher);
	tap_destroy(b->tap);
	line_destroy(b->line);
	if (b->power)
		power_off(b->power, &(struct err){ 0 });
	power_destroy(b->power);
	profiler_destroy(b->profiler);
	pace_destroy(b->pace);
	free(b);
}

/* With the power off no clock of the board runs: this pause is the host's. */
static bool pause_off(struct board *b, struct err *e)
{
	struct pollfd cancelled = { .fd = b->pace->cancel_fd, .events = POLLIN };

	if (poll(&cancelled, 1, (int)b->config->power.pause_ms) > 0)
		return err_set(e, ERR_CANCELLED, "cancelled");
	return true;
}

bool board_power_cycle(struct board *b, struct err *e)
{
	if (!power_off(b->power, e) || !pause_off(b, e) || !power_on(b->power, e))
		return false;
	pace_restarted(b->pace);
	return true;
}

bool board_endpoint(const struct board *b, enum link_proto proto, uint16_t port, struct endpoint *out, struct err *e)
{
	*out = (struct endpoint){ .proto = proto, .port = port };
	if (b->config->wire.mode != BENCH_WIRE_GATE) {
		snprintf(out->host, sizeof out->host, "%s", b->config->net.ip);
		return true;
	}
	for (size_t i = 0; i < b->ready->gate_count; i++) {
		const struct vboard_gate *g = &b->ready->gates[i];

		if (g->proto == proto && g->port == port) {
			snprintf(out->host, sizeof out->host, "%s", g->host);
			out->port = g->outer_port;
			return true;
		}
	}
	return err_set(e, ERR_NOT_FOUND, "the virtual board %s has no gate for %s port %u", b->config->name, proto == LINK_UDP ? "UDP" : "TCP", port);
}

void board_cancel(struct board *b)
{
	pace_cancel(b->pace);
}
