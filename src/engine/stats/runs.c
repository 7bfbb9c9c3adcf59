/*
 * runs.c - variation of rows between runs
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The count y[r] of a row in run r of a side has a relative error with the variance s[r] + tau^2. s[r] is the variance of
 * sampling, which decreases with the length of the run; tau^2 is the variance between runs, which does not. With the
 * weights 1 / (s[r] + tau^2),
 *
 *	Q(tau^2) = sum over sides and runs of (y[r] / expected[r] - mean)^2 / (s[r] + tau^2)
 *
 * has the expectation df, the number of runs minus one for each side (Paule and Mandel 1982). The mean of tau^2 is
 * estimated by the value m at which the sum of Q over all rows equals its expectation.
 *
 * To first order, Q(m) of a row exceeds df by (tau^2 - m) D. This yields the row's own estimate t of tau^2, with the
 * variance v = 2 df / D^2. The variance of these estimates beyond v is h, the variance of tau^2 between rows. The tau^2
 * of a row is the mean of t and m, weighted by 1 / v and 1 / h: empirical Bayes, as in DerSimonian and Laird 1986 for
 * effects. Its variance determines the degrees of freedom of the test (Satterthwaite 1946).
 */
#include "config.h"

#include "base/mem.h"
#include "engine/stats/judge_int.h"

#include <math.h>
#include <stdlib.h>

/* Upper bound on tau^2: a function that varies more between runs has no comparable cost. */
#define TAU2_MAX 100.0
#define BISECTION_STEPS 60
/* Rounds until the weights of rows and the result converge. */
#define ROUNDS 10
/* Min rows for a variance between rows. */
#define ROWS_MIN 6
/*
 * Standard errors that tests add to the tau^2 of a row. For runs of similar lengths an error of tau^2 is compensated by
 * an error of the sampling variance, which is estimated with it. A much longer run has little sampling variance, so its
 * variance depends on tau^2 alone. Both numbers were chosen with script/bench gate.
 */
#define ERRORS_SIMILAR 0.5
#define ERRORS_LONGER 1.8

/* The runs of one side. */
struct stats_runs {
	const double *total;    /* [n] */
	const double *exposure; /* [n], or NULL to use the totals */
	uint32_t n;
};

/* The non-empty runs of a row, on both sides. */
struct row_runs {
	uint32_t n[N_SIDES];
	double *z[N_SIDES], *s[N_SIDES]; /* [n] observed / expected, and the variance of sampling */
	double df;
};

static struct stats_runs stats_runs_of(const struct stats_counts *c, const struct stats_options *options, int side)
{
	uint32_t from = side == SIDE_NEW ? c->n_files[SIDE_BASE] : 0;
	bool is_known = options->mode == STATS_FIXED && c->file_exposure;

	return (struct stats_runs){ .total = c->file_total + from,
				    .exposure = is_known ? c->file_exposure + from : NULL,
				    .n = c->n_files[side] };
}

static double runs_size(const struct stats_runs *r, uint32_t i)
{
	return r->exposure ? r->exposure[i] : r->total[i];
}

/* The value of one sample of a row on a side, or on the other side if it has none. */
static double runs_unit_of(const struct stats_row *row, int side)
{
	int from = row->count[side] > 0 ? side : !side;

	return row->count[from] > 0 ? row->value[from] / row->count[from] : 0;
}

/*
 * Compare the runs of a side with the values expected from their sizes. Without exposures a run's value is binomial in
 * its total; with exposures it is Poisson.
 *
 * y     [r->n] values of the row
 * unit  the value of one sample
 */
static void runs_compare(const struct stats_runs *r, const double *y, double unit, int side, struct row_runs *out)
{
	double sum = 0, size = 0;

	out->n[side] = 0;
	for (uint32_t i = 0; i < r->n; i++) {
		sum += y[i];
		size += runs_size(r, i);
	}
	if (!(size > 0 && unit > 0))
		return;
	double rate = r->exposure ? (sum + 0.5 * unit) / size : (sum + 0.5 * unit) / (size + unit);

	for (uint32_t i = 0; i < r->n; i++) {
		double expected = runs_size(r, i) * rate;
		uint32_t at = out->n[side];

		if (!(expected > 0))
			continue;
		out->z[side][at] = y[i] / expected;
		out->s[side][at] = unit / expected * (r->exposure ? 1 : fmax(1e-9, 1 - rate));
		out->n[side]++;
	}
}

