/*
 * test_time.c - units of time, and the formats of times and durations
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/time.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

static void time_expect(struct buf *text, const char *expected)
{
	assert_string_equal(buf_text(text), expected);
	buf_release(text);
}

static void times_before_1970_round_down_to_the_second(void **state)
{
	struct buf b = { 0 };

	(void)state;
	time_add_utc(&b, -1, TIME_ISO);
	time_expect(&b, "1969-12-31T23:59:59Z");
	time_add_exact(&b, -1);
	time_expect(&b, "1969-12-31T23:59:59.999999999Z");
	time_add_exact(&b, INT64_MIN);
	time_expect(&b, "1677-09-21T00:12:43.145224192Z");
}

static void fractions_have_no_trailing_zeros(void **state)
{
	struct buf b = { 0 };

	(void)state;
	time_add_exact(&b, 1700000000 * NS_PER_S);
	time_expect(&b, "2023-11-14T22:13:20Z");
	time_add_exact(&b, 1700000000 * NS_PER_S + 50 * NS_PER_MS);
	time_expect(&b, "2023-11-14T22:13:20.05Z");
	time_add_fraction(&b, NS_PER_S);
	time_expect(&b, "");
}

static void local_times_follow_the_time_zone(void **state)
{
	struct buf b = { 0 };

	(void)state;
	setenv("TZ", "XYZ-2", 1);
	tzset();
	time_add_local(&b, 1700000000 * NS_PER_S, TIME_SPACED " %Z");
	time_expect(&b, "2023-11-15 00:13:20 XYZ");
}

static void durations_are_in_the_largest_unit_that_divides_them(void **state)
{
	struct buf b = { 0 };

	(void)state;
	time_add_duration(&b, 14 * NS_PER_DAY);
	time_expect(&b, "14d");
	time_add_duration(&b, 90 * NS_PER_MINUTE);
	time_expect(&b, "90m");
	time_add_duration(&b, 1500 * NS_PER_MS);
	time_expect(&b, "1500ms");
	time_add_duration(&b, 7);
	time_expect(&b, "7ns");
}

static void go_durations_have_hours_minutes_and_seconds(void **state)
{
	struct buf b = { 0 };

	(void)state;
	time_add_go_duration(&b, NS_PER_HOUR + 30 * NS_PER_S);
	time_expect(&b, "1h0m30s");
	time_add_go_duration(&b, -1500 * NS_PER_US);
	time_expect(&b, "-1.5ms");
	time_add_go_duration(&b, INT64_MAX);
	time_expect(&b, "2562047h47m16.854775807s");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_before_1970_round_down_to_the_second),
		cmocka_unit_test(fractions_have_no_trailing_zeros),
		cmocka_unit_test(local_times_follow_the_time_zone),
		cmocka_unit_test(durations_are_in_the_largest_unit_that_divides_them),
		cmocka_unit_test(go_durations_have_hours_minutes_and_seconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
