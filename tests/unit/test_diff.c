/*
 * test_diff.c - the report diff, and the sums of both sides
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

static void expect(const union cell *row, const char *state, int64_t before, int64_t after, double percent)
{
	assert_string_equal(row[DIFF_STATE].text, state);
	assert_int_equal(row[DIFF_BEFORE].value, before);
	assert_int_equal(row[DIFF_AFTER].value, after);
	assert_int_equal(row[DIFF_DELTA].value, after - before);
	if (isnan(percent))
		assert_true(isnan(row[DIFF_DELTA_PCT].real));
	else
		assert_float_equal(row[DIFF_DELTA_PCT].real, percent, 1e-9);
}

static void a_doubled_function_changes_by_100_percent_and_others_are_new_or_gone(void **state)
{
	struct compared c;

	(void)state;
	compared_start(&c, "samples/count");
	ROW(&c.m[SIDE_BASE], "both1;main", 25);
	ROW(&c.m[SIDE_BASE], "both2;main", 25);
	ROW(&c.m[SIDE_BASE], "base_only;main", 50);
	ROW(&c.m[SIDE_NEW], "both1;main", 25);
	ROW(&c.m[SIDE_NEW], "both2;main", 50);
	ROW(&c.m[SIDE_NEW], "fresh;main", 125);
	compare_all(&c);
	expect(compared_row(&c, "both1"), "same", 25, 25, 0);
	expect(compared_row(&c, "both2"), "grew", 25, 50, 100);
	expect(compared_row(&c, "base_only"), "gone", 50, 0, -100);
	expect(compared_row(&c, "fresh"), "new", 0, 125, NAN);
	assert_float_equal(compared_row(&c, "both2")[DIFF_SHARE_BEFORE].real, 25, 1e-9);
	assert_float_equal(compared_row(&c, "fresh")[DIFF_SHARE_AFTER].real, 62.5, 1e-9);
	assert_string_equal(c.r.table.cell[DIFF_NAME].text, "fresh");
	assert_float_equal(c.r.head.compare->matched_before, 50, 1e-9);
	assert_float_equal(c.r.head.compare->matched_after, 37.5, 1e-9);
	compared_release(&c);
}

static void the_cum_of_a_parent_includes_the_change_of_its_children(void **state)
{
	struct compared c;
	const union cell *row;

	(void)state;
	compared_start(&c, "samples/count");
	ROW(&c.m[SIDE_BASE], "child1;parent;main", 10);
	ROW(&c.m[SIDE_BASE], "child2;parent;main", 5);
	ROW(&c.m[SIDE_NEW], "child1;parent;main", 20);
	ROW(&c.m[SIDE_NEW], "child2;parent;main", 10);
	compare_all(&c);
	row = compared_row(&c, "parent") + DIFF_CUM_STATE - DIFF_STATE;
	expect(row, "grew", 15, 30, 100);
	expect(compared_row(&c, "parent"), "same", 0, 0, NAN);
	compared_release(&c);
}

static void copies_of_a_function_count_once_per_stack(void **state)
{
	struct compared c;

	(void)state;
	compared_start(&c, "samples/count");
	ROW(&c.m[SIDE_BASE], "0x1=f.cold@f.c:1;0x2=f@f.c:2;main", 10);
	ROW(&c.m[SIDE_NEW], "0x9=f.part.0@f.c:7;main", 4);
	ROW(&c.m[SIDE_NEW], "0x8=f@f.c:7;main", 8);
	compare_all(&c);
	expect(compared_row(&c, "f") + DIFF_CUM_STATE - DIFF_STATE, "grew", 10, 12, 20);
	assert_int_equal(c.r.table.n_rows, 2);
	compared_release(&c);
}

static void functions_with_the_same_name_are_distinguished_by_file(void **state)
{
	struct compared c;

	(void)state;
	compared_start(&c, "samples/count");
	for (int side = 0; side < N_SIDES; side++) {
		ROW(&c.m[side], "init@a.c:1", 1 + side);
		ROW(&c.m[side], "init@b.c:1", 5 + side);
	}
	compare_all(&c);
	assert_int_equal(c.r.table.n_rows, 2);
	assert_string_equal(c.r.head.compare->label[0], "init b.c");
	assert_string_equal(c.r.table.cell[DIFF_NAME].text, "init");
	assert_string_equal(c.r.table.cell[DIFF_FILE].text, "b.c");
	compared_release(&c);
}

static void omitted_rows_are_summed_up(void **state)
{
	struct compared c;

	(void)state;
	compared_start(&c, "samples/count");
	ROW(&c.m[SIDE_BASE], "a", 10);
	ROW(&c.m[SIDE_BASE], "b", 1000);
	ROW(&c.m[SIDE_BASE], "c", 30);
	ROW(&c.m[SIDE_NEW], "a", 13);
	ROW(&c.m[SIDE_NEW], "b", 1100);
	ROW(&c.m[SIDE_NEW], "c", 28);
	c.q.nodecount = 1;
	compare_all(&c);
	assert_int_equal(c.r.table.n_rows, 1);
	assert_int_equal(c.r.head.compare->n_omitted, 2);
	assert_int_equal(c.r.head.compare->omitted_increase, 3);
	assert_int_equal(c.r.head.compare->omitted_decrease, -2);
	compared_release(&c);
}

static void drop_negative_keeps_only_growing_rows(void **state)
{
	struct compared c;

	(void)state;
	compared_start(&c, "samples/count");
	ROW(&c.m[SIDE_BASE], "a", 10);
	ROW(&c.m[SIDE_BASE], "b", 10);
	ROW(&c.m[SIDE_NEW], "a", 20);
	ROW(&c.m[SIDE_NEW], "b", 5);
	c.q.drop_negative = true;
	compare_all(&c);
	assert_int_equal(c.r.table.n_rows, 1);
	assert_string_equal(c.r.table.cell[DIFF_NAME].text, "a");
	compared_release(&c);
}

static void nodefraction_keeps_rows_that_are_large_on_one_side(void **state)
{
	struct compared c;

	(void)state;
	compared_start(&c, "samples/count");
	ROW(&c.m[SIDE_BASE], "a", 1000);
	ROW(&c.m[SIDE_BASE], "b", 1);
	ROW(&c.m[SIDE_BASE], "c", 1);
	ROW(&c.m[SIDE_NEW], "a", 1000);
	ROW(&c.m[SIDE_NEW], "b", 50);
	ROW(&c.m[SIDE_NEW], "c", 2);
	compare_all(&c);
	assert_int_equal(c.r.table.n_rows, 2);
	assert_int_equal(c.r.head.n_dropped, 1);
	compared_release(&c);
}

static void the_finer_unit_is_used_for_both_sides(void **state)
{
	struct compared c;

	(void)state;
	compared_start(&c, "cpu/milliseconds");
	profile_free(make_end(&c.m[SIDE_NEW]));
	c.m[SIDE_NEW] = make_start("count/count cpu/microseconds");
	ROW(&c.m[SIDE_BASE], "a", 3);
	ROW(&c.m[SIDE_NEW], "a", 1, 4500);
	compare_all(&c);
	assert_string_equal(c.r.head.unit, "microseconds");
	expect(compared_row(&c, "a"), "grew", 3000, 4500, 50);
	assert_non_null(strstr(buf_text(&c.notes), "sample types differ"));
	compared_release(&c);
}

static void normalization_scales_the_sums_of_the_new_side(void **state)
{
	struct compared c;

	(void)state;
	compared_start(&c, "cpu/milliseconds");
	ROW(&c.m[SIDE_BASE], "a", 30);
	ROW(&c.m[SIDE_BASE], "b", 10);
	for (int i = 0; i < 5; i++)
		ROW(&c.m[SIDE_NEW], "a", 21);
	ROW(&c.m[SIDE_NEW], "b", 15);
	c.q.normalize = "total";
	compare_all(&c);
	assert_float_equal(c.r.head.compare->factor, 1. / 3, 1e-12);
	expect(compared_row(&c, "a"), "grew", 30, 35, 100. / 6);
	expect(compared_row(&c, "b"), "shrank", 10, 5, -50);
	assert_int_equal(c.r.head.compare->after.total, 40);
	compared_release(&c);
}

static void fails_if_the_sides_have_no_common_sample_type(void **state)
{
	struct compared c;
	struct err err;

	(void)state;
	compared_start(&c, "samples/count");
	c.p[SIDE_BASE] = make_end(&c.m[SIDE_BASE]);
	profile_free(make_end(&c.m[SIDE_NEW]));
	c.m[SIDE_NEW] = make_start("inuse_space/bytes");
	c.p[SIDE_NEW] = make_end(&c.m[SIDE_NEW]);
	assert_int_equal(compared_report(&c, &err), ERR_USAGE);
	assert_non_null(strstr(err.msg, "no sample type in common"));
	compared_release(&c);
}

static void extreme_values_do_not_overflow(void **state)
{
	struct compared c;

	(void)state;
	compared_start(&c, "samples/count");
	ROW(&c.m[SIDE_BASE], "a", -INT64_MAX);
	ROW(&c.m[SIDE_NEW], "a", INT64_MAX);
	compare_all(&c);
	assert_true(compared_row(&c, "a")[DIFF_DELTA].value == INT64_MAX);
	assert_float_equal(compared_row(&c, "a")[DIFF_DELTA_PCT].real, 200, 1e-6);
	compared_release(&c);
}

static void warns_if_the_base_is_newer(void **state)
{
	struct compared c;

	(void)state;
	compared_start(&c, "samples/count");
	for (int side = 0; side < N_SIDES; side++) {
		ROW(&c.m[side], "a", 1);
		builder_meta(c.m[side].b)->time_ns = 2 - side;
		builder_meta(c.m[side].b)->duration_ns = 100 + 11 * side;
		builder_meta(c.m[side].b)->period = 1 + side;
	}
	compare_all(&c);
	assert_non_null(strstr(buf_text(&c.notes), "before is newer than after"));
	assert_non_null(strstr(buf_text(&c.notes), "durations differ"));
	assert_non_null(strstr(buf_text(&c.notes), "periods differ"));
	compared_release(&c);
}

/* With sums of the base, the calls of functions that may be renamed are not known. */
static void renamed_functions_are_not_searched_in_sums(void **state)
{
	struct compared c;
	struct err err;

	(void)state;
	compared_start(&c, "n/count");
	ROW(&c.m[SIDE_BASE], "leaf;before;main", 10);
	ROW(&c.m[SIDE_NEW], "leaf;after;main", 10);
	compared_seal(&c);
	assert_true(diff_reduce(c.p[SIDE_BASE], &c.q.filter));
	assert_int_equal(compared_report(&c, &err), ERR_UNKNOWN);
	compared_release(&c);
}

