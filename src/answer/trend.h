/*
 * trend.h - report what grew over a series of profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ANSWER_TREND_H
#define ANSWER_TREND_H

#include "answer/answer.h"
#include "answer/reports.h"
#include "engine/query.h"
#include "engine/trend.h"

#include <stdbool.h>
#include <stddef.h>

/* A report to which profiles are added, oldest first. */
struct answer_trend {
	const struct report_type *type; /* a report of INPUT_SERIES */
	struct query q;                 /* with the defaults of the report */
	struct answer *out;
	struct trend *trend;
	struct compare_side first, last; /* texts of both are in the arena of out */
	size_t n;                        /* profiles */
};

/*
 * Begin. Freed with answer_trend_release.
 *
 * out       zero-initialised; released with answer_release, also after a failure
 */
void answer_trend_begin(struct answer_trend *t, const struct report_type *type, const struct query *q,
			struct answer *out);

/*
 * Add a profile, whose only source outlives t.
 *
 * span   of a step of a store, else NULL. If the first step is one whose profiles have durations, the values are normalized by
 *        duration unless the query says otherwise, since steps do not have the same number of profiles.
 * Fails  if it is incompatible with the others
 */
int answer_trend_add(struct answer_trend *t, const struct profile *p, const struct side_sources *from,
		     const struct trend_span *span, struct err *err);

/* Make and draw the report. Fails with ERR_USAGE when there are fewer than two profiles. */
int answer_trend_end(struct answer_trend *t, bool color, struct err *err);
void answer_trend_release(struct answer_trend *t);

#endif
