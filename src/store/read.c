/*
 * read.c - the profiles of a query as one profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "store/catalogue.h"
#include "store/nearest.h"
#include "store/reduce.h"
#include "store/select.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>

/* Chapters that are decoded at the same time. */
enum { GROUP_CHAPTERS = 16, GROUP_BYTES = 32 << 20, BASE_CHAPTERS_MIN = 16, BASE_CHAPTERS_MAX = 1 << 16 };

struct reading {
	struct store *s;
	const struct store_query *q;
	struct stop *stop;
	struct reducer *r;
	struct store_sum *sum;
};

/* With partial, a damaged chapter is noted; without, it is an error. */
static int check_inputs(struct reading *rd, const struct reduce_input *in, size_t n, struct err *err)
{
	for (size_t i = 0; i < n; i++) {
		if (in[i].rc >= 0)
			continue;
		if (!rd->q->partial) {
			*err = in[i].err;
			return in[i].rc;
		}
		rd->sum->is_damaged = true;
		buf_addf(&rd->sum->notes, "%s; it is left out\n", in[i].err.msg);
	}
	return 0;
}

typedef int add_fn(struct reducer *r, struct reduce_input *in, size_t n, struct err *err);

/* Add the chapters [lo, end) of a selection, as many as one group holds. Returns their number. */
static int add_group(struct reading *rd, const struct selection *sel, size_t lo, add_fn *add, size_t *n,
		     struct err *err)
{
	struct reduce_input in[GROUP_CHAPTERS] = { 0 };
	uint64_t bytes = 0;
	int rc;

	for (*n = 0; lo + *n < sel->n && *n < GROUP_CHAPTERS && (*n == 0 || bytes < GROUP_BYTES); ++*n) {
		in[*n].from = &sel->chapter[lo + *n];
		bytes += in[*n].from->bytes;
	}
	rc = add(rd->r, in, *n, err);
	return rc == 0 ? check_inputs(rd, in, *n, err) : rc;
}

static int add_all(struct reading *rd, const struct selection *sel, add_fn *add, struct err *err)
{
	size_t n;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sel->n; i += n) {
		rc = add_group(rd, sel, i, add, &n, err);
		stop_set_done(rd->stop, i + n);
	}
	return rc;
}

static int mark_older(void *arg, const struct catalogue_series *series, struct err *err)
{
	struct reading *rd = arg;

	(void)err;
	reduce_mark_older(rd->r, series->hash);
	return 0;
}

/* Which series have profiles before the window? */
static int find_older(struct reading *rd, struct err *err)
{
	const struct store_query *q = rd->q;
	struct catalogue_query cq = { q->service, q->is_pattern, INT64_MIN, q->t0 };
	int rc = catalogue_read_begin(rd->s->catalogue, err);

	if (rc < 0)
		return rc;
	rc = catalogue_each_series(rd->s->catalogue, &cq, q->kind ? q->kind : "", mark_older, rd, err);
	catalogue_read_end(rd->s->catalogue);
	return rc;
}

/* Read chapters before the window, newest first, until each series that needs one has its last snapshot before it. */
static int add_bases(struct reading *rd, struct err *err)
{
	int rc = 0;

	if (rd->q->t0 == INT64_MIN || (rd->q->pin && *rd->q->pin))
		return 0;
	rc = find_older(rd, err);
	for (size_t max = BASE_CHAPTERS_MIN, done = 0; rc == 0 && max <= BASE_CHAPTERS_MAX; max *= 4) {
		struct selection sel;
		size_t n = 1;

		if (!reduce_needs_base(rd->r, INT64_MAX))
			return 0;
		rc = select_beside(rd->s, rd->q, false, max, &sel, err);
		if (rc < 0)
			return rc;
		for (size_t i = done; rc == 0 && i < sel.n && reduce_needs_base(rd->r, sel.chapter[i].t1); i += n) {
			struct selection one = { .chapter = sel.chapter, .n = i + 1 };

			rc = add_group(rd, &one, i, reduce_add_bases, &n, err);
		}
		done = sel.n;
		select_close(&sel);
		if (done < max)
			break;
	}
	return rc;
}

static int read_selection(struct reading *rd, const struct selection *sel, struct profile **out, struct err *err)
{
	struct select_cut cut;
	int rc = 0;

	if (rd->q->limit) {
		rc = select_find_cut(rd->q, sel, &cut, err);
		reduce_set_cut(rd->r, &cut);
	}
	stop_begin(rd->stop, "adding up profiles", sel->n);
	if (rc == 0)
		rc = add_all(rd, sel, reduce_add, err);
	if (rc == 0)
		rc = add_bases(rd, err);
	if (rc == 0 && reduce_is_unordered(rd->r))
		rc = add_all(rd, sel, reduce_add_unordered, err);
	return rc == 0 ? reduce_finish(rd->r, out, rd->sum, err) : rc;
}

int store_read(struct store *s, const struct store_query *q, struct stop *stop, struct profile **out,
	       struct store_sum *sum, struct err *err)
{
	struct store_sum result = { 0 };
	struct reading rd = { s, q, stop, NULL, &result };
	struct selection sel;
	struct profile *p = NULL;
	int rc = select_open(s, q, &sel, err);

	if (rc < 0)
		return rc;
	if (sel.is_partial) {
		result.is_damaged = true;
		buf_addz(&result.notes, store_get_damage(s));
	}
	rd.r = reduce_new(q, stop);
	rc = read_selection(&rd, &sel, &p, err);
	reduce_free(rd.r);
	select_close(&sel);
	if (rc == 0 && !p && result.is_damaged)
		rc = err_set(err, ERR_FORMAT, "nothing is left without the damaged parts: %.*s",
			     (int)strcspn(result.notes.data, ";"), result.notes.data);
	else if (rc == 0 && !p)
		rc = nearest_error(s, q, err);
	if (rc < 0) {
		store_sum_release(&result);
		return rc;
	}
	*out = p;
	*sum = result;
	return 0;
}

void store_sum_release(struct store_sum *s)
{
	buf_release(&s->notes);
	*s = (struct store_sum){ 0 };
}
