/*
 * trend.c - run cpa trend
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/trend.h"
#include "front/cli/cmd.h"
#include "front/cli/messages.h"
#include "front/cli/report/events.h"
#include "front/cli/report/report.h"
#include "sources/load.h"

/* Find and fetch the sources. */
static int report_trend_find_sources(const struct args *a, struct sources *s, struct remote **remote, struct err *err)
{
	size_t n_stdin = 0;
	int rc = sources_add(s, a->word, a->n_words, SPLIT_STEPS, &a->q, err);

	if (rc == 0 && s->n < 2)
		rc = err_set(err, ERR_USAGE,
			     "trend needs at least two profiles, in the order of time; usage: cpa trend P1 ... PN");
	if (rc == 0)
		rc = sources_check(s, "source", &a->q, &n_stdin, err);
	if (rc == 0)
		*remote = sources_fetch(s, 1, &a->q, &cmd_report_events);
	return rc;
}

static int report_trend_add(void *arg, const struct source_run *run, struct err *err)
{
	return answer_trend_add(arg, run->profile, &(struct side_sources){ .source = run->set.source, .n = 1 }, err);
}

int cmd_report_trend(const struct args *a)
{
	struct sources source = { 0 };
	struct remote *remote = NULL;
	struct answer answer = { 0 };
	struct answer_trend trend = { 0 };
	size_t n_failed = 0;
	struct err err;
	int rc = report_trend_find_sources(a, &source, &remote, &err), status;

	if (rc == 0) {
		answer_trend_begin(&trend, a->report, &a->q, &answer);
		rc = sources_runs_each(&source, remote, &a->q, &cmd_report_events, report_trend_add, &trend, &n_failed,
				       &err);
	}
	rc = rc < 0 ? rc : answer_trend_end(&trend, cmd_report_color(&a->q), &err);
	status = cmd_report_finish(a, &answer, rc, &err);
	answer_trend_release(&trend);
	answer_release(&answer);
	remote_free(remote);
	sources_release(&source);
	return status == STATUS_FINE && n_failed ? STATUS_TROUBLE : status;
}
