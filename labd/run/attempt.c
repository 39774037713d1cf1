// SPDX-License-Identifier: GPL-2.0-or-later
/* The sequence of one attempt. Each step is a function of the same shape; the first that fails decides the verdict. */
#include "run/attempt.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "config/bench.h"
#include "config/board_type.h"
#include "core/mem.h"
#include "image/identity.h"
#include "run/console.h"
#include "run/matrix.h"

enum { CONSOLE_LIMIT_BYTES = 4 << 20, LAST_TURN_MS = 20, WHO_MS = 1500, CONSOLE_AT_ONCE = 16 };

struct attempt {
	struct board *b;
	const struct attempt_order *o;
	const struct attempt_watch *w;
	struct attempt_result *r;
	struct console console;
	struct banner banner;
	unsigned power;                                                      /* power-ons so far */
	enum cause blamed;
	uint64_t powered_ns;                                                 /* the pace's clock at power-on; the host's does not begin there */
	uint64_t frames_before;                                              /* the capture's first record counts from here */
	bool touched;                                                        /* the flasher has begun to change the flash */
	bool suspect_line;                                                   /* the banner before flashing was unreadable, or missing though the board held an image */
	bool profiling;
	struct err profile_err;
	bool flashing;                                                       /* what is on the line is the boot loader's, not the console's */
	struct cell_params params;
	const struct workload_ops *workload;
};

/* ---- the console's record ---- */

static void hear_line(void *opaque, const struct console_line *l)
{
	struct attempt *a = opaque;

	banner_hear(&a->banner, l);
}

/* Neighbours of the same moment are one entry: a board prints a line in some hundred pieces. */
static void keep(struct attempt *a, uint64_t at_ns, const uint8_t *bytes, size_t n)
{
	struct attempt_result *r = a->r;
	struct console_piece *last = r->piece_count ? &r->pieces[r->piece_count - 1] : NULL;
	bool line_ended = r->console.size && r->console.bytes[r->console.size - 1] == '\n';

	if (r->console.size + n > CONSOLE_LIMIT_BYTES)
		return;
	if (!last || last->power != a->power || line_ended) {
		r->pieces = xrealloc(r->pieces, (r->piece_count + 1) * sizeof *r->pieces);
		last = &r->pieces[r->piece_count++];
		*last = (struct console_piece){ .at_ns = at_ns, .power = a->power, .at = r->console.size };
	}
	buf_add(&r->console, bytes, n);
	last->size += n;
}

static void hear(void *opaque, uint64_t at_ns, const uint8_t *bytes, size_t n)
{
	struct attempt *a = opaque;

	if (a->flashing)
		return;
	at_ns = at_ns > a->powered_ns ? at_ns - a->powered_ns : 0;
	keep(a, at_ns, bytes, n);
	console_feed(&a->console, bytes, n);
	a->r->bad_lines = a->console.bad;
	if (a->w->heard)
		a->w->heard(a->w->opaque, at_ns, bytes, n);
}

/* ---- steps ---- */

static bool interrupted(struct attempt *a, struct err *e)
{
	enum attempt_stop stop = a->w->stop(a->w->opaque);

	return stop != ATTEMPT_GO_ON && !err_set(e, ERR_CANCELLED, "cancelled");
}

static bool step(struct attempt *a, enum step s, struct err *e)
{
	if (interrupted(a, e))
		return false;
	a->r->step = s;
	a->w->step(a->w->opaque, s);
	return true;
}

static bool open_line(struct attempt *a, struct err *e)
{
	struct line_setup setup = { a->b->type->limits.boot_baud, 8, 'N', 1 };

	if (!step(a, STEP_LINE, e))
		return false;
	a->blamed = CAUSE_LINE;
	return a->b->line->is_open ? line_setup(a->b->line, &setup, e) : line_open(a->b->line, &setup, e);
}

static uint64_t in_ms(struct attempt *a, uint64_t ms)
{
	return pace_now_ns(a->b->pace) + ms * NS_PER_MS;
}

