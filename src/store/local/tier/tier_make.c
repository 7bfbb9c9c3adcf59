/*
 * tier_make.c - the slots of the profiles of a chapter
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The profiles of a series follow each other in time, so one slot is added up at a time. The increase between two snapshots belongs
 * to the slot of the second one, and is the same as that of read/reduce_series.c. The first snapshot of a series continues from
 * another series of its instance, which may be in the same chapter: it is added at the end of its series.
 */
#include "config.h"

#include "base/mem.h"
#include "base/num.h"
#include "store/local/tier/tier_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A first snapshot of a series, whose predecessor is another series. */
struct tier_needy {
	uint32_t series;
	str_id instance;
	struct stored s;
};

/* A chapter that is being added. */
struct tier_adder {
	enum store_tier to;
	struct tier_parts *parts;
	struct chapter *c;
	struct tier_history *h;
	struct stop *stop;
	struct tier_view view;
	struct dict_translation *coarse, *plain; /* of the view, and of the dictionary itself for last snapshots */
	struct tier_snapshot *past;              /* [n_past] the history, in terms of the chapter */
	size_t n_past;
	str_id *instance; /* [n_series] */
	struct tier_needy *needy;
	size_t n_needy, cap_needy;
	struct buf buffer;
	/* the current series */
	uint32_t series, own, merged; /* own, merged: in the parts; the same if no label is dropped */
	bool is_late;                 /* other series have parts of merged too */
	bool has_slot, has_last;
	struct stored last; /* its last snapshot, with its counters */
	struct stored_slot slot;
	uint32_t meta; /* of the slot, in the chapter */
	int64_t start_ns, duration_ns;
	int64_t *value;    /* [n_rows][n_columns] of the slot */
	uint32_t *touched; /* [n_touched] rows */
	bool *is_touched;
	uint32_t n_touched, n_columns;
	size_t cap_values;
};

/* --- parts --- */

/* Add rows of the chapter as a part of a slot. meta: of the view */
static int tier_add_part(struct tier_adder *a, uint32_t series, uint32_t meta, struct stored *s, struct err *err)
{
	bool is_base = s->slot.role == SLOT_BASE;
	int rc = dict_translate_rows(is_base ? a->plain : a->coarse, s->row, s->n, err);

	if (rc == 0)
		rc = dict_translate_meta(a->coarse, meta, &s->meta, err);
	s->series = series;
	return rc == 0 ? tier_parts_add(a->parts, s, a->is_late && series == a->merged, err) : rc;
}

/* Copy the rows of the current slot: all columns, or only gauges, or only the others. */
static void copy_rows(const struct tier_adder *a, bool gauges, bool others, struct stored *s)
{
	const struct dict_meta *m = &a->c->dict.meta[a->meta];
	uint32_t n = 0;

	s->n_columns = a->n_columns;
	s->row = mem_alloc(a->n_touched, sizeof(*s->row));
	s->value = mem_zalloc(a->n_touched, a->n_columns * sizeof(*s->value));
	for (int pass = 0; pass < 2; pass++) {
		n = 0;
		for (uint32_t i = 0; i < a->n_touched; i++) {
			const int64_t *value = &a->value[(size_t)a->touched[i] * a->n_columns];
			bool has_value = false;

			for (uint32_t t = 0; t < a->n_columns; t++) {
				bool is_kept = m->temporality[t] == TEMPORALITY_GAUGE ? gauges : others;

				if (!is_kept || !value[t])
					continue;
				has_value = true;
				if (pass)
					s->value[(size_t)t * s->n + n] = value[t];
			}
			if (has_value)
				s->row[n++] = a->touched[i];
		}
		s->n = n;
	}
}

