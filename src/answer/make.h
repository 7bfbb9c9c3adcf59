/*
 * make.h - a query about a loaded profile, answered
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ANSWER_MAKE_H
#define ANSWER_MAKE_H

#include "answer/picture.h"
#include "answer/reports.h"
#include "base/buf.h"
#include "base/err.h"
#include "engine/query.h"
#include "profile/profile.h"
#include "report/report.h"
#include "report/side.h"
#include "report/traces.h"

#include <stdbool.h>

struct answer {
	struct buf text;  /* the report in its format; empty when it is drawn in pieces */
	struct buf notes; /* lines for the user */
	bool is_empty;    /* every value was 0 */

	const struct picture *shown; /* another program shows the text like this; NULL: none does */

	const struct traces_viewer *pieces; /* draws report (answer/draw.h); NULL: text has it all */
	struct report report;
	struct arena *mem; /* what report borrows from */
};

/*
 * Check that the options have a meaning for a report, before anything is read.
 *
 * Fails   ERR_USAGE
 */
int answer_check(const struct report_type *t, const struct query *q, struct err *err);

/*
 * Make a report of a profile and draw it in the format that q asks for.
 *
 * t       a report of INPUT_PROFILE, for which answer_check passed
 * q       as it was asked; the defaults of the report are applied to a copy
 * from    the sources of each side, for reports that name them
 * color   text gets the codes of a terminal's colours
 * out     zero-initialised; released with answer_release, also after a failure
 * Fails   ERR_USAGE when the query has no answer for this profile or in this format; ERR_LIMIT; ERR_STOPPED; ERR_IO
 *         when another program or a library that draws is missing
 */
int answer_make(const struct profile *p, const struct report_type *t, const struct query *q,
		const struct side_sources from[N_SIDES], bool color, struct answer *out, struct err *err);

/*
 * Make a report of two profiles, before and after, and draw it.
 *
 * t       a report of INPUT_SIDES
 */
int answer_compare(const struct profile *const p[N_SIDES], const struct report_type *t, const struct query *q,
		   const struct side_sources from[N_SIDES], bool color, struct answer *out, struct err *err);

void answer_release(struct answer *a);

#endif
