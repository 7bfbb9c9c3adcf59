/*
 * cmd_diff.c - two sides, compared
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "cli/answer.h"
#include "cli/cmd.h"
#include "cli/cmd_report.h"
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

/* Standard input can be read only once. */
static bool stdin_twice(const struct side_sources from[N_SIDES])
{
	size_t n = 0;

	for (int side = 0; side < N_SIDES; side++)
		for (size_t i = 0; i < from[side].n; i++)
			n += strcmp(from[side].source[i], "-") == 0;
	return n > 1;
}

/* Gives the exit status; what could be read of several sources is compared all the same. */
static int load_side(const struct side_sources *from, const struct query *q, struct profile **out)
{
	struct load l = { .source = from->source, .n = from->n, .q = q };
	struct err err;
	int status = check_sources(&l, q), rc;

	if (status != STATUS_FINE)
		return status;
	progress_begin("reading");
	rc = load_profile(&l, out, &err);
	progress_end();
	tell_notes(&l);
	buf_release(&l.notes);
	if (rc < 0)
		return say_error("%s", err.msg);
	return l.n_failed ? STATUS_TROUBLE : STATUS_FINE;
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

int cmd_diff(const struct args *a)
{
	struct side_sources from[N_SIDES];
	struct profile *p[N_SIDES] = { NULL };
	struct query q = a->q;
	int status = find_sides(a, from), failed = STATUS_FINE;

	if (status == STATUS_FINE && stdin_twice(from))
		status = say_error("standard input is given twice");
	query_for_report(&q, a->command->report);
	for (int side = N_SIDES; status == STATUS_FINE && side-- > 0;) {
		int rc = load_side(&from[side], &q, &p[side]);

		failed = rc != STATUS_FINE ? rc : failed;
		status = p[side] ? STATUS_FINE : rc;
	}
	if (status == STATUS_FINE)
		status = compare((const struct profile *const *)p, from, &q);
	for (int side = 0; side < N_SIDES; side++)
		profile_free(p[side]);
	return status != STATUS_FINE ? status : failed;
}
