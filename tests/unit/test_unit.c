/*
 * test_unit.c - units of measurement, and numbers as people read them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/unit.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
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

static void every_alias_of_memory_has_its_power_of_two(void **state)
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

static void every_alias_of_time_has_its_nanoseconds(void **state)
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

static void every_alias_of_gcu_has_its_power_of_ten(void **state)
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

/* Both code points are in use: U+03BC and U+00B5. pprof knows neither, which was not meant. */
static void the_micro_sign_and_the_letter_mu_are_microseconds(void **state)
{
	(void)state;
	expect_factor("\xce\xbcs", "s", 1e3);
	expect_factor("\xc2\xb5s", "s", 1e3);
}

static void what_is_no_alias_has_no_family(void **state)
{
	static const char *const unknown[] = { "",    "count",    "widgets", "minute",
					       "KiB", "bs",       "bytess",  "k*gcu",
					       "day", "seconds ", "s1",      "nanosecondsnanosecondsnanoseconds" };

	(void)state;
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		assert_null(unit_find(unknown[i], NULL));
}

static void a_unit_that_is_not_found_leaves_the_factor_alone(void **state)
{
	double factor = 17;

	(void)state;
	unit_find("widgets", &factor);
	assert_float_equal(factor, 17, 0);
}

static void a_unit_of_the_same_family_is_converted_to(void **state)
{
	(void)state;
	expect_scaled(1500, "ms", "seconds", 1.5, "s");
	expect_scaled(1, "hours", "ms", 3.6e6, "ms");
	expect_scaled(3, "MB", "kb", 3072, "kB");
	expect_scaled(2, "kilogcu", "GCU", 2000, "GCU");
	expect_scaled(5, "ns", "hrs", 5 / 3.6e12, "hrs");
}

static void a_unit_of_another_family_or_of_none_gives_the_default_unit(void **state)
{
	(void)state;
	expect_scaled(1500, "ms", "bytes", 1.5, "s");
	expect_scaled(2, "kb", "seconds", 2048, "B");
	expect_scaled(2, "kb", "foo", 2048, "B");
	expect_scaled(3, "gcu", "ms", 3, "GCU");
}

static void auto_takes_the_largest_unit_that_keeps_one(void **state)
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

/* It has no magnitude in 64 bits; pprof leaves it as it is, so no unit is small enough. */
static void the_smallest_number_is_shown_in_the_default_unit(void **state)
{
	(void)state;
	expect_scaled(INT64_MIN, "bytes", "auto", -0x1p63, "B");
	expect_scaled(INT64_MIN, "ns", "auto", -0x1p63 / 1e9, "s");
	expect_scaled(INT64_MIN, "ns", "ms", -0x1p63 / 1e6, "ms");
	expect_scaled(INT64_MIN, "widgets", "auto", -0x1p63, "");
}

static void a_value_of_unknown_unit_stays_and_some_words_are_no_unit(void **state)
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

/* 0.125, 0.375 are exact in binary; C and Go both round the half to even. */
static void an_exact_half_rounds_to_even(void **state)
{
	(void)state;
	expect_label(125, "ms", "s", "0.12s");
	expect_label(375, "ms", "s", "0.38s");
}

static void labels_of_the_largest_numbers_are_written_out(void **state)
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

static void what_is_near_enough_to_the_total_is_100_percent(void **state)
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

static void of_a_total_of_zero_everything_is_0_percent(void **state)
{
	(void)state;
	expect_percent(5, 0, "    0%");
	assert_float_equal(unit_percent(5, 0), 0, 0);
}

static void the_plain_number_behind_a_percentage_is_not_rounded(void **state)
{
	(void)state;
	assert_float_equal(unit_percent(-1, 8), 12.5, 0);
	assert_float_equal(unit_percent(1, 10000000), 1e-5, 1e-20);
}

static void units_agree_when_they_are_equal_or_of_one_family(void **state)
{
	(void)state;
	assert_true(unit_agree("widgets", "widgets"));
	assert_true(unit_agree("ms", "nanoseconds"));
	assert_true(unit_agree("KB", "byte"));
	assert_false(unit_agree("ms", "bytes"));
	assert_false(unit_agree("widgets", "gadgets"));
	assert_false(unit_agree("count", "ns"));
	assert_false(unit_agree("ns", "count"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_alias_of_memory_has_its_power_of_two),
		cmocka_unit_test(every_alias_of_time_has_its_nanoseconds),
		cmocka_unit_test(every_alias_of_gcu_has_its_power_of_ten),
		cmocka_unit_test(case_and_one_trailing_s_do_not_matter),
		cmocka_unit_test(the_micro_sign_and_the_letter_mu_are_microseconds),
		cmocka_unit_test(what_is_no_alias_has_no_family),
		cmocka_unit_test(a_unit_that_is_not_found_leaves_the_factor_alone),
		cmocka_unit_test(a_unit_of_the_same_family_is_converted_to),
		cmocka_unit_test(a_unit_of_another_family_or_of_none_gives_the_default_unit),
		cmocka_unit_test(auto_takes_the_largest_unit_that_keeps_one),
		cmocka_unit_test(auto_of_zero_is_in_the_default_unit),
		cmocka_unit_test(a_negative_value_scales_like_its_magnitude),
		cmocka_unit_test(the_smallest_number_is_shown_in_the_default_unit),
		cmocka_unit_test(a_value_of_unknown_unit_stays_and_some_words_are_no_unit),
		cmocka_unit_test(labels_have_two_decimals_unless_they_are_zero),
		cmocka_unit_test(a_label_that_rounds_to_zero_is_0_without_a_unit),
		cmocka_unit_test(an_exact_half_rounds_to_even),
		cmocka_unit_test(labels_of_the_largest_numbers_are_written_out),
		cmocka_unit_test(percentages_take_six_columns),
		cmocka_unit_test(what_is_near_enough_to_the_total_is_100_percent),
		cmocka_unit_test(percentages_have_no_sign),
		cmocka_unit_test(of_a_total_of_zero_everything_is_0_percent),
		cmocka_unit_test(the_plain_number_behind_a_percentage_is_not_rounded),
		cmocka_unit_test(units_agree_when_they_are_equal_or_of_one_family),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
