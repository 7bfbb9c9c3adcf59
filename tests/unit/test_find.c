/*
 * test_find.c - the search text of /
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/widgets/find.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

static bool found(const char *text, const char *name)
{
	struct find *f = find_new(text);
	bool yes = find_matches(f, name);

	find_free(f);
	return yes;
}

static void case_matters_only_if_a_capital_is_typed(void **state)
{
	(void)state;
	assert_true(found("malloc", "runtime.MallocGC"));
	assert_true(found("Malloc", "runtime.MallocGC"));
	assert_false(found("mallocG", "runtime.MallocGC"));
	assert_true(found("\xc3\xa9t\xc3\xa9", "\xc3\x89T\xc3\x89")); /* non-ASCII letters too */
}

static void valid_expressions_are_searched_as_expressions(void **state)
{
	(void)state;
	assert_true(found("^main[.](run|stop)$", "main.Stop"));
	assert_false(found("^main[.](run|stop)$", "main.stopped"));
	assert_true(found("\\S+x", "Ax")); /* the S of \S does not count as a capital */
}

static void invalid_expressions_are_searched_as_plain_text(void **state)
{
	(void)state;
	assert_true(found("(*pl", "route.(*Planner).nearest"));
	assert_true(found("a[", "xa[0]"));
	assert_false(found("a[", "xa0"));
}

static void an_empty_text_matches_everything(void **state)
{
	size_t at, n;
	struct find *f = find_new("");

	(void)state;
	assert_true(find_matches(f, ""));
	assert_true(find_matches(f, "main"));
	assert_false(find_position(f, "main", &at, &n));
	find_free(f);
}

static void finds_the_position_of_a_plain_text_in_a_name(void **state)
{
	size_t at, n;
	struct find *f = find_new("near");

	(void)state;
	assert_true(find_position(f, "route.Nearest", &at, &n));
	assert_int_equal(at, 6);
	assert_int_equal(n, 4);
	assert_false(find_position(f, "main", &at, &n));
	find_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(case_matters_only_if_a_capital_is_typed),
		cmocka_unit_test(valid_expressions_are_searched_as_expressions),
		cmocka_unit_test(invalid_expressions_are_searched_as_plain_text),
		cmocka_unit_test(an_empty_text_matches_everything),
		cmocka_unit_test(finds_the_position_of_a_plain_text_in_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
