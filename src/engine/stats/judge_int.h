/*
 * judge_int.h - the steps of stats_judge: points, their centre, the reference of a row
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_STATS_JUDGE_INT_H
#define ENGINE_STATS_JUDGE_INT_H

#include "engine/stats/judge.h"

/* Cells with fewer effective counts are merged with others. 20, with a tolerance for rounding. */
#define STATS_CELL_MIN (20 * (1 - 1e-9))
/* Min cells for a centre. */
#define STATS_CELLS_MIN 3

/* Max ratio of the samples of the two sides at which a cell counts as balanced. */
#define STATS_IMBALANCE_MAX 2.0

/* A cell on a logarithmic scale. */
struct stats_point {
	double x, v, w; /* ln ratio, its sampling variance, its weight */
};

/* stats_cells_add_ratio appends the ratio new / base of a cell that has both sides. stats_cells_rho returns the median
   of these ratios, which is used as the expected ratio of a cell, or 1 if there are none; it reorders ratio. */
void stats_cells_add_ratio(const struct stats_cell *cell, double *ratio, uint32_t *n);
double stats_cells_rho(double *ratio, uint32_t n);

enum stats_point_kind {
	STATS_POINT,
	STATS_SMALL,     /* less precise than STATS_CELL_MIN counts split evenly between the sides */
	STATS_ONE_SIDED, /* the cell lacks a side */
};

/*
 * Find a cell's point. If one side has more than STATS_IMBALANCE_MAX times the samples of the other, the variance of
 * the point is that expected for an unchanged cell of this size. The variance of the actual counts would be biased: it
 * is smaller when the smaller side is larger by chance, and a mean weighted by this variance is biased towards the
 * smaller side, by 7 % for 3,000 samples against 30,000. Within that factor the bias is below 1 %.
 *
 * may_be_small  make a point regardless of its precision
 */
enum stats_point_kind stats_point_find(const struct stats_cell *cell, double noise, double rho, bool may_be_small,
				       struct stats_point *out);

/* Effective counts of both sides. */
double stats_cell_counts(const struct stats_cell *cell);

static inline void stats_cell_add(struct stats_cell *sum, const struct stats_cell *cell)
{
	for (int side = 0; side < N_SIDES; side++) {
		sum->value[side] += cell->value[side];
		sum->var[side] += cell->var[side];
	}
}

/* Is a point before another? Ordered by x, then by weight. Branchless, since the result is unpredictable. */
static inline bool stats_point_is_before(const struct stats_point *a, const struct stats_point *b)
{
	return (a->x < b->x) | ((a->x == b->x) & (a->w < b->w));
}

/* Sort p[n]; spare[n] is scratch memory. */
void stats_points_sort(struct stats_point *p, uint32_t n, struct stats_point *spare);

/* Merge n and m sorted points into to; of equal points those of a come first. b may be the last part of to. */
void stats_points_merge(const struct stats_point *a, uint32_t n, const struct stats_point *b, uint32_t m,
			struct stats_point *to);

/*
 * Find the centre of points.
 *
 * p        [n], sorted, n >= STATS_CELLS_MIN
 * scratch  [n + 1]
 */
void stats_points_centre(const struct stats_point *p, uint32_t n, double noise, double *scratch,
			 struct stats_centre *out);

/*
 * Find tau and tau2_var of all rows from the runs of both sides; value and count are already set. Without replicates
 * both are 0.
 *
 * can_test  [n_rows] rows from which the prior is estimated
 * weight    factor of tau^2 in the variance of the logarithm of a side's cost: 1 / n for n equal runs
 * Returns   true if there are replicates
 */
bool stats_runs_find(const struct stats_counts *c, const struct stats_options *options, const bool *can_test,
		     struct stats_row *row, double weight[N_SIDES]);

/* The reference of rows: the program without a row and without excluded rows, as cells. */
struct stats_reference;

/* The reference found for a row. */
struct stats_reference_result {
	struct stats_cell remaining; /* the row without excluded classes */
	struct stats_cell rest;      /* the sum of the reference, only set without a centre */
	bool has_centre;
	struct stats_centre centre;
};

/* Create references without excluded classes. c is borrowed. */
struct stats_reference *stats_reference_new(const struct stats_counts *c, double noise);
void stats_reference_free(struct stats_reference *o);

/* Exclude the classes of a row, permanently. */
void stats_reference_exclude(struct stats_reference *o, uint32_t row);

/*
 * Find the references of rows, in parallel.
 *
 * want_centre  if false, only the sum is computed
 * found        [rows] the entries of the n rows are set
 */
void stats_reference_find(struct stats_reference *o, const uint32_t *row, uint32_t n, bool want_centre,
			  struct stats_reference_result *found);

/* Find the reference that consists of the whole program without excluded classes. */
void stats_reference_find_all(struct stats_reference *o, bool want_centre, struct stats_reference_result *out);

#endif
