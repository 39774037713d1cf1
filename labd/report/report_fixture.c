// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs made by hand. */
#include "report/report_fixture.h"

#include <stdio.h>
#include <string.h>

#include "run/seed.h"
#include "wire/flow.h"

enum { FRAMES = 100 };

struct store *fixture_store;
static int64_t host;
static struct { const char *mode, *pace; } way;
static struct { const char *key, *value; } choice;
static int asked;

void fixture_count(int frames)
{
	asked = frames;
}

void fixture_variant(const char *key, const char *value)
{
	choice.key = key;
	choice.value = value;
}

void fixture_way(const char *mode, const char *pace)
{
	way.mode = mode;
	way.pace = pace;
}

bool fixture_begin(struct err *e)
{
	fixture_way("gate", "turns");
	fixture_variant("stack", "labnet");
	fixture_count(FRAMES);
	return store_open(":memory:", &clock_host, &fixture_store, e) && store_host(fixture_store, "here", "Linux", "a CPU", "test", &host, e)
	    && store_board_put(fixture_store, "board-a", "at89c51ed2-cs8900a", true, 0, e) && seed_references(fixture_store, e);
}

void fixture_end(void)
{
	store_close(fixture_store);
	fixture_store = NULL;
}

static uint64_t elapsed_of(int payload)
{
	return (uint64_t)((FIXTURE_A + FIXTURE_B * payload) * FRAMES * 1e9 + 0.5);
}

double fixture_goodput(int payload)
{
	return (double)payload * FRAMES * 1e9 / (double)elapsed_of(payload);
}

static bool finish_job(uint64_t elapsed_ns, int payload, const char *error, struct err *e)
{
	struct flow_figures f = { .elapsed_ns = elapsed_ns, .payload_bytes = (uint64_t)payload * FRAMES, .wire_bytes = (uint64_t)(payload + 58) * FRAMES, .frame_count = 0,
	                          .payload_ok = true, .captured_frames = 300, .captured_bytes = 1000, .link_type = "EN10MB" };
	struct outcome o = { .verdict = error ? "fail" : "pass", .cause = error ? "firmware" : "none", .step = "store", .error = error, .wall_ns = 1000000000, .flash_ns = -1,
	                     .flash_bytes = -1, .boot_ns = -1, .image_sha256 = "00", .image_build = "1234567890e1", .toolchain = "sdcc 4.2.0 #13081", .proof = "banner",
	                     .mode = way.mode, .pace = way.pace, .capture = "captures/a.pcap", .figures = &f };
	struct flow_frame frames[FRAMES];
	struct job j;
	bool ok = store_job_take(fixture_store, "board-a", host, &j, e);

	for (size_t i = 0; i < FRAMES; i++)
		frames[i] = (struct flow_frame){ elapsed_ns / FRAMES * i, elapsed_ns / FRAMES * (i + 1) - 155000, elapsed_ns / FRAMES * (i + 1), 1 };
	f.frames = frames;
	f.frame_count = FRAMES;
	ok = ok && store_job_done(fixture_store, j.attempt_id, &o, NULL, e);
	if (ok)
		job_finish(&j);
	return ok;
}

static struct cell_row cell_of(char *name, int payload, const char *transport, json_t *variant)
{
	return (struct cell_row){ .name = name, .board = "board-a", .board_type = "at89c51ed2-cs8900a", .workload = "trigger", .variant = variant,
	                          .params = json_pack("{s:i, s:i, s:s, s:b}", "payload_bytes", payload, "count", asked, "transport", transport, "ack", 0), .is_virtual = true,
	                          .repeats = 1, .deadline_ms = 1000 };
}

static bool run_three(const char *transport, int fail_payload, struct err *e)
{
	static const int sizes[] = { 1460, 750, 100 };
	json_t *variant = json_pack("{s:s, s:s}", "stack", "labnet", choice.key, choice.value);
	struct run_row r = { .reason = "manual", .requested_by = "test", .request = variant, .host_id = host };
	struct cell_row cells[3];
	char names[3][64];
	int64_t run;
	bool ok;

	for (size_t i = 0; i < 3; i++) {
		snprintf(names[i], sizeof names[i], "trigger/at89c51ed2-cs8900a/payload_bytes=%d", sizes[i]);
		cells[i] = cell_of(names[i], sizes[i], transport, variant);
	}
	ok = store_run_add(fixture_store, &r, cells, 3, &run, e);
	for (size_t i = 0; i < 3; i++) {
		ok = ok && finish_job(elapsed_of(sizes[i]), sizes[i], sizes[i] == fail_payload ? "it broke" : NULL, e);
		json_decref(cells[i].params);
	}
	json_decref(variant);
	return ok;
}

bool fixture_run(int fail_payload, struct err *e)
{
	return run_three("tcp", fail_payload, e);
}

bool fixture_run_over(const char *transport, struct err *e)
{
	return run_three(transport, 0, e);
}

bool fixture_cell(const char *cell, const char *board, const char *error, const uint64_t *elapsed_ns, size_t n, struct err *e)
{
	json_t *variant = json_pack("{s:s, s:s}", "stack", "labnet", choice.key, choice.value);
	struct run_row r = { .reason = "manual", .requested_by = "test", .request = variant, .host_id = host };
	struct cell_row row = cell_of((char *)cell, 1460, "tcp", variant);
	int64_t run;
	bool ok;

	(void)board;
	row.repeats = (unsigned)n;
	ok = store_run_add(fixture_store, &r, &row, 1, &run, e);
	for (size_t i = 0; i < n; i++)
		ok = ok && finish_job(elapsed_ns[i], 1460, error, e);
	json_decref(row.params);
	json_decref(variant);
	return ok;
}
