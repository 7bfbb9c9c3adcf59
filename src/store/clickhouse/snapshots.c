/*
 * snapshots.c - the snapshots in ClickHouse from which increases are computed
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Between two restarts, the increase of a counter is the last snapshot minus the first. So a series needs its first and its last
 * snapshot, and those before and after each restart; for increases of steps, the last one of each step. The server finds the
 * restarts: it compares each snapshot of a series with the one before it, stack by stack, as tier_fell does (store/local/tier). It
 * compares snapshots of one epoch, since stacks have other numbers in another one. Snapshots between which the epoch or the process
 * changes are both read.
 *
 * The report of the server only selects snapshots: they are compared again by the code of local stores, which computes the
 * increases. A snapshot that is not read gets the rows of the snapshot before it. So it adds nothing, and its counts are in the next
 * snapshot that is read.
 */
#include "config.h"

#include "base/mem.h"
#include "store/clickhouse/click_int.h"
#include "store/instance.h"
#include "store/local/tier/tier.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	COMPARED_VALUES_MAX = 2 << 20, /* values of a counter in a request that compares snapshots */
	COMPARED_SERIES_MAX = 500,
	COMPARED_SNAPSHOTS_MIN = 2,
	PAIRS_MAX = 500, /* in a condition */
};

/* The snapshots of a shape. */
struct click_snapshots {
	const struct click_window *w;
	const struct click_shape *shape;
	struct click_profile *p; /* [n] sorted by series and start */
	size_t n;
	bool *is_needed; /* [n] */
};

static bool click_is_same_series(const struct click_snapshots *s, size_t i)
{
	return i > 0 && i < s->n && s->p[i].series == s->p[i - 1].series;
}

/* A restart, or a change: snapshot i and the one before it are needed. */
static void click_need_pair(struct click_snapshots *s, size_t i)
{
	s->is_needed[i] = true;
	if (click_is_same_series(s, i))
		s->is_needed[i - 1] = true;
}

bool click_is_end(const struct click_window *w, const struct click_profile *p, size_t n, size_t i)
{
	const struct store_query *q = w->q;

	if (i + 1 == n || p[i].series != p[i + 1].series)
		return true;
	return w->c->use == CLICK_STEPS &&
	       (p[i].start_ns - q->t0) / q->step_ns != (p[i + 1].start_ns - q->t0) / q->step_ns;
}

static void click_need_ends(struct click_snapshots *s)
{
	for (size_t i = 0; i < s->n; i++)
		s->is_needed[i] |= !click_is_same_series(s, i) || click_is_end(s->w, s->p, s->n, i);
}

/* Find the process of a snapshot; its build is a string of the epoch. */
static int click_find_process(const struct click_snapshots *s, const struct click_profile *p, struct tier_process *out,
			      struct err *err)
{
	struct click_dictionary *e = click_get_dictionary(s->w->c, p->series->service, p->epoch);
	int rc = click_dictionary_load(e, &s->w->c->server, NULL, 0, p->meta, s->w->c->stop, err);
	uint32_t meta = click_ids_get(&e->metas, p->meta);

	if (rc < 0)
		return rc;
	if (meta == PROFILE_NONE)
		return click_cut_off(s->w, err);
	*out = tier_find_process(&e->d, &e->d.meta[meta]);
	return 0;
}

/* Two snapshots are needed if the epoch or the process changes between them. */
static int click_need_changes(struct click_snapshots *s, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < s->n; i++) {
		const struct click_profile *a, *b = &s->p[i];
		struct tier_process before, after;

		if (!click_is_same_series(s, i))
			continue;
		a = b - 1;
		if (a->epoch == b->epoch && a->meta == b->meta)
			continue;
		if (a->epoch == b->epoch) {
			rc = click_find_process(s, a, &before, err);
			rc = rc < 0 ? rc : click_find_process(s, b, &after, err);
		}
		if (rc == 0 && (a->epoch != b->epoch || tier_is_other_process(&before, &after)))
			click_need_pair(s, i);
	}
	return rc;
}

