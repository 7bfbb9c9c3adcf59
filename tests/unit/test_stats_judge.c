/*
 * test_stats_judge.c - which rows of two sides differ
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of examples without a source were worked out with SciPy 1.10.
 */
#include "config.h"

#include "engine/stats/judge.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MAX 64
#define FILES 16

/* A program: classes, and rows that are sets of them. */
struct program {
	uint32_t n_classes, n_cells, n_rows, cell[MAX], row_off[MAX + 1], row_class[MAX * MAX], n_files[N_STATS_SIDES];
	double value[N_STATS_SIDES][MAX], var[N_STATS_SIDES][MAX], limit[MAX], noise[MAX];
	double row_file[MAX * FILES], file_total[FILES], file_exposure[FILES];
	bool is_reference[MAX];
	struct stats_row row[MAX];
	struct stats_judged all;
};

static const struct stats_how bulk = { .mode = STATS_BULK, .noise = 0.02 };

/* A class of plain counts with a leaf of its own. */
static uint32_t add_class(struct program *p, double base, double new)
{
	uint32_t i = p->n_classes++;

	p->cell[i] = p->n_cells++;
	p->value[STATS_BASE][i] = p->var[STATS_BASE][i] = base;
	p->value[STATS_NEW][i] = p->var[STATS_NEW][i] = new;
	return i;
}

/* A row of the classes [from, to). */
static uint32_t add_row(struct program *p, uint32_t from, uint32_t to)
{
	uint32_t i = p->n_rows++, at = p->row_off[i];

	while (from < to)
		p->row_class[at++] = from++;
	p->row_off[i + 1] = at;
	p->is_reference[i] = true;
	p->limit[i] = 0.2;
	p->noise[i] = 0.02;
	return i;
}

static void judge_with(struct program *p, const struct stats_how *how, bool has_runs, bool has_exposure)
{
	struct stats_counts c = {
		.n_classes = p->n_classes,
		.n_cells = p->n_cells,
		.n_rows = p->n_rows,
		.cell = p->cell,
		.value = { p->value[STATS_BASE], p->value[STATS_NEW] },
		.var = { p->var[STATS_BASE], p->var[STATS_NEW] },
		.row_off = p->row_off,
		.row_class = p->row_class,
		.row_is_reference = p->is_reference,
		.row_limit = p->limit,
		.row_noise = p->noise,
		.n_files = { has_runs ? p->n_files[STATS_BASE] : 1, has_runs ? p->n_files[STATS_NEW] : 1 },
		.row_file = has_runs ? p->row_file : NULL,
		.file_total = has_runs ? p->file_total : NULL,
		.file_exposure = has_exposure ? p->file_exposure : NULL,
	};

	stats_judge(&c, how, p->row, &p->all);
}

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

static void near_to(double got, double want, double relative, int line)
{
	if (fabs(got - want) <= relative * fabs(want))
		return;
	print_error("line %d: %.17g is not %.17g\n", line, got, want);
	fail();
}
#define near(got, want) near_to(got, want, 5e-7, __LINE__)

static void example_13_is_one_pair(void **state)
{
	static struct program p;
	struct stats_how fixed = { .mode = STATS_FIXED, .rho = exp(0.05), .noise = 0.02 };

	(void)state;
	add_class(&p, 150, 240);
	add_row(&p, 0, 1);
	p.noise[0] = sqrt(0.5 * (0.0012 + 2 * 0.02 * 0.02)); /* var mu and tau of the example, all in one */
	judge_with(&p, &fixed, false, false);
	near(p.row[0].ratio, 1.521967);
	near_to(p.row[0].se, 0.113284, 5e-6, __LINE__);
	near(p.row[0].p, 8.927927e-05);
	near(p.row[0].lo, 1.263224);
	near(p.row[0].hi, 1.833707);
	fixed.strict = true;
	judge_with(&p, &fixed, false, false);
	near(p.row[0].p, 1.747058e-02);
	near(p.row[0].p_over, 1 - 1.747058e-02);
	near(p.row[0].p_less, 1 - 8.927927e-05);
}

static void a_slower_function_is_found_and_no_other(void **state)
{
	struct program *p = steady();

	(void)state;
	p->value[STATS_NEW][0] = p->var[STATS_NEW][0] = 640;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(example_13_is_one_pair),
		cmocka_unit_test(a_slower_function_is_found_and_no_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
