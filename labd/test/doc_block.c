// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/doc_block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/buf.h"
#include "core/mem.h"
#include "test/harness.h"

static bool find_block(const char *doc, const char *name, size_t *from, size_t *to)
{
	char begin[80], end[80];
	const char *a, *z;

	snprintf(begin, sizeof begin, "<!-- begin %s -->\n", name);
	snprintf(end, sizeof end, "<!-- end %s -->\n", name);
	a = strstr(doc, begin);
	z = a ? strstr(a, end) : NULL;
	if (!z)
		return false;
	*from = (size_t)(a - doc) + strlen(begin);
	*to = (size_t)(z - doc);
	return true;
}

static bool replace(const char *path, const char *doc, size_t size, size_t from, size_t to, const char *text, size_t text_size)
{
	struct buf out = { 0 };
	bool ok;

	buf_add(&out, doc, from);
	buf_add(&out, text, text_size);
	buf_add(&out, doc + to, size - to);
	ok = test_write_file(path, out.bytes, out.size);
	buf_finish(&out);
	return ok;
}

static bool compare(const char *path, const char *doc, size_t doc_size, const char *file, const char *name, const char *text, size_t size, bool write, struct err *e)
{
	size_t from, to;

	if (!find_block(doc, name, &from, &to))
		return err_set(e, ERR_NOT_FOUND, "%s has no block %s", file, name);
	if (to - from == size && memcmp(doc + from, text, size) == 0)
		return true;
	if (write)
		return replace(path, doc, doc_size, from, to, text, size) || err_set(e, ERR_IO, "%s cannot be written", file);
	printf("--- %s says\n%.*s--- measured now\n%.*s", file, (int)(to - from), doc + from, (int)size, text);
	return err_set(e, ERR_MISMATCH, "%s: block %s is not what was measured now", file, name);
}

bool doc_block_holds(const char *file, const char *name, const char *text, size_t size, bool write, struct err *e)
{
	const char *source = getenv("LAB_SOURCE");
	char *path = xasprintf("%s/%s", source ? source : ".", file);
	size_t doc_size = 0;
	char *doc = test_read_file(path, &doc_size);
	bool ok = doc ? compare(path, doc, doc_size, file, name, text, size, write, e) : err_set(e, ERR_NOT_FOUND, "%s cannot be read", file);

	free(doc);
	free(path);
	return ok;
}