/* Add the current slot to the parts. */
static int end_slot(struct tier_adder *a, struct err *err)
{
	uint32_t meta = a->meta + a->view.n_metas;
	bool is_split = a->own != a->merged;
	struct stored s = { .slot = a->slot, .start_ns = a->start_ns, .duration_ns = a->duration_ns };
	int rc;

	if (!a->has_slot)
		return 0;
	a->has_slot = false;
	copy_rows(a, true, !is_split, &s);
	rc = tier_add_part(a, a->own, meta, &s, err);
	dict_release_stored(&s);
	if (rc == 0 && is_split) {
		s = (struct stored){ .slot = { a->slot.tier, SLOT_SUM, 0, 0 }, .start_ns = a->start_ns };
		copy_rows(a, false, true, &s);
		if (s.n)
			rc = tier_add_part(a, a->merged, meta, &s, err);
		dict_release_stored(&s);
	}
	for (uint32_t i = 0; i < a->n_touched; i++) {
		memset(&a->value[(size_t)a->touched[i] * a->n_columns], 0, a->n_columns * sizeof(*a->value));
		a->is_touched[a->touched[i]] = false;
	}
	a->n_touched = 0;
	return rc;
}

/* Begin the slot of a profile, unless it is the current one. */
static int begin_slot(struct tier_adder *a, const struct stored *s, struct err *err)
{
	const struct dict *d = &a->c->dict;
	int64_t start = tier_slot_start(a->to, s->start_ns);
	size_t before = a->cap_values;
	int rc;

	if (a->has_slot && a->start_ns == start && a->meta == s->meta)
		return 0;
	rc = end_slot(a, err);
	a->has_slot = true;
	a->start_ns = start;
	a->duration_ns = 0;
	a->meta = s->meta;
	a->n_columns = d->meta[s->meta].n_types;
	a->slot = (struct stored_slot){ .tier = a->to, .role = SLOT_SUM };
	a->value = mem_grow(a->value, &a->cap_values, ((size_t)d->n_rows + 1) * a->n_columns, sizeof(*a->value));
	memset(a->value + before, 0, (a->cap_values - before) * sizeof(*a->value));
	return rc;
}

static int add_value(struct tier_adder *a, uint32_t row, uint32_t t, int64_t v, struct err *err)
{
	if (!v)
		return 0;
	if (!a->is_touched[row]) {
		a->is_touched[row] = true;
		a->touched[a->n_touched++] = row;
	}
	if (num_add(&a->value[(size_t)row * a->n_columns + t], v))
		return err_set(err, ERR_RANGE, "the sum of the values of a slot overflows 64 bits");
	return 0;
}

/* --- counters --- */

static bool tier_has_equal_types(const struct dict *d, uint32_t a, uint32_t b)
{
	const struct dict_meta *m = &d->meta[a], *o = &d->meta[b];

	if (a == b || m->same_types == o->same_types)
		return true;
	for (uint32_t t = 0; m->n_types == o->n_types && t < m->n_types; t++)
		if (m->type[t].name != o->type[t].name || m->type[t].unit != o->type[t].unit ||
		    m->temporality[t] != o->temporality[t])
			return false;
	return m->n_types == o->n_types;
}

/* The values of the next row of two snapshots, in order; absent ones are NULL. Returns the row, or PROFILE_NONE at the end. */
struct tier_pair {
	const struct stored *a, *b;
	uint32_t i, k; /* next */
};

static uint32_t next_row(struct tier_pair *p, uint32_t *ia, uint32_t *ib)
{
	uint32_t x = p->a && p->i < p->a->n ? p->a->row[p->i] : PROFILE_NONE;
	uint32_t y = p->k < p->b->n ? p->b->row[p->k] : PROFILE_NONE, row = x < y ? x : y;

	*ia = x == row && x != PROFILE_NONE ? p->i++ : PROFILE_NONE;
	*ib = y == row && y != PROFILE_NONE ? p->k++ : PROFILE_NONE;
	return row;
}

static int64_t value_at(const struct stored *s, uint32_t i, uint32_t t)
{
	return i == PROFILE_NONE ? 0 : s->value[(size_t)t * s->n + i];
}

