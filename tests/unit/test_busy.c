/*
 * test_busy.c - the time in which programs waited for a processor
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/collector/read/busy.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

enum { NS_PER_MS = 1000000 };

static double share(uint64_t wall_ms, uint64_t waited_ms)
{
	const struct busy_time from = { .now_ns = NS_PER_MS, .waited_ns = 7 };
	const struct busy_time to = { .now_ns = NS_PER_MS * (1 + wall_ms), .waited_ns = 7 + NS_PER_MS * waited_ms };

	return busy_share(&from, &to);
}

static void a_share_is_that_of_the_time_between_two_readings(void **state)
{
	static const struct busy_time none, some = { .now_ns = 1, .waited_ns = 0 };

	(void)state;
	assert_true(share(1000, 0) <= 0);
	assert_true(share(1000, 250) > 0.2499 && share(1000, 250) < 0.2501);
	assert_true(share(1000, 1001) >= 1 && share(1000, 1001) <= 1);
	assert_true(share(99, 50) <= 0); /* too short */
	assert_true(busy_share(&none, &some) <= 0 && busy_share(&some, &none) <= 0);
}

static void a_comment_has_the_share_from_10_percent_on(void **state)
{
	char text[120] = "";

	(void)state;
	assert_int_equal(busy_comment(0.0999, text, sizeof(text)), 0);
	assert_string_equal(text, "");
	assert_true(busy_comment(0.634, text, sizeof(text)) > 0);
	assert_string_equal(text, "the machine was busy: programs waited for a processor for 63% of the time");
}

/* The counter of this machine never decreases, and a young reading is kept. */
static void the_counter_is_read_at_most_every_100_ms(void **state)
{
	const struct timespec pause = { .tv_nsec = 110 * NS_PER_MS };
	struct busy_time first = { 0 }, last;

	(void)state;
	busy_read(&first);
	if (!first.now_ns)
		skip(); /* the kernel has no /proc/pressure/cpu */
	last = first;
	busy_read(&last);
	assert_int_equal(last.now_ns, first.now_ns);
	nanosleep(&pause, NULL);
	busy_read(&last);
	assert_true(last.now_ns > first.now_ns && last.waited_ns >= first.waited_ns);
	assert_true(busy_share(&first, &last) <= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_share_is_that_of_the_time_between_two_readings),
		cmocka_unit_test(a_comment_has_the_share_from_10_percent_on),
		cmocka_unit_test(the_counter_is_read_at_most_every_100_ms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
