/*
 * sums.c - profiles that are added up in a ClickHouse server
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A query first reads the heads of all profiles of its window: times, series, types. For each list of types, the server then adds
 * up the columns that are sums or means; the first profile of those that were added up gets the sum. Columns that are increases,
 * first or last values need a few snapshots, see snapshots.c. Only for maxima all profiles are read.
 */
#include "config.h"

#include "base/mem.h"
#include "store/clickhouse/click_int.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CLICK_SHAPES_MAX = 64, SUM_TRIES = 4, SNAPSHOTS_MIN = 4 };

static enum reduce click_find_reduce(const struct store_query *q, enum temporality t)
{
	static const enum reduce by_default[] = { [TEMPORALITY_DELTA] = REDUCE_SUM,
						  [TEMPORALITY_CUMULATIVE] = REDUCE_INCREASE,
						  [TEMPORALITY_GAUGE] = REDUCE_MEAN,
						  [TEMPORALITY_INCREASE] = REDUCE_SUM };

	if (q->reduce == REDUCE_DEFAULT)
		return by_default[t];
	return q->reduce == REDUCE_INCREASE && t == TEMPORALITY_DELTA ? REDUCE_SUM : q->reduce;
}

/* Describe the types of a profile, in memory of the query. */
static int click_describe_shape(const struct click_window *w, const struct click_profile *p, struct click_shape *out,
				struct err *err)
{
	struct click_dictionary *e = click_get_dictionary(w->c, p->series->service, p->epoch);
	int rc = click_dictionary_load(e, &w->c->server, NULL, 0, p->meta, w->c->stop, err);
	uint32_t meta = click_ids_get(&e->metas, p->meta), n;
	const struct dict_meta *m;

	if (rc < 0)
		return rc;
	if (meta == PROFILE_NONE)
		return click_cut_off(w, err);
	m = &e->d.meta[meta];
	n = m->n_types;
	*out = (struct click_shape){ .shape = p->shape, .n_types = n, .is_by_series = w->q->n_keep > 0 };
	out->reduce = arena_alloc(w->c->memory, n + 1, sizeof(*out->reduce));
	out->is_counter = arena_zalloc(w->c->memory, n + 1, sizeof(*out->is_counter));
	for (uint32_t t = 0; t < n; t++) {
		enum reduce reduce = out->reduce[t] = click_find_reduce(w->q, m->temporality[t]);

		out->n_added += click_is_added(reduce);
		out->is_by_series |= reduce == REDUCE_MEAN;
		out->is_single |= reduce == REDUCE_MAX;
		out->has_increase |= reduce == REDUCE_INCREASE;
		out->is_counter[t] = reduce == REDUCE_INCREASE && m->temporality[t] == TEMPORALITY_CUMULATIVE;
		out->n_counters += out->is_counter[t];
	}
	return 0;
}

static int click_find_shapes(const struct click_window *w, const struct click_profiles *heads,
			     struct click_shape *shape, size_t *n, struct err *err)
{
	int rc = 0;

	*n = 0;
	for (size_t i = 0; rc == 0 && i < heads->n; i++) {
		size_t k = 0;

		while (k < *n && shape[k].shape != heads->p[i].shape)
			k++;
		if (k == CLICK_SHAPES_MAX)
			return err_set(err, ERR_LIMIT, "profiles with more than %d different lists of sample types",
				       CLICK_SHAPES_MAX);
		if (k == *n)
			rc = click_describe_shape(w, &heads->p[i], &shape[(*n)++], err);
	}
	return rc;
}

