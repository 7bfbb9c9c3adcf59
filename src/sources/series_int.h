/*
 * series_int.h - the values of cpa series, shared by series.c and series_read.c
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SOURCES_SERIES_INT_H
#define SOURCES_SERIES_INT_H

#include "base/buf.h"
#include "base/err.h"
#include "engine/query.h"
#include "report/series.h"
#include "sources/stored.h"
#include "sources/stored_totals.h"

#include <stdbool.h>
#include <stdint.h>

struct series_data {
	struct series *out;
	struct stored_totals totals;
	uint32_t type;   /* of totals */
	int64_t samples; /* index of the type "samples" in totals; -1 if there is none */
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
