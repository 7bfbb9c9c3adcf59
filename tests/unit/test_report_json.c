/*
 * test_report_json.c - a report as JSON
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/json/report_json.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/make_report.h"

static void expect_part(const struct report *r, const char *part)
{
	struct buf b = { 0 };

	json_draw(r, &b);
	if (!strstr(b.data, part))
		fail_msg("\"%s\" is not in \"%s\"", part, b.data);
	buf_release(&b);
}

static void expect_no(const struct report *r, const char *part)
{
	struct buf b = { 0 };

	json_draw(r, &b);
	if (strstr(b.data, part))
		fail_msg("\"%s\" is in \"%s\"", part, b.data);
	buf_release(&b);
}

static void expect_name(const char *name, const char *json)
{
	struct sheet s;
	struct buf b = { 0 };

	sheet_start(&s, 10);
	sheet_row(&s, 10, name, "");
	buf_addf(&b, "\"name\": %s,", json);
	expect_part(&s.r, b.data);
	buf_release(&b);
}

static void a_report_is_one_object_to_the_byte(void **state)
{
	const char *comment[] = { "#hidden", "shown" };
	struct buf b = { 0 };
	struct sheet s;

	(void)state;
	sheet_start(&s, 40);
	s.r.head.file = "app";
	s.r.head.build_id = "abcdef";
	s.r.head.doc_url = "https://a.b";
	s.r.head.time_ns = INT64_C(1700000000000000001);
	s.r.head.duration_ns = 2000;
	s.r.head.comment = comment;
	s.r.head.n_comments = 2;
	s.r.head.n_dropped = 3;
	sheet_row(&s, 30, "f", "(inline)");
	sheet_row(&s, -10, "g", "");
	s.r.head.shown = 20;
	s.r.head.n_before = 5;
	json_draw(&s.r, &b);
	assert_string_equal(b.data,
			    "{\n"
			    "  \"schema_version\": 1,\n"
			    "  \"report\": \"top\",\n"
			    "  \"type\": \"cpu\",\n"
			    "  \"unit\": \"milliseconds\",\n"
			    "  \"total\": 40,\n"
			    "  \"shown\": 20,\n"
			    "  \"rows_dropped\": 3,\n"
			    "  \"rows_before_limit\": 5,\n"
			    "  \"filters\": {},\n"
			    "  \"profile\": {\n"
			    "    \"file\": \"app\",\n"
			    "    \"build_id\": \"abcdef\",\n"
			    "    \"doc_url\": \"https://a.b\",\n"
			    "    \"time\": \"2023-11-14T22:13:20Z\",\n"
			    "    \"time_ns\": 1700000000000000001,\n"
			    "    \"duration_ns\": 2000,\n"
			    "    \"comments\": [\n"
			    "      \"#hidden\",\n"
			    "      \"shown\"\n"
			    "    ]\n"
			    "  },\n"
			    "  \"rows\": [\n"
			    "    {\"flat\": 30, \"flat_percent\": 75, \"name\": \"f\", \"inlined\": \"inline\"},\n"
			    "    {\"flat\": -10, \"flat_percent\": 25, \"name\": \"g\", \"inlined\": \"\"}\n"
			    "  ]\n"
			    "}\n");
	buf_release(&b);
}

static void what_is_not_known_has_no_key_and_lists_are_empty(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 0);
	expect_part(&s.r, "  \"profile\": {\n    \"comments\": []\n  },\n  \"rows\": []\n}\n");
}

static void values_are_in_the_unit_of_the_profile_whatever_is_shown(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 40);
	s.r.head.out_unit = "hrs";
	sheet_row(&s, 30, "f", "");
	expect_part(&s.r, "\"unit\": \"milliseconds\",\n  \"total\": 40,");
	expect_part(&s.r, "\"flat\": 30,");
}

static void values_are_divided_and_percentages_are_not(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 40);
	s.r.head.ratio = 0.25;
	sheet_row(&s, 30, "f", "");
	expect_part(&s.r, "\"total\": 10,\n  \"shown\": 10,");
	expect_part(&s.r, "{\"flat\": 7, \"flat_percent\": 75,");
}

static void the_largest_values_are_exact(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, INT64_MAX);
	sheet_row(&s, INT64_MAX, "f", "");
	expect_part(&s.r, "{\"flat\": 9223372036854775807, \"flat_percent\": 100,");
}

static void of_a_total_of_zero_percentages_are_zero(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 0);
	sheet_row(&s, 5, "f", "");
	expect_part(&s.r, "\"flat_percent\": 0,");
}

static void hostile_names_are_strings_all_the_same(void **state)
{
	(void)state;
	expect_name("a\nb", "\"a\\u000ab\"");
	expect_name("\033[31m", "\"\\u001b[31m\"");
	expect_name("\"},{\"", "\"\\\"},{\\\"\"");
	expect_name("back\\slash", "\"back\\\\slash\"");
	expect_name("</script>", "\"\\u003c/script\\u003e\"");
	expect_name("\xe2\x80\xae", "\"\\u202e\"");
	expect_name("\xff", "\"\xef\xbf\xbd\"");
	expect_name("", "\"\"");
	expect_name("a|b`c", "\"a|b`c\"");
}

static void everything_else_from_the_profile_is_escaped_too(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 1);
	s.r.head.file = s.r.head.build_id = s.r.head.doc_url = s.r.head.type = s.r.head.unit = "\"\n<\xff";
	expect_no(&s.r, "<");
	expect_no(&s.r, "\xff");
	expect_part(&s.r, "\"type\": \"\\\"\\u000a\\u003c\xef\xbf\xbd\"");
	expect_part(&s.r, "\"unit\": \"\\\"\\u000a\\u003c\xef\xbf\xbd\"");
	expect_part(&s.r, "\"build_id\": \"\\\"\\u000a\\u003c\xef\xbf\xbd\"");
}

static void filters_are_named_and_switches_are_true(void **state)
{
	const struct filter_note filter[] = { { "focus", "a\"b", true }, { "noinlines", NULL, false } };
	struct sheet s;

	(void)state;
	sheet_start(&s, 1);
	s.r.head.filter = filter;
	s.r.head.n_filters = 2;
	expect_part(&s.r, "  \"filters\": {\n    \"focus\": \"a\\\"b\",\n    \"noinlines\": true\n  },\n");
}

static void a_row_has_its_role_and_no_key_where_it_has_no_cell(void **state)
{
	const uint8_t role[] = { ROW_CALLER, ROW_NODE }, has[] = { 1 << ROW_NODE, 1 << ROW_NODE, 0xff, 0xff };
	struct sheet s;

	(void)state;
	sheet_start(&s, 10);
	sheet_row(&s, 10, "f", "");
	sheet_row(&s, 10, "g", "");
	s.r.table.role = role;
	s.r.table.has = has;
	expect_part(&s.r, "    {\"role\": \"caller\", \"name\": \"f\", \"inlined\": \"\"},\n"
			  "    {\"role\": \"node\", \"flat\": 10, \"flat_percent\": 100, ");
}

static void a_report_that_is_whole_does_not_say_what_it_left_out(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 10);
	s.r.head.is_whole = true;
	expect_no(&s.r, "shown");
	expect_no(&s.r, "rows_");
	expect_part(&s.r, "\"total\": 10,");
}

static void the_time_is_of_utc_wherever_one_is(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 1);
	s.r.head.time_ns = -1;
	expect_part(&s.r, "\"time\": \"1969-12-31T23:59:59Z\",\n    \"time_ns\": -1,");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_report_is_one_object_to_the_byte),
		cmocka_unit_test(what_is_not_known_has_no_key_and_lists_are_empty),
		cmocka_unit_test(values_are_in_the_unit_of_the_profile_whatever_is_shown),
		cmocka_unit_test(values_are_divided_and_percentages_are_not),
		cmocka_unit_test(the_largest_values_are_exact),
		cmocka_unit_test(of_a_total_of_zero_percentages_are_zero),
		cmocka_unit_test(hostile_names_are_strings_all_the_same),
		cmocka_unit_test(everything_else_from_the_profile_is_escaped_too),
		cmocka_unit_test(filters_are_named_and_switches_are_true),
		cmocka_unit_test(a_row_has_its_role_and_no_key_where_it_has_no_cell),
		cmocka_unit_test(a_report_that_is_whole_does_not_say_what_it_left_out),
		cmocka_unit_test(the_time_is_of_utc_wherever_one_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
