/*
 * test_centre.c - the robust centre of the cells of a program
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/stats/judge_int.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const double quiet[][2] = { { 120, 131 }, { 80, 77 }, { 60, 66 }, { 45, 50 },   { 200, 212 },
				   { 33, 30 },   { 25, 31 }, { 18, 22 }, { 300, 120 }, { 90, 99 },
				   { 7, 5 },     { 4, 9 },   { 15, 14 } };
static const double noisy[][2] = { { 1200, 1510 }, { 800, 640 }, { 600, 760 }, { 450, 360 },
				   { 2000, 2400 }, { 330, 250 }, { 250, 331 }, { 180, 140 } };

/* A cell of counts; each count of the new side has the value size. */
static struct stats_cell cell_of(double base, double new, double size)
{
	return (struct stats_cell){ .value = { base, new *size }, .var = { base, new *size *size } };
}

static struct stats_centre centre_of(const double (*count)[2], uint32_t n, double size, bool *found)
{
	struct stats_cell cell[64] = { 0 };
	struct stats_centre c;

	for (uint32_t i = 0; i < n; i++)
		cell[i] = cell_of(count[i][0], count[i][1], size);
	*found = stats_centre_find(cell, n, 0.02, &c);
	return c;
}

static void example_11_has_the_expected_centre(void **state)
{
	bool found;
	struct stats_centre c = centre_of(quiet, COUNT(quiet), 1, &found);

	(void)state;
	assert_true(found);
	assert_float_equal(c.mu, 0.068728, 5e-7);
	assert_float_equal(c.var, 2.884466e-03, 5e-10);
	assert_float_equal(c.tau, 0.02, 0);
	assert_int_equal(c.n_cells, 12);
}

static void example_12_has_the_expected_centre_and_spread(void **state)
{
	bool found;
	struct stats_centre c = centre_of(noisy, COUNT(noisy), 1, &found);

	(void)state;
	assert_true(found);
	assert_float_equal(c.mu, 0.103585, 5e-7);
	assert_float_equal(c.var, 6.215492e-03, 5e-10);
	assert_float_equal(c.tau, 0.074062, 5e-7);
	assert_int_equal(c.n_cells, 8);
}

/* Expected values from SciPy. */
static void outliers_have_limited_influence_on_the_centre(void **state)
{
	bool found;
	double cells[COUNT(noisy) + 3][2] = { { 1000, 3000 }, { 1000, 300 }, { 900, 4000 } };
	struct stats_centre c;

	(void)state;
	memcpy(cells + 3, noisy, sizeof(noisy));
	c = centre_of((const double(*)[2])cells, COUNT(cells), 1, &found);
	assert_float_equal(c.mu, 0.078386171, 5e-10);
	assert_float_equal(c.tau, 0.330634749, 5e-10);
}

/* 60 equal functions, 3,000 samples against 60,000. By chance, the smaller side has relatively more counts in some of
 * them. */
static void a_smaller_side_does_not_bias_the_centre(void **state)
{
	bool found;
	double cells[60][2];
	struct stats_centre c;

	(void)state;
	for (int i = 0; i < 60; i++) {
		cells[i][0] = 50 + (i % 5 - 2) * 7; /* 36 to 64: at most two standard errors (of 7) from 50 */
		cells[i][1] = 1000;
	}
	c = centre_of((const double(*)[2])cells, COUNT(cells), 1, &found);
	assert_float_equal(c.mu, log(20), 0.015);
	for (int i = 0; i < 60; i++) {
		cells[i][1] = cells[i][0];
		cells[i][0] = 1000;
	}
	c = centre_of((const double(*)[2])cells, COUNT(cells), 1, &found);
	assert_float_equal(c.mu, -log(20), 0.015);
}

/* 24 samples, but nearly all belong to the larger side, so the ratio is imprecise. */
static void a_cell_needs_enough_samples_of_the_smaller_side(void **state)
{
	bool found;
	static const double cells[][2] = { { 100, 1000 }, { 200, 2000 }, { 300, 3000 }, { 2, 22 }, { 3, 19 } };

	(void)state;
	assert_int_equal(centre_of(cells, COUNT(cells), 1, &found).n_cells, 4);
}

static void the_order_of_cells_does_not_matter(void **state)
{
	bool found;
	double turned[COUNT(noisy)][2];
	struct stats_centre a = centre_of(noisy, COUNT(noisy), 1, &found), b;

	(void)state;
	for (size_t i = 0; i < COUNT(noisy); i++)
		memcpy(turned[i], noisy[(i * 3 + 5) % COUNT(noisy)], sizeof(turned[i]));
	b = centre_of(turned, COUNT(noisy), 1, &found);
	assert_memory_equal(&a.mu, &b.mu, sizeof(a.mu));
	assert_memory_equal(&a.tau, &b.tau, sizeof(a.tau));
}

static void a_unit_change_on_one_side_only_shifts_the_centre(void **state)
{
	bool found;
	struct stats_centre a = centre_of(noisy, COUNT(noisy), 1, &found),
			    b = centre_of(noisy, COUNT(noisy), 1e7, &found);

	(void)state;
	assert_float_equal(b.mu - a.mu, log(1e7), 1e-11);
	assert_float_equal(b.var, a.var, 1e-12);
	assert_float_equal(b.tau, a.tau, 1e-11);
}

