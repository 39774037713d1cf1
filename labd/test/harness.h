// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The test harness. A test is TEST(a_sentence_that_is_true) { CHECK(...); }; it registers itself, and the harness brings main().
 *
 *     prog              runs every test; exit status 0 when all passed, 1 when one failed, 77 when none ran and some were skipped
 *     prog --list       names, one a line
 *     prog TEXT...      runs the tests whose name contains one of the texts
 *
 * A failing CHECK prints file, line and expression, and ends that test (by return, so it must stand in the test function itself;
 * helpers return bool and are wrapped in CHECK). SKIP prints its reason, which the summary counts.
 */
#ifndef LAB_TEST_HARNESS_H
#define LAB_TEST_HARNESS_H

#include <stdbool.h>
#include <stddef.h>

struct test {
	const char *name;
	void (*run)(void);
	struct test *next;
};

void test_register(struct test *t);
void test_fail(const char *file, int line, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void test_skip(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The name of the running test; for temporary files. */
const char *test_name(void);

/* A fresh folder for the running test; removed with everything in it when the test ends. Valid until then. */
const char *test_folder(void);

/* Read a whole file into memory the caller frees; a NUL is added behind it. NULL when it cannot be read. */
char *test_read_file(const char *path, size_t *size);
bool test_write_file(const char *path, const void *bytes, size_t size);

#define TEST(id) \
	static void id(void); \
	__attribute__((constructor)) static void id##_register(void) \
	{ \
		static struct test t = { #id, id, NULL }; \
		test_register(&t); \
	} \
	static void id(void)

#define CHECK(cond) \
	do { if (!(cond)) { test_fail(__FILE__, __LINE__, "%s", #cond); return; } } while (0)

/* Like CHECK, for integers: prints both values. */
#define CHECK_EQ(a, b) \
	do { \
		long long check_a = (long long)(a), check_b = (long long)(b); \
		if (check_a != check_b) { test_fail(__FILE__, __LINE__, "%s == %s: %lld != %lld", #a, #b, check_a, check_b); return; } \
	} while (0)

#define CHECK_STR(a, b) \
	do { \
		const char *check_a = (a), *check_b = (b); \
		if (!test_same_text(check_a, check_b)) { test_fail(__FILE__, __LINE__, "%s == %s: \"%s\" != \"%s\"", #a, #b, check_a, check_b); return; } \
	} while (0)

/* For a call that fills a struct err *e: prints its sentence when it fails. */
#define CHECK_OK(call, e) \
	do { if (!(call)) { test_fail(__FILE__, __LINE__, "%s: %s", #call, (e)->msg); return; } } while (0)

#define SKIP(...) do { test_skip(__VA_ARGS__); return; } while (0)

bool test_same_text(const char *a, const char *b);

#endif
