// SPDX-License-Identifier: GPL-2.0-or-later
/* TZif files (RFC 9636): transitions up to a year, then the rule in the footer (POSIX TZ, section 8.3 of the base definitions, as RFC 9636
   extends it). */
#include "run/zone.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"

#define ZONE_FOLDER "/usr/share/zoneinfo"
enum { DAY = 86400, ZONE_BYTES = 1 << 20, HEADER = 44 };

/* When a rule changes the clocks: a day of the year and a local time of the day. */
struct change {
	char form;                                                           /* 'M' month.week.weekday, 'J' day 1-365 without February 29, 'N' day 0-365 */
	int month, week, day;
	int32_t at_s;
};

struct rule {
	bool given, summer;
	int32_t standard, daylight;                                          /* seconds east */
	struct change begin, end;                                            /* of daylight time */
};

struct zone {
	size_t count;
	int64_t *moments;                                                    /* ascending */
	int32_t *offsets;                                                    /* from moments[i] on */
	int32_t first;                                                       /* before moments[0] */
	struct rule rule;                                                    /* after the last moment */
};

int64_t date_to_days(int64_t year, int month, int day)
{
	int64_t y = month <= 2 ? year - 1 : year;
	int64_t era = (y >= 0 ? y : y - 399) / 400;
	int64_t in_era = y - era * 400;
	int64_t in_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 + in_year - 719468;
}

void date_from_days(int64_t days, int64_t *year, int *month, int *day)
{
	int64_t z = days + 719468;
	int64_t era = (z >= 0 ? z : z - 146096) / 146097;
	int64_t in_era = z - era * 146097;
	int64_t y = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
	int64_t in_year = in_era - (365 * y + y / 4 - y / 100);
	int64_t m = (5 * in_year + 2) / 153;

	*day = (int)(in_year - (153 * m + 2) / 5 + 1);
	*month = (int)(m < 10 ? m + 3 : m - 9);
	*year = y + era * 400 + (*month <= 2);
}

int date_weekday(int64_t days)
{
	return (int)(((days + 4) % 7 + 7) % 7);
}

static int64_t floor_days(int64_t s)
{
	return s >= 0 ? s / DAY : -((-s + DAY - 1) / DAY);
}

