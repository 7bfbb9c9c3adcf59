/*
 * judge.h - test which rows differ between two sides
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stacks that count for the same rows and have the same leaf form a class. A row is a set of classes, and is compared
 * with the classes outside of it, its reference. The method is described in docs/gate-statistics.md.
 */
#ifndef ENGINE_STATS_JUDGE_H
#define ENGINE_STATS_JUDGE_H

#include "base/comparison.h"

#include <stdbool.h>
#include <stdint.h>

/* A cell of a reference: the values of a leaf on both sides. */
struct stats_cell {
	double value[N_SIDES]; /* V */
	double var[N_SIDES];   /* sampling variances of the values; for plain counts, equal to them */
};

/* Limit on effective counts. */
#define STATS_COUNT_MAX 1e9

/* The effective count of a value, V * V / var: the number of equal samples with the same precision. 0 for a value of 0,
   STATS_COUNT_MAX for an exact value. */
double stats_count(double value, double var);

/* The robust centre of ln(new / base) over cells. */
struct stats_centre {
	double mu, var;   /* the centre and its variance */
	double tau;       /* spread between runs, at least the noise */
	uint32_t n_cells; /* number of cells used; if below 3, the other fields are undefined */
};

/*
 * Find the centre. Cells with fewer than 20 effective counts on both sides together are merged into one; the limit is
 * higher if one side is much smaller than the other. Cells that lack a side do not count.
 *
 * noise   tau0
 * Returns false for fewer than 3 cells; out then contains only their number
 */
bool stats_centre_find(const struct stats_cell *cell, uint32_t n, double noise, struct stats_centre *out);

enum stats_mode { STATS_BULK, STATS_REST, STATS_FIXED }; /* STATS_FIXED: known exposures (--normalize=none) */
enum stats_adjust { STATS_HOLM, STATS_BH, STATS_UNADJUSTED };

struct stats_options {
	enum stats_mode mode;
	double rho;   /* expected ratio, for STATS_FIXED */
	bool strict;  /* the null hypothesis is a ratio of 1 + limit instead of 1 */
	double noise; /* tau0: 0.02 */
	/* A row with at most this many effective counts in the base is new: it has no ratio and no test. 2 for samples,
	   which can occur by chance; 0 for exact counts. */
	double new_max;
	enum stats_adjust adjust;
};

/* The data to compare. Columns are owned by the caller. */
struct stats_counts {
	uint32_t n_classes, n_cells, n_rows;
	const uint32_t *cell;                /* [n_classes] cell of the leaf, < n_cells */
	const double *value[N_SIDES];        /* [n_classes] sums over the files of a side */
	const double *var[N_SIDES];          /* [n_classes] */
	const uint32_t *row_off, *row_class; /* classes of row i: row_class[row_off[i] .. row_off[i + 1]), ascending */
	const bool *row_is_reference; /* [n_rows] is it a cum row? If it changed, it may be excluded from references */
	const double *row_limit;      /* [n_rows] threshold of each row, such as 0.2 */
	const double *row_noise;      /* [n_rows] tau0 of each row, at least options->noise */
	const bool *row_is_tested;    /* [n_rows] other rows serve only as reference and have no p; NULL for all */
	uint32_t n_files[N_SIDES];
	/* For replicates, else NULL: files of the base, then of new. */
	const double *row_file;   /* [n_rows * files] value of a row in a file */
	const double *file_total; /* [files] */
	/* For STATS_FIXED: the exposure of each file, such as 1 if all did the same work, or seconds. NULL if unknown:
	   runs are then compared by shares of their totals, so a varying total goes unnoticed. */
	const double *file_exposure; /* [files] */
};

/* The result for a row. Undefined numbers are NAN. */
struct stats_row {
	double value[N_SIDES], count[N_SIDES]; /* V and k, effective counts */
	double rho;                            /* divisor of the ratio; NAN without a reference */
	double ratio;      /* ratio of costs, new / base; NAN if a side is 0 or there is no reference */
	double lo, hi;     /* 90 % interval of ratio */
	double se;         /* standard error of ln ratio */
	double p;          /* p-value of ratio <= 1 (strict: <= 1 + limit) */
	double p_adjusted; /* adjusted over all rows with a p */
	double p_over;     /* p-value of ratio >= 1 + limit: below 0.05, the row is proved within its limit */
	double p_less;     /* p-value of ratio >= 1: tests an improvement */
	double p_less_adjusted;
	double tau;       /* standard deviation of ln cost between runs, beyond sampling; 0 for one pair */
	double tau2_high; /* tau^2 plus 0.5 to 1.8 standard errors, used by tests; 0 for one pair */
	double tau2_var;  /* the variance of the estimate of tau^2 */
	double phi;       /* variance of ln ratio, divided by that of sampling alone; 1 for one pair */
	double nu;        /* degrees of freedom of the test; INFINITY for one pair */
	uint32_t n_cells; /* number of cells of its reference; 0 if the sum of the rest or a fixed ratio was used */
	bool is_excluded; /* the row clearly changed, and is excluded from the references of other rows */
};

/* Results for the whole program. Its centre is that of all cells that are not excluded. */
struct stats_summary {
	struct stats_row *row; /* [n_rows] */
	double total[N_SIDES];
	double total_ratio; /* (T_new / T_base) / e^mu; NAN without a centre */
	double tau;         /* tau of that centre */
	/* The growth of the program relative to its unchanged part, with the standard error of its logarithm. The
	   unchanged part is outside of all excluded, new and gone rows. NAN without an unchanged part. */
	double growth, growth_se;
	bool has_replicates;
	double run_weight[N_SIDES]; /* factor of the variance between runs: 1 / n for n equal runs */
};

/*
 * Compare and test all rows.
 *
 * STATS_BULK: the reference of a row is the centre of the cells outside of it. With fewer than 3 cells, it is the rest
 * of the program, whose counts then add to the variance. A row covers the program if the rest has fewer than 20
 * effective counts or only one side, or if less than a tenth of both sides is outside of the row and of excluded rows.
 * Such a row cannot be compared, and its p is NAN. Rows that are new or have only one side are not tested either.
 *
 * Up to 8 reference rows that clearly differ are excluded from the references of all others: one at a time, the
 * farthest first, beyond 3.5 standard errors and 10 %, while together they are less than half of the program (mean of
 * the shares of both sides). Only the part of a row that is not excluded yet is compared, so a caller of an excluded
 * row is not excluded because of it. A row with only one side counts half a sample on the other. A row without a centre
 * of at least 3 cells is never excluded.
 *
 * The standard error of the test includes var and tau of the centre (tau is at least the row's noise). With replicates
 * it includes the row's own variance between runs instead, moderated with those of rows that have both sides, a
 * sampling error and a rest of the program. This variance does not decrease with the length of a run: for a side it is
 * multiplied by the sum of the squares of its runs' shares. A side with one file contributes no estimate of it, nor
 * does an empty file.
 *
 * Rows that are not tested have no p, but all other fields.
 *
 * row     [n_rows], filled in
 * out     row is borrowed
 */
void stats_judge(const struct stats_counts *c, const struct stats_options *options, struct stats_row *row,
		 struct stats_summary *out);

#endif
