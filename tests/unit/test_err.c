/*
 * test_err.c - errors as values
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/err.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void set_returns_the_code_and_writes_the_message(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(err_set(&err, ERR_LIMIT, "%d of %s", 3, "four"), ERR_LIMIT);
	assert_int_equal(err.code, ERR_LIMIT);
	assert_string_equal(err.msg, "3 of four");
}

static void set_without_an_err_returns_the_code(void **state)
{
	(void)state;
	assert_int_equal(err_set(NULL, ERR_IO, "lost"), ERR_IO);
}

static void wrapped_context_goes_from_outer_to_inner(void **state)
{
	struct err err;

	(void)state;
	err_set(&err, ERR_FORMAT, "string 900 of 850");
	err_wrap(&err, "label %d", 3);
	assert_int_equal(err_wrap(&err, "sample %d", 17), ERR_FORMAT);
	assert_string_equal(err.msg, "sample 17: label 3: string 900 of 850");
}

static void wrap_without_an_err_is_still_an_error(void **state)
{
	(void)state;
	assert_true(err_wrap(NULL, "clause") < 0);
}

static void a_long_message_is_cut_at_its_end(void **state)
{
	struct err err;

	(void)state;
	err_set(&err, ERR_IO, "begin%2000d", 7);
	assert_int_equal(strlen(err.msg), sizeof(err.msg) - 1);
	assert_memory_equal(err.msg, "begin", 5);
}

static void wrapping_a_full_message_cuts_its_end(void **state)
{
	struct err err;

	(void)state;
	err_set(&err, ERR_IO, "begin%2000d", 7);
	err_wrap(&err, "outer");
	assert_int_equal(strlen(err.msg), sizeof(err.msg) - 1);
	assert_memory_equal(err.msg, "outer: begin", 12);
}

static void context_longer_than_the_message_is_cut(void **state)
{
	struct err err;

	(void)state;
	err_set(&err, ERR_IO, "inner");
	err_wrap(&err, "outer%3000d", 7);
	assert_int_equal(strlen(err.msg), sizeof(err.msg) - 1);
	assert_memory_equal(err.msg, "outer ", 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_returns_the_code_and_writes_the_message),
		cmocka_unit_test(set_without_an_err_returns_the_code),
		cmocka_unit_test(wrapped_context_goes_from_outer_to_inner),
		cmocka_unit_test(wrap_without_an_err_is_still_an_error),
		cmocka_unit_test(a_long_message_is_cut_at_its_end),
		cmocka_unit_test(wrapping_a_full_message_cuts_its_end),
		cmocka_unit_test(context_longer_than_the_message_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
