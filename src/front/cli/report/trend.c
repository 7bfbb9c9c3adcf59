/*
 * trend.c - run cpa trend
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/trend.h"
#include "base/mem.h"
#include "front/cli/cmd.h"
#include "front/cli/messages.h"
#include "front/cli/report/events.h"
#include "front/cli/report/report.h"
#include "sources/load.h"
#include "sources/stored.h"

#include <stdlib.h>

/* Find and fetch the sources. */
static int report_trend_find_sources(const struct args *a, struct sources *s, struct remote **remote, struct err *err)
{
	size_t n_stdin = 0;
	int rc = sources_add(s, a->word, a->n_words, SPLIT_STEPS, &a->q, err);

	if (rc == 0 && s->n < 2)
		rc = err_set(
			err, ERR_USAGE,
			stored_is_source(*a->word)
				? "trend needs at least two steps with profiles; write a shorter +step=D, such as "
				  "'%.200s+step=10m'"
				: "trend needs at least two profiles, in the order of time; usage: cpa trend P1 ... PN",
			*a->word);
	if (rc == 0)
		rc = sources_check(s, "source", &a->q, &n_stdin, err);
	if (rc == 0)
		*remote = sources_fetch(s, 1, &a->q, &cmd_report_events);
	return rc;
}

/* A trend and the times of its sources. */
struct report_trend_input {
	struct answer_trend trend;
	struct sources source;
	struct trend_span *span; /* [source.n] steps of a store; t0 is INT64_MIN for other sources */
};

/* Find the times of the sources, before reading releases them. */
static void report_trend_find_spans(struct report_trend_input *in)
{
	in->span = mem_alloc(in->source.n + 1, sizeof(*in->span));
	for (size_t i = 0; i < in->source.n; i++)
		if (!stored_window(&in->source.source[i], &in->span[i].t0, &in->span[i].t1))
			in->span[i].t0 = INT64_MIN;
}

static int report_trend_add(void *arg, const struct source_run *run, struct err *err)
{
	struct report_trend_input *in = arg;
	const struct trend_span *span = &in->span[run->set.source - in->source.name];

	return answer_trend_add(&in->trend, run->profile, &(struct side_sources){ .source = run->set.source, .n = 1 },
				span->t0 == INT64_MIN ? NULL : span, err);
}

int cmd_report_trend(const struct args *a)
{
	struct report_trend_input in = { .span = NULL };
	struct remote *remote = NULL;
	struct answer answer = { 0 };
	size_t n_failed = 0;
	struct err err;
	int rc = report_trend_find_sources(a, &in.source, &remote, &err), status;

	if (rc == 0) {
		report_trend_find_spans(&in);
		answer_trend_begin(&in.trend, a->report, &a->q, &answer);
		rc = sources_runs_each(&in.source, remote, &a->q, &cmd_report_events, report_trend_add, &in, &n_failed,
				       &err);
	}
	rc = rc < 0 ? rc : answer_trend_end(&in.trend, cmd_report_color(&a->q), &err);
	status = cmd_report_finish(a, &answer, rc, &err);
	answer_trend_release(&in.trend);
	answer_release(&answer);
	free(in.span);
	remote_free(remote);
	sources_release(&in.source);
	return status == STATUS_FINE && n_failed ? STATUS_TROUBLE : status;
}
