// SPDX-License-Identifier: GPL-2.0-or-later
/* Boards of a bench, with the real vboard process behind them: supervised, opened, flashed in turns, broken in every way its faults allow. */
#include "bench/board.h"
#include "bench/flasher_contract.h"
#include "bench/ready.h"
#include "bench/supervisor.h"
#include "config/board_type.h"
#include "core/clock.h"
#include "core/log.h"
#include "core/mem.h"
#include "core/proc.h"
#include "drivers/flash_drivers.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct err e;
static const char *skip;

/* A bench of one virtual board with its supervisor and the board, opened and powered. */
static struct lab {
	struct bench *bench;
	struct board_type *type;
	struct supervisor *supervisor;
	struct vboard_ready ready;
	struct board *board;
	pid_t pid;
	uint64_t start_time;
	unsigned starts, ends;
} lab;

static char *vboard_path(void)
{
	const char *build = getenv("LAB_BUILD");
	char *path = xasprintf("%s/fixtures/virtual/vboard", build ? build : ".");

	if (!access(path, X_OK))
		return path;
	free(path);
	return NULL;
}

static void started(void *opaque, const char *board, pid_t pid, uint64_t start_time)
{
	(void)opaque, (void)board;
	lab.pid = pid;
	lab.start_time = start_time;
	lab.starts++;
}

static void ended(void *opaque, const char *board, pid_t pid)
{
	(void)opaque, (void)board, (void)pid;
	lab.ends++;
}

static void quiet(void *opaque, enum log_level level, const char *tag, const char *line)
{
	(void)opaque, (void)level, (void)tag, (void)line;
}

static bool make_bench(const char *type, const char *faults)
{
	char *text = xasprintf("{\"version\":1,\"name\":\"t\",\"boards\":[{\"name\":\"b1\",\"type\":\"%s\",\"power\":{\"driver\":\"virtual\"},\"line\":{\"driver\":\"rfc2217\"},"
		"\"flash\":[{\"method\":\"atmel_isp\",\"total_ms\":60000}],\"wire\":{\"mode\":\"gate\",\"outer\":\"127.77.9.1\",\"ports\":\"auto\"},"
		"\"net\":{\"mac\":\"02:00:00:77:00:01\",\"ip\":\"10.77.0.1\",\"host\":\"10.77.0.254\"},\"tap\":{\"driver\":\"stream\"}%s%s%s}]}",
		type, faults ? ",\"faults\":[\"" : "", faults ? faults : "", faults ? "\"]" : "");
	bool ok = bench_parse("t.json", text, strlen(text), &lab.bench, &e);

	free(text);
	return ok;
}

static bool lab_begin(const char *type, const char *faults)
{
	char *vboard = vboard_path();
	bool ok;

	lab = (struct lab){ 0 };
	log_set_sink(quiet, NULL);
	skip = vboard ? NULL : "vboard is not built, or LAB_BUILD is not set";
	ok = vboard && make_bench(type, faults) && board_type_load("../../fixtures/boards/at89c51ed2-cs8900a.json", &lab.type, &e)
		&& supervisor_create(&(struct supervisor_config){ .vboard = vboard, .bench = lab.bench, .started = started, .ended = ended }, &lab.supervisor, &e);
	free(vboard);
	return ok;
}

static bool lab_power(void)
{
	return supervisor_ready(lab.supervisor, "b1", 20000, &lab.ready, NULL, &e)
		&& board_open(&lab.bench->boards[0], lab.type, &lab.ready, &lab.board, &e)
		&& line_open(lab.board->line, &(struct line_setup){ 115200, 8, 'N', 1 }, &e)
		&& board_power_cycle(lab.board, &e);
}

static void lab_end(void)
{
	board_close(lab.board);
	supervisor_destroy(lab.supervisor);
	board_type_destroy(lab.type);
	bench_destroy(lab.bench);
}

#define TYPE "at89c51ed2-cs8900a"
#define BEGIN(faults) \
	do { \
		bool begun = lab_begin(TYPE, faults); \
		if (skip) SKIP("%s", skip); \
		CHECK_OK(begun && lab_power(), &e); \
	} while (0)

static struct image *image_of(uint32_t at, size_t size)
{
	uint8_t *bytes = malloc(size);
	struct image *img = NULL;

	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(i * 7 + (i >> 7));
	image_parse(bytes, size, IMAGE_RAW, at, 0, &img, &e);
	free(bytes);
	return img;
}

/* --- the supervisor ------------------------------------------------------------------------------------------------------------------------- */