static void sums_of_another_sample_type_are_refused(void **state)
{
	struct compared c;
	struct err err;

	(void)state;
	compared_start(&c, "a/count b/count");
	profile_free(make_end(&c.m[SIDE_NEW]));
	c.m[SIDE_NEW] = make_start("b/count a/count");
	ROW(&c.m[SIDE_BASE], "main", 10, 20);
	ROW(&c.m[SIDE_NEW], "main", 10, 20);
	compared_seal(&c);
	assert_true(diff_reduce(c.p[SIDE_BASE], &c.q.filter));
	assert_int_equal(compared_report(&c, &err), ERR_UNKNOWN);
	compared_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(renamed_functions_are_not_searched_in_sums),
		cmocka_unit_test(sums_of_another_sample_type_are_refused),
		cmocka_unit_test(a_doubled_function_changes_by_100_percent_and_others_are_new_or_gone),
		cmocka_unit_test(the_cum_of_a_parent_includes_the_change_of_its_children),
		cmocka_unit_test(copies_of_a_function_count_once_per_stack),
		cmocka_unit_test(functions_with_the_same_name_are_distinguished_by_file),
		cmocka_unit_test(omitted_rows_are_summed_up),
		cmocka_unit_test(drop_negative_keeps_only_growing_rows),
		cmocka_unit_test(nodefraction_keeps_rows_that_are_large_on_one_side),
		cmocka_unit_test(the_finer_unit_is_used_for_both_sides),
		cmocka_unit_test(normalization_scales_the_sums_of_the_new_side),
		cmocka_unit_test(fails_if_the_sides_have_no_common_sample_type),
		cmocka_unit_test(extreme_values_do_not_overflow),
		cmocka_unit_test(warns_if_the_base_is_newer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
