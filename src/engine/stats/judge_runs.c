/*
 * judge_runs.c - how much a row differs between the files of a side
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/stats/judge_int.h"
#include "engine/stats/stats.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

/* The files of one side. */
struct runs {
	const double *total;    /* [n] */
	const double *exposure; /* [n], or NULL when a file has as much of it as its total */
	uint32_t n;
};

static struct runs runs_of(const struct stats_counts *c, const struct stats_how *how, int side)
{
	uint32_t from = side == STATS_NEW ? c->n_files[STATS_BASE] : 0;
	bool is_known = how->mode == STATS_FIXED && c->file_exposure;

	return (struct runs){ .total = c->file_total + from,
			      .exposure = is_known ? c->file_exposure + from : NULL,
			      .n = c->n_files[side] };
}

static double runs_size(const struct runs *r, uint32_t i)
{
	return r->exposure ? r->exposure[i] : r->total[i];
}

/* Degrees of freedom: files that have something, less the one that says where they should be. */
static double runs_df(const struct runs *r)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->n; i++)
		n += runs_size(r, i) > 0;
	return n > 1 ? n - 1 : 0;
}

/*
 * X2 of one side. Without exposures a file's value is binomial in its total; with them it is Poisson.
 *
 * y     [n] of the row
 * unit  the value of one sample
 */
static double runs_x2(const struct runs *r, const double *y, double unit)
{
	double sum = 0, size = 0, x2 = 0;

	if (!(runs_df(r) > 0))
		return 0;
	for (uint32_t i = 0; i < r->n; i++) {
		sum += y[i];
		size += runs_size(r, i);
	}
	double rate = r->exposure ? (sum + 0.5 * unit) / size : (sum + 0.5 * unit) / (size + unit);

	for (uint32_t i = 0; i < r->n; i++) {
		double expected = runs_size(r, i) * rate, off = y[i] - expected;
		double var = expected * (r->exposure ? 1 : 1 - rate) * unit;

		if (var > 0)
			x2 += off * off / var;
	}
	return x2;
}

/* The value of one sample of a row: of its side, else of the other one. */
static double unit_of(const struct stats_row *row, int side)
{
	int from = row->count[side] > 0 ? side : !side;

	return row->count[from] > 0 ? row->value[from] / row->count[from] : 0;
}

bool stats_runs_judge(const struct stats_counts *c, const struct stats_how *how, const bool *can_test,
		      struct stats_row *row)
{
	uint32_t n_files = c->n_files[STATS_BASE] + c->n_files[STATS_NEW], n = 0;
	struct runs runs[N_STATS_SIDES];
	double df = 0;

	for (uint32_t i = 0; i < c->n_rows; i++) {
		row[i].phi = 1;
		row[i].nu = INFINITY;
	}
	if (!c->row_file || !c->file_total)
		return false;
	for (int side = 0; side < N_STATS_SIDES; side++) {
		runs[side] = runs_of(c, how, side);
		df += runs_df(&runs[side]);
	}
	if (!(df > 0))
		return false;

	double *phi = mem_alloc((size_t)c->n_rows + 1, sizeof(*phi));

	for (uint32_t i = 0; i < c->n_rows; i++) {
		const double *y = c->row_file + (size_t)i * n_files;

		row[i].phi = (runs_x2(&runs[STATS_BASE], y, unit_of(&row[i], STATS_BASE)) +
			      runs_x2(&runs[STATS_NEW], y + c->n_files[STATS_BASE], unit_of(&row[i], STATS_NEW))) /
			     df;
		if (can_test[i])
			phi[n++] = row[i].phi;
	}
	struct stats_prior prior = stats_prior(phi, n, df);

	for (uint32_t i = 0; i < c->n_rows; i++)
		row[i].phi = stats_moderate(&prior, row[i].phi, &row[i].nu);
	free(phi);
	return true;
}
