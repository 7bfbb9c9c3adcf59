/*
 * reduce.c - combine the profiles of chapters into one: threads, and joining their results
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/read/reduce.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/pool.h"
#include "store/local/read/reduce_int.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
	SLICE_BYTES_MIN = 256 << 10,
	SLICES_PER_THREAD = 2,
	BATCH_BYTES = 4 << 20, /* of compressed chapters that are decoded at the same time, beyond one per thread */
};

struct reducer *reduce_new(const struct store_query *q, struct stop *stop)
{
	struct reducer *r = mem_zalloc(1, sizeof(*r));

	r->q = q;
	r->stop = stop;
	r->cut.t0 = INT64_MIN;
	r->first_ns = INT64_MAX;
	r->last_ns = INT64_MIN;
	r->arena = arena_new();
	dict_init(&r->dict);
	keys_init(&r->shape_keys, 0, 0);
	keys_init(&r->series_keys, 2, 0);
	keys_init(&r->group_keys, (uint32_t)q->n_keep + 1, 0);
	r->instance_names = strtab_new();
	keys_init(&r->bucket_keys, 1, 0);
	keys_init(&r->state_keys, 1, 0);
	return r;
}

void reduce_free(struct reducer *r)
{
	if (!r)
		return;
	for (uint32_t i = 0; i < r->bucket_keys.n; i++) {
		for (uint32_t t = 0; t < r->shape[r->bucket[i].shape].n_types; t++)
			free(r->bucket[i].sum[t]);
		free(r->bucket[i].sum);
		free(r->bucket[i].meta);
	}
	for (uint32_t i = 0; i < r->state_keys.n; i++)
		reduce_state_release(&r->state[i]);
	for (uint32_t i = 0; i < r->series_keys.n; i++)
		free(r->series[i].start);
	for (size_t i = 0; i < r->n_singles; i++)
		reduce_matrix_release(&r->single[i].m);
	free(r->single);
	free(r->bucket);
	free(r->state);
	free(r->series);
	free(r->shape);
	free(r->group);
	free(r->slot);
	keys_release(&r->shape_keys);
	keys_release(&r->series_keys);
	keys_release(&r->group_keys);
	strtab_free(r->instance_names);
	free(r->instance);
	free(r->needy);
	free(r->unknown);
	free(r->gains.gain);
	select_rows_release(&r->selected);
	for (size_t i = 0; i < r->n_firsts; i++)
		reduce_matrix_release(&r->first[i].m);
	free(r->first);
	keys_release(&r->bucket_keys);
	keys_release(&r->state_keys);
	dict_release(&r->dict);
	reduce_forest_release(&r->forest);
	arena_free(r->arena);
	free(r);
}

void reduce_want_forest(struct reducer *r)
{
	r->wants_forest = true;
}

bool reduce_needs_rows(const struct reducer *r)
{
	return r->needs_rows;
}

void reduce_set_cut(struct reducer *r, const struct select_cut *cut)
{
	r->cut = *cut;
}

int reduce_overflow(const struct reducer *r, const struct reduce_shape *s, uint32_t column, struct err *err)
{
	return err_set(err, ERR_RANGE, "the sum of %s of all profiles overflows 64 bits; select a shorter window",
		       strtab_text(r->dict.str, s->type[column].name));
}

int reduce_get_bucket(struct reducer *r, uint32_t shape, uint32_t group, struct reduce_bucket **out, struct err *err)
{
	uint64_t word = (uint64_t)shape << 32 | group;
	uint32_t before = r->bucket_keys.n, id;

	if (keys_add(&r->bucket_keys, &word, 1, keys_hash(&word, 1), &id, err) < 0)
		return ERR_LIMIT;
	if (id == before) {
		r->bucket = mem_grow(r->bucket, &r->cap_buckets, (size_t)id + 1, sizeof(*r->bucket));
		r->bucket[id] = (struct reduce_bucket){
			.shape = shape,
			.group = group,
			.first_ns = INT64_MAX,
			.sum = mem_zalloc(r->shape[shape].n_types, sizeof(int64_t *)),
		};
	}
	*out = &r->bucket[id];
	reduce_bucket_grow(r, *out);
	return 0;
}