TEST(a_process_that_falls_is_started_again_and_none_is_left_at_the_end)
{
	struct vboard_ready ready;
	unsigned first, second;
	pid_t pid;
	uint64_t start_time;

	if (!lab_begin(TYPE, NULL) && skip)
		SKIP("%s", skip);
	CHECK_OK(supervisor_ready(lab.supervisor, "b1", 20000, &ready, &first, &e), &e);
	CHECK_STR(ready.name, "b1");
	CHECK(ready.gate_count >= 1 && ready.uart_port);
	CHECK(!access(ready.control, F_OK) && !access(ready.tap, F_OK));
	CHECK_EQ(ready.pid, lab.pid);
	CHECK(kill(ready.pid, SIGKILL) == 0);
	for (second = first; second == first;)
		CHECK_OK(supervisor_ready(lab.supervisor, "b1", 20000, &ready, &second, &e), &e);
	CHECK_EQ(lab.starts, 2);
	pid = ready.pid;
	start_time = proc_start_time(pid);
	CHECK(start_time);
	CHECK(!supervisor_ready(lab.supervisor, "b2", 10, &ready, NULL, &e));
	CHECK_EQ(e.code, ERR_NOT_FOUND);
	lab_end();
	CHECK(proc_start_time(pid) != start_time);
	CHECK_EQ(lab.ends, 2);
	CHECK(access(ready.control, F_OK));
}

TEST(a_process_that_cannot_start_says_why)
{
	struct vboard_ready ready;

	if (!lab_begin("no-such-board", NULL) && skip)
		SKIP("%s", skip);
	CHECK(!supervisor_ready(lab.supervisor, "b1", 20000, &ready, NULL, &e));
	CHECK_EQ(e.code, ERR_INVALID);
	CHECK(strstr(e.msg, "the vboard process of b1 does not start: ") && strstr(e.msg, "no-such-board"));
	lab_end();
}

TEST(a_program_that_is_not_there_is_named)
{
	struct vboard_ready ready;

	lab = (struct lab){ 0 };
	log_set_sink(quiet, NULL);
	CHECK(make_bench(TYPE, NULL));
	CHECK_OK(supervisor_create(&(struct supervisor_config){ .vboard = "/nowhere/vboard", .bench = lab.bench }, &lab.supervisor, &e), &e);
	CHECK(!supervisor_ready(lab.supervisor, "b1", 20000, &ready, NULL, &e));
	CHECK_STR(e.msg, "the vboard process of b1 does not start: /nowhere/vboard: no such program (is it installed, is the path right?)");
	lab_end();
}

/* --- the board ------------------------------------------------------------------------------------------------------------------------------ */

TEST(a_board_has_its_drivers_and_its_services_have_addresses)
{
	struct endpoint to;
	bool on = true;

	BEGIN(NULL);
	CHECK_STR(lab.board->power->ops->name, "virtual");
	CHECK_STR(lab.board->line->ops->name, "rfc2217");
	CHECK_STR(lab.board->pace->ops->name, "turns");
	CHECK_STR(lab.board->tap->ops->name, "stream");
	CHECK_OK(board_endpoint(lab.board, LINK_TCP, 5100, &to, &e), &e);
	CHECK_STR(to.host, "127.77.9.1");
	CHECK(to.port);
	CHECK(!board_endpoint(lab.board, LINK_TCP, 81, &to, &e));
	CHECK_STR(e.msg, "the virtual board b1 has no gate for TCP port 81");
	CHECK_OK(power_state(lab.board->power, &on, &e), &e);
	CHECK(on);
	CHECK_OK(power_off(lab.board->power, &e), &e);
	CHECK(power_state(lab.board->power, &on, &e) && !on);
	lab_end();
}

TEST(programming_a_virtual_board_takes_the_time_of_the_line_and_the_pages)
{
	enum { SIZE = 16384 };
	struct part part;
	struct image *img = image_of(0, SIZE);
	uint64_t before, spent, limit = atmel_isp_limit_ns(img, 115200, 10000), wall = clock_now_ns(&clock_host);

	BEGIN(NULL);
	CHECK_OK(lab.board->flasher->ops->identify(lab.board->flasher, &part, &e), &e);
	CHECK_STR(part.text, "manufacturer 58h family D7h device ECh revision EFh");
	before = pace_now_ns(lab.board->pace);
	CHECK_OK(lab.board->flasher->ops->program(lab.board->flasher, img, NULL, &e), &e);
	spent = pace_now_ns(lab.board->pace) - before;
	printf("%d bytes in %.3f s of the board's time, limit %.3f s (%.3f), %.3f s of the host's\n", SIZE, (double)spent / 1e9, (double)limit / 1e9,
		(double)limit / (double)spent, (double)(clock_now_ns(&clock_host) - wall) / 1e9);
	CHECK((double)limit / (double)spent >= 0.9);
	CHECK_OK(lab.board->flasher->ops->verify(lab.board->flasher, img, NULL, &e), &e);
	CHECK_OK(lab.board->flasher->ops->reset(lab.board->flasher, true, &e), &e);
	image_destroy(img);
	lab_end();
}