/* Lines that come with the board's power are opened after it, and asked for what they missed. */
static bool open_late(struct attempt *a, struct err *e)
{
	static const char who[] = "@lab who\r";
	uint64_t until = in_ms(a, a->b->config->line.reopen_ms);
	bool ok;

	while (!(ok = open_line(a, e)) && e->code != ERR_CANCELLED && pace_now_ns(a->b->pace) < until)
		if (!pace_wait(a->b->pace, NULL, 0, in_ms(a, 100), e))
			return false;
	return ok && line_write(a->b->line, who, sizeof who - 1, in_ms(a, WHO_MS), e);
}

static bool power_cycle(struct attempt *a, struct err *e)
{
	bool survives = a->b->config->line.survives_power;

	if (!survives)
		line_close(a->b->line);
	else if (!open_line(a, e))
		return false;
	if (!step(a, STEP_POWER, e))
		return false;
	a->banner = (struct banner){ 0 };
	a->console.size = 0;
	a->console.overlong = false;
	a->power++;
	if (!board_power_cycle(a->b, e))
		return false;
	a->powered_ns = pace_now_ns(a->b->pace);
	return (survives || open_late(a, e));
}

/*
 * How many bytes to wait for at once. Waiting for each alone would cost a turn a byte; more than some would blur the time at which a line was heard.
 * Never beyond the end of the shortest net line that can still come: the drive begins at its last byte, not a moment later.
 */
static size_t bytes_at_once(const struct attempt *a)
{
	static const char begin[] = "@lab net ", rest[] = "link=up ip= mac= *hh\r\n";
	const struct bench_net *net = &a->b->config->net;
	size_t line = sizeof begin - 1 + sizeof rest - 1 + strlen(net->ip) + strlen(net->mac), have = a->console.size;
	bool may_be_net = strncmp(a->console.text, begin, have < sizeof begin - 1 ? have : sizeof begin - 1) == 0;
	size_t left = !may_be_net ? line : have < line ? line - have : 1;

	return left < CONSOLE_AT_ONCE ? left : CONSOLE_AT_ONCE;
}

/* Read until the board says that its services listen, it reports a fault, or the time its type allows is over. */
static bool read_banner(struct attempt *a, struct err *e)
{
	uint64_t until = in_ms(a, a->b->type->limits.boot_ms);
	uint8_t bytes[256];

	while (!a->banner.net && !a->banner.fault) {
		long got = line_read(a->b->line, bytes, sizeof bytes, bytes_at_once(a), until, e);

		if (got < 0 || interrupted(a, e))
			return false;
		if (got == 0 && pace_now_ns(a->b->pace) >= until)
			break;
	}
	if (a->banner.boot && a->banner.net)
		a->r->boot_ns = (int64_t)(pace_now_ns(a->b->pace) - a->powered_ns);
	return true;
}

static bool heard_nothing(const struct attempt *a)
{
	return a->r->piece_count == 0 || a->r->pieces[a->r->piece_count - 1].power != a->power;
}

/* What a board that did not come up looks like from here, the most telling sign first. */
static bool explain_boot(struct attempt *a, struct err *e)
{
	uint32_t ms = a->b->type->limits.boot_ms;

	a->blamed = CAUSE_BOARD;
	if (a->banner.fault && strcmp(a->banner.what, "identity") == 0)
		a->blamed = CAUSE_FLASH;
	if (a->banner.fault && strcmp(a->banner.what, "link") == 0)
		a->blamed = CAUSE_NETWORK;
	if (a->banner.fault)
		return err_set(e, ERR_PROTOCOL, "the board reports a fault after power-on: what=%s", a->banner.what);
	a->blamed = CAUSE_NETWORK;
	if (a->banner.boot)
		return err_set(e, ERR_TIMEOUT, "the board booted but saw no network link within %u ms of power-on", ms);
	a->blamed = CAUSE_LINE;
	if (a->console.bad)
		return err_set(e, ERR_PROTOCOL, "no readable banner within %u ms of power-on: %u console lines with a wrong sum; look at the serial line", ms, a->console.bad);
	if (heard_nothing(a))
		return err_set(e, ERR_TIMEOUT, "nothing heard on the serial line within %u ms of power-on", ms);
	a->blamed = CAUSE_FIRMWARE;
	return err_set(e, ERR_TIMEOUT, "the firmware printed no banner within %u ms of power-on", ms);
}

