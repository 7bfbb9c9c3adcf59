/*
 * test_rename.c - functions that may have been renamed
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/make_diff.h"

static void functions_with_equal_callers_are_a_pair_unless_their_costs_differ(void **state)
{
	struct compared c;
	const struct compare *found;

	(void)state;
	compared_start(&c, "samples/count");
	ROW(&c.m[SIDE_BASE], "work;oldest;run;main", 20);
	ROW(&c.m[SIDE_BASE], "x;main", 50);
	ROW(&c.m[SIDE_BASE], "rest;main", 30);
	ROW(&c.m[SIDE_NEW], "work;zzz;run;main", 19);
	ROW(&c.m[SIDE_NEW], "y;main", 20);
	ROW(&c.m[SIDE_NEW], "rest;main", 61);
	compare_all(&c);
	found = c.r.head.compare;
	assert_int_equal(found->n_renames, 1);
	assert_string_equal(found->rename[0].from, "oldest");
	assert_string_equal(found->rename[0].to, "zzz");
	assert_true(found->rename[0].same_callers && found->rename[0].same_callees);
	assert_false(found->rename[0].similar_name);
	compared_release(&c);
}

static void another_cost_is_accepted_if_all_callers_and_callees_match(void **state)
{
	struct compared c;
	const struct compare *found;

	(void)state;
	compared_start(&c, "samples/count");
	ROW(&c.m[SIDE_BASE], "work;oldest;run;main", 20);
	ROW(&c.m[SIDE_BASE], "leaf;main", 20);
	ROW(&c.m[SIDE_BASE], "rest;main", 60);
	ROW(&c.m[SIDE_NEW], "work;zzz;run;main", 35); /* callers and callees are the same */
	ROW(&c.m[SIDE_NEW], "tip;main", 30);          /* equal callers are not sufficient */
	ROW(&c.m[SIDE_NEW], "rest;main", 35);
	compare_all(&c);
	found = c.r.head.compare;
	assert_int_equal(found->n_renames, 1);
	assert_string_equal(found->rename[0].from, "oldest");
	assert_string_equal(found->rename[0].to, "zzz");
	compared_release(&c);
}

static void a_similar_name_is_enough(void **state)
{
	struct compared c;

	(void)state;
	compared_start(&c, "samples/count");
	ROW(&c.m[SIDE_BASE], "pkg.encode;left", 20);
	ROW(&c.m[SIDE_BASE], "rest;left", 80);
	ROW(&c.m[SIDE_NEW], "other.encode2;right", 20);
	ROW(&c.m[SIDE_NEW], "rest;right", 80);
	compare_all(&c);
	assert_int_equal(c.r.head.compare->n_renames, 2);
	assert_string_equal(c.r.head.compare->rename[0].from, "left"); /* the same callees */
	assert_true(c.r.head.compare->rename[1].similar_name);
	compared_release(&c);
}

static void small_rows_are_not_compared(void **state)
{
	struct compared c;

	(void)state;
	compared_start(&c, "samples/count");
	ROW(&c.m[SIDE_BASE], "old1;main", 4);
	ROW(&c.m[SIDE_BASE], "rest;main", 996);
	ROW(&c.m[SIDE_NEW], "old2;main", 4);
	ROW(&c.m[SIDE_NEW], "rest;main", 996);
	compare_all(&c);
	assert_int_equal(c.r.head.compare->n_renames, 0);
	compared_release(&c);
}

static void suggests_at_most_five_pairs_and_each_row_in_only_one(void **state)
{
	static const char *const gone[] = { "aa1;m", "bb1;m", "cc1;m", "dd1;m", "ee1;m", "ff1;m", "gg1;m" };
	static const char *const come[] = { "aa2;m", "bb2;m", "cc2;m", "dd2;m", "ee2;m", "ff2;m", "gg2;m" };
	struct compared c;
	const struct compare *found;

	(void)state;
	compared_start(&c, "samples/count");
	for (int i = 0; i < 7; i++) {
		ROW(&c.m[SIDE_BASE], gone[i], 10);
		ROW(&c.m[SIDE_NEW], come[i], 10);
	}
	compare_all(&c);
	found = c.r.head.compare;
	assert_int_equal(found->n_renames, COMPARE_RENAMES_MAX);
	for (uint32_t i = 0; i < found->n_renames; i++)
		assert_memory_equal(found->rename[i].from, found->rename[i].to, 2);
	compared_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_with_equal_callers_are_a_pair_unless_their_costs_differ),
		cmocka_unit_test(another_cost_is_accepted_if_all_callers_and_callees_match),
		cmocka_unit_test(a_similar_name_is_enough),
		cmocka_unit_test(small_rows_are_not_compared),
		cmocka_unit_test(suggests_at_most_five_pairs_and_each_row_in_only_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
