/*
 * judge.c - which rows of two sides differ, and how sure that is
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/stats/judge.h"

#include "base/mem.h"
#include "base/pool.h"
#include "engine/stats/judge_int.h"
#include "engine/stats/stats.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

/* A row is excluded from all references when it differs from the rest by that many standard errors and that ratio. */
#define CLEAR_Z 3.5
#define CLEAR_RATIO 1.1
#define EXCLUDED_MAX 8
/* Below it a p of counts has lost precision: the logarithm is taken as normal. */
#define EXACT_P_MIN 1e-300
/* The excluded rows have less than that share of the program. */
#define EXCLUDED_SHARE_MAX 0.5
/* With less of the program outside of a row there is nothing to compare it with: outside of a loop that is nearly all
   of a program are the scheduler and the like, which vary with the load. */
#define OUTSIDE_SHARE_MIN 0.1
#define NO_ROW UINT32_MAX
/* Fewer classes of rows are not worth a thread. */
#define THREAD_CLASSES_MIN 500000

struct judge {
	const struct stats_counts *c;
	const struct stats_options *options;
	struct stats_row *row;
	struct stats_cell total;
	struct stats_outside *outside;
	struct stats_seen *seen; /* [n_rows] */
	uint32_t *round;         /* [n_rows] in which it was seen last; 0 for never */
	uint32_t now;            /* the round; the excluded rows are the same throughout it */
	uint32_t *row_list;      /* [n_rows] for judge_see */
	double excluded;         /* share */
	struct stats_cell gone;  /* the sum of what is excluded */
	bool has_replicates;
	double runs; /* 1 / files of base + 1 / files of new */
};

/* The variance of ln ratio of a row, given that of the two counts alone. */
static double judge_var(const struct judge *j, uint32_t row, double counts, double reference, double tau)
{
	double noise = fmax(j->options->noise, j->c->row_noise[row]);

	if (j->has_replicates)
		return (counts + reference) * j->row[row].phi + noise * noise * j->runs;
	return counts + reference + 2 * pow(fmax(tau, noise), 2);
}

/* The mean of a part's shares on both sides: no side counts more because it has more files. */
static double judge_share(const struct judge *j, const struct stats_cell *part)
{
	double share = 0;

	for (int side = 0; side < N_STATS_SIDES; side++)
		if (j->total.value[side] > 0)
			share += part->value[side] / j->total.value[side];
	return share / N_STATS_SIDES;
}

/* Compare rows with what is not excluded: those that are wanted, or all, but none twice in a round. */
static void judge_see(struct judge *j, bool (*wants)(const struct judge *j, uint32_t row))
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < j->c->n_rows; i++) {
		if (j->round[i] == j->now || (wants && !wants(j, i)))
			continue;
		j->round[i] = j->now;
		j->row_list[n++] = i;
	}
	assert(n <= j->c->n_rows);
	stats_outside_see(j->outside, j->row_list, n, j->options->mode == STATS_BULK, j->seen);
}

/*
 * Does the part of a row that is not excluded clearly differ from the rest? z is the distance in standard errors. Counts
 * with a zero get half a sample, as cells.
 */
static bool judge_is_clear(const struct judge *j, uint32_t row, const struct stats_seen *seen, double *z)
{
	double x, counts, half[N_STATS_SIDES], k[N_STATS_SIDES];

	if (!seen->has_centre)
		return false;
	for (int side = 0; side < N_STATS_SIDES; side++)
		k[side] = stats_count(seen->left.value[side], seen->left.var[side]);
	if (k[STATS_BASE] > 0 && k[STATS_NEW] > 0) {
		x = log(seen->left.value[STATS_NEW] / seen->left.value[STATS_BASE]);
		counts = 1 / k[STATS_BASE] + 1 / k[STATS_NEW];
	} else {
		int some = k[STATS_BASE] > 0 ? STATS_BASE : STATS_NEW;

		if (!(k[some] > 0 && j->total.var[!some] > 0))
			return false;
		half[some] = seen->left.value[some] * (1 + 0.5 / k[some]);
		half[!some] = 0.5 * j->total.var[!some] / j->total.value[!some];
		x = log(half[STATS_NEW] / half[STATS_BASE]);
		counts = 1 / (k[STATS_BASE] + 0.5) + 1 / (k[STATS_NEW] + 0.5);
	}
	x -= seen->centre.mu;
	*z = fabs(x) / sqrt(judge_var(j, row, counts, seen->centre.var, seen->centre.tau));
	return *z > CLEAR_Z && fabs(x) > log(CLEAR_RATIO) &&
	       j->excluded + judge_share(j, &seen->left) < EXCLUDED_SHARE_MAX;
}

