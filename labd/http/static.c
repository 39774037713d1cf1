// SPDX-License-Identifier: GPL-2.0-or-later
/* Walks the web folders once, without following links, and answers from memory with ETags and compressed twins. */
#include "http/static.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/buf.h"
#include "core/mem.h"

struct file {
	char *path;                                              /* "/js/app.js" */
	const char *content_type;
	uint8_t *bytes;
	size_t size;
	char etag[24];
	bool hashed;                                             /* the name changes with the content */
};

struct static_files {
	struct file *files;                                      /* sorted by path */
	size_t count, bytes;
	char *policy;
};

static const struct { const char *suffix, *type; } types[] = {
	{ ".html", "text/html; charset=utf-8" }, { ".js", "text/javascript; charset=utf-8" }, { ".mjs", "text/javascript; charset=utf-8" },
	{ ".css", "text/css; charset=utf-8" }, { ".json", "application/json" }, { ".svg", "image/svg+xml" }, { ".png", "image/png" },
	{ ".jpg", "image/jpeg" }, { ".ico", "image/x-icon" }, { ".woff2", "font/woff2" }, { ".txt", "text/plain; charset=utf-8" },
	{ ".md", "text/plain; charset=utf-8" }, { ".map", "application/json" }, { ".webmanifest", "application/manifest+json" },
};

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

/* The type of NAME, also of NAME.gz; NULL: not a kind of file that a page needs. */
static const char *content_type(const char *path)
{
	char name[REQUEST_TARGET_MAX];

	snprintf(name, sizeof name, "%s", path);
	if (ends_with(name, ".gz"))
		name[strlen(name) - 3] = '\0';
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		if (ends_with(name, types[i].suffix))
			return types[i].type;
	return NULL;
}

/* plot.0a1b2c3d.js: a part of at least eight hexadecimal digits between dots or dashes. */
static bool name_is_hashed(const char *path)
{
	const char *name = strrchr(path, '/') + 1;

	while (*name) {
		size_t hex = strspn(name, "0123456789abcdefABCDEF"), part = strcspn(name, ".-");

		if (hex == part && part >= 8 && name[part] != '\0')
			return true;
		name += part + (name[part] != '\0');
	}
	return false;
}

static void make_etag(const struct file *f, char out[24])
{
	uint64_t hash = 14695981039346656037ull;                 /* FNV-1a: names a content, guards nothing */

	for (size_t i = 0; i < f->size; i++)
		hash = (hash ^ f->bytes[i]) * 1099511628211ull;
	snprintf(out, 24, "\"%016llx\"", (unsigned long long)hash);
}

