/*
 * make.h - a question about a loaded profile, answered in the format asked for
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ANSWER_MAKE_H
#define ANSWER_MAKE_H

#include "answer/picture.h"
#include "base/buf.h"
#include "base/err.h"
#include "engine/query.h"
#include "profile/profile.h"
#include "report/report.h"
#include "report/side.h"
#include "report/traces.h"

#include <stdbool.h>

struct answer {
	struct buf text;  /* what is to be written */
	struct buf notes; /* lines for the user */
	bool is_empty;    /* every value was 0 */

	const struct picture *shown; /* what text is to be shown as by another program; NULL for none */

	const struct traces_viewer *pieces; /* draws report, which stands for text; NULL for text */
	struct report report;
	struct arena *mem; /* what report borrows from */
};

/* Append a report in the format that q asks for. */
void answer_draw(enum query_report kind, const struct report *r, const struct query *q, bool color, struct buf *out);

/*
 * Do the options ask for what this command can give? To be asked before anything is read.
 *
 * Fails   ERR_USAGE
 */
int answer_check(const struct query_command *c, const struct query *q, struct err *err);

/*
 * Answer a command about a profile.
 *
 * from    the sources of each side, for reports that name them
 * color   the text goes to a terminal that shall see colours
 * out     zero-initialised; released with answer_release, also after a failure
 * Fails   ERR_USAGE when the question has no answer for this profile or in this format
 */
int answer_make(const struct profile *p, const struct query_command *c, const struct query *q,
		const struct side_sources from[N_SIDES], bool color, struct answer *out, struct err *err);
void answer_release(struct answer *a);

#endif