void reduce_bucket_grow(struct reducer *r, struct reduce_bucket *b)
{
	size_t before = b->cap_rows;

	if (before >= r->dict.n_rows)
		return;
	for (uint32_t t = 0; t < r->shape[b->shape].n_types; t++) {
		size_t cap = before;

		b->sum[t] = mem_grow(b->sum[t], &cap, r->dict.n_rows, sizeof(**b->sum));
		memset(b->sum[t] + before, 0, (cap - before) * sizeof(**b->sum));
		b->cap_rows = cap;
	}
}

/* --- threads --- */

/* Shared by the threads. */
struct reduce_run {
	struct reducer *r;
	struct reduce_chapter *chapter;
	size_t n_chapters;
	size_t lo, hi; /* the chapters of the current batch */
	struct reduce_slice *slice;
	size_t n_slices, cap_slices;
	enum reduce_pass pass;
	atomic_size_t next;
};

/* Read a chapter, unless it was read to be adopted. */
static void reduce_read_chapter(const struct reduce_run *run, struct reduce_chapter *c)
{
	struct reduce_input *in = c->in;

	if (c->c || in->rc < 0 || stop_is_set(run->r->stop))
		return;
	in->rc = run->r->wants_forest ? select_read_tree(in->from, &in->chapter, &in->err)
				      : select_read(in->from, &in->chapter, &in->err);
	c->c = in->chapter;
}

static void read_chapters(void *arg, unsigned part)
{
	struct reduce_run *run = arg;
	size_t i;

	(void)part;
	while ((i = run->lo + atomic_fetch_add(&run->next, 1)) < run->hi)
		reduce_read_chapter(run, &run->chapter[i]);
}

static void run_slices(void *arg, unsigned part)
{
	struct reduce_run *run = arg;
	size_t i;

	(void)part;
	while ((i = atomic_fetch_add(&run->next, 1)) < run->n_slices)
		reduce_slice_run(run->r, &run->slice[i], run->pass);
}

static void run_threads(struct reduce_run *run, pool_fn fn, size_t n)
{
	unsigned threads = pool_size();

	atomic_store(&run->next, 0);
	pool_run(fn, run, n < threads ? (unsigned)n : threads);
}

static size_t item_bytes(const struct reduce_chapter *c, size_t i)
{
	const struct reduce_item *item = &c->item[i];

	return item->is_sum ? c->c->sum[item->block].raw : c->c->block[item->block].raw;
}

static size_t all_bytes(const struct reduce_run *run)
{
	size_t bytes = 0;

	for (size_t i = run->lo; i < run->hi; i++)
		for (size_t k = 0; k < run->chapter[i].n_items; k++)
			bytes += item_bytes(&run->chapter[i], k);
	return bytes;
}

/* Divide the items of a chapter into slices of about the same size. */
static void cut_slices(struct reduce_run *run, struct reduce_chapter *c, size_t target)
{
	size_t bytes = 0, lo = 0;

	for (size_t i = 0; i < c->n_items; i++) {
		bool is_end = i + 1 == c->n_items, is_series_end = is_end || c->item[i + 1].series != c->item[i].series;

		bytes += item_bytes(c, i);
		if (!is_end && (bytes < target || (c->has_order && !is_series_end)))
			continue;
		run->slice = mem_grow(run->slice, &run->cap_slices, run->n_slices + 1, sizeof(*run->slice));
		run->slice[run->n_slices++] = (struct reduce_slice){ .chapter = c, .lo = lo, .hi = i + 1 };
		lo = i + 1;
		bytes = 0;
	}
}

/* --- joining --- */

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

/* Is this an error of the data of a chapter, not of the whole query? */
static bool is_damage(int rc)
{
	return rc == ERR_FORMAT || rc == ERR_IO;
}

/* Report the first failure of the slices of each chapter as that of the chapter. */
static int collect_failures(struct reduce_run *run, struct err *err)
{
	for (size_t i = 0; i < run->n_slices; i++) {
		struct reduce_slice *s = &run->slice[i];
		struct reduce_input *in = s->chapter->in;

		if (s->rc < 0 && !is_damage(s->rc)) {
			*err = s->err;
			return s->rc;
		}
		if (s->rc < 0 && in->rc == 0) {
			in->rc = s->rc;
			in->err = s->err;
			select_damage(in->from, &in->err);
		}
	}
	return 0;
}

