/*
 * rows_int.h - the steps that make rows: picks, classes, groups
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_GATE_ROWS_INT_H
#define REPORT_GATE_ROWS_INT_H

#include "report/gate/gate_int.h"

#include <stdbool.h>
#include <stdint.h>

/* A function that may become a row, once for cum and once for flat. */
struct gate_pick {
	enum gate_kind kind;
	uint32_t func; /* one that others count for, or itself */
	double share;  /* its shares of both sides together, 0 to 2 */
	double part[N_STATS_SIDES];
	bool is_above; /* the floors; else it has a budget */
};

/* Picks by falling share, then name, file, line, kind; everything in mem. */
struct gate_picks {
	const struct gate_sums *s;
	const struct gate_func *func; /* [s->n_funcs] with what counts for them; renamed ones have nothing */
	const uint32_t *was;          /* [s->n_funcs] */
	uint32_t n;
	struct gate_pick *pick;
	uint32_t *cum, *flat; /* [s->n_funcs] pick of the function or what it counts for, else GATE_NO_FUNC */
	uint32_t *cell;       /* [s->n_funcs] of stacks with this leaf */
	uint32_t n_cells;     /* the first one is of leaves with few samples, and of stacks without any frame */
};

/* Part of a side's total, 0 when there is none. */
double gate_part(const struct gate_sums *s, enum stats_side side, double value);

/* Effective samples: V^2 / Var, at most 1e9. */
double gate_count(double value, double var);

/* The picks that every stack counts for: stack i has pick[off[i] .. off[i + 1]), from leaf to root, each once. */
struct gate_lists {
	uint32_t n;     /* as many as there are paths */
	uint64_t *off;  /* [n + 1] */
	uint32_t *pick; /* [off[n]] */
	uint32_t *cell; /* [n] of the leaf */
	/* Stacks are divided into ranges: sum[(pick * N_STATS_SIDES + side) * n_ranges + range] is the sum of a pick there. */
	uint32_t n_ranges;
	double *sum;
};

/* The number of threads that so many stacks are worth. */
unsigned gate_rows_threads(uint32_t n_stacks);

void gate_lists_make(const struct gate_picks *p, struct gate_lists *out);
void gate_lists_release(struct gate_lists *l);

/*
 * Merge picks whose samples are nearly the same.
 *
 * first    [p->n] the first pick of its group, which may be itself
 * named    [p->n] of a first one: the pick that names the group
 * depth    [p->n] how far from the leaf it is in its group, on average
 */
void gate_picks_merge(const struct gate_picks *p, const struct gate_lists *l, uint32_t *first, uint32_t *named,
		      double *depth);

/* Classes of stacks: one per leaf cell and list of rows. Those of a cell are adjacent, in the order of their
   first stacks. */
struct gate_classes {
	uint32_t n, *cell;                                 /* [n] */
	double *value[N_STATS_SIDES], *var[N_STATS_SIDES]; /* [n] */
	size_t *end; /* [n] of its rows in the part's row; they start where those of the one before end */
	unsigned n_parts;
	struct gate_class_part {
		uint32_t first, n; /* classes */
		uint32_t *row;
		size_t cap;
		uint32_t *count; /* [rows] classes that a row has */
	} * part;                /* [n_parts] */
};

/* Turn lists of picks into lists of rows, which row_of gives for the picks, and find the classes. */
void gate_classes_make(const struct gate_picks *p, struct gate_lists *l, const uint32_t *row_of, uint32_t n_rows,
		       struct gate_classes *out);
void gate_classes_release(struct gate_classes *c);

/* Does a line mean a function, by the names and files it has on either side? was is that of struct gate_rows. */
bool gate_rule_fits_func(const struct gate_rule *rule, const struct gate_sums *s, const uint32_t *was, uint32_t func);

/* What gate, limit and noise lines say of the rows; row_of[i] is the row that pick i names, or GATE_NO_FUNC. */
void gate_rows_rules(const struct gate_picks *p, const uint32_t *first, const uint32_t *row_of, struct arena *mem,
		     struct gate_rows *out);

/* The order of two functions: by name, file, line, then number; as strcmp. */
int gate_func_order(const struct gate_func *func, uint32_t a, uint32_t b);

#endif
