// SPDX-License-Identifier: GPL-2.0-or-later
/* Configuration files: what is read, and the sentence each mistake gives. */
#include "config/bench.h"
#include "config/board_type.h"
#include "config/labd_config.h"
#include "core/json.h"
#include "core/mem.h"
#include "test/harness.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct err e;

/* The shipped bench, with a text in it replaced. */
static char *variation(const char *what, const char *by)
{
	size_t size;
	char *text = test_read_file("../../fixtures/benches/virtual.json", &size), *at = text ? strstr(text, what) : NULL, *out;

	if (!at)
		return text;
	out = xasprintf("%.*s%s%s", (int)(at - text), text, by, at + strlen(what));
	free(text);
	return out;
}

static bool gives(const char *what, const char *by, const char *sentence)
{
	char *text = variation(what, by);
	struct bench *b = NULL;
	bool ok = bench_parse("virtual.json", text, strlen(text), &b, &e);

	free(text);
	bench_destroy(b);
	if (!ok && !strcmp(e.msg, sentence))
		return true;
	test_fail(__FILE__, __LINE__, "got \"%s\", not \"%s\"", ok ? "a bench" : e.msg, sentence);
	return false;
}

TEST(the_shipped_benches_and_board_types_are_read)
{
	static const char *const files[] = { "../../fixtures/benches/virtual.json", "../../fixtures/benches/tap.json", "../../fixtures/benches/example-8051.json" };
	struct board_types types;
	struct bench *b;

	CHECK_OK(board_types_load("../../fixtures/boards", &types, &e), &e);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		CHECK_OK(bench_load(files[i], &b, &e), &e);
		for (size_t k = 0; k < b->count; k++) {
			const struct board_type *t = board_types_find(&types, b->boards[k].type);

			CHECK(t);
			CHECK(board_type_has(t->methods, b->boards[k].flash[0].method));
		}
		bench_destroy(b);
	}
	board_types_finish(&types);
}

TEST(a_bench_has_what_the_file_says_and_defaults_for_the_rest)
{
	struct bench *b;
	const struct bench_board *x;

	CHECK_OK(bench_load("../../fixtures/benches/virtual.json", &b, &e), &e);
	CHECK_STR(b->name, "virtual");
	x = bench_find(b, "8051-a");
	CHECK(x && !bench_find(b, "8051-b"));
	CHECK_STR(x->type, "at89c51ed2-cs8900a");
	CHECK(x->is_virtual && x->line.survives_power);
	CHECK_EQ(x->wire.latency_ns, 155000);
	CHECK_EQ(x->pace, BENCH_PACE_TURNS);
	CHECK_EQ(x->flash_count, 1);
	CHECK_EQ(x->flash[0].reset, BENCH_RESET_DTR);
	CHECK_EQ(x->flash[0].baud, 115200);
	CHECK_STR(x->wire.outer, "127.77.0.1");
	CHECK_STR(x->net.mask, "255.255.255.0");
	bench_destroy(b);
}

TEST(a_typo_is_named_with_file_line_path_and_a_suggestion)
{
	CHECK(gives("\"latency_ns\"", "\"latancy_ns\"", "virtual.json:11: boards[0].wire.latancy_ns: no such key; did you mean \"latency_ns\"?"));
	CHECK(gives("\"gate\"", "\"gatte\"", "virtual.json:11: boards[0].wire.mode: no such value; did you mean \"gate\"?"));
	CHECK(gives("\"gate\"", "\"token-ring\"", "virtual.json:11: boards[0].wire.mode: no such value; there are: gate, tap, nic"));
	CHECK(gives("\"latency_ns\": 155000", "\"latency_ns\": \"155 us\"", "virtual.json:11: boards[0].wire.latency_ns: must be a whole number, not a text"));
	CHECK(gives("\"latency_ns\": 155000", "\"latency_ns\": -1", "virtual.json:11: boards[0].wire.latency_ns: -1 is out of range: 0 to 1000000000"));
	CHECK(gives("\"latency_ns\": 155000", "\"latency_ns\": 1.5", "virtual.json:11: boards[0].wire.latency_ns: must be a whole number, not a number with a point"));
	CHECK(gives("\"type\": \"at89c51ed2-cs8900a\",", "", "virtual.json:5: boards[0]: the key \"type\" is missing"));
	CHECK(gives("\"name\": \"8051-a\"", "\"name\": \"../a\"", "virtual.json:6: boards[0].name: \"../a\" is not a name: 1 to 64 letters, digits, points, dashes or underscores"));
	CHECK(gives("\"version\": 1", "\"version\": 2", "virtual.json:2: version: version 2 is not known; this labd reads version 1"));
	CHECK(gives("02:00:00:77:00:01", "02-00-00-77-00-01", "virtual.json:12: boards[0].net.mac: \"02-00-00-77-00-01\" is not a MAC address like 02:00:00:77:00:01"));
	CHECK(gives("\"boot\": \"rts\"", "\"boot\": \"dtr\"", "virtual.json:10: boards[0].flash[0].boot: reset and boot are the same signal \"dtr\""));
	CHECK(gives("127.77.0.1", "10.0.0.1", "virtual.json:11: boards[0].wire.outer: must be a loopback address (127.x.y.z), not 10.0.0.1"));
}

