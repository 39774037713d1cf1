// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How fast the pipeline is: a virtual board with nothing in its flash is flashed and runs the three published cells, with the parts of the daemon in this
 * process so that they can be watched. Prints one JSON object a line for ./lab bench: virtual seconds for each second of the wall, the time a job costs beside
 * that, and the flasher's speed beside the least that line and flash allow.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/board.h"
#include "bench/supervisor.h"
#include "config/bench.h"
#include "config/board_type.h"
#include "core/clock.h"
#include "core/err.h"
#include "core/mem.h"
#include "drivers/flash_drivers.h"
#include "image/image.h"
#include "run/attempt.h"
#include "run/images.h"

enum { PAGE_WRITE_US = 10000, DISPLAY_CHARS_PER_16 = 39, CHIP_BITS_PER_CHAR = 10 };

static const unsigned payloads[] = { 1460, 750, 100 };

static const char bench_text[] =
	"{\"version\":1,\"name\":\"bench\",\"boards\":[{\"name\":\"bench-8051\",\"type\":\"at89c51ed2-cs8900a\",\"power\":{\"driver\":\"virtual\"},"
	"\"line\":{\"driver\":\"rfc2217\",\"survives_power\":true},\"flash\":[{\"method\":\"atmel_isp\",\"reset\":\"dtr\",\"boot\":\"rts\"}],"
	"\"wire\":{\"mode\":\"gate\",\"rate\":10000000,\"latency_ns\":155000,\"ack_delay_ms\":0,\"outer\":\"127.77.9.9\",\"ports\":\"auto\"},"
	"\"net\":{\"mac\":\"02:00:00:77:09:01\",\"ip\":\"10.77.9.1\",\"host\":\"10.77.9.254\"},\"tap\":{\"driver\":\"stream\"}}]}";

struct lab_parts {
	struct board_types types;
	struct bench *bench;
	const struct board_type *type;
	struct images images;
	struct supervisor *supervisor;
	struct vboard_ready ready;
	struct board *board;
};

/* An instant on both clocks. */
struct instant {
	uint64_t wall_ns, board_ns;
};

struct times {
	struct lab_parts *parts;
	struct instant power, driven, program_begin, program_end, verify_end;
	uint64_t verified_bytes;
};

static struct instant now(const struct times *t)
{
	return (struct instant){ clock_now_ns(&clock_host), pace_now_ns(t->parts->board->pace) };
}

static void at_step(void *opaque, enum step s)
{
	struct times *t = opaque;

	if (s == STEP_BOOT)                          /* right after the last power-on: the board's clock is at 0 */
		t->power = now(t);
	if (s == STEP_CAPTURE)
		t->driven = now(t);
}

static void at_progress(void *opaque, const char *what, size_t done, size_t total)
{
	struct times *t = opaque;

	if (strcmp(what, "program") == 0 && done == 0)
		t->program_begin = now(t);
	if (strcmp(what, "program") == 0 && done == total)
		t->program_end = now(t);
	if (strcmp(what, "verify") == 0 && done == total) {
		t->verify_end = now(t);
		t->verified_bytes = total;
	}
}

static enum attempt_stop never(void *opaque)
{
	(void)opaque;
	return ATTEMPT_GO_ON;
}

static void hold(void *opaque, const struct lab_image *i, const char *identity, bool wrote)
{
	(void)opaque, (void)i, (void)identity, (void)wrote;
}

static const struct board_type *find_type(void *opaque, const char *name)
{
	return board_types_find(opaque, name);
}

static bool open_parts(struct lab_parts *p, const char *source, const char *build, struct err *e)
{
	char *types = xasprintf("%s/fixtures/boards", source), *images = xasprintf("%s/firmware/images.json", build);
	char *vboard = xasprintf("%s/fixtures/virtual/vboard", build);
	struct supervisor_config c = { .vboard = vboard };
	bool ok = board_types_load(types, &p->types, e) && bench_parse("bench", bench_text, sizeof bench_text - 1, &p->bench, e)
	          && images_load(images, find_type, &p->types, &p->images, e);

	c.bench = p->bench;
	p->type = ok ? board_types_find(&p->types, p->bench->boards[0].type) : NULL;
	ok = ok && p->type && supervisor_create(&c, &p->supervisor, e) && supervisor_ready(p->supervisor, "bench-8051", 10000, &p->ready, NULL, e)
	     && board_open(&p->bench->boards[0], p->type, &p->ready, &p->board, e);
	free(types);
	free(images);
	free(vboard);
	return ok;
}