static bool leap(int64_t year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* ---- the footer's rule ---- */

static bool take_name(const char **p)
{
	const char *from = *p;

	if (**p == '<') {
		while (**p && **p != '>')
			(*p)++;
		return *(*p)++ == '>';
	}
	while (isalpha((unsigned char)**p))
		(*p)++;
	return *p - from >= 3;
}

static bool take_number(const char **p, int *out)
{
	char *end;
	long n;

	if (!isdigit((unsigned char)**p))
		return false;
	n = strtol(*p, &end, 10);
	*p = end;
	*out = (int)n;
	return n >= 0 && n <= 400;
}

/* [+-]hh[:mm[:ss]] */
static bool take_time(const char **p, int32_t *out)
{
	int sign = **p == '-' ? -1 : 1, part[3] = { 0 };

	if (**p == '-' || **p == '+')
		(*p)++;
	for (int i = 0; i < 3; i++) {
		if (!take_number(p, &part[i]))
			return false;
		if (**p != ':')
			break;
		(*p)++;
	}
	*out = sign * (part[0] * 3600 + part[1] * 60 + part[2]);
	return part[0] <= 167 && part[1] < 60 && part[2] < 60;
}

static bool take_change(const char **p, struct change *c)
{
	*c = (struct change){ .form = 'N', .at_s = 2 * 3600 };
	if (**p == 'M' || **p == 'J')
		c->form = *(*p)++;
	if (c->form == 'M') {
		if (!take_number(p, &c->month) || *(*p)++ != '.' || !take_number(p, &c->week) || *(*p)++ != '.' || !take_number(p, &c->day))
			return false;
		if (c->month < 1 || c->month > 12 || c->week < 1 || c->week > 5 || c->day > 6)
			return false;
	} else if (!take_number(p, &c->day) || c->day > 365 || (c->form == 'J' && c->day < 1)) {
		return false;
	}
	if (**p != '/')
		return true;
	(*p)++;
	return take_time(p, &c->at_s);
}

static bool parse_rule(const char *p, struct rule *r)
{
	int32_t west;

	if (!take_name(&p) || !take_time(&p, &west))
		return false;
	r->given = true;
	r->standard = -west;
	if (!*p)
		return true;
	r->summer = true;
	r->daylight = r->standard + 3600;
	if (!take_name(&p))
		return false;
	if (*p && *p != ',') {
		if (!take_time(&p, &west))
			return false;
		r->daylight = -west;
	}
	return *p++ == ',' && take_change(&p, &r->begin) && *p++ == ',' && take_change(&p, &r->end) && !*p;
}

static int64_t change_day(const struct change *c, int64_t year)
{
	int64_t first;

	if (c->form == 'J')
		return date_to_days(year, 1, 1) + c->day - 1 + (leap(year) && c->day >= 60);
	if (c->form == 'N')
		return date_to_days(year, 1, 1) + c->day;
	first = date_to_days(year, c->month, 1);
	first += (c->day - date_weekday(first) + 7) % 7 + 7 * (c->week - 1);
	/* Week 5 means the last one. */
	while (first >= date_to_days(c->month == 12 ? year + 1 : year, c->month == 12 ? 1 : c->month + 1, 1))
		first -= 7;
	return first;
}

static int32_t rule_offset(const struct rule *r, int64_t utc_s)
{
	int64_t year, begin, end;
	int month, day;

	if (!r->summer)
		return r->standard;
	date_from_days(floor_days(utc_s + r->standard), &year, &month, &day);
	begin = change_day(&r->begin, year) * DAY + r->begin.at_s - r->standard;
	end = change_day(&r->end, year) * DAY + r->end.at_s - r->daylight;
	if (begin < end)
		return utc_s >= begin && utc_s < end ? r->daylight : r->standard;
	return utc_s >= end && utc_s < begin ? r->standard : r->daylight;
}

/* ---- the file ---- */

struct counts {
	uint32_t isut, isstd, leaps, moments, types, chars;
};

static uint32_t be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static int64_t be64(const uint8_t *p)
{
	return (int64_t)((uint64_t)be32(p) << 32 | be32(p + 4));
}

static bool read_header(const uint8_t *p, size_t left, struct counts *c, char *version)
{
	if (left < HEADER || memcmp(p, "TZif", 4) != 0)
		return false;
	*version = (char)p[4];
	*c = (struct counts){ be32(p + 20), be32(p + 24), be32(p + 28), be32(p + 32), be32(p + 36), be32(p + 40) };
	return c->moments < 65536 && c->types >= 1 && c->types <= 256 && c->chars < 65536 && c->leaps < 65536 && c->isut <= 256 && c->isstd <= 256;
}

static size_t block_size(const struct counts *c, size_t time_bytes)
{
	return c->moments * (time_bytes + 1) + c->types * 6u + c->chars + c->leaps * (time_bytes + 4) + c->isstd + c->isut;
}

static bool read_block(struct zone *z, const uint8_t *p, const struct counts *c)
{
	const uint8_t *kinds = p + c->moments * 8, *types = kinds + c->moments;

	z->count = c->moments;
	z->moments = xcalloc(c->moments + 1, sizeof *z->moments);
	z->offsets = xcalloc(c->moments + 1, sizeof *z->offsets);
	z->first = (int32_t)be32(types);
	for (size_t i = 0; i < z->count; i++) {
		z->moments[i] = be64(p + 8 * i);
		if (kinds[i] >= c->types || (i && z->moments[i] <= z->moments[i - 1]))
			return false;
		z->offsets[i] = (int32_t)be32(types + 6 * kinds[i]);
	}
	for (size_t i = 0; i < c->types; i++) {
		int32_t offset = (int32_t)be32(types + 6 * i);

		if (offset < -26 * 3600 || offset > 26 * 3600)
			return false;
	}
	return true;
}

/* LF, rule, LF. An empty rule is allowed: the last offset goes on. */
static bool read_footer(struct zone *z, const uint8_t *p, size_t left)
{
	char text[128];
	const uint8_t *end = left ? memchr(p + 1, '\n', left - 1) : NULL;

	if (!end || p[0] != '\n' || (size_t)(end - p) > sizeof text)
		return false;
	snprintf(text, sizeof text, "%.*s", (int)(end - p - 1), (const char *)p + 1);
	return !text[0] || parse_rule(text, &z->rule);
}

static bool read_all(struct zone *z, const uint8_t *p, size_t size)
{
	struct counts c;
	char version;
	size_t skip, used;

	/* Version 1 has 32-bit times and no rule; every file of a maintained tzdata has the second block. */
	if (!read_header(p, size, &c, &version) || version < '2')
		return false;
	skip = HEADER + block_size(&c, 4);
	if (skip > size || !read_header(p + skip, size - skip, &c, &version))
		return false;
	p += skip + HEADER;
	size -= skip + HEADER;
	used = block_size(&c, 8);
	return used < size && read_block(z, p, &c) && read_footer(z, p + used, size - used);
}

bool zone_parse(const void *bytes, size_t size, struct zone **out, struct err *e)
{
	struct zone *z = xcalloc(1, sizeof *z);

	if (!read_all(z, bytes, size)) {
		zone_destroy(z);
		return err_set(e, ERR_INVALID, "not a time zone file of version 2 or later (RFC 9636)");
	}
	*out = z;
	return true;
}

void zone_destroy(struct zone *z)
{
	if (!z)
		return;
	free(z->moments);
	free(z->offsets);
	free(z);
}

static bool name_is_sane(const char *name)
{
	if (!name[0] || name[0] == '/' || strlen(name) > 64 || strstr(name, ".."))
		return false;
	return strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-_/") == strlen(name);
}

static bool load_file(const char *name, struct zone **out, struct err *e)
{
	char path[128];
	FILE *f;
	char *bytes = xcalloc(1, ZONE_BYTES);
	size_t size = 0;
	bool ok;

	snprintf(path, sizeof path, ZONE_FOLDER "/%s", name);
	f = fopen(path, "re");
	if (f)
		size = fread(bytes, 1, ZONE_BYTES, f);
	ok = f ? zone_parse(bytes, size, out, e) : err_set(e, ERR_INVALID, "there is no such zone in " ZONE_FOLDER "; give an IANA name like Europe/Berlin, or UTC");
	if (f)
		fclose(f);
	free(bytes);
	return ok || err_prefix(e, "time zone \"%s\"", name);
}

bool zone_load(const char *name, struct zone **out, struct err *e)
{
	if (strcmp(name, "UTC") == 0) {
		*out = xcalloc(1, sizeof **out);
		return true;
	}
	if (!name_is_sane(name))
		return err_set(e, ERR_INVALID, "\"%.70s\" is not the name of a time zone; give an IANA name like Europe/Berlin, or UTC", name);
	return load_file(name, out, e);
}

void zone_host_name(char *out, size_t size)
{
	char target[256];
	ssize_t n = readlink("/etc/localtime", target, sizeof target - 1);
	const char *name = NULL;
	struct zone *z = NULL;

	if (n > 0) {
		target[n] = 0;
		name = strstr(target, "zoneinfo/");
	}
	snprintf(out, size, "%s", name ? name + strlen("zoneinfo/") : "UTC");
	if (strcmp(out, "Etc/UTC") == 0 || !zone_load(out, &z, NULL))
		snprintf(out, size, "UTC");
	zone_destroy(z);
}

/* ---- questions ---- */

int32_t zone_offset(const struct zone *z, int64_t utc_s)
{
	size_t low = 0, high = z->count;

	if (z->count == 0)
		return z->rule.given ? rule_offset(&z->rule, utc_s) : z->first;
	if (utc_s < z->moments[0])
		return z->first;
	if (utc_s >= z->moments[z->count - 1] && z->rule.given)
		return rule_offset(&z->rule, utc_s);
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (z->moments[middle] <= utc_s)
			low = middle;
		else
			high = middle;
	}
	return z->offsets[low];
}

