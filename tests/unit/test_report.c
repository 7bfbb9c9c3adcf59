/*
 * test_report.c - the result as data
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/report.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

static int64_t value_at(double ratio, int64_t v)
{
	return report_value(&(struct head){ .ratio = ratio }, v);
}

static void expect_shown(const struct head *h, int64_t v, const char *text)
{
	struct buf b = { 0 };

	report_add_value(h, v, &b);
	assert_string_equal(b.data, text);
	buf_release(&b);
}

static void a_ratio_of_1_leaves_every_number_exact(void **state)
{
	(void)state;
	assert_true(value_at(1, INT64_MAX) == INT64_MAX);
	assert_true(value_at(1, INT64_MIN) == INT64_MIN);
}

static void values_times_a_ratio_are_rounded_toward_zero(void **state)
{
	(void)state;
	assert_true(value_at(0.5, 7) == 3);
	assert_true(value_at(0.5, -7) == -3);
	assert_true(value_at(2, 7) == 14);
}

static void a_ratio_that_is_not_positive_is_ignored(void **state)
{
	(void)state;
	assert_true(value_at(0, 7) == 7);
	assert_true(value_at(-3, 7) == 7);
}

static void a_product_that_overflows_is_the_smallest_integer(void **state)
{
	(void)state;
	assert_true(value_at(2, INT64_MAX) == INT64_MIN);
}

static void a_value_is_shown_in_the_unit_of_the_report(void **state)
{
	(void)state;
	expect_shown(&(struct head){ .unit = "ns", .out_unit = "ms", .ratio = 1 }, 1500000, "1.50ms");
	expect_shown(&(struct head){ .unit = "ns", .out_unit = "auto", .ratio = 1 }, 1500, "1.50us");
	expect_shown(&(struct head){ .unit = "widgets", .out_unit = "widgets", .ratio = 1 }, 5, "5widgets");
}

static void the_ratio_is_applied_before_the_unit(void **state)
{
	(void)state;
	expect_shown(&(struct head){ .unit = "ns", .out_unit = "us", .ratio = 0.5 }, 3001, "1.50us");
}

static void the_digits_of_values_are_grouped(void **state)
{
	static const struct {
		int64_t value;
		const char *unit, *to, *text;
	} wanted[] = { { 0, "count", "count", "0" },         { 999, "count", "count", "999" },
		       { 1000, "count", "count", "1,000" },  { -1234567, "count", "count", "-1,234,567" },
		       { 12345000000, "ns", "s", "12.35s" }, { 12345678000000, "ns", "s", "12,345.68s" },
		       { 5, "a\nb", "a\nb", "5a\\nb" },      { 1500, "\xce\xbcs", "us", "1,500us" } };

	(void)state;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		struct head h = { .unit = wanted[i].unit, .out_unit = wanted[i].to, .ratio = 1 };
		struct buf b = { 0 };

		buf_addz(&b, "1234 ");
		report_add_grouped_value(&h, wanted[i].value, &b);
		assert_memory_equal(b.data, "1234 ", 5);
		assert_string_equal(b.data + 5, wanted[i].text);
		buf_release(&b);
	}
}

static void release_empties_a_report(void **state)
{
	struct report r = { .mem = arena_new(), .table = { .n_rows = 3 } };

	(void)state;
	report_release(&r);
	assert_null(r.mem);
	assert_int_equal(r.table.n_rows, 0);
	report_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ratio_of_1_leaves_every_number_exact),
		cmocka_unit_test(values_times_a_ratio_are_rounded_toward_zero),
		cmocka_unit_test(a_ratio_that_is_not_positive_is_ignored),
		cmocka_unit_test(a_product_that_overflows_is_the_smallest_integer),
		cmocka_unit_test(a_value_is_shown_in_the_unit_of_the_report),
		cmocka_unit_test(the_ratio_is_applied_before_the_unit),
		cmocka_unit_test(the_digits_of_values_are_grouped),
		cmocka_unit_test(release_empties_a_report),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
