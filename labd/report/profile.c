// SPDX-License-Identifier: GPL-2.0-or-later
/* Addresses are looked up in the sorted list of functions; a bucket is found by the names' globs. */
#include "report/profile.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

#define OTHER "other"
#define ASLEEP "asleep"
#define CYCLES_MOST (1ll << 40)                                           /* six days of an 8051; keeps all arithmetic inside its types */

struct function {
	const char *name;                                                    /* borrowed from the symbols */
	uint32_t at;
	uint64_t cycles;
	size_t bucket;
};

struct attribution {
	struct function *functions;                                          /* ascending by at; a first one of no name below them */
	size_t function_count;
	const json_t *buckets;
	uint64_t *bucket_cycles;                                             /* of each row of the table, then other, then asleep */
	size_t bucket_count;                                                 /* rows of the table */
	uint64_t total, cycles;
	double cycle_ns;
	const struct profile_run *run;
};

/* ---- reading ---- */

static size_t bucket_of(const struct attribution *a, const char *name)
{
	json_t *row, *glob;
	size_t i, k;

	json_array_foreach((json_t *)a->buckets, i, row)
		json_array_foreach(json_object_get(row, "functions"), k, glob)
			if (fnmatch(json_string_value(glob), name, 0) == 0)
				return i;
	return a->bucket_count;
}

static bool read_buckets(struct attribution *a, const json_t *buckets, struct err *e)
{
	json_t *row, *glob;
	size_t i, k;

	if (!json_is_array(buckets))
		return err_set(e, ERR_INVALID, "the table of buckets is not an array");
	json_array_foreach((json_t *)buckets, i, row) {
		if (!json_is_string(json_object_get(row, "name")) || !json_is_string(json_object_get(row, "what")) || !json_is_array(json_object_get(row, "functions")))
			return err_set(e, ERR_INVALID, "bucket %zu needs name, what and functions", i);
		json_array_foreach(json_object_get(row, "functions"), k, glob)
			if (!json_is_string(glob))
				return err_set(e, ERR_INVALID, "bucket %zu: functions[%zu] is not a text", i, k);
	}
	a->buckets = buckets;
	a->bucket_count = json_array_size(buckets);
	a->bucket_cycles = xcalloc(a->bucket_count + 2, sizeof *a->bucket_cycles);
	return true;
}

static bool read_symbols(struct attribution *a, const json_t *symbols, struct err *e)
{
	json_t *row;
	size_t i;

	if (!json_is_array(symbols))
		return err_set(e, ERR_INVALID, "the list of functions is not an array");
	a->functions = xcalloc(json_array_size(symbols) + 1, sizeof *a->functions);
	a->functions[0] = (struct function){ .name = "(no function)", .bucket = a->bucket_count };
	a->function_count = 1;
	json_array_foreach((json_t *)symbols, i, row) {
		const char *name = json_string_value(json_object_get(row, "name"));
		json_t *at = json_object_get(row, "at");
		json_int_t value = json_integer_value(at);

		if (!name || !json_is_integer(at) || value < 0 || value > UINT32_MAX)
			return err_set(e, ERR_INVALID, "function %zu needs at and name", i);
		if (value < a->functions[a->function_count - 1].at)
			return err_set(e, ERR_INVALID, "function %zu (%.40s) begins before the one in front of it", i, name);
		a->functions[a->function_count++] = (struct function){ .name = name, .at = (uint32_t)value, .bucket = bucket_of(a, name) };
	}
	return true;
}

static struct function *function_at(const struct attribution *a, uint32_t pc)
{
	size_t low = 0, high = a->function_count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (a->functions[middle].at <= pc)
			low = middle;
		else
			high = middle;
	}
	return &a->functions[low];
}

static bool count_one(struct attribution *a, const char *pc, const json_t *cycles, struct err *e)
{
	char *end;
	unsigned long at = strtoul(pc, &end, 16);
	struct function *f;

	if (strncmp(pc, "0x", 2) != 0 || end == pc + 2 || *end || at > UINT32_MAX || !json_is_integer(cycles) || json_integer_value(cycles) < 0 ||
	    json_integer_value(cycles) > CYCLES_MOST)
		return err_set(e, ERR_INVALID, "a count of \"%.20s\" makes no sense", pc);
	f = function_at(a, (uint32_t)at);
	f->cycles += (uint64_t)json_integer_value(cycles);
	a->bucket_cycles[f->bucket] += (uint64_t)json_integer_value(cycles);
	a->total += (uint64_t)json_integer_value(cycles);
	return true;
}

