/*
 * test_stats_runs.c - test which rows differ when a side has several files
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

/* 3 files of base, then 2 of new; 8 functions. */
static const double run[5][8] = {
	{ 52, 40, 61, 35, 30, 44, 28, 70 }, { 47, 46, 66, 31, 36, 20, 33, 62 }, { 58, 35, 55, 39, 28, 69, 25, 75 },
	{ 71, 43, 60, 34, 33, 32, 30, 66 }, { 83, 38, 64, 37, 29, 66, 27, 72 },
};

static struct program *runs(uint32_t n_new)
{
	static struct program p;
	uint32_t files = 3 + n_new;

	memset(&p, 0, sizeof(p));
	p.n_files[SIDE_BASE] = 3;
	p.n_files[SIDE_NEW] = n_new;
	for (uint32_t i = 0; i < 8; i++) {
		double sum[N_SIDES] = { 0 };

		for (uint32_t f = 0; f < files; f++) {
			sum[f < 3 ? SIDE_BASE : SIDE_NEW] += run[f][i];
			p.row_file[i * files + f] = run[f][i];
			p.file_total[f] += run[f][i];
			p.file_exposure[f] = f == 4 ? 2 : 1;
		}
		add_class(&p, sum[SIDE_BASE], sum[SIDE_NEW]);
		add_row(&p, i, i + 1);
	}
	p.noise[0] = 0.05;
	return &p;
}

static void is_row(const struct stats_row *row, const double want[3])
{
	const double got[3] = { row->tau, row->tau2_var, row->tau2_high };

	for (int i = 0; i < 3; i++)
		near_to(got[i], want[i], 1e-7, __LINE__);
}

static void variances_between_runs_agree_with_the_formulas(void **state)
{
	struct program *p = runs(2);

	(void)state;
	judge_with(p, &bulk, true, false);
	assert_true(p->all.has_replicates);
	is_row(&p->row[0], (double[]){ 0, 0.0012710033662762755, 0.017825567075666033 });
	is_row(&p->row[5], (double[]){ 0.39290925976623664, 0.015808727293381265, 0.21724406711822797 });
	near_to(p->row[0].ratio, 1.44116316, 5e-8, __LINE__);
	near_to(p->row[5].ratio, 1.09706601, 5e-8, __LINE__);
}

static void a_single_run_uses_the_variance_of_the_other_side(void **state)
{
	struct program *p = runs(1);

	(void)state;
	judge_with(p, &bulk, true, false);
	assert_true(p->all.has_replicates);
	is_row(&p->row[5], (double[]){ 0.385236221855588, 0.018281326695857487, 0.21601117485505952 });
	near(p->all.run_weight[SIDE_NEW], 1);
}

static void with_known_exposure_runs_are_compared_with_expected_counts(void **state)
{
	struct program *p = runs(2);
	struct stats_options fixed = { .mode = STATS_FIXED, .rho = 1, .noise = 0.02 };
	double tau;

	(void)state;
	judge_with(p, &fixed, true, true);
	is_row(&p->row[5], (double[]){ 0.2982735285996822, 0.0010607034390064545, 0.10753889659375601 });
	tau = p->row[0].tau;
	judge_with(p, &fixed, true, false);
	assert_true(p->row[0].tau < 0.5 * tau);
}

/* 12 short runs, and a long run with as many samples as all of them together. The long run varies as much as each short
 * one. */
static void a_long_run_varies_as_much_as_a_short_one(void **state)
{
	static struct program p;
	static const double part[12] = { 0.7, 1.4, 0.8, 1.2, 1, 1.3, 0.6, 1.1, 0.9, 1.2, 0.8, 1 };
	double sampling;

	(void)state;
	p.n_files[SIDE_BASE] = 12;
	p.n_files[SIDE_NEW] = 1;
	for (uint32_t i = 0; i < 8; i++) {
		double sum = 0;

		for (uint32_t f = 0; f < 12; f++) {
			double y = 100 * (i == 3 ? part[f] : 1 + 0.01 * (double)((f + i) % 3));

			p.row_file[i * 13 + f] = y;
			p.file_total[f] += y;
			sum += y;
		}
		p.row_file[i * 13 + 12] = sum;
		p.file_total[12] += sum;
		add_class(&p, sum, sum);
		add_row(&p, i, i + 1);
	}
	judge_with(&p, &bulk, true, false);
	near_to(p.all.run_weight[SIDE_BASE], 1. / 12, 1e-3, __LINE__);
	sampling = 2. / 1200;
	assert_true(p.row[3].tau > 0.15 && p.row[3].tau < 0.3);
	assert_true(p.row[3].se > p.row[3].tau && p.row[3].phi > 10);
	assert_true(p.row[2].tau < 0.1 && p.row[2].se < 5 * sqrt(sampling));
}

static void one_file_per_side_has_no_replicates(void **state)
{
	struct program *p = runs(1);

	(void)state;
	p->n_files[SIDE_BASE] = 1;
	judge_with(p, &bulk, true, false);
	assert_false(p->all.has_replicates);
	near(p->row[5].phi, 1);
	assert_true(isinf(p->row[5].nu));
}

static void an_extreme_ratio_has_a_p_value_from_runs(void **state)
{
	struct program *p = runs(2);

	(void)state;
	for (uint32_t f = 0; f < 5; f++) {
		p->file_total[f] = 0;
		for (uint32_t i = 0; i < 8; i++) {
			p->row_file[i * 5 + f] *= i == 7 && f > 2 ? 1e11 : 1e5;
			p->file_total[f] += p->row_file[i * 5 + f];
		}
	}
	for (int side = 0; side < N_SIDES; side++)
		for (uint32_t i = 0; i < 8; i++) {
			p->value[side][i] *= i == 7 && side == SIDE_NEW ? 1e11 : 1e5;
			p->var[side][i] *= i == 7 && side == SIDE_NEW ? 1e16 : 1e10;
		}
	judge_with(p, &bulk, true, false);
	assert_true(p->row[7].ratio > 1e5 && p->row[7].p > 0 && p->row[7].p < 0.01);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(variances_between_runs_agree_with_the_formulas),
		cmocka_unit_test(a_single_run_uses_the_variance_of_the_other_side),
		cmocka_unit_test(with_known_exposure_runs_are_compared_with_expected_counts),
		cmocka_unit_test(a_long_run_varies_as_much_as_a_short_one),
		cmocka_unit_test(one_file_per_side_has_no_replicates),
		cmocka_unit_test(an_extreme_ratio_has_a_p_value_from_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