static void identity_text(struct attempt *a, char out[64])
{
	snprintf(out, 64, "%s %s", a->b->config->net.mac, a->b->config->net.ip);
}

/* Build, and the addresses of this very unit. */
static bool proves_image(struct attempt *a, struct err *e)
{
	const struct bench_net *net = &a->b->config->net;

	if (!a->banner.boot)
		return err_set(e, ERR_MISMATCH, "no banner");
	if (strcmp(a->banner.build, a->o->image->build) != 0)
		return err_set(e, ERR_MISMATCH, "the board runs build %s, wanted is %s", a->banner.build, a->o->image->build);
	if (a->b->type->identity && (strcasecmp(a->banner.mac, net->mac) != 0 || strcmp(a->banner.ip, net->ip) != 0))
		return err_set(e, ERR_MISMATCH, "the board says it is %s %s, the bench file says %s %s", a->banner.mac, a->banner.ip, net->mac, net->ip);
	return true;
}

/* The image as this unit gets it. */
static bool unit_image(struct attempt *a, struct image **out, struct err *e)
{
	const struct bench_net *net = &a->b->config->net;
	struct identity id;
	bool ok;

	if (!lab_image_load(a->o->image, out, e))
		return false;
	if (!a->o->image->has_identity)
		return true;
	ok = identity_from_text(net->mac, net->ip, net->mask, net->gateway, &id, e) && identity_patch(*out, a->o->image->identity_at, &id, e);
	if (!ok) {
		image_destroy(*out);
		*out = NULL;
	}
	return ok;
}

/* From the first step that writes on, nobody knows what the flash holds; a loader that does not answer has changed nothing. */
static void on_flash_step(void *opaque, const char *what, size_t done, size_t total)
{
	struct attempt *a = opaque;

	if (!a->touched && strcmp(what, "connect") != 0)
		a->w->holds(a->w->opaque, NULL, NULL, false);
	a->touched |= strcmp(what, "connect") != 0;
	a->w->progress(a->w->opaque, what, done, total);
}

static bool flash(struct attempt *a, struct err *e)
{
	struct progress p = { on_flash_step, a };
	struct image *image = NULL;
	uint64_t from;
	char identity[64];
	bool ok;

	if (!step(a, STEP_IMAGE, e) || !unit_image(a, &image, e))
		return false;
	identity_text(a, identity);
	ok = step(a, STEP_FLASH, e);
	a->blamed = a->suspect_line ? CAUSE_LINE : CAUSE_NONE;
	from = pace_now_ns(a->b->pace);
	a->flashing = true;
	ok = ok && flasher_program(a->b->flasher, image, &p, e);
	a->flashing = false;
	if (ok) {
		/* A virtual board's clock starts anew at a reset by power; then there is no duration to tell. */
		a->r->flash_ns = pace_now_ns(a->b->pace) >= from ? (int64_t)(pace_now_ns(a->b->pace) - from) : -1;
		a->r->flash_bytes = (int64_t)image_bytes(image);
		a->w->holds(a->w->opaque, a->o->image, identity, true);
	}
	image_destroy(image);
	return ok;
}

static bool boot(struct attempt *a, struct err *e)
{
	if (!power_cycle(a, e) || !step(a, STEP_BOOT, e))
		return false;
	a->blamed = CAUSE_LINE;
	return read_banner(a, e);
}

/* Does the board hold the image already? By its banner, or by reading back where the type cannot tell. */
static bool holds_already(struct attempt *a)
{
	struct err unused;
	struct image *image = NULL;
	bool same;

	if (a->b->type->proof == BOARD_PROOF_BANNER)
		return proves_image(a, &unused);
	if (a->b->type->proof != BOARD_PROOF_VERIFY || !unit_image(a, &image, &unused))
		return false;
	same = flasher_verify(a->b->flasher, image, NULL, &unused);
	image_destroy(image);
	return same;
}

