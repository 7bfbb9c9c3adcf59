/*
 * test_unit.c - units of measurement, and formatting of values
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/unit.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void expect_scaled(int64_t v, const char *from, const char *to, double value, const char *unit)
{
	const char *got;
	double scaled = unit_scale(v, from, to, &got);

	assert_string_equal(got, unit);
	assert_float_equal(scaled, value, 0);
}

static void expect_label(int64_t v, const char *from, const char *to, const char *label)
{
	struct buf b = { 0 };

	unit_add_label(&b, v, from, to);
	assert_string_equal(b.data, label);
	buf_release(&b);
}

static void expect_percent(int64_t v, int64_t total, const char *percent)
{
	struct buf b = { 0 };

	unit_add_percent(&b, v, total);
	assert_string_equal(b.data, percent);
	buf_release(&b);
}

static void expect_factor(const char *unit, const char *like, double factor)
{
	double got = 0;

	assert_non_null(unit_find(unit, &got));
	assert_ptr_equal(unit_find(unit, NULL), unit_find(like, NULL));
	assert_float_equal(got, factor, factor * 1e-15);
}

static void every_memory_unit_alias_has_the_right_power_of_two(void **state)
{
	static const char *const alias[][3] = {
		{ "b", "byte", "B" },          { "kb", "kbyte", "kilobyte" }, { "mb", "mbyte", "megabyte" },
		{ "gb", "gbyte", "gigabyte" }, { "tb", "tbyte", "terabyte" }, { "pb", "pbyte", "petabyte" },
	};

	(void)state;
	for (int power = 0; power < 6; power++)
		for (int i = 0; i < 3; i++)
			expect_factor(alias[power][i], "B", (double)(INT64_C(1) << 10 * power));
}

static void every_time_unit_alias_has_the_right_number_of_nanoseconds(void **state)
{
	(void)state;
	expect_factor("ns", "s", 1);
	expect_factor("nanosecond", "s", 1);
	expect_factor("us", "s", 1e3);
	expect_factor("microsecond", "s", 1e3);
	expect_factor("ms", "s", 1e6);
	expect_factor("millisecond", "s", 1e6);
	expect_factor("s", "s", 1e9);
	expect_factor("sec", "s", 1e9);
	expect_factor("second", "s", 1e9);
	expect_factor("hour", "s", 3.6e12);
	expect_factor("hr", "s", 3.6e12);
}

static void every_gcu_alias_has_the_right_power_of_ten(void **state)
{
	static const char *const alias[] = { "nanogcu", "microgcu", "milligcu", "gcu",    "kilogcu",
					     "megagcu", "gigagcu",  "teragcu",  "petagcu" };
	static const double factor[] = { 1e-9, 1e-6, 1e-3, 1, 1e3, 1e6, 1e9, 1e12, 1e15 };

	(void)state;
	for (int i = 0; i < 9; i++)
		expect_factor(alias[i], "GCU", factor[i]);
}

static void case_and_one_trailing_s_do_not_matter(void **state)
{
	(void)state;
	expect_factor("Bytes", "B", 1);
	expect_factor("KB", "B", 1024);
	expect_factor("kbs", "B", 1024);
	expect_factor("secs", "s", 1e9);
	expect_factor("Hours", "s", 3.6e12);
	expect_factor("hrs", "s", 3.6e12);
	expect_factor("NANOSECONDS", "s", 1);
}

/* Both code points are used, U+03BC and U+00B5. pprof knows the first, also as a capital, U+039C. */
static void the_micro_sign_and_the_letter_mu_are_microseconds(void **state)
{
	(void)state;
	expect_factor("\xce\xbcs", "s", 1e3);
	expect_factor("\xce\xbcS", "s", 1e3);
	expect_factor("\xce\x9cs", "s", 1e3);
	expect_factor("\xc2\xb5s", "s", 1e3);
}

