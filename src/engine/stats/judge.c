/*
 * judge.c - test which rows differ between two sides
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

/* A row is excluded from all references if it differs by more than this many standard errors and this ratio. */
#define CLEAR_Z 3.5
#define CLEAR_RATIO 1.1
#define EXCLUDED_MAX 8
/* Below this p the exact test loses precision, so a t distribution of the logarithm is used. */
#define EXACT_P_MIN 1e-300
/* Max share of the program that all excluded rows may have together. */
#define EXCLUDED_SHARE_MAX 0.5
/* Min share of the program outside of a row for a comparison: outside of a loop that is nearly the whole program there
   are only functions such as the scheduler's, which vary with the load. */
#define OUTSIDE_SHARE_MIN 0.1
#define NO_ROW UINT32_MAX
/* Min degrees of freedom; with fewer, the tails of the t distribution are too heavy for a bounded variance. */
#define NU_MIN 30
/* Min classes of rows for using threads. */
#define THREAD_CLASSES_MIN 500000

struct judge {
	const struct stats_counts *c;
	const struct stats_options *options;
	struct stats_row *row;
	struct stats_cell total;
	struct stats_reference *reference;
	struct stats_reference_result *found; /* [n_rows] */
	uint32_t *round;                      /* [n_rows] round in which the row was last compared; 0: never */
	uint32_t current_round;               /* current round; it ends when a row is excluded */
	uint32_t *row_list;                   /* [n_rows] scratch memory */
	double excluded_share;                /* share of the excluded rows */
	struct stats_cell excluded_sum;       /* sum of the excluded classes */
	bool has_replicates;
	double weight[N_SIDES]; /* factor of the variance between runs: 1 / n for n equal runs */
};

/* The variance of ln ratio of a row, given the variance from its two counts alone. */
static double judge_var(const struct judge *j, uint32_t row, double counts, double reference, double tau)
{
	double noise = fmax(j->options->noise, j->c->row_noise[row]);

	if (j->has_replicates)
		return counts + reference +
		       (j->row[row].tau2_high + noise * noise) * (j->weight[SIDE_BASE] + j->weight[SIDE_NEW]);
	return counts + reference + 2 * pow(fmax(tau, noise), 2);
}

/* The mean of a part's shares of both sides. Sides have equal weight, regardless of their number of files. */
static double judge_share(const struct judge *j, const struct stats_cell *part)
{
	double share = 0;

	for (int side = 0; side < N_SIDES; side++)
		if (j->total.value[side] > 0)
			share += part->value[side] / j->total.value[side];
	return share / N_SIDES;
}

/* Find the references of the wanted rows, or of all rows; each is found at most once per round. */
static void judge_find_references(struct judge *j, bool (*wants)(const struct judge *j, uint32_t row))
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < j->c->n_rows; i++) {
		if (j->round[i] == j->current_round || (wants && !wants(j, i)))
			continue;
		j->round[i] = j->current_round;
		j->row_list[n++] = i;
	}
	assert(n <= j->c->n_rows);
	stats_reference_find(j->reference, j->row_list, n, j->options->mode == STATS_BULK, j->found);
}

/*
 * Does the part of a row that is not excluded clearly differ from its reference? z is set to the distance in standard
 * errors. If a count is 0, half a sample is added to both, as for cells.
 */