static double add_q(const double *z, const double *s, uint32_t n, double tau2)
{
	double weight = 0, mean = 0, q = 0;

	if (n < 2)
		return 0;
	for (uint32_t i = 0; i < n; i++) {
		weight += 1 / (s[i] + tau2);
		mean += z[i] / (s[i] + tau2);
	}
	mean /= weight;
	for (uint32_t i = 0; i < n; i++)
		q += (z[i] - mean) * (z[i] - mean) / (s[i] + tau2);
	return q;
}

static double q_of(const struct row_runs *r, double tau2)
{
	return add_q(r->z[SIDE_BASE], r->s[SIDE_BASE], r->n[SIDE_BASE], tau2) +
	       add_q(r->z[SIDE_NEW], r->s[SIDE_NEW], r->n[SIDE_NEW], tau2);
}

/* The expected increase of Q per unit of the true tau^2 above this tau2: D in the formulas above. */
static double runs_add_slope(const double *s, uint32_t n, double tau2)
{
	double weight = 0, slope = 0;

	for (uint32_t i = 0; i < n; i++)
		weight += 1 / (s[i] + tau2);
	for (uint32_t i = 0; n > 1 && i < n; i++)
		slope += (1 - 1 / (s[i] + tau2) / weight) / (s[i] + tau2);
	return slope;
}

static double runs_slope_of(const struct row_runs *r, double tau2)
{
	return runs_add_slope(r->s[SIDE_BASE], r->n[SIDE_BASE], tau2) +
	       runs_add_slope(r->s[SIDE_NEW], r->n[SIDE_NEW], tau2);
}

struct estimator {
	const struct stats_counts *c;
	const bool *can_test;
	struct stats_row *row;
	struct stats_runs runs[N_SIDES];
	struct row_runs *of; /* [n_rows] */
	double *memory;
	double mean;          /* mean of tau^2 over all rows */
	double mean_var;      /* the variance of this estimate */
	double between_rows;  /* the variance of tau^2 over rows */
	const double *weight; /* [N_SIDES] factor of the variance between runs in the variance of a side */
};

/* Compare the runs of all rows. Returns the degrees of freedom of a row that occurs in all runs. */
static double runs_compare_rows(struct estimator *e)
{
	const struct stats_counts *c = e->c;
	size_t n_files = (size_t)c->n_files[SIDE_BASE] + c->n_files[SIDE_NEW];
	double max_df = 0, *free_at;

	e->of = mem_zalloc((size_t)c->n_rows + 1, sizeof(*e->of));
	e->memory = free_at = mem_alloc((size_t)c->n_rows + 1, 2 * n_files * sizeof(*e->memory));
	for (uint32_t i = 0; i < c->n_rows; i++) {
		struct row_runs *of = &e->of[i];
		const double *y = c->row_file + i * n_files;

		for (int side = 0; side < N_SIDES; side++) {
			of->z[side] = free_at;
			of->s[side] = free_at + c->n_files[side];
			free_at += 2 * (size_t)c->n_files[side];
			runs_compare(&e->runs[side], y + (side == SIDE_NEW ? c->n_files[SIDE_BASE] : 0),
				     runs_unit_of(&e->row[i], side), side, of);
			of->df += of->n[side] > 1 ? of->n[side] - 1 : 0;
		}
		max_df = fmax(max_df, of->df);
	}
	return max_df;
}

/* The sum of Q - df over all rows: above 0 if runs differ more than tau^2 explains. */
static double excess_of_all(const struct estimator *e, double tau2)
{
	double sum = 0;

	for (uint32_t i = 0; i < e->c->n_rows; i++)
		if (e->can_test[i])
			sum += q_of(&e->of[i], tau2) - e->of[i].df;
	return sum;
}

/* Find the mean of tau^2. */
static void find_mean(struct estimator *e)
{
	double lo = 0, hi = TAU2_MAX;

	if (excess_of_all(e, 0) <= 0)
		return;
	for (int i = 0; i < BISECTION_STEPS; i++) {
		double mid = 0.5 * (lo + hi);

		*(excess_of_all(e, mid) > 0 ? &lo : &hi) = mid;
	}
	e->mean = hi;
}

/* The variance of a row's own estimate of tau^2, given the true tau2. */
static double row_var(const struct estimator *e, const struct row_runs *r, double tau2)
{
	double slope = runs_slope_of(r, e->mean), scale = runs_slope_of(r, tau2);

	return scale > 0 ? 2 * r->df / (slope < scale ? slope * slope : scale * scale) : INFINITY;
}

/* A row's own estimate of tau^2, which may be negative. */
static double row_tau2(const struct estimator *e, const struct row_runs *r)
{
	return e->mean + (q_of(r, e->mean) - r->df) / runs_slope_of(r, e->mean);
}

