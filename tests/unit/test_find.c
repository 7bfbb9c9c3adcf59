/*
 * test_find.c - what / looks for
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/find.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

static bool found(const char *text, const char *name)
{
	struct find *f = find_new(text);
	bool yes = find_in(f, name);

	find_free(f);
	return yes;
}

static void capitals_matter_only_when_some_are_typed(void **state)
{
	(void)state;
	assert_true(found("malloc", "runtime.MallocGC"));
	assert_true(found("Malloc", "runtime.MallocGC"));
	assert_false(found("mallocG", "runtime.MallocGC"));
	assert_true(found("\xc3\xa9t\xc3\xa9", "\xc3\x89T\xc3\x89")); /* letters beyond ASCII too */
}

static void what_parses_is_an_expression(void **state)
{
	(void)state;
	assert_true(found("^main[.](run|stop)$", "main.Stop"));
	assert_false(found("^main[.](run|stop)$", "main.stopped"));
	assert_true(found("\\S+x", "Ax")); /* \S is no capital */
}

static void what_does_not_parse_is_plain(void **state)
{
	(void)state;
	assert_true(found("(*pl", "route.(*Planner).nearest"));
	assert_true(found("a[", "xa[0]"));
	assert_false(found("a[", "xa0"));
}

static void nothing_is_everywhere(void **state)
{
	size_t at, n;
	struct find *f = find_new("");

	(void)state;
	assert_true(find_in(f, ""));
	assert_true(find_in(f, "main"));
	assert_false(find_at(f, "main", &at, &n));
	find_free(f);
}

static void a_plain_text_has_a_place_in_a_name(void **state)
{
	size_t at, n;
	struct find *f = find_new("near");

	(void)state;
	assert_true(find_at(f, "route.Nearest", &at, &n));
	assert_int_equal(at, 6);
	assert_int_equal(n, 4);
	assert_false(find_at(f, "main", &at, &n));
	find_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(capitals_matter_only_when_some_are_typed),
		cmocka_unit_test(what_parses_is_an_expression),
		cmocka_unit_test(what_does_not_parse_is_plain),
		cmocka_unit_test(nothing_is_everywhere),
		cmocka_unit_test(a_plain_text_has_a_place_in_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