/* The chapter with the most rows that may be adopted; NULL if there is none. */
static struct reduce_chapter *find_largest(const struct reduce_run *run)
{
	struct reduce_chapter *best = NULL;
	uint32_t n_best = 0;

	for (size_t i = 0; i < run->n_chapters; i++) {
		struct reduce_chapter *c = &run->chapter[i];
		uint32_t n = c->in->rc < 0 ? 0 : select_count_rows(c->in->from);

		if (c->in->rc < 0 || select_is_kept(c->in->from) || (best && n <= n_best))
			continue;
		best = c;
		n_best = n;
	}
	return best;
}

/*
 * Let the result begin with the dictionary of the chapter that has the most rows, instead of translating these. What the
 * chapter needs of it until it is released is copied. Chapters of journals keep theirs: several queries read them.
 */
static void adopt_dictionary(struct reduce_run *run)
{
	struct reducer *r = run->r;
	struct reduce_chapter *c;
	struct dict *d;

	if (r->dict.n_rows || r->dict.n_metas || strtab_count(r->dict.str) > 1)
		return;
	if (r->wants_forest) {
		c = find_largest(run);
		r->largest = c ? c->in->from : NULL;
		return;
	}
	do {
		c = find_largest(run);
		if (c)
			reduce_read_chapter(run, c);
	} while (c && c->in->rc < 0);
	if (!c || !c->c)
		return;
	d = &c->c->dict;
	dict_release(&r->dict);
	r->dict = *d;
	*d = (struct dict){ .str = d->str,
			    .n_maps = d->n_maps,
			    .map = arena_alloc(r->arena, d->n_maps, sizeof(*d->map)),
			    .n_metas = d->n_metas,
			    .meta = arena_alloc(r->arena, d->n_metas, sizeof(*d->meta)),
			    .n_series = d->n_series,
			    .series = d->series, /* none are added to a result */
			    .n_rows = d->n_rows };
	for (uint32_t i = 0; i < d->n_maps; i++)
		d->map[i] = r->dict.map[i];
	for (uint32_t i = 0; i < d->n_metas; i++)
		d->meta[i] = r->dict.meta[i];
	c->is_adopted = true;
}

/* Add up the blocks of the chapters of the batch, in slices. */
static int reduce_add_slices(struct reduce_run *run, struct err *err)
{
	size_t target;
	int rc = 0;

	for (size_t i = run->lo; rc == 0 && i < run->hi; i++) {
		struct reduce_chapter *c = &run->chapter[i];

		if (c->in->rc < 0 && !is_damage(c->in->rc)) {
			*err = c->in->err;
			return c->in->rc;
		}
		if (c->in->rc == 0)
			rc = reduce_chapter_init(run->r, c, run->pass, err);
		run->r->needs_rows |= run->r->wants_forest && !reduce_chapter_may_be_tree(c);
	}
	if (rc < 0 || run->r->needs_rows)
		return rc;
	target = all_bytes(run) / ((size_t)pool_size() * SLICES_PER_THREAD) + 1;
	if (run->r->wants_forest && run->hi - run->lo >= pool_size())
		target = SIZE_MAX; /* the sums of two slices of a chapter take twice the memory */
	for (size_t i = run->lo; i < run->hi; i++)
		cut_slices(run, &run->chapter[i], target > SLICE_BYTES_MIN ? target : SLICE_BYTES_MIN);
	run_threads(run, run_slices, run->n_slices);
	return collect_failures(run, err);
}

/* The end of the slices of the same chapter as slice i. */
static size_t chapter_end(const struct reduce_run *run, size_t i)
{
	size_t end = i + 1;

	while (end < run->n_slices && run->slice[end].chapter == run->slice[i].chapter)
		end++;
	return end;
}

/* Make the trees of chapters. */
static void make_trees(void *arg, unsigned part)
{
	struct reduce_run *run = arg;
	size_t i;

	(void)part;
	while ((i = atomic_fetch_add(&run->next, 1)) < run->n_slices) {
		struct reduce_chapter *c = run->slice[i].chapter;

		if ((i == 0 || run->slice[i - 1].chapter != c) && c->in->rc == 0)
			c->in->rc = reduce_tree_make(c, run->slice + i, chapter_end(run, i) - i, &c->in->err);
	}
}

