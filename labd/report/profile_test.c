// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts of a program that fits on a page, whose profile can be made by hand. */
#include "report/profile.h"

#include <stdlib.h>
#include <string.h>

#include "test/harness.h"

static struct err e;
static const struct profile_run ten_frames = { "a/cell", "0123456789ab", 20000, 10, 100 };
static const char symbols_text[] = "[{\"at\":16,\"name\":\"main\"},{\"at\":32,\"name\":\"fill\"},{\"at\":48,\"name\":\"tcp_send\"},{\"at\":64,\"name\":\"tcp_end\"}]";
static const char buckets_text[] = "[{\"name\":\"fill\",\"what\":\"the buffer\",\"functions\":[\"fill\"]},{\"name\":\"protocol\",\"what\":\"TCP\",\"functions\":[\"tcp_*\",\"fill\"]}]";

/* 1 us a cycle; 20 cycles, of which 3 were slept. */
static const char counts_text[] = "{\"pc\":{\"0x0008\":1,\"0x0010\":2,\"0x0020\":4,\"0x002f\":5,\"0x0030\":3,\"0xffff\":2},\"total\":17,\"cycles\":20,\"hz\":12000000,\"ticks_per_cycle\":12}";

static json_t *make(const char *counts, const char *symbols, const char *buckets, const struct profile_run *run)
{
	json_t *c = json_loads(counts, 0, NULL), *s = json_loads(symbols, 0, NULL), *b = json_loads(buckets, 0, NULL);
	json_t *p = profile_attribute(c, s, b, run, &e);

	json_decref(c);
	json_decref(s);
	json_decref(b);
	return p;
}

static json_int_t cycles(const json_t *p, const char *list, const char *name)
{
	json_t *row;
	size_t i;

	json_array_foreach(json_object_get(p, list), i, row)
		if (strcmp(json_string_value(json_object_get(row, "name")), name) == 0)
			return json_integer_value(json_object_get(row, "cycles"));
	return -1;
}

TEST(cycles_go_to_the_function_their_address_is_in_and_to_the_first_bucket_that_fits)
{
	json_t *p = make(counts_text, symbols_text, buckets_text, &ten_frames);

	CHECK_OK(p != NULL, &e);
	CHECK_EQ(cycles(p, "functions", "(no function)"), 1);
	CHECK_EQ(cycles(p, "functions", "main"), 2);
	CHECK_EQ(cycles(p, "functions", "fill"), 9);
	CHECK_EQ(cycles(p, "functions", "tcp_send"), 3);
	CHECK_EQ(cycles(p, "functions", "tcp_end"), 2);
	CHECK_EQ(cycles(p, "buckets", "fill"), 9);
	CHECK_EQ(cycles(p, "buckets", "protocol"), 5);
	CHECK_EQ(cycles(p, "buckets", "other"), 3);
	CHECK_EQ(cycles(p, "buckets", "asleep"), 3);
	CHECK_STR(json_string_value(json_object_get(json_array_get(json_object_get(p, "functions"), 0), "name")), "fill");
	CHECK_EQ(json_integer_value(json_object_get(p, "profile_ns")), 20000);
	CHECK(json_number_value(json_object_get(p, "closes")) == 1.0);
	json_decref(p);
}

static const struct { const char *counts, *symbols, *buckets, *says; } wrong[] = {
	{ "{\"pc\":{\"0x1\":1},\"total\":2,\"cycles\":2,\"hz\":12000000,\"ticks_per_cycle\":12}", symbols_text, buckets_text, "sum to 1" },
	{ "{\"pc\":{\"0x1\":2},\"total\":2,\"cycles\":1,\"hz\":12000000,\"ticks_per_cycle\":12}", symbols_text, buckets_text, "less than total" },
	{ "{\"pc\":{\"zero\":2},\"total\":2,\"cycles\":2,\"hz\":12000000,\"ticks_per_cycle\":12}", symbols_text, buckets_text, "\"zero\"" },
	{ "{\"pc\":{},\"total\":0,\"cycles\":0}", symbols_text, buckets_text, "how long a cycle is" },
	{ "[]", symbols_text, buckets_text, "no pc" },
	{ counts_text, "[{\"at\":5,\"name\":\"b\"},{\"at\":4,\"name\":\"a\"}]", buckets_text, "begins before" },
	{ counts_text, "[{\"at\":\"5\",\"name\":\"b\"}]", buckets_text, "function 0" },
	{ counts_text, symbols_text, "[{\"name\":\"x\"}]", "bucket 0" },
	{ counts_text, symbols_text, "{}", "not an array" },
};

TEST(documents_that_make_no_sense_are_refused_with_a_sentence)
{
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		json_t *p = make(wrong[i].counts, wrong[i].symbols, wrong[i].buckets, &ten_frames);

		CHECK(!p && e.code == ERR_INVALID);
		CHECK(strstr(e.msg, wrong[i].says));
	}
}

TEST(profiles_stand_beside_each_other_as_a_table_that_sums)
{
	json_t *p = make(counts_text, symbols_text, buckets_text, &ten_frames), *both = json_pack("[o,O]", p, p);
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	profile_print(f, both);
	fclose(f);
	json_decref(both);
	bool ok = strstr(text, "| ms a frame | 100 bytes | 100 bytes |\n") && strstr(text, "| fill: the buffer | 0.001 | 0.001 |\n")
		&& strstr(text, "| **sum** | **0.002** | **0.002** |\n") && strstr(text, "| sum / measured | 1.0000 | 1.0000 |\n") && strstr(text, "| `tcp_send` (protocol) | 0.000 |");
	free(text);
	CHECK(ok);
}
