// SPDX-License-Identifier: GPL-2.0-or-later
/* The matrices of a folder, into the store. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/buf.h"
#include "core/mem.h"
#include "run/matrix.h"
#include "run/seed.h"
#include "store/store.h"

enum { FILE_BYTES = 4 << 20 };

static bool read_text(const char *path, struct buf *out, struct err *e)
{
	FILE *f = fopen(path, "re");
	char block[8192];
	size_t n;
	bool ok;

	if (!f)
		return err_errno(e, "%s", path);
	while ((n = fread(block, 1, sizeof block, f)) > 0 && out->size < FILE_BYTES)
		buf_add(out, block, n);
	ok = !ferror(f) || err_errno(e, "%s", path);
	fclose(f);
	return ok;
}

static bool seed_matrix(struct store *s, const char *path, struct err *e)
{
	struct buf text = { 0 };
	struct matrix *m = NULL;
	bool ok = read_text(path, &text, e) && matrix_parse(path, buf_text(&text), text.size, &m, e)
	       && store_matrix_put(s, matrix_name(m), matrix_document(m), "labd", NULL, e);

	matrix_destroy(m);
	buf_finish(&text);
	return ok;
}

static int is_json(const struct dirent *d)
{
	size_t n = strlen(d->d_name);

	return n > 5 && strcmp(d->d_name + n - 5, ".json") == 0 && d->d_name[0] != '.';
}

bool seed_matrices(struct store *s, const char *folder, struct err *e)
{
	struct dirent **names;
	int n = scandir(folder, &names, is_json, alphasort);
	bool ok = true;

	if (n < 0)
		return err_errno(e, "matrices: %s", folder);
	for (int i = 0; i < n; i++) {
		char *path = xasprintf("%s/%s", folder, names[i]->d_name);

		ok = ok && seed_matrix(s, path, e);
		free(path);
		free(names[i]);
	}
	free(names);
	return ok;
}
