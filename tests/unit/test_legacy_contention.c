/*
 * test_legacy_contention.c - lock wait profiles as text
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/legacy/legacy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct format_options no_limits;

static struct profile *read_text(const char *text)
{
	struct profile *p = NULL;
	struct err err;

	if (legacy_read_contention((const uint8_t *)text, strlen(text), &no_limits, &p, &err) < 0)
		fail_msg("%s", err.msg);
	return p;
}

static void expect_error(const char *text, int code, const char *message)
{
	struct profile *p = NULL;
	struct err err;

	assert_int_equal(legacy_read_contention((const uint8_t *)text, strlen(text), &no_limits, &p, &err), code);
	assert_null(p);
	assert_string_equal(err.msg, message);
}

static int64_t value(const struct profile *p, uint32_t type, uint32_t row)
{
	return p->value[type][row];
}

static void delays_are_the_second_sample_type(void **state)
{
	struct profile *p = read_text("--- mutex:\n5000 3 @ 0x11\n");

	(void)state;
	assert_string_equal(profile_text(p, p->type[0].name), "contentions");
	assert_int_equal(value(p, 0, 0), 3);
	assert_int_equal(value(p, 1, 0), 5000);
	assert_int_equal(p->meta.period, 1);
	profile_free(p);
}

/* 5000 cycles of 0.5 ns, 1 of 10 sampled */
static void cycles_are_scaled_to_nanoseconds_by_rate_and_period(void **state)
{
	struct profile *p = read_text("--- contentionz 1 ---\ncycles/second = 2000000000\n# x\nsampling period=10\n"
				      "ms since reset = 0x10\ndiscarded samples = 7\n5000 3 @ 0x11\n");

	(void)state;
	assert_int_equal(value(p, 0, 0), 30);
	assert_int_equal(value(p, 1, 0), 25000);
	assert_int_equal(p->meta.duration_ns, 16000000);
	profile_free(p);
}

static void without_a_period_nothing_is_scaled(void **state)
{
	struct profile *p = read_text("--- contention:\ncycles/second=10\nsampling period=0\n5000 3 @ 0x11\n");

	(void)state;
	assert_int_equal(value(p, 0, 0), 3);
	assert_int_equal(value(p, 1, 0), 5000);
	profile_free(p);
}

static void a_single_number_is_split_before_its_last_digit(void **state)
{
	struct profile *p = read_text("--- mutex:\n7 123 4 500 @ 0x11\n123 @ 0x11\n");

	(void)state;
	assert_int_equal(value(p, 0, 0), 500);
	assert_int_equal(value(p, 1, 0), 4);
	assert_int_equal(value(p, 0, 1), 3);
	assert_int_equal(value(p, 1, 1), 12);
	profile_free(p);
}

static void dashes_end_the_samples(void **state)
{
	struct profile *p = read_text("--- mutex:\n1 1 @ 0x1001\n---\n--- Memory map: ---\n1000-2000 r-xp /bin/a\n");

	(void)state;
	assert_int_equal(p->n_rows, 1);
	assert_int_equal(p->n_maps, 1);
	assert_string_equal(profile_text(p, p->map[0].file), "/bin/a");
	profile_free(p);
}

static void errors_name_the_line(void **state)
{
#define H "--- mutex:\n"
	(void)state;
	expect_error(H "a=b\n", ERR_FORMAT, "line 2: unknown attribute");
	expect_error(H "cycles/second=fast\n", ERR_FORMAT, "line 2: the value is not a 64-bit number");
	expect_error(H "5 @ 0x1\n", ERR_FORMAT, "line 2: not a sample, such as \"5000 3 @ 0x400000\"");
	expect_error(H "sampling period=9223372036854775807\n1 2 @\n", ERR_FORMAT,
		     "line 3: the count times the sampling period overflows 64 bits");
	expect_error(H "cycles/second=1\n9223372036854775807 1 @\n", ERR_FORMAT,
		     "line 3: scaled value overflows 64 bits");
	expect_error(H "ms since reset=9223372036854775807\n", ERR_FORMAT,
		     "duration of 9223372036854775807 ms overflows 64 bits");
#undef H
}

static void possible_java_profiles_are_left_to_the_java_reader(void **state)
{
	(void)state;
	expect_error("--- contentionz 1 ---\nformat = java\n", ERR_UNKNOWN, "line 2: unknown attribute");
	expect_error("--- contentionz 2 ---\nformat = java\n", ERR_FORMAT, "line 2: unknown attribute");
	expect_error("--- heapz 1 ---\n", ERR_UNKNOWN, "not a contention profile");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(delays_are_the_second_sample_type),
		cmocka_unit_test(cycles_are_scaled_to_nanoseconds_by_rate_and_period),
		cmocka_unit_test(without_a_period_nothing_is_scaled),
		cmocka_unit_test(a_single_number_is_split_before_its_last_digit),
		cmocka_unit_test(dashes_end_the_samples),
		cmocka_unit_test(errors_name_the_line),
		cmocka_unit_test(possible_java_profiles_are_left_to_the_java_reader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