static bool judge_may_exclude(const struct judge *j, uint32_t row)
{
	struct stats_cell all = { .value = { j->row[row].value[STATS_BASE], j->row[row].value[STATS_NEW] } };

	return j->c->row_is_reference[row] && !j->row[row].is_excluded && judge_share(j, &all) < EXCLUDED_SHARE_MAX;
}

/* Exclude the row that is the farthest; false when none is clear. */
static bool judge_exclude(struct judge *j)
{
	uint32_t farthest = NO_ROW;
	double most = 0, z;

	judge_see(j, judge_may_exclude);
	for (uint32_t i = 0; i < j->c->n_rows; i++)
		if (judge_may_exclude(j, i) && judge_is_clear(j, i, &j->seen[i], &z) && z > most) {
			most = z;
			farthest = i;
		}
	if (farthest == NO_ROW)
		return false;
	j->row[farthest].is_excluded = true;
	j->excluded += judge_share(j, &j->seen[farthest].left);
	assert(j->excluded >= 0 && j->excluded < EXCLUDED_SHARE_MAX);
	stats_cell_add(&j->gone, &j->seen[farthest].left);
	stats_outside_exclude(j->outside, farthest);
	j->now++;
	return true;
}

/* The share of the program outside of a row and of what is excluded, on the side with the larger one. */
static double judge_outside(const struct judge *j, const struct stats_seen *seen)
{
	double most = 0;

	for (int side = 0; side < N_STATS_SIDES; side++)
		if (j->total.value[side] > 0)
			most = fmax(most, 1 - (seen->left.value[side] + j->gone.value[side]) / j->total.value[side]);
	return most;
}

/* The divisor of the ratio of a row, the variance of its logarithm and the spread; NAN without a reference. */
static double judge_rho(struct judge *j, uint32_t row, double *var, double *tau)
{
	const struct stats_seen *seen;

	*var = 0;
	*tau = j->options->noise;
	if (j->options->mode == STATS_FIXED)
		return j->options->rho > 0 && isfinite(j->options->rho) ? j->options->rho : NAN;
	seen = &j->seen[row];
	if (judge_outside(j, seen) < OUTSIDE_SHARE_MIN)
		return NAN;
	if (seen->has_centre) {
		j->row[row].n_cells = seen->centre.n_cells;
		*var = seen->centre.var;
		*tau = seen->centre.tau;
		return exp(seen->centre.mu);
	}
	if (stats_cell_counts(&seen->rest) < STATS_CELL_MIN)
		return NAN;
	for (int side = 0; side < N_STATS_SIDES; side++)
		*var += 1 / stats_count(seen->rest.value[side], seen->rest.var[side]);
	return isfinite(*var) ? seen->rest.value[STATS_NEW] / seen->rest.value[STATS_BASE] : NAN;
}

/*
 * The p-value of so large a ratio, or of so small a one, when it is r0. The smaller one of both tails is computed, so that it keeps its
 * digits, and has as many degrees of freedom as the row has.
 */
static double judge_p(const struct judge *j, const struct stats_row *row, double kb, double kn, double r0, bool is_less)
{
	double rho = kn / kb / row->ratio;
	bool is_above = row->ratio >= r0;
	double p = is_above ? stats_ratio_p(kb, kn, rho, r0) : stats_ratio_p(kn, kb, 1 / rho, 1 / r0);

	if (j->has_replicates)
		p = p < EXACT_P_MIN ? stats_t_tail(fabs(log(row->ratio / r0)) / row->se, row->nu)
				    : stats_p_to_t(p, row->nu);
	assert(p >= 0 && p <= 1);
	return is_above == is_less ? 1 - p : p;
}

