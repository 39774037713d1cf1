// SPDX-License-Identifier: GPL-2.0-or-later
/* Cron expressions and time zones: fields, dates that never come, and the two nights of the year. */
#include "run/cron.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/mem.h"
#include "test/harness.h"

static struct err e;

static int64_t utc(int64_t year, int month, int day, int hour, int minute)
{
	return date_to_days(year, month, day) * 86400 + hour * 3600 + minute * 60;
}

/* The next moment after a moment, 0 when the expression or zone is refused. */
static int64_t next(const char *expression, const char *zone, int64_t after)
{
	struct cron c;
	struct zone *z;
	int64_t at = 0;

	if (!cron_parse(expression, &c, &e) || !zone_load(zone, &z, &e))
		return 0;
	if (!cron_next(&c, z, after, &at))
		at = 0;
	zone_destroy(z);
	return at;
}

static bool have_zones(void)
{
	return access("/usr/share/zoneinfo/Europe/Berlin", R_OK) == 0;
}

TEST(dates_and_days_convert_both_ways_over_four_centuries)
{
	int64_t year;
	int month, day;

	for (int64_t d = -150000; d < 150000; d += 37) {
		date_from_days(d, &year, &month, &day);
		CHECK_EQ(date_to_days(year, month, day), d);
	}
	CHECK_EQ(date_to_days(1970, 1, 1), 0);
	CHECK_EQ(date_to_days(2000, 2, 29), 11016);
	CHECK_EQ(date_weekday(0), 4);
}

TEST(fields_take_stars_lists_ranges_steps_and_names)
{
	struct cron c;

	CHECK_OK(cron_parse("*/15 0-5,22 1,15 jan-mar,dec mon-fri", &c, &e), &e);
	CHECK(c.minutes == (1ull << 0 | 1ull << 15 | 1ull << 30 | 1ull << 45));
	CHECK_EQ(c.hours, 0x3f | 1u << 22);
	CHECK_EQ(c.days, 1u << 1 | 1u << 15);
	CHECK_EQ(c.months, 1u << 1 | 1u << 2 | 1u << 3 | 1u << 12);
	CHECK_EQ(c.weekdays, 0x3e);
	CHECK_OK(cron_parse("5/20 * * * 7", &c, &e), &e);
	CHECK(c.minutes == (1ull << 5 | 1ull << 25 | 1ull << 45));
	CHECK_EQ(c.weekdays, 1);
	CHECK_OK(cron_parse("@daily", &c, &e), &e);
}

TEST(what_is_no_expression_is_refused_with_the_field)
{
	static const struct { const char *text, *says; } rows[] = {
		{ "", "has 0 fields" },           { "* * * *", "has 4 fields" },   { "* * * * * *", "too many" },     { "60 * * * *", "minute \"60\"" },
		{ "* 24 * * *", "hour \"24\"" },  { "* * 0 * *", "day of month" }, { "* * * 13 *", "month" },         { "* * * * 8", "day of week" },
		{ "5-1 * * * *", "minute" },      { "*/0 * * * *", "minute" },     { "a * * * *", "minute" },         { "1, * * * *", "minute" },
		{ "-1 * * * *", "minute" },       { "* * * foo *", "month" },      { "1- * * * *", "minute" },        { "99999999999 * * * *", "minute" },
	};
	struct cron c;

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		CHECK(!cron_parse(rows[i].text, &c, &e));
		CHECK(strstr(e.msg, rows[i].says));
	}
}

TEST(dates_that_never_come_are_refused_and_rare_ones_found)
{
	struct cron c;

	CHECK(!cron_parse("0 0 30 2 *", &c, &e));
	CHECK(strstr(e.msg, "never comes"));
	CHECK(!cron_parse("0 0 31 4 *", &c, &e));
	CHECK(!cron_parse("0 0 31 2,4,6,9,11 *", &c, &e));
	CHECK_EQ(next("0 0 29 2 *", "UTC", utc(2097, 1, 1, 0, 0)), utc(2104, 2, 29, 0, 0));
	CHECK_EQ(next("0 0 31 * *", "UTC", utc(2027, 3, 31, 0, 0)), utc(2027, 5, 31, 0, 0));
}