TEST(addresses_that_would_be_silence_on_the_wire_are_refused)
{
	CHECK(gives("02:00:00:77:00:01", "00:00:00:00:00:00", "virtual.json:12: boards[0].net.mac: 00:00:00:00:00:00 is nobody's address"));
	CHECK(gives("\"ip\": \"10.77.0.1\"", "\"ip\": \"0.0.0.0\"", "virtual.json:12: boards[0].net.ip: 0.0.0.0 with the mask 255.255.255.0 is not the address of one computer"));
	CHECK(gives("\"ip\": \"10.77.0.1\"", "\"ip\": \"224.0.0.1\"", "virtual.json:12: boards[0].net.ip: 224.0.0.1 with the mask 255.255.255.0 is not the address of one computer"));
	CHECK(gives("\"ip\": \"10.77.0.1\"", "\"ip\": \"10.77.0.255\"", "virtual.json:12: boards[0].net.ip: 10.77.0.255 with the mask 255.255.255.0 is not the address of one computer"));
	CHECK(gives("10.77.0.254", "10.78.0.254", "virtual.json:12: boards[0].net.host: 10.78.0.254 is not in the board's subnet (10.77.0.1, mask 255.255.255.0)"));
	CHECK(gives("\"host\": \"10.77.0.254\"", "\"host\": \"10.77.0.254\", \"gateway\": \"10.9.0.1\"",
		"virtual.json:12: boards[0].net.gateway: 10.9.0.1 is not in the board's subnet (10.77.0.1, mask 255.255.255.0)"));
	CHECK(gives("\"host\": \"10.77.0.254\"", "\"host\": \"10.77.0.254\", \"mask\": \"255.0.255.0\"",
		"virtual.json:12: boards[0].net.mask: 255.0.255.0 is not a mask like 255.255.255.0 with room for two addresses"));
	CHECK(gives("\"host\": \"10.77.0.254\"", "\"host\": \"10.77.0.254\", \"mask\": \"0.0.0.0\"",
		"virtual.json:12: boards[0].net.mask: 0.0.0.0 is not a mask like 255.255.255.0 with room for two addresses"));
}

TEST(only_files_are_read_and_a_pipe_holds_nobody)
{
	static const char pipe[] = "config_test.pipe", folder[] = "config_test [types]";
	struct board_types types = { 0 };
	struct bench *b = NULL;

	unlink(pipe);
	CHECK(mkfifo(pipe, 0600) == 0);
	CHECK(!bench_load(pipe, &b, &e));
	CHECK_STR(e.msg, "config_test.pipe: this is a device or a pipe; a file is needed here");
	unlink(pipe);
	CHECK(!bench_load("/", &b, &e));
	CHECK_STR(e.msg, "/: this is a folder; a file is needed here");
	CHECK(!board_types_load("/nowhere", &types, &e));
	CHECK_STR(e.msg, "board_types: /nowhere: No such file or directory");
	CHECK(mkdir(folder, 0700) == 0 || errno == EEXIST);
	CHECK(!board_types_load(folder, &types, &e));
	CHECK_STR(e.msg, "config_test [types]: no board types (*.json) in this folder");
	rmdir(folder);
}

