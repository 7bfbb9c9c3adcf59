/*
 * test_json.c - JSON writer
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/jsonw.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect_text(const char *s, size_t n, const char *json)
{
	struct buf b = { 0 };
	struct json j = { .out = &b };

	jsonw_text(&j, s, n);
	assert_string_equal(b.data, json);
	buf_release(&b);
}

static void expect_real(double v, const char *json)
{
	struct buf b = { 0 };
	struct json j = { .out = &b };

	jsonw_real(&j, v);
	assert_string_equal(b.data, json);
	buf_release(&b);
}

static void empty_brackets_are_adjacent(void **state)
{
	struct buf b = { 0 };
	struct json j = { .out = &b };

	(void)state;
	jsonw_open(&j, '{');
	jsonw_key(&j, "list");
	jsonw_open(&j, '[');
	jsonw_close(&j, ']');
	jsonw_close(&j, '}');
	assert_string_equal(b.data, "{\n  \"list\": []\n}");
	buf_release(&b);
}

static void members_and_elements_have_commas_and_indentation(void **state)
{
	struct buf b = { 0 };
	struct json j = { .out = &b };

	(void)state;
	jsonw_open(&j, '{');
	jsonw_key(&j, "a");
	jsonw_int(&j, 1);
	jsonw_key(&j, "b");
	jsonw_open(&j, '[');
	jsonw_bool(&j, true);
	jsonw_bool(&j, false);
	jsonw_open(&j, '{');
	jsonw_close(&j, '}');
	jsonw_int(&j, -2);
	jsonw_close(&j, ']');
	jsonw_key(&j, "c");
	jsonw_textz(&j, "x");
	jsonw_close(&j, '}');
	assert_string_equal(b.data, "{\n  \"a\": 1,\n  \"b\": [\n    true,\n    false,\n    {},\n"
				    "    -2\n  ],\n  \"c\": \"x\"\n}");
	buf_release(&b);
}

static void compact_objects_are_on_one_line(void **state)
{
	struct buf b = { 0 };
	struct json j = { .out = &b, .is_one_line = true };

	(void)state;
	jsonw_open(&j, '{');
	jsonw_key(&j, "a");
	jsonw_int(&j, 1);
	jsonw_key(&j, "b");
	jsonw_open(&j, '[');
	jsonw_int(&j, 2);
	jsonw_int(&j, 3);
	jsonw_close(&j, ']');
	jsonw_close(&j, '}');
	assert_string_equal(b.data, "{\"a\": 1, \"b\": [2, 3]}");
	buf_release(&b);
}

static void the_largest_integers_are_exact(void **state)
{
	struct buf b = { 0 };
	struct json j = { .out = &b, .is_one_line = true };

	(void)state;
	jsonw_open(&j, '[');
	jsonw_int(&j, INT64_MAX);
	jsonw_int(&j, INT64_MIN);
	jsonw_close(&j, ']');
	assert_string_equal(b.data, "[9223372036854775807, -9223372036854775808]");
	buf_release(&b);
}

static void reals_have_at_most_four_decimals(void **state)
{
	(void)state;
	expect_real(0, "0");
	expect_real(100, "100");
	expect_real(12.5, "12.5");
	expect_real(1.0 / 3, "0.3333");
	expect_real(-2.25, "-2.25");
	expect_real(1e15, "1000000000000000");
}

static void a_real_that_rounds_to_zero_has_no_sign(void **state)
{
	(void)state;
	expect_real(-0.00001, "0");
	expect_real(-0.0, "0");
}

static void infinity_and_nan_are_null(void **state)
{
	(void)state;
	expect_real((double)INFINITY, "null");
	expect_real(-(double)INFINITY, "null");
	expect_real((double)NAN, "null");
}

static void expect_number(double v, const char *text)
{
	struct buf b = { 0 };
	struct json j = { .out = &b };

	jsonw_number(&j, v);
	assert_string_equal(b.data, text);
	if (strcmp(text, "null") != 0)
		assert_true(strtod(b.data, NULL) == v);
	buf_release(&b);
}

static void numbers_have_the_fewest_digits_that_round_trip(void **state)
{
	(void)state;
	expect_number(0.1, "0.1");
	expect_number(0.1 + 0.2, "0.30000000000000004");
	expect_number(1.0 / 3, "0.3333333333333333");
	expect_number(4e-07, "4e-07");
	expect_number(1000000, "1000000");
	expect_number(-12, "-12");
	expect_number(-0.0, "0");
	expect_number(5e-324, "5e-324");
	expect_number(1.7976931348623157e308, "1.7976931348623157e+308");
	expect_number(NAN, "null");
	expect_number(-INFINITY, "null");
}

static void quotes_and_backslashes_are_escaped(void **state)
{
	(void)state;
	expect_text("a\"b\\c/d'", 8, "\"a\\\"b\\\\c/d'\"");
}

static void characters_that_could_end_a_script_element_are_escaped(void **state)
{
	(void)state;
	expect_text("</script>&", 10, "\"\\u003c/script\\u003e\\u0026\"");
}

static void control_characters_and_direction_marks_are_escaped(void **state)
{
	(void)state;
	expect_text("a\n\t\r\0\x1b\x7f", 7, "\"a\\u000a\\u0009\\u000d\\u0000\\u001b\\u007f\"");
	expect_text("\xc2\x9b\xe2\x80\xae\xe2\x80\xa8", 8, "\"\\u009b\\u202e\\u2028\"");
}

static void unsafe_characters_beyond_16_bits_are_surrogate_pairs(void **state)
{
	(void)state;
	expect_text("\xf3\xa0\x80\x81", 4, "\"\\udb40\\udc01\""); /* U+E0001 */
}

static void other_characters_are_unchanged(void **state)
{
	(void)state;
	expect_text("\xc3\xa9\xf0\x9f\x98\x80", 6, "\"\xc3\xa9\xf0\x9f\x98\x80\"");
}

static void bytes_that_are_not_utf8_become_the_replacement_character(void **state)
{
	(void)state;
	expect_text("a\xff"
		    "b",
		    3,
		    "\"a\xef\xbf\xbd"
		    "b\"");
	expect_text("\xe2\x82", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\"");
}

static void keys_are_escaped_too(void **state)
{
	struct buf b = { 0 };
	struct json j = { .out = &b, .is_one_line = true };

	(void)state;
	jsonw_open(&j, '{');
	jsonw_key(&j, "a\"\n");
	jsonw_bool(&j, true);
	jsonw_close(&j, '}');
	assert_string_equal(b.data, "{\"a\\\"\\u000a\": true}");
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_brackets_are_adjacent),
		cmocka_unit_test(members_and_elements_have_commas_and_indentation),
		cmocka_unit_test(compact_objects_are_on_one_line),
		cmocka_unit_test(the_largest_integers_are_exact),
		cmocka_unit_test(reals_have_at_most_four_decimals),
		cmocka_unit_test(a_real_that_rounds_to_zero_has_no_sign),
		cmocka_unit_test(infinity_and_nan_are_null),
		cmocka_unit_test(numbers_have_the_fewest_digits_that_round_trip),
		cmocka_unit_test(quotes_and_backslashes_are_escaped),
		cmocka_unit_test(characters_that_could_end_a_script_element_are_escaped),
		cmocka_unit_test(control_characters_and_direction_marks_are_escaped),
		cmocka_unit_test(unsafe_characters_beyond_16_bits_are_surrogate_pairs),
		cmocka_unit_test(other_characters_are_unchanged),
		cmocka_unit_test(bytes_that_are_not_utf8_become_the_replacement_character),
		cmocka_unit_test(keys_are_escaped_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