/* ---- snapshots before the first one of another series of the instance ---- */

/* A series with profiles in the window, and the start of the first one. */
struct click_beginning {
	uint32_t instance;
	const struct click_series *series;
	int64_t start_ns;
};

static int click_compare_beginnings(const void *a, const void *b)
{
	const struct click_beginning *x = a, *y = b;

	return x->instance < y->instance ? -1 : x->instance > y->instance;
}

static uint32_t click_find_place(struct strtab *names, struct buf *name, const struct click_series *s)
{
	instance_begin(name, s->service);
	for (size_t k = 0; k < s->n_labels; k++)
		instance_add(name, s->label[k].name, s->label[k].value);
	return strtab_add(names, name->data, name->len);
}

/* The series of profiles [n] of any order and types, sorted by instance. The caller frees them. */
static struct click_beginning *click_list_beginnings(const struct click_window *w, const struct click_profile *p,
						     size_t n, size_t *n_out)
{
	struct click_beginning *list = mem_zalloc(w->hi - w->lo + 1, sizeof(*list));
	struct strtab *names = strtab_new();
	struct buf name = { 0 };

	*n_out = 0;
	for (size_t i = 0; i < n; i++) {
		struct click_beginning *b = &list[p[i].series - (w->c->series + w->lo)];

		if (!b->series || p[i].start_ns < b->start_ns)
			b->start_ns = p[i].start_ns;
		b->series = p[i].series;
	}
	for (size_t i = 0; i < w->hi - w->lo; i++) {
		if (!list[i].series)
			continue;
		list[*n_out] = list[i];
		list[*n_out].instance = click_find_place(names, &name, list[i].series);
		++*n_out;
	}
	if (*n_out)
		qsort(list, *n_out, sizeof(*list), click_compare_beginnings);
	strtab_free(names);
	buf_release(&name);
	return list;
}

/* The last snapshot of a series before a time is needed. */
static void click_need_last_before(struct click_snapshots *s, const struct click_series *series, int64_t t)
{
	size_t first, lo, hi;

	click_find_range(s->p, s->n, series, &first, &hi);
	for (lo = first; lo < hi;) {
		size_t middle = lo + (hi - lo) / 2;

		if (s->p[middle].start_ns < t)
			lo = middle + 1;
		else
			hi = middle;
	}
	if (lo > first)
		s->is_needed[lo - 1] = true;
}

/* The first snapshot of a series continues from the last one before it of each other series of the instance. */
static void click_need_earlier(struct click_snapshots *s, const struct click_profiles *all)
{
	size_t n;
	struct click_beginning *list = click_list_beginnings(s->w, all->p, all->n, &n);

	for (size_t lo = 0, hi; lo < n; lo = hi) {
		for (hi = lo; hi < n && list[hi].instance == list[lo].instance;)
			hi++;
		for (size_t i = lo; i < hi; i++)
			for (size_t k = lo; k < hi; k++)
				if (i != k)
					click_need_last_before(s, list[k].series, list[i].start_ns);
	}
	free(list);
}

/* ---- restarts ---- */

/* Append an expression that is true if it is for any counter: its values are a and b, with texts around them. */
static void click_add_any(const struct click_shape *shape, const char *before, const char *between, const char *after,
			  struct buf *sql)
{
	for (uint32_t i = 0; i < shape->n_counters; i++)
		buf_addf(sql, "%s%sa%" PRIu32 "%sb%" PRIu32 "%s", i ? " OR " : "", before, i, between, i, after);
}