TEST(a_long_or_strange_key_gets_no_silly_suggestion)
{
	char key[200] = "", sentence[400];

	memset(key, 'k', 150);
	CHECK(gives("latency_ns", "la\\u001b[31m", "virtual.json:11: boards[0].wire.la?[31m: no such key; there are: mode, rate, latency_ns, ack_delay_ms, outer, ports, interface"));
	snprintf(sentence, sizeof sentence, "virtual.json:11: boards[0].wire.%.104s: no such key; there are: mode, rate, latency_ns, ack_delay_ms, outer, ports, interface", key);
	CHECK(gives("latency_ns", key, sentence));
}

TEST(duplicate_keys_and_broken_json_name_the_line)
{
	CHECK(gives("\"version\": 1,", "\"version\": 1,\n\"version\": 1,", "virtual.json:3: duplicate object key near '\"version\"'"));
	CHECK(gives("\"name\": \"virtual\",", "\"name\": \"virtual\"", "virtual.json:4: '}' expected near '\"boards\"'"));
	CHECK(gives("{\n  \"version\"", "[{\n  \"version\"", "virtual.json:17: ']' expected near end of file"));
}

TEST(what_a_driver_needs_is_asked_for)
{
	CHECK(gives("\"driver\": \"stream\"", "\"driver\": \"pcap\"", "virtual.json:13: boards[0].tap.driver: the driver \"pcap\" needs \"interface\""));
	CHECK(gives("\"power\": { \"driver\": \"virtual\" }", "\"power\": { \"driver\": \"command\" }",
		"virtual.json:8: boards[0].power.driver: the driver \"command\" needs \"on\" and \"off\""));
	CHECK(gives("{ \"driver\": \"rfc2217\",", "{ \"driver\": \"serial\",",
		"virtual.json:9: boards[0].line.driver: the driver \"serial\" needs \"path\", best one of /dev/serial/by-id/"));
	CHECK(gives("\"mode\": \"gate\"", "\"mode\": \"tap\"", "virtual.json:11: boards[0].wire.mode: this mode needs \"interface\""));
}

TEST(two_boards_never_share_a_name_or_an_address)
{
	static const char *const board = "{ \"name\": \"%s\", \"type\": \"t\", \"power\": { \"driver\": \"virtual\" }, \"line\": { \"driver\": \"rfc2217\" },"
		" \"flash\": [ { \"method\": \"atmel_isp\" } ], \"wire\": { \"mode\": \"gate\", \"outer\": \"%s\" },"
		" \"net\": { \"mac\": \"%s\", \"ip\": \"10.77.0.1\", \"host\": \"10.77.0.254\" }, \"tap\": { \"driver\": \"stream\" } }\n";
	static const struct { const char *name, *outer, *mac, *sentence; } second[] = {
		{ "b", "127.0.0.2", "02:00:00:00:00:02", NULL },
		{ "A", "127.0.0.2", "02:00:00:00:00:02", "b.json:2: boards[1].name: boards[0] has the name \"A\" already" },
		{ "b", "127.0.0.1", "02:00:00:00:00:02", "b.json:2: boards[1].wire.outer: boards[0] listens at 127.0.0.1 already: give each board a loopback address of its own" },
		{ "b", "127.0.0.2", "02:00:00:00:00:0A", "b.json:2: boards[1].net.mac: boards[0] has the address 02:00:00:00:00:0A already" },
	};

	for (size_t i = 0; i < sizeof second / sizeof *second; i++) {
		char one[600], two[600], *text;
		struct bench *b = NULL;
		bool ok;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(one, sizeof one, board, "a", "127.0.0.1", "02:00:00:00:00:0a");
		snprintf(two, sizeof two, board, second[i].name, second[i].outer, second[i].mac);
#pragma GCC diagnostic pop
		text = xasprintf("{ \"version\": 1, \"name\": \"b\", \"boards\": [ %s, %s ] }", one, two);
		ok = bench_parse("b.json", text, strlen(text), &b, &e);
		free(text);
		bench_destroy(b);
		CHECK_STR(ok ? NULL : e.msg, second[i].sentence);
	}
}