static void judge_test(struct judge *j, uint32_t i)
{
	struct stats_row *row = &j->row[i];
	double limit = 1 + j->c->row_limit[i], var, tau, counts, reach;

	row->rho = judge_rho(j, i, &var, &tau);
	row->ratio = row->value[STATS_NEW] / row->value[STATS_BASE] / row->rho;
	if (!(row->ratio > 0 && isfinite(row->ratio))) {
		row->ratio = NAN;
		return;
	}
	counts = 1 / row->count[STATS_BASE] + 1 / row->count[STATS_NEW];
	row->se = sqrt(judge_var(j, i, counts, var, tau));
	assert(counts > 0 && row->se > 0);

	double shrink = row->se * row->se / counts;
	double kb = row->count[STATS_BASE] / shrink, kn = row->count[STATS_NEW] / shrink;

	reach = row->se * (j->has_replicates ? stats_t_quantile(0.05, row->nu) : stats_normal_quantile(0.05));
	row->lo = row->ratio * exp(-reach);
	row->hi = row->ratio * exp(reach);
	assert(row->lo <= row->ratio && row->ratio <= row->hi);
	if (j->c->row_is_tested && !j->c->row_is_tested[i])
		return;
	row->p = judge_p(j, row, kb, kn, j->options->strict ? limit : 1, false);
	row->p_over = judge_p(j, row, kb, kn, limit, true);
	row->p_less = judge_p(j, row, kb, kn, 1, true);
}

static void judge_adjust(const struct judge *j)
{
	uint32_t n = j->c->n_rows;
	double *p = mem_alloc(2 * (size_t)n + 1, sizeof(*p)), *less = p + n;

	for (uint32_t i = 0; i < n; i++) {
		p[i] = j->row[i].p;
		less[i] = j->row[i].p_less;
	}
	if (j->options->adjust == STATS_HOLM) {
		stats_holm(p, n);
		stats_holm(less, n);
	} else if (j->options->adjust == STATS_BH) {
		stats_bh(p, n);
		stats_bh(less, n);
	}
	for (uint32_t i = 0; i < n; i++) {
		assert(isnan(p[i]) == isnan(j->row[i].p) && isnan(less[i]) == isnan(j->row[i].p_less));
		j->row[i].p_adjusted = p[i];
		j->row[i].p_less_adjusted = less[i];
	}
	free(p);
}

/* Add up a row. */
static void judge_sum_row(const struct judge *j, uint32_t i)
{
	const struct stats_counts *c = j->c;
	struct stats_row *row = &j->row[i];
	struct stats_cell sum = { 0 };

	*row = (struct stats_row){
		.rho = NAN, .ratio = NAN, .lo = NAN, .hi = NAN, .se = NAN, .p = NAN, .p_over = NAN, .p_less = NAN
	};
	for (uint32_t at = c->row_off[i]; at < c->row_off[i + 1]; at++)
		for (int side = 0; side < N_STATS_SIDES; side++) {
			sum.value[side] += c->value[side][c->row_class[at]];
			sum.var[side] += c->var[side][c->row_class[at]];
		}
	for (int side = 0; side < N_STATS_SIDES; side++) {
		row->value[side] = sum.value[side];
		row->count[side] = stats_count(sum.value[side], sum.var[side]);
	}
}

/* The rows that threads add up, one after the other. */
struct row_queue {
	const struct judge *j;
	atomic_uint next;
};

static void judge_sum_rows(void *arg, unsigned thread)
{
	struct row_queue *s = arg;
	uint32_t i;

	(void)thread;
	while ((i = atomic_fetch_add(&s->next, 1)) < s->j->c->n_rows)
		judge_sum_row(s->j, i);
}

/* Add up rows and the program. */
static void judge_sum(struct judge *j)
{
	const struct stats_counts *c = j->c;
	struct row_queue s = { .j = j };

	for (uint32_t i = 0; i < c->n_classes; i++)
		for (int side = 0; side < N_STATS_SIDES; side++) {
			j->total.value[side] += c->value[side][i];
			j->total.var[side] += c->var[side][i];
		}
	pool_run(judge_sum_rows, &s, c->row_off[c->n_rows] < THREAD_CLASSES_MIN ? 1 : pool_size());
}

/* The files of one side. */
struct runs {
	const double *total;    /* [n] */
	const double *exposure; /* [n], or NULL when a file has as much of it as its total */
	uint32_t n;
};

