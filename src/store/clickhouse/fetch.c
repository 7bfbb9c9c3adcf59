/*
 * fetch.c - read profiles from ClickHouse
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "base/time.h"
#include "store/clickhouse/click_int.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	PART_PROFILES = 4000,   /* of a part of a window */
	CLICK_SERIES_MAX = 500, /* in a condition */
	PROFILES_MAX = 1 << 30, /* of a day */
};

void click_profiles_release(struct click_profiles *x)
{
	for (size_t i = 0; i < x->n_results; i++)
		free(x->result[i].data);
	free(x->result);
	free(x->p);
	*x = (struct click_profiles){ 0 };
}

void click_keep_result(struct click_profiles *x, struct bytes *bytes)
{
	x->result = mem_grow(x->result, &x->cap_results, x->n_results + 1, sizeof(*x->result));
	x->result[x->n_results++] = *bytes;
}

static struct click_profile *click_add_profile(struct click_profiles *x)
{
	x->p = mem_grow(x->p, &x->cap, x->n + 1, sizeof(*x->p));
	x->p[x->n] = (struct click_profile){ 0 };
	return &x->p[x->n++];
}

int click_cut_off(const struct click_window *w, struct err *err)
{
	return err_set(err, ERR_FORMAT, "%.200s: the table profiles is damaged", w->c->server.name);
}

/* ---- conditions ---- */

/* The day of a time, within the days of a Date. */
static unsigned click_find_day(int64_t ns)
{
	return ns < 0 ? 0 : ns / NS_PER_DAY > UINT16_MAX ? UINT16_MAX : (unsigned)(ns / NS_PER_DAY);
}

/* Is it a time that a Date has a day for? */
static bool click_is_time(int64_t ns)
{
	return ns >= 0 && ns / NS_PER_DAY <= UINT16_MAX;
}

void click_add_hash(const struct click_series *s, const char *before, struct buf *sql)
{
	buf_addf(sql, "%sunhex('", before);
	for (int k = 0; k < 16; k++)
		buf_addf(sql, "%02X", s->hash[k]);
	buf_addz(sql, "')");
}

/* Append "(unhex('...'), ...)" of the wanted series [*lo, hi), at most CLICK_SERIES_MAX; *lo is set after the last one. */
static void click_add_hashes(const struct click_window *w, size_t *lo, struct buf *sql)
{
	const char *before = "(";

	for (size_t n = 0; *lo < w->hi && n < CLICK_SERIES_MAX; ++*lo) {
		if (!w->c->series[*lo].is_wanted)
			continue;
		click_add_hash(&w->c->series[*lo], before, sql);
		before = ", ";
		n++;
	}
	buf_addz(sql, ")");
}

static size_t click_count_wanted(const struct click_window *w)
{
	size_t n = 0;

	for (size_t i = w->lo; i < w->hi; i++)
		n += w->c->series[i].is_wanted;
	return n;
}

void click_add_from(const struct click_window *w, int64_t t0, int64_t t1, struct buf *sql)
{
	unsigned first = click_find_day(t0), last = click_find_day(t1 == INT64_MIN ? t1 : t1 - 1);
	size_t n = click_count_wanted(w), lo = w->lo;
	bool is_repeated = false;

	for (size_t i = 0; i < w->c->n_repeated; i++)
		is_repeated |= w->c->repeated[i] >= first && w->c->repeated[i] <= last;
	buf_addf(sql, " FROM profiles%s WHERE service = ", is_repeated ? " FINAL" : "");
	click_add_text(sql, w->c->series[w->lo].service);
	if (w->q->kind && *w->q->kind) {
		buf_addz(sql, " AND kind = ");
		click_add_text(sql, w->q->kind);
	}
	buf_addf(sql, " AND day >= toDate(%u) AND day <= toDate(%u)", first, last);
	if (t0 != INT64_MIN)
		buf_addf(sql, " AND ts >= %" PRId64, t0);
	if (t1 != INT64_MAX)
		buf_addf(sql, " AND ts < %" PRId64, t1);
	if (n <= CLICK_SERIES_MAX && n < w->hi - w->lo) {
		buf_addz(sql, " AND series IN ");
		click_add_hashes(w, &lo, sql);
	}
}

void click_add_shapes(const uint64_t *shape, size_t n, struct buf *sql)
{
	for (size_t i = 0; i < n; i++)
		buf_addf(sql, "%s%" PRIu64, i ? ", " : " AND shape IN (", shape[i]);
	buf_addz(sql, n ? ")" : "");
}

/* ---- profiles ---- */

static void click_add_columns_of(enum click_use use, struct buf *sql)
{
	buf_addf(sql, "SELECT series, ts, dur, epoch, meta, shape%s",
		 use == CLICK_FULL     ? ", rows, vals"
		 : use == CLICK_TOTALS ? ", total"
				       : "");
}

