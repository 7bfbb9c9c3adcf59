/*
 * copy.c - write what a query selects as a segment
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/upkeep/copy.h"

#include "base/mem.h"
#include "store/local/read/select.h"
#include "store/local/tier/tier.h"

#include <stdlib.h>
#include <string.h>

/* ns to ms, rounded down. */
static int64_t ms_of(int64_t ns)
{
	return ns / 1000000 - (ns % 1000000 < 0);
}

int copy_open(struct store *s, const struct store_query *q, struct store_copy *out, struct err *err)
{
	int64_t t0 = INT64_MAX, t1 = INT64_MIN;
	int rc;

	*out = (struct store_copy){ .query = q };
	if (q->limit > 0)
		return err_set(err, ERR_USAGE, "limit= cannot be used here; select a window");
	rc = select_open(s, q, &out->selection, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < out->selection.n; i++) {
		const struct select_chapter *ch = &out->selection.chapter[i];

		t0 = ch->t0 < t0 ? ch->t0 : t0;
		t1 = ch->t1 > t1 ? ch->t1 : t1;
		out->bytes += ch->bytes;
		out->tier = ch->tier > out->tier ? ch->tier : out->tier;
	}
	t0 = t0 < q->t0 ? q->t0 : t0;
	t1 = t1 >= q->t1 ? q->t1 - 1 : t1;
	out->t0 = ms_of(t0);
	out->t1 = ms_of(t1) + 1;
	return 0;
}

static int compare_services(const void *a, const void *b)
{
	const struct select_chapter *const *x = a, *const *y = b;
	int order = strcmp((*x)->service, (*y)->service);

	return order ? order : (*x > *y) - (*x < *y);
}

/* Copy what is selected of the chapters of a service. */
static int copy_service(struct store_copy *c, const struct select_chapter *const *list, size_t n, int level,
			struct stop *stop, store_copy_fn *fn, void *arg, struct err *err)
{
	struct chapter_filter f = { .t0 = c->query->t0, .t1 = c->query->t1, .query = c->query };
	struct chapter_builder *b = chapter_builder_new(list[0]->service);
	struct chapter **from = mem_zalloc(n, sizeof(*from)), *ch = NULL;
	struct chapter_copied copied = CHAPTER_COPIED;
	size_t damaged = n;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = select_read(list[i], &from[i], err);
	if (rc == 0) {
		chapter_builder_expect_sorted(b, level);
		rc = copy_chapters((const struct chapter *const *)from, n, &f, stop, b, &copied, &damaged, err);
	}
	if (rc == ERR_FORMAT && damaged < n)
		select_damage(list[damaged], err);
	for (size_t i = 0; i < n; i++)
		select_release(list[i], from[i]);
	free(from);
	if (rc == 0 && copied.profiles > 0)
		rc = chapter_builder_finish(b, level, &ch, err);
	if (rc == 0 && ch)
		rc = fn(arg, ch, err);
	chapter_free(ch);
	chapter_builder_free(b);
	c->copied += copied.profiles;
	return rc;
}

int copy_run(struct store_copy *c, int level, struct stop *stop, store_copy_fn *fn, void *arg, struct err *err)
{
	size_t n = c->selection.n;
	const struct select_chapter **list = mem_alloc(n + 1, sizeof(const struct select_chapter *));
	int rc = 0;

	c->copied = 0;
	for (size_t i = 0; i < n; i++)
		list[i] = &c->selection.chapter[i];
	if (n > 0)
		qsort(list, n, sizeof(*list), compare_services);
	for (size_t lo = 0, hi; rc == 0 && lo < n; lo = hi) {
		for (hi = lo + 1; hi < n && !strcmp(list[hi]->service, list[lo]->service);)
			hi++;
		rc = copy_service(c, list + lo, hi - lo, level, stop, fn, arg, err);
	}
	free(list);
	if (rc == 0 && c->copied == 0)
		rc = err_set(err, ERR_IO, "no profile of %s is selected", c->query->service);
	return rc;
}

/* ---- copy profiles of chapters ---- */

/* The blocks of a series in a chapter, which are read one after the other. */
struct copy_run {
	const uint8_t *hash;          /* [16] of the series */
	size_t source, first_source;  /* the chapter, and the first one that has the series */
	uint32_t series, first_block; /* in the chapter; of the series in the first chapter */
	uint32_t block, end;          /* the next block */
	struct block head;            /* the current one, if profile is not NULL */
	struct stored *profile;       /* [head.n] */
	uint32_t next;                /* of these */
	int64_t last;                 /* start of the one before */
};

/* A chapter from which is copied. */
struct copy_source {
	const struct chapter *from;
	struct dict_translation *translation;
	signed char *matches; /* [n_series] of the query: 1, 0, -1: not known */
};

struct copier {
	struct copy_source *source; /* [n_sources] */
	size_t n_sources;
	struct copy_run *run;
	size_t n_runs, cap_runs;
	const struct chapter_filter *filter;
	struct stop *stop;
	struct chapter_builder *to;
	struct chapter_copied *n;
	struct buf raw;
	size_t *damaged;
};

