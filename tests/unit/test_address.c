/*
 * test_address.c - patterns parsed as addresses
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/binaries.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

static void parses_numbers_in_go_syntax(void **state)
{
	static const struct {
		const char *text;
		uint64_t value;
	} good[] = {
		{ "0", 0 },
		{ "1", 1 },
		{ "401000", 401000 },
		{ "0x401000", 0x401000 },
		{ "0XfF", 0xff },
		{ "0b101", 5 },
		{ "0o17", 15 },
		{ "017", 15 },
		{ "0_7", 7 },
		{ "0x_ff", 0xff },
		{ "1_000", 1000 },
		{ "00", 0 },
		{ "0x1_f", 0x1f },
		{ "0B1", 1 },
		{ "0xffffffffffffffff", UINT64_MAX },
	};
	uint64_t v;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_true(address_parse(good[i].text, &v));
		assert_int_equal(v, good[i].value);
	}
}

static void rejects_text_that_is_not_a_number(void **state)
{
	static const char *const bad[] = { "",
					   "x",
					   "0x",
					   "0b",
					   "0b2",
					   "08",
					   "ff",
					   "1_",
					   "_1",
					   "1__0",
					   "0x_",
					   "-1",
					   "+1",
					   " 1",
					   "1 ",
					   "work1",
					   "0_",
					   "1f",
					   "0x1g",
					   "0x10000000000000000",
					   "18446744073709551616" };
	uint64_t v = 5;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(address_parse(bad[i], &v));
	assert_int_equal(v, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_numbers_in_go_syntax),
		cmocka_unit_test(rejects_text_that_is_not_a_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
