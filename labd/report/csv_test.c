// SPDX-License-Identifier: GPL-2.0-or-later
/* CSV files: quoting, formulas, gaps, numbers in every locale, and Python's csv, sqlite3 and pandas as readers. */
#include "report/csv.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/mem.h"
#include "image/sha256.h"
#include "report/csv_table.h"
#include "report/report_fixture.h"
#include "test/harness.h"

static struct err e;

/* A whole export; the caller finishes the buffer. */
static bool export_with(const struct csv_query *q, struct buf *out, uint64_t *rows, json_t **meta)
{
	struct csv_export *x;
	bool end = false, ok = csv_open(fixture_store, q, &x, &e);

	if (!ok)
		return false;
	while (ok && !end)
		ok = csv_more(x, out, &end, &e);
	*rows = csv_rows(x);
	if (meta)
		*meta = csv_meta(x, "a.csv", "test", NULL);
	csv_close(x);
	return ok;
}

static size_t lines_of(const struct buf *b)
{
	size_t n = 0;

	for (size_t i = 0; i + 1 < b->size; i++)
		n += b->bytes[i] == '\r' && b->bytes[i + 1] == '\n';
	return n;
}

static const char *field(const char *text, bool free_text)
{
	static struct buf out;

	buf_clear(&out);
	csv_text(&out, text, ',', free_text);
	return buf_text(&out);
}

TEST(fields_are_quoted_when_needed_and_guarded_when_they_look_like_formulas)
{
	CHECK_STR(field("plain", true), "plain");
	CHECK_STR(field("a,b", true), "\"a,b\"");
	CHECK_STR(field("say \"hi\"", true), "\"say \"\"hi\"\"\"");
	CHECK_STR(field("two\nlines", true), "\"two\nlines\"");
	CHECK_STR(field("=1+1", true), "'=1+1");
	CHECK_STR(field("+cmd", true), "'+cmd");
	CHECK_STR(field("@x", true), "'@x");
	CHECK_STR(field("-5.00", true), "'-5.00");
	CHECK_STR(field("-2+3", true), "'-2+3");
	CHECK_STR(field("\tx", true), "'\tx");
	CHECK_STR(field("\rx", true), "\"'\rx\"");
	CHECK_STR(field("-3.5", false), "-3.5");
	CHECK_STR(field("", true), "");
	CHECK_STR(field(" x", true), "\" x\"");
}

TEST(samples_have_a_row_for_each_attempt_and_figure_and_end_with_crlf)
{
	struct csv_query q = { .kind = CSV_SAMPLES };
	struct buf out = { 0 };
	uint64_t rows;

	CHECK_OK(fixture_begin(&e) && fixture_run(750, &e), &e);
	CHECK_OK(export_with(&q, &out, &rows, NULL), &e);
	CHECK_EQ(rows, 3 * 7);
	CHECK_EQ(lines_of(&out), 1 + 3 * 7);
	CHECK(memcmp(out.bytes + out.size - 2, "\r\n", 2) == 0);
	CHECK(strncmp(buf_text(&out), "schema_version,session_id,started_at,board_model,board_serial,virtual,", 70) == 0);
	/* A build id that would read as a number. */
	CHECK(strstr(buf_text(&out), ",g1234567890e1,"));
	buf_finish(&out);
	fixture_end();
}

TEST(a_failed_attempt_has_empty_values_and_its_verdict)
{
	struct csv_query q = { .kind = CSV_SAMPLES, .results = { .verdict = "fail" } };
	struct buf out = { 0 };
	uint64_t rows;

	CHECK_OK(fixture_begin(&e) && fixture_run(750, &e), &e);
	CHECK_OK(export_with(&q, &out, &rows, NULL), &e);
	CHECK_EQ(rows, 7);
	CHECK(strstr(buf_text(&out), ",fail,firmware,it broke,"));
	CHECK(strstr(buf_text(&out), "goodput_bit_per_s,,bit/s\r\n"));
	buf_finish(&out);
	fixture_end();
}

