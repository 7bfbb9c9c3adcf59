/*
 * test_stats_judge.c - test which rows differ between two sides
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Expected values without a cited source were computed with SciPy 1.10.
 */
#include "config.h"

#include "tests/unit/make_judge.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void judge(struct program *p)
{
	judge_with(p, &bulk, false, false);
}

/* 20 functions of 1 to 9 %, each a row, that are nearly the same on both sides; the first has 400 base counts. */
static struct program *steady(void)
{
	static struct program p;
	static const double off[] = { 6, -9, 4, 11, -3, 8, -7, 2, -12, 5 };

	memset(&p, 0, sizeof(p));
	add_class(&p, 400, 400);
	for (int i = 1; i < 20; i++)
		add_class(&p, 100 + 10 * i, 100 + 10 * i + off[i % 10]);
	for (uint32_t i = 0; i < 20; i++)
		add_row(&p, i, i + 1);
	return &p;
}

static void example_13_has_the_expected_results(void **state)
{
	static struct program p;
	struct stats_options fixed = { .mode = STATS_FIXED, .rho = exp(0.05), .noise = 0.02 };

	(void)state;
	add_class(&p, 150, 240);
	add_row(&p, 0, 1);
	p.noise[0] = sqrt(0.5 * (0.0012 + 2 * 0.02 * 0.02)); /* combines the variance of mu and tau of the example */
	judge_with(&p, &fixed, false, false);
	near(p.row[0].ratio, 1.521967);
	near_to(p.row[0].se, 0.113284, 5e-6, __LINE__);
	near(p.row[0].p, 1.088784e-04); /* equality counts in full; half would be 8.927927e-05 */
	near(p.row[0].lo, 1.263224);
	near(p.row[0].hi, 1.833707);
	fixed.strict = true;
	judge_with(&p, &fixed, false, false);
	assert_true(p.row[0].p > 1.747058e-02 && p.row[0].p < 2.1e-02);
	near(p.row[0].p_over, 1 - 1.747058e-02);
	near(p.row[0].p_less, 1 - 8.927927e-05);
}

static void finds_only_the_slower_function(void **state)
{
	struct program *p = steady();

	(void)state;
	p->value[SIDE_NEW][0] = p->var[SIDE_NEW][0] = 640;
	judge(p);
	near_to(p->row[0].ratio, 1.6, 0.01, __LINE__);
	assert_true(p->row[0].p_adjusted < 0.001);
	assert_true(p->row[0].is_excluded);
	for (uint32_t i = 1; i < p->n_rows; i++) {
		assert_true(p->row[i].p_adjusted > 0.5);
		assert_true(p->row[i].p_over < 0.5);
		assert_false(p->row[i].is_excluded);
	}
}

/* A quarter of the unchanged program is a subtree, called by a function that has another quarter. */
static struct program *with_subtree(void)
{
	struct program *p = steady();

	add_row(p, 1, 7);
	add_row(p, 1, 13);
	return p;
}

enum { SUBTREE = 20, CALLER = 21 };

static void scale_classes(struct program *p, uint32_t from, uint32_t to, double by)
{
	for (; from < to; from++) {
		p->value[SIDE_NEW][from] = round(by * p->value[SIDE_NEW][from]);
		p->var[SIDE_NEW][from] = p->value[SIDE_NEW][from];
	}
}

static void a_faster_subtree_does_not_make_other_functions_look_slower(void **state)
{
	struct program *p = with_subtree();

	(void)state;
	scale_classes(p, 1, 7, 0.4);
	judge(p);
	near_to(p->row[SUBTREE].ratio, 0.4, 0.02, __LINE__);
	assert_true(p->row[SUBTREE].p_less_adjusted < 1e-6);
	for (uint32_t i = 7; i < 20; i++) {
		near_to(p->row[i].ratio, 1, 0.1, __LINE__);
		assert_true(p->row[i].p_adjusted > 0.5);
	}
}

static void with_the_rest_as_reference_unchanged_functions_look_slower(void **state)
{
	struct program *p = with_subtree();
	struct stats_options rest = bulk;
	double sum = 0;

	(void)state;
	rest.mode = STATS_REST;
	scale_classes(p, 1, 7, 0.4);
	judge_with(p, &rest, false, false);
	for (uint32_t i = 7; i < 20; i++) {
		sum += log(p->row[i].ratio);
		assert_false(p->row[i].is_excluded);
		assert_int_equal(p->row[i].n_cells, 0);
	}
	assert_true(exp(sum / 13) > 1.1);
}

