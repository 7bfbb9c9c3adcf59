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

static void the_whole_report_is_as_expected(void **state)
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
	s.r.head.n_before_limit = 5;
	json_draw(&s.r, &b);
	assert_string_equal(b.data,
			    "{\n"
			    "  \"schema_version\": 2,\n"
			    "  \"report\": \"top\",\n"
			    "  \"sample_type\": {\n"
			    "    \"type\": \"cpu\",\n"
			    "    \"unit\": \"milliseconds\"\n"
			    "  },\n"
			    "  \"total\": 40,\n"
			    "  \"flat_shown\": 20,\n"
			    "  \"rows_dropped\": 3,\n"
			    "  \"rows_before_limit\": 5,\n"
			    "  \"filters\": {},\n"
			    "  \"profile\": {\n"
			    "    \"program\": \"app\",\n"
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

static void unknown_metadata_is_omitted_and_missing_lists_are_empty(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 0);
	expect_part(&s.r, "  \"profile\": {\n    \"comments\": []\n  },\n  \"rows\": []\n}\n");
}

static void values_stay_in_the_unit_of_the_profile(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 40);
	s.r.head.out_unit = "hrs";
	sheet_row(&s, 30, "f", "");
	expect_part(&s.r, "\"unit\": \"milliseconds\"\n  },\n  \"total\": 40,");
	expect_part(&s.r, "\"flat\": 30,");
}

static void values_are_divided_and_percentages_are_not(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 40);
	s.r.head.ratio = 0.25;
	sheet_row(&s, 30, "f", "");
	expect_part(&s.r, "\"total\": 10,\n  \"flat_shown\": 10,");
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

static void percentages_of_a_total_of_zero_are_zero(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 0);
	sheet_row(&s, 5, "f", "");
	expect_part(&s.r, "\"flat_percent\": 0,");
}

static void untrusted_names_are_valid_strings(void **state)
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

static void all_other_strings_from_the_profile_are_escaped(void **state)
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

static void filters_are_printed_with_their_names_and_flags_as_true(void **state)
{
	const struct filter_note filter[] = { { "focus", "a\"b", true }, { "noinlines", NULL, false } };
	struct sheet s;

	(void)state;
	sheet_start(&s, 1);
	s.r.head.filter = filter;
	s.r.head.n_filters = 2;
	expect_part(&s.r, "  \"filters\": {\n    \"focus\": \"a\\\"b\",\n    \"noinlines\": true\n  },\n");
}

static void a_row_contains_its_role_and_only_the_keys_of_its_cells(void **state)
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

static void a_complete_report_contains_no_counts_of_dropped_rows(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 10);
	s.r.head.is_whole = true;
	expect_no(&s.r, "shown");
	expect_no(&s.r, "rows_");
	expect_part(&s.r, "\"total\": 10,");
}

static void the_time_is_in_utc_in_any_time_zone(void **state)
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
		cmocka_unit_test(the_whole_report_is_as_expected),
		cmocka_unit_test(unknown_metadata_is_omitted_and_missing_lists_are_empty),
		cmocka_unit_test(values_stay_in_the_unit_of_the_profile),
		cmocka_unit_test(values_are_divided_and_percentages_are_not),
		cmocka_unit_test(the_largest_values_are_exact),
		cmocka_unit_test(percentages_of_a_total_of_zero_are_zero),
		cmocka_unit_test(untrusted_names_are_valid_strings),
		cmocka_unit_test(all_other_strings_from_the_profile_are_escaped),
		cmocka_unit_test(filters_are_printed_with_their_names_and_flags_as_true),
		cmocka_unit_test(a_row_contains_its_role_and_only_the_keys_of_its_cells),
		cmocka_unit_test(a_complete_report_contains_no_counts_of_dropped_rows),
		cmocka_unit_test(the_time_is_in_utc_in_any_time_zone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