TEST(numbers_have_a_point_in_every_locale_and_read_back_exactly)
{
	struct csv_query q = { .kind = CSV_COMPARE };
	struct buf out = { 0 };
	uint64_t rows;
	char *text;
	bool found;

	if (!setlocale(LC_ALL, "de_DE.UTF-8"))
		SKIP("the locale de_DE.UTF-8 is not installed here (package locales)");
	CHECK_OK(fixture_begin(&e) && fixture_run(0, &e), &e);
	CHECK_OK(export_with(&q, &out, &rows, NULL), &e);
	setlocale(LC_ALL, "C");
	CHECK_EQ(rows, 3);
	text = xasprintf("%.17g", fixture_goodput(1460));
	found = strstr(buf_text(&out), text) != NULL;
	for (int digits = 16; !found && digits >= 15; digits--) {
		free(text);
		text = xasprintf("%.*g", digits, fixture_goodput(1460));
		found = strtod(text, NULL) == fixture_goodput(1460) && strstr(buf_text(&out), text);
	}
	CHECK(found);
	free(text);
	buf_finish(&out);
	fixture_end();
}

TEST(semicolon_and_comma_come_together_when_asked_for)
{
	struct csv_query q = { .kind = CSV_COMPARE, .format = { .separator = ';', .decimal = ',', .bom = true } };
	struct buf out = { 0 };
	uint64_t rows;

	CHECK_OK(fixture_begin(&e) && fixture_run(0, &e), &e);
	CHECK_OK(export_with(&q, &out, &rows, NULL), &e);
	CHECK(memcmp(out.bytes, "\xef\xbb\xbfschema_version;", 18) == 0);
	CHECK(strstr(buf_text(&out), ";4785,0;"));
	CHECK(strstr(buf_text(&out), ";1,"));
	buf_finish(&out);
	fixture_end();
}

TEST(the_excel_variant_is_utf16_with_mark_and_tabs)
{
	struct csv_query q = { .kind = CSV_SAMPLES, .format = { .excel = true } };
	struct buf out = { 0 };
	uint64_t rows;

	CHECK_OK(fixture_begin(&e) && fixture_run(0, &e), &e);
	CHECK_OK(export_with(&q, &out, &rows, NULL), &e);
	CHECK(memcmp(out.bytes, "\xff\xfes\0c\0h\0", 8) == 0);
	CHECK_EQ(out.size % 2, 0);
	/* The mark stands at the front alone, and the first separator is a tab. */
	for (size_t i = 2; i + 1 < out.size; i += 2)
		CHECK(!(out.bytes[i] == 0xff && out.bytes[i + 1] == 0xfe));
	CHECK(out.bytes[2 + 2 * 14] == '\t' && out.bytes[3 + 2 * 14] == 0);
	buf_finish(&out);
	fixture_end();
}

TEST(the_sidecar_tells_columns_rows_and_the_hash_of_the_file)
{
	struct csv_query q = { .kind = CSV_SUMMARY };
	struct buf out = { 0 };
	uint64_t rows;
	json_t *meta;
	char hash[65];

	CHECK_OK(fixture_begin(&e) && fixture_run(0, &e) && fixture_run(0, &e), &e);
	CHECK_OK(export_with(&q, &out, &rows, &meta), &e);
	CHECK_EQ(rows, 2 * 3 * 4);
	CHECK_EQ(json_integer_value(json_object_get(meta, "rows")), rows);
	sha256_hex(out.bytes, out.size, hash);
	CHECK_STR(json_string_value(json_object_get(meta, "sha256")), hash);
	CHECK_STR(json_string_value(json_object_get(json_array_get(json_object_get(meta, "columns"), 0), "name")), "schema_version");
	json_decref(meta);
	buf_finish(&out);
	fixture_end();
}

/* Run 1: 750 fails; run 2: all pass. Four figures a cell. */
TEST(a_summary_has_the_rows_that_were_asked_for_and_no_others)
{
	static const struct { struct result_filter f; uint64_t rows; } asked[] = {
		{ { .payload_bytes = 750 }, 2 * 4 },
		{ { .payload_bytes = 750, .run = 2 }, 4 },
		{ { .verdict = "fail" }, 4 },
		{ { .cell = "trigger/at89c51ed2-cs8900a/payload_bytes=100" }, 2 * 4 },
		{ { .board = "board-a", .board_type = "another" }, 0 },
		{ { .board = "at89c51ed2-cs8900a" }, 0 },
		{ { .board_type = "at89c51ed2-cs8900a" }, 2 * 3 * 4 },
	};
	struct buf out = { 0 };
	uint64_t rows;

	CHECK_OK(fixture_begin(&e) && fixture_run(750, &e) && fixture_run(0, &e), &e);
	for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
		struct csv_query q = { .kind = CSV_SUMMARY, .results = asked[i].f };

		CHECK_OK(export_with(&q, &out, &rows, NULL), &e);
		CHECK_EQ(rows, asked[i].rows);
		buf_finish(&out);
	}
	fixture_end();
}

