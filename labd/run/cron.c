// SPDX-License-Identifier: GPL-2.0-or-later
/* Five fields to bit sets, and the search for the next moment, bounded by the calendar's period of 400 years (field failures F56, F57). */
#include "run/cron.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { DAY = 86400, CALENDAR_DAYS = 146097 };

struct field {
	const char *name;
	int low, high;
	const char *const *names;
	int first_name;
};

static const char *const month_names[] = { "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec", NULL };
static const char *const day_names[] = { "sun", "mon", "tue", "wed", "thu", "fri", "sat", NULL };
static const struct field fields[5] = {
	{ "minute", 0, 59, NULL, 0 }, { "hour", 0, 23, NULL, 0 }, { "day of month", 1, 31, NULL, 0 }, { "month", 1, 12, month_names, 1 }, { "day of week", 0, 7, day_names, 0 },
};
static const struct { const char *word, *means; } shorthands[] = {
	{ "@hourly", "0 * * * *" }, { "@daily", "0 0 * * *" }, { "@midnight", "0 0 * * *" }, { "@nightly", "0 2 * * *" }, { "@weekly", "0 0 * * 0" },
	{ "@monthly", "0 0 1 * *" }, { "@yearly", "0 0 1 1 *" }, { "@annually", "0 0 1 1 *" },
};

/* A number or a name; moves *p behind it. -1: neither. */
static int take_value(const struct field *f, const char **p)
{
	char *end;
	long n;

	for (int i = 0; f->names && f->names[i]; i++)
		if (strncasecmp(*p, f->names[i], 3) == 0 && !isalpha((unsigned char)(*p)[3])) {
			*p += 3;
			return f->first_name + i;
		}
	if (!isdigit((unsigned char)**p))
		return -1;
	n = strtol(*p, &end, 10);
	*p = end;
	return n > 1000 ? 1000 : (int)n;
}

struct span {
	int low, high, step;
};

/* "*", "5", "1-5", each with "/n"; "5/n" runs to the field's end. */
static bool take_span(const struct field *f, const char **p, struct span *s)
{
	bool open = **p == '*';

	*s = (struct span){ f->low, f->high, 1 };
	if (open) {
		(*p)++;
	} else {
		s->low = s->high = take_value(f, p);
		if (**p == '-') {
			(*p)++;
			s->high = take_value(f, p);
		} else {
			open = true;
		}
	}
	if (**p != '/')
		return true;
	(*p)++;
	if (open)
		s->high = f->high;
	if (!isdigit((unsigned char)**p))
		return false;
	s->step = take_value(&fields[0], p);
	return s->step >= 1;
}

static bool parse_field(const struct field *f, const char *text, uint64_t *bits, struct err *e)
{
	const char *p = text;

	*bits = 0;
	do {
		struct span s;

		if (!take_span(f, &p, &s) || s.low < f->low || s.high > f->high || s.low > s.high || (*p && *p != ','))
			return err_set(e, ERR_INVALID, "cron: %s \"%.40s\": give *, numbers %d to %d%s, ranges a-b, steps /n, or a list of these", f->name, text, f->low, f->high,
			               f->names ? " or three-letter names" : "");
		for (int i = s.low; i <= s.high; i += s.step)
			*bits |= (uint64_t)1 << i;
	} while (*p++ == ',');
	return true;
}

static const char *spell_out(const char *text)
{
	for (size_t i = 0; i < sizeof shorthands / sizeof shorthands[0]; i++)
		if (strcmp(text, shorthands[i].word) == 0)
			return shorthands[i].means;
	return text;
}

