// SPDX-License-Identifier: GPL-2.0-or-later
/* labctl as people and scripts use it: the program itself, against a real server over a lab with a board of the tests' own. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/mem.h"
#include "ctl/args.h"
#include "ctl/table.h"
#include "http/test_lab.h"
#include "store/store.h"
#include "test/harness.h"

#define WORDS_MAX 16

static struct test_lab tl;
static struct err e;
static char *said, *told;                 /* standard output and error of the last call */

/* Run labctl on a state folder: the exit status, or -1. Words are separated by blanks; a '_' stands for a blank in a word that begins with a digit: cron expressions. */
static int labctl_in(const char *state, const char *words, int signal_after_ms)
{
	char *copy = xstrdup(words), *argv[WORDS_MAX + 4] = { (char *)LABCTL, (char *)"--state", (char *)(uintptr_t)state }, *save = NULL;
	char out[512], err[512];
	int n = 3, status = -1;

	for (char *w = strtok_r(copy, " ", &save); w && n < WORDS_MAX + 3; w = strtok_r(NULL, " ", &save)) {
		argv[n++] = w;
		for (char *p = w; w[0] >= '0' && w[0] <= '9' && (p = strchr(p, '_'));)
			*p = ' ';
	}
	snprintf(out, sizeof out, "%s/stdout", test_folder());
	snprintf(err, sizeof err, "%s/stderr", test_folder());
	pid_t pid = fork();
	if (pid == 0) {
		if (dup2(open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600), 1) < 0 || dup2(open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600), 2) < 0)
			_exit(99);
		alarm(60);
		execv(LABCTL, argv);
		_exit(98);
	}
	if (signal_after_ms > 0) {
		poll(NULL, 0, signal_after_ms);
		kill(pid, SIGINT);
	}
	waitpid(pid, &status, 0);
	free(said);
	free(told);
	said = test_read_file(out, NULL);
	told = test_read_file(err, NULL);
	free(copy);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int labctl(const char *words)
{
	return labctl_in(test_folder(), words, 0);
}

static bool says(const char *text)
{
	return strstr(said, text) != NULL;
}

static bool tells(const char *text)
{
	return strstr(told, text) != NULL;
}

static json_t *said_json(void)
{
	return json_loads(said, JSON_DECODE_ANY, NULL);
}

/* --- words --------------------------------------------------------------------------------------------------------------------------------------- */

TEST(options_are_read_by_table_in_any_order)
{
	static const struct option_row rows[] = { { "--board", "B", "" }, { "--wait", NULL, "" }, { NULL, NULL, NULL } };
	char *argv[] = { (char *)"one", (char *)"--board=x", (char *)"--wait", (char *)"two", (char *)"--board", (char *)"y", (char *)"-", (char *)"--", (char *)"--wait" };
	struct args a;

	CHECK_OK(args_parse(&a, 9, argv, rows, NULL, &e), &e);
	CHECK_EQ(a.word_count, 4);
	CHECK_STR(a.words[3], "--wait");
	CHECK_STR(args_text(&a, "--board"), "y");
	CHECK(args_flag(&a, "--wait"));
	CHECK(!args_parse(&a, 1, (char *[]){ (char *)"--wait=1" }, rows, NULL, &e));
	CHECK(!args_parse(&a, 1, (char *[]){ (char *)"--board" }, rows, NULL, &e));
	CHECK_STR(e.msg, "--board needs a value: B");
	CHECK(!args_parse(&a, 1, (char *[]){ (char *)"--baord" }, rows, NULL, &e));
	CHECK_STR(e.msg, "there is no option --baord here; did you mean --board?");
}

TEST(a_table_shows_a_dash_for_what_is_missing_and_no_control_bytes)
{
	static const struct column columns[] = { { "name", "name", 0 }, { "rate", "f.rate", 1 }, { NULL, NULL, 0 } };
	json_t *rows = json_loads("[{\"name\":\"a\\u001b[2J\",\"f\":{\"rate\":12.34}},{\"name\":\"longer\",\"f\":null}]", 0, NULL);
	char text[256] = "";
	FILE *f = fmemopen(text, sizeof text, "w");

	table_print(f, columns, rows, "none");
	fclose(f);
	CHECK_STR(text, "name    rate\na?[2J   12.3\nlonger  -\n");
	json_decref(rows);
}

