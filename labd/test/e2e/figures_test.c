// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the virtual bench promises: the same image on the same bench gives the same figures and the same packets, to the last digit and byte, whatever ran
 * before, in whatever order, on a loaded machine or an idle one, from a fresh state folder or an old one.
 */
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab_rig.h"
#include "test/harness.h"

enum { CELLS = 3 };

/* What must not change between two runs, by cell name in the matrix's order. */
struct measured {
	char *figures[CELLS], capture[CELLS][65];
};

static json_t *by_payload(json_t *report, int payload)
{
	json_t *cell;
	size_t i;

	json_array_foreach(json_object_get(report, "cells"), i, cell)
		if (json_integer_value(json_object_get(cell, "payload_bytes")) == payload)
			return cell;
	return NULL;
}

static const int payloads[CELLS] = { 1460, 750, 100 };

static bool take(struct lab_rig *r, json_t *report, struct measured *m)
{
	for (size_t i = 0; i < CELLS; i++) {
		json_t *cell = by_payload(report, payloads[i]);
		const char *capture = text_in(cell, "capture");

		if (strcmp(text_in(cell, "verdict"), "pass") != 0) {
			printf("payload %d: %s, %s: %s\n%s\n", payloads[i], text_in(cell, "verdict"), text_in(cell, "cause"), text_in(cell, "error"), r->err);
			return false;
		}
		m->figures[i] = json_dumps(json_object_get(cell, "figures"), JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
		if (!file_sha256(capture, m->capture[i]))
			return false;
	}
	return true;
}

/* One run with words of labctl run; NULL ends them. */
static bool measure(struct lab_rig *r, const char *option, struct measured *m)
{
	json_t *report = rig_ctl_json(r, "run", "published", "--wait", option, NULL);
	bool ok = report && r->status == 0 && take(r, report, m);

	json_decref(report);
	return ok;
}

static bool same(const struct measured *a, const struct measured *b)
{
	bool same = true;

	for (size_t i = 0; i < CELLS; i++) {
		if (strcmp(a->figures[i], b->figures[i]) != 0)
			same = (printf("payload %d: figures\n%s\n%s\n", payloads[i], a->figures[i], b->figures[i]), false);
		if (strcmp(a->capture[i], b->capture[i]) != 0)
			same = (printf("payload %d: captures differ\n", payloads[i]), false);
	}
	return same;
}

static void drop(struct measured *m)
{
	for (size_t i = 0; i < CELLS; i++)
		free(m->figures[i]);
	memset(m, 0, sizeof *m);
}

static pid_t busy_loop(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (volatile unsigned n = 0;; n++)
		;
}

TEST(every_run_of_the_published_matrix_gives_the_same_figures_and_the_same_packets)
{
	struct lab_rig r, fresh;
	struct measured first = { 0 }, again = { 0 };
	pid_t loops[2];
	bool ok;

	CHECK(rig_prepare_and_start(&r, NULL));
	CHECK(measure(&r, NULL, &first));                                    /* the board comes without firmware: this one flashes */

	CHECK(measure(&r, NULL, &again) && same(&first, &again));
	drop(&again);
	CHECK(measure(&r, "--reverse", &again) && same(&first, &again));
	drop(&again);

	for (int i = 0; i < 2; i++)
		loops[i] = busy_loop();
	ok = measure(&r, NULL, &again);
	for (int i = 0; i < 2; i++) {
		kill(loops[i], SIGKILL);
		waitpid(loops[i], NULL, 0);
	}
	CHECK(ok && same(&first, &again));
	drop(&again);
	CHECK(rig_stop(&r));

	CHECK(rig_prepare_and_start(&fresh, &(struct rig_setup){ .name = "fresh" }));
	CHECK(measure(&fresh, "--reverse", &again) && same(&first, &again));
	CHECK(rig_stop(&fresh));
	CHECK_EQ(rig_left_over(&r), 0);
	CHECK_EQ(rig_socket_folders(&r), 0);
	drop(&again);
	drop(&first);
	rig_finish(&fresh);
	rig_finish(&r);
}

/* Key and type; what a script may rely on. */
static const struct { const char *key; json_type type; } contract[] = {
	{ "cell", JSON_STRING }, { "board", JSON_STRING }, { "board_type", JSON_STRING }, { "virtual", JSON_TRUE }, { "workload", JSON_STRING }, { "variant", JSON_OBJECT },
	{ "payload_bytes", JSON_INTEGER }, { "verdict", JSON_STRING }, { "cause", JSON_STRING }, { "attempt", JSON_INTEGER }, { "figures", JSON_OBJECT },
	{ "published", JSON_ARRAY }, { "image", JSON_OBJECT }, { "capture", JSON_STRING }, { "wall_s", JSON_REAL },
};
static const char *const figure_keys[] = { "goodput_byte_per_s", "frames_per_s", "elapsed_s" };

static bool keeps_contract(const json_t *cell)
{
	for (size_t i = 0; i < sizeof contract / sizeof *contract; i++) {
		json_t *value = json_object_get(cell, contract[i].key);

		if (!value || json_typeof(value) != contract[i].type)
			return printf("%s is missing or of another type\n", contract[i].key), false;
	}
	for (size_t i = 0; i < sizeof figure_keys / sizeof *figure_keys; i++)
		if (!json_is_real(json_object_get(json_object_get(cell, "figures"), figure_keys[i])))
			return printf("figures.%s is missing\n", figure_keys[i]), false;
	return true;
}

static bool published_is_whole(const json_t *cell)
{
	json_t *all = json_object_get(cell, "published"), *one;
	size_t i;

	json_array_foreach(all, i, one)
		if (!text_in(one, "figure")[0] || !json_is_number(json_object_get(one, "value")) || !text_in(one, "unit")[0] || !text_in(one, "source")[0]
		    || !json_is_array(json_object_get(one, "differs")))
			return printf("published[%zu] is not whole\n", i), false;
	return json_array_size(all) >= 3;
}

TEST(the_document_of_a_run_has_every_key_that_is_promised_and_a_capture_that_can_be_opened)
{
	struct lab_rig r;
	json_t *report, *image;

	CHECK(rig_prepare_and_start(&r, NULL));
	report = rig_ctl_json(&r, "run", "published", "--wait", NULL);
	CHECK(report && r.status == 0);
	CHECK(json_is_integer(json_object_get(report, "run")));
	CHECK_EQ(json_array_size(json_object_get(report, "cells")), CELLS);
	for (size_t i = 0; i < CELLS; i++) {
		json_t *cell = cell_in(report, i);

		CHECK(keeps_contract(cell) && published_is_whole(cell));
		CHECK_EQ(json_integer_value(json_object_get(cell, "payload_bytes")), payloads[i]);           /* matrix order */
		CHECK_EQ(json_integer_value(json_object_get(cell, "attempt")), 1);
		image = json_object_get(cell, "image");
		CHECK(strlen(text_in(image, "sha256")) == 64 && strlen(text_in(image, "build")) == 12);
		CHECK(text_in(cell, "capture")[0] == '/' && access(text_in(cell, "capture"), R_OK) == 0);
	}
	json_decref(report);
	CHECK(rig_stop(&r));
	rig_finish(&r);
}
