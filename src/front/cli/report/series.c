/*
 * series.c - run cpa series
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/series.h"
#include "front/cli/cmd.h"
#include "front/cli/messages.h"
#include "front/cli/report/report.h"
#include "sources/series.h"

int cmd_report_series(const struct args *a)
{
	struct answer answer = { 0 };
	struct series series = { 0 };
	struct query q = a->q;
	struct err err;
	int rc, status;

	if (a->n_words != 1)
		return say_error("series needs one source, not %zu; usage: cpa series store:SERVICE@WINDOW",
				 a->n_words);
	query_apply_defaults(&q, &a->report->defaults);
	rc = answer_series_check(&q, &err);
	rc = rc < 0 ? rc : sources_series(*a->word, &q, &series, &answer.notes, &err);
	rc = rc < 0 ? rc : answer_series(a->report, &series, &q, cmd_report_color(&q), &answer, &err);
	status = cmd_report_finish(a, &answer, rc, &err);
	if (status == STATUS_FINE && answer.is_partial)
		status = STATUS_TROUBLE;
	answer_release(&answer);
	report_series_release(&series);
	return status;
}
