// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Strict reading of JSON documents that people write: Jansson parses, a table says which keys an object has, and every error carries file, line
 * and path: "virtual.json:7: boards[0].wire.latancy_ns: no such key; did you mean "latency_ns"?". Duplicate keys are refused. Texts read are
 * borrowed from the document and live as long as its root. Any thread, one document each.
 */
#ifndef LAB_CORE_JSON_H
#define LAB_CORE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

struct json_doc {
	const char *file;                                                    /* for the sentences; borrowed */
	const char *text;                                                    /* borrowed, as long as errors may be made */
	size_t size;
	json_t *root;                                                        /* owned */
};

/* Parse at most 4 MiB of text, whose root is an object. */
bool json_doc_parse(struct json_doc *d, const char *file, const char *text, size_t size, struct err *e);
void json_doc_finish(struct json_doc *d);

/* Where in a document: a chain on the stack from a value up to the root (NULL). key NULL: the index-th element of an array. */
struct json_path {
	const struct json_path *up;
	const char *key;
	size_t index;
};

/* What an object's key holds, and where it goes in the caller's struct. */
enum json_kind {
	JSON_KIND_TEXT,                                                      /* const char *; min and max: bytes, if max is set */
	JSON_KIND_BOOL,                                                      /* bool */
	JSON_KIND_U16, JSON_KIND_U32, JSON_KIND_U64,                         /* whole numbers in min..max, or all of the type's if max is 0 */
	JSON_KIND_ADDRESS,                                                   /* uint32_t, a whole number or a text like "0xF800" */
	JSON_KIND_WORD,                                                      /* int: index into words */
	JSON_KIND_STRUCT,                                                    /* an object with a table of its own, at offset */
	JSON_KIND_OBJECT, JSON_KIND_ARRAY,                                   /* json_t *, borrowed */
};

struct json_field {
	const char *key;                                                     /* NULL ends a table */
	enum json_kind kind;
	size_t offset;
	bool required;                                                       /* a key that is not there leaves the struct as it is */
	int64_t min, max;
	const char *const *words;                                            /* ends with NULL */
	const struct json_field *fields;
};

/* Read object (at path) by its table. Unknown keys, wrong types, values out of range and missing keys are errors. */
bool json_read(const struct json_doc *d, const struct json_path *at, const json_t *object, const struct json_field *fields, void *out, struct err *e);

/* The text at an array's element; false with a sentence if it is none or empty. */
bool json_read_text(const struct json_doc *d, const struct json_path *at, const json_t *value, const char **out, struct err *e);

/* Fill *e with "file:line: path: sentence" and return false. */
bool json_fail(const struct json_doc *d, const struct json_path *at, struct err *e, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* The line (from 1) of the key or element at path; of the nearest enclosing value that exists if that one does not. */
size_t json_line(const char *text, size_t size, const struct json_path *at);

/* "boards[0].wire" into out. */
void json_path_text(const struct json_path *at, char *out, size_t room);

/* The word (NULL-terminated list) nearest to a misspelt one, or NULL when none is near. */
const char *json_nearest(const char *word, const char *const *words);

#endif