static struct runs runs_of(const struct stats_counts *c, const struct stats_options *options, int side)
{
	uint32_t from = side == STATS_NEW ? c->n_files[STATS_BASE] : 0;
	bool is_known = options->mode == STATS_FIXED && c->file_exposure;

	return (struct runs){ .total = c->file_total + from,
			      .exposure = is_known ? c->file_exposure + from : NULL,
			      .n = c->n_files[side] };
}

static double runs_size(const struct runs *r, uint32_t i)
{
	return r->exposure ? r->exposure[i] : r->total[i];
}

/* Degrees of freedom: files that are not empty, less one for the mean. */
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

/*
 * Set phi and nu of all rows from the files of both sides; value and count are known. Without replicates they
 * are 1 and INFINITY.
 *
 * can_test  [n_rows] rows that the prior is taken from
 * Gives     are there replicates?
 */
static bool find_dispersions(const struct stats_counts *c, const struct stats_options *options, const bool *can_test,
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
		runs[side] = runs_of(c, options, side);
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
	assert(n <= c->n_rows);
	struct stats_prior prior = stats_prior(phi, n, df);

	for (uint32_t i = 0; i < c->n_rows; i++)
		row[i].phi = stats_moderate(&prior, row[i].phi, &row[i].nu);
	free(phi);
	return true;
}

/* Dispersions, with a prior from rows that have both sides, sampling errors and something outside of them. */
static void judge_runs(struct judge *j)
{
	const struct stats_counts *c = j->c;
	bool *can_test = mem_zalloc((size_t)c->n_rows + 1, sizeof(*can_test));

	for (uint32_t i = 0; i < c->n_rows; i++) {
		can_test[i] = true;
		for (int side = 0; side < N_STATS_SIDES; side++) {
			double k = j->row[i].count[side];

			if (!(k > 0) || k >= STATS_COUNT_MAX)
				can_test[i] = false;
		}
		if (can_test[i] && j->options->mode != STATS_FIXED)
			can_test[i] = j->row[i].value[STATS_BASE] < j->total.value[STATS_BASE] &&
				      j->row[i].value[STATS_NEW] < j->total.value[STATS_NEW];
	}
	j->has_replicates = find_dispersions(c, j->options, can_test, j->row);
	j->runs = 0;
	for (int side = 0; side < N_STATS_SIDES; side++)
		j->runs += 1.0 / fmax(1, c->n_files[side]);
	free(can_test);
}

void stats_judge(const struct stats_counts *c, const struct stats_options *options, struct stats_row *row,
		 struct stats_judged *out)
{
	struct judge j = { .c = c, .options = options, .row = row, .now = 1 };
	struct stats_seen whole;

	assert(options->noise >= 0 && c->row_limit && c->row_noise && c->row_off[0] == 0);
	judge_sum(&j);
	judge_runs(&j);
	j.outside = stats_outside_new(c, options->noise);
	j.seen = mem_zalloc((size_t)c->n_rows + 1, sizeof(*j.seen));
	j.round = mem_zalloc((size_t)c->n_rows + 1, sizeof(*j.round));
	j.row_list = mem_alloc((size_t)c->n_rows + 1, sizeof(*j.row_list));
	for (int i = 0; options->mode == STATS_BULK && i < EXCLUDED_MAX; i++)
		if (!judge_exclude(&j))
			break;
	if (options->mode != STATS_FIXED)
		judge_see(&j, NULL);
	for (uint32_t i = 0; i < c->n_rows; i++)
		judge_test(&j, i);
	judge_adjust(&j);
	stats_outside_see_all(j.outside, true, &whole);
	*out = (struct stats_judged){ .row = row, .total_ratio = NAN, .tau = NAN, .has_replicates = j.has_replicates };
	for (int side = 0; side < N_STATS_SIDES; side++)
		out->total[side] = j.total.value[side];
	if (whole.has_centre) {
		out->total_ratio = out->total[STATS_NEW] / out->total[STATS_BASE] / exp(whole.centre.mu);
		out->tau = whole.centre.tau;
	}
	stats_outside_free(j.outside);
	free(j.seen);
	free(j.round);
	free(j.row_list);
}
