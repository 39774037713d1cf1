// SPDX-License-Identifier: GPL-2.0-or-later
/* A recursive walk: one function a keyword. */
#include "http/schema_check.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const json_t *get(const json_t *json, const char *key)
{
	return json_object_get(json, key);
}

static const json_t *resolve(const json_t *root, const json_t *schema)
{
	static const char prefix[] = "#/components/schemas/";
	const char *ref = json_string_value(get(schema, "$ref"));

	return ref ? get(get(get(root, "components"), "schemas"), ref + sizeof prefix - 1) : schema;
}

static const char *type_of(const json_t *value)
{
	static const char *const names[] = { [JSON_OBJECT] = "object", [JSON_ARRAY] = "array", [JSON_STRING] = "string", [JSON_INTEGER] = "integer",
		[JSON_REAL] = "number", [JSON_TRUE] = "boolean", [JSON_FALSE] = "boolean", [JSON_NULL] = "null" };

	return names[json_typeof(value)];
}

static bool type_fits(const char *type, const json_t *value)
{
	return strcmp(type, type_of(value)) == 0 || (strcmp(type, "number") == 0 && json_is_integer(value));
}

static bool check_type(const json_t *schema, const json_t *value, const char *at, struct err *e)
{
	const json_t *type = get(schema, "type"), *one;
	size_t i;

	if (!type || (json_is_string(type) && type_fits(json_string_value(type), value)))
		return true;
	json_array_foreach((json_t *)(uintptr_t)type, i, one)
		if (type_fits(json_string_value(one), value))
			return true;
	return err_set(e, ERR_MISMATCH, "%s: is of type %s, which is not described", at, type_of(value));
}

static bool check_enum(const json_t *schema, const json_t *value, const char *at, struct err *e)
{
	const json_t *words = get(schema, "enum"), *word;
	size_t i;

	if (!words)
		return true;
	json_array_foreach((json_t *)(uintptr_t)words, i, word)
		if (json_equal(word, value))
			return true;
	return err_set(e, ERR_MISMATCH, "%s: \"%s\" is not one of the words", at, json_is_string(value) ? json_string_value(value) : type_of(value));
}

static bool check_required(const json_t *schema, const json_t *value, const char *at, struct err *e)
{
	const json_t *required = get(schema, "required"), *key;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)required, i, key)
		if (!get(value, json_string_value(key)))
			return err_set(e, ERR_MISMATCH, "%s: %s is missing", at, json_string_value(key));
	return true;
}

static bool check_object(const json_t *root, const json_t *schema, const json_t *value, const char *at, struct err *e)
{
	const json_t *properties = get(schema, "properties");
	const char *key;
	json_t *member;

	if (!json_is_object(value) || !properties)
		return true;
	json_object_foreach((json_t *)(uintptr_t)value, key, member) {
		char below[160];

		snprintf(below, sizeof below, "%.100s.%.40s", at, key);
		if (!get(properties, key))
			return err_set(e, ERR_MISMATCH, "%s is not described", below);
		if (!schema_check(root, get(properties, key), member, below, e))
			return false;
	}
	return check_required(schema, value, at, e);
}

static bool check_array(const json_t *root, const json_t *schema, const json_t *value, const char *at, struct err *e)
{
	const json_t *items = get(schema, "items"), *least = get(schema, "minItems"), *most = get(schema, "maxItems");
	size_t i, n = json_array_size(value);
	json_t *item;

	if (!json_is_array(value))
		return true;
	if ((least && n < (size_t)json_integer_value(least)) || (most && n > (size_t)json_integer_value(most)))
		return err_set(e, ERR_MISMATCH, "%s: has %zu elements", at, n);
	json_array_foreach((json_t *)(uintptr_t)value, i, item) {
		char below[160];

		snprintf(below, sizeof below, "%.100s[%zu]", at, i);
		if (items && !schema_check(root, items, item, below, e))
			return false;
	}
	return true;
}

static bool check_one_of(const json_t *root, const json_t *schema, const json_t *value, const char *at, struct err *e)
{
	const json_t *choices = get(schema, "oneOf"), *choice;
	size_t i;

	if (!choices)
		return true;
	json_array_foreach((json_t *)(uintptr_t)choices, i, choice)
		if (schema_check(root, choice, value, at, e))
			return true;
	return false;
}

bool schema_check(const json_t *root, const json_t *schema, const json_t *value, const char *at, struct err *e)
{
	schema = resolve(root, schema);
	if (!schema)
		return err_set(e, ERR_MISMATCH, "%s: the description refers to something that is not there", at);
	return check_type(schema, value, at, e) && check_enum(schema, value, at, e) && check_object(root, schema, value, at, e) &&
	       check_array(root, schema, value, at, e) && check_one_of(root, schema, value, at, e);
}

const json_t *schema_operation(const json_t *root, const char *method, const char *path)
{
	char lower[8] = "";

	for (size_t i = 0; method[i] && i + 1 < sizeof lower; i++)
		lower[i] = (char)tolower((unsigned char)method[i]);
	return get(get(get(root, "paths"), path), lower);
}

const json_t *schema_of_answer(const json_t *root, const char *method, const char *path, unsigned status)
{
	char code[8];

	snprintf(code, sizeof code, "%u", status);
	return get(get(get(get(get(schema_operation(root, method, path), "responses"), code), "content"), "application/json"), "schema");
}
