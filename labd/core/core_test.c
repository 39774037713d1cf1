// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/buf.h"
#include "core/clock.h"
#include "core/err.h"
#include "test/harness.h"

#include <errno.h>
#include <string.h>

TEST(an_error_is_prefixed_from_the_inside_out)
{
	struct err e;

	CHECK(!err_set(&e, ERR_TIMEOUT, "no answer in %d ms", 300));
	CHECK(!err_prefix(&e, "flash"));
	CHECK_EQ(e.code, ERR_TIMEOUT);
	CHECK_STR(e.msg, "flash: no answer in 300 ms");
}

TEST(a_long_error_is_cut_and_ends_in_nul)
{
	struct err e;
	char text[600];

	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	err_set(&e, ERR_INVALID, "%s", text);
	err_prefix(&e, "%s", text);
	CHECK_EQ(strlen(e.msg), sizeof e.msg - 1);
}

TEST(a_sentence_is_clean_utf_8_whatever_it_quotes)
{
	struct err e;

	err_set(&e, ERR_INVALID, "name \"%s\"", "a\x1b[31m\nb\x7f");
	CHECK_STR(e.msg, "name \"a?[31m?b?\"");
	err_set(&e, ERR_INVALID, "%s", "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
	CHECK_STR(e.msg, "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
	err_set(&e, ERR_INVALID, "%.2s|%s", "a\xc3\xa9", "\xe9 \xc0\xaf \xed\xa0\x80 \xc2\x9b");
	CHECK_STR(e.msg, "a?|? ?? ??? ??");
	err_prefix(&e, "%.1s", "\xc3\xa9");
	CHECK_STR(e.msg, "?: a?|? ?? ??? ??");
}

TEST(a_long_path_does_not_push_the_reason_out_of_the_sentence)
{
	struct err e;
	char path[600];

	memset(path, 'p', sizeof path - 1);
	path[sizeof path - 1] = '\0';
	errno = ENOENT;
	err_errno(&e, "%s", path);
	CHECK(strstr(e.msg, "ppp...: No such file or directory"));
	CHECK_EQ(strlen(e.msg), sizeof e.msg - 1);
}

TEST(errno_becomes_the_nearest_code)
{
	struct err e;

	errno = ENOENT;
	CHECK(!err_errno(&e, "open %s", "a.json"));
	CHECK_EQ(e.code, ERR_NOT_FOUND);
	CHECK_STR(e.msg, "open a.json: No such file or directory");
}

TEST(a_buffer_grows_prints_and_drops)
{
	struct buf b = { 0 };

	CHECK_STR(buf_text(&b), "");
	for (int i = 0; i < 1000; i++)
		buf_printf(&b, "%d,", i);
	CHECK_EQ(b.size, 3890);
	buf_drop(&b, 3886);
	CHECK_STR(buf_text(&b), "999,");
	buf_finish(&b);
}

TEST(utc_text_is_iso_8601_also_before_1970)
{
	char text[25];

	clock_utc_text(1796052360123, text);
	CHECK_STR(text, "2026-11-30T15:26:00.123Z");
	clock_utc_text(-1, text);
	CHECK_STR(text, "1969-12-31T23:59:59.999Z");
}
