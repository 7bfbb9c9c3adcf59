/*
 * test_scale.c - convert values between units
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/scale.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static int64_t scaled(int64_t v, double ratio)
{
	int64_t out = 0;

	assert_false(scale_value(v, ratio, &out));
	return out;
}

static void halves_are_rounded_away_from_zero(void **state)
{
	(void)state;
	assert_int_equal(scaled(1, 0.5), 1);
	assert_int_equal(scaled(-1, 0.5), -1);
	assert_int_equal(scaled(3, 0.25), 1);
	assert_int_equal(scaled(5, 0.25), 1);
	assert_int_equal(scaled(-3, 0.5), -2);
}

static void ratio_1_is_exact_for_values_beyond_a_double(void **state)
{
	(void)state;
	assert_int_equal(scaled(INT64_MAX, 1), INT64_MAX);
	assert_int_equal(scaled((1LL << 53) + 1, 1), (1LL << 53) + 1);
}

static void values_that_overflow_64_bits_are_refused(void **state)
{
	int64_t out = 7;

	(void)state;
	assert_true(scale_value(INT64_MAX, 2, &out));
	assert_true(scale_value(INT64_MAX, 1.0000001, &out));
	assert_true(scale_value(INT64_MIN, 1.5, &out));
	assert_int_equal(out, 7);
}

static void the_smallest_value_that_fits_is_accepted(void **state)
{
	(void)state;
	assert_int_equal(scaled(INT64_MIN / 2, 2), INT64_MIN);
}

static void the_ratio_is_the_first_unit_in_the_second(void **state)
{
	(void)state;
	assert_true(scale_ratio("ms", "nanoseconds") == 1e6);
	assert_true(scale_ratio("kB", "bytes") == 1024);
	assert_true(scale_ratio("hour", "s") == 3600);
	assert_true(scale_ratio("ns", "nanoseconds") == 1);
	assert_true(scale_ratio("widgets", "widgets") == 1);
}

static void microseconds_are_finer_than_milliseconds(void **state)
{
	(void)state;
	assert_true(scale_is_finer("ms", "us"));
	assert_false(scale_is_finer("us", "ms"));
	assert_false(scale_is_finer("nanoseconds", "ns"));
	assert_false(scale_is_finer("count", "count"));
}

static void periods_are_rounded_toward_zero(void **state)
{
	int64_t out = 0;

	(void)state;
	assert_false(scale_period(1999, "us", "ms", &out));
	assert_int_equal(out, 1);
	assert_false(scale_period(-1999, "us", "ms", &out));
	assert_int_equal(out, -1);
	assert_false(scale_period(10, "ms", "ns", &out));
	assert_int_equal(out, 10000000);
}

static void a_period_in_an_equal_unit_is_exact(void **state)
{
	int64_t out = 0;

	(void)state;
	assert_false(scale_period(INT64_MAX, "ns", "nanoseconds", &out));
	assert_int_equal(out, INT64_MAX);
}

static void a_period_that_overflows_64_bits_is_refused(void **state)
{
	int64_t out = 7;

	(void)state;
	assert_true(scale_period(INT64_MAX, "s", "ns", &out));
	assert_int_equal(out, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(halves_are_rounded_away_from_zero),
		cmocka_unit_test(ratio_1_is_exact_for_values_beyond_a_double),
		cmocka_unit_test(values_that_overflow_64_bits_are_refused),
		cmocka_unit_test(the_smallest_value_that_fits_is_accepted),
		cmocka_unit_test(the_ratio_is_the_first_unit_in_the_second),
		cmocka_unit_test(microseconds_are_finer_than_milliseconds),
		cmocka_unit_test(periods_are_rounded_toward_zero),
		cmocka_unit_test(a_period_in_an_equal_unit_is_exact),
		cmocka_unit_test(a_period_that_overflows_64_bits_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