/* Read the lists of a profile. */
static void click_take_lists(struct click_rows *r, enum click_use use, struct click_profile *p)
{
	struct click_lists *l = &p->own;

	if (use == CLICK_TOTALS) {
		p->is_total = true;
		l->n_columns = click_get_count(r, 8);
		l->value = click_get_bytes(r, l->n_columns * 8);
		return;
	}
	l->n = click_get_count(r, 4);
	l->row = click_get_bytes(r, l->n * 4);
	l->n_columns = click_get_count(r, 1);
	l->value = r->at;
	for (size_t t = 0; t < l->n_columns && !r->is_bad; t++) {
		r->is_bad |= click_get_count(r, 8) != l->n;
		click_get_bytes(r, l->n * 8);
	}
}

/* Read the profiles of a result, which is kept. */
static int click_take_profiles(const struct click_window *w, struct bytes *bytes, enum click_use use,
			       struct click_profiles *out, struct err *err)
{
	struct click_rows r = { bytes->data, bytes->data + bytes->n, false };

	click_keep_result(out, bytes);
	while (click_has_row(&r)) {
		const uint8_t *hash = click_get_bytes(&r, 16);
		struct click_profile p = { .start_ns = click_get_i64(&r) };

		p.duration_ns = click_get_i64(&r);
		p.epoch = click_get_u64(&r);
		p.meta = click_get_u32(&r);
		p.shape = click_get_u64(&r);
		if (use != CLICK_HEADS && !r.is_bad)
			click_take_lists(&r, use, &p);
		r.is_bad |= !click_is_time(p.start_ns);
		if (r.is_bad)
			break;
		p.series = click_find_series(w->c, w->lo, w->hi, hash);
		if (p.series && p.series->is_wanted)
			*click_add_profile(out) = p;
	}
	return r.is_bad ? click_cut_off(w, err) : 0;
}

static int click_ask_profiles(const struct click_window *w, struct buf *sql, enum click_use use,
			      struct click_profiles *out, struct err *err)
{
	struct bytes bytes = { 0 };
	int rc;

	buf_addz(sql, " FORMAT RowBinary");
	rc = click_server_ask(&w->c->server, buf_text(sql), true, w->c->stop, &bytes, err);
	return rc < 0 ? rc : click_take_profiles(w, &bytes, use, out, err);
}

int click_fetch(const struct click_window *w, int64_t t0, int64_t t1, enum click_use use, const uint64_t *shape,
		size_t n_shapes, struct click_profiles *out, struct err *err)
{
	struct buf sql = { 0 };
	int rc;

	click_add_columns_of(use, &sql);
	click_add_from(w, t0, t1, &sql);
	click_add_shapes(shape, n_shapes, &sql);
	rc = click_ask_profiles(w, &sql, use, out, err);
	buf_release(&sql);
	return rc;
}

/* ---- the profiles beside a window ---- */

