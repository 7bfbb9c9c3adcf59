/*
 * test_stats_runs.c - which rows differ, when a side has several files
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of examples without a source were worked out with SciPy 1.10.
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
	p.n_files[STATS_BASE] = 3;
	p.n_files[STATS_NEW] = n_new;
	for (uint32_t i = 0; i < 8; i++) {
		double sum[N_STATS_SIDES] = { 0 };

		for (uint32_t f = 0; f < files; f++) {
			sum[f < 3 ? STATS_BASE : STATS_NEW] += run[f][i];
			p.row_file[i * files + f] = run[f][i];
			p.file_total[f] += run[f][i];
			p.file_exposure[f] = f == 4 ? 2 : 1;
		}
		add_class(&p, sum[STATS_BASE], sum[STATS_NEW]);
		add_row(&p, i, i + 1);
	}
	p.noise[0] = 0.05;
	return &p;
}

static void is_row(const struct stats_row *row, const double want[8])
{
	const double got[8] = { row->phi, row->nu, row->ratio, row->se, row->lo, row->hi, row->p, row->p_over };

	for (int i = 0; i < 8; i++)
		near_to(got[i], want[i], 5e-8, __LINE__);
}

static void runs_are_judged_by_their_spread(void **state)
{
	struct program *p = runs(2);

	(void)state;
	judge_with(p, &bulk, true, false);
	assert_true(p->all.has_replicates);
	is_row(&p->row[0],
	       (double[]){ 1, 5, 1.44116316, 0.133131352, 1.10206361, 1.88460199, 0.0205653427, 0.885918193 });
	is_row(&p->row[5],
	       (double[]){ 6.96332909, 5, 1.09706601, 0.382747855, 0.507318591, 2.37238267, 0.406811435, 0.416042842 });
}

static void one_run_is_judged_by_the_spread_of_the_other_side(void **state)
{
	struct program *p = runs(1);

	(void)state;
	judge_with(p, &bulk, true, false);
	assert_true(p->all.has_replicates);
	is_row(&p->row[5], (double[]){ 5.78498609, 4.64612909, 0.695143038, 0.500495027, 0.249230345, 1.9388644,
				       0.739610628, 0.165305419 });
}

static void with_known_exposure_runs_are_judged_by_what_they_should_have(void **state)
{
	struct program *p = runs(2);
	struct stats_options fixed = { .mode = STATS_FIXED, .rho = 1, .noise = 0.02 };
	double phi;

	(void)state;
	judge_with(p, &fixed, true, true);
	is_row(&p->row[5], (double[]){ 6.42923565, 203, 0.736842105, 0.338050139, 0.421483846, 1.28815444, 0.813808847,
				       0.0763880675 });
	phi = p->row[0].phi;
	judge_with(p, &fixed, true, false);
	assert_true(p->row[0].phi < 0.5 * phi);
}

static void one_file_a_side_is_one_pair(void **state)
{
	struct program *p = runs(1);

	(void)state;
	p->n_files[STATS_BASE] = 1;
	judge_with(p, &bulk, true, false);
	assert_false(p->all.has_replicates);
	near(p->row[5].phi, 1);
	assert_true(isinf(p->row[5].nu));
}

static void a_ratio_far_out_keeps_a_p_of_runs(void **state)
{
	struct program *p = runs(2);

	(void)state;
	for (int side = 0; side < N_STATS_SIDES; side++)
		for (uint32_t i = 0; i < 8; i++) {
			p->value[side][i] *= 1e5;
			p->var[side][i] *= i == 7 ? 1e2 : 1e10;
		}
	p->value[STATS_NEW][7] *= 1e6;
	p->var[STATS_NEW][7] *= 1e6;
	judge_with(p, &bulk, true, false);
	assert_true(p->row[7].p > 0 && p->row[7].p < 0.01);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_are_judged_by_their_spread),
		cmocka_unit_test(one_run_is_judged_by_the_spread_of_the_other_side),
		cmocka_unit_test(with_known_exposure_runs_are_judged_by_what_they_should_have),
		cmocka_unit_test(one_file_a_side_is_one_pair),
		cmocka_unit_test(a_ratio_far_out_keeps_a_p_of_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
