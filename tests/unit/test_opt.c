/*
 * test_opt.c - table of options
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/opt.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct fields {
	bool flag;
	int64_t count;
	double share;
	const char *text;
	int choice;
};

static const struct opt table[] = {
	{ "flag", OPT_BOOL, offsetof(struct fields, flag), 0, "true", NULL, 0, false, "a flag" },
	{ "node_count", OPT_INT, offsetof(struct fields, count), 0, "-1", "N", 0, false, "a number" },
	{ "share", OPT_REAL, offsetof(struct fields, share), 0, "0.005", "F", 0, false, "a real" },
	{ "text", OPT_TEXT, offsetof(struct fields, text), 0, "preset", "T", 0, false, "a text" },
	{ "first", OPT_CHOICE, offsetof(struct fields, choice), 1, NULL, NULL, 0, false, "one" },
	{ "max_second", OPT_CHOICE, offsetof(struct fields, choice), 2, NULL, NULL, 0, true, "two" },
};

enum { FLAG, COUNT, SHARE, TEXT, FIRST, SECOND, N_OPTS };

static void expect_int(const char *text, int64_t number)
{
	struct fields f = { .count = 99 };
	struct err err;

	if (opt_set(&table[COUNT], &f, text, &err) < 0)
		fail_msg("%s", err.msg);
	assert_true(f.count == number);
}

static void expect_no_int(const char *text)
{
	struct fields f = { .count = 99 };
	struct err err;

	if (opt_set(&table[COUNT], &f, text, &err) == 0)
		fail_msg("%s was taken for %lld", text, (long long)f.count);
	assert_int_equal(err.code, ERR_USAGE);
	assert_int_equal(f.count, 99);
}

static void expect_no_real(const char *text)
{
	struct fields f = { .share = 99 };

	assert_int_equal(opt_set(&table[SHARE], &f, text, NULL), ERR_USAGE);
	assert_float_equal(f.share, 99, 0);
}

static double real_of(const char *text)
{
	struct fields f = { .share = 99 };

	assert_int_equal(opt_set(&table[SHARE], &f, text, NULL), 0);
	return f.share;
}

static void defaults_fill_every_field_and_clear_choices(void **state)
{
	struct fields f;

	(void)state;
	memset(&f, 0x55, sizeof(f));
	opt_set_defaults(table, N_OPTS, &f);
	assert_true(f.flag);
	assert_true(f.count == -1);
	assert_float_equal(f.share, 0.005, 0);
	assert_string_equal(f.text, "preset");
	assert_int_equal(f.choice, 0);
}

static void an_option_is_found_by_its_whole_name(void **state)
{
	(void)state;
	assert_ptr_equal(opt_find(table, N_OPTS, "share", 5), &table[SHARE]);
	assert_ptr_equal(opt_find(table, N_OPTS, "share=3", 5), &table[SHARE]);
	assert_null(opt_find(table, N_OPTS, "share", 4));
	assert_null(opt_find(table, N_OPTS, "shares", 6));
	assert_null(opt_find(table, N_OPTS, "", 0));
}

static void a_dash_in_a_name_is_an_underscore(void **state)
{
	(void)state;
	assert_ptr_equal(opt_find(table, N_OPTS, "node_count", 10), &table[COUNT]);
	assert_ptr_equal(opt_find(table, N_OPTS, "node-count", 10), &table[COUNT]);
	assert_ptr_equal(opt_find(table, N_OPTS, "max-second", 10), &table[SECOND]);
}

static void only_booleans_and_choices_are_flags(void **state)
{
	(void)state;
	assert_true(opt_is_flag(&table[FLAG]));
	assert_true(opt_is_flag(&table[FIRST]));
	assert_false(opt_is_flag(&table[COUNT]));
	assert_false(opt_is_flag(&table[SHARE]));
	assert_false(opt_is_flag(&table[TEXT]));
}

static void booleans_accept_the_spellings_of_go(void **state)
{
	static const char *const yes[] = { "1", "t", "T", "true", "TRUE", "True" };
	static const char *const no[] = { "0", "f", "F", "false", "FALSE", "False" };
	struct fields f;

	(void)state;
	for (int i = 0; i < 6; i++) {
		f.flag = false;
		assert_int_equal(opt_set(&table[FLAG], &f, yes[i], NULL), 0);
		assert_true(f.flag);
		assert_int_equal(opt_set(&table[FLAG], &f, no[i], NULL), 0);
		assert_false(f.flag);
	}
}

static void other_spellings_are_not_booleans(void **state)
{
	static const char *const words[] = { "yes", "no", "tRUE", "on", "", "2", "true " };
	struct fields f = { .flag = true };

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		assert_int_equal(opt_set(&table[FLAG], &f, words[i], NULL), ERR_USAGE);
	assert_true(f.flag);
}

static void a_flag_without_a_value_is_set(void **state)
{
	struct fields f = { .choice = 7 };

	(void)state;
	assert_int_equal(opt_set(&table[FLAG], &f, NULL, NULL), 0);
	assert_true(f.flag);
	assert_int_equal(opt_set(&table[SECOND], &f, NULL, NULL), 0);
	assert_int_equal(f.choice, 2);
}

static void a_choice_set_to_false_changes_nothing(void **state)
{
	struct fields f = { .choice = 2 };

	(void)state;
	assert_int_equal(opt_set(&table[FIRST], &f, "false", NULL), 0);
	assert_int_equal(f.choice, 2);
	assert_int_equal(opt_set(&table[FIRST], &f, "true", NULL), 0);
	assert_int_equal(f.choice, 1);
}

static void integers_are_decimal_with_a_sign(void **state)
{
	(void)state;
	expect_int("0", 0);
	expect_int("42", 42);
	expect_int("-42", -42);
	expect_int("+42", 42);
	expect_int("9223372036854775807", INT64_MAX);
	expect_int("-9223372036854775808", INT64_MIN);
}

static void prefixes_name_the_base_of_an_integer(void **state)
{
	(void)state;
	expect_int("0x1F", 31);
	expect_int("0XfF", 255);
	expect_int("-0x10", -16);
	expect_int("0o17", 15);
	expect_int("0O17", 15);
	expect_int("017", 15);
	expect_int("0b101", 5);
	expect_int("0B11", 3);
}

static void underscores_are_allowed_between_digits(void **state)
{
	(void)state;
	expect_int("1_000_000", 1000000);
	expect_int("0x1_F", 31);
	expect_int("0b1_0", 2);
	expect_int("0_17", 15);
}

/* As in Go strconv, underscoreOK: a base prefix counts as a digit. */
static void an_underscore_may_follow_the_prefix(void **state)
{
	(void)state;
	expect_int("0x_1F", 31);
	expect_int("0o_17", 15);
	expect_int("0b_11", 3);
}

