// SPDX-License-Identifier: GPL-2.0-or-later
/* Seed data and the host's description. */
#include "run/seed.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/buf.h"
#include "core/mem.h"
#include "run/matrix.h"
#include "run/references.h"
#include "store/store.h"

enum { FILE_BYTES = 4 << 20 };

bool seed_references(struct store *s, struct err *e)
{
	json_error_t je;
	json_t *rows = json_loads(references_json, JSON_REJECT_DUPLICATES, &je);
	bool ok = rows ? store_references_put(s, rows, e) : err_set(e, ERR_INTERNAL, "db/references.json:%d: %s", je.line, je.text);

	json_decref(rows);
	return ok;
}

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

/* "Intel(R) Xeon(R) CPU, 2 processors" */
static void cpu_text(char *out, size_t size)
{
	char line[256], name[160] = "unknown";
	FILE *f = fopen("/proc/cpuinfo", "re");

	while (f && fgets(line, sizeof line, f))
		if (strncmp(line, "model name", 10) == 0 && strchr(line, ':')) {
			snprintf(name, sizeof name, "%s", strchr(line, ':') + 2);
			break;
		}
	if (f)
		fclose(f);
	name[strcspn(name, "\n")] = 0;
	snprintf(out, size, "%s, %ld processors", name, sysconf(_SC_NPROCESSORS_ONLN));
}

bool seed_host(struct store *s, const char *labd, int64_t *id, struct err *e)
{
	struct utsname u;
	char kernel[400], cpu[200];

	if (uname(&u) != 0)
		return err_errno(e, "uname");
	snprintf(kernel, sizeof kernel, "%s %s %s", u.sysname, u.release, u.machine);
	cpu_text(cpu, sizeof cpu);
	return store_host(s, u.nodename, kernel, cpu, labd, id, e);
}
