/*
 * rows_int.h - data shared by the steps that make rows: picks, classes, groups
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
	uint32_t func; /* the canonical function */
	double share;  /* sum of the function's shares of both sides, 0 to 2 */
	double part[N_SIDES];
	bool is_above; /* does it exceed min-share and min-samples? Otherwise it has a budget */
};

/* Picks, sorted by descending share, then name, file, line, kind; everything in mem. */
struct gate_picks {
	const struct gate_sums *s;
	const struct gate_func *func; /* [s->n_funcs] sums, with those of renamed functions added to their new names */
	const uint32_t *old_func;     /* [s->n_funcs] */
	uint32_t n;
	struct gate_pick *pick;
	uint32_t *cum, *flat; /* [s->n_funcs] pick of the canonical function, else GATE_NO_FUNC */
	uint32_t *leaf_cell;  /* [s->n_funcs] cell of stacks with this leaf */
	uint32_t n_cells;     /* cell 0 is for leaves with few samples, and stacks without frames */
};

/* Share of a side's total; 0 if that is 0. */
double gate_part(const struct gate_sums *s, enum side side, double value);

/* Effective number of samples: value^2 / var, at most 1e9. */
double gate_effective_samples(double value, double var);

/* A stack of a file: its picks, from leaf to root, without duplicates. GATE_ROWS_MAX fits into 16 bits. */
struct gate_list {
	uint16_t *pick; /* [n] */
	double value, var;
	uint32_t n;
	uint32_t cell; /* cell of the leaf; GATE_NO_CELL if the stack has no picks */
};

enum { GATE_NO_CELL = UINT32_MAX };
enum { GATE_ROWS_MAX = 20000 }; /* a row is compared with all leaves outside of it; more rows take minutes */

/* Stacks of all files, base first. */
struct gate_lists {
	uint32_t n, n_base;
	struct gate_list *list; /* [n] */
	/* Stacks are divided into ranges: sum[(pick * N_SIDES + side) * n_ranges + range] is the sum of a pick
	   in a range. */
	uint32_t n_ranges;
	double *sum;
	unsigned n_parts;
	struct arena **mem; /* [n_parts] */
};

static inline enum side gate_list_side(const struct gate_lists *l, uint32_t list)
{
	return list < l->n_base ? SIDE_BASE : SIDE_NEW;
}

/* Number of threads to use for n_stacks. */
unsigned gate_rows_threads(uint32_t n_stacks);

/* List the stacks of all files. Fails ERR_LIMIT; out must be released even on failure. */
int gate_lists_make(const struct gate_picks *p, struct gate_lists *out, struct err *err);
void gate_lists_release(struct gate_lists *l);

/*
 * Merge picks with nearly the same samples.
 *
 * first    [p->n] the first pick of the group; may be the pick itself
 * named    [p->n] for a first pick: the pick that names the group
 * depth    [p->n] average distance from the leaf in the group
 */
void gate_picks_merge(const struct gate_picks *p, const struct gate_lists *l, uint32_t *first, uint32_t *named,
		      double *depth);

/* Classes of stacks: one per leaf cell and list of rows. Classes of a cell are adjacent, in the order of their first
   stacks. */
struct gate_classes {
	uint32_t n, *cell;                     /* [n] */
	double *value[N_SIDES], *var[N_SIDES]; /* [n] */
	size_t *end; /* [n] end of the class in row of the part; it starts at the end of the previous class */
	unsigned n_parts;
	struct gate_class_part {
		uint32_t first, n; /* classes */
		uint16_t *row;
		size_t cap;
		uint32_t *count; /* [rows] number of classes of each row */
	} * part;                /* [n_parts] */
};

/* Turn lists of picks into lists of rows, using row_of, and find the classes. */
void gate_classes_make(const struct gate_picks *p, struct gate_lists *l, const uint32_t *row_of, uint32_t n_rows,
		       struct gate_classes *out);
void gate_classes_release(struct gate_classes *c);

/* Returns true if a line matches a function, by its names and files on either side. old_func is that of struct
 * gate_rows. */
bool gate_rule_matches_func(const struct gate_rule *rule, const struct gate_sums *s, const uint32_t *old_func,
			    uint32_t func);

/* Apply gate, limit and noise lines to the rows; row_of[i] is the row named by pick i, or GATE_NO_FUNC. */
void gate_rows_apply_rules(const struct gate_picks *p, const uint32_t *first, const uint32_t *row_of, struct arena *mem,
			   struct gate_rows *out);

/* Compare two functions by name, file, line, then index; as strcmp. */
int gate_func_order(const struct gate_func *func, uint32_t a, uint32_t b);

#endif
