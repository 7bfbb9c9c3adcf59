/*
 * test_debuginfod.c - when servers are asked, and what is said when they do not help
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/debuginfod.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>

#include <cmocka.h>

#include "make_folder.h"

/* Servers that do not exist, a cache in the folder. */
static struct symbol_where nobody(struct arena *mem)
{
	struct symbol_where w;

	setenv("DEBUGINFOD_URLS", "http://127.0.0.1:1", 1);
	setenv("DEBUGINFOD_CACHE_PATH", in_folder("cache"), 1);
	symbol_where_init(&w, mem);
	return w;
}

/* Ask, and hold what is said to be missing afterwards against want. */
static void assert_missing(const struct symbol_where *w, const char *build_id, const char *name, const char *want)
{
	struct object_file f = { .fd = -1 };
	struct buf said = { 0 };

	assert_false(debuginfod_open(w, DEBUGINFOD_DEBUG, build_id, name, NULL, &f));
	assert_int_equal(debuginfod_missing(w, &said), *want != '\0');
	assert_string_equal(buf_text(&said), want);
	buf_release(&said);
}

static void only_build_ids_in_hexadecimal_are_asked_for(void **state)
{
	static const char *const odd[] = { "",        "abc", "abcdef0", "go.buildid", "ABCDEF01", "../../etc/passwd",
					   "0123456/" };
	struct arena *mem = arena_new();
	struct symbol_where w = nobody(mem);

	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		assert_missing(&w, odd[i], "prog", "");
	arena_free(mem);
}

static void nobody_is_asked_unless_it_is_allowed(void **state)
{
	struct arena *mem = arena_new();
	struct symbol_where w = nobody(mem);

	(void)state;
	w.debuginfod = false;
	assert_missing(&w, "0123456789abcdef", "prog", "");
	unsetenv("DEBUGINFOD_URLS");
	symbol_where_init(&w, mem);
	assert_false(w.debuginfod);
	arena_free(mem);
}

static void what_is_missing_is_one_sentence(void **state)
{
	struct arena *mem = arena_new();
	struct symbol_where w = nobody(mem);

	(void)state;
	assert_missing(&w, "0123456789abcdef", "/bin/a", "debuginfod did not help with a: Connection refused");
	assert_missing(&w, "0123456789abcde0", "b", "debuginfod did not help with a, b: Connection refused");
	assert_missing(&w, "0123456789abcde1", "c", "debuginfod did not help with a, b, c: Connection refused");
	assert_missing(&w, "0123456789abcde2", "d",
		       "debuginfod did not help with a, b, c and 1 more: Connection refused");
	arena_free(mem);
}

static void without_time_nobody_is_asked(void **state)
{
	struct arena *mem = arena_new();
	struct symbol_where w = nobody(mem);

	(void)state;
	w.debuginfod_seconds = 0;
	assert_missing(&w, "0123456789abcdef", "a",
		       "debuginfod did not help with a: no time is left (--debuginfod-timeout)");
	assert_int_equal(access(in_folder("cache"), F_OK), -1);
	arena_free(mem);
}

static void only_new_and_empty_files_are_forgotten(void **state)
{
	const time_t now = time(NULL);

	(void)state;
	setenv("DEBUGINFOD_CACHE_PATH", in_folder("cache"), 1);
	folder_bytes("cache/abcd/debuginfo", "", 0);
	folder_bytes("cache/abcd/executable", "ELF", 3);
	debuginfod_cache_forget("abcd", now + 100);
	assert_int_equal(access(in_folder("cache/abcd/debuginfo"), F_OK), 0);
	debuginfod_cache_forget("abcd", now - 100);
	assert_int_equal(access(in_folder("cache/abcd/debuginfo"), F_OK), -1);
	assert_int_equal(access(in_folder("cache/abcd/executable"), F_OK), 0);
	debuginfod_cache_forget("beef", now - 100);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, folder_make, folder_remove)
	const struct CMUnitTest tests[] = {
		TEST(only_build_ids_in_hexadecimal_are_asked_for),
		TEST(nobody_is_asked_unless_it_is_allowed),
		TEST(what_is_missing_is_one_sentence),
		TEST(without_time_nobody_is_asked),
		TEST(only_new_and_empty_files_are_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
