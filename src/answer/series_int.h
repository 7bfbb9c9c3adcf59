/*
 * series_int.h - the values of cpa series, shared by series.c and series_read.c
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ANSWER_SERIES_INT_H
#define ANSWER_SERIES_INT_H

#include "answer/stored.h"
#include "answer/stored_totals.h"
#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* A column of values. */
struct series_values {
	const char *name; /* value of the label; "" for samples without it */
	const char *key;  /* KEY=VALUE */
	const char *title;
	int64_t *value; /* [n_steps] */
	int64_t total;
};

struct series_data {
	struct arena *mem; /* of everything here */
	struct stored_totals totals;
	uint32_t type;                /* of totals */
	int64_t samples;              /* index of the type "samples" in totals; -1 if there is none */
	int64_t *total;               /* [n_steps] */
	int64_t *n_samples;           /* [n_steps] */
	int64_t window;               /* total of the window */
	struct series_values *column; /* [n_columns] flat and cum, or the values of a label */
	size_t n_columns, cap_columns;
};

/* The column of a value of the label of --by, which is added if it is new. */
struct series_values *series_column(struct series_data *s, const char *key, const char *value);

/* The way in which the profiles of a window are combined. Not REDUCE_DEFAULT. */
enum reduce series_reduce(const struct stored_source *source, const struct stored_type *type);

/*
 * Read the profiles of each step, and fill in total, n_samples, window and the columns.
 *
 * source  its query has the times and the step
 * by      label of samples, or NULL
 */
int series_read(const struct stored_source *source, const struct query *q, const char *by, struct series_data *s,
		struct buf *notes, struct err *err);

#endif