/* Program 600 bytes with another entry in the bench file. */
static bool programs_with(int reset, int echo)
{
	struct image *img = image_of(0x40, 600);
	bool ok = lab_begin(TYPE, NULL);

	if (ok) {
		lab.bench->boards[0].flash[0].reset = reset;
		lab.bench->boards[0].flash[0].echo = echo;
		ok = lab_power() && flasher_program(lab.board->flasher, img, NULL, &e) && flasher_verify(lab.board->flasher, img, NULL, &e);
	}
	image_destroy(img);
	lab_end();
	return ok;
}

TEST(a_bench_may_wait_for_each_character_or_reset_by_the_power_switch)
{
	bool waits = programs_with(BENCH_RESET_DTR, BENCH_ECHO_CHARACTER);

	if (skip)
		SKIP("%s", skip);
	CHECK_OK(waits, &e);
	CHECK_OK(programs_with(BENCH_RESET_POWER, BENCH_ECHO_RECORD), &e);
}

TEST(a_cancelled_board_stops_programming_at_once)
{
	struct image *img = image_of(0, 4096);

	BEGIN(NULL);
	board_cancel(lab.board);
	CHECK(!flasher_program(lab.board->flasher, img, NULL, &e));
	CHECK_EQ(e.code, ERR_CANCELLED);
	board_close(lab.board);
	lab.board = NULL;
	CHECK_OK(lab_power() && flasher_program(lab.board->flasher, img, NULL, &e), &e);
	image_destroy(img);
	lab_end();
}

/* --- the contract of flashers --------------------------------------------------------------------------------------------------------------- */

static struct flasher *create(void)
{
	if (!lab_begin(TYPE, NULL) || !lab_power())
		return NULL;
	lab.board->flasher->expected_id = 0;
	return lab.board->flasher;
}

static void destroy(struct flasher *f)
{
	(void)f;
	lab_end();
}

static const struct flasher_fixture virtual_board = { create, destroy, &skip };

FLASHER_CONTRACT(atmel_isp_on_a_virtual_board, virtual_board)

/* --- faults --------------------------------------------------------------------------------------------------------------------------------- */

/* Programming fails with a sentence that holds the text (NULL: succeeds), and a power cycle without the fault makes it succeed. */
static bool fault_gives(const char *fault, enum err_code code, const char *text)
{
	struct image *img = image_of(0, 600);
	bool begun = lab_begin(TYPE, fault) && lab_power(), ok = begun && flasher_program(lab.board->flasher, img, NULL, &e);
	bool as_expected = text ? begun && !ok && e.code == code && strstr(e.msg, text) : ok;

	if (begun && !as_expected)
		test_fail(__FILE__, __LINE__, "%s gave \"%s\" (%s), not \"%s\"", fault, ok ? "success" : e.msg, ok ? "none" : err_word(e.code), text ? text : "success");
	image_destroy(img);
	if (begun || lab.supervisor)
		lab_end();
	return as_expected || skip;
}

TEST(faults_of_the_boot_loader_have_their_own_sentences)
{
	CHECK(fault_gives("isp.silent", ERR_TIMEOUT, "atmel_isp: identify: the boot loader is silent"));
	if (skip)
		SKIP("%s", skip);
	CHECK(fault_gives("isp.reject after=8", ERR_MISMATCH, "the boot loader answered X"));
	CHECK(fault_gives("power.loss after_bytes=200", ERR_TIMEOUT, "atmel_isp: program: 128 bytes at 0x0080: "));
	CHECK(fault_gives("flash.stuck at=300", ERR_MISMATCH, "atmel_isp: verify: address 0x012C holds "));
}

TEST(faults_of_the_line_are_ridden_out_or_named)
{
	CHECK(fault_gives("uart.dead dir=both", ERR_TIMEOUT, "atmel_isp: identify: the boot loader is silent"));
	if (skip)
		SKIP("%s", skip);
	CHECK(fault_gives("uart.loss every=700 dir=rx", 0, NULL));
	CHECK(fault_gives("uart.noise every=900 dir=tx", 0, NULL));
}
