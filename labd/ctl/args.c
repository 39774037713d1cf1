// SPDX-License-Identifier: GPL-2.0-or-later
/* One pass over argv; every option is looked up in the verb's table, so a typo is an error with a suggestion. */
#include "ctl/args.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"

static const struct option_row *find(const struct option_row *own, const struct option_row *common, const char *name, size_t n)
{
	const struct option_row *tables[] = { own, common };

	for (size_t t = 0; t < 2; t++)
		for (const struct option_row *r = tables[t]; r && r->name; r++)
			if (strlen(r->name) == n && memcmp(r->name, name, n) == 0)
				return r;
	return NULL;
}

static bool unknown(const struct option_row *own, const struct option_row *common, const char *name, struct err *e)
{
	const struct option_row *tables[] = { own, common };
	const char *names[2 * ARGS_MAX + 1], *near;
	size_t n = 0;

	for (size_t t = 0; t < 2; t++)
		for (const struct option_row *r = tables[t]; r && r->name && n < 2 * ARGS_MAX; r++)
			names[n++] = r->name;
	names[n] = NULL;
	near = json_nearest(name, names);
	if (near)
		return err_set(e, ERR_INVALID, "there is no option %.40s here; did you mean %s?", name, near);
	return err_set(e, ERR_INVALID, "there is no option %.40s here; --help lists what there is", name);
}

static bool keep_word(struct args *a, const char *word, struct err *e)
{
	if (a->word_count == ARGS_MAX)
		return err_set(e, ERR_INVALID, "too many words at \"%.40s\"", word);
	a->words[a->word_count++] = word;
	return true;
}

static bool keep_option(struct args *a, const char *name, const char *value, struct err *e)
{
	if (a->option_count == ARGS_MAX)
		return err_set(e, ERR_INVALID, "too many options at %.40s", name);
	a->options[a->option_count].name = name;
	a->options[a->option_count++].value = value;
	return true;
}

static bool option(struct args *a, int *i, int argc, char **argv, const struct option_row *own, const struct option_row *common, struct err *e)
{
	const char *text = argv[*i], *equals = strchr(text, '=');
	const struct option_row *row = find(own, common, text, equals ? (size_t)(equals - text) : strlen(text));

	if (!row)
		return unknown(own, common, text, e);
	if (!row->value)
		return equals ? err_set(e, ERR_INVALID, "%s takes no value", row->name) : keep_option(a, row->name, "", e);
	if (equals)
		return keep_option(a, row->name, equals + 1, e);
	if (++*i >= argc)
		return err_set(e, ERR_INVALID, "%s needs a value: %s", row->name, row->value);
	return keep_option(a, row->name, argv[*i], e);
}

bool args_parse(struct args *a, int argc, char **argv, const struct option_row *own, const struct option_row *common, struct err *e)
{
	bool options = true;

	*a = (struct args){ 0 };
	for (int i = 0; i < argc; i++) {
		if (options && strcmp(argv[i], "--") == 0)
			options = false;
		else if (!options || argv[i][0] != '-' || argv[i][1] == '\0') {
			if (!keep_word(a, argv[i], e))
				return false;
		} else if (!option(a, &i, argc, argv, own, common, e)) {
			return false;
		}
	}
	return true;
}

const char *args_text(const struct args *a, const char *name)
{
	for (size_t i = a->option_count; i > 0; i--)
		if (strcmp(a->options[i - 1].name, name) == 0)
			return a->options[i - 1].value;
	return NULL;
}

bool args_flag(const struct args *a, const char *name)
{
	return args_text(a, name) != NULL;
}

bool args_number(const struct args *a, const char *name, int64_t least, int64_t most, int64_t fallback, int64_t *out, struct err *e)
{
	const char *text = args_text(a, name);
	char *end = NULL;

	*out = fallback;
	if (!text)
		return true;
	errno = 0;
	*out = strtoll(text, &end, 10);
	if (errno || end == text || *end || *out < least || *out > most)
		return err_set(e, ERR_INVALID, "%s: \"%.40s\" is not a whole number from %lld to %lld", name, text, (long long)least, (long long)most);
	return true;
}