TEST(both_day_fields_given_mean_either_and_a_star_means_both)
{
	/* The 13th, or any Friday: 2027-08-06 is a Friday, 2027-08-13 too. */
	CHECK_EQ(next("0 0 13 * 5", "UTC", utc(2027, 8, 1, 0, 0)), utc(2027, 8, 6, 0, 0));
	CHECK_EQ(next("0 0 13 * 5", "UTC", utc(2027, 9, 11, 0, 0)), utc(2027, 9, 13, 0, 0));
	/* Only Fridays. */
	CHECK_EQ(next("0 0 * * 5", "UTC", utc(2027, 9, 11, 0, 0)), utc(2027, 9, 17, 0, 0));
	CHECK_EQ(next("0 0 */2 * 5", "UTC", utc(2027, 9, 11, 0, 0)), utc(2027, 9, 17, 0, 0));
}

TEST(next_is_after_and_never_at_the_moment_given)
{
	CHECK_EQ(next("30 2 * * *", "UTC", utc(2027, 1, 1, 2, 30)), utc(2027, 1, 2, 2, 30));
	CHECK_EQ(next("30 2 * * *", "UTC", utc(2027, 1, 1, 2, 30) - 1), utc(2027, 1, 1, 2, 30));
}

TEST(in_the_spring_gap_of_berlin_a_nightly_runs_once_at_the_first_minute_after)
{
	if (!have_zones())
		SKIP("no /usr/share/zoneinfo (package tzdata)");
	/* The gap is at 2027-03-28T01:00Z: 02:00 CET becomes 03:00 CEST. */
	CHECK_EQ(next("30 2 * * *", "Europe/Berlin", utc(2027, 3, 27, 12, 0)), utc(2027, 3, 28, 1, 0));
	CHECK_EQ(next("30 2 * * *", "Europe/Berlin", utc(2027, 3, 28, 1, 0)), utc(2027, 3, 29, 0, 30));
	/* Two times in the gap are one run. */
	CHECK_EQ(next("0,30 2 * * *", "Europe/Berlin", utc(2027, 3, 28, 1, 0)), utc(2027, 3, 29, 0, 0));
}

TEST(in_the_repeated_hour_of_berlin_a_nightly_runs_once_the_first_time_round)
{
	if (!have_zones())
		SKIP("no /usr/share/zoneinfo (package tzdata)");
	/* The repeat is at 2027-10-31T01:00Z: 03:00 CEST becomes 02:00 CET. */
	CHECK_EQ(next("30 2 * * *", "Europe/Berlin", utc(2027, 10, 30, 12, 0)), utc(2027, 10, 31, 0, 30));
	CHECK_EQ(next("30 2 * * *", "Europe/Berlin", utc(2027, 10, 31, 0, 30)), utc(2027, 11, 1, 1, 30));
}

TEST(new_york_has_its_nights_on_other_dates)
{
	if (!have_zones())
		SKIP("no /usr/share/zoneinfo (package tzdata)");
	CHECK_EQ(next("30 2 * * *", "America/New_York", utc(2027, 3, 13, 12, 0)), utc(2027, 3, 14, 7, 0));
	CHECK_EQ(next("30 2 * * *", "America/New_York", utc(2027, 3, 14, 7, 0)), utc(2027, 3, 15, 6, 30));
	/* 2027-11-07: 01:30 comes twice, at 05:30Z and 06:30Z. */
	CHECK_EQ(next("30 1 * * *", "America/New_York", utc(2027, 11, 6, 12, 0)), utc(2027, 11, 7, 5, 30));
	CHECK_EQ(next("30 1 * * *", "America/New_York", utc(2027, 11, 7, 5, 30)), utc(2027, 11, 8, 6, 30));
}