static void the_caller_of_an_excluded_row_is_not_excluded(void **state)
{
	struct program *p = with_subtree();

	(void)state;
	scale_classes(p, 1, 7, 0.4);
	judge(p);
	assert_true(p->row[SUBTREE].is_excluded);
	assert_false(p->row[CALLER].is_excluded);
	assert_true(p->row[CALLER].ratio < 0.8);
	for (uint32_t i = 0; i < 20; i++)
		assert_false(p->row[i].is_excluded);
	assert_int_equal(p->row[0].n_cells, 13); /* 20 cells, without the row itself and the subtree */
	for (uint32_t i = 0; i <= SUBTREE; i++)
		p->is_reference[i] = false;
	judge(p);
	assert_false(p->row[SUBTREE].is_excluded);
	assert_true(p->row[CALLER].is_excluded);
}

static void excludes_less_than_half_of_the_program(void **state)
{
	struct program *p = steady();
	uint32_t most = add_row(p, 0, 13), less = add_row(p, 0, 8);

	(void)state;
	for (uint32_t i = 0; i < 20; i++)
		p->is_reference[i] = false;
	p->is_reference[less] = false;
	scale_classes(p, 0, 13, 3);
	judge(p);
	near_to(p->row[most].ratio, 3, 0.1, __LINE__);
	assert_false(p->row[most].is_excluded);

	p = steady();
	less = add_row(p, 0, 8);
	for (uint32_t i = 0; i < 20; i++)
		p->is_reference[i] = false;
	scale_classes(p, 0, 8, 1.5);
	judge(p);
	assert_true(p->row[less].is_excluded);
}

static void a_unit_change_only_changes_rho(void **state)
{
	struct program *p = with_subtree();
	struct stats_row before[MAX];

	(void)state;
	scale_classes(p, 1, 7, 0.4);
	judge(p);
	memcpy(before, p->row, sizeof(before));
	for (uint32_t i = 0; i < p->n_classes; i++) {
		p->value[SIDE_NEW][i] *= 1e7;
		p->var[SIDE_NEW][i] *= 1e14;
	}
	judge(p);
	for (uint32_t i = 0; i < p->n_rows; i++) {
		near_to(p->row[i].rho, 1e7 * before[i].rho, 1e-10, __LINE__);
		near_to(p->row[i].ratio, before[i].ratio, 1e-10, __LINE__);
		near_to(p->row[i].p, before[i].p, 1e-9, __LINE__);
		near_to(p->row[i].hi, before[i].hi, 1e-10, __LINE__);
		assert_int_equal(p->row[i].is_excluded, before[i].is_excluded);
	}
}

static void a_longer_run_changes_no_ratio(void **state)
{
	struct program *p = steady();
	double before[20];

	(void)state;
	judge(p);
	for (uint32_t i = 0; i < 20; i++)
		before[i] = p->row[i].ratio;
	scale_classes(p, 0, 20, 8);
	judge(p);
	for (uint32_t i = 0; i < 20; i++) {
		near_to(p->row[i].rho, 8, 0.02, __LINE__);
		near_to(p->row[i].ratio, before[i], 0.01, __LINE__);
	}
	near_to(p->all.total_ratio, 1, 0.02, __LINE__);
}

static void a_row_with_samples_on_one_side_only_has_no_ratio_and_no_test(void **state)
{
	struct program *p = steady();
	double adjusted;

	(void)state;
	scale_classes(p, 3, 4, 0);
	judge(p);
	assert_true(isnan(p->row[3].ratio) && isnan(p->row[3].lo) && isnan(p->row[3].p) && isnan(p->row[3].p_over));
	assert_true(isnan(p->row[3].p_less) && isnan(p->row[3].p_adjusted) && isnan(p->row[3].p_less_adjusted));
	near(p->row[3].value[SIDE_BASE], 130);
	adjusted = p->row[0].p_adjusted;
	p->limit[3] = 5;
	judge(p);
	near(p->row[0].p_adjusted, adjusted);
}

/* Set the share in the base of class 20, which is in no row, and its ratio new / base. */
static void set_outside(struct program *p, double share, double ratio)
{
	double rest = 0;

	for (uint32_t i = 0; i < 20; i++)
		rest += p->value[SIDE_BASE][i];
	p->value[SIDE_BASE][20] = p->var[SIDE_BASE][20] = rest * share / (1 - share);
	p->value[SIDE_NEW][20] = p->var[SIDE_NEW][20] = ratio * p->value[SIDE_BASE][20];
}