/* Join the slices of the chapters of the batch. */
static int join_chapters(struct reduce_run *run, struct err *err)
{
	int rc = 0;

	for (size_t i = 0, end; rc == 0 && i < run->n_slices; i = end) {
		struct reduce_chapter *c = run->slice[i].chapter;

		end = chapter_end(run, i);
		if (c->in->rc == 0 && !run->r->wants_forest)
			rc = translate_slices(c, run->slice + i, end - i, err);
		for (size_t k = i; c->in->rc == 0 && rc == 0 && k < end; k++)
			rc = join_slice(run->r, &run->slice[k], run->pass, err);
		if (c->in->rc == 0 && rc == 0 && run->r->wants_forest)
			rc = reduce_tree_join(run->r, c, err);
	}
	return rc;
}

/* Release the chapters of the batch and its slices. */
static void release_batch(struct reduce_run *run)
{
	for (size_t i = 0; i < run->n_slices; i++)
		reduce_slice_release(&run->slice[i]);
	run->n_slices = 0;
	for (; run->lo < run->hi; run->lo++) {
		struct reduce_chapter *c = &run->chapter[run->lo];

		reduce_chapter_release(c);
		reduce_tree_release(&c->tree);
		if (c->is_adopted)
			dict_init(&c->c->dict);
		if (c->in->is_given)
			chapter_free(c->in->chapter);
		else
			select_release(c->in->from, c->in->chapter);
		c->in->chapter = NULL;
	}
}

/* Add the next chapters, as many as are decoded at the same time. */
static int run_batch(struct reduce_run *run, struct err *err)
{
	uint64_t bytes = 0;
	int rc;

	for (run->hi = run->lo; run->hi < run->n_chapters && (run->hi - run->lo < pool_size() || bytes < BATCH_BYTES);
	     run->hi++)
		bytes += run->chapter[run->hi].in->from->bytes;
	run_threads(run, read_chapters, run->hi - run->lo);
	rc = stop_check(run->r->stop, err);
	if (rc == 0)
		rc = reduce_add_slices(run, err);
	if (rc == 0 && run->r->wants_forest)
		run_threads(run, make_trees, run->n_slices);
	return rc == 0 ? join_chapters(run, err) : rc;
}

int reduce_add(struct reducer *r, struct reduce_input *in, size_t n, enum reduce_pass pass, struct err *err)
{
	struct reduce_run run = { .r = r, .n_chapters = n, .pass = pass };
	int rc = 0;

	run.chapter = mem_zalloc(n, sizeof(*run.chapter));
	for (size_t i = 0; i < n; i++) {
		run.chapter[i].in = &in[i];
		run.chapter[i].c = in[i].chapter;
		in[i].rc = 0;
	}
	adopt_dictionary(&run);
	while (rc == 0 && run.lo < n && !r->needs_rows) {
		rc = run_batch(&run, err);
		release_batch(&run);
	}
	run.hi = n;
	release_batch(&run); /* those after an error */
	free(run.slice);
	free(run.chapter);
	return rc;
}

/* --- the end --- */

int reduce_finish(struct reducer *r, struct profile **out, struct store_sum *sum, struct err *err)
{
	int rc;

	*out = NULL;
	if (!r->profiles)
		return 0;
	rc = reduce_state_add_sorted(r, r->single, r->n_singles, err);
	if (rc == 0)
		rc = reduce_state_finish_all(r, err);
	if (rc == 0)
		rc = reduce_make_profile(r, out, err);
	if (rc == 0)
		reduce_fill_sum(r, sum);
	return rc;
}

void reduce_want_increases(struct reducer *r)
{
	r->wants_gains = true;
}

int reduce_finish_increases(struct reducer *r, store_increase_fn *fn, void *arg, struct err *err)
{
	int rc = reduce_state_add_sorted(r, r->single, r->n_singles, err);

	if (rc == 0 && r->profiles)
		rc = reduce_state_finish_all(r, err);
	for (size_t i = 0; rc == 0 && i < r->gains.n; i++) {
		const struct reduce_gain *g = &r->gains.gain[i];
		const struct value_type *type = &r->shape[g->shape].type[g->column];
		str_id kept = r->q->n_keep ? r->group[r->series[g->series].group * r->q->n_keep] : 0;

		fn(arg, &(struct store_increase){ strtab_text(r->dict.str, kept), strtab_text(r->dict.str, type->name),
						  strtab_text(r->dict.str, type->unit), g->time_ns, g->value });
	}
	return rc;
}