static bool read_clock(struct attribution *a, const json_t *counts, struct err *e)
{
	json_int_t hz = json_integer_value(json_object_get(counts, "hz")), ticks = json_integer_value(json_object_get(counts, "ticks_per_cycle"));

	if (hz < 1 || ticks < 1 || ticks > 1000 || hz / ticks < 1000)
		return err_set(e, ERR_INVALID, "the counts do not say how long a cycle is (hz, ticks_per_cycle)");
	a->cycle_ns = 1e9 * (double)ticks / (double)hz;
	return true;
}

static bool read_counts(struct attribution *a, const json_t *counts, struct err *e)
{
	json_t *pcs = json_object_get(counts, "pc"), *value;
	json_int_t total = json_integer_value(json_object_get(counts, "total")), cycles = json_integer_value(json_object_get(counts, "cycles"));
	const char *pc;

	if (!json_is_object(pcs) || !read_clock(a, counts, e))
		return json_is_object(pcs) ? false : err_set(e, ERR_INVALID, "the counts have no pc{}");
	json_object_foreach(pcs, pc, value)
		if (!count_one(a, pc, value, e))
			return false;
	if (total < 0 || (uint64_t)total != a->total)
		return err_set(e, ERR_INVALID, "the counts sum to %llu, total says %lld", (unsigned long long)a->total, (long long)total);
	if (cycles < total || cycles > CYCLES_MOST)
		return err_set(e, ERR_INVALID, "cycles (%lld) is less than total (%lld), or makes no sense", (long long)cycles, (long long)total);
	a->bucket_cycles[a->bucket_count + 1] = (uint64_t)(cycles - total);
	a->cycles = (uint64_t)cycles;
	return true;
}

/* ---- writing ---- */

static int by_cycles(const void *x, const void *y)
{
	const struct function *a = x, *b = y;

	if (a->cycles != b->cycles)
		return a->cycles < b->cycles ? 1 : -1;
	return a->at < b->at ? -1 : a->at > b->at;
}

static void add_costs(const struct attribution *a, json_t *row, uint64_t cycles)
{
	double ns = (double)cycles * a->cycle_ns;

	json_object_set_new(row, "cycles", json_integer((json_int_t)cycles));
	json_object_set_new(row, "ns", json_integer((json_int_t)llround(ns)));
	json_object_set_new(row, "share", json_real(a->cycles ? (double)cycles / (double)a->cycles : 0));
	json_object_set_new(row, "us_per_frame", json_real(ns / 1e3 / a->run->frames));
}

static const char *bucket_name(const struct attribution *a, size_t i)
{
	return i == a->bucket_count ? OTHER : i > a->bucket_count ? ASLEEP : json_string_value(json_object_get(json_array_get(a->buckets, i), "name"));
}

static json_t *buckets_json(const struct attribution *a)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < a->bucket_count + 2; i++) {
		json_t *what = json_object_get(json_array_get(a->buckets, i), "what");
		json_t *row = json_pack("{s:s, s:O?}", "name", bucket_name(a, i), "what", what);

		add_costs(a, row, a->bucket_cycles[i]);
		json_array_append_new(rows, row);
	}
	return rows;
}

static json_t *functions_json(const struct attribution *a)
{
	json_t *rows = json_array();

	qsort(a->functions, a->function_count, sizeof *a->functions, by_cycles);
	for (size_t i = 0; i < a->function_count && a->functions[i].cycles; i++) {
		const struct function *f = &a->functions[i];
		json_t *row = json_pack("{s:s, s:I, s:s}", "name", f->name, "at", (json_int_t)f->at, "bucket", bucket_name(a, f->bucket));

		add_costs(a, row, f->cycles);
		json_array_append_new(rows, row);
	}
	return rows;
}

