/*
 * answer.h - make a report of a loaded profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ANSWER_ANSWER_H
#define ANSWER_ANSWER_H

#include "answer/picture.h"
#include "answer/reports.h"
#include "base/buf.h"
#include "base/err.h"
#include "profile/profile.h"
#include "report/report.h"
#include "report/side.h"
#include "report/traces.h"

#include <stdbool.h>

struct answer {
	struct buf text;  /* the report in its format; empty if it is drawn in pieces */
	struct buf notes; /* messages for the user */
	bool is_empty;    /* all values are 0 */
	bool is_partial;  /* something could not be read, as the notes say */

	const struct picture *picture; /* set if another program shows the text; else NULL */

	const struct traces_viewer *pieces; /* draws the report in pieces (answer/draw.h); NULL: text is complete */
	struct report report;
	struct arena *mem; /* memory of the report */
};

/*
 * Check that the options apply to a report, before sources are read.
 *
 * Fails   ERR_USAGE
 */
int answer_check(const struct report_type *t, const struct query *q, struct err *err);

/*
 * Make a report of a profile and draw it in the format of q.
 *
 * t       a report of INPUT_PROFILE for which answer_check succeeded
 * q       the options; the defaults of the report are applied to a copy
 * from    the sources of each side, for reports that show them
 * color   add terminal colour codes to the text
 * out     zero-initialised; released with answer_release, also after a failure
 * Fails   ERR_USAGE when an option does not apply to this profile or format; ERR_LIMIT; ERR_STOPPED; ERR_IO
 *         when a required program or library is missing
 */
int answer_make(const struct profile *p, const struct report_type *t, const struct query *q,
		const struct side_sources from[N_SIDES], bool color, struct answer *out, struct err *err);

/*
 * Make the model of a report without drawing it: out->report, and no text.
 *
 * t       a report of INPUT_PROFILE with a make function
 * Fails   as answer_make
 */
int answer_model(const struct profile *p, const struct report_type *t, const struct query *q, struct answer *out,
		 struct err *err);

/*
 * Make a report of two profiles, before and after, and draw it.
 *
 * t       a report of INPUT_SIDES
 */
int answer_compare(const struct profile *const p[N_SIDES], const struct report_type *t, const struct query *q,
		   const struct side_sources from[N_SIDES], bool color, struct answer *out, struct err *err);

void answer_release(struct answer *a);

#endif