static void a_row_that_covers_the_program_has_no_reference(void **state)
{
	struct program *p = steady();
	uint32_t all = add_row(p, 0, 20);

	(void)state;
	judge(p);
	assert_true(isnan(p->row[all].ratio) && isnan(p->row[all].rho) && isnan(p->row[all].p_over));
	add_class(p, 9, 10);
	judge(p);
	assert_true(isnan(p->row[all].ratio) && isnan(p->row[all].p_over));
	p->value[SIDE_NEW][20] = p->var[SIDE_NEW][20] = 11;
	judge(p);
	assert_true(isnan(
		p->row[all].ratio)); /* 20 reference samples are enough, but their share of the program is too small */
	set_outside(p, 0.11, 1.25);
	judge(p);
	near(p->row[all].rho, 1.25);
	assert_int_equal(p->row[all].n_cells, 0);
	set_outside(p, 0.09, 1);
	judge(p);
	assert_true(isnan(p->row[all].ratio));
}

static void a_row_is_tested_if_one_side_has_enough_reference_samples(void **state)
{
	struct program *p = steady();
	uint32_t all = add_row(p, 0, 20);

	(void)state;
	add_class(p, 9, 10);
	set_outside(p, 0.15, 0.1); /* relative to class 20, the row became ten times as slow */
	judge(p);
	assert_true(p->row[all].ratio > 9 && p->row[all].p < 1e-6);
}

static void with_two_cells_the_reference_is_the_rest_of_the_program(void **state)
{
	static struct program p;

	(void)state;
	memset(&p, 0, sizeof(p));
	add_class(&p, 300, 330);
	add_class(&p, 200, 190);
	add_class(&p, 100, 80);
	add_row(&p, 0, 1);
	judge(&p);
	near(p.row[0].rho, 0.9);
	near(p.row[0].ratio, 1.1 / 0.9);
	near(p.row[0].se, sqrt(1.0 / 300 + 1.0 / 330 + 1.0 / 300 + 1.0 / 270 + 2 * 0.02 * 0.02));
	assert_int_equal(p.row[0].n_cells, 0);
	assert_false(isnan(p.row[0].p));
	assert_false(isnan(p.all.total_ratio));
}

static void the_reference_of_a_row_excludes_its_part_of_a_leaf(void **state)
{
	struct program *p = steady();
	double rho;

	(void)state;
	judge(p);
	rho = p->row[0].rho;
	add_class(p, 50, 500);
	p->cell[20] = 5; /* functions called by the first row and by others */
	p->row_class[p->n_rows] = 0;
	for (uint32_t i = p->n_rows; i > 0; i--)
		p->row_class[i] = p->row_class[i - 1];
	p->row_class[1] = 20;
	for (uint32_t i = 1; i <= p->n_rows; i++)
		p->row_off[i]++;
	judge(p);
	near_to(p->row[0].rho, rho, 1e-12, __LINE__);
	near(p->row[0].value[SIDE_NEW], 900);
}

static void subtracting_a_row_from_a_leaf_loses_no_precision(void **state)
{
	struct program *p = steady();
	double rho;

	(void)state;
	judge(p);
	rho = p->row[19].rho;
	add_class(p, 1e17, 1e17);
	p->var[SIDE_BASE][20] = p->var[SIDE_NEW][20] = 1e33;
	p->cell[20] = 5;
	p->row_class[p->row_off[20]++] = 20;
	add_class(p, 1e17, 0); /* without it the row covers the program; it has no new side, so it is no reference */
	p->var[SIDE_BASE][21] = 1e32;
	judge(p);
	near_to(p->row[19].rho, rho, 1e-12, __LINE__);
	near(p->row[19].count[SIDE_NEW], 10);
}

static void the_order_of_classes_does_not_matter(void **state)
{
	struct program *p = with_subtree();
	struct stats_row before[MAX];
	struct program q;

	(void)state;
	scale_classes(p, 1, 7, 1.5);
	judge(p);
	memcpy(before, p->row, sizeof(before));
	q = *p;
	for (uint32_t i = 0; i < 20; i++) { /* class i becomes 19 - i, its leaf gets another number */
		p->cell[19 - i] = (q.cell[i] * 7 + 3) % 20;
		for (int side = 0; side < N_SIDES; side++) {
			p->value[side][19 - i] = q.value[side][i];
			p->var[side][19 - i] = q.var[side][i];
		}
	}
	for (uint32_t i = 0; i < p->n_rows; i++)
		for (uint32_t at = p->row_off[i], last = p->row_off[i + 1] - 1; at <= last; at++)
			p->row_class[at] = 19 - q.row_class[last - (at - p->row_off[i])];
	judge(p);
	assert_memory_equal(p->row, before, p->n_rows * sizeof(*before));
}