TEST(a_typo_gets_the_nearest_verb_or_option)
{
	CHECK_EQ(labctl("bords"), 2);
	CHECK(tells("did you mean \"boards\"?"));
	CHECK_EQ(labctl("matrix lst"), 2);
	CHECK(tells("did you mean \"matrix list\"?"));
	CHECK_EQ(labctl("run three --wiat"), 2);
	CHECK(tells("did you mean --wait?"));
	CHECK_EQ(labctl("run"), 2);
	CHECK(tells("usage: labctl run MATRIX"));
	CHECK_EQ(labctl("--help"), 0);
	CHECK(says("labctl VERB"));
	CHECK_EQ(labctl("run --help"), 0);
	CHECK(says("--require-all"));
	CHECK_EQ(labctl("schedule --help"), 0);
	CHECK(says("schedule preview CRON") && !says("matrix list"));
	CHECK_EQ(labctl("sched --help"), 2);
	CHECK_EQ(labctl(""), 2);
}

/* --- without a daemon ---------------------------------------------------------------------------------------------------------------------------- */

TEST(without_a_daemon_the_status_is_7)
{
	char path[512];
	static const char dead[] = "{\"url\":\"http://127.0.0.1:9\",\"token\":\"0\"}";

	CHECK_EQ(labctl("boards"), 7);
	CHECK(tells("no daemon is running on"));
	snprintf(path, sizeof path, "%s/endpoint.json", test_folder());
	CHECK(test_write_file(path, dead, strlen(dead)));
	CHECK_EQ(labctl("run three --wait"), 7);
	CHECK(tells("does not answer"));
	CHECK(test_write_file(path, "{}", 2));
	CHECK_EQ(labctl("boards"), 2);
	CHECK_EQ(labctl("doctor"), 0);
	CHECK(says("state folder"));
}

TEST(the_doctor_names_what_a_bench_lacks_on_this_computer)
{
	CHECK_EQ(labctl("doctor --bench ../../fixtures/benches/virtual.json"), 0);
	CHECK(says("bench file"));
	CHECK_EQ(labctl("doctor --bench ../../fixtures/benches/example-8051.json"), 5);
	CHECK(says("there is no interface enp3s0 (ip link lists what there is)"));
	CHECK(says("usb-FTDI_FT232R_USB_UART_A50285BI-if00-port0: No such file or directory"));
	labctl("doctor --bench ../../fixtures/benches/tap.json");                                  /* the status: as the machine is */
	CHECK(says("/dev/net/tun") && says("lab0") && says("capture"));
	CHECK_EQ(labctl("doctor --bench ../../fixtures/benches/no-such.json"), 5);
	CHECK(says("no-such.json"));
}

/* --- runs ---------------------------------------------------------------------------------------------------------------------------------------- */

TEST(a_run_that_passes_is_0_and_prints_measured_beside_published)
{
	CHECK_OK(test_lab_open(&tl, false, FAKE_WELL, &e), &e);
	CHECK_EQ(labctl("run three --wait"), 0);
	CHECK(says("payload_bytes=1460") && says("pass"));
	CHECK(tells("run 1: 3 of 3 finished"));
	CHECK_EQ(labctl("run three --wait --json"), 0);
	json_t *doc = said_json(), *cells = json_object_get(doc, "cells"), *cell = json_array_get(cells, 0);
	static const char *const keys[] = { "cell", "board", "board_type", "virtual", "workload", "variant", "payload_bytes", "verdict", "cause", "attempt", "figures", "published",
		"image", "capture", "wall_s" };

	CHECK_EQ(json_array_size(cells), 3);
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
		CHECK(json_object_get(cell, keys[i]));
	CHECK_EQ(json_integer_value(json_object_get(cell, "payload_bytes")), 1460);
	CHECK(json_real_value(json_object_get(json_object_get(cell, "figures"), "goodput_byte_per_s")) > 4785);
	json_decref(doc);
	CHECK_EQ(labctl("run three --dry-run"), 0);
	CHECK(says("3 attempts"));
	CHECK_EQ(labctl("run three --cell */payload_bytes=100 --wait --json"), 0);
	doc = said_json();
	CHECK_EQ(json_array_size(json_object_get(doc, "cells")), 1);
	json_decref(doc);
	test_lab_close(&tl);
}