int click_compare_pairs(const void *a, const void *b)
{
	const struct click_pair *x = a, *y = b;
	int order = memcmp(x->hash, y->hash, sizeof(x->hash));

	if (order == 0)
		order = x->shape < y->shape ? -1 : x->shape > y->shape;
	return order ? order : x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

/* Find the last or first starts. *lo: the first series; set after the last one that was asked for. */
static int click_find_beside(const struct click_window *w, bool after, size_t *lo, struct click_pair **pair, size_t *n,
			     struct err *err)
{
	struct buf sql = { 0 };
	struct bytes bytes = { 0 };
	struct click_rows r;
	size_t cap = 0;
	int rc;

	buf_addf(&sql, "SELECT series, shape, %s(ts)", after ? "min" : "max");
	click_add_from(w, after ? w->q->t1 : INT64_MIN, after ? INT64_MAX : w->q->t0, &sql);
	buf_addz(&sql, " AND series IN ");
	click_add_hashes(w, lo, &sql);
	buf_addz(&sql, " GROUP BY series, shape FORMAT RowBinary");
	rc = click_server_ask(&w->c->server, buf_text(&sql), true, w->c->stop, &bytes, err);
	buf_release(&sql);
	if (rc < 0)
		return rc;
	for (r = (struct click_rows){ bytes.data, bytes.data + bytes.n, false }; click_has_row(&r);) {
		const uint8_t *hash = click_get_bytes(&r, 16);

		*pair = mem_grow(*pair, &cap, *n + 1, sizeof(**pair));
		if (hash)
			memcpy((*pair)[*n].hash, hash, 16);
		(*pair)[*n].shape = click_get_u64(&r);
		(*pair)[*n].start_ns = click_get_i64(&r);
		r.is_bad |= !click_is_time((*pair)[(*n)++].start_ns);
	}
	free(bytes.data);
	return r.is_bad ? click_cut_off(w, err) : 0;
}

int click_fetch_pairs(const struct click_window *w, const struct click_pair *pair, size_t n, struct click_profiles *out,
		      struct err *err)
{
	enum click_use use = w->c->use == CLICK_SUMS || w->c->use == CLICK_STEPS ? CLICK_FULL : w->c->use;
	struct buf sql = { 0 };
	int64_t t0 = INT64_MAX, t1 = INT64_MIN;
	size_t before = out->n, kept = out->n;
	int rc;

	for (size_t i = 0; i < n; i++) {
		t0 = pair[i].start_ns < t0 ? pair[i].start_ns : t0;
		t1 = pair[i].start_ns > t1 ? pair[i].start_ns : t1;
	}
	click_add_columns_of(use, &sql);
	click_add_from(w, t0, t1 + 1, &sql);
	for (size_t i = 0; i < n; i++)
		buf_addf(&sql, "%s%" PRId64, i ? ", " : " AND ts IN (", pair[i].start_ns);
	buf_addz(&sql, ")");
	rc = click_ask_profiles(w, &sql, use, out, err);
	buf_release(&sql);
	for (size_t i = before; rc == 0 && i < out->n; i++) {
		struct click_pair key = { .shape = out->p[i].shape, .start_ns = out->p[i].start_ns };

		memcpy(key.hash, out->p[i].series->hash, sizeof(key.hash));
		if (bsearch(&key, pair, n, sizeof(key), click_compare_pairs))
			out->p[kept++] = out->p[i];
	}
	out->n = rc == 0 ? kept : out->n;
	return rc;
}

int click_fetch_beside(const struct click_window *w, bool after, struct click_profiles *out, struct err *err)
{
	int rc = 0;

	for (size_t lo = w->lo; rc == 0 && lo < w->hi;) {
		struct click_pair *pair = NULL;
		size_t n = 0;

		while (lo < w->hi && !w->c->series[lo].is_wanted)
			lo++;
		if (lo == w->hi)
			break;
		rc = click_find_beside(w, after, &lo, &pair, &n, err);
		if (rc == 0 && n) {
			qsort(pair, n, sizeof(*pair), click_compare_pairs);
			rc = click_fetch_pairs(w, pair, n, out, err);
		}
		free(pair);
	}
	return rc;
}

/* ---- parts of a window ---- */

/* Append the parts of a day whose profiles [count] start in [first, last]; a part of few profiles gets the day too. */
static bool click_cut_day(int64_t **t, size_t *n, size_t *cap, uint64_t *in_part, uint64_t count, int64_t first,
			  int64_t last)
{
	uint64_t span = (uint64_t)last - (uint64_t)first, parts = (count + PART_PROFILES - 1) / PART_PROFILES;
	bool joins = *n && *in_part + count <= PART_PROFILES;

	if (last < first || !click_is_time(first) || !click_is_time(last) || count > PROFILES_MAX)
		return false;
	for (uint64_t i = 0; i < parts; i++) {
		*t = mem_grow(*t, cap, *n + 2, sizeof(**t));
		*n -= joins; /* then there is one part */
		if (!joins)
			(*t)[*n] = first + (int64_t)(span / parts * i);
		(*t)[++*n] = i + 1 < parts ? first + (int64_t)(span / parts * (i + 1)) : last + 1;
	}
	*in_part = joins ? *in_part + count : count;
	return true;
}

int click_cut_window(const struct click_window *w, int64_t **t, size_t *n, struct err *err)
{
	struct buf sql = { 0 };
	struct bytes bytes = { 0 };
	struct click_rows r;
	size_t cap = 0;
	uint64_t in_part = 0;
	int rc;

	*n = 0;
	buf_addz(&sql, "SELECT toUInt64(count()), min(ts), max(ts)");
	click_add_from(w, w->q->t0, w->q->t1, &sql);
	buf_addz(&sql, " GROUP BY day ORDER BY day FORMAT RowBinary");
	rc = click_server_ask(&w->c->server, buf_text(&sql), true, w->c->stop, &bytes, err);
	buf_release(&sql);
	if (rc < 0)
		return rc;
	for (r = (struct click_rows){ bytes.data, bytes.data + bytes.n, false }; click_has_row(&r);) {
		uint64_t count = click_get_u64(&r);
		int64_t first = click_get_i64(&r), last = click_get_i64(&r);

		if (!r.is_bad)
			r.is_bad = !click_cut_day(t, n, &cap, &in_part, count, first, last);
	}
	free(bytes.data);
	return r.is_bad ? click_cut_off(w, err) : 0;
}