static bool boot_with_image(struct attempt *a, bool force, struct err *e)
{
	char identity[64];

	if (!boot(a, e))
		return false;
	a->suspect_line = a->console.bad > 0 || (a->o->known && heard_nothing(a));
	if ((force || !holds_already(a)) && (!flash(a, e) || !boot(a, e)))
		return false;
	if (!a->banner.net && a->b->type->proof == BOARD_PROOF_BANNER)
		return explain_boot(a, e);
	if (a->b->type->proof == BOARD_PROOF_BANNER && (!step(a, STEP_PROOF, e) || !proves_image(a, e)))
		return false;
	identity_text(a, identity);
	a->w->holds(a->w->opaque, a->o->image, identity, false);
	return true;
}

static bool start_tap(struct attempt *a, struct err *e)
{
	if (!step(a, STEP_TAP, e))
		return false;
	if (!tap_captures(a->b->tap))
		return err_set(e, ERR_UNSUPPORTED, "this board has no tap: figures are measured on the wire, so there are none");
	a->frames_before = pace_frames(a->b->pace);
	return tap_start(a->b->tap, a->o->capture, e);
}

/* The measured part is what is counted: from the trigger to the last byte. */
static void profile_at_mark(void *opaque, enum pace_mark m)
{
	struct attempt *a = opaque;

	if (m == PACE_MARK_BEGIN)
		a->profiling = profiler_start(a->b->profiler, &a->profile_err);
	else if (a->profiling)
		a->r->profile = profiler_stop(a->b->profiler, &a->profile_err);
}

static bool drive_profiled(struct attempt *a, const struct endpoint *to, uint64_t deadline, struct err *e)
{
	bool ok;

	a->b->pace->marked = profile_at_mark;
	a->b->pace->opaque = a;
	ok = a->workload->drive(&a->params, a->b->pace, to, deadline, &a->blamed, e);
	a->b->pace->marked = NULL;
	if (!ok || a->r->profile)
		return ok;
	a->blamed = CAUSE_UNSUPPORTED;
	*e = a->profile_err;
	return err_prefix(e, "profile");
}

static bool drive(struct attempt *a, struct err *e)
{
	struct endpoint to;
	uint64_t deadline;

	if (!step(a, STEP_DRIVE, e))
		return false;
	a->blamed = CAUSE_HOST;
	if (!board_endpoint(a->b, a->params.proto, a->workload->port(&a->params), &to, e))
		return false;
	deadline = pace_now_ns(a->b->pace) + (uint64_t)a->o->deadline_ms * NS_PER_MS;
	if (a->o->profile)
		return drive_profiled(a, &to, deadline, e);
	return a->workload->drive(&a->params, a->b->pace, &to, deadline, &a->blamed, e);
}

/* What the board said since the banner (docs/workloads.md "done") belongs to the record; nobody waits for it. */
static void hear_the_rest(struct attempt *a)
{
	uint8_t bytes[256];
	struct err unused;

	while (line_read(a->b->line, bytes, sizeof bytes, 1, pace_now_ns(a->b->pace), &unused) > 0)
		;
}

/* A short last turn, so that what the exchange still has to say on the wire is in the capture; then the tap ends. Also after a failed drive:
   the capture tells why. */
static bool stop_tap(struct attempt *a, bool driven, struct err *e)
{
	uint64_t frames;
	struct err unused;
	bool ok = true;

	if (driven)
		ok = step(a, STEP_CAPTURE, e) && pace_wait(a->b->pace, NULL, 0, in_ms(a, LAST_TURN_MS), e);
	frames = pace_frames(a->b->pace);
	if (ok && driven)
		hear_the_rest(a);
	a->r->captured = tap_stop(a->b->tap, frames == UINT64_MAX ? frames : frames - a->frames_before, ok && driven ? e : &unused);
	return ok && driven && a->r->captured;
}

static bool wire_address(const char *text, uint8_t out[4])
{
	return inet_pton(AF_INET, text, out) == 1;
}

static bool measure(struct attempt *a, struct err *e)
{
	struct flow_query q = { 0 };

	if (!step(a, STEP_MEASURE, e))
		return false;
	a->workload->query(&a->params, &q);
	if (!wire_address(a->b->config->net.ip, q.board_ip) || !wire_address(a->b->config->net.host, q.host_ip))
		return err_set(e, ERR_INVALID, "net.ip or net.host of the bench file is not an address");
	if (!flow_measure(a->o->capture, &q, &a->r->figures, e))
		return false;
	a->r->has_figures = true;
	return a->r->figures.payload_ok || err_set(e, ERR_MISMATCH, "wrong payload on the wire at byte %llu", (unsigned long long)a->r->figures.payload_bad_at);
}

