/*
 * cmd_diff.c - two sides, compared
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "cli/answer.h"
#include "cli/cmd.h"
#include "cli/cmd_report.h"
#include "cli/loading.h"
#include "cli/say.h"
#include "report/diff.h"

#include <string.h>
#include <unistd.h>

static const char usage[] =
	"cpa diff BASE NEW; several on a side: cpa diff A1 A2 -- B1 B2, or --base=A1 --base=A2 B1 B2";

/* Which sources are on which side. Gives the exit status. */
static int find_sides(const struct args *a, struct side_sources from[N_SIDES])
{
	const struct opt_list *base = a->q.base.n ? &a->q.base : &a->q.diff_base;
	size_t n_left = a->n_left ? a->n_left : 1;

	if (base->n) {
		from[SIDE_BASE] = (struct side_sources){ base->item, base->n };
		from[SIDE_TARGET] = (struct side_sources){ a->word, a->n_words };
		if (a->n_words == 0)
			return say_error("nothing to compare with the base: %s", usage);
		return STATUS_FINE;
	}
	if (n_left >= a->n_words || (a->n_left == 0 && a->n_words != 2))
		return say_error("diff takes two profiles, this is %zu: %s", a->n_words, usage);
	from[SIDE_BASE] = (struct side_sources){ a->word, n_left };
	from[SIDE_TARGET] = (struct side_sources){ a->word + n_left, a->n_words - n_left };
	return STATUS_FINE;
}

/* Sources that cannot be meant; standard input can be read only once. Gives the exit status. */
static int check_sides(const struct side_sources from[N_SIDES], const struct query *q)
{
	size_t n = 0;

	for (int side = N_SIDES; side-- > 0;) {
		const struct load l = { .source = from[side].source, .n = from[side].n, .q = q };

		if (check_sources(&l, q) != STATUS_FINE)
			return STATUS_TROUBLE;
		for (size_t i = 0; i < from[side].n; i++)
			n += strcmp(from[side].source[i], "-") == 0;
	}
	return n > 1 ? say_error("standard input is given twice") : STATUS_FINE;
}

static int compare(const struct profile *const p[N_SIDES], const struct side_sources from[N_SIDES],
		   const struct query *q)
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
	answer_draw(&r, q, color, &text);
	status = write_report(&text, q);
	buf_release(&text);
	report_release(&r);
	return status;
}

/* Gives the exit status; what could be read of several sources is compared all the same. */
static int load_and_compare(const struct side_sources from[N_SIDES], const struct query *q)
{
	struct loading l[N_SIDES] = { { .profile = NULL } };
	const struct profile *p[N_SIDES];
	int status = STATUS_FINE;

	for (int side = 0; side < N_SIDES; side++)
		l[side].load = (struct load){ .source = from[side].source, .n = from[side].n, .q = q };
	progress_begin("reading");
	loading_run(l, N_SIDES);
	progress_end();
	for (int side = N_SIDES; side-- > 0;) {
		status |= loading_tell(&l[side]);
		p[side] = l[side].profile;
	}
	if (p[SIDE_BASE] && p[SIDE_TARGET])
		status |= compare(p, from, q);
	for (int side = 0; side < N_SIDES; side++)
		loading_release(&l[side]);
	return status;
}

int cmd_diff(const struct args *a)
{
	struct side_sources from[N_SIDES];
	struct query q = a->q;

	if (find_sides(a, from) != STATUS_FINE || check_sides(from, &q) != STATUS_FINE)
		return STATUS_TROUBLE;
	query_for_report(&q, a->command->report);
	return load_and_compare(from, &q);
}
