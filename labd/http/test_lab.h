// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A whole lab behind a server, for tests: store with the published references, runner, scheduler. Two boards: FAKE_BOARD really runs what is asked for, on the fake
 * of run/fake_board.h; TEST_BOARD is in the store alone, and the test does its work. The operator's endpoint.json is in the test's folder, so that labctl finds it.
 */
#ifndef LAB_HTTP_TEST_LAB_H
#define LAB_HTTP_TEST_LAB_H

#include <stdbool.h>
#include <stdint.h>

#include "core/err.h"
#include "http/server.h"
#include "run/fake_board.h"
#include "run/lab.h"

struct test_lab {
	struct lab lab;
	struct http_server *server;
	uint16_t port;
	char operator[160];                                      /* a header line */
	struct fake fake;
	struct fake *fakes[2];
	struct runner_board board;
};

#define TEST_BOARD "8051-a"
#define TEST_BOARD_TYPE "at89c51ed2-cs8900a"
#define FAKE_BOARD "fake-a"
extern const char test_matrix[];                             /* "sizes": three cells of the trigger workload for TEST_BOARD_TYPE */
extern const char fake_matrix[];                             /* "three": the same for the fake board's type */

/* in_file: the store in the test's folder, otherwise in memory. trouble: of the fake board. */
bool test_lab_open(struct test_lab *t, bool in_file, enum fake_trouble trouble, struct err *e);
void test_lab_close(struct test_lab *t);

/* A run of three cells on TEST_BOARD, queued. */
bool test_lab_queue(struct test_lab *t, int64_t *run, struct err *e);

/* Take the next queued attempt of TEST_BOARD and finish it: with figures over that many frames, a capture and a console if it passes. */
bool test_lab_work(struct test_lab *t, const char *verdict, const char *cause, unsigned frames, struct err *e);

/* The above for the three cells, all passed. */
bool test_lab_run(struct test_lab *t, int64_t *run, struct err *e);

#endif
