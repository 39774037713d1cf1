// SPDX-License-Identifier: GPL-2.0-or-later
/* Matrices: what is refused and with which sentence, how cells are multiplied out and named. */
#include "run/matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/buf.h"
#include "core/mem.h"
#include "test/harness.h"

static struct err e;

static struct matrix *parse(const char *text)
{
	struct matrix *m = NULL;

	err_clear(&e);
	return matrix_parse("m.json", text, strlen(text), &m, &e) ? m : NULL;
}

static bool refused(const char *text, const char *says)
{
	struct matrix *m = parse(text);
	bool ok = !m && strstr(e.msg, says);

	if (!ok)
		printf("%s: %s\n", m ? "taken" : "refused", e.msg);
	matrix_destroy(m);
	return ok;
}

TEST(the_published_matrix_has_three_cells_named_by_what_varies)
{
	char *path = xasprintf("%s/db/matrices/published.json", getenv("LAB_SOURCE")), *text;
	size_t size;
	struct matrix *m;
	struct matrix_cells c;

	text = test_read_file(path, &size);
	CHECK(text);
	m = parse(text);
	CHECK_STR(e.msg, "");
	CHECK_OK(matrix_expand(m, &c, &e), &e);
	CHECK_EQ(c.count, 3);
	CHECK_STR(c.cells[0].name, "trigger/at89c51ed2-cs8900a/payload_bytes=1460");
	CHECK_STR(c.cells[1].name, "trigger/at89c51ed2-cs8900a/payload_bytes=750");
	CHECK_STR(c.cells[2].name, "trigger/at89c51ed2-cs8900a/payload_bytes=100");
	CHECK_EQ(c.cells[0].repeats_turns, 1);
	CHECK_EQ(c.cells[0].repeats_wall, 10);
	CHECK_EQ(c.cells[0].deadline_ms, 120000);
	CHECK_STR(json_string_value(json_object_get(c.cells[0].params, "transport")), "tcp");
	matrix_cells_finish(&c);
	matrix_destroy(m);
	free(text);
	free(path);
}

/* Eight builds in three sizes over TCP; the plain one and the fastest over UDP, acknowledged or not. Names are unique, or expanding fails. */
TEST(the_what_if_matrix_has_a_cell_for_each_build_and_tells_them_apart)
{
	char *path = xasprintf("%s/db/matrices/what-if.json", getenv("LAB_SOURCE")), *text = test_read_file(path, NULL);
	struct matrix *m;
	struct matrix_cells c;
	size_t udp = 0;

	CHECK(text);
	m = parse(text);
	CHECK_STR(e.msg, "");
	CHECK_OK(matrix_expand(m, &c, &e), &e);
	CHECK_EQ(c.count, 8 * 3 + 2 * 2 * 3);
	for (size_t i = 0; i < c.count; i++) {
		const char *name = c.cells[i].name;

		CHECK(strstr(name, "checksum=") && strstr(name, "check_rx=") && strstr(name, "clock=") && strstr(name, "payload_bytes=") && strstr(name, "transport="));
		udp += strcmp(json_string_value(json_object_get(c.cells[i].params, "transport")), "udp") == 0;
	}
	CHECK_EQ(udp, 12);
	matrix_cells_finish(&c);
	matrix_destroy(m);
	free(text);
	free(path);
}

TEST(variants_and_parameters_multiply_and_keys_that_do_not_vary_stay_out_of_names)
{
	struct matrix *m = parse("{\"version\":1,\"name\":\"a\",\"cells\":[{\"workload\":\"trigger\",\"board_types\":[\"x\",\"y\"],"
	                         "\"variants\":{\"stack\":[\"one\",\"two\"],\"check_rx\":\"1\"},\"params\":{\"payload_bytes\":[1,2],\"transport\":\"udp\",\"ack\":[true,false]}}]}");
	struct matrix_cells c;

	CHECK_STR(e.msg, "");
	CHECK_OK(matrix_expand(m, &c, &e), &e);
	CHECK_EQ(c.count, 16);
	CHECK_STR(c.cells[0].name, "trigger/x/stack=one,ack=true,payload_bytes=1");
	CHECK_STR(c.cells[15].name, "trigger/y/stack=two,ack=false,payload_bytes=2");
	matrix_cells_finish(&c);
	matrix_destroy(m);
}