/* Append the values before and after the comparisons that satisfy a condition, as arguments of a function. */
static void click_add_values(const struct click_shape *shape, const char *filter, struct buf *sql)
{
	for (uint32_t i = 0; i < shape->n_counters; i++)
		buf_addf(sql,
			 ", arrayFilter((x, e) -> %s, arrayPopBack(v%" PRIu32
			 "), same), arrayFilter((x, e) -> %s, arrayPopFront(v%" PRIu32 "), same)",
			 filter, i, filter, i);
}

static void click_add_parameters(const struct click_shape *shape, struct buf *sql)
{
	for (uint32_t i = 0; i < shape->n_counters; i++)
		buf_addf(sql, "%sa%" PRIu32 ", b%" PRIu32, i ? ", " : "", i, i);
}

/*
 * Append the expression of the starts at which a stack of a counter fell. Most snapshots have the stacks of the one before, so
 * their values are compared in their order. For the others, the server subtracts by stack: one that is missing is 0.
 */
static void click_add_restarts(const struct click_shape *shape, struct buf *sql)
{
	buf_addz(sql,
		 "arrayConcat(arrayFilter((x, f) -> f, arrayFilter((x, e) -> e, arrayPopFront(t), same), arrayMap((");
	click_add_parameters(shape, sql);
	buf_addz(sql, ") -> ");
	click_add_any(shape, "arrayExists((x, y) -> x - y > 1, ", ", ", ")", sql);
	click_add_values(shape, "e", sql);
	buf_addz(sql, ")), arrayFilter((x, f) -> f, arrayFilter((x, e) -> NOT e, arrayPopFront(t), same), "
		      "arrayMap((r0, r1, ");
	click_add_parameters(shape, sql);
	buf_addz(sql, ") -> ");
	click_add_any(shape,
		      "arrayExists(x -> x < -1, tupleElement(arrayReduce('sumMap', [arrayCumSum(r0), arrayCumSum(r1)], "
		      "[arrayMap(x -> -x, ",
		      "), ", "]), 2))", sql);
	buf_addz(sql, ", arrayFilter((x, e) -> NOT e, arrayPopBack(r), same), arrayFilter((x, e) -> NOT e, "
		      "arrayPopFront(r), same)");
	click_add_values(shape, "NOT e", sql);
	buf_addz(sql, ")))");
}

/* Append the lists of the snapshots of each series and epoch, in the order of their starts. */
static void click_add_lists(const struct click_snapshots *s, size_t lo, size_t hi, struct buf *sql)
{
	const struct click_shape *shape = s->shape;
	int64_t t0 = INT64_MAX, t1 = INT64_MIN;
	uint32_t n = 0;

	buf_addz(sql, "SELECT series, epoch, toUInt64(count()) AS n, max(weight) AS w, groupArray(ts) AS g, "
		      "arraySort(g) AS t, arraySort((x, y) -> y, groupArray(rows), g) AS r");
	for (uint32_t i = 0; i < shape->n_types; i++)
		if (shape->is_counter[i])
			buf_addf(sql, ", arraySort((x, y) -> y, groupArray(vals[%" PRIu32 "]), g) AS v%" PRIu32, i + 1,
				 n++);
	buf_addz(sql, ", arrayMap((x, y) -> x = y, arrayPopBack(r), arrayPopFront(r)) AS same");
	for (size_t i = lo; i < hi; i++) {
		t0 = s->p[i].start_ns < t0 ? s->p[i].start_ns : t0;
		t1 = s->p[i].start_ns > t1 ? s->p[i].start_ns : t1;
	}
	click_add_from(s->w, t0, t1 + 1, sql);
	click_add_shapes(&shape->shape, 1, sql);
	for (size_t i = lo; i < hi; i++)
		if (i == lo || s->p[i].series != s->p[i - 1].series)
			click_add_hash(s->p[i].series, i == lo ? " AND series IN (" : ", ", sql);
	buf_addz(sql, ") GROUP BY series, epoch");
}

