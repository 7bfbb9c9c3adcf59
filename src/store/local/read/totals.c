/*
 * totals.c - totals of series over time
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "store/local/read/listing.h"
#include "store/local/read/local.h"
#include "store/local/tier/tier.h"

#include <stdlib.h>
#include <string.h>

struct totals {
	struct store_listing *l;
	const struct store_listing_series *s;
	store_total_fn *fn;
	void *arg;
	struct buf buffer;
	/* with conditions on samples: the rows of a chapter, PROFILE_NONE before the first */
	struct select_rows rows;
	uint32_t rows_chapter;
	bool has_any; /* is a total not 0? */
};

static int totals_report(struct totals *t, uint32_t chapter, const struct dict_meta *m, struct store_block_total *out,
			 struct err *err)
{
	const struct chapter *c = t->l->chapter[chapter];
	enum temporality *temporality;
	const struct dict_series *series = local_listing_series_of(t->l, t->s);
	const char **type = local_listing_types(c, m);
	int rc;

	out->service = c->service;
	out->kind = strtab_text(t->l->chapter[t->s->chapter]->dict.str, series->kind);
	out->label = local_listing_labels(t->l, t->s);
	out->n_labels = series->n_labels;
	out->n_types = m->n_types;
	out->type = type;
	out->unit = type + m->n_types;
	temporality = mem_alloc(m->n_types, sizeof(*temporality));
	for (uint32_t i = 0; i < m->n_types; i++)
		temporality[i] = m->temporality[i] == TEMPORALITY_INCREASE ? TEMPORALITY_CUMULATIVE : m->temporality[i];
	out->temporality = temporality;
	out->tier = t->l->sel.chapter[chapter].tier;
	rc = t->fn(t->arg, out, err);
	free(temporality);
	free(type);
	return rc;
}

/* Totals of each profile of a column. */
struct column_totals {
	int64_t *total; /* [n] */
	const struct select_rows *rows;
};

static void totals_add_row(void *arg, uint32_t row, uint32_t n, const uint32_t *cell, const int64_t *value)
{
	struct column_totals *t = arg;

	for (uint32_t i = 0; i < n && select_has_row(t->rows, row); i++)
		t->total[cell[i]] = (int64_t)((uint64_t)t->total[cell[i]] + (uint64_t)value[i]);
}

/* The totals of a block: [n_columns][n]. Differences of a chain are added up after the rows. */
static int block_totals(const struct block *b, const struct select_rows *rows, int64_t *total, struct err *err)
{
	int rc = 0;

	memset(total, 0, (size_t)b->n_columns * b->n * sizeof(*total));
	for (uint32_t c = 0; rc == 0 && c < b->n_columns; c++) {
		struct column_totals t = { total + (size_t)c * b->n, rows };

		rc = block_each_row(b, c, totals_add_row, &t, err);
		for (uint32_t k = 1; b->is_chain[c] && k < b->n; k++)
			t.total[k] = (int64_t)((uint64_t)t.total[k] + (uint64_t)t.total[k - 1]);
	}
	return rc;
}

/* Report the profiles of a block that are in the window. */
static int report_profiles(struct totals *t, uint32_t chapter, const struct block *b, int64_t t0, struct err *err)
{
	const struct chapter *c = t->l->chapter[chapter];
	const struct store_query *q = t->l->q;
	const uint8_t *hash = local_listing_series_of(t->l, t->s)->hash;
	int64_t *total = mem_alloc((size_t)b->n_columns * b->n, sizeof(*total));
	int64_t *own = mem_alloc(b->n_columns, sizeof(*own));
	int rc = block_totals(b, &t->rows, total, err);

	for (uint32_t k = 0; rc == 0 && k < b->n; k++) {
		struct store_block_total out = {
			.t0 = b->start_ns[k],
			.t1 = b->start_ns[k],
			.profiles = b->slot ? b->slot[k].n : 1,
			.total = own,
		};
		uint8_t id[16];

		if (b->start_ns[k] < t0 || b->start_ns[k] >= q->t1)
			continue;
		block_profile_id(hash, b->start_ns[k], id);
		if (q->id && memcmp(id, q->id, sizeof(id)) != 0)
			continue;
		for (uint32_t i = 0; i < b->n_columns; i++)
			t->has_any |= (own[i] = total[(size_t)i * b->n + k]) != 0;
		if (!b->slot || b->slot[k].role == SLOT_SUM)
			rc = totals_report(t, chapter, &c->dict.meta[b->meta[k]], &out, err);
	}
	free(total);
	free(own);
	return rc;
}

