/*
 * cmd_diff.c - two sides, compared
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "cli/answer.h"
#include "cli/cmd.h"
#include "cli/cmd_report.h"
#include "cli/fetching.h"
#include "cli/loading.h"
#include "cli/say.h"
#include "report/diff.h"

#include <string.h>
#include <unistd.h>

static const char usage[] =
	"cpa diff BASE NEW; several on a side: cpa diff A1 A2 -- B1 B2, or --base=A1 --base=A2 B1 B2";

/* What the command line puts on a side. */
struct words {
	const char *const *word;
	size_t n;
};

/* Which words are on which side. Gives the exit status. */
static int find_sides(const struct args *a, struct words side[N_SIDES])
{
	const struct opt_list *base = a->q.base.n ? &a->q.base : &a->q.diff_base;
	size_t n_left = a->n_left ? a->n_left : 1;

	if (base->n) {
		side[SIDE_BASE] = (struct words){ base->item, base->n };
		side[SIDE_TARGET] = (struct words){ a->word, a->n_words };
		if (a->n_words == 0)
			return say_error("nothing to compare with the base: %s", usage);
		return STATUS_FINE;
	}
	if (n_left >= a->n_words || (a->n_left == 0 && a->n_words != 2))
		return say_error("diff takes two profiles, this is %zu: %s", a->n_words, usage);
	side[SIDE_BASE] = (struct words){ a->word, n_left };
	side[SIDE_TARGET] = (struct words){ a->word + n_left, a->n_words - n_left };
	return STATUS_FINE;
}

/* The files that the words stand for, which must be ones that can be meant. Gives the exit status. */
static int find_sources(const struct words side[N_SIDES], const struct query *q, struct sources out[N_SIDES])
{
	static const char *const kind[N_SIDES] = { [SIDE_TARGET] = "source", [SIDE_BASE] = "base" };
	size_t n_stdin = 0;
	struct err err;

	for (int i = N_SIDES; i-- > 0;) {
		if (sources_add(&out[i], side[i].word, side[i].n, &err) < 0)
			return say_error("%s", err.msg);
		if (check_sources(&out[i], kind[i], q, &n_stdin) != STATUS_FINE)
			return STATUS_TROUBLE;
	}
	return STATUS_FINE;
}

static int compare(const struct profile *const p[N_SIDES], const struct side_sources from[N_SIDES],
		   const struct args *a, const struct query *q)
{
	bool color = to_stdout(q) && say_color(STDOUT_FILENO, q->color);
	struct buf text = { 0 }, notes = { 0 };
	struct report r;
	struct err err;
	int rc, status;

	progress_begin("comparing");
	rc = diff_report(p, from, q, &r, &notes, &err);
	progress_end();
	tell_lines(&notes);
	buf_release(&notes);
	if (rc < 0)
		return say_error("%s", err.msg);
	answer_draw(REPORT_DIFF, &r, q, color, &text);
	status = write_report(&text, a);
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
	loading_run(l, N_SIDES);
	progress_end();
	for (int side = N_SIDES; side-- > 0;) {
		status |= loading_tell(&l[side]);
		p[side] = l[side].profile;
	}
	if (p[SIDE_BASE] && p[SIDE_TARGET])
		status |= compare(p, from, a, q);
	for (int side = 0; side < N_SIDES; side++)
		loading_release(&l[side]);
	return status;
}

int cmd_diff(const struct args *a)
{
	struct words side[N_SIDES] = { { NULL, 0 } };
	struct sources source[N_SIDES] = { { 0 } };
	struct side_sources from[N_SIDES];
	struct remote *remote = NULL;
	struct query q = a->q;
	int status = find_sides(a, side);

	if (status == STATUS_FINE)
		status = find_sources(side, &q, source);
	if (status == STATUS_FINE)
		status = fetching_run(source, N_SIDES, &a->q, &remote);
	for (int i = 0; i < N_SIDES; i++)
		from[i] = (struct side_sources){ source[i].name, source[i].n };
	query_for_report(&q, a->command->report);
	if (status == STATUS_FINE)
		status = load_and_compare(from, remote, a, &q);
	remote_free(remote);
	for (int i = 0; i < N_SIDES; i++)
		sources_release(&source[i]);
	return status;
}
