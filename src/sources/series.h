/*
 * series.h - totals of stored profiles over time
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SOURCES_SERIES_H
#define SOURCES_SERIES_H

#include "base/buf.h"
#include "base/err.h"
#include "report/series.h"
#include "sources/stored.h"
#include "sources/stored_totals.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Read totals from the directories of a store; profiles are read, step by step, only if the query has filters, functions, or
 * labels of samples.
 *
 * source   a source store:
 * out      released with report_series_release, also after a failure
 * notes    lines for the user are appended
 * Fails    ERR_USAGE; as store_read
 */
int sources_series(const char *source, const struct query *q, struct series *out, struct buf *notes, struct err *err);

/* The values, shared by series.c and series_read.c. */
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