static bool drive_and_measure(struct attempt *a, struct err *e)
{
	bool driven;

	if (!start_tap(a, e))
		return false;
	driven = drive(a, e);
	return stop_tap(a, driven, e) && measure(a, e);
}

static bool prepare(struct attempt *a, struct err *e)
{
	if (!step(a, STEP_IMAGE, e))
		return false;
	if (strcmp(a->o->workload, "flash") == 0)
		return true;
	a->blamed = CAUSE_REQUEST;
	a->r->step = STEP_DRIVE;
	a->workload = workload_find(a->o->workload);
	if (!a->workload)
		return err_set(e, ERR_INVALID, "there is no workload \"%s\"", a->o->workload);
	return cell_params_from_json(a->o->params, &a->params, e) && a->workload->check(&a->params, e);
}

static bool all_steps(struct attempt *a, struct err *e)
{
	return prepare(a, e) && boot_with_image(a, a->workload == NULL, e) && (!a->workload || drive_and_measure(a, e));
}

void attempt_stopped(enum attempt_stop by, int64_t deadline_ms, struct attempt_result *r)
{
	switch (by) {
	case ATTEMPT_CANCELLED:
		/* What the interrupted step made of it (a flasher: noise) does not count. */
		r->judgement = (struct judgement){ VERDICT_CANCELLED, CAUSE_REQUEST, false };
		err_set(&r->err, ERR_CANCELLED, "cancelled on request");
		break;
	case ATTEMPT_STOPPING:
		r->judgement = (struct judgement){ VERDICT_ERROR, CAUSE_DAEMON, true };
		err_set(&r->err, ERR_CANCELLED, "labd was stopped while this ran (step %s)", step_word(r->step));
		break;
	case ATTEMPT_TOO_LONG:
		r->judgement = (struct judgement){ VERDICT_TIMEOUT, r->step == STEP_DRIVE ? CAUSE_FIRMWARE : CAUSE_HOST, false };
		err_set(&r->err, ERR_TIMEOUT, "not finished within %lld s of wall time (step %s)", (long long)(deadline_ms / 1000), step_word(r->step));
		break;
	case ATTEMPT_GO_ON:
		break;
	}
}

/* A board that loses its power looks dead to whoever talks to it just then. A switch that can tell knows better. */
static void look_at_power(struct attempt *a, struct attempt_result *r)
{
	bool on = true;

	if (a->power == 0 || r->step <= STEP_POWER || a->w->stop(a->w->opaque) != ATTEMPT_GO_ON || !power_state(a->b->power, &on, NULL) || on)
		return;
	r->judgement = (struct judgement){ VERDICT_ERROR, CAUSE_POWER, true };
	err_prefix(&r->err, "the board lost its power in step %s", step_word(r->step));
}

void attempt_run(struct board *b, const struct attempt_order *o, const struct attempt_watch *w, struct attempt_result *out)
{
	struct attempt a = { .b = b, .o = o, .w = w, .r = out };

	*out = (struct attempt_result){ .flash_ns = -1, .flash_bytes = -1, .boot_ns = -1 };
	a.console = (struct console){ .line = hear_line, .opaque = &a };
	b->line->heard = hear;
	b->line->opaque = &a;
	if (all_steps(&a, &out->err)) {
		out->step = STEP_STORE;
		out->judgement = (struct judgement){ VERDICT_PASS, CAUSE_NONE, false };
	} else {
		out->judgement = judge(out->step, out->err.code, a.blamed);
		look_at_power(&a, out);
		attempt_stopped(w->stop(w->opaque), o->deadline_ms, out);
	}
	b->line->heard = NULL;
}

void attempt_result_finish(struct attempt_result *r)
{
	if (r->has_figures)
		flow_figures_finish(&r->figures);
	buf_finish(&r->console);
	free(r->pieces);
	json_decref(r->profile);
}
