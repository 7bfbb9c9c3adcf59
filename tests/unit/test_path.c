/*
 * test_path.c - path strings: clean, trim, base name, folder
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/path.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

typedef void (*add_fn)(struct buf *out, const char *path);

/* Check pairs of a path and its result, also appended to other text. */
static void expect_pairs(add_fn add, const char *const pair[][2], size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct buf b = { 0 };

		add(&b, pair[i][0]);
		assert_string_equal(buf_text(&b), pair[i][1]);
		buf_release(&b);
		buf_addz(&b, "/x/..");
		add(&b, pair[i][0]);
		assert_memory_equal(b.data, "/x/..", 5);
		assert_string_equal(b.data + 5, pair[i][1]);
		buf_release(&b);
	}
}
#define EXPECT(add, pairs) expect_pairs(add, pairs, sizeof(pairs) / sizeof(pairs[0]))

static void a_clean_path_is_unchanged(void **state)
{
	static const char *const pairs[][2] = {
		{ "abc", "abc" },     { "abc/def", "abc/def" },
		{ "/", "/" },         { "/abc", "/abc" },
		{ ".", "." },         { "..", ".." },
		{ "../..", "../.." }, { "../../abc", "../../abc" },
		{ "a..b", "a..b" },   { ".../...a", ".../...a" },
		{ "...", "..." },
	};

	(void)state;
	EXPECT(path_add_clean, pairs);
}

static void the_empty_path_stays_empty(void **state)
{
	static const char *const pairs[][2] = { { "", "" } };

	(void)state;
	EXPECT(path_add_clean, pairs);
}

static void trailing_and_double_slashes_are_removed(void **state)
{
	static const char *const pairs[][2] = {
		{ "abc/", "abc" },     { "abc//def//ghi", "abc/def/ghi" },
		{ "//abc", "/abc" },   { "///abc", "/abc" },
		{ "//abc//", "/abc" }, { "abc//", "abc" },
		{ "./", "." },         { "../", ".." },
		{ "../../", "../.." }, { "////", "/" },
	};

	(void)state;
	EXPECT(path_add_clean, pairs);
}

static void single_dots_are_removed(void **state)
{
	static const char *const pairs[][2] = {
		{ "abc/./def", "abc/def" }, { "/./abc/def", "/abc/def" }, { "abc/.", "abc" },
		{ "./abc", "abc" },         { "./././.", "." },           { "a//b/./c", "a/b/c" },
	};

	(void)state;
	EXPECT(path_add_clean, pairs);
}

static void double_dots_remove_the_part_before(void **state)
{
	static const char *const pairs[][2] = {
		{ "abc/def/ghi/../jkl", "abc/def/jkl" },
		{ "abc/def/../ghi/../jkl", "abc/jkl" },
		{ "abc/def/..", "abc" },
		{ "abc/def/../..", "." },
		{ "/abc/def/../..", "/" },
		{ "abc/def/../../..", ".." },
		{ "abc/def/../../../ghi/jkl/../../../mno", "../../mno" },
		{ "a/../b:/../../c", "../c" },
		{ "abc/./../def", "def" },
		{ "abc//./../def", "def" },
		{ "abc/../../././../def", "../../def" },
	};

	(void)state;
	EXPECT(path_add_clean, pairs);
}

static void double_dots_do_not_leave_the_root(void **state)
{
	static const char *const pairs[][2] = {
		{ "/..", "/" },
		{ "/../abc", "/abc" },
		{ "/abc/def/../../..", "/" },
		{ "/abc/../../def", "/def" },
	};

	(void)state;
	EXPECT(path_add_clean, pairs);
}

static void the_base_is_the_last_part(void **state)
{
	static const char *const pairs[][2] = {
		{ "", "." },        { ".", "." },       { "/.", "." },        { "/", "/" },
		{ "////", "/" },    { "x/", "x" },      { "abc", "abc" },     { "abc/def", "def" },
		{ "a/b/.x", ".x" }, { "a/b/c.", "c." }, { "a/b/c.x", "c.x" }, { "/bin/app//", "app" },
	};

	(void)state;
	EXPECT(path_add_base, pairs);
}

static void a_build_system_prefix_is_trimmed_once(void **state)
{
	(void)state;
	assert_string_equal(path_trim("/proc/self/cwd/a.c", "", ""), "a.c");
	assert_string_equal(path_trim("/proc/self/cwd/./a.c", "", ""), "a.c");
	assert_string_equal(path_trim("/proc/self/cwd/proc/self/cwd/a.c", "", ""), "proc/self/cwd/a.c");
}

static void other_paths_are_not_trimmed(void **state)
{
	(void)state;
	assert_string_equal(path_trim("", "", ""), "");
	assert_string_equal(path_trim("/proc/self/cwd", "", ""), "/proc/self/cwd");
	assert_string_equal(path_trim("x/proc/self/cwd/a.c", "", ""), "x/proc/self/cwd/a.c");
}

static void the_first_matching_prefix_is_removed(void **state)
{
	(void)state;
	assert_string_equal(path_trim("/b/c/x.c", "/a:/b:/b/c", ""), "c/x.c");
	assert_string_equal(path_trim("/b/x.c", "/b/", ""), "x.c");
	assert_string_equal(path_trim("/bc/x.c", "/b", ""), "/bc/x.c");
	assert_string_equal(path_trim("/b", "/b", ""), "/b");
	assert_string_equal(path_trim("/x.c", ":", ""), "x.c");
	assert_string_equal(path_trim("/proc/self/cwd/x.c", "/b", ""), "x.c");
}

static void without_prefixes_paths_are_cut_after_a_search_folder(void **state)
{
	(void)state;
	assert_string_equal(path_trim("/ci/shop/a/shop/x.c", "", "/home/me/shop"), "a/shop/x.c");
	assert_string_equal(path_trim("/ci/shop/x.c", "", "/none:/home/me/shop/"), "x.c");
	assert_string_equal(path_trim("/ci/shop/x.c", "/none", "/home/me/shop"), "/ci/shop/x.c");
	assert_string_equal(path_trim("/ci/shops/x.c", "", "shop"), "/ci/shops/x.c");
	assert_string_equal(path_trim("a/./x.c", "", "a::b"), "x.c");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clean_path_is_unchanged),
		cmocka_unit_test(the_empty_path_stays_empty),
		cmocka_unit_test(trailing_and_double_slashes_are_removed),
		cmocka_unit_test(single_dots_are_removed),
		cmocka_unit_test(double_dots_remove_the_part_before),
		cmocka_unit_test(double_dots_do_not_leave_the_root),
		cmocka_unit_test(the_base_is_the_last_part),
		cmocka_unit_test(a_build_system_prefix_is_trimmed_once),
		cmocka_unit_test(other_paths_are_not_trimmed),
		cmocka_unit_test(the_first_matching_prefix_is_removed),
		cmocka_unit_test(without_prefixes_paths_are_cut_after_a_search_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
