/*
 * test_csv.c - a report as comma-separated values
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/export/export.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/make_report.h"

#define HEADING "flat,flat_percent,name,inlined,unit\n"

static void expect_csv(const struct sheet *s, const char *csv)
{
	struct buf b = { 0 };

	csv_draw(&s->r, &b);
	assert_string_equal(b.data, csv);
	buf_release(&b);
}

static void expect_name(const char *name, const char *quoted)
{
	struct buf b = { 0 };
	struct sheet s;

	sheet_start(&s, 10);
	sheet_row(&s, 10, name, "");
	buf_addf(&b, HEADING "10,100.0000,%s,,\"milliseconds\"\n", quoted);
	expect_csv(&s, b.data);
	buf_release(&b);
}

static void the_first_line_has_the_keys(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 40);
	sheet_row(&s, 30, "f", "(inline)");
	sheet_row(&s, -10, "g", "(partial-inline)");
	expect_csv(&s, HEADING "30,75.0000,\"f\",inline,\"milliseconds\"\n"
			       "-10,25.0000,\"g\",partial-inline,\"milliseconds\"\n");
}

static void a_report_without_rows_has_only_the_keys(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 0);
	expect_csv(&s, HEADING);
}

static void values_are_divided_and_percentages_are_not(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 40);
	s.r.head.ratio = 0.25;
	sheet_row(&s, 30, "f", "");
	expect_csv(&s, HEADING "7,75.0000,\"f\",,\"milliseconds\"\n");
}

static void values_stay_in_the_unit_of_the_profile(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 1);
	s.r.head.out_unit = "hrs";
	sheet_row(&s, 1, "f", "");
	expect_csv(&s, HEADING "1,100.0000,\"f\",,\"milliseconds\"\n");
}

static void commas_and_quotes_in_names_are_quoted(void **state)
{
	(void)state;
	expect_name("f(int, char)", "\"f(int, char)\"");
	expect_name("a\"b\"", "\"a\"\"b\"\"\"");
	expect_name("\"", "\"\"\"\"");
	expect_name("", "\"\"");
}

static void names_are_one_line_without_control_characters(void **state)
{
	(void)state;
	expect_name("a\nb\rc", "\"a\\nb\\rc\"");
	expect_name("\033[31m", "\"\\x1b[31m\"");
	expect_name("\xe2\x80\xae\xff", "\"\\u{202e}\\xff\"");
}

static void an_untrusted_unit_is_quoted_and_escaped(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 1);
	s.r.head.unit = "a\"\n,";
	sheet_row(&s, 1, "f", "");
	expect_csv(&s, HEADING "1,100.0000,\"f\",,\"a\"\"\\n,\"\n");
}

static void roles_come_first_and_missing_cells_are_empty(void **state)
{
	const uint8_t role[] = { ROW_CALLER, ROW_NODE }, has[] = { 1 << ROW_NODE, 1 << ROW_NODE, 0xff, 0xff };
	struct sheet s;

	(void)state;
	sheet_start(&s, 10);
	sheet_row(&s, 10, "f", "");
	sheet_row(&s, 10, "g", "");
	s.r.table.role = role;
	s.r.table.has = has;
	expect_csv(&s, "role," HEADING "caller,,,\"f\",,\"milliseconds\"\n"
		       "node,10,100.0000,\"g\",,\"milliseconds\"\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_line_has_the_keys),
		cmocka_unit_test(a_report_without_rows_has_only_the_keys),
		cmocka_unit_test(values_are_divided_and_percentages_are_not),
		cmocka_unit_test(values_stay_in_the_unit_of_the_profile),
		cmocka_unit_test(commas_and_quotes_in_names_are_quoted),
		cmocka_unit_test(names_are_one_line_without_control_characters),
		cmocka_unit_test(an_untrusted_unit_is_quoted_and_escaped),
		cmocka_unit_test(roles_come_first_and_missing_cells_are_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