int copy_stored(struct dict_translation *t, uint32_t series, struct stored *s, struct chapter_builder *to,
		struct err *err)
{
	int rc = dict_translate_series(t, series, &s->series, err);

	if (rc == 0)
		rc = dict_translate_meta(t, s->meta, &s->meta, err);
	if (rc == 0)
		rc = dict_translate_rows(t, s->row, s->n, err);
	if (rc < 0)
		return rc;
	tier_sort_rows(s);
	chapter_builder_add(to, s);
	return 0;
}

static int copy_profile(struct copier *c, const struct copy_source *from, struct stored *s, struct err *err)
{
	int rc = copy_stored(from->translation, s->series, s, c->to, err);

	if (rc < 0)
		return rc;
	c->n->profiles++;
	if (s->start_ns < c->n->first)
		c->n->first = s->start_ns;
	if (s->start_ns > c->n->last)
		c->n->last = s->start_ns;
	return 0;
}

/* Is a profile of a series that starts then selected? It is counted if the query rejects it. */
static int chapter_copy_is_selected(struct copier *c, const struct copy_source *s, uint32_t series, int64_t start,
				    struct err *err)
{
	const struct chapter_filter *f = c->filter;
	bool in_query;

	if (start >= f->t1 && start < c->n->next)
		c->n->next = start;
	if (start < f->t0 || start >= f->t1)
		return 0;
	if (!f->query)
		return f->select ? f->select(f->arg, s->from, series, err) : 1;
	if (s->matches[series] < 0) {
		int rc = select_series(f->query, s->from, &s->from->dict.series[series], err);

		if (rc >= 0 && select_is_merged(f->query, s->from, &s->from->dict.series[series]))
			return select_fail_merged(f->query, s->from, &s->from->dict.series[series], err);
		if (rc < 0)
			return rc;
		s->matches[series] = rc > 0;
	}
	in_query = s->matches[series] && start >= f->query->t0 && start < f->query->t1;
	c->n->dropped += in_query == f->is_inverse;
	return in_query != f->is_inverse;
}

static void copy_close_block(struct copy_run *r)
{
	for (uint32_t i = 0; r->profile && i < r->head.n; i++)
		dict_release_stored(&r->profile[i]);
	if (r->profile)
		block_release(&r->head);
	free(r->profile);
	r->profile = NULL;
}

static int copy_open_block(struct copier *c, struct copy_run *r, struct err *err)
{
	const struct chapter *from = c->source[r->source].from;
	int rc = stop_check(c->stop, err);

	if (rc == 0)
		rc = chapter_open_block(from, r->block, &c->raw, &r->head, err);
	if (rc < 0)
		return rc;
	r->profile = mem_zalloc(r->head.n, sizeof(*r->profile));
	rc = block_profiles(&r->head, r->profile, err);
	r->next = 0;
	r->block++;
	if (rc == 0 && r->head.start_ns[0] < r->last)
		rc = err_set(err, ERR_FORMAT, "%s: block %u of %s starts before the end of the one before it",
			     from->file ? from->file : "journal", r->block, from->service);
	r->last = r->head.start_ns[r->head.n - 1];
	return rc;
}

/* Skip blocks outside the span of the filter. Returns false if there is no other. */
static bool copy_skip_blocks(struct copier *c, struct copy_run *r)
{
	const struct block_entry *block = c->source[r->source].from->block;

	for (; !r->profile && r->block < r->end; r->block++) {
		const struct block_entry *e = &block[r->block];

		if (e->t1 >= c->filter->t0 && e->t0 < c->filter->t1)
			break;
		if (e->t0 >= c->filter->t1 && e->t0 < c->n->next)
			c->n->next = e->t0;
	}
	return r->profile || r->block < r->end;
}

/* The run of [lo, hi) with the earliest next profile; NULL at their end. */
static struct copy_run *copy_find_next(struct copier *c, size_t lo, size_t hi)
{
	struct copy_run *next = NULL;
	int64_t first = 0;

	for (size_t i = lo; i < hi; i++) {
		struct copy_run *r = &c->run[i];
		int64_t start;

		if (!copy_skip_blocks(c, r))
			continue;
		start = r->profile ? r->head.start_ns[r->next] : c->source[r->source].from->block[r->block].t0;
		if (!next || start < first) {
			next = r;
			first = start;
		}
	}
	return next;
}

/* Copy the next profile of a run, if it is selected. */
static int copy_next(struct copier *c, struct copy_run *r, struct err *err)
{
	const struct copy_source *source = &c->source[r->source];
	int rc = r->profile ? 0 : copy_open_block(c, r, err);

	if (rc < 0)
		return rc;
	rc = chapter_copy_is_selected(c, source, r->series, r->head.start_ns[r->next], err);
	if (rc == 1) {
		r->profile[r->next].series = r->series;
		rc = copy_profile(c, source, &r->profile[r->next], err);
	}
	if (++r->next == r->head.n)
		copy_close_block(r);
	return rc;
}