TEST(a_nightly_runs_exactly_once_on_every_local_date_of_ten_years)
{
	struct cron c;
	struct zone *z;
	int64_t at = utc(2026, 12, 31, 12, 0), day = date_to_days(2026, 12, 31);

	if (!have_zones())
		SKIP("no /usr/share/zoneinfo (package tzdata)");
	CHECK_OK(cron_parse("30 2 * * *", &c, &e), &e);
	CHECK_OK(zone_load("Europe/Berlin", &z, &e), &e);
	for (int i = 0; i < 3653; i++) {
		CHECK(cron_next(&c, z, at, &at));
		CHECK_EQ((at + zone_offset(z, at)) / 86400, ++day);
	}
	zone_destroy(z);
}

TEST(every_hour_means_every_hour_in_both_nights)
{
	int64_t at;

	if (!have_zones())
		SKIP("no /usr/share/zoneinfo (package tzdata)");
	at = utc(2027, 10, 30, 22, 0);
	for (int i = 1; i <= 6; i++)
		CHECK_EQ(at = next("0 * * * *", "Europe/Berlin", at), utc(2027, 10, 30, 22, 0) + i * 3600);
	at = utc(2027, 3, 27, 22, 0);
	for (int i = 1; i <= 6; i++)
		CHECK_EQ(at = next("0 * * * *", "Europe/Berlin", at), utc(2027, 3, 27, 22, 0) + i * 3600);
}

TEST(offsets_agree_with_the_c_library_in_many_zones_and_years)
{
	static const char *const names[] = { "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "America/Sao_Paulo", "Africa/Casablanca",
	                                     "Pacific/Apia",  "Asia/Tehran",      "Europe/Dublin" };

	if (!have_zones())
		SKIP("no /usr/share/zoneinfo (package tzdata)");
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		struct zone *z;

		CHECK_OK(zone_load(names[i], &z, &e), &e);
		setenv("TZ", names[i], 1);
		tzset();
		for (int64_t t = utc(1950, 1, 1, 0, 0); t < utc(2060, 1, 1, 0, 0); t += 86400 * 5 + 3607) {
			time_t moment = (time_t)t;
			struct tm local;

			localtime_r(&moment, &local);
			CHECK_EQ(zone_offset(z, t), local.tm_gmtoff);
		}
		zone_destroy(z);
	}
	unsetenv("TZ");
	tzset();
}

TEST(zone_names_cannot_leave_their_folder)
{
	struct zone *z;

	CHECK(!zone_load("../../etc/passwd", &z, &e));
	CHECK(!zone_load("/etc/localtime", &z, &e));
	CHECK(!zone_load("", &z, &e));
	CHECK(!zone_load("Europe/Berlim", &z, &e));
	CHECK(strstr(e.msg, "IANA"));
}

TEST(a_moment_is_shown_with_its_offset)
{
	struct zone *z;
	char text[32];

	CHECK_OK(zone_load("UTC", &z, &e), &e);
	zone_text(z, utc(2027, 3, 28, 1, 0), text);
	CHECK_STR(text, "2027-03-28T01:00:00+00:00");
	zone_destroy(z);
	if (!have_zones())
		SKIP("no /usr/share/zoneinfo (package tzdata)");
	CHECK_OK(zone_load("America/St_Johns", &z, &e), &e);
	zone_text(z, utc(2027, 1, 1, 0, 0), text);
	CHECK_STR(text, "2026-12-31T20:30:00-03:30");
	zone_destroy(z);
}

TEST(the_search_for_a_rare_date_is_quick)
{
	uint64_t from = clock_now_ns(&clock_host);

	for (int i = 0; i < 20; i++)
		CHECK(next("0 0 29 2 *", "UTC", utc(2096, 3, 1, 0, 0)) == utc(2104, 2, 29, 0, 0));
	/* 400 years at the most each, looked at day by day: some milliseconds; field failure F57 allows 0.1 s. */
	CHECK((clock_now_ns(&clock_host) - from) / 20 < NS_PER_S / 10);
}
