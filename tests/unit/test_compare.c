/*
 * test_compare.c - formatting shared by the texts of diff and trend
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/text/text.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Compare the output with text, and clear it. */
static void expect(struct buf *out, const char *text)
{
	assert_string_equal(buf_text(out), text);
	buf_release(out);
	*out = (struct buf){ 0 };
}

static void percentages_have_a_sign_and_few_digits(void **state)
{
	struct buf out = { 0 };

	(void)state;
	text_compare_add_percent(0, &out);
	expect(&out, "0%");
	text_compare_add_percent(-4.567, &out);
	expect(&out, "-4.57%");
	text_compare_add_percent(99.99, &out);
	expect(&out, "+99.99%");
	text_compare_add_percent(99.999, &out);
	expect(&out, "+100.0%");
	text_compare_add_percent(-100, &out);
	expect(&out, "-100.0%");
	text_compare_add_percent(999.96, &out);
	expect(&out, "+1000%");
}

static void words_replace_missing_percentages(void **state)
{
	struct buf out = { 0 };

	(void)state;
	text_compare_add_change(0, 5, NAN, "new", 8, &out);
	expect(&out, "      new");
	text_compare_add_change(5, 0, -100, "gone", 8, &out);
	expect(&out, "     gone");
	text_compare_add_change(0, 5, NAN, "grew", 8, &out);
	expect(&out, "   from 0");
	text_compare_add_change(0, 0, NAN, "same", 8, &out);
	expect(&out, "        -");
	text_compare_add_change(0, 0, NAN, "new", 8, &out); /* flat is 0 on both sides of a row whose cum is new */
	expect(&out, "        -");
	text_compare_add_change(5, 0, -100, "shrank", 8, &out);
	expect(&out, "  -100.0%");
}

static void a_side_is_printed_on_one_line_without_control_characters(void **state)
{
	static const char *const source[] = { "a", "b\033", "c", "d", "e" };
	struct compare_side s = { .source = source, .n_sources = 1, .file = "", .build_id = "", .host = "" };
	struct buf out = { 0 };

	(void)state;
	text_compare_add_side("NEW: ", &s, &out);
	expect(&out, "NEW: a\n");
	s.n_sources = 5;
	s.host = "db\n1";
	s.file = "shop";
	s.build_id = "0123456789abcdef0123";
	s.duration_ns = 2500000000;
	text_compare_add_side("NEW: ", &s, &out);
	expect(&out, "NEW: a, b\\x1b, c and 2 more, 2.50s, host db\\n1, shop, build id 0123456789abcdef\n");
}

static void a_total_of_zero_has_no_percentage(void **state)
{
	struct compare c = { .before.total = 0, .after.total = 20 };
	const struct head h = { .unit = "count", .out_unit = "auto", .ratio = 1, .compare = &c };
	struct buf out = { 0 };

	(void)state;
	text_compare_add_total(&h, &out);
	expect(&out, "Total: 0 -> 20, +20");
	c.before.total = 40;
	text_compare_add_total(&h, &out);
	expect(&out, "Total: 40 -> 20, -20 (-50.00%)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(percentages_have_a_sign_and_few_digits),
		cmocka_unit_test(words_replace_missing_percentages),
		cmocka_unit_test(a_side_is_printed_on_one_line_without_control_characters),
		cmocka_unit_test(a_total_of_zero_has_no_percentage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
