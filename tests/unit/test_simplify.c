/*
 * test_simplify.c - the part of a function name that pruning matches
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/prune.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void expect_part(const char *name, const char *expected)
{
	size_t n = strlen(name);
	const char *part = simplify_name(name, &n);

	assert_int_equal(n, strlen(expected));
	assert_memory_equal(part, expected, n);
}

static void arguments_are_removed(void **state)
{
	(void)state;
	expect_part("ns::f(int)", "ns::f");
	expect_part("f", "f");
	expect_part("(f)", "");
	expect_part("", "");
}

static void one_leading_dot_is_removed(void **state)
{
	(void)state;
	expect_part(".f(int)", "f");
	expect_part("..f", ".f");
	expect_part(".", "");
}

static void parentheses_within_names_are_kept(void **state)
{
	(void)state;
	expect_part("(anonymous namespace)::f(int)", "(anonymous namespace)::f");
	expect_part("a::operator()(int)", "a::operator()");
	expect_part("operator(int)", "operator");
	expect_part("(anonymous namespace", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_are_removed),
		cmocka_unit_test(one_leading_dot_is_removed),
		cmocka_unit_test(parentheses_within_names_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
