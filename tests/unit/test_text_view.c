/*
 * test_text_view.c - a report as pprof prints it (viewers/text/text.c)
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/text/text.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "tests/unit/make_report.h"

/* Draw a report as the table of reports does. */
static void draw(const struct report *r, bool color, struct buf *out)
{
	if (r->table.role)
		text_draw_calls(r, color, out);
	else if (r->head.compare)
		(r->head.compare->is_series ? text_draw_trend : text_draw_diff)(r, color, out);
	else
		text_draw(r, color, out);
}

static void expect_text(const struct report *r, const char *text)
{
	struct buf b = { 0 };

	draw(r, false, &b);
	assert_string_equal(b.data, text);
	buf_release(&b);
}

/* Expect these consecutive lines in the text. */
static void expect_lines(const struct report *r, const char *lines)
{
	struct buf b = { 0 };

	draw(r, false, &b);
	if (!strstr(b.data, lines))
		fail_msg("\"%s\" is not in \"%s\"", lines, b.data);
	buf_release(&b);
}

static void expect_no(const struct report *r, const char *part)
{
	struct buf b = { 0 };

	draw(r, false, &b);
	if (strstr(b.data, part))
		fail_msg("\"%s\" is in \"%s\"", part, b.data);
	buf_release(&b);
}

/* Compare the row of a single name. */
static void expect_name(const char *name, const char *shown)
{
	struct sheet s;
	struct buf b = { 0 };

	sheet_start(&s, 10);
	sheet_row(&s, 10, name, "");
	buf_addf(&b, "\n      10ms   100%%  %s\n", shown);
	expect_lines(&s.r, b.data);
	buf_release(&b);
}

static const struct column top_columns[] = {
	{ "flat", "flat", CELL_VALUE },
	{ "flat_percent", "flat%", CELL_PERCENT },
	{ "sum_percent", "sum%", CELL_PERCENT },
	{ "cum", "cum", CELL_VALUE },
	{ "cum_percent", "cum%", CELL_PERCENT },
	{ "name", "", CELL_NAME },
	{ "inlined", "", CELL_NOTE },
};

#define TOP_ROW(flat, sum, cum, name, note)                                                                            \
	{ .value = flat }, { .value = flat }, { .value = sum }, { .value = cum }, { .value = cum }, { .text = name },  \
	{                                                                                                              \
		.text = note                                                                                           \
	}

/* Output of go tool pprof -top for make_example. */
static void prints_the_example_as_pprof_does(void **state)
{
	union cell cell[] = {
		TOP_ROW(50, 50, 50, "c", ""),    TOP_ROW(30, 80, 100, "b", ""),
		TOP_ROW(20, 100, 100, "a", ""),  TOP_ROW(20, 120, 20, "inl", "(partial-inline)"),
		TOP_ROW(0, 120, 10, "host", ""), TOP_ROW(0, 120, 120, "main", ""),
	};
	const char *comment[] = { "hello", "#not this" };
	struct report r = {
		.head = { .command = "top",
			  .file = "app",
			  .build_id = "abcdef",
			  .doc_url = "https://example.com/doc",
			  .type = "cpu",
			  .unit = "milliseconds",
			  .n_comments = 2,
			  .comment = comment,
			  .time_ns = INT64_C(1700000000000000000),
			  .duration_ns = 2000000000,
			  .total = 120,
			  .shown = 120,
			  .out_unit = "ms",
			  .ratio = 1,
			  .n_before_limit = 6 },
		.table = { .n_cols = 7, .n_rows = 6, .col = top_columns, .cell = cell },
	};

	(void)state;
	expect_text(&r, "File: app\n"
			"Build ID: abcdef\n"
			"hello\n"
			"Type: cpu\n"
			"Doc: https://example.com/doc\n"
			"Time: 2023-11-14 22:13:20 UTC\n"
			"Duration: 2s, Total samples = 120ms ( 6.00%)\n"
			"Showing nodes accounting for 120ms, 100% of 120ms total\n"
			"      flat  flat%   sum%        cum   cum%\n"
			"      50ms 41.67% 41.67%       50ms 41.67%  c\n"
			"      30ms 25.00% 66.67%      100ms 83.33%  b\n"
			"      20ms 16.67% 83.33%      100ms 83.33%  a\n"
			"      20ms 16.67%   100%       20ms 16.67%  inl (partial-inline)\n"
			"         0     0%   100%       10ms  8.33%  host\n"
			"         0     0%   100%      120ms   100%  main\n");
}

static void unknown_metadata_is_not_printed(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 10);
	sheet_row(&s, 10, "f", "");
	expect_text(&s.r, "Type: cpu\n"
			  "Showing nodes accounting for 10ms, 100% of 10ms total\n"
			  "      flat  flat%\n"
			  "      10ms   100%  f\n");
}

static void compact_omits_metadata_of_the_profile(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 10);
	s.r.head.compact = true;
	s.r.head.file = "app";
	s.r.head.duration_ns = 5;
	expect_text(&s.r, "Showing nodes accounting for 10ms, 100% of 10ms total\n"
			  "      flat  flat%\n");
}