TEST(a_line_is_found_behind_escapes_brackets_and_nested_values)
{
	const char *text = "{ \"a\\\"b\": \"]}\\\\\",\n \"x\": [ {\"y\": [1, 2]},\n  [ \"[\",\n  3 ] ],\n \"z\": { \"k\":\n 1, \"m\": 2 } }";
	const struct json_path x = { NULL, "x", 0 }, x1 = { &x, NULL, 1 }, x11 = { &x1, NULL, 1 }, z = { NULL, "z", 0 }, m = { &z, "m", 0 }, none = { &z, "q", 0 };

	CHECK_EQ(json_line(text, strlen(text), &x), 2);
	CHECK_EQ(json_line(text, strlen(text), &x1), 3);
	CHECK_EQ(json_line(text, strlen(text), &x11), 4);
	CHECK_EQ(json_line(text, strlen(text), &z), 5);
	CHECK_EQ(json_line(text, strlen(text), &m), 6);
	CHECK_EQ(json_line(text, strlen(text), &none), 5);
	for (size_t n = 0; n < strlen(text); n++)
		CHECK(json_line(text, n, &m) <= 6);
}

TEST(a_board_type_says_what_the_chip_is)
{
	struct board_type *t;

	CHECK_OK(board_type_load("../../fixtures/boards/at89c51ed2-cs8900a.json", &t, &e), &e);
	CHECK_EQ(t->flash.size, 65536);
	CHECK_EQ(t->flash.reserved[0].at, 0xF800);
	CHECK_EQ(t->chip.id, 0x58D7EC);
	CHECK_EQ(t->proof, BOARD_PROOF_BANNER);
	CHECK(board_type_has(t->workloads, "trigger") && !board_type_has(t->workloads, "iperf"));
	board_type_destroy(t);
}

/* The value a row of variants has for a key of its board type: named, or the default. */
static bool row_fits(const struct board_type *t, json_t *variant)
{
	const char *key;
	json_t *value;

	json_object_foreach(variant, key, value) {
		size_t i = 0;

		while (i < t->variant_count && strcmp(t->variants[i].key, key))
			i++;
		if (i == t->variant_count || (t->variants[i].values[0] && !board_type_has(t->variants[i].values, json_string_value(value))))
			return false;
	}
	return true;
}

TEST(the_variants_the_firmware_builds_are_those_the_board_types_know)
{
	json_t *rows = json_load_file("../../firmware/variants.json", 0, NULL), *row;
	struct board_types types;
	size_t i;

	CHECK(json_array_size(rows) > 0);
	CHECK_OK(board_types_load("../../fixtures/boards", &types, &e), &e);
	json_array_foreach(rows, i, row) {
		const struct board_type *t = board_types_find(&types, json_string_value(json_object_get(row, "board_type")));

		CHECK(t);
		CHECK(row_fits(t, json_object_get(row, "variant")));
	}
	board_types_finish(&types);
	json_decref(rows);
}

TEST(paths_of_labd_json_are_relative_to_its_folder)
{
	const char *text = "{\"version\":1,\"bench\":\"b.json\",\"board_types\":\"/t\",\"state_dir\":\"s\",\"web\":[\"w\",\"/x\"],\"http\":{\"port\":0}}";
	struct labd_config c;

	CHECK_OK(labd_config_parse("labd.json", text, strlen(text), "/etc/lab", &c, &e), &e);
	CHECK_STR(c.bench, "/etc/lab/b.json");
	CHECK_STR(c.board_types, "/t");
	CHECK_STR(c.web[0], "/etc/lab/w");
	CHECK_STR(c.web[1], "/x");
	CHECK(!c.web[2] && !c.vboard && !c.images);
	CHECK_STR(c.state_dir, "/etc/lab/s");
	CHECK_STR(c.address, "127.0.0.1");
	CHECK_EQ(c.port, 0);
	labd_config_finish(&c);
	text = "{\"version\":1,\"bench\":\"b.json\",\"board_types\":\"/t\",\"http\":{\"prot\":1}}";
	CHECK(!labd_config_parse("labd.json", text, strlen(text), "/", &c, &e));
	CHECK_STR(e.msg, "labd.json:1: http.prot: no such key; did you mean \"port\"?");
	text = "{\"version\":1,\"bench\":\"b.json\",\"board_types\":\"/t\",\"http\":{\"token_file\":\"/t\"}}";
	CHECK(!labd_config_parse("labd.json", text, strlen(text), "/", &c, &e));
}