/* Note the restarts of a series and epoch, and count its snapshots. Returns 1 if they are not those of the server. */
static int click_take_restarts(struct click_snapshots *s, size_t lo, size_t hi, struct click_rows *r, size_t *found)
{
	const uint8_t *hash = click_get_bytes(r, 16), *weight_at;
	uint64_t epoch = click_get_u64(r), n = click_get_u64(r), count = 0;
	const struct click_series *series = hash ? click_find_series(s->w->c, s->w->lo, s->w->hi, hash) : NULL;
	double weight = 0;
	size_t first = 0, end = 0, n_starts;

	weight_at = click_get_bytes(r, sizeof(weight));
	if (weight_at)
		memcpy(&weight, weight_at, sizeof(weight));
	n_starts = click_get_count(r, 8);
	if (series)
		click_find_range(s->p + lo, hi - lo, series, &first, &end);
	for (size_t i = lo + first; i < lo + end; i++)
		count += s->p[i].epoch == epoch;
	for (size_t k = 0; k < n_starts; k++) {
		int64_t start = click_get_i64(r);
		size_t i = lo + first;

		while (i < lo + end && s->p[i].start_ns < start)
			i++;
		if (i == lo + end || s->p[i].start_ns != start)
			return 1;
		click_need_pair(s, i);
	}
	*found += n;
	return count != n || !(weight < CLICK_SUM_MAX);
}

/* Ask for the restarts of snapshots [lo, hi): whole series, or a part of one. Returns 1 if the server has others. */
static int click_ask_restarts(struct click_snapshots *s, size_t lo, size_t hi, struct err *err)
{
	struct buf sql = { 0 };
	struct bytes bytes = { 0 };
	struct click_rows r;
	size_t found = 0;
	int rc;

	buf_addz(&sql, "SELECT series, epoch, n, w, ");
	click_add_restarts(s->shape, &sql);
	buf_addz(&sql, " FROM (");
	click_add_lists(s, lo, hi, &sql);
	buf_addz(&sql, ") FORMAT RowBinary");
	rc = click_server_ask(&s->w->c->server, buf_text(&sql), true, s->w->c->stop, &bytes, err);
	buf_release(&sql);
	for (r = (struct click_rows){ bytes.data, bytes.data + bytes.n, false }; rc == 0 && click_has_row(&r);)
		rc = click_take_restarts(s, lo, hi, &r, &found);
	free(bytes.data);
	if (rc >= 0 && r.is_bad)
		return click_cut_off(s->w, err);
	return rc == 0 ? found != hi - lo : rc;
}

/* Find the number of snapshots that a request may compare, by the largest number of stacks. */
static int click_find_part(const struct click_snapshots *s, size_t *part, struct err *err)
{
	struct buf sql = { 0 };
	struct bytes bytes = { 0 };
	struct click_rows r;
	uint64_t most;
	int rc;

	buf_addz(&sql, "SELECT toUInt64(max(length(rows)))");
	click_add_from(s->w, s->w->q->t0, s->w->q->t1, &sql);
	click_add_shapes(&s->shape->shape, 1, &sql);
	buf_addz(&sql, " FORMAT RowBinary");
	rc = click_server_ask(&s->w->c->server, buf_text(&sql), true, s->w->c->stop, &bytes, err);
	buf_release(&sql);
	if (rc < 0)
		return rc;
	r = (struct click_rows){ bytes.data, bytes.data + bytes.n, false };
	most = click_get_u64(&r);
	*part = most < COMPARED_VALUES_MAX / COMPARED_SNAPSHOTS_MIN ? COMPARED_VALUES_MAX / (most + 1)
								    : COMPARED_SNAPSHOTS_MIN;
	free(bytes.data);
	return r.is_bad ? click_cut_off(s->w, err) : 0;
}

