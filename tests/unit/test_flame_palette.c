/*
 * test_flame_palette.c - contrast and distance of colours, also for colour-blind readers
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Contrast is that of WCAG 2.2 ("contrast ratio", "relative luminance"). Colour blindness is
 * simulated as in Machado, Oliveira, Fernandes, "A Physiologically-based Model for Simulation of Color
 * Vision Deficiency" (2009), severity 1. Distances are Euclidean in OKLab (Ottosson, "A perceptual color
 * space for image processing", 2020), where 0.02 is about what can just be seen side by side.
 */
#include "config.h"

#include "viewers/flame/flame_int.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { VISIONS = 4 };

static const char *const vision_name[VISIONS] = { "all cones", "protanopia", "deuteranopia", "tritanopia" };
static const double vision[VISIONS][3][3] = {
	{ { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
	{ { 0.152286, 1.052583, -0.204868 }, { 0.114503, 0.786281, 0.099216 }, { -0.003882, -0.048116, 1.051998 } },
	{ { 0.367322, 0.860646, -0.227968 }, { 0.280085, 0.672501, 0.047413 }, { -0.011820, 0.042940, 0.968881 } },
	{ { 1.255528, -0.076749, -0.178779 }, { -0.078411, 0.930809, 0.147602 }, { 0.004733, 0.691367, 0.303900 } },
};
static const enum flame_theme themes[] = { FLAME_LIGHT, FLAME_DARK };

struct vec {
	double v[3];
};

/* sRGB to linear light, IEC 61966-2-1. */
static struct vec linear(uint32_t rgb)
{
	struct vec out;

	for (int i = 0; i < 3; i++) {
		double c = (double)(rgb >> (16 - 8 * i) & 0xff) / 255;

		out.v[i] = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
	}
	return out;
}

static struct vec times(const double m[3][3], struct vec x)
{
	struct vec out;

	for (int i = 0; i < 3; i++)
		out.v[i] = m[i][0] * x.v[0] + m[i][1] * x.v[1] + m[i][2] * x.v[2];
	return out;
}

static struct vec oklab(struct vec rgb)
{
	static const double to_lms[3][3] = { { 0.4122214708, 0.5363325363, 0.0514459929 },
					     { 0.2119034982, 0.6806995451, 0.1073969566 },
					     { 0.0883024619, 0.2817188376, 0.6299787005 } };
	static const double to_lab[3][3] = { { 0.2104542553, 0.7936177850, -0.0040720468 },
					     { 1.9779984951, -2.4285922050, 0.4505937099 },
					     { 0.0259040371, 0.7827717662, -0.8086757660 } };
	struct vec lms;

	for (int i = 0; i < 3; i++)
		rgb.v[i] = fmin(fmax(rgb.v[i], 0), 1);
	lms = times(to_lms, rgb);
	for (int i = 0; i < 3; i++)
		lms.v[i] = cbrt(lms.v[i]);
	return times(to_lab, lms);
}

static double luminance(uint32_t rgb)
{
	struct vec c = linear(rgb);

	return 0.2126 * c.v[0] + 0.7152 * c.v[1] + 0.0722 * c.v[2];
}

static double contrast(uint32_t a, uint32_t b)
{
	double x = luminance(a), y = luminance(b);

	return (fmax(x, y) + 0.05) / (fmin(x, y) + 0.05);
}

static double distance(uint32_t a, uint32_t b, int seen)
{
	struct vec x = oklab(times(vision[seen], linear(a))), y = oklab(times(vision[seen], linear(b)));

	return sqrt(pow(x.v[0] - y.v[0], 2) + pow(x.v[1] - y.v[1], 2) + pow(x.v[2] - y.v[2], 2));
}

/* Check the distance of all colours of a range from those of another, or from each other. */
static void expect_distance(int a, int n_a, int b, int n_b, double min)
{
	bool ok = true;

	for (size_t t = 0; t < 2; t++) {
		const struct flame_color *c = flame_colors(themes[t]);

		for (int i = a; i < a + n_a; i++) {
			for (int j = b; j < b + n_b; j++) {
				for (int v = 0; v < VISIONS; v++) {
					double d = distance(c[i].fill, c[j].fill, v);

					if (i == j || d >= min)
						continue;
					print_error("%s: %06x and %06x are %.3f apart for %s\n", t ? "dark" : "light",
						    c[i].fill, c[j].fill, d, vision_name[v]);
					ok = false;
				}
			}
		}
	}
	assert_true(ok);
}

static void formulas_match_published_values(void **state)
{
	struct vec red = oklab(linear(0xff0000));

	(void)state;
	assert_true(fabs(contrast(0x000000, 0xffffff) - 21) < 1e-9);
	assert_true(fabs(contrast(0x777777, 0xffffff) - 4.48) <
		    0.005); /* a common grey, just below a contrast of 4.5 */
	assert_true(fabs(red.v[0] - 0.628) < 0.001 && fabs(red.v[1] - 0.225) < 0.001 && fabs(red.v[2] - 0.126) < 0.001);
	assert_true(distance(0xff0000, 0x8d7000, 1) < distance(0xff0000, 0x8d7000, 0) / 2);
}

static void text_on_every_box_has_a_contrast_of_4_5(void **state)
{
	bool ok = true;

	(void)state;
	for (size_t t = 0; t < 2; t++) {
		const struct flame_color *c = flame_colors(themes[t]);

		for (int i = 0; i < FLAME_COLORS; i++) {
			if (contrast(c[i].fill, c[i].ink) >= 4.5)
				continue;
			print_error("%d: %06x on %06x is %.2f\n", i, c[i].ink, c[i].fill,
				    contrast(c[i].fill, c[i].ink));
			ok = false;
		}
	}
	assert_true(ok);
}

static void text_on_the_page_has_a_contrast_of_4_5(void **state)
{
	(void)state;
	for (size_t t = 0; t < 2; t++) {
		const struct flame_page *p = flame_page(themes[t]);

		assert_true(contrast(p->paper, p->ink) >= 7);
		assert_true(contrast(p->paper, p->quiet) >= 4.5);
		assert_true(contrast(p->match, 0x000000) >= 4.5);
	}
}

/* Boxes must be visible; unchanged ones may be faint. */
static void boxes_differ_from_the_page(void **state)
{
	(void)state;
	for (size_t t = 0; t < 2; t++)
		for (int i = 0; i < COLOR_HEAT; i++)
			assert_true(contrast(flame_page(themes[t])->paper, flame_colors(themes[t])[i].fill) >= 1.15);
}

static void groups_are_distinguishable_by_all_readers(void **state)
{
	(void)state;
	expect_distance(COLOR_GROUP, COLOR_GROUPS, COLOR_GROUP, COLOR_GROUPS, 0.04);
}

static void groups_differ_from_boxes_without_a_group(void **state)
{
	(void)state;
	expect_distance(COLOR_NEUTRAL, COLOR_GROUP, COLOR_GROUP, COLOR_GROUPS, 0.03);
	expect_distance(COLOR_NEUTRAL, COLOR_GROUP, COLOR_NEUTRAL, COLOR_GROUP, 0.03);
}

static void growth_differs_from_shrinkage(void **state)
{
	(void)state;
	expect_distance(COLOR_GREW, COLOR_STEPS + 1, COLOR_SHRANK, COLOR_STEPS + 1, 0.04);
}

static void changes_differ_from_unchanged_boxes(void **state)
{
	(void)state;
	expect_distance(COLOR_SAME, 1, COLOR_GREW, COLOR_STEPS + 1, 0.03);
	expect_distance(COLOR_SAME, 1, COLOR_SHRANK, COLOR_STEPS + 1, 0.03);
}

static void steps_of_a_change_are_distinguishable(void **state)
{
	(void)state;
	expect_distance(COLOR_GREW, COLOR_STEPS + 1, COLOR_GREW, COLOR_STEPS + 1, 0.03);
	expect_distance(COLOR_SHRANK, COLOR_STEPS + 1, COLOR_SHRANK, COLOR_STEPS + 1, 0.03);
}

static void heat_gets_stronger_with_each_step(void **state)
{
	(void)state;
	expect_distance(COLOR_HEAT, COLOR_HEATS, COLOR_HEAT, COLOR_HEATS, 0.03);
	for (int i = COLOR_HEAT; i + 1 < COLOR_HEAT + COLOR_HEATS; i++) {
		const struct flame_color *light = flame_colors(FLAME_LIGHT), *dark = flame_colors(FLAME_DARK);

		if (i > COLOR_HEAT) /* the first step of the heat is grey */
			assert_true(luminance(light[i].fill) > luminance(light[i + 1].fill));
		assert_true(luminance(dark[i].fill) < luminance(dark[i + 1].fill));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formulas_match_published_values),
		cmocka_unit_test(text_on_every_box_has_a_contrast_of_4_5),
		cmocka_unit_test(text_on_the_page_has_a_contrast_of_4_5),
		cmocka_unit_test(boxes_differ_from_the_page),
		cmocka_unit_test(groups_are_distinguishable_by_all_readers),
		cmocka_unit_test(groups_differ_from_boxes_without_a_group),
		cmocka_unit_test(growth_differs_from_shrinkage),
		cmocka_unit_test(changes_differ_from_unchanged_boxes),
		cmocka_unit_test(steps_of_a_change_are_distinguishable),
		cmocka_unit_test(heat_gets_stronger_with_each_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