/* Does the second snapshot begin a process? */
static bool is_restart(const struct tier_adder *a, const struct stored *before, const struct stored *s)
{
	const struct dict *d = &a->c->dict;
	const struct dict_meta *m = &d->meta[s->meta];
	struct tier_process p = tier_find_process(d, &d->meta[before->meta]), q = tier_find_process(d, m);
	struct tier_pair pair = { .a = before, .b = s };
	uint32_t i, k;

	if (tier_is_other_process(&p, &q))
		return true;
	while (next_row(&pair, &i, &k) != PROFILE_NONE)
		for (uint32_t t = 0; t < m->n_types; t++)
			if (m->temporality[t] == TEMPORALITY_CUMULATIVE &&
			    tier_fell(value_at(before, i, t), value_at(s, k, t)))
				return true;
	return false;
}

/* Add the increase from one snapshot to the next to the current slot. */
static int add_increase(struct tier_adder *a, const struct stored *before, const struct stored *s, struct err *err)
{
	const struct dict_meta *m = &a->c->dict.meta[s->meta];
	bool restart = is_restart(a, before, s);
	struct tier_pair pair = { .a = restart ? NULL : before, .b = s };
	uint32_t row, i, k;
	int rc = 0;

	a->slot.restarts += restart;
	while (rc == 0 && (row = next_row(&pair, &i, &k)) != PROFILE_NONE)
		for (uint32_t t = 0; rc == 0 && t < m->n_types; t++) {
			int64_t up;

			if (m->temporality[t] != TEMPORALITY_CUMULATIVE)
				continue;
			if (__builtin_sub_overflow(value_at(s, k, t), value_at(before, i, t), &up))
				return err_set(err, ERR_RANGE, "an increase overflows 64 bits");
			rc = add_value(a, row, t, up, err);
		}
	return rc;
}

/* A copy of the counters of a snapshot. */
static struct stored keep_snapshot(const struct tier_adder *a, const struct stored *s)
{
	size_t n_values = (size_t)s->n * s->n_columns;
	struct stored out = *s;

	out.row = memcpy(mem_alloc(s->n, sizeof(*s->row)), s->row, s->n * sizeof(*s->row));
	out.value = memcpy(mem_alloc(n_values, sizeof(*s->value)), s->value, n_values * sizeof(*s->value));
	tier_keep_counters(&a->c->dict.meta[s->meta], &out);
	return out;
}

/* Count from the last snapshot of the series; without one, later. A snapshot before the last one is in an increase already. */
static int add_counters(struct tier_adder *a, const struct stored *s, struct err *err)
{
	int rc = 0;

	if (a->has_last && a->last.start_ns > s->start_ns)
		return 0;
	if (a->has_last && tier_has_equal_types(&a->c->dict, a->last.meta, s->meta)) {
		rc = add_increase(a, &a->last, s, err);
	} else {
		a->needy = mem_grow(a->needy, &a->cap_needy, a->n_needy + 1, sizeof(*a->needy));
		a->needy[a->n_needy++] = (struct tier_needy){ a->series, a->instance[a->series], keep_snapshot(a, s) };
	}
	if (a->has_last)
		dict_release_stored(&a->last);
	a->last = keep_snapshot(a, s);
	a->has_last = true;
	return rc;
}

/* --- profiles --- */

/* Add the columns of a profile to the current slot, counters only if it is a slot itself. */
static int add_columns(struct tier_adder *a, const struct stored *s, struct err *err)
{
	const struct dict_meta *m = &a->c->dict.meta[s->meta];
	int rc = 0;

	a->duration_ns = num_add_capped(a->duration_ns, s->duration_ns);
	for (uint32_t t = 0; t < s->n_columns; t++)
		for (uint32_t i = 0; rc == 0 && i < s->n && m->temporality[t] != TEMPORALITY_CUMULATIVE; i++)
			rc = add_value(a, s->row[i], t, s->value[(size_t)t * s->n + i], err);
	return rc;
}