static bool judge_is_clear(const struct judge *j, uint32_t row, const struct stats_reference_result *found, double *z)
{
	double x, counts, half[N_SIDES], k[N_SIDES];

	if (!found->has_centre)
		return false;
	for (int side = 0; side < N_SIDES; side++)
		k[side] = stats_count(found->remaining.value[side], found->remaining.var[side]);
	if (k[SIDE_BASE] > 0 && k[SIDE_NEW] > 0) {
		x = log(found->remaining.value[SIDE_NEW] / found->remaining.value[SIDE_BASE]);
		counts = 1 / k[SIDE_BASE] + 1 / k[SIDE_NEW];
	} else {
		int some = k[SIDE_BASE] > 0 ? SIDE_BASE : SIDE_NEW;

		if (!(k[some] > 0 && j->total.var[!some] > 0))
			return false;
		half[some] = found->remaining.value[some] * (1 + 0.5 / k[some]);
		half[!some] = 0.5 * j->total.var[!some] / j->total.value[!some];
		x = log(half[SIDE_NEW] / half[SIDE_BASE]);
		counts = 1 / (k[SIDE_BASE] + 0.5) + 1 / (k[SIDE_NEW] + 0.5);
	}
	x -= found->centre.mu;
	*z = fabs(x) / sqrt(judge_var(j, row, counts, found->centre.var, found->centre.tau));
	return *z > CLEAR_Z && fabs(x) > log(CLEAR_RATIO) &&
	       j->excluded_share + judge_share(j, &found->remaining) < EXCLUDED_SHARE_MAX;
}

static bool judge_may_exclude(const struct judge *j, uint32_t row)
{
	struct stats_cell all = { .value = { j->row[row].value[SIDE_BASE], j->row[row].value[SIDE_NEW] } };

	return j->c->row_is_reference[row] && !j->row[row].is_excluded && judge_share(j, &all) < EXCLUDED_SHARE_MAX;
}

/* Exclude the row with the largest z. Returns false if no row clearly differs. */
static bool judge_exclude(struct judge *j)
{
	uint32_t farthest = NO_ROW;
	double largest = 0, z;

	judge_find_references(j, judge_may_exclude);
	for (uint32_t i = 0; i < j->c->n_rows; i++)
		if (judge_may_exclude(j, i) && judge_is_clear(j, i, &j->found[i], &z) && z > largest) {
			largest = z;
			farthest = i;
		}
	if (farthest == NO_ROW)
		return false;
	j->row[farthest].is_excluded = true;
	j->excluded_share += judge_share(j, &j->found[farthest].remaining);
	assert(j->excluded_share >= 0 && j->excluded_share < EXCLUDED_SHARE_MAX);
	stats_cell_add(&j->excluded_sum, &j->found[farthest].remaining);
	stats_reference_exclude(j->reference, farthest);
	j->current_round++;
	return true;
}

/* The share of the program outside of a row and of excluded rows, on the side where it is larger. */
static double judge_outside_share(const struct judge *j, const struct stats_reference_result *found)
{
	double largest = 0;

	for (int side = 0; side < N_SIDES; side++)
		if (j->total.value[side] > 0)
			largest = fmax(largest, 1 - (found->remaining.value[side] + j->excluded_sum.value[side]) /
								j->total.value[side]);
	return largest;
}

/* Find the divisor of a row's ratio, with the variance of its logarithm and the spread; NAN without a reference. */
static double judge_rho(struct judge *j, uint32_t row, double *var, double *tau)
{
	const struct stats_reference_result *found;

	*var = 0;
	*tau = j->options->noise;
	if (j->options->mode == STATS_FIXED)
		return j->options->rho > 0 && isfinite(j->options->rho) ? j->options->rho : NAN;
	found = &j->found[row];
	if (judge_outside_share(j, found) < OUTSIDE_SHARE_MIN)
		return NAN;
	if (found->has_centre) {
		j->row[row].n_cells = found->centre.n_cells;
		*var = found->centre.var;
		*tau = found->centre.tau;
		return exp(found->centre.mu);
	}
	if (stats_cell_counts(&found->rest) < STATS_CELL_MIN)
		return NAN;
	for (int side = 0; side < N_SIDES; side++)
		*var += 1 / stats_count(found->rest.value[side], found->rest.var[side]);
	return isfinite(*var) ? found->rest.value[SIDE_NEW] / found->rest.value[SIDE_BASE] : NAN;
}

/*
 * The p-value of a ratio this large, or this small if is_less, if the true ratio is r0. The smaller tail is computed,
 * to keep its digits, with the degrees of freedom of the row.
 */