static int click_compare_heads(const void *a, const void *b)
{
	const struct click_profile *x = a, *y = b;

	if (x->shape != y->shape)
		return x->shape < y->shape ? -1 : 1;
	if (x->series != y->series)
		return x->series < y->series ? -1 : 1;
	return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

/* The first of profiles [n], sorted by series, that is not of a series before this one. */
static size_t click_first_of(const struct click_profile *p, size_t n, const struct click_series *series)
{
	size_t lo = 0;

	while (lo < n) {
		size_t middle = lo + (n - lo) / 2;

		if (p[middle].series < series)
			lo = middle + 1;
		else
			n = middle;
	}
	return lo;
}

void click_find_range(const struct click_profile *p, size_t n, const struct click_series *series, size_t *lo,
		      size_t *hi)
{
	*lo = click_first_of(p, n, series);
	*hi = click_first_of(p, n, series + 1);
}

/* A sum that the server returned. */
struct click_sum {
	uint64_t epoch, count;
	const struct click_series *series; /* NULL: of all */
	double weight;
	struct click_lists lists;
};

static void click_take_sum(const struct click_window *w, const struct click_shape *shape, struct click_rows *r,
			   struct click_sum *out)
{
	*out = (struct click_sum){ .epoch = click_get_u64(r) };
	out->count = click_get_u64(r);
	out->lists.n_columns = shape->n_added;
	if (click_get_bytes(r, sizeof(out->weight)))
		memcpy(&out->weight, r->at - sizeof(out->weight), sizeof(out->weight));
	if (shape->is_by_series) {
		const uint8_t *hash = click_get_bytes(r, 16);

		out->series = hash ? click_find_series(w->c, w->lo, w->hi, hash) : NULL;
	}
	out->lists.n = click_get_count(r, 4);
	out->lists.row = click_get_bytes(r, out->lists.n * 4);
	out->lists.value = r->at;
	for (uint32_t t = 0; t < shape->n_added; t++) {
		r->is_bad |= click_get_count(r, 8) != out->lists.n;
		click_get_bytes(r, out->lists.n * 8);
	}
}

/* Give a sum to the first of its profiles [n], which are sorted. Returns false if they are not those that were added up. */
static bool click_place_sum(const struct click_sum *sum, struct click_profile *p, size_t n)
{
	struct click_profile *first = NULL;
	uint64_t count = 0;
	size_t lo = 0;

	if (sum->series)
		click_find_range(p, n, sum->series, &lo, &n);
	for (size_t i = lo; i < n; i++) {
		if (p[i].epoch != sum->epoch)
			continue;
		first = first ? first : &p[i];
		count++;
	}
	if (!first || count != sum->count || first->sum.row || !(sum->weight < CLICK_SUM_MAX))
		return false;
	first->sum = sum->lists;
	return true;
}

/* Append the columns of a sum: the numbers of stacks, and the values of each column that is added up. */
static void click_add_sum_columns(const struct click_shape *shape, struct buf *sql)
{
	uint32_t n = 1;

	buf_addz(sql, "(sumMap(arrayMap(x -> toUInt32(x), arrayCumSum(rows))");
	for (uint32_t t = 0; t < shape->n_types; t++)
		if (click_is_added(shape->reduce[t]))
			buf_addf(sql, ", vals[%" PRIu32 "]", t + 1);
	buf_addz(sql, ") AS m).1");
	for (uint32_t t = 0; t < shape->n_types; t++)
		if (click_is_added(shape->reduce[t]))
			buf_addf(sql, ", m.%" PRIu32, ++n);
}

/* Add up the profiles [n] of a shape in the server. Returns 1 if that is not possible: a sum might overflow, or new profiles arrived. */
static int click_sum_shape(const struct click_window *w, const struct click_shape *shape, struct click_profile *p,
			   size_t n, struct click_profiles *out, struct err *err)
{
	const char *by = shape->is_by_series ? ", series" : "";
	struct buf sql = { 0 };
	struct bytes bytes = { 0 };
	struct click_rows r;
	uint64_t found = 0;
	int rc;

	buf_addf(&sql, "SELECT epoch, toUInt64(count()), sum(weight)%s, ", by);
	click_add_sum_columns(shape, &sql);
	click_add_from(w, w->q->t0, w->q->t1, &sql);
	click_add_shapes(&shape->shape, 1, &sql);
	buf_addf(&sql, " GROUP BY epoch%s FORMAT RowBinary", by);
	rc = click_server_ask(&w->c->server, buf_text(&sql), true, w->c->stop, &bytes, err);
	buf_release(&sql);
	if (rc < 0)
		return rc;
	click_keep_result(out, &bytes);
	for (r = (struct click_rows){ bytes.data, bytes.data + bytes.n, false }; rc == 0 && click_has_row(&r);) {
		struct click_sum sum;

		click_take_sum(w, shape, &r, &sum);
		if (r.is_bad)
			return click_cut_off(w, err);
		if (shape->is_by_series && (!sum.series || !sum.series->is_wanted))
			continue;
		rc = !click_place_sum(&sum, p, n);
		found += sum.count;
	}
	return rc == 0 && found != n;
}

/* Replace the heads of a shape by their profiles. */
static int click_replace_shape(const struct click_window *w, uint64_t shape, struct click_profiles *x, struct err *err)
{
	int64_t *t = NULL;
	size_t n_parts = 0, kept = 0;
	int rc = click_cut_window(w, &t, &n_parts, err);

	for (size_t i = 0; i < x->n; i++)
		if (x->p[i].shape != shape)
			x->p[kept++] = x->p[i];
	x->n = kept;
	for (size_t i = 0; rc == 0 && i < n_parts; i++)
		rc = click_fetch(w, t[i], t[i + 1], CLICK_FULL, &shape, 1, x, err);
	free(t);
	return rc;
}

/* Compute the columns of a shape, of the profiles [lo, hi), which are sorted. Returns 1 as click_try_sums. */
static int click_reduce_shape(const struct click_window *w, const struct click_shape *shape, size_t lo, size_t hi,
			      struct click_profiles *x, struct err *err)
{
	int rc = 0;

	if (shape->n_added && w->c->use == CLICK_SUMS)
		rc = click_sum_shape(w, shape, x->p + lo, hi - lo, x, err);
	if (rc == 0 && shape->n_added < shape->n_types)
		rc = click_fetch_snapshots(w, shape, x, lo, hi - lo, err);
	for (size_t i = lo; rc == 0 && i < hi; i++)
		x->p[i].parts = shape;
	return rc;
}

/* Are most snapshots needed? Then one request for all of them costs less. */
static bool click_is_short(const struct click_window *w, const struct click_shape *shape, const struct click_profile *p,
			   size_t n)
{
	size_t n_ends = 0;

	for (size_t i = 0; i < n; i++)
		n_ends += click_is_end(w, p, n, i);
	return shape->n_added < shape->n_types && n / SNAPSHOTS_MIN < n_ends;
}

/* Read the heads, and add up. Returns 1 if a shape has new profiles since, or its sum might overflow: its number is *failed. */
static int click_try_sums(const struct click_window *w, const uint64_t *single, size_t n_single,
			  struct click_profiles *x, uint64_t *failed, struct err *err)
{
	struct click_shape shape[CLICK_SHAPES_MAX];
	size_t n_shapes = 0;
	int rc = click_fetch(w, w->q->t0, w->q->t1, CLICK_HEADS, NULL, 0, x, err);

	rc = rc < 0 ? rc : click_find_shapes(w, x, shape, &n_shapes, err);
	for (size_t i = 0; rc == 0 && i < n_shapes; i++) {
		struct click_shape *own = arena_alloc(w->c->memory, 1, sizeof(*own));
		size_t lo = 0, hi;

		*own = shape[i];
		for (size_t k = 0; k < n_single; k++)
			own->is_single |= single[k] == own->shape;
		qsort(x->p, x->n, sizeof(*x->p), click_compare_heads);
		while (x->p[lo].shape != own->shape)
			lo++;
		for (hi = lo; hi < x->n && x->p[hi].shape == own->shape;)
			hi++;
		if (own->is_single || click_is_short(w, own, x->p + lo, hi - lo))
			rc = click_replace_shape(w, own->shape, x, err);
		else
			rc = click_reduce_shape(w, own, lo, hi, x, err);
		*failed = own->shape;
	}
	return rc;
}

int click_fetch_sums(const struct click_window *w, struct click_profiles *out, struct err *err)
{
	uint64_t single[SUM_TRIES + 1], failed = 0;
	size_t n_single = 0;
	int rc = 1;

	for (int i = 0; rc > 0 && i < SUM_TRIES; i++) {
		click_profiles_release(out);
		rc = click_try_sums(w, single, n_single, out, &failed, err);
		if (rc > 0 && i > 0)
			single[n_single++] = failed; /* the second time, read its profiles */
	}
	return rc <= 0 ? rc
		       : err_set(err, ERR_IO,
				 "%.200s: profiles are stored faster than they are read; select a window that ended",
				 w->c->server.name);
}