int64_t zone_to_utc(const struct zone *z, int64_t local_s)
{
	int32_t before = zone_offset(z, local_s - 2 * DAY), after = zone_offset(z, local_s + 2 * DAY);
	int64_t low = local_s - 2 * DAY, high = local_s + 2 * DAY;

	/* Before the change first: in a repeated hour that is the first time round. */
	if (zone_offset(z, local_s - before) == before)
		return local_s - before;
	if (zone_offset(z, local_s - after) == after)
		return local_s - after;
	while (high - low > 1) {
		int64_t middle = low + (high - low) / 2;

		if (middle + zone_offset(z, middle) > local_s)
			high = middle;
		else
			low = middle;
	}
	return high;
}

void zone_text(const struct zone *z, int64_t utc_s, char out[32])
{
	int32_t offset = zone_offset(z, utc_s), size = abs(offset) / 60;
	int64_t local = utc_s + offset, days = floor_days(local), year;
	int s = (int)(local - days * DAY), month, day;

	date_from_days(days, &year, &month, &day);
	snprintf(out, 32, "%04d-%02d-%02dT%02d:%02d:%02d%c%02d:%02d", (int)(year % 10000), month % 100, day % 100, s / 3600 % 100, s / 60 % 60, s % 60,
	         offset < 0 ? '-' : '+', size / 60 % 100, size % 60);
}
