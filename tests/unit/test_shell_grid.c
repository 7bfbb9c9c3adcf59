/*
 * test_shell_grid.c - cells: text stays inside its area, no character is halved
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/flame/flame.h"

#include "base/columns.h"
#include "front/shell/terminal/grid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define WIDE "\xe4\xb8\x96"  /* 世 */
#define WIDE2 "\xe7\x95\x8c" /* 界 */
#define ACUTE "\xcc\x81"     /* combining */

static const struct style plain = { COLOR_DEFAULT, COLOR_DEFAULT, 0 };
static const struct style red = { 0xff0000, COLOR_DEFAULT, ATTR_BOLD };

static struct grid grid_of(int width, int height)
{
	struct grid g = { .width = 0 };

	grid_resize(&g, width, height);
	return g;
}

/* Check the grid as text, and release it. */
static void assert_shows(struct grid *g, bool with_styles, const char *text)
{
	struct buf out = { 0 };

	grid_add_text(g, with_styles, &out);
	assert_string_equal(buf_text(&out), text);
	buf_release(&out);
	grid_release(g);
}

static void control_characters_are_written_as_escapes(void **state)
{
	struct grid g = grid_of(24, 2);

	(void)state;
	grid_text(&g, grid_area(&g), 0, 0, "a\x1b[31m\tb\n\xff", plain);
	grid_text(&g, grid_area(&g), 0, 1, "\xe2\x80\xae\xc2\x9b", plain);
	assert_shows(&g, false, "a\\x1b[31m b\\n\\xff\n\\u{202e}\\u{9b}\n");
}

static void text_ends_at_the_side_of_its_area(void **state)
{
	struct grid g = grid_of(10, 2);
	struct area a = { 2, 0, 3, 1 };

	(void)state;
	assert_int_equal(grid_text(&g, a, 0, 0, "abcdef", plain), 3);
	assert_int_equal(grid_text(&g, a, 0, 1, "below", plain), 3);
	assert_shows(&g, false, "  abc\n\n");
}

static void text_left_of_the_area_is_cut_off(void **state)
{
	struct grid g = grid_of(6, 3);

	(void)state;
	assert_int_equal(grid_text(&g, grid_area(&g), -2, 0, "abcd", plain), 2);
	assert_int_equal(grid_text(&g, grid_area(&g), -1, 1, WIDE "x", plain), 2);
	assert_int_equal(grid_text(&g, grid_area(&g), -1, 2, "a" ACUTE "b", plain), 1);
	assert_shows(&g, false, "cd\n x\nb\n");
}

static void areas_may_extend_beyond_the_grid(void **state)
{
	struct grid g = grid_of(3, 1);

	(void)state;
	grid_fill(&g, (struct area){ -5, -5, 100, 100 }, 'x', plain);
	grid_fill(&g, (struct area){ 2, 0, INT32_MAX, INT32_MAX }, 'y', plain);
	grid_paint(&g, (struct area){ 3, 1, 4, 4 }, red);
	grid_paint(&g, (struct area){ INT32_MIN, 0, 1, 1 }, red);
	grid_text(&g, (struct area){ 0, 7, 3, 1 }, 0, 0, "no", plain);
	grid_text(&g, grid_area(&g), 0, -1, "no", plain);
	grid_text(&g, grid_area(&g), INT32_MAX, 0, "no", plain);
	grid_text(&g, (struct area){ 0, 0, -4, -4 }, 0, 0, "no", plain);
	assert_shows(&g, true, "|xxy\n");
}

static void a_wide_character_is_never_halved_at_the_right(void **state)
{
	struct grid g = grid_of(4, 1);

	(void)state;
	assert_int_equal(grid_text(&g, grid_area(&g), 0, 0, "a" WIDE WIDE2, plain), 4);
	assert_int_equal(g.cell[3].ch, ' ');
	assert_shows(&g, false, "a" WIDE "\n");
}

