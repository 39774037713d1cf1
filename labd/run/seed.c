// SPDX-License-Identifier: GPL-2.0-or-later
/* Seed data and the host's description. */
#include "run/seed.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "run/references.h"
#include "store/store.h"

bool seed_references(struct store *s, struct err *e)
{
	json_error_t je;
	json_t *rows = json_loads(references_json, JSON_REJECT_DUPLICATES, &je);
	bool ok = rows ? store_references_put(s, rows, e) : err_set(e, ERR_INTERNAL, "db/references.json:%d: %s", je.line, je.text);

	json_decref(rows);
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