static void exact_values_are_capped_and_not_nan(void **state)
{
	struct program *p = steady();

	(void)state;
	for (uint32_t i = 0; i < 20; i++)
		p->var[SIDE_BASE][i] = p->var[SIDE_NEW][i] = 0;
	p->value[SIDE_NEW][0] = 520;
	judge(p);
	near(p->row[0].count[SIDE_BASE], STATS_COUNT_MAX);
	near_to(p->row[0].ratio, 1.3, 0.05, __LINE__);
	for (uint32_t i = 0; i < 20; i++)
		assert_true(p->row[i].p >= 0 && p->row[i].p_over >= 0 && p->row[i].p_less <= 1);
}

static void a_row_with_more_noise_needs_a_larger_change(void **state)
{
	struct program *p = steady();
	double se;

	(void)state;
	judge(p);
	se = p->row[4].se;
	p->noise[4] = 0.1;
	judge(p);
	near(p->row[4].se, sqrt(se * se + 2 * (0.1 * 0.1 - 0.02 * 0.02)));
}

static void rows_that_are_not_tested_have_no_p(void **state)
{
	struct program *p = steady();
	double holm;

	(void)state;
	p->value[SIDE_NEW][0] = p->var[SIDE_NEW][0] = 470;
	judge(p);
	holm = p->row[0].p_adjusted;
	near(holm, 20 * p->row[0].p);
	p->has_tested = true;
	p->is_tested[0] = true;
	judge(p);
	near(p->row[0].p_adjusted, holm / 20);
	assert_true(isnan(p->row[1].p) && isnan(p->row[1].p_over) && isnan(p->row[1].p_less_adjusted));
	assert_true(p->row[1].ratio > 0 && p->row[1].hi > p->row[1].lo);
}

static void adjusts_p_values_as_requested(void **state)
{
	struct program *p = steady();
	struct stats_options how = bulk;

	(void)state;
	scale_classes(p, 0, 3, 1.25);
	judge_with(p, &how, false, false);
	double holm = p->row[1].p_adjusted;

	how.adjust = STATS_BH;
	judge_with(p, &how, false, false);
	double bh = p->row[1].p_adjusted;

	how.adjust = STATS_UNADJUSTED;
	judge_with(p, &how, false, false);
	near(p->row[1].p_adjusted, p->row[1].p);
	assert_true(p->row[1].p < bh && bh < holm);
}

static void the_total_is_relative_to_the_unchanged_part(void **state)
{
	struct program *p = with_subtree();

	(void)state;
	scale_classes(p, 1, 7, 2);
	judge(p);
	near_to(p->all.total_ratio, 1 + p->row[SUBTREE].value[SIDE_BASE] / p->all.total[SIDE_BASE], 0.02, __LINE__);
	assert_true(p->all.tau >= 0.02);
}

static void accepts_an_empty_program(void **state)
{
	static struct program p;

	(void)state;
	memset(&p, 0, sizeof(p));
	judge(&p);
	assert_true(isnan(p.all.total_ratio));
	add_class(&p, 0, 0);
	add_row(&p, 0, 1);
	add_row(&p, 0, 0);
	judge(&p);
	assert_true(isnan(p.row[0].ratio) && isnan(p.row[1].p));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(example_13_has_the_expected_results),
		cmocka_unit_test(finds_only_the_slower_function),
		cmocka_unit_test(a_faster_subtree_does_not_make_other_functions_look_slower),
		cmocka_unit_test(with_the_rest_as_reference_unchanged_functions_look_slower),
		cmocka_unit_test(the_caller_of_an_excluded_row_is_not_excluded),
		cmocka_unit_test(excludes_less_than_half_of_the_program),
		cmocka_unit_test(a_unit_change_only_changes_rho),
		cmocka_unit_test(a_longer_run_changes_no_ratio),
		cmocka_unit_test(a_row_with_samples_on_one_side_only_has_no_ratio_and_no_test),
		cmocka_unit_test(a_row_that_covers_the_program_has_no_reference),
		cmocka_unit_test(a_row_is_tested_if_one_side_has_enough_reference_samples),
		cmocka_unit_test(with_two_cells_the_reference_is_the_rest_of_the_program),
		cmocka_unit_test(the_reference_of_a_row_excludes_its_part_of_a_leaf),
		cmocka_unit_test(subtracting_a_row_from_a_leaf_loses_no_precision),
		cmocka_unit_test(the_order_of_classes_does_not_matter),
		cmocka_unit_test(exact_values_are_capped_and_not_nan),
		cmocka_unit_test(a_row_with_more_noise_needs_a_larger_change),
		cmocka_unit_test(rows_that_are_not_tested_have_no_p),
		cmocka_unit_test(adjusts_p_values_as_requested),
		cmocka_unit_test(the_total_is_relative_to_the_unchanged_part),
		cmocka_unit_test(accepts_an_empty_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