static void without_a_total_the_duration_line_ends_with_a_blank(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 0);
	s.r.head.duration_ns = 1500000000;
	expect_lines(&s.r, "Duration: 1.50s, Total samples = 0 \n");
}

static void a_total_that_is_not_a_time_has_no_share_of_the_duration(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 12);
	s.r.head.unit = s.r.head.out_unit = "count";
	s.r.head.duration_ns = 1000000000;
	expect_lines(&s.r, "Duration: 1s, Total samples = 12 \n");
}

static void an_empty_report_accounts_for_zero(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 0);
	expect_lines(&s.r, "Showing nodes accounting for 0, 0% of 0 total\n      flat  flat%\n");
}

static void dropped_nodes_are_reported_in_singular_and_plural(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 1000);
	s.r.head.dropped_cum = 5;
	expect_no(&s.r, "Dropped");
	s.r.head.n_dropped = 1;
	expect_lines(&s.r, "total\nDropped 1 node (cum <= 5ms)\n      flat");
	s.r.head.n_dropped = 2;
	expect_lines(&s.r, "total\nDropped 2 nodes (cum <= 5ms)\n      flat");
}

static void a_limit_on_rows_is_reported_if_it_hides_some(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 10);
	sheet_row(&s, 10, "f", "");
	expect_no(&s.r, "Showing top");
	s.r.head.n_shown = 1;
	s.r.head.n_before_limit = 7;
	expect_lines(&s.r, "total\nShowing top 1 nodes out of 7\n      flat");
	s.r.head.n_shown = 0;
	expect_no(&s.r, "Showing top");
}

static void a_total_of_zero_has_no_percentages(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 0);
	sheet_row(&s, 1, "f", "");
	s.r.head.n_before_limit = 7;
	s.r.head.n_dropped = 3;
	expect_no(&s.r, "Showing top");
	expect_no(&s.r, "Dropped");
}

static void a_long_value_shifts_the_row_to_the_right(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 123456789012);
	sheet_row(&s, 123456789012, "f", "");
	expect_lines(&s.r, "\n123456789012ms   100%  f\n");
}

static void values_are_padded_by_characters_not_bytes(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 5);
	s.r.head.unit = s.r.head.out_unit = "\xc3\xa9\xc3\xa9";
	sheet_row(&s, 5, "f", "");
	expect_lines(&s.r, "\n       5\xc3\xa9\xc3\xa9   100%  f\n");
}

static void a_note_follows_the_name(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 10);
	sheet_row(&s, 10, "f", "(inline)");
	expect_lines(&s.r, "   100%  f (inline)\n");
}

static void control_characters_in_names_are_escaped(void **state)
{
	(void)state;
	expect_name("a\nb", "a\\nb");
	expect_name("a\rb", "a\\rb");
	expect_name("\033[31mred", "\\x1b[31mred");
	expect_name("\xc2\x9b"
		    "2J",
		    "\\u{9b}2J");
	expect_name("user\xe2\x80\xae"
		    "cod",
		    "user\\u{202e}cod");
	expect_name("\xff\xfe", "\\xff\\xfe");
	expect_name("\x7f", "\\x7f");
}

static void names_without_control_characters_are_unchanged(void **state)
{
	static const char *const name[] = { "", "a b", "\"q\" 'q' |`<>&", "std::map<int, \xc3\xa9>", "a\tb", "a\\nb" };

	(void)state;
	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++)
		expect_name(name[i], name[i]);
}

static void control_characters_in_other_strings_are_escaped(void **state)
{
	const char *comment[] = { "two\nlines" };
	struct sheet s;

	(void)state;
	sheet_start(&s, 10);
	s.r.head.file = "a\033[2J";
	s.r.head.build_id = "b\nc";
	s.r.head.comment = comment;
	s.r.head.n_comments = 1;
	s.r.head.type = "cpu\r";
	s.r.head.doc_url = "http://\xe2\x80\xae/";
	s.r.head.unit = s.r.head.out_unit = "\033[m";
	sheet_row(&s, 10, "f", "");
	expect_text(&s.r, "File: a\\x1b[2J\n"
			  "Build ID: b\\nc\n"
			  "two\\nlines\n"
			  "Type: cpu\\r\n"
			  "Doc: http://\\u{202e}/\n"
			  "Showing nodes accounting for 10\\x1b[m, 100% of 10\\x1b[m total\n"
			  "      flat  flat%\n"
			  "  10\\x1b[m   100%  f\n");
}

static void the_time_is_in_the_local_zone(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 10);
	s.r.head.time_ns = 1;
	setenv("TZ", "EST5", 1);
	tzset();
	expect_lines(&s.r, "Time: 1969-12-31 19:00:00 EST\n");
	setenv("TZ", "UTC0", 1);
	tzset();
	expect_lines(&s.r, "Time: 1970-01-01 00:00:00 UTC\n");
}

static void a_time_before_1970_is_rounded_down(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 10);
	s.r.head.time_ns = -1;
	expect_lines(&s.r, "Time: 1969-12-31 23:59:59 UTC\n");
}