/* Add a slot of a finer tier. */
static int add_slot(struct tier_adder *a, struct stored *s, struct err *err)
{
	int rc;

	if (s->slot.role == SLOT_BASE) {
		if (a->has_last && a->last.start_ns >= s->start_ns)
			return 0;
		if (a->has_last)
			dict_release_stored(&a->last);
		a->last = keep_snapshot(a, s);
		a->has_last = true;
		return 0;
	}
	if (s->slot.role == SLOT_FIRST) {
		s->slot = (struct stored_slot){ .tier = a->to, .role = SLOT_FIRST };
		s->start_ns = tier_slot_start(a->to, s->start_ns);
		return tier_add_part(a, a->own, s->meta, s, err);
	}
	rc = begin_slot(a, s, err);
	if (rc == 0)
		rc = add_columns(a, s, err);
	a->slot.n += s->slot.n;
	a->slot.restarts += s->slot.restarts;
	return rc;
}

static int add_profile(struct tier_adder *a, struct stored *s, struct err *err)
{
	int rc;

	if (s->slot.tier >= a->to)
		return err_set(err, ERR_FORMAT, "a slot is not of a finer tier");
	if (s->slot.tier != TIER_RAW)
		return add_slot(a, s, err);
	rc = begin_slot(a, s, err);
	a->slot.n++;
	if (rc == 0)
		rc = add_columns(a, s, err);
	if (rc == 0 && tier_has_counters(&a->c->dict.meta[s->meta]))
		rc = add_counters(a, s, err);
	return rc;
}

static int tier_add_block(struct tier_adder *a, uint32_t i, struct err *err)
{
	struct stored *all;
	struct block b;
	int rc = chapter_open_block(a->c, i, &a->buffer, &b, err);

	if (rc < 0)
		return rc;
	all = mem_zalloc(b.n, sizeof(*all));
	rc = block_profiles(&b, all, err);
	for (uint32_t k = 0; rc == 0 && k < b.n; k++)
		rc = add_profile(a, &all[k], err);
	for (uint32_t k = 0; k < b.n; k++)
		dict_release_stored(&all[k]);
	free(all);
	block_release(&b);
	return rc;
}

/* --- series --- */

/* Find the series of the slots of a series: itself, and that of its sums, which lacks labels. */
static int find_out_series(struct tier_adder *a, struct err *err)
{
	const struct dict *d = &a->c->dict;
	const struct dict_series *s = &d->series[a->series];
	struct store_label *label = mem_alloc((size_t)s->n_labels + 1, sizeof(*label));
	struct buf dropped = { 0 };
	size_t n = 0, at = 0;
	bool has_lost;
	int rc = dict_translate_series(a->coarse, a->series, &a->own, err);

	a->merged = a->own;
	for (uint32_t i = 0; i < s->n_labels; i++) {
		const char *name = strtab_text(d->str, s->name[i]);

		if (tier_drops_label(a->to, name))
			buf_addf(&dropped, "%s%s", dropped.len ? "," : "", name);
		else
			label[n++] = (struct store_label){ name, strtab_text(d->str, s->value[i]) };
	}
	while (at < n && strcmp(label[at].name, STORE_MERGED_LABEL) < 0)
		at++;
	has_lost = at < n && !strcmp(label[at].name, STORE_MERGED_LABEL);
	a->is_late = has_lost || dropped.len > 0;
	if (rc == 0 && dropped.len && !has_lost) {
		memmove(label + at + 1, label + at, (n - at) * sizeof(*label));
		label[at] = (struct store_label){ STORE_MERGED_LABEL, dropped.data };
		rc = dict_add_series(tier_parts_dict(a->parts), a->c->service, strtab_text(d->str, s->kind), label,
				     n + 1, &a->merged, err);
	}
	free(label);
	buf_release(&dropped);
	return rc;
}

