/*
 * sum_int.h - data shared by the files that sum up the profiles of a gate
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_GATE_SUM_INT_H
#define REPORT_GATE_SUM_INT_H

#include "engine/match.h"
#include "engine/places.h"
#include "engine/view.h"
#include "report/gate/gate_int.h"
#include "report/gate/sampling.h"

struct sum_type {
	const char *name, *unit; /* name and unit; "" for none */
};

/* Types and period of the first file, which all others must match. */
struct sum_first {
	enum side side;
	struct sum_type compared;
	struct sum_type *types; /* [n_types] types in the order of the file; n_types is 0 before the first file */
	uint32_t n_types;
	const char *type_words; /* "samples/count, cpu/nanoseconds" */
	struct sum_type period_type;
	int64_t period;
	double worth;  /* value of a sample, in the unit of the period */
	bool is_noted; /* a note about estimated errors was added */
};

struct gate_sum {
	const struct gate_options *options;
	struct match *match; /* match whose rows are the functions */
	struct sum_first first;
	enum gate_error error;
	bool is_time;                /* as in struct gate_sums */
	const char *weights_unknown; /* as in struct gate_sums */
	struct gate_file *file;
	size_t n_files, cap_files;
	struct gate_func *func; /* [n_funcs] */
	uint8_t *folds;         /* [n_funcs] 1 for functions that, as leaves, are charged to their callers */
	size_t n_funcs, cap_funcs, cap_folds;
	bool *new_line; /* [n_funcs] does the line come from the new side? */
	size_t cap_lines;
	struct sum_stacks {
		struct gate_stacks of;
		struct arena *mem;
	} * stacks; /* [n_files] */
	size_t cap_stacks;
	struct gate_sums all;
	struct arena *mem;
};

/* A profile that is being added. */
struct sum_input {
	struct gate_sum *sum;
	enum side side;
	const char *source;
	const struct query *q;
	struct buf *notes;
	struct err *err;
	struct view view;
	struct places places; /* rows of the match */
	struct sampling sampling;
	double unit;           /* factor from the unit of the column to that of the first file */
	struct gate_file file; /* the file to be added */
	int64_t *value;        /* [stacks of the view] values in units of the column */
	double *var;           /* [stacks of the view] variances; NULL if they are value * sampling.step */
	struct arena *mem;     /* memory, moved to the stacks when the profile is added */
};

/* Add the stacks to the functions and to the file, and fill in out. Fails ERR_STOPPED. */
int sum_walk(struct sum_input *a, struct gate_stacks *out);

#endif