/* Find the variance of tau^2 over rows, beyond that of their estimates, and the variance of the mean. */
static void find_between_rows(struct estimator *e)
{
	uint32_t n = 0;

	for (int round = 0; round < ROUNDS; round++) {
		double sum = 0, weights = 0, information = 0;

		n = 0;
		for (uint32_t i = 0; i < e->c->n_rows; i++) {
			const struct row_runs *r = &e->of[i];
			double var, off, weight;

			if (!e->can_test[i] || !(r->df > 0))
				continue;
			var = row_var(e, r, e->mean);
			off = row_tau2(e, r) - e->mean;
			weight = 1 / ((var + e->between_rows) * (var + e->between_rows));
			sum += weight * (off * off - var);
			weights += weight;
			information += 1 / (var + e->between_rows);
			n++;
		}
		e->between_rows = weights > 0 ? fmax(0, sum / weights) : 0;
		e->mean_var = information > 0 ? 1 / information : 0;
	}
	if (n < ROWS_MIN)
		e->between_rows = INFINITY;
}

/* The variance of sampling of a row in a typical run, for which 1 / (s + tau^2) equals its mean over the runs. */
static double typical_s(const struct row_runs *r, double tau2)
{
	double weight = 0, n = 0;

	for (int side = 0; side < N_SIDES; side++)
		for (uint32_t i = 0; r->n[side] > 1 && i < r->n[side]; i++) {
			weight += 1 / (r->s[side][i] + tau2);
			n++;
		}
	return n > 0 ? n / weight - tau2 : 0;
}

/* The number of standard errors to add to the tau^2 of a row. */
static double errors_to_add(const struct estimator *e, uint32_t i)
{
	double like = (e->weight[SIDE_BASE] + e->weight[SIDE_NEW]) * typical_s(&e->of[i], e->mean);
	double counts = 1 / e->row[i].count[SIDE_BASE] + 1 / e->row[i].count[SIDE_NEW];

	return ERRORS_SIMILAR + (ERRORS_LONGER - ERRORS_SIMILAR) * fmin(1, fmax(0, 1 - counts / like));
}

static void estimate_row(const struct estimator *e, uint32_t i)
{
	const struct row_runs *r = &e->of[i];
	struct stats_row *row = &e->row[i];
	double var = r->df > 0 ? row_var(e, r, e->mean) : INFINITY, tau2 = e->mean, own = 0;

	if (isfinite(var)) {
		own = isinf(e->between_rows) ? 1 : e->between_rows / (e->between_rows + var);
		tau2 = fmax(0, e->mean + own * (row_tau2(e, r) - e->mean));
		var = row_var(e, r, tau2);
	}
	row->tau = sqrt(tau2);
	if (isinf(var)) /* no runs of its own: use the values of all rows */
		row->tau2_var = isinf(e->between_rows) ? e->mean * e->mean : e->between_rows;
	else
		row->tau2_var = isinf(e->between_rows) ? var : own * var;
	row->tau2_var += e->mean_var;
	row->tau2_high = tau2 + errors_to_add(e, i) * sqrt(row->tau2_var);
}

/* The sum of the squared shares of a side's runs: 1 / n for n equal runs. */
static double concentration(const struct stats_runs *r)
{
	double sum = 0, squares = 0;

	for (uint32_t i = 0; i < r->n; i++) {
		sum += r->total[i];
		squares += r->total[i] * r->total[i];
	}
	return sum > 0 ? squares / (sum * sum) : 1;
}

bool stats_runs_find(const struct stats_counts *c, const struct stats_options *options, const bool *can_test,
		     struct stats_row *row, double weight[N_SIDES])
{
	struct estimator e = { .c = c, .can_test = can_test, .row = row, .weight = weight };
	double df;

	for (int side = 0; side < N_SIDES; side++)
		weight[side] = 1;
	for (uint32_t i = 0; i < c->n_rows; i++) {
		row[i].tau = row[i].tau2_high = row[i].tau2_var = 0;
		row[i].phi = 1;
		row[i].nu = INFINITY;
	}
	if (!c->row_file || !c->file_total)
		return false;
	for (int side = 0; side < N_SIDES; side++) {
		e.runs[side] = stats_runs_of(c, options, side);
		weight[side] = concentration(&e.runs[side]);
	}
	df = runs_compare_rows(&e);
	if (df > 0) {
		find_mean(&e);
		find_between_rows(&e);
		for (uint32_t i = 0; i < c->n_rows; i++)
			estimate_row(&e, i);
	}
	free(e.of);
	free(e.memory);
	return df > 0;
}
