/*
 * test_debuginfod.c - requests to debuginfod servers, and messages when they fail
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/debuginfod.h"
#include "symbol/object_file.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>

#include <cmocka.h>

#include "make_folder.h"

/* Options with servers that do not exist, and a cache in the folder. */
static struct symbol_options unreachable_servers(struct arena *mem)
{
	struct symbol_options w;

	setenv("DEBUGINFOD_URLS", "http://127.0.0.1:1", 1);
	setenv("DEBUGINFOD_CACHE_PATH", in_folder("cache"), 1);
	symbol_options_init(&w, mem);
	return w;
}

/* Send a request, and compare the message about missing files with want. */
static void assert_missing(const struct symbol_options *w, const char *build_id, const char *name, const char *want)
{
	struct object_file f = { .fd = -1 };
	struct buf said = { 0 };

	assert_false(debuginfod_open(w, DEBUGINFOD_DEBUG, build_id, name, NULL, &f));
	assert_int_equal(debuginfod_missing(w, &said), *want != '\0');
	assert_string_equal(buf_text(&said), want);
	buf_release(&said);
}

static void requests_only_hexadecimal_build_ids(void **state)
{
	static const char *const odd[] = { "",        "abc", "abcdef0", "go.buildid", "ABCDEF01", "../../etc/passwd",
					   "0123456/" };
	struct arena *mem = arena_new();
	struct symbol_options w = unreachable_servers(mem);

	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		assert_missing(&w, odd[i], "prog", "");
	arena_free(mem);
}

static void sends_no_request_unless_enabled(void **state)
{
	struct arena *mem = arena_new();
	struct symbol_options w = unreachable_servers(mem);

	(void)state;
	w.debuginfod = false;
	assert_missing(&w, "0123456789abcdef", "prog", "");
	unsetenv("DEBUGINFOD_URLS");
	symbol_options_init(&w, mem);
	assert_false(w.debuginfod);
	arena_free(mem);
}

static void missing_files_are_reported_in_one_message(void **state)
{
	struct arena *mem = arena_new();
	struct symbol_options w = unreachable_servers(mem);

	(void)state;
	assert_missing(&w, "0123456789abcdef", "/bin/a", "debuginfod failed for a: Connection refused");
	assert_missing(&w, "0123456789abcde0", "b", "debuginfod failed for a, b: Connection refused");
	assert_missing(&w, "0123456789abcde1", "c", "debuginfod failed for a, b, c: Connection refused");
	assert_missing(&w, "0123456789abcde2", "d", "debuginfod failed for a, b, c and 1 more: Connection refused");
	arena_free(mem);
}

static void sends_no_request_with_a_timeout_of_0(void **state)
{
	struct arena *mem = arena_new();
	struct symbol_options w = unreachable_servers(mem);

	(void)state;
	w.debuginfod_seconds = 0;
	assert_missing(&w, "0123456789abcdef", "a", "debuginfod failed for a: timed out (--debuginfod-timeout)");
	assert_int_equal(access(in_folder("cache"), F_OK), -1);
	arena_free(mem);
}

static void forgets_only_new_empty_cache_files(void **state)
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
		TEST(requests_only_hexadecimal_build_ids),       TEST(sends_no_request_unless_enabled),
		TEST(missing_files_are_reported_in_one_message), TEST(sends_no_request_with_a_timeout_of_0),
		TEST(forgets_only_new_empty_cache_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
