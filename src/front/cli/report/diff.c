/*
 * diff.c - run cpa diff
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/answer.h"
#include "front/cli/cmd.h"
#include "front/cli/messages.h"
#include "front/cli/report/events.h"
#include "front/cli/report/pair.h"
#include "front/cli/report/report.h"
#include "sources/load.h"

static const char usage[] =
	"cpa diff BASE NEW; several on a side: cpa diff A1 A2 -- B1 B2, or --base=A1 --base=A2 B1 B2";

static int report_diff_compare(const struct profile *const p[N_SIDES], const struct side_sources from[N_SIDES],
			       const struct args *a)
{
	struct answer answer = { 0 };
	struct err err;
	int rc, status;

	progress_begin("comparing");
	rc = answer_compare(p, a->report, &a->q, from, cmd_report_color(&a->q), &answer, &err);
	status = cmd_report_finish(a, &answer, rc, &err);
	answer_release(&answer);
	return status;
}

/* Compare even if some of several sources could not be read. Returns the exit status. */
static int load_and_compare(const struct pair *pair, struct remote *remote, const struct args *a)
{
	struct source_run item[N_SIDES] = { { .profile = NULL } };
	const struct profile *p[N_SIDES];
	struct err err;
	int status = STATUS_FINE;

	for (int side = 0; side < N_SIDES; side++)
		item[side].set = sources_set_of(&pair->source[side], 0, pair->source[side].n,
						side == SIDE_BASE ? "base" : "source", &a->q, remote);
	progress_begin("reading");
	sources_runs_read(item, N_SIDES, &cmd_report_events);
	progress_end();
	for (int side = 0; side < N_SIDES; side++) {
		if (sources_run_report(&item[side], &cmd_report_events, &err) < 0)
			status = say_error("%s", err.msg);
		else if (item[side].set.n_failed)
			status = STATUS_TROUBLE;
		p[side] = item[side].profile;
	}
	if (p[SIDE_BASE] && p[SIDE_NEW])
		status |= report_diff_compare(p, pair->from, a);
	for (int side = 0; side < N_SIDES; side++)
		sources_run_release(&item[side]);
	return status;
}

int cmd_report_diff(const struct args *a)
{
	struct remote *remote = NULL;
	struct pair pair;
	int status = cmd_report_pair_find(a, usage, &pair);

	if (status == STATUS_FINE) {
		remote = sources_fetch(pair.source, N_SIDES, &a->q, &cmd_report_events);
		status = load_and_compare(&pair, remote, a);
	}
	remote_free(remote);
	cmd_report_pair_release(&pair);
	return status;
}
