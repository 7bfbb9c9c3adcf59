/*
 * diff.c - run cpa diff
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/answer.h"
#include "engine/diff.h"
#include "front/cli/cmd.h"
#include "front/cli/messages.h"
#include "front/cli/report/events.h"
#include "front/cli/report/pair.h"
#include "front/cli/report/report.h"
#include "sources/load.h"

#include <sys/stat.h>

static const char usage[] =
	"cpa diff BASE NEW; several on a side: cpa diff A1 A2 -- B1 B2, or --base=A1 --base=A2 B1 B2";

enum { IN_TURN_BYTES = 4 << 20 /* of a file that is read alone, so that only one side is in memory */ };

/* A comparison to be made. */
struct diff_load {
	const struct pair *pair;
	const struct args *a;
	struct remote *remote;
	struct source_run item[N_SIDES];
};

static void diff_set_item(struct diff_load *l, enum side side)
{
	l->item[side] = (struct source_run){ .profile = NULL };
	l->item[side].set = sources_set_of(&l->pair->source[side], 0, l->pair->source[side].n,
					   side == SIDE_BASE ? "base" : "source", &l->a->q, l->remote);
}

static bool diff_is_large(const struct sources *s)
{
	struct stat st;

	return s->n == 1 && stat(s->name[0], &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= IN_TURN_BYTES;
}

/* Read both sides. Of two large files, the samples of the base are replaced by sums before the new side is read. */
static void diff_read(struct diff_load *l)
{
	diff_set_item(l, SIDE_BASE);
	diff_set_item(l, SIDE_NEW);
	if (!diff_is_large(&l->pair->source[SIDE_BASE]) || !diff_is_large(&l->pair->source[SIDE_NEW])) {
		sources_runs_read(l->item, N_SIDES, &cmd_report_events);
		return;
	}
	sources_runs_read(&l->item[SIDE_BASE], 1, &cmd_report_events);
	if (l->item[SIDE_BASE].profile)
		diff_reduce(l->item[SIDE_BASE].profile, &l->a->q.filter);
	sources_runs_read(&l->item[SIDE_NEW], 1, &cmd_report_events);
}

static int diff_answer(struct diff_load *l, struct answer *answer, struct err *err)
{
	const struct profile *p[N_SIDES] = {
		[SIDE_BASE] = l->item[SIDE_BASE].profile, [SIDE_NEW] = l->item[SIDE_NEW].profile
	};

	return answer_compare(p, l->a->report, &l->a->q, l->pair->from, cmd_report_color(&l->a->q), answer, err);
}

/* Compare. If the report needs the samples of the base after all, read it again. */
static int report_diff_compare(struct diff_load *l)
{
	struct source_run *base = &l->item[SIDE_BASE];
	struct answer answer = { 0 };
	struct err err;
	int rc, status;

	progress_begin("comparing");
	rc = diff_answer(l, &answer, &err);
	if (rc == ERR_UNKNOWN && base->profile->sums) {
		answer_release(&answer);
		answer = (struct answer){ 0 };
		sources_run_release(base);
		diff_set_item(l, SIDE_BASE);
		sources_runs_read(base, 1, &cmd_report_events);
		rc = base->profile ? diff_answer(l, &answer, &err) : err_set(&err, base->err.code, "%s", base->err.msg);
	}
	status = cmd_report_finish(l->a, &answer, rc, &err);
	answer_release(&answer);
	return status;
}

/* Compare even if some of several sources could not be read. Returns the exit status. */
static int load_and_compare(struct diff_load *l)
{
	struct err err;
	int status = STATUS_FINE;

	progress_begin("reading");
	diff_read(l);
	progress_end();
	for (int side = 0; side < N_SIDES; side++) {
		if (sources_run_report(&l->item[side], &cmd_report_events, &err) < 0)
			status = say_error("%s", err.msg);
		else if (l->item[side].set.n_failed)
			status = STATUS_TROUBLE;
	}
	if (l->item[SIDE_BASE].profile && l->item[SIDE_NEW].profile)
		status |= report_diff_compare(l);
	for (int side = 0; side < N_SIDES; side++)
		sources_run_release(&l->item[side]);
	return status;
}

int cmd_report_diff(const struct args *a)
{
	struct remote *remote = NULL;
	struct pair pair;
	int status = cmd_report_pair_find(a, usage, &pair);

	if (status == STATUS_FINE) {
		remote = sources_fetch(pair.source, N_SIDES, &a->q, &cmd_report_events);
		status = load_and_compare(&(struct diff_load){ .pair = &pair, .a = a, .remote = remote });
	}
	remote_free(remote);
	cmd_report_pair_release(&pair);
	return status;
}
