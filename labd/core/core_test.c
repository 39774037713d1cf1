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
