// SPDX-License-Identifier: GPL-2.0-or-later
/* Targets, queries and names: from bytes to values, without a server. */
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "http/bodies.h"
#include "http/request.h"
#include "http/test_server.h"
#include "test/harness.h"

TEST(a_target_is_decoded_once_and_its_query_with_it)
{
	struct request rq = { 0 };

	CHECK_OK(request_target(&rq, "/api/v1/results?board=8051%2Da&cell=a+b%26&empty=&bare", &problem), &problem);
	CHECK_STR(rq.path, "/api/v1/results");
	CHECK_EQ(rq.query_count, 4);
	CHECK_STR(request_query(&rq, "board"), "8051-a");
	CHECK_STR(request_query(&rq, "cell"), "a b&");
	CHECK_STR(request_query(&rq, "empty"), "");
	CHECK_STR(request_query(&rq, "bare"), "");
	CHECK(request_query(&rq, "other") == NULL);
	CHECK_OK(request_target(&rq, "/a%2541", &problem), &problem);
	CHECK_STR(rq.path, "/a%41");
}

TEST(a_target_that_is_not_plain_is_refused)
{
	static const char *const bad[] = { "", "x", "http://a/b", "/..", "/../etc", "/a/../b", "/a/.", "/a/./b", "/%2e%2e/x", "/a%2fb", "/a//b", "//", "/a\\b",
		"/%00", "/%0a", "/%7f", "/%", "/%2", "/%zz", "/a?x=%", "/a?%00=1" };

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct request rq = { 0 };

		if (request_target(&rq, bad[i], &problem)) {
			test_fail(__FILE__, __LINE__, "accepted: %s", bad[i]);
			return;
		}
		CHECK_EQ(problem.code, ERR_INVALID);
	}
}

TEST(a_target_of_any_length_up_to_the_limit_fits)
{
	struct request *rq = xcalloc(1, sizeof *rq);
	char target[REQUEST_TARGET_MAX + 2];

	memset(target, 'a', sizeof target);
	target[0] = '/';
	target[sizeof target - 1] = '\0';
	CHECK(!request_target(rq, target, &problem));
	target[sizeof target - 2] = '\0';
	CHECK_OK(request_target(rq, target, &problem), &problem);
	target[1] = '?';
	CHECK_OK(request_target(rq, target, &problem), &problem);
	free(rq);
}

TEST(numbers_and_flags_of_a_query_name_what_they_want)
{
	struct request rq = { 0 };
	int64_t n = 0;
	bool flag = false;

	CHECK_OK(request_target(&rq, "/x?limit=5&zero=0&word=5x&huge=99999999999999999999&yes=1&maybe=2", &problem), &problem);
	CHECK_OK(request_number(&rq, "limit", 1, 10, 3, &n, &problem), &problem);
	CHECK_EQ(n, 5);
	CHECK_OK(request_number(&rq, "absent", 1, 10, 3, &n, &problem), &problem);
	CHECK_EQ(n, 3);
	CHECK(!request_number(&rq, "zero", 1, 10, 3, &n, &problem));
	CHECK_STR(problem.msg, "zero: must be a whole number from 1 to 10");
	CHECK(!request_number(&rq, "word", 1, 10, 3, &n, &problem));
	CHECK(!request_number(&rq, "huge", 1, INT64_MAX, 3, &n, &problem));
	CHECK_OK(request_flag(&rq, "yes", false, &flag, &problem), &problem);
	CHECK(flag);
	CHECK(!request_flag(&rq, "maybe", false, &flag, &problem));
	CHECK_STR(problem.msg, "maybe: must be true or false");
}

TEST(names_are_fit_for_files_and_spreadsheets)
{
	static const char *const bad[] = { "", "=1+1", "+cmd", "-x", "@x", "a b", "a,b", "a\"b", "a/b", "\xc3\xa9", "a\n" };
	static const char *const good[] = { "a", "8051-a", "published", "v1.2_x+y" };

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		CHECK(!body_name_ok(bad[i]));
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
		CHECK(body_name_ok(good[i]));
}