TEST(two_entries_with_one_size_each_still_have_different_names)
{
	struct matrix *m = parse("{\"version\":1,\"name\":\"a\",\"cells\":[{\"workload\":\"trigger\",\"board_types\":[\"x\"],\"params\":{\"payload_bytes\":1}},"
	                         "{\"workload\":\"trigger\",\"board_types\":[\"x\"],\"params\":{\"payload_bytes\":2}}]}");
	struct matrix_cells c;

	CHECK_OK(matrix_expand(m, &c, &e), &e);
	CHECK_STR(c.cells[0].name, "trigger/x/payload_bytes=1");
	CHECK_STR(c.cells[1].name, "trigger/x/payload_bytes=2");
	matrix_cells_finish(&c);
	matrix_destroy(m);
}

#define ONE(board_types, params) "{\"version\":1,\"name\":\"a\",\"cells\":[{\"workload\":\"trigger\",\"board_types\":" board_types ",\"params\":" params "}]}"

TEST(what_is_wrong_is_named_with_line_path_and_what_was_meant)
{
	CHECK(refused("{\"version\":1,\"name\":\"a\",\n\"cells\":[{\"workload\":\"trigger\",\n\"board_typs\":[\"x\"],\"params\":{}}]}", "m.json:3: cells[0].board_typs"));
	CHECK(refused("{\"version\":1,\"name\":\"a\",\n\"cells\":[{\"workload\":\"trigger\",\n\"board_typs\":[\"x\"],\"params\":{}}]}", "\"board_types\""));
	CHECK(refused(ONE("[\"x\"]", "{\"payload_byts\":1}"), "payload_bytes is missing"));
	CHECK(refused(ONE("[\"x\"]", "{\"payload_bytes\":1,\"cout\":1}"), "did you mean \"count\"?"));
	CHECK(refused(ONE("[\"x\"]", "{\"payload_bytes\":1461}"), "payload_bytes is 1461"));
	CHECK(refused(ONE("[\"x\"]", "{\"payload_bytes\":1.5}"), "must be a value or a list"));
	CHECK(refused(ONE("[\"x\"]", "{\"payload_bytes\":[]}"), "not empty"));
	CHECK(refused(ONE("[\"x\"]", "{\"payload_bytes\":-1}"), "whole number"));
	CHECK(refused(ONE("[\"x\"]", "{\"payload_bytes\":1,\"transport\":\"tpc\"}"), "\"tcp\" or \"udp\""));
	CHECK(refused(ONE("[\"x\"]", "{\"payload_bytes\":1,\"ack\":true}"), "ack is for transport udp"));
	CHECK(refused(ONE("[\"x\"]", "{\"payload_bytes\":[1,1]}"), "is there twice"));
	CHECK(refused(ONE("[]", "{\"payload_bytes\":1}"), "names no board type"));
	CHECK(refused("{\"version\":2,\"name\":\"a\",\"cells\":[]}", "version"));
	CHECK(refused("{\"version\":1,\"name\":\"../a\",\"cells\":[{}]}", "a name is of"));
	CHECK(refused("{\"version\":1,\"name\":\"a\",\"name\":\"b\",\"cells\":[]}", "m.json:1"));
	CHECK(refused("{\"version\":1,\"name\":\"a\",\"cells\":[]}", "no cell"));
	CHECK(refused("{\"version\":1,\"name\":\"a\",\"cells\":[{\"workload\":\"trigge\",\"board_types\":[\"x\"],\"params\":{}}]}", "no workload \"trigge\""));
	CHECK(refused("[", "m.json:1"));
}