/* The end of the snapshots from lo on that one request compares: of whole series, or of a part of one. */
static size_t click_end_part(const struct click_snapshots *s, size_t lo, size_t part)
{
	size_t end = lo, n_series = 0;

	for (size_t i = lo + 1; i <= s->n; i++) {
		if (click_is_same_series(s, i))
			continue;
		if (i - lo > part || n_series++ == COMPARED_SERIES_MAX)
			break;
		end = i;
		if (click_is_same_series(s, lo)) /* the rest of a series: others have earlier snapshots */
			break;
	}
	return end > lo ? end : lo + part;
}

/* Find the restarts in the server. Parts of a series share a snapshot. Returns 1 as click_ask_restarts. */
static int click_need_restarts(struct click_snapshots *s, struct err *err)
{
	size_t part = 0, end;
	int rc = click_find_part(s, &part, err);

	for (size_t lo = 0; rc == 0 && lo < s->n; lo = click_is_same_series(s, end) ? end - 1 : end) {
		end = click_end_part(s, lo, part);
		rc = click_ask_restarts(s, lo, end, err);
	}
	return rc;
}

/* ---- reading ---- */

static int click_compare_snapshots(const void *a, const void *b)
{
	const struct click_profile *x = a, *y = b;

	if (x->series != y->series)
		return x->series < y->series ? -1 : 1;
	return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

/* Read some snapshots [n], which become rows of s. Returns 1 if one is missing. */
static int click_fetch_needed(struct click_snapshots *s, struct click_pair *pair, size_t n, struct click_profiles *x,
			      struct err *err)
{
	struct click_profiles got = { 0 };
	size_t n_found = 0;
	int rc;

	qsort(pair, n, sizeof(*pair), click_compare_pairs);
	rc = click_fetch_pairs(s->w, pair, n, &got, err);
	for (size_t i = 0; rc == 0 && i < got.n; i++) {
		struct click_profile *p = bsearch(&got.p[i], s->p, s->n, sizeof(*s->p), click_compare_snapshots);

		if (!p || p->own.row || p->epoch != got.p[i].epoch)
			continue;
		p->own = got.p[i].own;
		n_found++;
	}
	for (size_t i = 0; i < got.n_results; i++)
		click_keep_result(x, &got.result[i]);
	got.n_results = 0;
	click_profiles_release(&got);
	return rc == 0 ? n_found != n : rc;
}

static int click_fetch_all_needed(struct click_snapshots *s, struct click_profiles *x, struct err *err)
{
	struct click_pair pair[PAIRS_MAX];
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < s->n; i++) {
		if (s->is_needed[i]) {
			pair[n] = (struct click_pair){ .shape = s->p[i].shape, .start_ns = s->p[i].start_ns };
			memcpy(pair[n++].hash, s->p[i].series->hash, sizeof(pair->hash));
		}
		if (n == PAIRS_MAX || (n && i + 1 == s->n)) {
			rc = click_fetch_needed(s, pair, n, x, err);
			n = 0;
		}
	}
	return rc;
}

/* Give the other snapshots the rows of those before them. */
static void click_repeat_rows(struct click_snapshots *s)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->is_needed[i] || !click_is_same_series(s, i))
			continue;
		s->p[i].own = s->p[i - 1].own;
		s->p[i].is_repeat = !s->p[i - 1].sum.row;
	}
}

int click_fetch_snapshots(const struct click_window *w, const struct click_shape *shape, struct click_profiles *x,
			  size_t lo, size_t n, struct err *err)
{
	struct click_snapshots s = { w, shape, x->p + lo, n, mem_zalloc(n + 1, sizeof(bool)) };
	int rc;

	click_need_ends(&s);
	rc = click_need_changes(&s, err);
	if (rc == 0 && shape->has_increase)
		click_need_earlier(&s, x);
	if (rc == 0 && shape->n_counters)
		rc = click_need_restarts(&s, err);
	if (rc == 0)
		rc = click_fetch_all_needed(&s, x, err);
	if (rc == 0)
		click_repeat_rows(&s);
	free(s.is_needed);
	return rc;
}
