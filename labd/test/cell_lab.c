// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/cell_lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/log.h"
#include "core/mem.h"

#define TYPE "at89c51ed2-cs8900a"

static const char *folder(const char *variable)
{
	const char *path = getenv(variable);

	return path ? path : ".";
}

static char *bench_text(const struct cell_setup *s)
{
	return xasprintf("{\"version\":1,\"name\":\"cells\",\"boards\":[{\"name\":\"cell\",\"type\":\"" TYPE "\",\"power\":{\"driver\":\"virtual\",\"pause_ms\":0},"
		"\"line\":{\"driver\":\"rfc2217\",\"survives_power\":true},\"flash\":[{\"method\":\"atmel_isp\",\"reset\":\"dtr\",\"boot\":\"rts\"}],"
		"\"wire\":{\"mode\":\"gate\",\"outer\":\"127.77.8.1\",\"ports\":\"auto\"%s%s},\"net\":{\"mac\":\"02:00:00:77:00:01\",\"ip\":\"10.77.0.1\",\"host\":\"10.77.0.254\"},"
		"\"tap\":{\"driver\":\"stream\"},\"chip\":{%s},\"faults\":[%s%s%s]}]}", s->wire ? "," : "", s->wire ? s->wire : "", s->chip ? s->chip : "",
		s->fault ? "\"" : "", s->fault ? s->fault : "", s->fault ? "\"" : "");
}

static const struct board_type *find_type(void *opaque, const char *name)
{
	return board_types_find(opaque, name);
}

static bool read_all(struct cell_lab *lab, const struct cell_setup *s, struct err *e)
{
	char *types = xasprintf("%s/fixtures/boards", folder("LAB_SOURCE")), *text = bench_text(s);
	char *images = xasprintf("%s/firmware/%s", folder("LAB_BUILD"), s->images ? s->images : "images.json");
	bool ok = board_types_load(types, &lab->types, e) && bench_parse("cells", text, strlen(text), &lab->bench, e)
	          && images_load(images, find_type, &lab->types, &lab->images, e);

	free(types);
	free(text);
	free(images);
	return ok;
}

static void quiet(void *opaque, enum log_level level, const char *tag, const char *line)
{
	(void)opaque, (void)tag;
	if (level <= LOG_WARN)
		fprintf(stderr, "%s\n", line);
}

bool cell_lab_open(struct cell_lab *lab, const struct cell_setup *setup, struct err *e)
{
	static const struct cell_setup usual = { NULL, NULL, NULL, NULL };
	char *vboard = xasprintf("%s/fixtures/virtual/vboard", folder("LAB_BUILD"));
	struct supervisor_config c = { .vboard = vboard };
	bool ok;

	*lab = (struct cell_lab){ .bench = NULL };
	log_set_sink(quiet, NULL);
	ok = read_all(lab, setup ? setup : &usual, e);
	c.bench = lab->bench;
	ok = ok && supervisor_create(&c, &lab->supervisor, e) && supervisor_ready(lab->supervisor, "cell", 20000, &lab->ready, NULL, e)
	     && board_open(&lab->bench->boards[0], board_types_find(&lab->types, TYPE), &lab->ready, &lab->board, e);
	free(vboard);
	if (!ok)
		cell_lab_close(lab);
	return ok;
}

void cell_lab_close(struct cell_lab *lab)
{
	board_close(lab->board);
	supervisor_destroy(lab->supervisor);
	images_finish(&lab->images);
	bench_destroy(lab->bench);
	board_types_finish(&lab->types);
	*lab = (struct cell_lab){ .bench = NULL };
}

const struct lab_image *cell_lab_image(struct cell_lab *lab, const struct cell *c, struct err *e)
{
	static const struct cell plain = { .check_rx = NULL };
	const struct cell *of = c ? c : &plain;
	json_t *wanted = json_pack("{s:s*, s:s*, s:s*}", "check_rx", of->check_rx, "checksum", of->checksum, "clock", of->clock);
	json_t *variant = variant_complete(board_types_find(&lab->types, TYPE), wanted, e);
	const struct lab_image *image = variant ? images_select(&lab->images, TYPE, variant, e) : NULL;

	json_decref(wanted);
	json_decref(variant);
	return image;
}

static void on_step(void *opaque, enum step s)
{
	(void)opaque, (void)s;
}

static void on_progress(void *opaque, const char *what, size_t done, size_t total)
{
	(void)opaque, (void)what, (void)done, (void)total;
}

static enum attempt_stop on_stop(void *opaque)
{
	(void)opaque;
	return ATTEMPT_GO_ON;
}

static void on_holds(void *opaque, const struct lab_image *i, const char *identity, bool wrote)
{
	(void)opaque, (void)i, (void)identity, (void)wrote;
}

bool cell_lab_run(struct cell_lab *lab, const struct cell *c, struct attempt_result *out, struct err *e)
{
	static const struct attempt_watch watch = { on_step, on_progress, NULL, on_stop, on_holds, NULL };
	const struct lab_image *image = cell_lab_image(lab, c, e);
	json_t *params = json_pack("{s:i, s:i, s:s, s:b}", "payload_bytes", (int)c->payload_bytes, "count", c->count ? (int)c->count : CELL_COUNT,
	                           "transport", c->udp ? "udp" : "tcp", "ack", (int)c->ack);
	struct attempt_order o = { .workload = "trigger", .params = params, .image = image, .capture = c->capture, .profile = c->profile, .deadline_ms = 120000,
	                           .clock = &clock_host };

	*out = (struct attempt_result){ .flash_ns = -1 };
	if (image)
		attempt_run(lab->board, &o, &watch, out);
	json_decref(params);
	if (image && out->judgement.verdict == VERDICT_PASS)
		return true;
	if (image)
		*e = out->err;
	return false;
}
