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

static void keys_stand_over_the_rows(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 40);
	sheet_row(&s, 30, "f", "(inline)");
	sheet_row(&s, -10, "g", "(partial-inline)");
	expect_csv(&s, HEADING "30,75.0000,\"f\",inline,\"milliseconds\"\n"
			       "-10,25.0000,\"g\",partial-inline,\"milliseconds\"\n");
}

static void a_report_without_rows_is_its_keys(void **state)
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

static void values_are_in_the_unit_of_the_profile_whatever_is_shown(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 1);
	s.r.head.out_unit = "hrs";
	sheet_row(&s, 1, "f", "");
	expect_csv(&s, HEADING "1,100.0000,\"f\",,\"milliseconds\"\n");
}

static void commas_and_quotes_stay_within_a_name(void **state)
{
	(void)state;
	expect_name("f(int, char)", "\"f(int, char)\"");
	expect_name("a\"b\"", "\"a\"\"b\"\"\"");
	expect_name("\"", "\"\"\"\"");
	expect_name("", "\"\"");
}

static void a_name_is_always_one_line_without_controls(void **state)
{
	(void)state;
	expect_name("a\nb\rc", "\"a\\nb\\rc\"");
	expect_name("\033[31m", "\"\\x1b[31m\"");
	expect_name("\xe2\x80\xae\xff", "\"\\u{202e}\\xff\"");
}

static void a_hostile_unit_is_quoted_and_harmless(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 1);
	s.r.head.unit = "a\"\n,";
	sheet_row(&s, 1, "f", "");
	expect_csv(&s, HEADING "1,100.0000,\"f\",,\"a\"\"\\n,\"\n");
}

static void roles_are_the_first_column_and_cells_may_be_missing(void **state)
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
		cmocka_unit_test(keys_stand_over_the_rows),
		cmocka_unit_test(a_report_without_rows_is_its_keys),
		cmocka_unit_test(values_are_divided_and_percentages_are_not),
		cmocka_unit_test(values_are_in_the_unit_of_the_profile_whatever_is_shown),
		cmocka_unit_test(commas_and_quotes_stay_within_a_name),
		cmocka_unit_test(a_name_is_always_one_line_without_controls),
		cmocka_unit_test(a_hostile_unit_is_quoted_and_harmless),
		cmocka_unit_test(roles_are_the_first_column_and_cells_may_be_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