static bool read_all(int fd, size_t size, uint8_t *bytes)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = read(fd, bytes + done, size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

static struct file *find(const struct static_files *sf, const char *path)
{
	for (size_t i = 0; i < sf->count; i++)
		if (strcmp(sf->files[i].path, path) == 0)
			return &sf->files[i];
	return NULL;
}

static bool add_file(struct static_files *sf, int fd, size_t size, const char *path, struct err *e)
{
	struct file *f = find(sf, path);

	if ((!f && sf->count == STATIC_FILES_MAX) || sf->bytes + size > STATIC_BYTES_MAX)
		return err_set(e, ERR_TOO_LARGE, "the web folders hold more than %d files or %u bytes", STATIC_FILES_MAX, STATIC_BYTES_MAX);
	if (!f) {
		f = &sf->files[sf->count++];
		f->path = xstrdup(path);
	}
	free(f->bytes);
	f->bytes = xcalloc(1, size + 1);
	f->size = size;
	sf->bytes += size;
	if (!read_all(fd, size, f->bytes))
		return err_errno(e, "%s", path);
	f->content_type = content_type(path);
	f->hashed = name_is_hashed(path);
	make_etag(f, f->etag);
	return true;
}

static bool walk(struct static_files *sf, int folder, const char *path, struct err *e);

/* Files and folders only, and never through a symbolic link. */
static bool add_entry(struct static_files *sf, int folder, const char *name, const char *path, struct err *e)
{
	struct stat st;
	bool ok = true;
	int fd;

	if (name[0] == '.' || strcmp(name, "node_modules") == 0)
		return true;
	fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return errno == ELOOP || errno == EACCES || err_errno(e, "%s", path);
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
		return walk(sf, fd, path, e);
	if (S_ISREG(st.st_mode) && (content_type(path) || strcmp(path, "/csp.json") == 0))
		ok = add_file(sf, fd, (size_t)st.st_size, path, e);
	close(fd);
	return ok;
}

/* Takes the descriptor. */
static bool walk(struct static_files *sf, int folder, const char *path, struct err *e)
{
	DIR *d = fdopendir(folder);
	struct dirent *entry;
	bool ok = true;

	if (!d) {
		close(folder);
		return err_errno(e, "%s", path);
	}
	while (ok && (entry = readdir(d))) {
		char below[REQUEST_TARGET_MAX];

		if (snprintf(below, sizeof below, "%s/%s", path, entry->d_name) < (int)sizeof below)
			ok = add_entry(sf, dirfd(d), entry->d_name, below, e);
	}
	closedir(d);
	return ok;
}

static bool hash_is_wellformed(const char *text)
{
	static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	return strncmp(text, "sha256-", 7) == 0 && strspn(text + 7, base64) == 43 && strcmp(text + 50, "=") == 0;
}

static bool style_hashes(const struct static_files *sf, struct buf *out, struct err *e)
{
	const struct file *f = find(sf, "/csp.json");
	json_t *json, *item;
	size_t i;
	bool ok;

	if (!f)
		return true;
	json = json_loadb((const char *)f->bytes, f->size, JSON_REJECT_DUPLICATES, NULL);
	ok = json_is_array(json_object_get(json, "style"));
	json_array_foreach(json_object_get(json, "style"), i, item) {
		ok = ok && json_is_string(item) && hash_is_wellformed(json_string_value(item));
		if (ok)
			buf_printf(out, " '%s'", json_string_value(item));
	}
	json_decref(json);
	return ok || err_set(e, ERR_INVALID, "csp.json: must be {\"style\": [\"sha256-...\"]}");
}

static bool make_policy(struct static_files *sf, struct err *e)
{
	struct buf styles = { 0 };
	bool ok = style_hashes(sf, &styles, e);

	if (ok)
		sf->policy = xasprintf("default-src 'none'; script-src 'self'; style-src 'self'%s; img-src 'self' data: blob:; connect-src 'self'; "
		                       "font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'", buf_text(&styles));
	buf_finish(&styles);
	return ok;
}

bool static_create(const char *const *roots, struct static_files **out, struct err *e)
{
	struct static_files *sf = xcalloc(1, sizeof *sf);
	bool ok = true;

	sf->files = xcalloc(STATIC_FILES_MAX, sizeof *sf->files);
	for (; ok && roots && *roots; roots++) {
		int fd = open(*roots, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (fd >= 0)
			ok = walk(sf, fd, "", e) || err_prefix(e, "%.100s", *roots);
		else if (errno != ENOENT)
			ok = err_errno(e, "%.100s", *roots);
	}
	if (!ok || !make_policy(sf, e)) {
		static_destroy(sf);
		return false;
	}
	*out = sf;
	return true;
}

void static_destroy(struct static_files *sf)
{
	if (!sf)
		return;
	for (size_t i = 0; i < sf->count; i++) {
		free(sf->files[i].path);
		free(sf->files[i].bytes);
	}
	free(sf->files);
	free(sf->policy);
	free(sf);
}

/* The file a path means, or its compressed twin where that will do. */
static const struct file *choose(const struct static_files *sf, const struct request *rq, bool *gzip)
{
	static const char *const endings[] = { "", ".html", "index.html" };
	char path[REQUEST_TARGET_MAX + 16];

	for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
		const struct file *f, *small;

		snprintf(path, sizeof path, "%s%s", rq->path, endings[i]);
		f = ends_with(path, ".gz") || strcmp(path, "/csp.json") == 0 ? NULL : find(sf, path);
		if (!f)
			continue;
		snprintf(path + strlen(path), 4, ".gz");
		small = rq->gzip ? find(sf, path) : NULL;
		*gzip = small != NULL;
		return small ? small : f;
	}
	return NULL;
}

bool static_answer(const struct static_files *sf, const struct request *rq, struct response *rs, struct err *e)
{
	bool gzip = false;
	const struct file *f = choose(sf, rq, &gzip);

	if (!f)
		return err_set(e, ERR_NOT_FOUND, "there is no page %.100s", rq->path);
	*rs = (struct response){ .status = 200, .fixed = f->bytes, .fixed_size = f->size, .content_type = f->content_type, .etag = f->etag, .gzip = gzip };
	rs->cache = f->hashed ? "public, max-age=31536000, immutable" : "no-cache";
	if (strcmp(rq->if_none_match, f->etag) == 0) {
		rs->status = 304;
		rs->fixed_size = 0;
	}
	return true;
}

const char *static_policy(const struct static_files *sf)
{
	return sf->policy;
}

size_t static_count(const struct static_files *sf)
{
	return sf->count;
}
