/*
 * test_shell_depth.c - colours of poorer terminals: readable, and told apart
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Contrast is that of WCAG 2.2, measured between what the terminal shows for the numbers it is sent.
 */
#include "config.h"

#include "viewers/flame/flame_int.h"
#include "viewers/shell/depth.h"

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

static struct shade shade_of(enum depth depth, struct flame_color c)
{
	return depth_shade(depth, (struct look){ c.ink, c.fill, 0 });
}

static void boxes_of_flame_graphs_stay_readable(void **state)
{
	(void)state;
	for (int t = 0; t < 2; t++)
		for (int i = 0; i < FLAME_COLORS; i++)
			for (enum depth depth = DEPTH_16; depth <= DEPTH_TRUE; depth++) {
				struct flame_color c = flame_colors(themes[t])[i];
				struct shade s = shade_of(depth, c);
				double had = contrast(c.ink, c.fill);
				double has = contrast(depth_color(depth, s.ink), depth_color(depth, s.paper));

				if (has < fmin(had, 4.5))
					fail_msg("%06x on %06x has %.2f at depth %d, it had %.2f", (unsigned)c.ink,
						 (unsigned)c.fill, has, (int)depth, had);
			}
}

static void ink_that_is_bold_is_readable_where_bold_is_not_bright(void **state)
{
	(void)state;
	for (int t = 0; t < 2; t++)
		for (int i = 0; i < FLAME_COLORS; i++) {
			struct shade s = shade_of(DEPTH_16, flame_colors(themes[t])[i]);

			assert_in_range(s.paper, 0, 7);
			assert_in_range(s.ink, 0, 15);
			assert_int_not_equal(s.ink, 8);
			assert_true(contrast(depth_color(DEPTH_16, s.ink & 7), depth_color(DEPTH_16, s.paper)) >= 3);
		}
}

static int count_papers(enum depth depth, enum flame_theme theme, int from, int n)
{
	bool seen[256] = { false };
	int count = 0;

	for (int i = from; i < from + n; i++) {
		int32_t paper = shade_of(depth, flame_colors(theme)[i]).paper;

		count += !seen[paper];
		seen[paper] = true;
	}
	return count;
}

static void groups_use_all_hues_that_there_are(void **state)
{
	(void)state;
	for (int t = 0; t < 2; t++) {
		assert_int_equal(count_papers(DEPTH_16, themes[t], COLOR_GROUP, COLOR_GROUPS), 6);
		assert_true(count_papers(DEPTH_256, themes[t], COLOR_GROUP, COLOR_GROUPS) >= COLOR_GROUPS - 1);
	}
}

static void what_grew_what_shrank_and_what_is_the_same_are_told_apart(void **state)
{
	(void)state;
	for (int t = 0; t < 2; t++)
		for (enum depth depth = DEPTH_16; depth <= DEPTH_256; depth++) {
			const struct flame_color *c = flame_colors(themes[t]);
			int32_t same = shade_of(depth, c[COLOR_SAME]).paper;

			for (int i = COLOR_GREW; i < COLOR_SHRANK; i++) {
				assert_int_not_equal(shade_of(depth, c[i]).paper, same);
				for (int k = COLOR_SHRANK; k <= COLOR_GONE; k++)
					assert_int_not_equal(shade_of(depth, c[i]).paper, shade_of(depth, c[k]).paper);
			}
			for (int k = COLOR_SHRANK; k <= COLOR_GONE; k++)
				assert_int_not_equal(shade_of(depth, c[k]).paper, same);
		}
}

static void colours_of_a_palette_are_their_own_nearest(void **state)
{
	(void)state;
	for (int32_t i = 16; i < 256; i++) {
		uint32_t rgb = depth_color(DEPTH_256, i);
		struct shade s = depth_shade(DEPTH_256, (struct look){ rgb, rgb, 0 });

		assert_int_equal(depth_color(DEPTH_256, s.paper), rgb);
	}
	for (int32_t i = 0; i < 8; i++)
		assert_int_equal(depth_shade(DEPTH_16, (struct look){ COLOR_OWN, depth_color(DEPTH_16, i), 0 }).paper,
				 i);
	assert_int_equal(depth_color(DEPTH_256, 16), 0);
	assert_int_equal(depth_color(DEPTH_256, 231), 0xffffff);
	assert_int_equal(depth_color(DEPTH_256, 208), 0xff8700);
	assert_int_equal(depth_color(DEPTH_256, 232), 0x080808);
	assert_int_equal(depth_color(DEPTH_256, 255), 0xeeeeee);
}

static void the_terminals_own_colours_stay_its_own(void **state)
{
	(void)state;
	for (enum depth depth = DEPTH_NONE; depth <= DEPTH_TRUE; depth++) {
		struct shade s = depth_shade(depth, (struct look){ COLOR_OWN, COLOR_OWN, ATTR_BOLD });

		assert_int_equal(s.ink, DEPTH_OWN);
		assert_int_equal(s.paper, DEPTH_OWN);
		assert_int_equal(s.attr, ATTR_BOLD);
	}
}

static void without_colours_a_paper_is_reverse_and_its_reverse_is_not(void **state)
{
	struct shade s = depth_shade(DEPTH_NONE, (struct look){ 0x123456, 0xffffff, ATTR_BOLD });

	(void)state;
	assert_int_equal(s.ink, DEPTH_OWN);
	assert_int_equal(s.paper, DEPTH_OWN);
	assert_int_equal(s.attr, ATTR_BOLD | ATTR_REVERSE);
	s = depth_shade(DEPTH_NONE, (struct look){ 0x123456, 0xffffff, ATTR_REVERSE });
	assert_int_equal(s.attr, 0);
	s = depth_shade(DEPTH_NONE, (struct look){ 0x123456, COLOR_OWN, ATTR_REVERSE });
	assert_int_equal(s.attr, ATTR_REVERSE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(boxes_of_flame_graphs_stay_readable),
		cmocka_unit_test(ink_that_is_bold_is_readable_where_bold_is_not_bright),
		cmocka_unit_test(groups_use_all_hues_that_there_are),
		cmocka_unit_test(what_grew_what_shrank_and_what_is_the_same_are_told_apart),
		cmocka_unit_test(colours_of_a_palette_are_their_own_nearest),
		cmocka_unit_test(the_terminals_own_colours_stay_its_own),
		cmocka_unit_test(without_colours_a_paper_is_reverse_and_its_reverse_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
