/*
 * reduce.c - combine the profiles of chapters into one: threads, and joining their results
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/read/reduce.h"

#include "base/mem.h"
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

bool reduce_wants_forest(const struct reducer *r)
{
	return r->wants_forest;
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
	in->rc = run->r->wants_forest ? select_read_frames(in->from, &in->chapter, &in->err)
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

/* Read the stacks of the chapters. */
static void reduce_read_stacks(void *arg, unsigned part)
{
	struct reduce_run *run = arg;
	size_t i;

	(void)part;
	while ((i = run->lo + atomic_fetch_add(&run->next, 1)) < run->hi) {
		struct reduce_input *in = run->chapter[i].in;

		if (in->rc == 0)
			in->rc = select_read_stacks(in->from, in->chapter, &in->err);
	}
}

/* Make trees of chapters, each with one slice. */
static void reduce_run_trees(void *arg, unsigned part)
{
	struct reduce_run *run = arg;
	size_t i;

	(void)part;
	while ((i = atomic_fetch_add(&run->next, 1)) < run->n_slices) {
		struct reduce_slice *s = &run->slice[i];
		struct reduce_input *in = s->chapter->in;

		in->rc = select_read_stacks(in->from, in->chapter, &in->err);
		if (in->rc < 0)
			continue;
		reduce_slice_run(run->r, s, run->pass);
		select_drop_pages(in->from);
		if (s->rc == 0)
			in->rc = reduce_tree_make(s->chapter, s, 1, &in->err);
		select_drop_stacks(in->from, in->chapter);
	}
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

/* Is this an error of the data of a chapter, not of the whole query? */
static bool is_damage(int rc)
{
	return rc == ERR_FORMAT || rc == ERR_IO;
}

/* Return the first failure of a chapter of the batch that concerns the whole query. */
static int reduce_check_chapters(const struct reduce_run *run, struct err *err)
{
	for (size_t i = run->lo; i < run->hi; i++) {
		const struct reduce_input *in = run->chapter[i].in;

		if (in->rc < 0 && !is_damage(in->rc)) {
			*err = in->err;
			return in->rc;
		}
	}
	return 0;
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
	return reduce_check_chapters(run, err);
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

/* Find the shapes and series of the chapters of the batch, and their items. */
static int reduce_init_chapters(struct reduce_run *run, struct err *err)
{
	int rc = reduce_check_chapters(run, err);

	for (size_t i = run->lo; rc == 0 && i < run->hi; i++) {
		struct reduce_chapter *c = &run->chapter[i];

		if (c->in->rc == 0)
			rc = reduce_chapter_init(run->r, c, run->pass, err);
		if (c->in->rc == 0)
			run->r->needs_rows |= run->r->wants_forest && !reduce_chapter_may_be_tree(c);
	}
	return rc;
}

/* Cut slices of at least target bytes. */
static void reduce_cut_chapters(struct reduce_run *run, size_t target)
{
	for (size_t i = run->lo; i < run->hi; i++)
		cut_slices(run, &run->chapter[i], target > SLICE_BYTES_MIN ? target : SLICE_BYTES_MIN);
}

/* Add up the blocks of the chapters of the batch, in slices. */
static int reduce_add_slices(struct reduce_run *run, struct err *err)
{
	reduce_cut_chapters(run, all_bytes(run) / ((size_t)pool_size() * SLICES_PER_THREAD) + 1);
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

/* The same with a tree of each chapter: a thread makes that of a chapter, or several threads make one if there are
   few chapters. */
static int reduce_add_trees(struct reduce_run *run, struct err *err)
{
	size_t n = run->hi - run->lo;
	int rc;

	if (n >= pool_size()) {
		reduce_cut_chapters(run, SIZE_MAX);
		run_threads(run, reduce_run_trees, run->n_slices);
		return collect_failures(run, err);
	}
	run_threads(run, reduce_read_stacks, n);
	rc = reduce_add_slices(run, err);
	if (rc == 0)
		run_threads(run, make_trees, run->n_slices);
	return rc;
}

/* Join the slices of the chapters of the batch. */
static int join_chapters(struct reduce_run *run, struct err *err)
{
	int rc = 0;

	for (size_t i = 0, end; rc == 0 && i < run->n_slices; i = end) {
		struct reduce_chapter *c = run->slice[i].chapter;

		end = chapter_end(run, i);
		if (c->in->rc == 0)
			rc = reduce_join_slices(run->r, c, run->slice + i, end - i, run->pass, err);
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

/* Is the batch full? Of trees, only what a thread reads is decoded. */
static bool reduce_is_full(const struct reduce_run *run, uint64_t bytes)
{
	return !run->r->wants_forest && run->hi - run->lo >= pool_size() && bytes >= BATCH_BYTES;
}

/* Add the next chapters, as many as are decoded at the same time. */
static int run_batch(struct reduce_run *run, struct err *err)
{
	uint64_t bytes = 0;
	int rc;

	for (run->hi = run->lo; run->hi < run->n_chapters && !reduce_is_full(run, bytes); run->hi++)
		bytes += run->chapter[run->hi].in->from->bytes;
	run_threads(run, read_chapters, run->hi - run->lo);
	rc = stop_check(run->r->stop, err);
	if (rc == 0)
		rc = reduce_init_chapters(run, err);
	if (rc < 0 || run->r->needs_rows)
		return rc;
	rc = run->r->wants_forest ? reduce_add_trees(run, err) : reduce_add_slices(run, err);
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
