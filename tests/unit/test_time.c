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
#include <string.h>

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

static void times_are_parsed_to_the_nanosecond(void **state)
{
	static const struct {
		const char *text;
		int64_t ns; /* -1: not a time */
	} times[] = {
		{ "1970-01-01T00:00:00Z", 0 },
		{ "2026-11-22T14:00:00Z", 1795356000 * NS_PER_S },
		{ "2026-11-22T14:00:00.25Z", 1795356000 * NS_PER_S + NS_PER_S / 4 },
		{ "2026-11-22T14:00:00.000000001Z", 1795356000 * NS_PER_S + 1 },
		{ "2026-11-22T14:00:00.0000000019Z", 1795356000 * NS_PER_S + 1 },
		{ "2026-11-22T15:30:00+01:30", 1795356000 * NS_PER_S },
		{ "2026-11-22T12:00:00.5-02:00", 1795356000 * NS_PER_S + NS_PER_S / 2 },
		{ "2026-11-22T14:00:00", -1 },
		{ "2026-11-22T14:00:00z ", -1 },
		{ "2026-11-22T15:30:00+1:30", -1 },
		{ "2026-11-22T15:30:00+01:300", -1 },
		{ "1969-12-31T23:59:59Z", -1 },
		{ "9999-11-22T14:00:00Z", -1 },
		{ "2026-11-22", -1 },
		{ "", -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		int64_t ns = -1;

		assert_int_equal(time_parse_exact(times[i].text, strlen(times[i].text), &ns), times[i].ns >= 0);
		assert_int_equal(ns, times[i].ns);
	}
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
		cmocka_unit_test(times_are_parsed_to_the_nanosecond),
		cmocka_unit_test(durations_are_in_the_largest_unit_that_divides_them),
		cmocka_unit_test(go_durations_have_hours_minutes_and_seconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
