/*
 * judge.h - which rows of two sides differ, and how sure that is
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stacks that count for the same rows and have the same leaf are one class. A row is a set of classes, and is
 * judged against the classes outside of it. The method is described in docs/gate.md.
 */
#ifndef ENGINE_STATS_JUDGE_H
#define ENGINE_STATS_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

enum stats_side { STATS_BASE, STATS_NEW, N_STATS_SIDES };

/* A cell of the reference: what one leaf has on both sides. */
struct stats_cell {
	double value[N_STATS_SIDES]; /* V */
	double var[N_STATS_SIDES];   /* its sampling variance; for plain counts the same number */
};

/* Effective counts are at most that many. */
#define STATS_COUNT_MAX 1e9

/* The effective count of a value, V * V / var: so many equal samples would be as sure. 0 for nothing, STATS_COUNT_MAX
   for what is known exactly. */
double stats_count(double value, double var);

/* The robust centre of ln(new / base) over cells. */
struct stats_centre {
	double mu, var;   /* and the variance of mu */
	double tau;       /* spread from run to run, at least the noise */
	uint32_t n_cells; /* used ones; below 3 the rest is without meaning */
};

/*
 * Find the centre. Cells with fewer than 20 effective counts on both sides together are one, more than 20 where one
 * side has much less than the other; cells that lack a side do not count.
 *
 * noise   tau0
 * Gives   false for fewer than 3 cells; out then has their number
 */
bool stats_centre_find(const struct stats_cell *cell, uint32_t n, double noise, struct stats_centre *out);

enum stats_mode { STATS_BULK, STATS_REST, STATS_FIXED }; /* FIXED: exposures are known, as by --normalize=none */
enum stats_adjust { STATS_HOLM, STATS_BH, STATS_UNADJUSTED };

struct stats_options {
	enum stats_mode mode;
	double rho;   /* of STATS_FIXED */
	bool strict;  /* the null hypothesis is 1 + limit, and not 1 */
	double noise; /* tau0: 0.02 */
	enum stats_adjust adjust;
};

/* What is compared. Columns are the caller's. */
struct stats_counts {
	uint32_t n_classes, n_cells, n_rows;
	const uint32_t *cell;                /* [n_classes] the leaf, < n_cells */
	const double *value[N_STATS_SIDES];  /* [n_classes] sums over the files of a side */
	const double *var[N_STATS_SIDES];    /* [n_classes] */
	const uint32_t *row_off, *row_class; /* classes of row i: row_class[row_off[i] .. row_off[i + 1]), ascending */
	const bool *row_is_reference; /* [n_rows] a cum row, which may be taken out of all references when it changed */
	const double *row_limit;      /* [n_rows] threshold of each: 0.2 */
	const double *row_noise;      /* [n_rows] tau0 of each, at least options->noise */
	const bool *row_is_tested;    /* [n_rows] others serve as reference only and have no p; NULL when all are */
	uint32_t n_files[N_STATS_SIDES];
	/* For replicates, else NULL: files of the base first, then those of new. */
	const double *row_file;   /* [n_rows * files] value of a row in a file */
	const double *file_total; /* [files] */
	/* Of STATS_FIXED: what each file had opportunity for, as 1 where all did the same work, or seconds. NULL when not
	   known: runs are then compared by shares of their totals, which does not see a total that varies. */
	const double *file_exposure; /* [files] */
};

/* What is known of a row. NAN where there is nothing to say. */
struct stats_row {
	double value[N_STATS_SIDES], count[N_STATS_SIDES]; /* V and k, effective counts */
	double rho;                                        /* what the ratio was divided by; NAN without a reference */
	double ratio;      /* cost new over base; NAN when a side is 0 or there is no reference */
	double lo, hi;     /* of 90 % */
	double se;         /* of ln ratio */
	double p;          /* that it is not larger than 1 (strict: than 1 + limit) */
	double p_adjusted; /* over all rows with a p */
	double p_over;     /* that it is not smaller than 1 + limit: below 0.05 it is proved within the limit */
	double p_less;     /* that it is not smaller than 1: of an improvement */
	double p_less_adjusted;
	double phi, nu;   /* dispersion and degrees of freedom of replicates; 1 and INFINITY for one pair */
	uint32_t n_cells; /* of its reference; 0 when the rest or a fixed ratio was taken */
	bool is_excluded; /* clearly changed: out of the references of the others */
};

/* Over the whole program: mu of all cells that are not excluded. */
struct stats_judged {
	struct stats_row *row; /* [n_rows] */
	double total[N_STATS_SIDES];
	double total_ratio; /* (T_new / T_base) / e^mu; NAN without a centre */
	double tau;         /* of that centre */
	bool has_replicates;
};

/*
 * Judge all rows.
 *
 * STATS_BULK: a row's reference is the centre of the cells outside of it; below 3 cells the rest of the program,
 * whose own counts then add to the variance. Where the rest has fewer than 20 effective counts, or only one side, or
 * less than a tenth of both sides is outside of the row and of what was taken out, the row covers the program: there is nothing to compare it with, and its p is NAN. Nothing is tested either
 * for a row that has only one side.
 *
 * Up to 8 reference rows that clearly differ leave the references of all others: one after the other, the farthest
 * first, beyond 3.5 standard errors and 10 %, while all of them together are below half of the program (mean of
 * the shares of both sides). What is asked is always whether the part of a row that is not out yet differs; so a
 * caller of an excluded row is not dragged along by it. A row with only one side counts half a sample on the other.
 * A row without a centre of at least 3 cells is never taken out.
 *
 * The standard error is that of the test: with var and tau of the centre (tau at least the row's noise), or with
 * replicates the row's dispersion. Dispersions are moderated with those of rows that have both sides, a sampling
 * error and something outside of them. A side with one file says nothing about it, nor does an empty file.
 *
 * Rows that are not tested have no p, but all else.
 *
 * row     [n_rows], filled
 * out     row is borrowed
 */
void stats_judge(const struct stats_counts *c, const struct stats_options *options, struct stats_row *row,
		 struct stats_judged *out);

#endif
