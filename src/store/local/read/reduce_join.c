/*
 * reduce_join.c - add what the threads found in a chapter to the result
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "base/num.h"
#include "store/local/read/reduce_int.h"

#include <stdlib.h>

/* Translate rows of a chapter in place. */
static int translate_rows(struct reduce_chapter *c, uint32_t *row, uint32_t n, struct err *err)
{
	return c->is_adopted ? 0 : dict_translate_rows(c->translation, row, n, err);
}

static int join_sum(struct reducer *r, struct reduce_chapter *c, struct reduce_sum *s, struct err *err)
{
	struct reduce_bucket *b;
	int rc = translate_rows(c, s->m.row, s->m.n, err);

	if (rc == 0)
		rc = reduce_get_bucket(r, s->shape, s->group, &b, err);
	if (rc < 0)
		return rc;
	b->profiles += s->profiles;
	if (num_add(&b->duration_ns, s->duration_ns))
		return err_set(err, ERR_RANGE, "the sum of the durations overflows 64 bits");
	for (uint32_t t = 0; t < s->m.n_columns; t++)
		for (uint32_t i = 0; i < s->m.n; i++)
			if (num_add(&b->sum[t][s->m.row[i]], s->m.column[t][i]))
				return reduce_overflow(r, &r->shape[s->shape], t, err);
	return 0;
}

static int join_meta(struct reducer *r, struct reduce_chapter *c, const struct reduce_meta *m, struct err *err)
{
	struct reduce_bucket *b;
	uint32_t id;
	int rc = 0;

	if (c->is_adopted)
		id = m->meta;
	else
		rc = dict_translate_meta(c->translation, m->meta, &id, err);

	if (rc == 0)
		rc = reduce_get_bucket(r, c->shape[m->meta], m->group, &b, err);
	if (rc < 0)
		return rc;
	if (m->first_ns < b->first_ns)
		b->first_ns = m->first_ns;
	b->meta = mem_grow(b->meta, &b->cap_metas, b->n_metas + 1, sizeof(*b->meta));
	b->meta[b->n_metas++] = (struct reduce_meta){ m->group, id, m->first_ns };
	return 0;
}

static void join_process(struct reducer *r, const struct reduce_chapter *c, struct tier_process *p)
{
	p->build = strtab_add_from(r->dict.str, c->c->dict.str, p->build);
}

static int reduce_add_single(struct reducer *r, struct reduce_element *e)
{
	r->single = mem_grow(r->single, &r->cap_singles, r->n_singles + 1, sizeof(*r->single));
	r->single[r->n_singles++] = *e;
	e->m = (struct reduce_matrix){ 0 };
	return 0;
}

static int join_element(struct reducer *r, struct reduce_chapter *c, struct reduce_element *e, enum reduce_pass pass,
			struct err *err)
{
	int rc = translate_rows(c, e->m.row, e->m.n, err);

	if (rc < 0)
		return rc;
	join_process(r, c, &e->first);
	join_process(r, c, &e->last);
	if (e->is_first) {
		r->first = mem_grow(r->first, &r->cap_firsts, r->n_firsts + 1, sizeof(*r->first));
		r->first[r->n_firsts++] = *e;
		e->m = (struct reduce_matrix){ 0 };
		return 0;
	}
	if (e->n == 0 && pass == PASS_PROFILES)
		return reduce_add_single(r, e);
	if (e->n == 0)
		return reduce_state_add_base(r, e, pass != PASS_EARLIER, err);
	if (pass != PASS_PROFILES)
		return reduce_state_add(r, e, false, err);
	return reduce_add_single(r, e);
}

static void join_start(struct reducer *r, const struct sum_start *s)
{
	struct reduce_series *series = &r->series[s->series];

	if (!series->profiles || s->start_ns < series->first_ns)
		series->first_ns = s->start_ns;
	if (!series->profiles || s->start_ns > series->last_ns)
		series->last_ns = s->start_ns;
	series->profiles += s->profiles;
	r->first_ns = s->start_ns < r->first_ns ? s->start_ns : r->first_ns;
	r->last_ns = s->start_ns > r->last_ns ? s->start_ns : r->last_ns;
	r->profiles += s->profiles;
	if (!(r->tiers & 1U << s->tier) || s->start_ns < r->tier_first[s->tier])
		r->tier_first[s->tier] = s->start_ns;
	if (!(r->tiers & 1U << s->tier) || s->start_ns > r->tier_last[s->tier])
		r->tier_last[s->tier] = s->start_ns;
	r->tiers |= 1U << s->tier;
	if (s->tier != TIER_RAW)
		return;
	series->start = mem_grow(series->start, &series->cap_starts, series->n_starts + 1, sizeof(*series->start));
	series->start[series->n_starts++] = s->start_ns;
}

static void mark_rows(bool *is_used, const struct reduce_matrix *m)
{
	for (uint32_t i = 0; i < m->n; i++)
		is_used[m->row[i]] = true;
}

/*
 * Translate the rows of the slices [n] of a chapter in the order of their ids: so the order of the rows of the result does not
 * depend on the slices, whose number is that of the threads, and the nodes of stacks are read in their order.
 */
static int translate_slices(struct reduce_chapter *c, const struct reduce_slice *slice, size_t n, struct err *err)
{
	uint32_t n_rows = c->c->dict.n_rows, n_used = 0, *row;
	bool *is_used;
	int rc;

	if (c->is_adopted)
		return 0;
	is_used = mem_zalloc(n_rows, sizeof(*is_used));
	row = mem_alloc(n_rows, sizeof(*row));
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < slice[i].n_sums; k++)
			mark_rows(is_used, &slice[i].sum[k].m);
		for (size_t k = 0; k < slice[i].n_elements; k++)
			mark_rows(is_used, &slice[i].element[k].m);
	}
	for (uint32_t i = 0; i < n_rows; i++)
		if (is_used[i])
			row[n_used++] = i;
	rc = dict_translate_rows(c->translation, row, n_used, err);
	free(is_used);
	free(row);
	return rc;
}

static int join_slice(struct reducer *r, struct reduce_slice *s, enum reduce_pass pass, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < s->n_metas; i++)
		rc = join_meta(r, s->chapter, &s->meta[i], err);
	for (size_t i = 0; rc == 0 && i < s->n_sums; i++)
		rc = join_sum(r, s->chapter, &s->sum[i], err);
	for (size_t i = 0; rc == 0 && i < s->n_starts; i++)
		join_start(r, &s->start[i]);
	r->n_restarts += pass == PASS_WINDOW ? s->n_restarts : 0;
	for (size_t i = 0; i < s->gains.n; i++)
		reduce_gains_add(&r->gains, &s->gains.gain[i]);
	for (size_t i = 0; rc == 0 && i < s->n_elements; i++)
		rc = join_element(r, s->chapter, &s->element[i], pass, err);
	return rc;
}

int reduce_join_slices(struct reducer *r, struct reduce_chapter *c, struct reduce_slice *slice, size_t n,
		       enum reduce_pass pass, struct err *err)
{
	int rc = r->wants_forest ? 0 : translate_slices(c, slice, n, err);

	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = join_slice(r, &slice[i], pass, err);
	return rc;
}