static json_t *document(const struct attribution *a)
{
	const struct profile_run *r = a->run;
	double ns = (double)a->cycles * a->cycle_ns;

	return json_pack("{s:s, s:s, s:I, s:I, s:I, s:f, s:I, s:I, s:f, s:o, s:o}", "cell", r->cell, "build", r->build, "payload_bytes", (json_int_t)r->payload_bytes,
	                 "frames", (json_int_t)r->frames, "elapsed_ns", (json_int_t)r->elapsed_ns, "cycle_ns", a->cycle_ns, "cycles", (json_int_t)a->cycles, "profile_ns",
	                 (json_int_t)llround(ns), "closes", r->elapsed_ns ? ns / (double)r->elapsed_ns : 0.0, "buckets", buckets_json(a), "functions", functions_json(a));
}

json_t *profile_attribute(const json_t *counts, const json_t *symbols, const json_t *buckets, const struct profile_run *run, struct err *e)
{
	struct attribution a = { .run = run };
	json_t *out = NULL;

	if (run->frames == 0)
		err_set(e, ERR_INVALID, "a profile of no frames");
	else if (read_buckets(&a, buckets, e) && read_symbols(&a, symbols, e) && read_counts(&a, counts, e))
		out = document(&a);
	free(a.functions);
	free(a.bucket_cycles);
	return out;
}

/* ---- for people ---- */

static double number(const json_t *row, const char *key)
{
	return json_number_value(json_object_get(row, key));
}

static json_t *named(json_t *rows, const char *name)
{
	json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
		if (strcmp(json_string_value(json_object_get(row, "name")), name) == 0)
			return row;
	return NULL;
}

static void print_cells(FILE *f, const json_t *profiles, const char *list, const char *name)
{
	json_t *p;
	size_t i;

	json_array_foreach((json_t *)profiles, i, p)
		fprintf(f, " %.3f |", number(named(json_object_get(p, list), name), "us_per_frame") / 1e3);
	fprintf(f, "\n");
}

static void print_head(FILE *f, const json_t *profiles, const char *first)
{
	json_t *p;
	size_t i;

	fprintf(f, "| %s |", first);
	json_array_foreach((json_t *)profiles, i, p)
		fprintf(f, " %lld bytes |", (long long)json_integer_value(json_object_get(p, "payload_bytes")));
	fprintf(f, "\n|---|");
	json_array_foreach((json_t *)profiles, i, p)
		fprintf(f, "---|");
	fprintf(f, "\n");
}

static void print_sums(FILE *f, const json_t *profiles)
{
	static const struct { const char *name, *key; } sums[] = { { "sum", "profile_ns" }, { "measured on the wire", "elapsed_ns" } };
	json_t *p;
	size_t i;

	for (size_t k = 0; k < sizeof sums / sizeof sums[0]; k++) {
		fprintf(f, "| **%s** |", sums[k].name);
		json_array_foreach((json_t *)profiles, i, p)
			fprintf(f, " **%.3f** |", number(p, sums[k].key) / 1e6 / number(p, "frames"));
		fprintf(f, "\n");
	}
	fprintf(f, "| sum / measured |");
	json_array_foreach((json_t *)profiles, i, p)
		fprintf(f, " %.4f |", number(p, "closes"));
	fprintf(f, "\n");
}

/* A function that takes less than 3 in 1000 of every profile is in its bucket only. */
static bool worth_a_line(const json_t *profiles, const char *name)
{
	json_t *p;
	size_t i;

	json_array_foreach((json_t *)profiles, i, p)
		if (number(named(json_object_get(p, "functions"), name), "share") >= 0.003)
			return true;
	return false;
}

void profile_print(FILE *f, const json_t *profiles)
{
	json_t *first = json_array_get(profiles, 0), *row;
	size_t i;

	if (!first)
		return;
	print_head(f, profiles, "ms a frame");
	json_array_foreach(json_object_get(first, "buckets"), i, row) {
		const char *name = json_string_value(json_object_get(row, "name")), *what = json_string_value(json_object_get(row, "what"));

		fprintf(f, "| %s%s%s |", name, what ? ": " : "", what ? what : "");
		print_cells(f, profiles, "buckets", name);
	}
	print_sums(f, profiles);
	fprintf(f, "\n");
	print_head(f, profiles, "ms a frame, by function (bucket)");
	json_array_foreach(json_object_get(first, "functions"), i, row) {
		const char *name = json_string_value(json_object_get(row, "name"));

		if (!worth_a_line(profiles, name))
			continue;
		fprintf(f, "| `%s` (%s) |", name, json_string_value(json_object_get(row, "bucket")));
		print_cells(f, profiles, "functions", name);
	}
}