TEST(a_run_that_does_not_pass_says_so_by_its_status)
{
	CHECK_OK(test_lab_open(&tl, false, FAKE_WRONG_BYTE, &e), &e);
	CHECK_EQ(labctl("run three --cell */payload_bytes=100 --wait"), 1);
	CHECK(says("fail"));
	CHECK_EQ(labctl("run sizes --wait"), 4);
	CHECK(says("no_board"));
	CHECK_EQ(labctl("run nothing --wait"), 2);
	CHECK(tells("nothing"));
	CHECK_EQ(labctl("run three --board none --wait"), 2);
	test_lab_close(&tl);
}

TEST(a_run_that_takes_too_long_is_cancelled_with_124)
{
	CHECK_OK(test_lab_open(&tl, false, FAKE_STUCK, &e), &e);
	CHECK_EQ(labctl("run three --wait --timeout 1"), 124);
	CHECK(tells("out of time"));
	CHECK_EQ(labctl("runs --json"), 0);
	CHECK(says("\"state\": \"finished\""));
	test_lab_close(&tl);
}

TEST(an_interrupt_cancels_the_run_with_6)
{
	CHECK_OK(test_lab_open(&tl, false, FAKE_STUCK, &e), &e);
	CHECK_EQ(labctl_in(test_folder(), "run three --wait", 1500), 6);
	CHECK(tells("cancelling the run"));
	test_lab_close(&tl);
}

TEST(a_run_can_be_left_alone_and_cancelled_later)
{
	CHECK_OK(test_lab_open(&tl, false, FAKE_STUCK, &e), &e);
	CHECK_EQ(labctl("run three"), 0);
	CHECK(says("run 1 is queued"));
	CHECK_EQ(labctl("cancel 1"), 0);
	CHECK_EQ(labctl("cancel 99"), 2);
	CHECK_EQ(labctl("cancel x"), 2);
	test_lab_close(&tl);
}

/* --- everything else ------------------------------------------------------------------------------------------------------------------------------ */

TEST(every_reading_verb_prints_a_table_and_a_document)
{
	static const char *const verbs[] = { "status", "boards", "runs", "results", "results 1", "compare", "matrix list", "matrix show sizes", "schedule list", "images", "references",
		"schedule preview 30_2_*_*_*", "doctor", ("console " TEST_BOARD), "login" };
	int64_t run;

	CHECK_OK(test_lab_open(&tl, false, FAKE_WELL, &e), &e);
	CHECK_OK(test_lab_run(&tl, &run, &e), &e);
	for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
		char words[128];

		CHECK_EQ(labctl(verbs[i]), 0);
		CHECK(said[0] && !strchr(said, '\x1b'));
		snprintf(words, sizeof words, "%s --json", verbs[i]);
		CHECK_EQ(labctl(words), 0);
		json_t *doc = said_json();
		if (!doc) {
			test_fail(__FILE__, __LINE__, "%s: %s", words, said);
			return;
		}
		json_decref(doc);
	}
	CHECK_EQ(labctl("results --board " TEST_BOARD " --payload 750"), 0);
	CHECK(says("payload_bytes=750") && !says("payload_bytes=1460"));
	test_lab_close(&tl);
}

