// SPDX-License-Identifier: GPL-2.0-or-later
/* Handlers about results: figures, frames, console and capture. Captures are read in pages, by a name that comes from the store and never from a request. */
#include "http/api.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mem.h"
#include "http/bodies.h"
#include "run/lab.h"
#include "run/profile_file.h"
#include "run/verdict.h"
#include "store/store.h"

static bool verdict_known(const char *word)
{
	for (int v = 0; v < VERDICTS; v++)
		if (strcmp(verdict_word((enum verdict)v), word) == 0)
			return true;
	return false;
}

bool api_filter(const struct request *rq, struct result_filter *f, struct err *e)
{
	int64_t payload;

	*f = (struct result_filter){ .board = request_query(rq, "board"), .board_type = request_query(rq, "board_type"), .workload = request_query(rq, "workload"),
		.verdict = request_query(rq, "verdict"), .cell = request_query(rq, "cell"), .matrix = request_query(rq, "matrix") };
	if (f->verdict && !verdict_known(f->verdict))
		return err_set(e, ERR_INVALID, "verdict: there is no \"%.40s\"; there are: pass, fail, error, skipped, cancelled, timeout", f->verdict);
	if (!request_number(rq, "run", 1, INT64_MAX, 0, &f->run, e) || !request_number(rq, "payload_bytes", 1, 1 << 24, 0, &payload, e))
		return false;
	f->payload_bytes = (int)payload;
	return request_flag(rq, "finished", false, &f->finished_only, e) && request_flag(rq, "latest", false, &f->latest_attempt_only, e) &&
	       request_flag(rq, "included", false, &f->without_excluded, e);
}

bool api_results(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	const char *order = request_query(rq, "order");
	struct result_filter f;
	int64_t limit;
	bool ok = api_filter(rq, &f, e) && request_number(rq, "after", 0, INT64_MAX, 0, &f.after, e) && request_number(rq, "limit", 1, 10000, 1000, &limit, e);

	if (!ok)
		return false;
	if (order && strcmp(order, "asc") != 0 && strcmp(order, "desc") != 0)
		return err_set(e, ERR_INVALID, "order: must be asc or desc");
	if (request_accepts(rq, "text/csv"))
		return api_export_samples(rq, site, rs, e);
	f.limit = (unsigned)limit;
	f.newest_first = order && strcmp(order, "desc") == 0;
	return api_give(rs, store_results(site->lab->store, &f, e));
}

bool api_result(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	int64_t id;

	return request_id(rq, 0, &id, e) && api_give(rs, store_result(site->lab->store, id, e));
}

bool api_result_frames(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	int64_t id, from, limit;

	return request_id(rq, 0, &id, e) && request_number(rq, "from", 0, 1 << 30, 0, &from, e) && request_number(rq, "limit", 1, 65536, 65536, &limit, e) &&
	       api_give(rs, store_frames(site->lab->store, id, (unsigned)from, (unsigned)limit, e));
}

static bool known(struct site *site, int64_t id, struct err *e)
{
	json_t *row = store_result(site->lab->store, id, e);

	json_decref(row);
	return row != NULL;
}

bool api_result_console(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	int64_t id;

	return request_id(rq, 0, &id, e) && known(site, id, e) && api_give(rs, store_console(site->lab->store, id, e));
}

bool api_result_console_text(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	int64_t id;

	if (!request_id(rq, 0, &id, e) || !known(site, id, e) || !store_console_bytes(site->lab->store, id, &rs->text, e))
		return false;
	rs->content_type = "text/plain; charset=utf-8";
	snprintf(rs->filename, sizeof rs->filename, "labd_console_result-%lld.txt", (long long)id);
	return true;
}

/* --- the capture -------------------------------------------------------------------------------------------------------------------------------- */

#define CAPTURE_PAGE 65536

struct file_stream {
	struct stream stream;
	int fd;
};

static bool file_page(struct stream *s, struct buf *out, bool *last, struct err *e)
{
	struct file_stream *f = (struct file_stream *)s;
	char bytes[CAPTURE_PAGE];
	ssize_t n = read(f->fd, bytes, sizeof bytes);

	if (n < 0)
		return err_errno(e, "the capture cannot be read");
	buf_add(out, bytes, (size_t)n);
	*last = n == 0;
	return true;
}

static void file_close(struct stream *s)
{
	close(((struct file_stream *)s)->fd);
	free(s);
}

static const struct stream_ops file_ops = { file_page, file_close };

/* A capture's name is one the worker made, relative to the state folder; even so, nothing that leads out of it or through a link is followed. */
static int open_capture(const char *state_dir, const char *name, struct err *e)
{
	char *path = xasprintf("%s/%s", state_dir, name);
	struct stat st;
	int fd = -1;

	if (name[0] == '/' || strstr(name, "..")) {
		err_set(e, ERR_INTERNAL, "the capture's name \"%.80s\" leads out of the state folder", name);
	} else if ((fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) < 0) {
		err_errno(e, "the capture %.100s", name);
	} else if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		fd = -1;
		err_set(e, ERR_NOT_FOUND, "the capture %.100s is not a file", name);
	}
	free(path);
	return fd;
}

static bool give_capture(struct site *site, int64_t id, const char *name, struct response *rs, struct err *e)
{
	int fd = open_capture(site->lab->state_dir, name, e);
	struct file_stream *f;

	if (fd < 0)
		return false;
	f = xcalloc(1, sizeof *f);
	*f = (struct file_stream){ .stream = { &file_ops }, .fd = fd };
	rs->stream = &f->stream;
	rs->content_type = "application/vnd.tcpdump.pcap";
	snprintf(rs->filename, sizeof rs->filename, "labd_capture_result-%lld.pcap", (long long)id);
	return true;
}

bool api_result_capture(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	const char *name;
	json_t *row;
	int64_t id;
	bool ok;

	if (!request_id(rq, 0, &id, e) || !(row = store_result(site->lab->store, id, e)))
		return false;
	name = json_string_value(json_object_get(row, "capture"));
	ok = name ? give_capture(site, id, name, rs, e) : err_set(e, ERR_NOT_FOUND, "no capture was kept of result %lld", (long long)id);
	json_decref(row);
	return ok;
}

/* --- the profile -------------------------------------------------------------------------------------------------------------------------------- */

bool api_result_profile(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	json_t *row, *profile = NULL;
	int64_t id;

	if (!request_id(rq, 0, &id, e) || !(row = store_result(site->lab->store, id, e)))
		return false;
	profile = profile_file_read(site->lab->state_dir, json_integer_value(json_object_get(row, "run")), id, e);
	json_decref(row);
	return api_give(rs, profile);
}

/* --- exclusions --------------------------------------------------------------------------------------------------------------------------------- */

bool api_result_exclude(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	struct body_exclude body;
	struct json_doc d;
	int64_t id;
	bool ok = request_json(rq, &d, e) && request_id(rq, 0, &id, e) && body_exclude_parse(&d, &body, e);

	if (ok) {
		const char *author = body.author ? body.author : "operator";

		ok = store_exclude(site->lab->store, id, body.reason, author, e) && api_give(rs, json_pack("{s:s,s:s}", "reason", body.reason, "author", author));
	}
	json_doc_finish(&d);
	return ok;
}

bool api_result_include(const struct request *rq, struct site *site, struct response *rs, struct err *e)
{
	int64_t id;

	return request_id(rq, 0, &id, e) && store_exclusion_lift(site->lab->store, id, e) && api_give(rs, json_pack("{s:I}", "result", (json_int_t)id));
}
