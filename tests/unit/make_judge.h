/*
 * make_judge.h - programs for stats_judge: classes of plain counts, and rows of them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TESTS_UNIT_MAKE_JUDGE_H
#define TESTS_UNIT_MAKE_JUDGE_H

#include "engine/stats/judge.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#define MAX 64
#define FILES 16

/* A program: classes, and rows that are sets of classes. */
struct program {
	uint32_t n_classes, n_cells, n_rows, cell[MAX], row_off[MAX + 1], row_class[MAX * MAX], n_files[N_SIDES];
	double value[N_SIDES][MAX], var[N_SIDES][MAX], limit[MAX], noise[MAX];
	double row_file[MAX * FILES], file_total[FILES], file_exposure[FILES];
	bool is_reference[MAX], has_tested, is_tested[MAX];
	struct stats_row row[MAX];
	struct stats_summary all;
};

static const struct stats_options bulk = { .mode = STATS_BULK, .noise = 0.02 };

/* Add a class of plain counts with its own leaf. */
static inline uint32_t add_class(struct program *p, double base, double new)
{
	uint32_t i = p->n_classes++;

	p->cell[i] = p->n_cells++;
	p->value[SIDE_BASE][i] = p->var[SIDE_BASE][i] = base;
	p->value[SIDE_NEW][i] = p->var[SIDE_NEW][i] = new;
	return i;
}

/* Add a row of the classes [from, to). */
static inline uint32_t add_row(struct program *p, uint32_t from, uint32_t to)
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

static inline void judge_with(struct program *p, const struct stats_options *how, bool has_runs, bool has_exposure)
{
	struct stats_counts c = {
		.n_classes = p->n_classes,
		.n_cells = p->n_cells,
		.n_rows = p->n_rows,
		.cell = p->cell,
		.value = { p->value[SIDE_BASE], p->value[SIDE_NEW] },
		.var = { p->var[SIDE_BASE], p->var[SIDE_NEW] },
		.row_off = p->row_off,
		.row_class = p->row_class,
		.row_is_reference = p->is_reference,
		.row_limit = p->limit,
		.row_noise = p->noise,
		.row_is_tested = p->has_tested ? p->is_tested : NULL,
		.n_files = { has_runs ? p->n_files[SIDE_BASE] : 1, has_runs ? p->n_files[SIDE_NEW] : 1 },
		.row_file = has_runs ? p->row_file : NULL,
		.file_total = has_runs ? p->file_total : NULL,
		.file_exposure = has_exposure ? p->file_exposure : NULL,
	};

	stats_judge(&c, how, p->row, &p->all);
}

static inline void near_to(double got, double want, double relative, int line)
{
	if (fabs(got - want) <= relative * fabs(want))
		return;
	print_error("line %d: %.17g is not %.17g\n", line, got, want);
	fail();
}
#define near(got, want) near_to(got, want, 5e-7, __LINE__)

#endif