static void close_parts(struct lab_parts *p)
{
	board_close(p->board);
	supervisor_destroy(p->supervisor);
	images_finish(&p->images);
	bench_destroy(p->bench);
	board_types_finish(&p->types);
}

static bool run_cell(struct lab_parts *p, const struct lab_image *image, unsigned payload, struct times *t, uint64_t *wall_ns, struct err *e)
{
	char capture[] = "/tmp/pipeline_bench.XXXXXX";
	int fd = mkstemp(capture);
	json_t *params = json_pack("{s:i, s:i}", "payload_bytes", (int)payload, "count", 100);
	struct attempt_order order = { .workload = "trigger", .params = params, .image = image, .capture = capture, .deadline_ms = 120000, .clock = &clock_host };
	struct attempt_watch watch = { .step = at_step, .progress = at_progress, .stop = never, .holds = hold, .opaque = t };
	struct attempt_result r;
	uint64_t begin = clock_now_ns(&clock_host);

	close(fd);
	attempt_run(p->board, &order, &watch, &r);
	*wall_ns = clock_now_ns(&clock_host) - begin;
	*e = r.err;
	bool ok = r.has_figures;
	attempt_result_finish(&r);
	unlink(capture);
	json_decref(params);
	return ok;
}

static void row(const char *name, double value, const char *unit, const char *peer, double peer_value, double ratio, double goal)
{
	json_t *j = json_pack("{s:s, s:f, s:s, s:s?, s:f, s:f, s:o}", "name", name, "value", value, "unit", unit, "peer", peer, "peer_value", peer_value, "ratio", ratio, "goal",
	                      goal > 0 ? json_real(goal) : json_null());

	json_dumpf(j, stdout, JSON_COMPACT | JSON_REAL_PRECISION(9));
	putchar('\n');
	json_decref(j);
}

static double s(uint64_t ns)
{
	return (double)ns / 1e9;
}

static void print_flash(const struct times *t, const struct lab_image *image, struct err *e)
{
	struct image *img;

	if (!lab_image_load(image, &img, e))
		return;
	double programmed = s(t->program_end.board_ns - t->program_begin.board_ns), limit = s(atmel_isp_limit_ns(img, 115200, PAGE_WRITE_US));
	double verified = s(t->verify_end.board_ns - t->program_end.board_ns);
	double shown = (double)t->verified_bytes / 16 * DISPLAY_CHARS_PER_16 * CHIP_BITS_PER_CHAR / 115200;

	row("isp_program_s", programmed, "s", "115200 baud + 10 ms a page", limit, limit / programmed, 0.9);
	row("isp_verify_s", verified, "s", "the loader's display at 115200 baud", shown, shown / verified, 0);
	image_destroy(img);
}

static bool run_all(struct lab_parts *p, struct err *e)
{
	json_t *variant = variant_complete(p->type, NULL, e);
	const struct lab_image *image = variant ? images_select(&p->images, p->type->name, variant, e) : NULL;
	uint64_t board_ns = 0, wall_ns = 0, whole_ns = 0, one;
	struct times t = { .parts = p };

	json_decref(variant);
	if (!image || !run_cell(p, image, payloads[0], &t, &one, e))         /* flashes; not counted */
		return false;
	print_flash(&t, image, e);
	for (size_t i = 0; i < sizeof payloads / sizeof *payloads; i++) {
		if (!run_cell(p, image, payloads[i], &t, &one, e))
			return false;
		board_ns += t.driven.board_ns - t.power.board_ns;
		wall_ns += t.driven.wall_ns - t.power.wall_ns;
		whole_ns += one;
	}
	row("virtual_s_per_wall_s", s(board_ns) / s(wall_ns), "s/s", "real time", 1, s(board_ns) / s(wall_ns), 100);
	row("job_overhead_s", s(whole_ns - wall_ns) / 3, "s/job", "its power-on to last ACK", s(wall_ns) / 3, (double)(whole_ns - wall_ns) / (double)wall_ns, 0);
	return true;
}

int main(void)
{
	const char *source = getenv("LAB_SOURCE"), *build = getenv("LAB_BUILD");
	struct lab_parts p = { 0 };
	struct err e = { 0 };
	bool ok = open_parts(&p, source ? source : ".", build ? build : "build/release", &e) && run_all(&p, &e);

	if (!ok)
		fprintf(stderr, "pipeline_bench: %s\n", e.msg[0] ? e.msg : "the board type of the bench is not there");
	close_parts(&p);
	return ok ? 0 : 1;
}
