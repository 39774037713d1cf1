// SPDX-License-Identifier: GPL-2.0-or-later
/* Files, lists of texts and names, as all configuration files have them. */
#include "config/read.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/buf.h"

bool config_file_text(const char *path, char **out, size_t *size, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);              /* a pipe without a writer would hold us for ever */
	struct buf b = { 0 };
	struct stat st;
	char piece[4096];
	size_t n;
	FILE *f;
	bool ok;

	if (fd < 0 || fstat(fd, &st))
		return err_errno(e, "%s", path);
	if (!S_ISREG(st.st_mode)) {
		close(fd);
		return err_set(e, ERR_INVALID, "%s: this is %s; a file is needed here", path, S_ISDIR(st.st_mode) ? "a folder" : "a device or a pipe");
	}
	f = fdopen(fd, "rb");
	while (b.size <= 4u << 20 && (n = fread(piece, 1, sizeof piece, f)) > 0)
		buf_add(&b, piece, n);
	ok = !ferror(f) || err_errno(e, "%s", path);
	fclose(f);
	if (!ok) {
		buf_finish(&b);
		return false;
	}
	*size = b.size;
	*out = buf_take(&b);
	return true;
}

bool config_words(const struct json_doc *d, const struct json_path *at, const json_t *array, const char **words, size_t room, struct err *e)
{
	size_t n = json_array_size(array);

	if (n > room)
		return json_fail(d, at, e, "at most %zu texts, not %zu", room, n);
	for (size_t i = 0; i < n; i++)
		if (!json_read_text(d, &(struct json_path){ at, NULL, i }, json_array_get(array, i), &words[i], e))
			return false;
	words[n] = NULL;
	return true;
}

bool config_name(const struct json_doc *d, const struct json_path *at, const char *name, struct err *e)
{
	bool ok = *name && strlen(name) <= 64 && *name != '.' && *name != '-';

	for (const char *p = name; *p && ok; p++)
		ok = isalnum((unsigned char)*p) || strchr("._-", *p);
	return ok || json_fail(d, at, e, "\"%.64s\" is not a name: 1 to 64 letters, digits, points, dashes or underscores", name);
}

bool config_version(const struct json_doc *d, uint32_t version, struct err *e)
{
	return version == 1 || json_fail(d, &(struct json_path){ NULL, "version", 0 }, e, "version %u is not known; this labd reads version 1", version);
}
