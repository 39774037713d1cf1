// SPDX-License-Identifier: GPL-2.0-or-later
/* The daemon's parts, put together as main.c does, with boards of the tests' own. */
#include "http/test_lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/mem.h"
#include "run/runner.h"
#include "run/schedule.h"
#include "store/store.h"
#include "test/harness.h"
#include "wire/flow.h"

const char test_matrix[] = "{\"version\":1,\"name\":\"sizes\",\"cells\":[{\"workload\":\"trigger\",\"board_types\":[\"" TEST_BOARD_TYPE "\"],\"variants\":{},"
	"\"params\":{\"payload_bytes\":[1460,750,100],\"count\":[4]},\"repeats\":{\"wall\":1,\"turns\":1},\"deadline_s\":60}]}";

const char fake_matrix[] = "{\"version\":1,\"name\":\"three\",\"cells\":[{\"workload\":\"trigger\",\"board_types\":[\"fake-type\"],"
	"\"params\":{\"payload_bytes\":[1460,750,100],\"count\":10},\"repeats\":{\"turns\":1,\"wall\":1}}]}";

static char *in_folder(const char *name)
{
	return xasprintf("%s/%s", test_folder(), name);
}

static bool make_runner(struct test_lab *t, enum fake_trouble trouble, struct err *e)
{
	struct runner_config config = { .store = t->lab.store, .clock = &clock_host, .state_dir = test_folder(), .images_file = t->fake.images_file,
		.host_id = t->lab.host_id, .boards = &t->board, .board_count = 1, .board_open = fake_open, .board_close = fake_close, .opaque = t->fakes };

	if (!fake_init(&t->fake, FAKE_BOARD, test_folder(), e))
		return false;
	t->fake.trouble = trouble;
	t->fakes[0] = &t->fake;
	t->board = (struct runner_board){ &t->fake.config, &t->fake.type };
	return runner_create(&config, &t->lab.runner, e);
}

/* The published figures of the repository. */
static bool fill_references(struct test_lab *t, struct err *e)
{
	const char *source = getenv("LAB_SOURCE");
	char *path = xasprintf("%s/db/references.json", source ? source : "../..");
	json_t *rows = json_load_file(path, 0, NULL);
	bool ok = rows ? store_references_put(t->lab.store, rows, e) : err_set(e, ERR_NOT_FOUND, "%s", path);

	json_decref(rows);
	free(path);
	return ok;
}

static bool fill_store(struct test_lab *t, struct err *e)
{
	json_t *document = json_loads(test_matrix, 0, NULL), *fake = json_loads(fake_matrix, 0, NULL);
	int version;
	bool ok = fill_references(t, e) && store_matrix_put(t->lab.store, "sizes", document, "test", &version, e) &&
	          store_matrix_put(t->lab.store, "three", fake, "test", &version, e) && store_board_put(t->lab.store, TEST_BOARD, TEST_BOARD_TYPE, true, 100000, e);

	json_decref(document);
	json_decref(fake);
	return ok;
}

static bool serve(struct test_lab *t, struct err *e)
{
	char *path = in_folder("endpoint.json"), *text;
	json_t *json;

	if (!http_server_create(&(struct http_config){ 0 }, &t->lab, &t->server, e))
		return false;
	runner_set_events(t->lab.runner, (struct run_events){ http_server_publish, t->server });
	if (!http_server_start(t->server, e) || !runner_start(t->lab.runner, e) || !scheduler_start(t->lab.scheduler, e) || !http_server_announce(t->server, test_folder(), e))
		return false;
	t->port = http_server_port(t->server);
	text = test_read_file(path, NULL);
	json = json_loads(text, 0, NULL);
	snprintf(t->operator, sizeof t->operator, "Authorization: Bearer %s\r\n", json_string_value(json_object_get(json, "token")));
	json_decref(json);
	free(text);
	free(path);
	return true;
}

bool test_lab_open(struct test_lab *t, bool in_file, enum fake_trouble trouble, struct err *e)
{
	char *path = in_file ? in_folder("lab.db") : xstrdup(":memory:");
	bool ok;

	*t = (struct test_lab){ .lab = { .clock = &clock_host, .state_dir = test_folder(), .bench_name = "test", .version = "0.0" } };
	ok = store_open(path, &clock_host, &t->lab.store, e) && store_host(t->lab.store, "here", "Linux", "a CPU", "0.0", &t->lab.host_id, e) && make_runner(t, trouble, e) &&
	     fill_store(t, e) && scheduler_create(t->lab.store, t->lab.runner, &clock_host, &t->lab.scheduler, e) && serve(t, e);
	free(path);
	if (!ok)
		test_lab_close(t);
	return ok;
}

