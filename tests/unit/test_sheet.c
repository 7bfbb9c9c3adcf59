/*
 * test_sheet.c - rows in columns: order, filter, dropped columns
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/widgets/sheet.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

/* Three columns: a number, an optional one, a name. */
enum { COL_SIZE, COL_EXTRA, COL_NAME };

struct thing {
	double size;
	const char *name;
};

static const struct thing *thing_of(const struct sheet *s, uint32_t row)
{
	return (const struct thing *)s->rows + row;
}

static double thing_value(const struct sheet *s, uint32_t row, uint32_t col)
{
	return col == COL_SIZE ? thing_of(s, row)->size : 0;
}

static const char *text(const struct sheet *s, uint32_t row, uint32_t col)
{
	(void)col;
	return thing_of(s, row)->name;
}

static void cell(const struct sheet *s, uint32_t at, uint32_t col, struct buf *out, struct style *style)
{
	(void)style;
	if (col == COL_NAME)
		buf_addz(out, text(s, s->row[at], col));
	else
		buf_addf(out, "%.0f", col == COL_SIZE ? thing_of(s, s->row[at])->size : 7);
}

static const struct sheet_column columns[] = {
	[COL_SIZE] = { "size", "size", "", 1, 5, false, false },
	[COL_EXTRA] = { "extra", "extra", "", 2, 6, false, true },
	[COL_NAME] = { "name", "name", "", 0, 0, true, false },
};
static const struct sheet_class class = { columns, 3, COL_NAME, cell, thing_value, text, NULL, NULL };

static const struct thing things[] = { { 5, "b" }, { 9, "main" }, { 5, "a" }, { NAN, "lost" }, { 0, "zero" } };

static struct sheet make(void)
{
	struct sheet s = { 0 };

	sheet_init(&s, &class, COL_SIZE);
	sheet_set_rows(&s, things, 5);
	sheet_sort(&s, false);
	return s;
}

static void expect_rows(const struct sheet *s, const char *want)
{
	struct buf b = { 0 };

	for (uint32_t i = 0; i < s->list.n; i++)
		buf_addf(&b, "%s%s", i ? " " : "", thing_of(s, s->row[i])->name);
	assert_string_equal(buf_text(&b), want);
	buf_release(&b);
}

static void rows_are_sorted_by_value_then_by_name(void **state)
{
	struct sheet s = make();

	(void)state;
	expect_rows(&s, "main a b zero lost");
	s.is_reversed = true;
	sheet_sort(&s, false);
	expect_rows(&s, "lost zero a b main");
	s.sort_column = COL_NAME;
	s.is_reversed = false;
	sheet_sort(&s, false);
	expect_rows(&s, "a b lost main zero");
	sheet_sort(&s, true);
	expect_rows(&s, "b main a lost zero");
	sheet_release(&s);
}

static void a_filter_keeps_the_order_and_the_selected_row(void **state)
{
	struct sheet s = make();
	uint32_t row;

	(void)state;
	assert_true(sheet_select(&s, 0));
	sheet_filter(&s, "^.$");
	expect_rows(&s, "a b");
	assert_true(sheet_selected(&s, &row));
	assert_int_equal(row, 0);
	sheet_filter(&s, "zzz");
	assert_false(sheet_selected(&s, &row));
	sheet_filter(&s, "");
	expect_rows(&s, "main a b zero lost");
	sheet_release(&s);
}

static void sorting_keeps_the_selected_row_or_the_first_one(void **state)
{
	struct sheet s = make();
	uint32_t row;

	(void)state;
	s.sort_column = COL_NAME;
	sheet_sort(&s, false);
	assert_int_equal(s.list.selected, 0);
	assert_true(sheet_select(&s, 1));
	s.sort_column = COL_SIZE;
	sheet_sort(&s, false);
	assert_true(sheet_selected(&s, &row));
	assert_int_equal(row, 1);
	sheet_release(&s);
}

static void finding_wraps_around_the_end(void **state)
{
	struct sheet s = make();
	struct find *f = find_new("o");

	(void)state;
	assert_true(sheet_find(&s, f, 1));
	assert_int_equal(s.list.selected, 3);
	assert_true(sheet_find(&s, f, 1));
	assert_int_equal(s.list.selected, 4);
	assert_true(sheet_find(&s, f, 1));
	assert_int_equal(s.list.selected, 3);
	assert_true(sheet_find(&s, f, -1));
	assert_int_equal(s.list.selected, 4);
	find_free(f);
	sheet_release(&s);
}

static void expect_columns(const struct sheet *s, const char *want)
{
	struct buf b = { 0 };

	sheet_add_columns(s, &b);
	assert_string_equal(buf_text(&b), want);
	buf_release(&b);
}

static void the_choice_of_columns_survives_writing_and_reading(void **state)
{
	struct sheet s = make();

	(void)state;
	expect_columns(&s, "size name");
	sheet_toggle(&s, COL_EXTRA);
	expect_columns(&s, "size extra name");
	sheet_shift(&s, COL_EXTRA, -1);
	sheet_shift(&s, COL_EXTRA, -1);
	expect_columns(&s, "extra size name");
	sheet_toggle(&s, COL_SIZE);
	sheet_toggle(&s, COL_NAME); /* unchanged */
	expect_columns(&s, "extra name");
	sheet_read_columns(&s, " name  nonsense size name");
	expect_columns(&s, "name size");
	sheet_read_columns(&s, "size");
	expect_columns(&s, "size name");
	sheet_release(&s);
}

static void expect_drawn(struct sheet *s, int width, const char *want)
{
	struct grid g = { 0 };
	struct buf b = { 0 };

	grid_resize(&g, width, 3);
	grid_clear(&g, theme_style(ROLE_PLAIN));
	sheet_draw(s, &g, grid_area(&g));
	grid_add_text(&g, false, &b);
	assert_string_equal(buf_text(&b), want);
	buf_release(&b);
	grid_release(&g);
}

static void a_narrow_sheet_drops_columns_but_no_digits(void **state)
{
	struct sheet s = make();

	(void)state;
	sheet_toggle(&s, COL_EXTRA);
	s.list.n = 2; /* no scroll bar */
	expect_drawn(&s, 34, "\xe2\x96\xbcsize  extra  name\n    9      7  main\n    5      7  a\n");
	expect_drawn(&s, 28, "\xe2\x96\xbcsize  name\n    9  main\n    5  a\n");
	expect_drawn(&s, 20, "name\nmain\na\n");
	expect_drawn(&s, 4, "name\nmain\na\n");
	sheet_release(&s);
}

static void a_heading_is_found_where_it_was_drawn(void **state)
{
	struct sheet s = make();
	uint32_t col;

	(void)state;
	s.list.n = 2;
	expect_drawn(&s, 30, "\xe2\x96\xbcsize  name\n    9  main\n    5  a\n");
	assert_true(sheet_heading_at(&s, 4, &col));
	assert_int_equal(col, COL_SIZE);
	assert_false(sheet_heading_at(&s, 5, &col));
	assert_true(sheet_heading_at(&s, 29, &col));
	assert_int_equal(col, COL_NAME);
	sheet_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_sorted_by_value_then_by_name),
		cmocka_unit_test(a_filter_keeps_the_order_and_the_selected_row),
		cmocka_unit_test(sorting_keeps_the_selected_row_or_the_first_one),
		cmocka_unit_test(finding_wraps_around_the_end),
		cmocka_unit_test(the_choice_of_columns_survives_writing_and_reading),
		cmocka_unit_test(a_narrow_sheet_drops_columns_but_no_digits),
		cmocka_unit_test(a_heading_is_found_where_it_was_drawn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