static int begin_series(struct tier_adder *a, uint32_t series, struct err *err)
{
	a->series = series;
	a->has_last = false;
	for (size_t i = 0; i < a->n_past; i++)
		if (memcmp(a->past[i].hash, a->c->dict.series[series].hash, sizeof(a->past[i].hash)) == 0) {
			a->last = keep_snapshot(a, &a->past[i].s);
			a->has_last = true;
		}
	return find_out_series(a, err);
}

/* Keep the last snapshot of a series, for its slots and in the history. */
static int keep_last(struct tier_adder *a, struct err *err)
{
	int rc;

	if (!a->has_last)
		return 0;
	rc = tier_history_put(a->h, a->c, a->series, &a->last, err);
	if (rc == 0) {
		a->last.slot = (struct stored_slot){ .tier = a->to, .role = SLOT_BASE };
		rc = tier_add_part(a, a->own, a->last.meta, &a->last, err);
	}
	dict_release_stored(&a->last);
	a->has_last = false;
	return rc;
}

/* --- first snapshots --- */

/* Find the last snapshot of a block before a time, if it is later than *best. */
static int find_before(struct tier_adder *a, uint32_t i, const struct tier_needy *n, struct stored *best,
		       bool *has_best, struct err *err)
{
	const struct dict *d = &a->c->dict;
	struct block b;
	uint32_t k;
	int rc;

	if (a->c->block[i].t0 >= n->s.start_ns)
		return 0;
	rc = chapter_open_block(a->c, i, &a->buffer, &b, err);
	if (rc < 0)
		return rc;
	for (k = b.n; k > 0; k--)
		if (b.start_ns[k - 1] < n->s.start_ns && (!b.slot || b.slot[k - 1].role == SLOT_BASE) &&
		    tier_has_equal_types(d, b.meta[k - 1], n->s.meta))
			break;
	if (k > 0 && (!*has_best || b.start_ns[k - 1] > best->start_ns)) {
		if (*has_best)
			dict_release_stored(best);
		*has_best = false;
		rc = block_profile(&b, k - 1, best, err);
		if (rc == 0) {
			*has_best = true;
			tier_keep_counters(&d->meta[best->meta], best);
		}
	}
	block_release(&b);
	return rc;
}

/* The last snapshot of another series of the instance before the first one of a series. */
static int find_predecessor(struct tier_adder *a, const struct tier_needy *n, struct stored *best, bool *has_best,
			    struct err *err)
{
	const struct chapter *c = a->c;
	int rc = 0;

	*has_best = false;
	for (size_t i = 0; i < a->n_past; i++) {
		const struct tier_snapshot *p = &a->past[i];

		if (p->instance != n->instance || p->s.start_ns >= n->s.start_ns ||
		    !tier_has_equal_types(&c->dict, p->s.meta, n->s.meta) ||
		    (*has_best && best->start_ns >= p->s.start_ns))
			continue;
		if (*has_best)
			dict_release_stored(best);
		*best = keep_snapshot(a, &p->s);
		*has_best = true;
	}
	for (uint32_t i = 0; rc == 0 && i < c->n_blocks; i++)
		if (c->block[i].series != n->series && a->instance[c->block[i].series] == n->instance)
			rc = find_before(a, i, n, best, has_best, err);
	return rc;
}

/* Count a first snapshot from that of another series; without one, it counts if its process started in a window. */
static int add_first(struct tier_adder *a, struct tier_needy *n, struct err *err)
{
	struct stored before = { 0 };
	bool has_before;
	int rc = find_predecessor(a, n, &before, &has_before, err);

	if (rc == 0 && has_before)
		rc = begin_slot(a, &n->s, err);
	if (rc == 0 && has_before)
		rc = add_increase(a, &before, &n->s, err);
	if (rc == 0)
		rc = end_slot(a, err);
	if (rc == 0 && !has_before && n->s.n) {
		n->s.slot = (struct stored_slot){ .tier = a->to, .role = SLOT_FIRST };
		n->s.start_ns = tier_slot_start(a->to, n->s.start_ns);
		rc = tier_add_part(a, a->own, n->s.meta, &n->s, err);
	}
	if (has_before)
		dict_release_stored(&before);
	return rc;
}