static void divided_values_are_shown_and_percentages_are_not_divided(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 20);
	s.r.head.ratio = 0.5;
	sheet_row(&s, 10, "f", "");
	expect_lines(&s.r, "accounting for 10ms, 100% of 10ms total\n");
	expect_lines(&s.r, "\n       5ms 50.00%  f\n");
}

static void colours_mark_titles_notes_and_hot_rows(void **state)
{
	struct sheet s;
	struct buf b = { 0 };

	(void)state;
	sheet_start(&s, 100);
	sheet_row(&s, 10, "heavy", "");
	sheet_row(&s, -90, "less", "");
	sheet_row(&s, 9, "light", "(inline)");
	draw(&s.r, true, &b);
	assert_string_equal(strstr(b.data, "\033[1m"), "\033[1m      flat  flat%\033[0m\n"
						       "\033[31m      10ms 10.00%  heavy\033[0m\n"
						       "\033[31m     -90ms 90.00%  less\033[0m\n"
						       "       9ms  9.00%  light \033[2m(inline)\033[0m\n");
	buf_release(&b);
}

static void no_escape_sequences_without_colours(void **state)
{
	struct sheet s;

	(void)state;
	sheet_start(&s, 10);
	sheet_row(&s, 10, "f", "(inline)");
	expect_no(&s.r, "\033");
}

/* The head of a report with a focus on a text and a filter that text does not list. */
static void expect_focus(const char *focus, bool compact, const char *lines)
{
	const struct filter_note filter[] = { { "focus", focus, true }, { "noinlines", NULL, false } };
	struct sheet s;

	sheet_start(&s, 10);
	s.r.head.filter = filter;
	s.r.head.n_filters = 2;
	s.r.head.compact = compact;
	expect_lines(&s.r, lines);
	expect_no(&s.r, "noinlines");
}

#define TEN "0123456789"
#define SEVENTY TEN TEN TEN TEN TEN TEN TEN

static void filters_are_listed_in_a_compact_head(void **state)
{
	(void)state;
	expect_focus("a\nb", false, "Type: cpu\nActive filters:\n   focus=a\\nb\nShowing nodes");
	expect_focus("xyz", true, "Active filters:\n   focus=xyz\nShowing nodes");
}

static void a_long_filter_is_cut_at_a_character_boundary(void **state)
{
	(void)state; /* "focus=" and 74 bytes are 80 */
	expect_focus(SEVENTY "abcd", false, "   focus=" SEVENTY "abcd\nShowing");
	expect_focus(SEVENTY "abcde", false, "   focus=" SEVENTY "abcd\xe2\x80\xa6\nShowing");
	expect_focus(SEVENTY "abc\xc3\xa9", false, "   focus=" SEVENTY "abc\xe2\x80\xa6\nShowing");
	expect_focus(SEVENTY "ab\xc3\xa9z", false, "   focus=" SEVENTY "ab\xc3\xa9\xe2\x80\xa6\nShowing");
}

static void filters_that_text_does_not_list_print_no_title(void **state)
{
	const struct filter_note filter[] = { { "prune_from", "x", false } };
	struct sheet s;

	(void)state;
	sheet_start(&s, 10);
	s.r.head.filter = filter;
	s.r.head.n_filters = 1;
	expect_no(&s.r, "Active");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prints_the_example_as_pprof_does),
		cmocka_unit_test(unknown_metadata_is_not_printed),
		cmocka_unit_test(compact_omits_metadata_of_the_profile),
		cmocka_unit_test(without_a_total_the_duration_line_ends_with_a_blank),
		cmocka_unit_test(a_total_that_is_not_a_time_has_no_share_of_the_duration),
		cmocka_unit_test(an_empty_report_accounts_for_zero),
		cmocka_unit_test(dropped_nodes_are_reported_in_singular_and_plural),
		cmocka_unit_test(a_limit_on_rows_is_reported_if_it_hides_some),
		cmocka_unit_test(a_total_of_zero_has_no_percentages),
		cmocka_unit_test(a_long_value_shifts_the_row_to_the_right),
		cmocka_unit_test(values_are_padded_by_characters_not_bytes),
		cmocka_unit_test(a_note_follows_the_name),
		cmocka_unit_test(control_characters_in_names_are_escaped),
		cmocka_unit_test(names_without_control_characters_are_unchanged),
		cmocka_unit_test(control_characters_in_other_strings_are_escaped),
		cmocka_unit_test(the_time_is_in_the_local_zone),
		cmocka_unit_test(a_time_before_1970_is_rounded_down),
		cmocka_unit_test(divided_values_are_shown_and_percentages_are_not_divided),
		cmocka_unit_test(colours_mark_titles_notes_and_hot_rows),
		cmocka_unit_test(no_escape_sequences_without_colours),
		cmocka_unit_test(filters_are_listed_in_a_compact_head),
		cmocka_unit_test(a_long_filter_is_cut_at_a_character_boundary),
		cmocka_unit_test(filters_that_text_does_not_list_print_no_title),
	};

	setenv("TZ", "UTC0", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