TEST(a_csv_file_appears_whole_under_its_name)
{
	char path[512], words[700], *csv;
	int64_t run;

	CHECK_OK(test_lab_open(&tl, false, FAKE_WELL, &e), &e);
	CHECK_OK(test_lab_run(&tl, &run, &e), &e);
	CHECK_EQ(labctl("export csv"), 0);
	CHECK(strncmp(said, "schema_version,", 15) == 0);
	snprintf(path, sizeof path, "%s/out.csv", test_folder());
	snprintf(words, sizeof words, "export csv compare --run 1 --output %s", path);
	CHECK_EQ(labctl(words), 0);
	csv = test_read_file(path, NULL);
	CHECK(csv && strstr(csv, "1460"));
	free(csv);
	CHECK_EQ(labctl("export csv everything"), 2);
	CHECK_EQ(labctl("export csv --output /no/such/folder/x.csv"), 2);
	CHECK_EQ(labctl("export capture 1 --output /tmp/never.pcap"), 2);
	CHECK(access("/tmp/never.pcap", F_OK) != 0);
	test_lab_close(&tl);
}

TEST(a_device_or_pipe_as_output_is_written_to_and_never_replaced)
{
	char *pipe = xasprintf("%s/pipe", test_folder()), *words = xasprintf("export csv --output %s", pipe), bytes[64] = "";
	struct stat st;
	int fd;

	CHECK_OK(test_lab_open(&tl, false, FAKE_WELL, &e), &e);
	CHECK(mkfifo(pipe, 0600) == 0);
	fd = open(pipe, O_RDWR | O_NONBLOCK);                            /* a reader, so that labctl's open returns; a FIFO holds 64 KiB */
	CHECK_EQ(labctl(words), 0);
	CHECK(read(fd, bytes, 14) == 14 && strcmp(bytes, "schema_version") == 0);
	close(fd);
	CHECK(lstat(pipe, &st) == 0 && S_ISFIFO(st.st_mode));
	CHECK_EQ(labctl("export csv --output /dev/full"), 5);
	CHECK(tells("No space left on device"));
	CHECK(stat("/dev/full", &st) == 0 && S_ISCHR(st.st_mode));
	test_lab_close(&tl);
	free(words);
	free(pipe);
}

TEST(with_json_a_failure_is_a_document_too)
{
	static const struct { const char *words, *code; int status; } rows[] = {
		{ "run nope --json", "not_found", 2 }, { "--json boards x", "invalid", 2 }, { "--json borads", "invalid", 2 }, { "results --frob --json", "invalid", 2 },
	};

	CHECK_OK(test_lab_open(&tl, false, FAKE_WELL, &e), &e);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		CHECK_EQ(labctl(rows[i].words), rows[i].status);
		json_t *doc = said_json(), *error = json_object_get(doc, "error");

		CHECK_STR(json_string_value(json_object_get(error, "code")), rows[i].code);
		CHECK(json_string_value(json_object_get(error, "message")) && tells(json_string_value(json_object_get(error, "message"))));
		json_decref(doc);
	}
	CHECK_EQ(labctl("export csv nope --json"), 2);
	test_lab_close(&tl);
}

TEST(words_that_are_no_text_are_named)
{
	CHECK_OK(test_lab_open(&tl, false, FAKE_WELL, &e), &e);
	CHECK_EQ(labctl("run \xff"), 2);
	CHECK(tells("argument 4 (\"?\") is not UTF-8"));
	setenv("USER", "\xe9", 1);
	CHECK_EQ(labctl("run three --dry-run"), 0);
	unsetenv("USER");
	CHECK_EQ(labctl("bo\x1b[31m"), 2);
	CHECK(!strchr(told, '\x1b'));
	CHECK_EQ(labctl("results --verdict passed"), 2);
	CHECK(tells("there are: pass, fail"));
	test_lab_close(&tl);
}

