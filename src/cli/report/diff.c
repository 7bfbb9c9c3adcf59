/*
 * diff.c - two sides, compared
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/draw.h"
#include "cli/cmd.h"
#include "cli/messages.h"
#include "cli/report/fetching.h"
#include "cli/report/loading.h"
#include "cli/report/pair.h"
#include "cli/report/report.h"
#include "report/diff.h"

#include <unistd.h>

static const char usage[] =
	"cpa diff BASE NEW; several on a side: cpa diff A1 A2 -- B1 B2, or --base=A1 --base=A2 B1 B2";

static int compare(const struct profile *const p[N_SIDES], const struct side_sources from[N_SIDES],
		   const struct args *a, const struct query *q)
{
	bool color = cmd_report_to_stdout(q) && say_color(STDOUT_FILENO, q->color);
	struct buf text = { 0 }, notes = { 0 };
	struct report r;
	struct err err;
	int rc, status;

	progress_begin("comparing");
	rc = report_diff(p, from, q, &r, &notes, &err);
	progress_end();
	cmd_report_tell_lines(&notes);
	buf_release(&notes);
	if (rc < 0)
		return say_error("%s", err.msg);
	answer_draw(a->report, &r, q, color, &text);
	status = cmd_report_write(&text, a);
	buf_release(&text);
	report_release(&r);
	return status;
}

/* Gives the exit status; what could be read of several sources is compared all the same. */
static int load_and_compare(const struct side_sources from[N_SIDES], struct remote *remote, const struct args *a,
			    const struct query *q)
{
	struct loading l[N_SIDES] = { { .profile = NULL } };
	const struct profile *p[N_SIDES];
	int status = STATUS_FINE;

	for (int side = 0; side < N_SIDES; side++)
		l[side].load = (struct load){ .source = from[side].source,
					      .n = from[side].n,
					      .kind = side == SIDE_BASE ? "base" : "source",
					      .q = q,
					      .remote = remote };
	progress_begin("reading");
	cmd_report_loading_run(l, N_SIDES);
	progress_end();
	for (int side = N_SIDES; side-- > 0;) {
		status |= cmd_report_loading_tell(&l[side]);
		p[side] = l[side].profile;
	}
	if (p[SIDE_BASE] && p[SIDE_TARGET])
		status |= compare(p, from, a, q);
	for (int side = 0; side < N_SIDES; side++)
		cmd_report_loading_release(&l[side]);
	return status;
}

int cmd_report_diff(const struct args *a)
{
	struct remote *remote = NULL;
	struct query q = a->q;
	struct pair pair;
	int status = cmd_report_pair_find(a, usage, &pair);

	if (status == STATUS_FINE)
		status = cmd_report_fetch(pair.source, N_SIDES, &a->q, &remote);
	query_apply_defaults(&q, &a->report->defaults);
	if (status == STATUS_FINE)
		status = load_and_compare(pair.from, remote, a, &q);
	remote_free(remote);
	cmd_report_pair_release(&pair);
	return status;
}