static bool split(const char *text, char words[5][64], struct err *e)
{
	int n = 0;

	for (const char *p = text; *p;) {
		size_t size;

		p += strspn(p, " \t");
		size = strcspn(p, " \t");
		if (size == 0)
			break;
		if (n == 5 || size >= 64)
			return err_set(e, ERR_INVALID, "cron: \"%.80s\" has too many or too long fields; five are needed: minute hour day month weekday", text);
		snprintf(words[n++], 64, "%.*s", (int)size, p);
		p += size;
	}
	return n == 5 || err_set(e, ERR_INVALID, "cron: \"%.80s\" has %d fields; five are needed: minute hour day month weekday", text, n);
}

static bool day_fits(const struct cron *c, int64_t days)
{
	int64_t year;
	int month, day;
	bool by_day, by_weekday;

	date_from_days(days, &year, &month, &day);
	if (!(c->months >> month & 1))
		return false;
	by_day = c->days >> day & 1;
	by_weekday = c->weekdays >> date_weekday(days) & 1;
	return c->any_day || c->any_weekday ? by_day && by_weekday : by_day || by_weekday;
}

static bool ever_fires(const struct cron *c)
{
	for (int64_t d = 0; d < CALENDAR_DAYS; d++)
		if (day_fits(c, d))
			return true;
	return false;
}

bool cron_parse(const char *text, struct cron *out, struct err *e)
{
	char words[5][64];
	uint64_t bits[5];
	struct cron c;

	if (!split(spell_out(text), words, e))
		return false;
	for (int i = 0; i < 5; i++)
		if (!parse_field(&fields[i], words[i], &bits[i], e))
			return false;
	/* Day 7 is Sunday too. */
	c = (struct cron){ bits[0], (uint32_t)bits[1], (uint32_t)bits[2], (uint16_t)bits[3], (uint8_t)((bits[4] | bits[4] >> 7) & 0x7f), words[1][0] == '*',
	                   words[2][0] == '*', words[4][0] == '*' };
	if (!ever_fires(&c))
		return err_set(e, ERR_INVALID, "cron: \"%.80s\" never comes: no year has such a date", text);
	*out = c;
	return true;
}

/* Local times of one day in order; their moments never go backwards, since a gap only moves them to its end. */
static bool next_of_day(const struct cron *c, const struct zone *z, int64_t day, int64_t after_s, int64_t *next_s)
{
	for (int hour = 0; hour < 24; hour++)
		for (int minute = 0; c->hours >> hour & 1 && minute < 60; minute++) {
			int64_t at;

			if (!(c->minutes >> minute & 1))
				continue;
			at = zone_to_utc(z, day * DAY + hour * 3600 + minute * 60);
			if (at > after_s) {
				*next_s = at;
				return true;
			}
		}
	return false;
}

/* Every minute of one day as clocks show it: 23 to 25 hours of them. */
static bool next_of_every_hour(const struct cron *c, const struct zone *z, int64_t day, int64_t after_s, int64_t *next_s)
{
	int64_t begin = zone_to_utc(z, day * DAY), end = zone_to_utc(z, (day + 1) * DAY);

	for (int64_t at = begin; at < end; at += 60) {
		int64_t s = at + zone_offset(z, at) - day * DAY;

		if (at > after_s && s >= 0 && s < DAY && c->hours >> (s / 3600) & 1 && c->minutes >> (s / 60 % 60) & 1) {
			*next_s = at;
			return true;
		}
	}
	return false;
}

bool cron_next(const struct cron *c, const struct zone *z, int64_t after_s, int64_t *next_s)
{
	int64_t local = after_s + zone_offset(z, after_s);
	/* A day back: a gap may have moved yesterday's last minutes here. */
	int64_t day = (local >= 0 ? local / DAY : -((-local + DAY - 1) / DAY)) - 1;

	/* A day that fits has such a time, but for the days around now; a zone file that is not of this world must not cost more. */
	for (int64_t last = day + CALENDAR_DAYS + 2, fits = 0; day < last && fits < 400; day++) {
		if (!day_fits(c, day))
			continue;
		if ((c->every_hour ? next_of_every_hour : next_of_day)(c, z, day, after_s, next_s))
			return true;
		fits++;
	}
	return false;
}