/* Copy a series: the runs [lo, hi), by start. */
static int copy_series(struct copier *c, size_t lo, size_t hi, struct err *err)
{
	struct copy_run *r;
	int rc = 0;

	while (rc >= 0 && (r = copy_find_next(c, lo, hi))) {
		rc = copy_next(c, r, err);
		if (rc == ERR_FORMAT && c->damaged)
			*c->damaged = r->source;
	}
	for (size_t i = lo; i < hi; i++)
		copy_close_block(&c->run[i]);
	return rc < 0 ? rc : 0;
}

static void copy_marks(struct copier *c, const struct chapter *from)
{
	const struct chapter_filter *f = c->filter;

	for (uint32_t i = 0; i < from->n_marks; i++) {
		const struct store_mark *m = &from->mark[i];

		if (m->time_ns >= f->t1 && m->time_ns < c->n->next)
			c->n->next = m->time_ns;
		if (m->time_ns >= f->t0 && m->time_ns < f->t1 && (!f->query || f->is_inverse))
			chapter_builder_mark(c->to, m);
	}
}

/* --- runs --- */

static int copy_compare_series(const void *a, const void *b)
{
	const struct copy_run *x = a, *y = b;
	int order = memcmp(x->hash, y->hash, 16);

	if (order)
		return order;
	return x->source != y->source ? (x->source < y->source ? -1 : 1)
				      : (x->block > y->block) - (x->block < y->block);
}

/* By the first appearance of the series, then by chapter. */
static int copy_compare_runs(const void *a, const void *b)
{
	const struct copy_run *x = a, *y = b;

	if (x->first_source != y->first_source)
		return x->first_source < y->first_source ? -1 : 1;
	if (x->first_block != y->first_block)
		return x->first_block < y->first_block ? -1 : 1;
	return (x->source > y->source) - (x->source < y->source);
}

static bool copy_is_same_series(const struct copy_run *a, const struct copy_run *b)
{
	return a->first_source == b->first_source && a->first_block == b->first_block;
}

static void copy_add_runs(struct copier *c, size_t source)
{
	const struct chapter *from = c->source[source].from;

	for (uint32_t lo = 0, hi; lo < from->n_blocks; lo = hi) {
		struct copy_run r = { .hash = from->dict.series[from->block[lo].series].hash,
				      .source = source,
				      .series = from->block[lo].series,
				      .block = lo,
				      .last = INT64_MIN };

		for (hi = lo + 1; hi < from->n_blocks && from->block[hi].series == r.series;)
			hi++;
		r.end = hi;
		c->run = mem_grow(c->run, &c->cap_runs, c->n_runs + 1, sizeof(*c->run));
		c->run[c->n_runs++] = r;
	}
}

/* List the series of all chapters, in the order in which they appear first. */
static void copy_find_runs(struct copier *c)
{
	for (size_t i = 0; i < c->n_sources; i++)
		copy_add_runs(c, i);
	if (!c->n_runs)
		return;
	qsort(c->run, c->n_runs, sizeof(*c->run), copy_compare_series);
	for (size_t i = 0; i < c->n_runs; i++) {
		struct copy_run *r = &c->run[i];
		bool is_first = i == 0 || memcmp(r[-1].hash, r->hash, 16) != 0;

		r->first_source = is_first ? r->source : r[-1].first_source;
		r->first_block = is_first ? r->block : r[-1].first_block;
	}
	qsort(c->run, c->n_runs, sizeof(*c->run), copy_compare_runs);
}

static void copy_open_source(struct copier *c, const struct chapter *from, struct copy_source *out)
{
	*out = (struct copy_source){ .from = from };
	out->translation = dict_translation_new(chapter_builder_dict(c->to), &from->dict);
	out->matches = mem_alloc((size_t)from->dict.n_series + 1, 1);
	memset(out->matches, -1, from->dict.n_series);
}

int copy_chapters(const struct chapter *const *from, size_t n, const struct chapter_filter *f, struct stop *stop,
		  struct chapter_builder *to, struct chapter_copied *copied, size_t *damaged, struct err *err)
{
	struct copier c = { .n_sources = n, .filter = f, .stop = stop, .to = to, .n = copied, .damaged = damaged };
	int rc = 0;

	c.source = mem_alloc(n, sizeof(*c.source));
	for (size_t i = 0; i < n; i++)
		copy_open_source(&c, from[i], &c.source[i]);
	copy_find_runs(&c);
	for (size_t lo = 0, hi; rc == 0 && lo < c.n_runs; lo = hi) {
		for (hi = lo + 1; hi < c.n_runs && copy_is_same_series(&c.run[lo], &c.run[hi]);)
			hi++;
		rc = copy_series(&c, lo, hi, err);
	}
	for (size_t i = 0; i < n; i++) {
		copy_marks(&c, from[i]);
		dict_translation_free(c.source[i].translation);
		free(c.source[i].matches);
	}
	free(c.source);
	free(c.run);
	buf_release(&c.raw);
	return rc;
}