#define VARIED(types, variants) "{\"version\":1,\"name\":\"m\",\"cells\":[{\"workload\":\"trigger\",\"board_types\":[" types "],\"variants\":{" variants "},\"params\":{\"payload_bytes\":100}}]}"

TEST(what_becomes_part_of_a_cells_name_is_a_word)
{
	struct buf many = { 0 };

	CHECK(refused(VARIED("\"a\\u001b[31m\"", ""), "m.json:1: cells[0].board_types[0]: \"a?[31m\" must be 1 to 64 of"));
	CHECK(refused(VARIED("\"../b\"", ""), "must be 1 to 64 of A-Z a-z 0-9 . _ : + -"));
	CHECK(refused(VARIED("\"b\"", "\"<script>\":\"1\""), "cells[0].variants.<script>: \"<script>\" must be 1 to 64 of"));
	CHECK(refused(VARIED("\"b\"", "\"stack\":[\"x\",\"=1 \"]"), "cells[0].variants.stack[1]: \"=1 \" must be 1 to 64 of"));
	CHECK(refused(VARIED("\"b\"", "\"stack\":\"\""), "cells[0].variants.stack: \"\" must be 1 to 64 of"));
	buf_printf(&many, "{\"version\":1,\"name\":\"m\",\"cells\":[{\"workload\":\"trigger\",\"board_types\":[\"b\"],\"params\":{\"payload_bytes\":1},\"variants\":{");
	for (int i = 0; i < 33; i++)
		buf_printf(&many, "%s\"k%d\":\"1\"", i ? "," : "", i);
	buf_printf(&many, "}}]}");
	CHECK(refused(buf_text(&many), "cells[0].variants: at most 32 keys, not 33"));
	buf_finish(&many);
}

/* The server checks a matrix while everybody else waits for it: naming ten thousand cells must not take a comparison of each with each. */
TEST(a_matrix_of_ten_thousand_cells_is_named_in_one_pass)
{
	struct buf text = { 0 };
	struct matrix_cells c;
	struct matrix *m;

	buf_printf(&text, "{\"version\":1,\"name\":\"m\",\"cells\":[{\"workload\":\"trigger\",\"board_types\":[\"b\"],\"params\":{\"payload_bytes\":[");
	for (int i = 1; i <= 1000; i++)
		buf_printf(&text, "%s%d", i > 1 ? "," : "", i);
	buf_printf(&text, "],\"count\":[1,2,3,4,5,6,7,8,9,10]}}]}");
	m = parse(buf_text(&text));
	CHECK_STR(e.msg, "");
	CHECK_OK(matrix_expand(m, &c, &e), &e);
	CHECK_EQ(c.count, 10000);
	CHECK_STR(c.cells[0].name, "trigger/b/count=1,payload_bytes=1");
	CHECK_STR(c.cells[9999].name, "trigger/b/count=10,payload_bytes=1000");
	matrix_cells_finish(&c);
	matrix_destroy(m);
	buf_finish(&text);
}

TEST(a_matrix_that_would_never_end_is_refused)
{
	struct buf t = { 0 };
	struct matrix *m;

	buf_printf(&t, "{\"version\":1,\"name\":\"a\",\"cells\":[{\"workload\":\"trigger\",\"board_types\":[\"x\"],\"params\":{\"payload_bytes\":[");
	for (int i = 1; i <= 200; i++)
		buf_printf(&t, "%s%d", i > 1 ? "," : "", i);
	buf_printf(&t, "],\"count\":[");
	for (int i = 1; i <= 200; i++)
		buf_printf(&t, "%s%d", i > 1 ? "," : "", i);
	buf_printf(&t, "]}}]}");
	m = parse(buf_text(&t));
	CHECK(!m);
	CHECK_EQ(e.code, ERR_TOO_LARGE);
	buf_finish(&t);
}