static double judge_p(const struct judge *j, const struct stats_row *row, double kb, double kn, double r0, bool is_less)
{
	double rho = kn / kb / row->ratio;
	bool is_above = row->ratio >= r0;
	double p;

	if (is_above && !is_less) /* this p-value can fail a build */
		p = stats_ratio_p_exact(kb, kn, rho, r0);
	else
		p = is_above ? stats_ratio_p(kb, kn, rho, r0) : stats_ratio_p(kn, kb, 1 / rho, 1 / r0);
	if (j->has_replicates)
		p = p < EXACT_P_MIN ? stats_t_tail(fabs(log(row->ratio / r0)) / row->se, row->nu)
				    : stats_p_to_t(p, row->nu);
	assert(p >= 0 && p <= 1);
	return is_above == is_less ? 1 - p : p;
}

/*
 * Set dispersion and degrees of freedom of a row's test. Only a part of the variance is estimated from runs;
 * Satterthwaite's approximation yields its degrees of freedom. With many short runs on one side and one long run on the
 * other, there are fewer than the number of runs suggests.
 */
static void judge_runs_of(const struct judge *j, struct stats_row *row, double counts)
{
	double weight = j->weight[SIDE_BASE] + j->weight[SIDE_NEW], var = row->se * row->se;

	row->phi = 1 + row->tau2_high * weight / counts;
	if (row->tau2_var > 0)
		row->nu = fmax(NU_MIN, 2 * var * var / (weight * weight * row->tau2_var));
}

