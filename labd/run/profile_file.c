// SPDX-License-Identifier: GPL-2.0-or-later
#include "run/profile_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"

#define BUCKETS "buckets.json"

static char *name_of(const char *state_dir, int64_t run, int64_t attempt)
{
	return xasprintf("%s/captures/run-%06lld/attempt-%06lld.profile.json", state_dir, (long long)run, (long long)attempt);
}

/* A file of the build, in the folder of the image. */
static json_t *build_file(const struct lab_image *image, const char *file, struct err *e)
{
	const char *slash = strrchr(image->path, '/');
	char *path = slash ? xasprintf("%.*s/%s", (int)(slash - image->path), image->path, file) : xstrdup(file);
	json_error_t je;
	json_t *doc = json_load_file(path, JSON_REJECT_DUPLICATES, &je);

	if (!doc)
		err_set(e, ERR_NOT_FOUND, "%.120s: %s", path, je.text);
	free(path);
	return doc;
}

json_t *profile_of_image(const struct lab_image *image, const json_t *counts, const struct profile_run *run, struct err *e)
{
	const char *file = json_string_value(json_object_get(image->row, "symbols"));
	json_t *symbols = NULL, *buckets = NULL, *profile = NULL;

	if (!file)
		err_set(e, ERR_NOT_FOUND, "image %s has no list of its functions", image->build);
	else if ((symbols = build_file(image, file, e)) && (buckets = build_file(image, BUCKETS, e)))
		profile = profile_attribute(counts, symbols, buckets, run, e);
	json_decref(symbols);
	json_decref(buckets);
	return profile;
}

/* Under its name only when it is complete. */
static bool write_file(const json_t *doc, const char *path, struct err *e)
{
	char *part = xasprintf("%s.part", path);
	bool ok = (json_dump_file(doc, part, JSON_INDENT(1)) == 0 && rename(part, path) == 0) || err_errno(e, "%.150s", path);

	if (!ok)
		unlink(part);
	free(part);
	return ok;
}

bool profile_file_write(const char *state_dir, int64_t run, int64_t attempt, const struct lab_image *image, const json_t *counts, const struct profile_run *measured, struct err *e)
{
	json_t *profile = profile_of_image(image, counts, measured, e);
	char *path = name_of(state_dir, run, attempt);
	bool ok = profile && write_file(profile, path, e);

	json_decref(profile);
	free(path);
	return ok;
}

json_t *profile_file_read(const char *state_dir, int64_t run, int64_t attempt, struct err *e)
{
	char *path = name_of(state_dir, run, attempt);
	json_error_t je;
	json_t *doc = NULL;

	if (access(path, F_OK) != 0)
		err_set(e, ERR_NOT_FOUND, "no profile was taken of result %lld; labctl profile takes one", (long long)attempt);
	else if (!(doc = json_load_file(path, 0, &je)))
		err_set(e, ERR_IO, "%.120s: %s", path, je.text);
	free(path);
	return doc;
}