static void swapping_the_sides_negates_the_centre(void **state)
{
	bool found;
	double turned[COUNT(noisy)][2];
	struct stats_centre a = centre_of(noisy, COUNT(noisy), 1, &found), b;

	(void)state;
	for (size_t i = 0; i < COUNT(noisy); i++) {
		turned[i][0] = noisy[i][1];
		turned[i][1] = noisy[i][0];
	}
	b = centre_of(turned, COUNT(noisy), 1, &found);
	assert_float_equal(b.mu, -a.mu, 1e-11);
	assert_float_equal(b.tau, a.tau, 1e-11);
}

static void equal_sides_have_no_spread(void **state)
{
	bool found;
	double same[12][2];
	struct stats_centre c;

	(void)state;
	for (int i = 0; i < 12; i++)
		same[i][0] = same[i][1] = 100 * (i + 1);
	c = centre_of(same, 12, 1, &found);
	assert_true(found);
	assert_float_equal(c.mu, 0, 0);
	assert_float_equal(c.tau, 0.02, 0);
	assert_true(c.var > 0);
}

static void two_cells_are_not_enough_for_a_centre(void **state)
{
	bool found;
	static const double two[][2] = { { 100, 100 }, { 50, 60 }, { 1000, 0 }, { 0, 70 } };
	struct stats_centre c = centre_of(two, 4, 1, &found);

	(void)state;
	assert_false(found);
	assert_int_equal(c.n_cells, 2);
	centre_of(two, 0, 1, &found);
	assert_false(found);
}

static void a_cell_with_twenty_counts_is_not_merged(void **state)
{
	bool found;
	static const double cells[][2] = { { 100, 100 }, { 10, 10 }, { 10, 9 }, { 9, 10 }, { 8, 8 } };

	(void)state;
	assert_int_equal(centre_of(cells, 5, 1, &found).n_cells, 3);
	assert_int_equal(centre_of(cells, 1, 1, &found).n_cells, 1);
}

static void a_single_exact_cell_does_not_determine_the_centre(void **state)
{
	struct stats_cell cell[5];
	struct stats_centre c;

	(void)state;
	for (int i = 0; i < 4; i++)
		cell[i] = cell_of(10000, 10000 + i, 1);
	cell[4] = (struct stats_cell){ .value = { 1e18, 3e18 } };
	assert_true(stats_centre_find(cell, 5, 0.02, &c));
	assert_float_equal(c.mu, 0, 1e-3);
	assert_int_equal(c.n_cells, 5);
}

static void effective_counts_are_capped(void **state)
{
	(void)state;
	assert_float_equal(stats_count(12, 12), 12, 0);
	assert_float_equal(stats_count(10, 50), 2, 0);
	assert_float_equal(stats_count(0, 0), 0, 0);
	assert_float_equal(stats_count(5, 0), STATS_COUNT_MAX, 0);
	assert_float_equal(stats_count(1e18, 1), STATS_COUNT_MAX, 0);
}

/* Points of several kinds, unsorted; v is their original index. */
static void scatter(struct stats_point *p, uint32_t n, int kind)
{
	uint32_t random = 1;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t word = random = random * 1664525 + 1013904223;

		p[i] = (struct stats_point){ .x = (double)word / UINT32_MAX - 0.5, .v = i, .w = 1 + (word >> 8) % 50 };
		if (kind == 1) /* many equal points, some of them -0 */
			p[i].x = (double)(int)(word >> 20) / 4096 > 0.5 ? 0.0 : -0.0;
		if (kind == 2) /* they differ only in the last digits */
			p[i].x = 1 + (word >> 10) * 1e-15;
		if (kind == 3) /* outliers */
			p[i].w = word % 9 ? 2 : 1e9;
		if (kind == 4)
			p[i] = (struct stats_point){ .x = 0, .v = i, .w = 1 };
	}
}

static void sorting_points_keeps_the_order_of_equal_points(void **state)
{
	static const uint32_t sizes[] = { 0, 1, 2, 12, 13, 100, 699, 700, 2500, 20001 };

	(void)state;
	for (size_t s = 0; s < COUNT(sizes); s++)
		for (int kind = 0; kind < 5; kind++) {
			uint32_t n = sizes[s];
			struct stats_point *p = calloc(2 * ((size_t)n + 1), sizeof(*p));
			double sum = 0;

			assert_non_null(p);
			scatter(p, n, kind);
			stats_points_sort(p, n, p + n + 1);
			for (uint32_t i = 1; i < n; i++) {
				assert_false(stats_point_is_before(&p[i], &p[i - 1]));
				if (!stats_point_is_before(&p[i - 1], &p[i]))
					assert_true(p[i - 1].v < p[i].v);
			}
			for (uint32_t i = 0; i < n; i++)
				sum += p[i].v;
			assert_true(sum == (n ? 0.5 * n * (n - 1.0) : 0));
			free(p);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorting_points_keeps_the_order_of_equal_points),
		cmocka_unit_test(example_11_has_the_expected_centre),
		cmocka_unit_test(example_12_has_the_expected_centre_and_spread),
		cmocka_unit_test(outliers_have_limited_influence_on_the_centre),
		cmocka_unit_test(a_smaller_side_does_not_bias_the_centre),
		cmocka_unit_test(a_cell_needs_enough_samples_of_the_smaller_side),
		cmocka_unit_test(the_order_of_cells_does_not_matter),
		cmocka_unit_test(a_unit_change_on_one_side_only_shifts_the_centre),
		cmocka_unit_test(swapping_the_sides_negates_the_centre),
		cmocka_unit_test(equal_sides_have_no_spread),
		cmocka_unit_test(two_cells_are_not_enough_for_a_centre),
		cmocka_unit_test(a_cell_with_twenty_counts_is_not_merged),
		cmocka_unit_test(a_single_exact_cell_does_not_determine_the_centre),
		cmocka_unit_test(effective_counts_are_capped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
