/*
 * test_legacy_text.c - words and numbers of the legacy text formats
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/legacy/legacy_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct slice text(const char *s)
{
	return (struct slice){ s, strlen(s) };
}

static void lines_end_with_newline_or_carriage_return_newline(void **state)
{
	static const char two[] = "a\r\r\nb";
	struct lines in = { .at = two, .end = two + strlen(two) };

	(void)state;
	assert_true(lines_next(&in));
	assert_int_equal(in.line.n, 2);
	assert_true(lines_next(&in));
	assert_true(slice_is(in.line, "b"));
	assert_int_equal(in.no, 2);
	assert_false(lines_next(&in));
	assert_int_equal(in.line.n, 0);
}

static void an_empty_text_has_no_line(void **state)
{
	struct lines in = { 0 };

	(void)state;
	assert_false(lines_next(&in));
}

static void comments_and_blank_lines_are_skipped(void **state)
{
	static const char some[] = "\n  # x\n \t\nword\n";
	struct lines in = { .at = some, .end = some + strlen(some) };

	(void)state;
	assert_true(lines_next_text(&in));
	assert_int_equal(in.no, 4);
}

static void trimming_removes_unicode_spaces(void **state)
{
	(void)state;
	assert_true(slice_is(slice_trim(text("\xc2\xa0 a\xe2\x80\xa8\v")), "a"));
	assert_int_equal(slice_trim(text(" \xe3\x80\x80 ")).n, 0);
	assert_int_equal(slice_trim(text("\xa0")).n, 1); /* not UTF-8, so not a space */
}

static void decimal_numbers_have_the_range_of_int64(void **state)
{
	int64_t v = 0;

	(void)state;
	assert_true(slice_decimal(text("-9223372036854775808"), &v));
	assert_true(v == INT64_MIN);
	assert_true(slice_decimal(text("9223372036854775807"), &v));
	assert_false(slice_decimal(text("9223372036854775808"), &v));
	assert_true(v == INT64_MAX);
	assert_false(slice_decimal(text("-"), &v));
}

static void numbers_are_written_as_in_go(void **state)
{
	static const struct {
		const char *text;
		int64_t v;
	} good[] = { { "0", 0 },       { "010", 8 },      { "0x1F", 31 }, { "0b11", 3 }, { "0o17", 15 },
		     { "-0x10", -16 }, { "1_000", 1000 }, { "0x_f", 15 }, { "0_7", 7 },  { "+5", 5 } };
	static const char *const bad[] = { "", "08", "0x", "1__0", "_1", "1_", "0x1g", "--1", "1 ", "0b2" };

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		int64_t v = -1;

		assert_true(slice_number(text(good[i].text), &v));
		assert_int_equal(v, good[i].v);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		int64_t v;

		if (slice_number(text(bad[i]), &v))
			fail_msg("%s is a number", bad[i]);
	}
}

static void hexadecimal_numbers_have_up_to_64_bits_and_any_leading_zeros(void **state)
{
	uint64_t v = 0;

	(void)state;
	assert_true(slice_hex(text("0000000000000000000f"), &v));
	assert_int_equal(v, 15);
	assert_false(slice_hex(text("10000000000000000"), &v));
}

static void an_address_is_0x_and_lower_case_digits(void **state)
{
	struct slice s = text("0xA 00x1f0x 0x0x2"), digits;

	(void)state;
	assert_true(slice_next_address(&s, &digits));
	assert_true(slice_is(digits, "1f0"));
	assert_true(slice_next_address(&s, &digits));
	assert_true(slice_is(digits, "0"));
	assert_false(slice_next_address(&s, &digits));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_end_with_newline_or_carriage_return_newline),
		cmocka_unit_test(an_empty_text_has_no_line),
		cmocka_unit_test(comments_and_blank_lines_are_skipped),
		cmocka_unit_test(trimming_removes_unicode_spaces),
		cmocka_unit_test(decimal_numbers_have_the_range_of_int64),
		cmocka_unit_test(numbers_are_written_as_in_go),
		cmocka_unit_test(hexadecimal_numbers_have_up_to_64_bits_and_any_leading_zeros),
		cmocka_unit_test(an_address_is_0x_and_lower_case_digits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