/* Are all profiles of a block in one step of the window? */
static bool is_in_one_step(const struct store_query *q, const struct block_entry *b, int64_t t0)
{
	if (b->t0 < t0 || b->t1 >= q->t1 || q->id || q->n_sample_match)
		return false;
	return !q->step_ns || ((uint64_t)b->t0 - (uint64_t)q->t0) / (uint64_t)q->step_ns ==
				      ((uint64_t)b->t1 - (uint64_t)q->t0) / (uint64_t)q->step_ns;
}

/* Decide about the rows of a chapter. */
static int totals_find_rows(struct totals *t, uint32_t chapter, struct err *err)
{
	if (!t->l->q->n_sample_match || t->rows_chapter == chapter)
		return 0;
	select_rows_release(&t->rows);
	t->rows_chapter = chapter;
	return select_rows_extend(&t->rows, t->l->q, &t->l->chapter[chapter]->dict, err);
}

static int report_part(struct totals *t, const struct store_listing_part *part, struct err *err)
{
	const struct chapter *c = t->l->chapter[part->chapter];
	const struct block_entry *entry = &c->block[part->block];
	int64_t t0 = select_window_start(t->l->q, &t->l->cut, c->dict.series[entry->series].hash);
	struct block b;
	int rc = totals_find_rows(t, part->chapter, err);

	rc = rc < 0 ? rc : chapter_open_block(c, part->block, &t->buffer, &b, err);
	if (rc < 0)
		return rc;
	if (b.n_columns != c->dict.meta[b.meta[0]].n_types)
		rc = err_set(err, ERR_FORMAT, "a block has other columns than its profiles");
	else if (!b.slot && is_in_one_step(t->l->q, entry, t0))
		rc = totals_report(
			t, part->chapter, &c->dict.meta[b.meta[0]],
			&(struct store_block_total){
				.t0 = entry->t0, .t1 = entry->t1, .profiles = entry->profiles, .total = entry->total },
			err);
	else
		rc = report_profiles(t, part->chapter, &b, t0, err);
	block_release(&b);
	return rc;
}

static int compare_parts(const void *a, const void *b, void *arg)
{
	const struct store_listing *l = arg;
	const struct store_listing_part *p = a, *r = b;
	int64_t x = l->chapter[p->chapter]->block[p->block].t0, y = l->chapter[r->chapter]->block[r->block].t0;

	return x < y ? -1 : x > y;
}

static int report_series(struct totals *t, struct err *err)
{
	int rc = stop_check(t->l->stop, err);

	if (t->s->n_parts)
		qsort_r(t->s->part, t->s->n_parts, sizeof(*t->s->part), compare_parts, t->l);
	for (size_t i = 0; rc == 0 && i < t->s->n_parts; i++) {
		const struct store_listing_part *part = &t->s->part[i];

		rc = report_part(t, part, err);
		if (rc == ERR_FORMAT)
			select_damage(&t->l->sel.chapter[part->chapter], err);
		if (rc == ERR_FORMAT && t->l->q->partial)
			rc = 0;
	}
	return rc;
}

/* Slots that are longer than the steps belong to none of them. */
static int check_steps(const struct store_listing *l, struct err *err)
{
	for (size_t i = 0; i < l->sel.n && l->q->step_ns; i++)
		if (l->chapter[i] && tier_slot_ns(l->sel.chapter[i].tier) > l->q->step_ns)
			return err_set(err, ERR_USAGE,
				       "the resolution of %s is %s there, which is longer than the steps; write a step "
				       "of %s or more",
				       l->chapter[i]->service, store_tier_name(l->sel.chapter[i].tier),
				       store_tier_name(l->sel.chapter[i].tier));
	return 0;
}

int local_totals(struct store *s, const struct store_query *q, struct stop *stop, store_total_fn *fn, void *arg,
		 struct err *err)
{
	struct store_listing l;
	struct totals t = { .l = &l, .fn = fn, .arg = arg, .rows_chapter = PROFILE_NONE };
	int rc = local_listing_open(s, q, stop, &l, err);

	if (rc < 0)
		return rc;
	rc = check_steps(&l, err);
	for (uint32_t i = 0; rc == 0 && i < l.keys.n; i++) {
		t.s = &l.series[i];
		rc = report_series(&t, err);
	}
	if (rc == 0 && l.q->n_sample_match && l.keys.n && !t.has_any)
		rc = nearest_check_samples(s, l.q, NULL, NULL, err);
	buf_release(&t.buffer);
	select_rows_release(&t.rows);
	local_listing_close(&l);
	return rc;
}