static void misplaced_underscores_are_refused(void **state)
{
	(void)state;
	expect_no_int("1_");
	expect_no_int("1__0");
	expect_no_int("-_1");
	expect_no_int("0x1_");
}

/* On the heap, so that the sanitized build detects a read of the byte before it. */
static void an_integer_does_not_begin_with_an_underscore(void **state)
{
	char *text = strdup("_1");

	(void)state;
	expect_no_int(text);
	free(text);
}

static void other_text_is_not_an_integer(void **state)
{
	static const char *const bad[] = { "",   "-",   "+",   "abc", "12x", "1a",  "0x",  "0b2", "0o8",
					   "08", "1.5", "1e3", " 1",  "1 ",  "--1", "+-1", "0xg", "0x-1" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		expect_no_int(bad[i]);
}

static void integers_beyond_64_bits_are_refused(void **state)
{
	(void)state;
	expect_no_int("9223372036854775808");
	expect_no_int("-9223372036854775809");
	expect_no_int("0x8000000000000000");
	expect_no_int("1000000000000000000000000000000000000000000000000000000000000000000000000000000000");
}

static void reals_are_decimal_scientific_or_hexadecimal(void **state)
{
	(void)state;
	assert_float_equal(real_of("0.25"), 0.25, 0);
	assert_float_equal(real_of(".5"), 0.5, 0);
	assert_float_equal(real_of("5."), 5, 0);
	assert_float_equal(real_of("-1e3"), -1000, 0);
	assert_float_equal(real_of("1E-2"), 0.01, 0);
	assert_float_equal(real_of("0x1p-2"), 0.25, 0);
}

static void infinity_and_nan_are_accepted_as_reals(void **state)
{
	(void)state;
	assert_true(isinf(real_of("inf")) && isinf(real_of("+Inf")) && isinf(real_of("Infinity")));
	assert_true(real_of("-inf") < 0);
	assert_true(isnan(real_of("nan")) && isnan(real_of("NaN")));
}

static void other_text_is_not_a_real(void **state)
{
	(void)state;
	expect_no_real("");
	expect_no_real("abc");
	expect_no_real("1.5x");
	expect_no_real(" 1");
	expect_no_real("1 ");
	expect_no_real("1,5");
	expect_no_real("--1");
}

static void text_is_borrowed(void **state)
{
	static const char value[] = "main|foo";
	struct fields f;

	(void)state;
	assert_int_equal(opt_set(&table[TEXT], &f, value, NULL), 0);
	assert_ptr_equal(f.text, value);
}

static void the_error_names_option_and_value(void **state)
{
	struct fields f;
	struct err err;

	(void)state;
	opt_set(&table[COUNT], &f, "abc", &err);
	assert_non_null(strstr(err.msg, "-node_count=abc"));
	opt_set(&table[FLAG], &f, "yes", &err);
	assert_non_null(strstr(err.msg, "-flag=yes"));
	opt_set(&table[SECOND], &f, "yes", &err);
	assert_non_null(strstr(err.msg, "-max-second=yes"));
}

static void only_our_own_options_are_displayed_with_dashes(void **state)
{
	char name[OPT_NAME_MAX];

	(void)state;
	assert_string_equal(opt_display_name(&table[COUNT], name), "node_count");
	assert_string_equal(opt_display_name(&table[SECOND], name), "max-second");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_fill_every_field_and_clear_choices),
		cmocka_unit_test(an_option_is_found_by_its_whole_name),
		cmocka_unit_test(a_dash_in_a_name_is_an_underscore),
		cmocka_unit_test(only_booleans_and_choices_are_flags),
		cmocka_unit_test(booleans_accept_the_spellings_of_go),
		cmocka_unit_test(other_spellings_are_not_booleans),
		cmocka_unit_test(a_flag_without_a_value_is_set),
		cmocka_unit_test(a_choice_set_to_false_changes_nothing),
		cmocka_unit_test(integers_are_decimal_with_a_sign),
		cmocka_unit_test(prefixes_name_the_base_of_an_integer),
		cmocka_unit_test(underscores_are_allowed_between_digits),
		cmocka_unit_test(an_underscore_may_follow_the_prefix),
		cmocka_unit_test(misplaced_underscores_are_refused),
		cmocka_unit_test(an_integer_does_not_begin_with_an_underscore),
		cmocka_unit_test(other_text_is_not_an_integer),
		cmocka_unit_test(integers_beyond_64_bits_are_refused),
		cmocka_unit_test(reals_are_decimal_scientific_or_hexadecimal),
		cmocka_unit_test(infinity_and_nan_are_accepted_as_reals),
		cmocka_unit_test(other_text_is_not_a_real),
		cmocka_unit_test(text_is_borrowed),
		cmocka_unit_test(the_error_names_option_and_value),
		cmocka_unit_test(only_our_own_options_are_displayed_with_dashes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
