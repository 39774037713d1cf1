// SPDX-License-Identifier: GPL-2.0-or-later
/* References beside cells. */
#include "report/published.h"

#include <string.h>

#include "store/store.h"

static json_t *condition_of(json_t *cell, const char *key)
{
	json_t *value = json_object_get(json_object_get(cell, "params"), key);

	return value ? value : json_object_get(json_object_get(cell, "variant"), key);
}

/* What a build of ours may change for the sake of comparison and no source tells of: a published figure stands beside the plain build, and no other. */
static const struct { const char *key, *plain; } builds[] = { { "check_rx", "1" }, { "checksum", "c" }, { "clock", "x1" } };

static void add_build_differences(json_t *conditions, json_t *cell, json_t *list)
{
	for (size_t i = 0; i < sizeof builds / sizeof builds[0]; i++) {
		const char *value = json_string_value(json_object_get(json_object_get(cell, "variant"), builds[i].key));

		if (value && strcmp(value, builds[i].plain) != 0 && !json_object_get(conditions, builds[i].key))
			json_array_append_new(list, json_string(builds[i].key));
	}
}

static json_t *differs(json_t *reference, json_t *cell)
{
	json_t *list = json_array(), *conditions = json_object_get(reference, "conditions"), *wanted;
	const char *key;

	json_object_foreach(conditions, key, wanted)
		if (!json_equal(wanted, condition_of(cell, key)))
			json_array_append_new(list, json_string(key));
	add_build_differences(conditions, cell, list);
	return list;
}

static void copy(json_t *to, json_t *from)
{
	static const char *const keys[] = { "id", "printed", "source", "kind", "grade", "description" };

	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
		json_object_set(to, keys[i], json_object_get(from, keys[i]));
}

/* What is asked for, from what was published: the same figure, or one that follows from it exactly. */
static bool convert(json_t *reference, const char *figure, double *value, const char **unit)
{
	const char *has = json_string_value(json_object_get(reference, "figure"));
	double count = json_number_value(json_object_get(json_object_get(reference, "conditions"), "count"));

	*value = json_number_value(json_object_get(reference, "value"));
	*unit = json_string_value(json_object_get(reference, "unit"));
	if (strcmp(has, figure) == 0)
		return true;
	if (strcmp(figure, "goodput_bit_per_s") == 0 && strcmp(has, "goodput_byte_per_s") == 0) {
		*value *= 8;
		*unit = "bit/s";
		return true;
	}
	if (strcmp(figure, "frame_time_s") == 0 && strcmp(has, "elapsed_s") == 0 && count > 0) {
		*value /= count;
		return true;
	}
	return false;
}

static void add(json_t *list, json_t *reference, json_t *cell, const char *figure)
{
	double value;
	const char *unit;
	json_t *p, *different;

	if (!convert(reference, figure, &value, &unit))
		return;
	different = differs(reference, cell);
	p = json_pack("{s:s, s:f, s:s, s:O}", "figure", figure, "value", value, "unit", unit, "differs", different);
	copy(p, reference);
	if (json_array_size(different) == 0)
		json_array_insert_new(list, 0, p);
	else
		json_array_append_new(list, p);
	json_decref(different);
}

static const char *text_of(json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

json_t *published_for(struct store *s, json_t *cell, const char *figure, struct err *e)
{
	json_t *all = store_references(s, text_of(cell, "board_type"), text_of(cell, "workload"), e), *list, *r;
	size_t i;

	if (!all)
		return NULL;
	list = json_array();
	json_array_foreach(all, i, r)
		if (json_equal(json_object_get(r, "payload_bytes"), json_object_get(cell, "payload_bytes")))
			add(list, r, cell, figure ? figure : text_of(r, "figure"));
	json_decref(all);
	return list;
}
