/*
 * sums.c - read many profiles as sums, if the report needs no more
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "sources/sums.h"

#include "base/stop.h"
#include "base/str.h"
#include "engine/query.h"
#include "engine/sums.h"
#include "engine/view.h"
#include "profile/sums.h"
#include "sources/symbolize.h"

enum {
	SUMS_FILES_MIN = 100, /* fewer files are merged: the trial below would cost too much */
	SUMS_TRIAL_PART = 64, /* one of so many files is read in the trial, but a minimum and a maximum of them */
	SUMS_TRIAL_MIN = 8,
	SUMS_TRIAL_MAX = 64,
};

#define SUMS_SHARE_MAX 0.5 /* of samples that keep their stacks; with more, sums save little */

static bool sums_are_wanted(const struct source_set *l)
{
	const struct query *q = l->q;
	struct buf notes = { 0 };
	struct symbolize_mode m = sources_symbolize_mode(q->symbolize, &notes);

	buf_release(&notes);
	/* if all functions are shown, many are too rare for a note without stacks */
	if (q->trim && q->nodefraction <= 0 && q->nodecount <= 0 && q->edgefraction > 0 && !q->noinlines)
		return false;
	return q->wants_sums && l->n >= SUMS_FILES_MIN && !m.force && !q->intersect_types && !q->times && !*q->from &&
	       !*q->to && !*q->label && !*q->normalize && sums_can_answer(&q->filter);
}

/* Read files at equal distances, and find the functions that need stacks. */
static int sums_read_some(const struct source_set *l, struct strtab *names, double *share, struct err *err)
{
	const char *name[SUMS_TRIAL_MAX];
	struct source from[SUMS_TRIAL_MAX];
	struct source_set some = *l;
	struct query q = *l->q;
	struct profile *p = NULL;
	struct arena *mem = arena_new();
	struct view v;
	int rc;

	some.n = l->n / SUMS_TRIAL_PART;
	some.n = some.n < SUMS_TRIAL_MIN ? SUMS_TRIAL_MIN : some.n < SUMS_TRIAL_MAX ? some.n : SUMS_TRIAL_MAX;
	some.source = name;
	some.from = from;
	for (size_t i = 0; i < some.n; i++) {
		name[i] = l->source[l->n / some.n * i];
		from[i] = l->from[l->n / some.n * i];
	}
	some.sums = names;
	some.progress = NULL;
	some.notes = some.info = (struct buf){ 0 };
	rc = sources_set_read(&some, &p, err);
	query_apply_defaults(&q, &(struct query_defaults){ .nodecount = 0 });
	if (rc == 0)
		rc = view_make(p, &q.filter, mem, &v, &some.notes, err);
	if (rc == 0 && (!p->sums || v.type != p->sums->type))
		rc = err_set(err, ERR_UNKNOWN, "no sums of this sample type");
	if (rc == 0)
		rc = sums_find_whole(&v, &q.filter, names, share, err);
	profile_free(p);
	buf_release(&some.notes);
	buf_release(&some.info);
	arena_free(mem);
	return rc;
}

struct strtab *sources_sums_try(const struct source_set *l)
{
	struct strtab *names;
	struct err err;
	double share;

	if (!sums_are_wanted(l))
		return NULL;
	for (size_t i = 0; i < l->n; i++)
		if (!l->from || l->from[i].type->read != sources_read_file ||
		    !sources_can_repeat(&l->from[i], l->source[i]))
			return NULL;
	names = strtab_new();
	if (sums_read_some(l, names, &share, &err) == 0 && share <= SUMS_SHARE_MAX)
		return names;
	strtab_free(names);
	return NULL;
}

bool sources_sums_restart(struct source_set *l)
{
	if (l->keeps_stacks || stop_is_set(l->q->stop))
		return false;
	l->sums = NULL;
	l->keeps_stacks = true;
	l->notes.len = l->info.len = 0;
	l->n_failed = 0;
	l->n_unnamed = l->n_named = 0;
	l->is_partial = false;
	return true;
}
