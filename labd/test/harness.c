// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/harness.h"

#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
	struct test *first, **last;
	const struct test *now;
	bool failed, skipped;
	char folder[64];
} tests = { .last = &tests.first };

void test_register(struct test *t)
{
	if (!tests.last)
		tests.last = &tests.first;
	*tests.last = t;
	tests.last = &t->next;
}

void test_fail(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	tests.failed = true;
	printf("%s:%d: %s: ", file, line, tests.now->name);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
}

void test_skip(const char *fmt, ...)
{
	va_list ap;

	tests.skipped = true;
	printf("skipped: %s: ", tests.now->name);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

const char *test_name(void)
{
	return tests.now->name;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static void folder_remove(void)
{
	if (tests.folder[0])
		nftw(tests.folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	tests.folder[0] = '\0';
}

const char *test_folder(void)
{
	if (!tests.folder[0]) {
		strcpy(tests.folder, "/tmp/labtest.XXXXXX");
		if (!mkdtemp(tests.folder)) {
			perror("mkdtemp");
			exit(1);
		}
	}
	return tests.folder;
}

char *test_read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	char *bytes = NULL;
	size_t n = 0, room = 0;

	if (!f)
		return NULL;
	do {
		if (room - n < 65536)
			bytes = realloc(bytes, room = n + 131072);
		if (!bytes)
			abort();
		n += fread(bytes + n, 1, room - n - 1, f);
	} while (!feof(f) && !ferror(f));
	fclose(f);
	bytes[n] = '\0';
	if (size)
		*size = n;
	return bytes;
}

bool test_write_file(const char *path, const void *bytes, size_t size)
{
	FILE *f = fopen(path, "wb");
	bool ok = f && fwrite(bytes, 1, size, f) == size;

	return f && fclose(f) == 0 && ok;
}

bool test_same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool wanted(const struct test *t, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strstr(t->name, argv[i]))
			return true;
	return argc == 1;
}

int main(int argc, char **argv)
{
	int passed = 0, failed = 0, skipped = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 2 && strcmp(argv[1], "--list") == 0) {
		for (const struct test *t = tests.first; t; t = t->next)
			puts(t->name);
		return 0;
	}
	for (const struct test *t = tests.first; t; t = t->next) {
		if (!wanted(t, argc, argv))
			continue;
		tests.now = t;
		tests.failed = tests.skipped = false;
		t->run();
		folder_remove();
		*(tests.failed ? &failed : tests.skipped ? &skipped : &passed) += 1;
	}
	printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
	return failed || passed + skipped == 0 ? 1 : passed == 0 ? 77 : 0;
}
