/*
 * test_simplify.c - the part of a function's name that pruning looks at
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

static void expect_part(const char *name, const char *want)
{
	size_t n = strlen(name);
	const char *part = simplify_name(name, &n);

	assert_int_equal(n, strlen(want));
	assert_memory_equal(part, want, n);
}

static void arguments_go(void **state)
{
	(void)state;
	expect_part("ns::f(int)", "ns::f");
	expect_part("f", "f");
	expect_part("(f)", "");
	expect_part("", "");
}

static void one_dot_in_front_goes(void **state)
{
	(void)state;
	expect_part(".f(int)", "f");
	expect_part("..f", ".f");
	expect_part(".", "");
}

static void parentheses_of_names_stay(void **state)
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
		cmocka_unit_test(arguments_go),
		cmocka_unit_test(one_dot_in_front_goes),
		cmocka_unit_test(parentheses_of_names_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
