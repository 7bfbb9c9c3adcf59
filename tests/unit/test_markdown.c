/*
 * test_markdown.c - a report as a Markdown table
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/export/export.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/make_report.h"

#define TITLES "| flat | flat% | name | inlined |\n|---:|---:|---|---|\n"

static void expect_markdown(const struct sheet *s, const char *text)
{
	struct buf b = { 0 };

	markdown_draw(&s->r, &b);
	assert_string_equal(b.data, text);
	buf_release(&b);
}

static void expect_part(const struct sheet *s, const char *part)
{
	struct buf b = { 0 };

	markdown_draw(&s->r, &b);
	if (!strstr(b.data, part))
		fail_msg("\"%s\" is not in \"%s\"", part, b.data);
	buf_release(&b);
}

static void expect_name(const char *name, const char *code)
{
	struct buf b = { 0 };
	struct sheet s;

	sheet_start(&s, 10);
	sheet_row(&s, 10, name, "");
	buf_addf(&b, "%s| 10ms | 100%% | %s |  |\n", TITLES, code);
	expect_part(&s, b.data);
	buf_release(&b);
}

static void a_sentence_precedes_the_table(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 40);
	s.r.head.file = "app";
	sheet_row(&s, 30, "f", "(inline)");
	s.r.head.shown = 30;
	s.r.head.n_before_limit = 4;
	s.r.head.n_dropped = 5;
	expect_markdown(&s, "File: `app`, type: `cpu`. Showing 30ms, 75.00% of 40ms, in 1 of 9 rows.\n\n" TITLES
			    "| 30ms | 75.00% | `f` | (inline) |\n");
}

static void without_a_file_the_sentence_begins_with_the_type(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 0);
	expect_markdown(&s, "Type: `cpu`. Showing 0, 0% of 0, in 0 of 0 rows.\n\n" TITLES);
}

static void names_are_formatted_as_code_without_markup(void **state)
{
	(void)state;
	expect_name("[a](http://b)", "`[a](http://b)`");
	expect_name("<script>", "`<script>`");
	expect_name("*a* _b_ #1 @x", "`*a* _b_ #1 @x`");
	expect_name("a\\b", "`a\\b`");
}

static void a_bar_does_not_end_a_cell(void **state)
{
	(void)state;
	expect_name("a|b||c", "`a\\|b\\|\\|c`");
}

static void backquotes_are_enclosed_in_a_longer_fence(void **state)
{
	(void)state;
	expect_name("a`b", "`` a`b ``");
	expect_name("`", "`` ` ``");
	expect_name("a``b`", "``` a``b` ```");
}

static void names_are_one_line_without_control_characters(void **state)
{
	(void)state;
	expect_name("a\nb\rc", "`a\\nb\\rc`");
	expect_name("\033[31m", "`\\x1b[31m`");
	expect_name("\xe2\x80\xae\xff", "`\\u{202e}\\xff`");
}

static void a_unit_of_letters_is_not_formatted_as_code(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 5);
	s.r.head.unit = s.r.head.out_unit = "widgets";
	expect_part(&s, "Showing 5widgets, 100% of 5widgets, in");
}

static void a_unit_with_other_characters_is_formatted_as_code(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 5);
	s.r.head.unit = s.r.head.out_unit = "<b>|";
	expect_part(&s, "Showing `5<b>\\|`, 100% of `5<b>\\|`, in");
	s.r.head.out_unit = "k*GCU";
	expect_part(&s, "Showing `5k*GCU`, 100% of ");
}

static void file_and_type_are_formatted_as_code_too(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 5);
	s.r.head.file = "a`b\n";
	s.r.head.type = "<i>";
	expect_part(&s, "File: `` a`b\\n ``, type: `<i>`. ");
}

static void negative_values_and_decimals_are_plain(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 3000);
	s.r.head.out_unit = "s";
	sheet_row(&s, -1500, "f", "");
	expect_part(&s, "| -1.50s | 50.00% | `f` |");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sentence_precedes_the_table),
		cmocka_unit_test(without_a_file_the_sentence_begins_with_the_type),
		cmocka_unit_test(names_are_formatted_as_code_without_markup),
		cmocka_unit_test(a_bar_does_not_end_a_cell),
		cmocka_unit_test(backquotes_are_enclosed_in_a_longer_fence),
		cmocka_unit_test(names_are_one_line_without_control_characters),
		cmocka_unit_test(a_unit_of_letters_is_not_formatted_as_code),
		cmocka_unit_test(a_unit_with_other_characters_is_formatted_as_code),
		cmocka_unit_test(file_and_type_are_formatted_as_code_too),
		cmocka_unit_test(negative_values_and_decimals_are_plain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