static void overwriting_half_of_a_wide_character_blanks_the_other(void **state)
{
	struct grid g = grid_of(4, 2);

	(void)state;
	grid_text(&g, grid_area(&g), 0, 0, WIDE WIDE2, plain);
	grid_text(&g, grid_area(&g), 0, 1, WIDE WIDE2, plain);
	grid_text(&g, grid_area(&g), 1, 0, "x", plain);
	grid_text(&g, grid_area(&g), 1, 1, WIDE, plain);
	assert_int_equal(g.cell[4].ch, ' ');
	assert_int_equal(g.cell[7].ch, ' ');
	assert_shows(&g, false, " x" WIDE2 "\n " WIDE "\n");
}

static void combining_marks_stay_on_their_character_and_take_no_column(void **state)
{
	struct grid g = grid_of(4, 1);

	(void)state;
	assert_int_equal(grid_text(&g, grid_area(&g), 0, 0, ACUTE "e" ACUTE ACUTE ACUTE ACUTE ACUTE "f", plain), 2);
	assert_int_equal(g.cell[0].mark[CELL_MARKS - 1], 0x301);
	assert_shows(&g, false, "e" ACUTE ACUTE ACUTE "f\n");
}

static void right_aligned_text_is_truncated_on_the_left(void **state)
{
	struct grid g = grid_of(6, 3);

	(void)state;
	grid_text_right(&g, grid_area(&g), 6, 0, "12", plain);
	grid_text_right(&g, grid_area(&g), 4, 1, "123456", plain);
	grid_text_right(&g, grid_area(&g), 4, 2, WIDE WIDE "a", plain);
	assert_shows(&g, false, "    12\n3456\n " WIDE "a\n");
}

static void text_that_is_too_long_is_shortened_in_the_middle(void **state)
{
	struct grid g = grid_of(12, 6);
	struct area a = grid_area(&g);

	(void)state;
	assert_int_equal(grid_text_short(&g, a, 0, 0, "abcdefghij", 5, plain), 5);
	assert_int_equal(grid_text_short(&g, a, 0, 1, "abcde", 5, plain), 5);
	assert_int_equal(grid_text_short(&g, a, 0, 2, WIDE WIDE WIDE WIDE, 6, plain), 5);
	assert_int_equal(grid_text_short(&g, a, 0, 3, "ab", 1, plain), 1);
	assert_int_equal(grid_text_short(&g, a, 9, 4, "abcdefghij", 8, plain), 12);
	assert_int_equal(grid_text_short(&g, a, 3, 5, "abc", 0, plain), 3);
	assert_shows(&g, false,
		     "ab\xe2\x80\xa6"
		     "ij\nabcde\n" WIDE "\xe2\x80\xa6" WIDE "\n\xe2\x80\xa6\n         a\xe2\x80\xa6"
		     "j\n\n");
}

static void a_name_of_a_megabyte_is_cut_to_its_columns(void **state)
{
	enum { LONG = 1 << 20 };
	struct grid g = grid_of(8, 3);
	char *name = malloc(LONG + 1);

	(void)state;
	memset(name, 'n', LONG);
	name[0] = '<';
	name[LONG - 1] = '>';
	name[LONG] = '\0';
	assert_int_equal(grid_text(&g, grid_area(&g), 0, 0, name, plain), 8);
	grid_text_right(&g, grid_area(&g), 8, 1, name, plain);
	assert_int_equal(grid_text_short(&g, grid_area(&g), 0, 2, name, 5, plain), 5);
	free(name);
	assert_shows(&g, false, "<nnnnnnn\nnnnnnnn>\n<n\xe2\x80\xa6n>\n");
}

static void widths_agree_with_those_of_flame_graphs(void **state)
{
	static const char *const texts[] = { "plain", WIDE "a" WIDE2, "e" ACUTE "x", "\xf0\x9f\x9a\x80 rocket",
					     "\xea\xb0\x80" };
	struct grid g = grid_of(40, 1);

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(grid_text(&g, grid_area(&g), 0, 0, texts[i], plain), column_count(texts[i]));
	grid_release(&g);
}

