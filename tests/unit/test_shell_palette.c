/*
 * test_shell_palette.c - colours of limited terminals: readable and distinct
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Contrast is that of WCAG 2.2, measured between what the terminal shows for the numbers it is sent.
 */
#include "config.h"

#include "viewers/flame/flame_int.h"
#include "front/shell/terminal/palette.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static const enum flame_theme themes[] = { FLAME_LIGHT, FLAME_DARK };

static double luminance(uint32_t rgb)
{
	static const double weight[] = { 0.2126, 0.7152, 0.0722 };
	double sum = 0;

	for (int i = 0; i < 3; i++) {
		double c = (double)(rgb >> (16 - 8 * i) & 0xff) / 255;

		sum += weight[i] * (c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
	}
	return sum;
}

static double contrast(uint32_t x, uint32_t y)
{
	double a = luminance(x) + 0.05, b = luminance(y) + 0.05;

	return a > b ? a / b : b / a;
}

static struct terminal_style terminal_style_of(enum palette palette, struct flame_color c)
{
	return palette_style(palette, (struct style){ c.ink, c.fill, 0 });
}

static void boxes_of_flame_graphs_stay_readable(void **state)
{
	(void)state;
	for (int t = 0; t < 2; t++)
		for (int i = 0; i < FLAME_COLORS; i++)
			for (enum palette palette = PALETTE_16; palette <= PALETTE_TRUE; palette++) {
				struct flame_color c = flame_colors(themes[t])[i];
				struct terminal_style s = terminal_style_of(palette, c);
				double had = contrast(c.ink, c.fill);
				double has = contrast(palette_color(palette, s.fg), palette_color(palette, s.bg));

				if (has < fmin(had, 4.5))
					fail_msg("%06x on %06x has %.2f at palette %d, it had %.2f", (unsigned)c.ink,
						 (unsigned)c.fill, has, (int)palette, had);
			}
}

static void bold_foregrounds_are_readable_where_bold_is_not_bright(void **state)
{
	(void)state;
	for (int t = 0; t < 2; t++)
		for (int i = 0; i < FLAME_COLORS; i++) {
			struct terminal_style s = terminal_style_of(PALETTE_16, flame_colors(themes[t])[i]);

			assert_in_range(s.bg, 0, 7);
			assert_in_range(s.fg, 0, 15);
			assert_int_not_equal(s.fg, 8);
			assert_true(contrast(palette_color(PALETTE_16, s.fg & 7), palette_color(PALETTE_16, s.bg)) >=
				    3);
		}
}

static int count_backgrounds(enum palette palette, enum flame_theme theme, int from, int n)
{
	bool seen[256] = { false };
	int count = 0;

	for (int i = from; i < from + n; i++) {
		int32_t bg = terminal_style_of(palette, flame_colors(theme)[i]).bg;

		count += !seen[bg];
		seen[bg] = true;
	}
	return count;
}

static void groups_use_all_available_hues(void **state)
{
	(void)state;
	for (int t = 0; t < 2; t++) {
		assert_int_equal(count_backgrounds(PALETTE_16, themes[t], COLOR_GROUP, COLOR_GROUPS), 6);
		assert_true(count_backgrounds(PALETTE_256, themes[t], COLOR_GROUP, COLOR_GROUPS) >= COLOR_GROUPS - 1);
	}
}

static void growth_reduction_and_no_change_have_distinct_colours(void **state)
{
	(void)state;
	for (int t = 0; t < 2; t++)
		for (enum palette palette = PALETTE_16; palette <= PALETTE_256; palette++) {
			const struct flame_color *c = flame_colors(themes[t]);
			int32_t same = terminal_style_of(palette, c[COLOR_SAME]).bg;

			for (int i = COLOR_GREW; i < COLOR_SHRANK; i++) {
				assert_int_not_equal(terminal_style_of(palette, c[i]).bg, same);
				for (int k = COLOR_SHRANK; k <= COLOR_GONE; k++)
					assert_int_not_equal(terminal_style_of(palette, c[i]).bg,
							     terminal_style_of(palette, c[k]).bg);
			}
			for (int k = COLOR_SHRANK; k <= COLOR_GONE; k++)
				assert_int_not_equal(terminal_style_of(palette, c[k]).bg, same);
		}
}

static void each_palette_colour_is_its_own_nearest_colour(void **state)
{
	(void)state;
	for (int32_t i = 16; i < 256; i++) {
		uint32_t rgb = palette_color(PALETTE_256, i);
		struct terminal_style s = palette_style(PALETTE_256, (struct style){ rgb, rgb, 0 });

		assert_int_equal(palette_color(PALETTE_256, s.bg), rgb);
	}
	for (int32_t i = 0; i < 8; i++)
		assert_int_equal(
			palette_style(PALETTE_16, (struct style){ COLOR_DEFAULT, palette_color(PALETTE_16, i), 0 }).bg,
			i);
	assert_int_equal(palette_color(PALETTE_256, 16), 0);
	assert_int_equal(palette_color(PALETTE_256, 231), 0xffffff);
	assert_int_equal(palette_color(PALETTE_256, 208), 0xff8700);
	assert_int_equal(palette_color(PALETTE_256, 232), 0x080808);
	assert_int_equal(palette_color(PALETTE_256, 255), 0xeeeeee);
}

static void the_default_colours_of_the_terminal_are_kept(void **state)
{
	(void)state;
	for (enum palette palette = PALETTE_NONE; palette <= PALETTE_TRUE; palette++) {
		struct terminal_style s =
			palette_style(palette, (struct style){ COLOR_DEFAULT, COLOR_DEFAULT, ATTR_BOLD });

		assert_int_equal(s.fg, PALETTE_DEFAULT);
		assert_int_equal(s.bg, PALETTE_DEFAULT);
		assert_int_equal(s.attr, ATTR_BOLD);
	}
}

static void without_colours_a_background_reverses_the_cell(void **state)
{
	struct terminal_style s = palette_style(PALETTE_NONE, (struct style){ 0x123456, 0xffffff, ATTR_BOLD });

	(void)state;
	assert_int_equal(s.fg, PALETTE_DEFAULT);
	assert_int_equal(s.bg, PALETTE_DEFAULT);
	assert_int_equal(s.attr, ATTR_BOLD | ATTR_REVERSE);
	s = palette_style(PALETTE_NONE, (struct style){ 0x123456, 0xffffff, ATTR_REVERSE });
	assert_int_equal(s.attr, 0);
	s = palette_style(PALETTE_NONE, (struct style){ 0x123456, COLOR_DEFAULT, ATTR_REVERSE });
	assert_int_equal(s.attr, ATTR_REVERSE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(boxes_of_flame_graphs_stay_readable),
		cmocka_unit_test(bold_foregrounds_are_readable_where_bold_is_not_bright),
		cmocka_unit_test(groups_use_all_available_hues),
		cmocka_unit_test(growth_reduction_and_no_change_have_distinct_colours),
		cmocka_unit_test(each_palette_colour_is_its_own_nearest_colour),
		cmocka_unit_test(the_default_colours_of_the_terminal_are_kept),
		cmocka_unit_test(without_colours_a_background_reverses_the_cell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