TEST(header_names_are_lower_case_words)
{
	for (int kind = CSV_SAMPLES; kind <= CSV_COMPARE; kind++)
		for (const struct csv_column *c = csv_columns((enum csv_kind)kind); c->name; c++)
			CHECK(strspn(c->name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(c->name));
}

TEST(an_export_ends_at_what_was_there_when_it_began)
{
	struct csv_query q = { .kind = CSV_SAMPLES };
	struct csv_export *x;
	struct buf out = { 0 };
	bool end = false;

	CHECK_OK(fixture_begin(&e) && fixture_run(0, &e), &e);
	CHECK_OK(csv_open(fixture_store, &q, &x, &e), &e);
	CHECK_OK(fixture_run(0, &e), &e);
	while (!end)
		CHECK_OK(csv_more(x, &out, &end, &e), &e);
	CHECK_EQ(csv_rows(x), 3 * 7);
	csv_close(x);
	buf_finish(&out);
	fixture_end();
}

/* What a person may write into an error or a name, and what a reader must get back. */
static const char nasty[] = "=1+1, \"hi\"\ntwo \xe2\x82\xac \xf0\x9f\x98\x80";

static const char check_py[] =
	"import csv, sqlite3, sys, json\n"
	"rows = list(csv.DictReader(open(sys.argv[1], newline='', encoding='utf-8'), strict=True))\n"
	"assert len(rows) == 4 * 7, len(rows)\n"
	"assert all(None not in r and None not in r.values() for r in rows)\n"
	"bad = [r for r in rows if r['status'] == 'fail']\n"
	"assert len(bad) == 7 and all(r['value'] == '' for r in bad)\n"
	"assert all(r['error'] == \"'\" + sys.argv[2] for r in bad), bad[0]['error']\n"
	"good = [r for r in rows if r['metric'] == 'elapsed_s' and r['value']]\n"
	"assert [float(r['value']) for r in good] == [30.507, 29.1, 28.0], good\n"
	"db = sqlite3.connect(':memory:')\n"
	"db.execute('CREATE TABLE s (metric TEXT, value REAL)')\n"
	"db.executemany('INSERT INTO s VALUES (?, ?)', [(r['metric'], r['value'] or None) for r in rows])\n"
	"assert db.execute(\"SELECT count(value), max(value) FROM s WHERE metric = 'elapsed_s'\").fetchone() == (3, 30.507)\n"
	"try:\n"
	"    import pandas\n"
	"except ImportError:\n"
	"    print('SKIP pandas'); sys.exit(0)\n"
	"d = pandas.read_csv(sys.argv[1])\n"
	"assert len(d) == 4 * 7\n"
	"assert d['value'].dtype == float and d['value'].isna().sum() == 7\n"
	"assert d['virtual'].dtype == bool and d['virtual'].all()\n"
	"assert d['payload_bytes'].dtype.kind == 'i'\n"
	"assert (d['firmware_build'] == 'g1234567890e1').all()\n"
	"assert d[d.metric == 'elapsed_s'].value.max() == 30.507\n"
	"assert pandas.to_datetime(d['started_at'], utc=True).notna().all()\n";

static int run_python(const char *script, const char *file, const char *text)
{
	pid_t child = fork();
	int status = 0;

	if (child == 0) {
		execl("/usr/bin/python3", "python3", script, file, text, (char *)NULL);              /* Debian's has pandas, another may not */
		execlp("python3", "python3", script, file, text, (char *)NULL);
		_exit(127);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(python_and_pandas_read_back_what_was_written)
{
	static const uint64_t good[] = { 30507000000, 29100000000, 28000000000 }, bad[] = { 1 };
	struct csv_query q = { .kind = CSV_SAMPLES };
	char *script = xasprintf("%s/check.py", test_folder()), *file = xasprintf("%s/a.csv", test_folder());
	struct buf out = { 0 };
	uint64_t rows;
	int status;

	CHECK_OK(fixture_begin(&e) && fixture_cell("trigger/x", "board-a", NULL, good, 3, &e) && fixture_cell("trigger/x", "board-a", nasty, bad, 1, &e), &e);
	CHECK_OK(export_with(&q, &out, &rows, NULL), &e);
	CHECK(test_write_file(file, out.bytes, out.size) && test_write_file(script, check_py, sizeof check_py - 1));
	status = run_python(script, file, nasty);
	if (status == 127)
		SKIP("no python3");
	CHECK_EQ(status, 0);
	buf_finish(&out);
	free(script);
	free(file);
	fixture_end();
}
