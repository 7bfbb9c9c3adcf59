/*
 * sum_int.h - the profiles of a gate, added up
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_GATE_SUM_INT_H
#define REPORT_GATE_SUM_INT_H

#include "base/idtab.h"
#include "engine/match.h"
#include "engine/places.h"
#include "engine/view.h"
#include "report/gate/gate_int.h"
#include "report/gate/kinds.h"

/* Values of the base, of new, then variances of the base, of new. */
enum { SUM_VALUE, SUM_VAR = N_STATS_SIDES, SUM_COLUMNS = 2 * N_STATS_SIDES };

/* Distinct stacks of functions of all files. */
struct sum_paths {
	uint32_t n;
	uint32_t *off, *func; /* as in gate_paths */
	size_t cap_off, cap_func;
	struct idtab ids;
	double *column[SUM_COLUMNS]; /* [n] */
	size_t cap_columns;
};

struct sum_type {
	const char *name, *unit; /* "" for none */
};

/* Types and period of the first file, which all others must agree with. */
struct sum_first {
	enum stats_side side;
	struct sum_type compared;
	struct sum_type *types; /* [n_types] in its order; n_types is 0 before the first file */
	uint32_t n_types;
	const char *type_words; /* "samples/count, cpu/nanoseconds" */
	struct sum_type period_type;
	int64_t period;
	bool is_noted; /* a note says that errors are estimates */
};

struct gate_sum {
	const struct gate_options *options;
	struct match *match; /* its rows are the functions */
	struct sum_first first;
	enum gate_error error;
	struct gate_file *file;
	size_t n_files, cap_files;
	struct gate_func *func; /* [n_funcs] */
	uint8_t *folds;         /* [n_funcs] as a leaf it belongs to its caller */
	size_t n_funcs, cap_funcs, cap_folds;
	bool *new_line; /* [n_funcs] its line is that of the new side */
	size_t cap_lines;
	struct sum_paths paths;
	struct gate_sums all;
	struct arena *mem;
};

/* A profile that is being added. */
struct sum_input {
	struct gate_sum *sum;
	enum stats_side side;
	const char *source;
	const struct query *q;
	struct buf *notes;
	struct err *err;
	struct view view;
	struct places places; /* rows of the match */
	struct kinds kinds;
	double unit;           /* V of the first file in one of the column */
	struct gate_file file; /* to be added */
	int64_t *value;        /* [stacks of the view] in units of the column */
	double *var;           /* [stacks of the view] the same; NULL when it is value * kinds.step */
	struct arena *mem;     /* freed when it is added */
};

/* Set an error that begins with side and source of the profile. Gives code. */
int sum_refuse(const struct sum_input *a, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/*
 * Find or append the paths of the stacks; add to them, to the functions, and to the parts of the file. Fails ERR_LIMIT,
 * ERR_STOPPED.
 */
int sum_walk(struct sum_input *a);

void sum_paths_init(struct sum_paths *paths);
void sum_paths_release(struct sum_paths *paths);

#endif