void test_lab_close(struct test_lab *t)
{
	if (t->lab.scheduler)
		scheduler_stop(t->lab.scheduler);
	if (t->lab.runner)
		runner_stop(t->lab.runner);
	http_server_destroy(t->server);                          /* its handlers use the others until here */
	scheduler_destroy(t->lab.scheduler);
	runner_destroy(t->lab.runner);
	store_close(t->lab.store);
}

bool test_lab_queue(struct test_lab *t, int64_t *run, struct err *e)
{
	static const int sizes[] = { 1460, 750, 100 };
	struct run_row row = { .matrix = "sizes", .matrix_version = 1, .reason = "manual", .requested_by = "test", .host_id = t->lab.host_id };
	struct cell_row cells[3] = { { 0 } };
	bool ok;

	row.request = json_object();
	for (int i = 0; i < 3; i++)
		cells[i] = (struct cell_row){ .name = xasprintf("trigger/%s/payload_bytes=%d", TEST_BOARD_TYPE, sizes[i]), .board = xstrdup(TEST_BOARD),
			.board_type = xstrdup(TEST_BOARD_TYPE), .workload = xstrdup("trigger"), .variant = json_object(), .is_virtual = true, .repeats = 1,
			.params = json_pack("{s:i,s:i,s:s,s:b}", "payload_bytes", sizes[i], "count", 4, "transport", "tcp", "ack", 0), .deadline_ms = 60000 };
	ok = store_run_add(t->lab.store, &row, cells, 3, run, e);
	for (int i = 0; i < 3; i++) {
		free(cells[i].name);
		free(cells[i].board);
		free(cells[i].board_type);
		free(cells[i].workload);
		json_decref(cells[i].variant);
		json_decref(cells[i].params);
	}
	json_decref(row.request);
	return ok;
}

/* Frames of n bytes take a fixed time and a time per byte, so that a line goes through the sizes. */
static struct flow_figures make_figures(uint32_t payload, unsigned frames)
{
	uint64_t frame_ns = 100000000 + (uint64_t)payload * 140000;
	struct flow_figures f = { .elapsed_ns = frame_ns * frames, .payload_bytes = (uint64_t)payload * frames, .wire_bytes = (uint64_t)(payload + 58) * frames,
		.frame_count = frames, .payload_ok = true, .window_min = 512, .window_max = 512, .mss = 536, .captured_frames = frames * 2 + 7, .captured_bytes = 9999,
		.link_type = "EN10MB" };

	f.frames = xcalloc(frames, sizeof *f.frames);
	for (unsigned i = 0; i < frames; i++)
		f.frames[i] = (struct flow_frame){ i * frame_ns, i * frame_ns + frame_ns / 2, (i + 1) * frame_ns, 1 };
	return f;
}

bool test_lab_work(struct test_lab *t, const char *verdict, const char *cause, unsigned frames, struct err *e)
{
	static const uint8_t printed[] = "@lab boot build=0a1b2c3d4e5f *00\r\n\xff\x1b[2J";
	struct console_row console = { .at_ns = 12345, .power = 1, .bytes = printed, .size = sizeof printed - 1 };
	bool passed = strcmp(verdict, "pass") == 0, ok;
	struct flow_figures figures;
	struct job job;

	if (!store_job_take(t->lab.store, TEST_BOARD, t->lab.host_id, &job, e))
		return false;
	figures = make_figures((uint32_t)json_integer_value(json_object_get(job.params, "payload_bytes")), frames);
	struct outcome o = { .verdict = verdict, .cause = cause, .step = "measure", .error = passed ? NULL : "the cable \"=1+1\", was\nloose", .wall_ns = 1500000000,
		.flash_ns = -1, .flash_bytes = -1, .boot_ns = 200000000, .image_sha256 = "aa", .image_build = "0a1b2c3d4e5f", .toolchain = "sdcc", .proof = "banner",
		.mode = "gate", .pace = "turns", .capture = passed ? "captures/one.pcap" : NULL, .figures = passed ? &figures : NULL, .console = &console,
		.console_count = 1 };
	ok = store_job_done(t->lab.store, job.attempt_id, &o, NULL, e);
	flow_figures_finish(&figures);
	job_finish(&job);
	return ok;
}

bool test_lab_run(struct test_lab *t, int64_t *run, struct err *e)
{
	bool ok = test_lab_queue(t, run, e);

	for (int i = 0; ok && i < 3; i++)
		ok = test_lab_work(t, "pass", "none", 4, e);
	return ok;
}
