/*
 * test_num.c - integer arithmetic with overflow checks
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/num.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void sums_up_to_the_limits_are_exact(void **state)
{
	int64_t sum = INT64_MAX - 5;

	(void)state;
	assert_false(num_add(&sum, 5));
	assert_true(sum == INT64_MAX);
}

static void an_overflow_leaves_the_sum_unchanged(void **state)
{
	int64_t high = INT64_MAX, low = INT64_MIN;

	(void)state;
	assert_true(num_add(&high, 1));
	assert_true(high == INT64_MAX);
	assert_true(num_add(&low, -1));
	assert_true(low == INT64_MIN);
}

static void the_magnitude_of_the_smallest_number_is_2_to_63(void **state)
{
	(void)state;
	assert_true(num_abs(INT64_MIN) == UINT64_C(1) << 63);
	assert_true(num_abs(-5) == 5);
	assert_true(num_abs(0) == 0);
	assert_true(num_abs(INT64_MAX) == INT64_MAX);
}

static void doubles_are_rounded_toward_zero(void **state)
{
	(void)state;
	assert_int_equal(num_trunc(2.9), 2);
	assert_true(num_trunc(-2.9) == -2);
	assert_int_equal(num_trunc(-0.5), 0);
}

static void the_largest_double_below_2_to_63_fits(void **state)
{
	(void)state;
	assert_true(num_trunc(0x1.fffffffffffffp62) == INT64_MAX - 1023);
}

static void doubles_out_of_range_become_int64_min(void **state)
{
	(void)state;
	assert_true(num_trunc(0x1p63) == INT64_MIN);
	assert_true(num_trunc(-0x1.8p63) == INT64_MIN);
	assert_true(num_trunc((double)INFINITY) == INT64_MIN);
	assert_true(num_trunc((double)NAN) == INT64_MIN);
}

static void expect_written(int64_t v, const char *expected)
{
	char text[NUM_DIGITS + 1] = "";

	*num_put(text, v) = 0;
	assert_string_equal(text, expected);
}

static void numbers_are_written_with_all_digits(void **state)
{
	(void)state;
	expect_written(0, "0");
	expect_written(-7, "-7");
	expect_written(1234567890, "1234567890");
	expect_written(INT64_MAX, "9223372036854775807");
	expect_written(INT64_MIN, "-9223372036854775808");
}

static void a_capped_sum_stops_at_int64_max_or_its_negative(void **state)
{
	(void)state;
	assert_int_equal(num_add_capped(2, -3), -1);
	assert_int_equal(num_add_capped(INT64_MAX, 1), INT64_MAX);
	assert_int_equal(num_add_capped(INT64_MIN, -1), -INT64_MAX);
	assert_int_equal(num_sub_capped(2, 5), -3);
	assert_int_equal(num_sub_capped(INT64_MAX, -1), INT64_MAX);
	assert_int_equal(num_sub_capped(-2, INT64_MAX), -INT64_MAX);
}

/* printf is the reference. */
static void check_fixed(double v)
{
	for (unsigned decimals = 0; decimals <= 5; decimals++) {
		char text[NUM_FIXED_SIZE], expected[NUM_FIXED_SIZE];

		*num_put_fixed(text, v, decimals) = 0;
		snprintf(expected, sizeof(expected), "%.*f", (int)decimals, v);
		assert_string_equal(text, expected);
	}
}

static void fixed_decimals_equal_printf(void **state)
{
	static const double some[] = { 0.0,     0.125,    0.375,  0.5,        1.5,     2.5,
				       0.005,   0.015,    1.005,  0.995,      0.9995,  9.9995,
				       0x1p-64, 0x1p-65,  0x1p-9, 0x1.8p-10,  DBL_MIN, 0x1p-1074,
				       0x1p46,  0x1p52,   0x1p53, 0x1p63,     0.1,     0x1.fffffffffffffp51,
				       DBL_MAX, INFINITY, 1e15,   123456.785, 999.995, 4503599627370495.5 };
	uint64_t seed = 1;

	(void)state;
	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
		check_fixed(some[i]);
		check_fixed(-some[i]);
	}
	for (int i = 0; i < 300000; i++) {
		uint64_t bits;
		double any;

		seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		bits = seed ^ seed >> 29;
		memcpy(&any, &bits, sizeof(any));
		if (!isnan(any))
			check_fixed(any);
		check_fixed((double)(bits >> 40) / 1000);                     /* near a tie, not at it */
		check_fixed((double)(int64_t)(bits >> 30) / 2048);            /* often exactly at a tie */
		check_fixed(ldexp((double)(bits >> 11), -(int)(seed % 120))); /* every exponent of reports */
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fixed_decimals_equal_printf),
		cmocka_unit_test(sums_up_to_the_limits_are_exact),
		cmocka_unit_test(an_overflow_leaves_the_sum_unchanged),
		cmocka_unit_test(the_magnitude_of_the_smallest_number_is_2_to_63),
		cmocka_unit_test(doubles_are_rounded_toward_zero),
		cmocka_unit_test(the_largest_double_below_2_to_63_fits),
		cmocka_unit_test(doubles_out_of_range_become_int64_min),
		cmocka_unit_test(numbers_are_written_with_all_digits),
		cmocka_unit_test(a_capped_sum_stops_at_int64_max_or_its_negative),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