static void unknown_units_have_no_family(void **state)
{
	static const char *const unknown[] = { "",    "count",    "widgets", "minute",
					       "KiB", "bs",       "bytess",  "k*gcu",
					       "day", "seconds ", "s1",      "nanosecondsnanosecondsnanoseconds" };

	(void)state;
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		assert_null(unit_find(unknown[i], NULL));
}

static void an_unknown_unit_leaves_the_factor_unchanged(void **state)
{
	double factor = 17;

	(void)state;
	unit_find("widgets", &factor);
	assert_float_equal(factor, 17, 0);
}

static void values_are_converted_within_a_family(void **state)
{
	(void)state;
	expect_scaled(1500, "ms", "seconds", 1.5, "s");
	expect_scaled(1, "hours", "ms", 3.6e6, "ms");
	expect_scaled(3, "MB", "kb", 3072, "kB");
	expect_scaled(2, "kilogcu", "GCU", 2000, "GCU");
	expect_scaled(5, "ns", "hrs", 5 / 3.6e12, "hrs");
}

static void a_target_unit_of_another_family_means_the_default_unit(void **state)
{
	(void)state;
	expect_scaled(1500, "ms", "bytes", 1.5, "s");
	expect_scaled(2, "kb", "seconds", 2048, "B");
	expect_scaled(2, "kb", "foo", 2048, "B");
	expect_scaled(3, "gcu", "ms", 3, "GCU");
}

static void auto_uses_the_largest_unit_with_a_value_of_at_least_1(void **state)
{
	static const char *const automatic[] = { "auto", "minimum" };

	(void)state;
	for (int i = 0; i < 2; i++) {
		expect_scaled(999, "ns", automatic[i], 999, "ns");
		expect_scaled(1000, "ns", automatic[i], 1, "us");
		expect_scaled(1000000, "ns", automatic[i], 1, "ms");
		expect_scaled(3599, "s", automatic[i], 3599, "s");
		expect_scaled(3600, "s", automatic[i], 1, "hrs");
		expect_scaled(1023, "b", automatic[i], 1023, "B");
		expect_scaled(1024, "b", automatic[i], 1, "kB");
		expect_scaled(INT64_C(1) << 60, "b", automatic[i], 1024, "PB");
		expect_scaled(1, "petagcu", automatic[i], 1, "P*GCU");
	}
}

static void auto_of_zero_is_in_the_default_unit(void **state)
{
	(void)state;
	expect_scaled(0, "ns", "auto", 0, "s");
	expect_scaled(0, "mb", "minimum", 0, "B");
	expect_scaled(0, "nanogcu", "auto", 0, "GCU");
}

static void a_negative_value_scales_like_its_magnitude(void **state)
{
	(void)state;
	expect_scaled(-1500000, "ns", "auto", -1.5, "ms");
	expect_scaled(-5, "count", "auto", -5, "");
}

/* The smallest number has no absolute value in 64 bits. In pprof it remains negative, so no unit is small enough. */
static void the_smallest_number_has_the_default_unit(void **state)
{
	(void)state;
	expect_scaled(INT64_MIN, "bytes", "auto", -0x1p63, "B");
	expect_scaled(INT64_MIN, "ns", "auto", -0x1p63 / 1e9, "s");
	expect_scaled(INT64_MIN, "ns", "ms", -0x1p63 / 1e6, "ms");
	expect_scaled(INT64_MIN, "widgets", "auto", -0x1p63, "");
}

static void values_of_unknown_units_are_unchanged_and_counts_have_no_unit(void **state)
{
	(void)state;
	expect_scaled(5, "widgets", "auto", 5, "");
	expect_scaled(5, "widgets", "minimum", 5, "");
	expect_scaled(5, "widgets", "count", 5, "");
	expect_scaled(5, "widgets", "sample", 5, "");
	expect_scaled(5, "widgets", "unit", 5, "");
	expect_scaled(5, "count", "foo", 5, "foo");
	expect_scaled(5, "count", "ms", 5, "ms");
	expect_scaled(5, "", "", 5, "");
}

