/*
 * view.h - the rows of a profile that a question is about, and their values
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_VIEW_H
#define ENGINE_VIEW_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "engine/query.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

/* Columns are borrowed from the profile, which must live longer. */
struct view {
	const struct profile *p; /* as filters left it */
	uint32_t type;           /* sample type in question */
	bool mean;               /* values are to be divided by div */
	const char *unit;
	struct stop *stop;           /* of the question */
	uint32_t n;                  /* rows; all of the profile's */
	const int64_t *val[N_SIDES]; /* [side][n] in unit; the base column may be NULL */
	const int64_t *div[N_SIDES]; /* [side][n] counts; NULL unless mean */
	int64_t total;               /* what 100 % is, in unit, divided when mean */
	int64_t side_total[N_SIDES]; /* of the samples that count for total: the sum of what is above 0, and of
					the magnitudes of what is below 0, whoever's label they carry; not divided */
};

/*
 * Apply the filters, choose the sample type and add up its total: the sum of the magnitudes, of all
 * samples or of those that are left with relative_percentages. When samples with BASE_LABEL have some
 * other than 0, it is theirs alone.
 *
 * mem     what filters make lives there
 * notes   lines for the user are appended
 * Fails   ERR_USAGE for a sample_index that does not exist; ERR_RANGE when the magnitudes of the
 *         rows do not add up within int64_t; ERR_STOPPED. After success no sum over any of the rows overflows.
 * Like    pprof internal/driver sampleFormat, internal/report computeTotal
 */
int view_make(const struct profile *p, const struct query *q, struct arena *mem, struct view *out, struct buf *notes,
	      struct err *err);

/* Which label sets say with BASE_LABEL that a sample is of the base: [label_sets.n], NULL when none does. */
bool *view_base_sets(const struct profile *p, struct arena *mem);

/* The place of a sample type: by number, name, or name without inuse_; "" is the default one. */
int view_type(const struct profile *p, const char *name, uint32_t *out, struct err *err);

#endif