/* --- a chapter --- */

static int end_series(struct tier_adder *a, struct err *err)
{
	int rc = end_slot(a, err);

	for (size_t i = 0; i < a->n_needy; i++) {
		if (rc == 0)
			rc = add_first(a, &a->needy[i], err);
		dict_release_stored(&a->needy[i].s);
	}
	a->n_needy = 0;
	if (rc == 0)
		rc = keep_last(a, err);
	return rc == 0 ? tier_parts_end_series(a->parts, err) : rc;
}

static int tier_adder_init(struct tier_adder *a, struct err *err)
{
	struct dict *d = &a->c->dict;
	int rc = tier_history_translate(a->h, d, &a->past, &a->n_past, err);

	if (rc < 0)
		return rc;
	a->instance = mem_alloc((size_t)d->n_series + 1, sizeof(*a->instance));
	for (uint32_t i = 0; i < d->n_series; i++)
		a->instance[i] = tier_history_instance(a->h, a->c, &d->series[i]);
	tier_view_init(&a->view, d, a->to);
	a->coarse = dict_translation_new(tier_parts_dict(a->parts), &a->view.d);
	a->plain = dict_translation_new(tier_parts_dict(a->parts), d);
	a->touched = mem_alloc((size_t)d->n_rows + 1, sizeof(*a->touched));
	a->is_touched = mem_zalloc((size_t)d->n_rows + 1, sizeof(*a->is_touched));
	return 0;
}

static void tier_adder_release(struct tier_adder *a)
{
	tier_snapshots_free(a->past, a->n_past);
	free(a->instance);
	dict_translation_free(a->coarse);
	dict_translation_free(a->plain);
	if (a->view.memory)
		tier_view_release(&a->view);
	for (size_t i = 0; i < a->n_needy; i++)
		dict_release_stored(&a->needy[i].s);
	free(a->needy);
	if (a->has_last)
		dict_release_stored(&a->last);
	free(a->value);
	free(a->touched);
	free(a->is_touched);
	buf_release(&a->buffer);
	tier_parts_free(a->parts);
}

/* Add the blocks [lo, hi) of a series. */
static int add_series(struct tier_adder *a, uint32_t lo, uint32_t hi, tier_select_fn *select, void *arg,
		      struct err *err)
{
	uint32_t series = a->c->block[lo].series;
	int rc = select ? select(arg, a->c, series, err) : 1;

	if (rc <= 0)
		return rc;
	rc = begin_series(a, series, err);
	for (uint32_t i = lo; rc == 0 && i < hi; i++) {
		rc = stop_check(a->stop, err);
		if (rc == 0)
			rc = tier_add_block(a, i, err);
	}
	return rc == 0 ? end_series(a, err) : rc;
}

int tier_make(struct chapter *from, enum store_tier to, struct tier_history *h, tier_select_fn *select, void *arg,
	      struct chapter_builder *out, struct stop *stop, struct err *err)
{
	struct tier_adder a = { .to = to, .parts = tier_parts_new(to, out), .c = from, .h = h, .stop = stop };
	int rc = tier_adder_init(&a, err);

	assert(to > TIER_RAW && to < N_TIERS);
	for (uint32_t lo = 0, hi; rc == 0 && lo < from->n_blocks; lo = hi) {
		for (hi = lo + 1; hi < from->n_blocks && from->block[hi].series == from->block[lo].series;)
			hi++;
		rc = add_series(&a, lo, hi, select, arg, err);
	}
	if (rc == 0)
		rc = tier_parts_finish(a.parts, err);
	tier_adder_release(&a);
	return rc;
}