static void labels_have_two_decimals_unless_they_are_zero(void **state)
{
	(void)state;
	expect_label(1500000000, "ns", "auto", "1.50s");
	expect_label(100, "ms", "s", "0.10s");
	expect_label(-5, "bytes", "auto", "-5B");
	expect_label(1024000, "bytes", "auto", "1000kB");
	expect_label(94371840, "bytes", "auto", "90MB");
	expect_label(5, "count", "foo", "5foo");
	expect_label(3599, "s", "auto", "3599s");
	expect_label(3600, "s", "auto", "1hrs");
}

static void a_label_that_rounds_to_zero_is_0_without_a_unit(void **state)
{
	(void)state;
	expect_label(4, "ms", "s", "0");
	expect_label(-4, "ms", "s", "0");
	expect_label(0, "widgets", "foo", "0");
	expect_label(0, "ns", "auto", "0");
	expect_label(6, "ms", "s", "0.01s");
}

/* 0.125 and 0.375 are exact in binary; C and Go both round halves to even. */
static void an_exact_half_rounds_to_even(void **state)
{
	(void)state;
	expect_label(125, "ms", "s", "0.12s");
	expect_label(375, "ms", "s", "0.38s");
}

static void labels_of_the_largest_numbers_have_all_digits(void **state)
{
	(void)state;
	expect_label(INT64_MAX, "petabytes", "bytes", "10384593717069655257060992658440192B");
	expect_label(INT64_MIN, "count", "auto", "-9223372036854775808");
}

static void percentages_take_six_columns(void **state)
{
	(void)state;
	expect_percent(0, 100, "    0%");
	expect_percent(1, 100, " 1.00%");
	expect_percent(123, 1000, "12.30%");
	expect_percent(63, 10000, " 0.63%");
	expect_percent(52, 100000, "0.052%");
	expect_percent(1, 1000, "  0.1%");
	expect_percent(1, 10000000, "1e-05%");
	expect_percent(999, 100000, "    1%");
	expect_percent(2000, 1000, "200.00%");
}

static void values_close_to_the_total_are_100_percent(void **state)
{
	(void)state;
	expect_percent(7, 7, "  100%");
	expect_percent(9995, 10000, "  100%");
	expect_percent(10005, 10000, "  100%");
	expect_percent(9994, 10000, "99.94%");
	expect_percent(10006, 10000, "100.06%");
}

static void percentages_have_no_sign(void **state)
{
	(void)state;
	expect_percent(-50, 100, "50.00%");
	expect_percent(50, -100, "50.00%");
	expect_percent(INT64_MIN, INT64_MAX, "  100%");
}

static void percentages_of_a_zero_total_are_0(void **state)
{
	(void)state;
	expect_percent(5, 0, "    0%");
	assert_float_equal(unit_percent(5, 0), 0, 0);
}

static void unit_percent_is_not_rounded(void **state)
{
	(void)state;
	assert_float_equal(unit_percent(-1, 8), 12.5, 0);
	assert_float_equal(unit_percent(1, 10000000), 1e-5, 1e-20);
}

static void units_are_compatible_if_equal_or_of_one_family(void **state)
{
	(void)state;
	assert_true(unit_is_compatible("widgets", "widgets"));
	assert_true(unit_is_compatible("ms", "nanoseconds"));
	assert_true(unit_is_compatible("KB", "byte"));
	assert_false(unit_is_compatible("ms", "bytes"));
	assert_false(unit_is_compatible("widgets", "gadgets"));
	assert_false(unit_is_compatible("count", "ns"));
	assert_false(unit_is_compatible("ns", "count"));
}

static void expect_grouped(const char *number, const char *expected)
{
	struct buf b = { 0 };

	unit_add_grouped(&b, number);
	assert_string_equal(buf_text(&b), expected);
	buf_release(&b);
}

