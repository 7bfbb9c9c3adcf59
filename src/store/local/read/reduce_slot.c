/*
 * reduce_slot.c - reduce the slots of tiers
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Slots with sums are added as profiles are; store/local/tier/tier.h says what else there is.
 */
#include "config.h"

#include "base/mem.h"
#include "base/num.h"
#include "store/local/read/reduce_int.h"

#include <string.h>

/* The error of a reduction that needs single profiles. */
static int fail_reduction(const struct reduce_work *w, const struct block *b, uint32_t t, struct err *err)
{
	static const char *const name[] = {
		[REDUCE_DEFAULT] = "",    [REDUCE_SUM] = "sum", [REDUCE_MEAN] = "mean",        [REDUCE_LAST] = "last",
		[REDUCE_FIRST] = "first", [REDUCE_MAX] = "max", [REDUCE_INCREASE] = "increase"
	};
	const struct chapter *c = w->c->c;
	struct buf span = { 0 };

	select_print_span(c->t0, c->t1 + tier_slot_ns(b->slot[0].tier), &span);
	err_set(err, ERR_USAGE,
		"reduce=%s of %s needs single profiles, but %s has the resolution %s in %s; leave the option out, or "
		"select a later window",
		name[w->r->q->reduce], strtab_text(w->r->dict.str, w->shape->type[t].name), c->service,
		store_tier_name(b->slot[0].tier), span.data);
	buf_release(&span);
	return ERR_USAGE;
}

/* Is the answer known for a column of slots? */
static bool can_reduce(const struct store_query *q, enum temporality t)
{
	if (q->id || q->reduce == REDUCE_DEFAULT)
		return true;
	switch (t) {
	case TEMPORALITY_INCREASE:
		return q->reduce == REDUCE_INCREASE;
	case TEMPORALITY_GAUGE:
		return q->reduce == REDUCE_MEAN || q->reduce == REDUCE_SUM;
	default:
		return q->reduce == REDUCE_SUM || q->reduce == REDUCE_INCREASE;
	}
}

struct slot_totals {
	int64_t total[BLOCK_PROFILES_MAX];
};

static void reduce_slot_add_totals(void *arg, uint32_t row, uint32_t n, const uint32_t *cell, const int64_t *value)
{
	struct slot_totals *x = arg;

	(void)row;
	for (uint32_t i = 0; i < n; i++)
		x->total[cell[i]] = num_add_capped(x->total[cell[i]], value[i]);
}

/* Note the increases of the slots of a range. */
static int note_increases(struct reduce_work *w, const struct block *b, const struct reduce_range *range, uint32_t t,
			  struct err *err)
{
	struct slot_totals x = { 0 };
	int rc = block_each_row(b, t, reduce_slot_add_totals, &x, err);

	for (uint32_t k = range->lo; rc == 0 && k < range->hi; k++)
		if (x.total[k])
			reduce_gains_add(&w->s->gains, &(struct reduce_gain){ w->e.series, w->e.shape, t,
									      b->start_ns[k], x.total[k] });
	return rc;
}

int reduce_slot_check(struct reduce_work *w, const struct block *b, const struct reduce_range *range, struct err *err)
{
	const struct reduce_shape *s = w->shape;
	int rc = 0;

	if (range->lo >= range->hi || w->pass != PASS_WINDOW)
		return 0;
	for (uint32_t t = 0; rc == 0 && t < s->n_types; t++) {
		if (!can_reduce(w->r->q, s->temporality[t]))
			return fail_reduction(w, b, t, err);
		if (w->r->wants_gains && s->temporality[t] == TEMPORALITY_INCREASE)
			rc = note_increases(w, b, range, t, err);
	}
	for (uint32_t k = range->lo; k < range->hi; k++)
		w->s->n_restarts += b->slot[k].restarts;
	return rc;
}

/* Is a snapshot needed in this pass? */
static bool is_needed_now(const struct reduce_work *w, enum slot_role role, int64_t t)
{
	const struct reduce_series *s = &w->r->series[w->e.series];

	switch (w->pass) {
	case PASS_WINDOW:
		return role == SLOT_BASE ? t < w->r->q->t1 : t >= s->t0 && t < w->r->q->t1;
	case PASS_BASES:
		return role == SLOT_BASE && t < s->t0;
	case PASS_EARLIER:
		return role == SLOT_BASE && t < s->first_ns;
	default:
		return role == SLOT_BASE && t < w->r->q->t1 && t >= s->t0;
	}
}

/* Add a snapshot as an element with the columns that are increases. */
static void add_snapshot(struct reduce_work *w, const struct stored *p)
{
	const struct reduce_shape *s = w->shape;
	struct reduce_element e = { .series = w->e.series,
				    .shape = w->e.shape,
				    .is_first = p->slot.role == SLOT_FIRST,
				    .first_ns = p->start_ns,
				    .last_ns = p->start_ns,
				    .first = w->c->process[p->meta],
				    .last = w->c->process[p->meta] };

	reduce_matrix_init(&e.m, s->n_increase);
	for (uint32_t i = 0; i < p->n; i++) {
		uint32_t at = reduce_matrix_add(&e.m, p->row[i]);

		for (uint32_t j = 0; j < s->n_increase; j++)
			e.m.column[j][at] = p->value[(size_t)s->increase[j] * p->n + i];
	}
	w->s->element = mem_grow(w->s->element, &w->s->cap_elements, w->s->n_elements + 1, sizeof(*w->s->element));
	w->s->element[w->s->n_elements++] = e;
}

int reduce_slot_add_snapshots(struct reduce_work *w, const struct block *b, struct err *err)
{
	int rc = 0;

	for (uint32_t k = 0; rc == 0 && k < b->n; k++) {
		struct stored p;

		if (!is_needed_now(w, b->slot[k].role, b->start_ns[k]) || !w->shape->n_increase)
			continue;
		rc = block_profile(b, k, &p, err);
		if (rc < 0)
			break;
		for (uint32_t i = 0; rc == 0 && i < p.n; i++)
			if (p.row[i] >= w->n_rows)
				rc = err_set(err, ERR_FORMAT, "a block has a row that does not exist");
		if (rc == 0)
			add_snapshot(w, &p);
		dict_release_stored(&p);
	}
	return rc;
}
