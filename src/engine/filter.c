/*
 * filter.c - the part of a profile that a question is about
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Names are matched once each and expression, then locations, stacks and label sets are judged once
 * each; rows only look up what became of theirs.
 */
#include "config.h"

#include "engine/filter.h"

#include "engine/filter_int.h"
#include "engine/tag_frames.h"

#include <string.h>

static bool asks_nothing(const struct query *q)
{
	const char *const all[] = { q->focus,    q->ignore,    q->hide,    q->show,    q->show_from, q->prune_from,
				    q->tagfocus, q->tagignore, q->tagshow, q->taghide, q->tagroot,   q->tagleaf };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (*all[i])
			return false;
	return true;
}

static void release(struct filter *f)
{
	for (int i = 0; i < N_NAMES; i++)
		matcher_release(&f->name[i]);
	tag_filter_release(&f->tagfocus);
	tag_filter_release(&f->tagignore);
	matcher_release(&f->tagshow);
	matcher_release(&f->taghide);
}

/* In this order, since the first that does not parse is told. */
static int compile(struct filter *f, struct err *err)
{
	const struct query *q = f->q;
	int rc = matcher_init(&f->name[NAME_FOCUS], "focus", q->focus, err);

	if (rc == 0)
		rc = matcher_init(&f->name[NAME_IGNORE], "ignore", q->ignore, err);
	if (rc == 0)
		rc = matcher_init(&f->name[NAME_HIDE], "hide", q->hide, err);
	if (rc == 0)
		rc = matcher_init(&f->name[NAME_SHOW], "show", q->show, err);
	if (rc == 0)
		rc = matcher_init(&f->name[NAME_SHOW_FROM], "show_from", q->show_from, err);
	if (rc == 0)
		rc = tag_filter_init(f, &f->tagfocus, "tagfocus", q->tagfocus, err);
	if (rc == 0)
		rc = tag_filter_init(f, &f->tagignore, "tagignore", q->tagignore, err);
	if (rc == 0)
		rc = matcher_init(&f->name[NAME_PRUNE_FROM], "prune_from", q->prune_from, err);
	if (rc == 0)
		rc = matcher_init(&f->tagshow, "tagshow", q->tagshow, err);
	if (rc == 0)
		rc = matcher_init(&f->taghide, "taghide", q->taghide, err);
	for (int i = 0; i < N_NAMES; i++)
		f->name[i].stop = q->stop;
	f->tagshow.stop = f->taghide.stop = q->stop;
	return rc;
}

static bool rows_left(const struct filter *f)
{
	for (uint32_t row = 0; row < f->d.n_rows; row++)
		if (!(f->stack_goes && f->stack_goes[f->d.stack[row]]) &&
		    !(f->set_goes && f->set_goes[f->d.labels[row]]))
			return true;
	return false;
}

/* Each expression matched something, and still nothing is left: say where the last samples went. */
static void tell_empty(struct filter *f, const char *const option[], const bool set[], int n)
{
	const char *between = "No samples are left after ";

	for (int i = 0; i < n; i++) {
		if (set[i]) {
			buf_addf(f->notes, "%s%s", between, option[i]);
			between = ", ";
		}
	}
	buf_addz(f->notes, "\n");
}

static int apply_names(struct filter *f, struct err *err)
{
	static const char *const option[] = { "focus", "ignore", "hide", "show", "show_from" };
	size_t told = f->notes->len;
	bool set[N_NAMES - 1];
	int rc = filter_names(f, err);

	for (int i = 0; i < N_NAMES - 1; i++)
		set[i] = f->name[i].rx != NULL;
	if (rc == 0 && f->stack_goes && f->notes->len == told && !rows_left(f))
		tell_empty(f, option, set, N_NAMES - 1);
	return rc;
}

static int apply_tags(struct filter *f, const struct label_units *units, struct err *err)
{
	static const char *const option[] = { "tagfocus", "tagignore" };
	const bool set[] = { f->tagfocus.is_set, f->tagignore.is_set }, were_left = rows_left(f);
	size_t told = f->notes->len;
	int rc = filter_tags(f, units, err);

	if (rc == 0 && were_left && f->notes->len == told && !rows_left(f))
		tell_empty(f, option, set, 2);
	return rc;
}

static int apply(struct filter *f, const struct profile *p, struct err *err)
{
	struct label_units units = { 0 };
	int rc = tag_frames_add(&f->d, f->q, f->mem, f->notes, err);

	if (f->tagfocus.n_ranges || f->tagignore.n_ranges)
		label_units_make(p, f->mem, &units, NULL);
	if (rc == 0)
		rc = apply_names(f, err);
	if (rc == 0)
		rc = apply_tags(f, &units, err);
	if (rc == 0)
		rc = stop_check(f->q->stop, err);
	if (rc == 0)
		filter_rows(f);
	return rc;
}

int filter_make(const struct profile *p, const struct query *q, struct arena *mem, const struct profile **out,
		struct buf *notes, struct err *err)
{
	struct filter f = { .d = *p, .q = q, .mem = mem, .notes = notes };
	int rc;

	if (asks_nothing(q)) {
		*out = p;
		return 0;
	}
	rc = compile(&f, err);
	if (rc == 0)
		rc = apply(&f, p, err);
	if (rc == 0) {
		struct profile *d = arena_alloc(mem, 1, sizeof(*d));

		*d = f.d;
		*out = d;
	}
	release(&f);
	return rc;
}
