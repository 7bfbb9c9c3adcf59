/*
 * view.h - the rows of a profile that a query selects, and their values
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_VIEW_H
#define ENGINE_VIEW_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/comparison.h"
#include "base/err.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

struct query_filter;

/* Columns are borrowed from the profile, which must outlive the view. */
struct view {
	const struct profile *p; /* the filtered profile */
	uint32_t type;           /* sample type of the query */
	bool mean;               /* values have to be divided by div */
	const char *unit;
	struct stop *stop;           /* stop flag of the query */
	uint32_t n;                  /* number of rows of the profile */
	const int64_t *val;          /* [n] values in unit */
	const int64_t *div;          /* [n] counts; NULL unless mean */
	int64_t total;               /* the value shown as 100 %, in unit; divided if mean */
	int64_t side_total[N_SIDES]; /* sum of values above 0, and of magnitudes of values below 0; not divided */
};

/*
 * Apply the filters, choose the sample type and add up its total: the sum of the magnitudes of all samples, or with
 * relative_percentages of the samples that remain. If samples with BASE_LABEL have a total above 0, only these count.
 *
 * mem     owns the results of filters
 * notes   messages for the user are appended, a line each
 * Fails   ERR_USAGE for a sample_index or a unit that does not exist; ERR_RANGE when the sum of the magnitudes of the
 *         rows overflows int64_t; ERR_STOPPED. After success no sum over any of the rows overflows.
 * Like    pprof internal/driver sampleFormat, internal/report computeTotal
 */
int view_make(const struct profile *p, const struct query_filter *q, struct arena *mem, struct view *out,
	      struct buf *notes, struct err *err);

/* True for each label set with BASE_LABEL, which marks samples of the base: [label_sets.n]; NULL if there are none. */
bool *view_base_sets(const struct profile *p, struct arena *mem);

/*
 * Check that values can be shown in a unit: a known unit, or a unit of the profile's sample types or labels.
 *
 * Fails   ERR_USAGE, with a list of units
 */
int view_check_unit(const struct profile *p, const char *unit, struct err *err);

/* Find the index of a sample type, by number, name, or name without inuse_; "" is the default type. */
int view_find_type(const struct profile *p, const char *name, uint32_t *out, struct err *err);

#endif
