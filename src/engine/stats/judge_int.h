/*
 * judge_int.h - the steps of judging: points, their centre, the program outside of a row
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_STATS_JUDGE_INT_H
#define ENGINE_STATS_JUDGE_INT_H

#include "engine/stats/judge.h"

/* Cells with fewer effective counts do not stand alone: 20, less what rounding may have taken. */
#define STATS_CELL_MIN (20 * (1 - 1e-9))
/* A centre needs that many cells. */
#define STATS_CELLS_MIN 3

/* A cell on a logarithmic scale. */
#define STATS_BALANCED 2.0

struct stats_point {
	double x, v, w; /* ln ratio, its sampling variance, its weight */
};

/* What new has over the base in most cells, for what is expected of one: the median of their ratios, 1 without any.
   Ratios are gathered first, of cells that have both sides; their order is lost. */
void stats_cells_add_ratio(const struct stats_cell *cell, double *ratio, uint32_t *n);
double stats_cells_rho(double *ratio, uint32_t n);

enum stats_told {
	STATS_POINT,
	STATS_SMALL,     /* tells less than STATS_CELL_MIN counts of two sides that are as large */
	STATS_ONE_SIDED, /* lacks a side */
};

/*
 * Find a cell's point. Where one side has more than STATS_BALANCED times the samples of the other, its variance is the
 * one that cells of this size have when nothing differs: that of the two counts as they are would be smaller by chance
 * where the smaller side has more by chance, and a mean weighted by it leans towards the smaller side, by 7 % for 3,000
 * samples against 30,000. Within that factor it is below 1 %.
 *
 * may_be_small  a point whatever it tells
 */
enum stats_told stats_point_find(const struct stats_cell *cell, double noise, double rho, bool may_be_small,
				 struct stats_point *out);

/* Effective counts of both sides. */
double stats_cell_counts(const struct stats_cell *cell);

static inline void stats_cell_add(struct stats_cell *sum, const struct stats_cell *cell)
{
	for (int side = 0; side < N_STATS_SIDES; side++) {
		sum->value[side] += cell->value[side];
		sum->var[side] += cell->var[side];
	}
}

/* Is a point before another one? By x, equal ones by weight. Without a branch: nobody can foresee it. */
static inline bool stats_point_is_before(const struct stats_point *a, const struct stats_point *b)
{
	return (a->x < b->x) | ((a->x == b->x) & (a->w < b->w));
}

/* Sort; spare [n]. */
void stats_points_sort(struct stats_point *p, uint32_t n, struct stats_point *spare);

/* Merge n sorted points and m sorted ones; of equal ones those of a are first. b may be the end of to. */
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

/* The classes that are neither in a row nor excluded, as cells. */
struct stats_outside;

/* What was found for a row. */
struct stats_seen {
	struct stats_cell left; /* the row without what is excluded */
	struct stats_cell rest; /* everything outside; filled when there is no centre */
	bool has_centre;
	struct stats_centre centre;
};

/* Nothing is excluded at first. Borrows c. */
struct stats_outside *stats_outside_new(const struct stats_counts *c, double noise);
void stats_outside_free(struct stats_outside *o);

/* Take the classes of a row out for good. */
void stats_outside_exclude(struct stats_outside *o, uint32_t row);

/*
 * Look at rows from outside, side by side.
 *
 * want_centre  false leaves the cells alone and gives the rest
 * seen         [rows] those of the n rows are filled
 */
void stats_outside_see(struct stats_outside *o, const uint32_t *row, uint32_t n, bool want_centre,
		       struct stats_seen *seen);

/* The whole program without what is excluded, likewise. */
void stats_outside_see_all(struct stats_outside *o, bool want_centre, struct stats_seen *out);

#endif