static void judge_test(struct judge *j, uint32_t i)
{
	struct stats_row *row = &j->row[i];
	double limit = 1 + j->c->row_limit[i], var, tau, counts, reach;

	row->rho = judge_rho(j, i, &var, &tau);
	if (row->count[SIDE_BASE] <= j->options->new_max)
		return;
	row->ratio = row->value[SIDE_NEW] / row->value[SIDE_BASE] / row->rho;
	if (!(row->ratio > 0 && isfinite(row->ratio))) {
		row->ratio = NAN;
		return;
	}
	counts = 1 / row->count[SIDE_BASE] + 1 / row->count[SIDE_NEW];
	row->se = sqrt(judge_var(j, i, counts, var, tau));
	if (j->has_replicates)
		judge_runs_of(j, row, counts);
	assert(counts > 0 && row->se > 0);

	double shrink = row->se * row->se / counts;
	double kb = row->count[SIDE_BASE] / shrink, kn = row->count[SIDE_NEW] / shrink;

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

/* Add up the classes of a row. */
static void judge_sum_row(const struct judge *j, uint32_t i)
{
	const struct stats_counts *c = j->c;
	struct stats_row *row = &j->row[i];
	struct stats_cell sum = { 0 };

	*row = (struct stats_row){
		.rho = NAN, .ratio = NAN, .lo = NAN, .hi = NAN, .se = NAN, .p = NAN, .p_over = NAN, .p_less = NAN
	};
	for (uint32_t at = c->row_off[i]; at < c->row_off[i + 1]; at++)
		for (int side = 0; side < N_SIDES; side++) {
			sum.value[side] += c->value[side][c->row_class[at]];
			sum.var[side] += c->var[side][c->row_class[at]];
		}
	for (int side = 0; side < N_SIDES; side++) {
		row->value[side] = sum.value[side];
		row->count[side] = stats_count(sum.value[side], sum.var[side]);
	}
}

/* Queue of rows to add up, shared by threads. */
struct judge_row_queue {
	const struct judge *j;
	atomic_uint next;
};

static void judge_sum_rows(void *arg, unsigned thread)
{
	struct judge_row_queue *s = arg;
	uint32_t i;

	(void)thread;
	while ((i = atomic_fetch_add(&s->next, 1)) < s->j->c->n_rows)
		judge_sum_row(s->j, i);
}

/* Add up all rows and the whole program. */
static void judge_sum(struct judge *j)
{
	const struct stats_counts *c = j->c;
	struct judge_row_queue s = { .j = j };

	for (uint32_t i = 0; i < c->n_classes; i++)
		for (int side = 0; side < N_SIDES; side++) {
			j->total.value[side] += c->value[side][i];
			j->total.var[side] += c->var[side][i];
		}
	pool_run(judge_sum_rows, &s, c->row_off[c->n_rows] < THREAD_CLASSES_MIN ? 1 : pool_size());
}

/* Find the variation between runs. The prior comes from rows that have both sides, sampling errors and a rest of the
   program. */
static void judge_runs(struct judge *j)
{
	const struct stats_counts *c = j->c;
	bool *can_test = mem_zalloc((size_t)c->n_rows + 1, sizeof(*can_test));

	for (uint32_t i = 0; i < c->n_rows; i++) {
		can_test[i] = true;
		for (int side = 0; side < N_SIDES; side++) {
			double k = j->row[i].count[side];

			if (!(k > 0) || k >= STATS_COUNT_MAX)
				can_test[i] = false;
		}
		if (can_test[i] && j->options->mode != STATS_FIXED)
			can_test[i] = j->row[i].value[SIDE_BASE] < j->total.value[SIDE_BASE] &&
				      j->row[i].value[SIDE_NEW] < j->total.value[SIDE_NEW];
	}
	j->has_replicates = stats_runs_find(c, j->options, can_test, j->row, j->weight);
	free(can_test);
}

/* The changed part of the program, and the largest variance between runs of its rows. */
struct changed {
	struct stats_cell sum;
	double tau2;
};

/* Add up the classes of rows that are new, gone or excluded. */
static struct changed judge_changed(const struct judge *j)
{
	bool *is_changed = mem_zalloc((size_t)j->c->n_classes + 1, sizeof(*is_changed));
	struct changed changed = { 0 };

	for (uint32_t i = 0; i < j->c->n_rows; i++) {
		const struct stats_row *row = &j->row[i];

		if (!row->is_excluded && row->count[SIDE_BASE] > j->options->new_max &&
		    row->count[SIDE_NEW] > j->options->new_max)
			continue;
		changed.tau2 = fmax(changed.tau2, row->tau2_high);
		for (uint32_t at = j->c->row_off[i]; at < j->c->row_off[i + 1]; at++)
			is_changed[j->c->row_class[at]] = true;
	}
	for (uint32_t i = 0; i < j->c->n_classes; i++)
		for (int side = 0; is_changed[i] && side < N_SIDES; side++) {
			changed.sum.value[side] += j->c->value[side][i];
			changed.sum.var[side] += j->c->var[side][i];
		}
	free(is_changed);
	return changed;
}

static double cell_count(const struct stats_cell *c, int side)
{
	return stats_count(c->value[side], c->var[side]);
}

/* Effective count of the unchanged part of a side. */
static double rest_count(const struct judge *j, const struct changed *changed, int side)
{
	return stats_count(j->total.value[side] - changed->sum.value[side],
			   fmax(0, j->total.var[side] - changed->sum.var[side]));
}

/* The variance between runs of the changed part of a side. */
static double judge_run_var(const struct judge *j, int side, double tau2, double tau)
{
	double noise = j->options->noise;

	return j->has_replicates ? (tau2 + noise * noise) * j->weight[side] : pow(fmax(tau, noise), 2);
}

/*
 * Find the variance of ln growth. Let U be the unchanged part, C the changed part with the share c of its side, and mu
 * the centre of U. Then ln growth is ln((U + C) new / (U + C) base) - mu. A random deviation of U is in mu too, so only
 * C, and U with the weight of C, add to the variance: sum over sides of c^2 (1/U + 1/C). A robust mu varies more than
 * the sums of U do, by var(mu) - (1/U base + 1/U new) (Hausman 1978).
 */
static double judge_growth_var(const struct judge *j, const struct changed *changed, double mu_var, double tau)
{
	double var = 0, own = mu_var;

	for (int side = 0; side < N_SIDES; side++) {
		double share = changed->sum.value[side] / j->total.value[side];
		double k = rest_count(j, changed, side), counts = 1 / cell_count(&j->total, side);

		own -= k > 0 ? 1 / k : 0;
		if (share > 0 && k > 0)
			counts = share * share * (1 / k + 1 / cell_count(&changed->sum, side));
		var += share > 0 ? counts + share * share * judge_run_var(j, side, changed->tau2, tau) : 0;
	}
	return var + fmax(0, own);
}

/* Find the growth of the program relative to its unchanged part. */
static void judge_growth(const struct judge *j, const struct stats_reference_result *whole, struct stats_summary *out)
{
	double ratio = j->total.value[SIDE_NEW] / j->total.value[SIDE_BASE], var = 0;
	struct changed changed = judge_changed(j);

	out->growth = out->growth_se = NAN;
	if (j->options->mode == STATS_FIXED) {
		for (int side = 0; side < N_SIDES; side++)
			var += 1 / cell_count(&j->total, side) + judge_run_var(j, side, changed.tau2, 0);
		out->growth = ratio / j->options->rho;
	} else if (whole->has_centre) {
		var = judge_growth_var(j, &changed, whole->centre.var, whole->centre.tau);
		out->growth = ratio / exp(whole->centre.mu);
	} else {
		double rest[N_SIDES], counts = 0;

		for (int side = 0; side < N_SIDES; side++) {
			double k = rest_count(j, &changed, side);

			rest[side] = j->total.value[side] - changed.sum.value[side];
			counts += k;
			var += 1 / k;
		}
		if (!(isfinite(var) && counts >= STATS_CELL_MIN))
			return;
		var = judge_growth_var(j, &changed, var, 0);
		out->growth = ratio / (rest[SIDE_NEW] / rest[SIDE_BASE]);
	}
	out->growth_se = sqrt(var);
}

void stats_judge(const struct stats_counts *c, const struct stats_options *options, struct stats_row *row,
		 struct stats_summary *out)
{
	struct judge j = { .c = c, .options = options, .row = row, .current_round = 1 };
	struct stats_reference_result whole;

	assert(options->noise >= 0 && c->row_limit && c->row_noise && c->row_off[0] == 0);
	judge_sum(&j);
	judge_runs(&j);
	j.reference = stats_reference_new(c, options->noise);
	j.found = mem_zalloc((size_t)c->n_rows + 1, sizeof(*j.found));
	j.round = mem_zalloc((size_t)c->n_rows + 1, sizeof(*j.round));
	j.row_list = mem_alloc((size_t)c->n_rows + 1, sizeof(*j.row_list));
	for (int i = 0; options->mode == STATS_BULK && i < EXCLUDED_MAX; i++)
		if (!judge_exclude(&j))
			break;
	if (options->mode != STATS_FIXED)
		judge_find_references(&j, NULL);
	for (uint32_t i = 0; i < c->n_rows; i++)
		judge_test(&j, i);
	judge_adjust(&j);
	stats_reference_find_all(j.reference, true, &whole);
	*out = (struct stats_summary){ .row = row, .total_ratio = NAN, .tau = NAN, .has_replicates = j.has_replicates };
	for (int side = 0; side < N_SIDES; side++) {
		out->total[side] = j.total.value[side];
		out->run_weight[side] = j.weight[side];
	}
	if (whole.has_centre) {
		out->total_ratio = out->total[SIDE_NEW] / out->total[SIDE_BASE] / exp(whole.centre.mu);
		out->tau = whole.centre.tau;
	}
	judge_growth(&j, &whole, out);
	stats_reference_free(j.reference);
	free(j.found);
	free(j.round);
	free(j.row_list);
}