static void in_ascii_similar_characters_are_used(void **state)
{
	struct grid g = grid_of(16, 4);
	struct area inside;

	(void)state;
	g.is_ascii = true;
	inside = grid_frame(&g, grid_area(&g), "T", plain);
	grid_text(&g, inside, 0, 0,
		  "\xe2\x96\xb2\xe2\x86\x92\xe2\x80\xa6\xe2\x96\x88 " WIDE "\xc3\xa9"
		  "e" ACUTE,
		  plain);
	grid_text_short(&g, inside, 0, 1, "abcdefghijk", 5, plain);
	for (int i = 0; i < g.width * g.height; i++)
		assert_in_range(g.cell[i].ch, ' ', '~');
	assert_shows(&g, false, "+- T ----------+\n|^>~# ???e     |\n|ab~jk         |\n+--------------+\n");
}

static void a_frame_returns_the_area_inside(void **state)
{
	struct grid g = grid_of(9, 3);
	struct area in = grid_frame(&g, grid_area(&g), "a long title", plain);

	(void)state;
	assert_int_equal(in.x, 1);
	assert_int_equal(in.y, 1);
	assert_int_equal(in.width, 7);
	assert_int_equal(in.height, 1);
	in = grid_frame(&g, (struct area){ 0, 1, 1, 1 }, "x", plain);
	assert_int_equal(in.width, 0);
	assert_int_equal(in.height, 0);
	grid_release(&g);
}

static void styles_are_letters_below_their_cells(void **state)
{
	struct grid g = grid_of(6, 2);

	(void)state;
	grid_text(&g, grid_area(&g), 0, 0, "ab", red);
	grid_paint(&g, (struct area){ 4, 0, 1, 1 },
		   (struct style){ COLOR_DEFAULT, 0x00ff00, ATTR_REVERSE | ATTR_UNDERLINE });
	g.cursor_x = 2;
	g.cursor_y = 1;
	assert_shows(&g, true,
		     "|ab\n:aa  b\n|\na ff0000 on own, bold\nb own on 00ff00, underline, reverse\ncursor 2,1\n");
}

static void both_halves_of_a_wide_character_have_one_style(void **state)
{
	struct grid g = grid_of(4, 2);

	(void)state;
	grid_text(&g, grid_area(&g), 1, 0, WIDE, plain);
	grid_text(&g, grid_area(&g), 1, 1, WIDE, plain);
	grid_paint(&g, (struct area){ 0, 0, 2, 1 }, red);
	grid_paint(&g, (struct area){ 2, 1, 2, 1 }, red);
	assert_shows(&g, true, "| " WIDE "\n:aaa\n| " WIDE "\n:   a\na ff0000 on own, bold\n");
}

static void an_empty_grid_accepts_all_calls(void **state)
{
	struct grid g = grid_of(0, 0);

	(void)state;
	grid_text(&g, grid_area(&g), 0, 0, "x", plain);
	grid_text_right(&g, grid_area(&g), 0, 0, "x", plain);
	grid_text_short(&g, grid_area(&g), 0, 0, "x", 3, plain);
	grid_frame(&g, grid_area(&g), "x", plain);
	grid_paint(&g, grid_area(&g), plain);
	assert_shows(&g, false, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(control_characters_are_written_as_escapes),
		cmocka_unit_test(text_ends_at_the_side_of_its_area),
		cmocka_unit_test(text_left_of_the_area_is_cut_off),
		cmocka_unit_test(areas_may_extend_beyond_the_grid),
		cmocka_unit_test(a_wide_character_is_never_halved_at_the_right),
		cmocka_unit_test(overwriting_half_of_a_wide_character_blanks_the_other),
		cmocka_unit_test(combining_marks_stay_on_their_character_and_take_no_column),
		cmocka_unit_test(right_aligned_text_is_truncated_on_the_left),
		cmocka_unit_test(text_that_is_too_long_is_shortened_in_the_middle),
		cmocka_unit_test(a_name_of_a_megabyte_is_cut_to_its_columns),
		cmocka_unit_test(widths_agree_with_those_of_flame_graphs),
		cmocka_unit_test(in_ascii_similar_characters_are_used),
		cmocka_unit_test(a_frame_returns_the_area_inside),
		cmocka_unit_test(styles_are_letters_below_their_cells),
		cmocka_unit_test(both_halves_of_a_wide_character_have_one_style),
		cmocka_unit_test(an_empty_grid_accepts_all_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