TEST(an_endpoint_that_cannot_be_read_is_not_called_a_daemon_that_does_not_run)
{
	char *state = xasprintf("%s/odd", test_folder()), *file = xasprintf("%s/endpoint.json", state);

	CHECK(mkdir(state, 0700) == 0);
	int fd = open(file, O_WRONLY | O_CREAT, 0600);
	CHECK(write(fd, "{", 1) == 1);
	close(fd);
	CHECK_EQ(labctl_in(state, "boards", 0), 2);
	CHECK(tells("is not what a daemon writes"));
	unlink(file);
	CHECK(symlink("endpoint.json", file) == 0);                      /* a loop: an error also for root */
	CHECK_EQ(labctl_in(state, "boards", 0), 5);
	CHECK(tells("Too many levels of symbolic links"));
	unlink(file);
	free(file);
	free(state);
}

TEST(a_matrix_goes_out_and_comes_back)
{
	char path[512], words[700];

	CHECK_OK(test_lab_open(&tl, false, FAKE_WELL, &e), &e);
	snprintf(path, sizeof path, "%s/m.json", test_folder());
	snprintf(words, sizeof words, "matrix export sizes --output %s", path);
	CHECK_EQ(labctl(words), 0);
	snprintf(words, sizeof words, "matrix validate %s", path);
	CHECK_EQ(labctl(words), 0);
	CHECK(says("sizes is valid"));
	snprintf(words, sizeof words, "matrix import %s --name mine", path);
	CHECK_EQ(labctl(words), 0);
	CHECK(says("mine is kept as version 1"));
	CHECK_EQ(labctl("matrix copy mine yours"), 0);
	CHECK_EQ(labctl("matrix copy mine yours"), 2);
	CHECK(test_write_file(path, "{\"version\":1,\n\"name\":\"x\",\n\"cels\":[]}", 36));
	snprintf(words, sizeof words, "matrix validate %s", path);
	CHECK_EQ(labctl(words), 2);
	CHECK(tells("m.json:3: ") && tells("cels"));
	CHECK(test_write_file(path, "{\n\"a\":}", 7));
	CHECK_EQ(labctl(words), 2);
	CHECK(tells("m.json:2"));
	test_lab_close(&tl);
}

TEST(a_schedule_is_added_listed_switched_and_removed)
{
	CHECK_OK(test_lab_open(&tl, false, FAKE_WELL, &e), &e);
	CHECK_EQ(labctl("schedule add nightly --cron @sometimes --matrix sizes"), 2);
	CHECK_EQ(labctl("schedule add nightly --matrix sizes"), 2);
	CHECK(tells("--cron is missing"));
	CHECK_EQ(labctl("schedule add nightly --cron 0_0_30_2_* --matrix sizes"), 2);
	CHECK_EQ(labctl("schedule add nightly --cron 30_2_*_*_* --matrix sizes --board nobody"), 2);
	CHECK(tells("nobody"));
	CHECK_EQ(labctl("schedule add nightly --cron 30_2_*_*_* --matrix sizes --cell nothing*"), 2);
	CHECK_EQ(labctl("schedule add nightly --cron 30_2_*_*_* --matrix sizes --zone UTC --catch-up none"), 0);
	CHECK_EQ(labctl("schedule list"), 0);
	CHECK(says("30 2 * * *") && says("nightly"));
	CHECK_EQ(labctl("schedule disable nightly"), 0);
	CHECK_EQ(labctl("schedule enable nightly"), 0);
	CHECK_EQ(labctl("schedule preview 30_2_*_*_* --zone UTC --count 3"), 0);
	CHECK(says("02:30"));
	CHECK_EQ(labctl("schedule remove nightly"), 0);
	CHECK_EQ(labctl("schedule remove nightly"), 2);
	test_lab_close(&tl);
}

TEST(a_board_is_flashed_on_demand)
{
	CHECK_OK(test_lab_open(&tl, false, FAKE_WELL, &e), &e);
	CHECK_EQ(labctl("flash " FAKE_BOARD " --wait"), 0);
	CHECK(tl.fake.flashes >= 1);
	CHECK_EQ(labctl("flash none"), 2);
	CHECK_EQ(labctl("flash " FAKE_BOARD " --image 0000000000ff"), 2);
	test_lab_close(&tl);
}