static void digits_before_the_point_have_thousands_separators(void **state)
{
	struct buf b = { 0 };

	(void)state;
	expect_grouped("", "");
	expect_grouped("0", "0");
	expect_grouped("999", "999");
	expect_grouped("1000", "1,000");
	expect_grouped("-123456", "-123,456");
	expect_grouped("1234567.1234kB", "1,234,567.1234kB");
	expect_grouped("+9223372036854775807 of 5000", "+9,223,372,036,854,775,807 of 5000");
	expect_grouped("none", "none");
	unit_add_count(&b, UINT64_MAX);
	assert_string_equal(b.data, "18,446,744,073,709,551,615");
	buf_release(&b);
}

/* printf is the reference. */
static void shares_equal_printf(void **state)
{
	static const double some[] = { 0,          -0.0,       0.01,   0.0099999, 0.00001234,    0.0001,
				       0.00009996, 0.00099999, 0.0012, 0.0995,    0.09949999999, 0.996,
				       0.1,        0.105,      1,      0.999999,  99.949999,     1e7,
				       1e20,       INFINITY,   -3,     NAN };
	const uint32_t n_some = sizeof(some) / sizeof(some[0]);
	uint32_t seed = 1;

	(void)state;
	for (uint32_t i = 0; i < n_some + 100000; i++) {
		struct buf b = { 0 };
		char expected[400];
		double p;

		seed = seed * 1664525 + 1013904223;
		p = i < n_some ? some[i] : 100.0 * (seed >> 8) / (UINT64_C(1) << (4 + seed % 32));
		snprintf(expected, sizeof(expected), p >= 1 ? "%5.2f%%" : "%5.2g%%", p);
		if (p >= 99.95 && p <= 100.05)
			strcpy(expected, "  100%");
		unit_add_share(&b, p);
		assert_string_equal(buf_text(&b), expected);
		buf_release(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_memory_unit_alias_has_the_right_power_of_two),
		cmocka_unit_test(every_time_unit_alias_has_the_right_number_of_nanoseconds),
		cmocka_unit_test(every_gcu_alias_has_the_right_power_of_ten),
		cmocka_unit_test(case_and_one_trailing_s_do_not_matter),
		cmocka_unit_test(the_micro_sign_and_the_letter_mu_are_microseconds),
		cmocka_unit_test(unknown_units_have_no_family),
		cmocka_unit_test(an_unknown_unit_leaves_the_factor_unchanged),
		cmocka_unit_test(values_are_converted_within_a_family),
		cmocka_unit_test(a_target_unit_of_another_family_means_the_default_unit),
		cmocka_unit_test(auto_uses_the_largest_unit_with_a_value_of_at_least_1),
		cmocka_unit_test(auto_of_zero_is_in_the_default_unit),
		cmocka_unit_test(a_negative_value_scales_like_its_magnitude),
		cmocka_unit_test(the_smallest_number_has_the_default_unit),
		cmocka_unit_test(values_of_unknown_units_are_unchanged_and_counts_have_no_unit),
		cmocka_unit_test(labels_have_two_decimals_unless_they_are_zero),
		cmocka_unit_test(a_label_that_rounds_to_zero_is_0_without_a_unit),
		cmocka_unit_test(an_exact_half_rounds_to_even),
		cmocka_unit_test(labels_of_the_largest_numbers_have_all_digits),
		cmocka_unit_test(percentages_take_six_columns),
		cmocka_unit_test(values_close_to_the_total_are_100_percent),
		cmocka_unit_test(percentages_have_no_sign),
		cmocka_unit_test(percentages_of_a_zero_total_are_0),
		cmocka_unit_test(unit_percent_is_not_rounded),
		cmocka_unit_test(digits_before_the_point_have_thousands_separators),
		cmocka_unit_test(units_are_compatible_if_equal_or_of_one_family),
		cmocka_unit_test(shares_equal_printf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
