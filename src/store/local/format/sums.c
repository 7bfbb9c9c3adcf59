/*
 * sums.c - the sum of all profiles of a kind in a chapter
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Layout before compression; varint is LEB128, zz zigzag:
 *
 *	zz       sum of the durations in ns
 *	varint   profiles, restarts (of slots), 1 if there are slots
 *	varint   metas used; per meta: varint number minus that before; zz first start
 *	varint   series, starts of all of them; per series: varint number minus that before, number of starts, and per start:
 *	         zz second difference; with slots: varint profiles, tier
 *	block    of one profile, whose rows and values are the sums
 */
#include "config.h"

#include "store/local/format/sums.h"

#include "base/arena.h"
#include "base/mem.h"
#include "base/num.h"
#include "store/local/format/varint.h"

#include <stdlib.h>
#include <string.h>

enum {
	PROFILES_MIN = 64,
	CELLS_MIN = 16, /* values per row of the sum: with fewer, it would save little */
	ELEMENTS_MAX = 64 << 20,
};

/* The starts of profiles of one series. */
struct sum_series {
	uint32_t series, n;
	uint64_t start, step;
	struct buf data;
};

/* A sum that is being made. */
struct sum_maker {
	const struct dict *d;
	str_id kind;
	uint32_t class, meta;
	bool is_unfit, has_slots;
	int64_t duration_ns;
	uint64_t profiles, restarts, n_stored, n_cells, n_starts;
	uint32_t n_columns, n_series, last_series;
	int64_t **column;    /* [n_columns][n_rows] */
	int64_t *meta_first; /* [n_metas] INT64_MAX: not used */
	uint32_t n_rows, n_metas;
	struct sum_series now;
	struct buf starts;
};

/* May profiles of this meta be added up? */
static bool sum_fits(const struct dict_meta *m)
{
	for (uint32_t t = 0; t < m->n_types; t++)
		if (m->temporality[t] != TEMPORALITY_DELTA && m->temporality[t] != TEMPORALITY_INCREASE)
			return false;
	return m->n_types > 0;
}

static struct sum_maker *sum_maker_new(const struct dict *d, str_id kind, uint32_t class, uint32_t meta)
{
	struct sum_maker *m = mem_zalloc(1, sizeof(*m));
	uint32_t n = d->meta[meta].n_types;

	*m = (struct sum_maker){ .d = d, .kind = kind, .class = class, .meta = meta, .now.series = PROFILE_NONE };
	m->is_unfit = !sum_fits(&d->meta[meta]);
	if (m->is_unfit)
		return m;
	m->n_columns = n;
	m->column = mem_zalloc(n, sizeof(*m->column));
	return m;
}

/* Make room for all rows and metas that the dictionary has now. Returns false if there are too many rows. */
static bool sum_grow(struct sum_maker *m)
{
	size_t n_rows = m->n_rows, n_metas = m->n_metas;

	if (m->d->n_rows > ELEMENTS_MAX / (m->n_columns + 1))
		return false;
	for (uint32_t t = 0; t < m->n_columns && m->d->n_rows > m->n_rows; t++) {
		n_rows = m->n_rows;
		m->column[t] = mem_grow(m->column[t], &n_rows, m->d->n_rows, sizeof(**m->column));
		memset(m->column[t] + m->n_rows, 0, (n_rows - m->n_rows) * sizeof(**m->column));
	}
	m->n_rows = (uint32_t)n_rows;
	m->meta_first = mem_grow(m->meta_first, &n_metas, m->d->n_metas, sizeof(*m->meta_first));
	for (; m->n_metas < n_metas; m->n_metas++)
		m->meta_first[m->n_metas] = INT64_MAX;
	return true;
}

static void sum_maker_free(struct sum_maker *m)
{
	if (!m)
		return;
	for (uint32_t t = 0; t < m->n_columns; t++)
		free(m->column[t]);
	free(m->column);
	free(m->meta_first);
	buf_release(&m->now.data);
	buf_release(&m->starts);
	free(m);
}

/* Append the starts of the current series to those of all. */
static void sum_end_series(struct sum_maker *m)
{
	struct sum_series *s = &m->now;

	if (!s->n)
		return;
	varint_put(&m->starts, s->series - (m->n_series ? m->last_series : 0));
	varint_put(&m->starts, s->n);
	buf_add(&m->starts, s->data.data, s->data.len);
	m->n_series++;
	m->n_starts += s->n;
	m->last_series = s->series;
	s->data.len = 0;
	s->n = 0;
}

static void sum_add_start(struct sum_maker *m, const struct stored *p)
{
	struct sum_series *s = &m->now;
	uint64_t step = (uint64_t)p->start_ns - s->start;

	if (s->series != p->series) {
		sum_end_series(m);
		s->series = p->series;
		s->start = s->step = 0;
		step = (uint64_t)p->start_ns;
	}
	varint_put_delta(&s->data, step, s->step);
	s->step = s->n ? step : 0;
	s->start = (uint64_t)p->start_ns;
	s->n++;
	if (m->has_slots) {
		varint_put(&s->data, p->slot.n);
		varint_put(&s->data, p->slot.tier);
	}
}

static void sum_maker_add(struct sum_maker *m, const struct stored *p, uint32_t class)
{
	bool is_slot = p->slot.tier != TIER_RAW;
	int64_t *first;

	if (m->is_unfit)
		return;
	m->has_slots |= !m->n_stored && is_slot;
	m->is_unfit = class != m->class || p->n_columns != m->n_columns || p->slot.role != SLOT_SUM ||
		      is_slot != m->has_slots || num_add(&m->duration_ns, p->duration_ns) || !sum_grow(m);
	if (m->is_unfit)
		return;
	m->n_stored++;
	m->profiles += is_slot ? p->slot.n : 1;
	m->restarts += p->slot.restarts;
	m->n_cells += p->n;
	first = &m->meta_first[p->meta];
	*first = p->start_ns < *first ? p->start_ns : *first;
	for (uint32_t t = 0; t < m->n_columns; t++)
		for (uint32_t i = 0; i < p->n; i++)
			m->is_unfit |= num_add(&m->column[t][p->row[i]], p->value[(size_t)t * p->n + i]);
	sum_add_start(m, p);
}

/* The rows of the sum that have a value; the caller releases it. */
static struct stored sum_rows(const struct sum_maker *m)
{
	struct stored out = { .meta = m->meta, .n_columns = m->n_columns };
	uint32_t *row = mem_alloc(m->n_rows, sizeof(*row));

	for (uint32_t i = 0; i < m->n_rows; i++) {
		bool has_value = false;

		for (uint32_t t = 0; t < m->n_columns; t++)
			has_value |= m->column[t][i] != 0;
		if (has_value)
			row[out.n++] = i;
	}
	out.row = row;
	out.value = mem_alloc((size_t)out.n * out.n_columns, sizeof(*out.value));
	for (uint32_t t = 0; t < m->n_columns; t++)
		for (uint32_t i = 0; i < out.n; i++)
			out.value[(size_t)t * out.n + i] = m->column[t][row[i]];
	return out;
}

static void sum_put_head(struct sum_maker *m, struct buf *out)
{
	uint32_t n_metas = 0, last = 0;

	sum_end_series(m);
	varint_put_signed(out, m->duration_ns);
	varint_put(out, m->profiles);
	varint_put(out, m->restarts);
	varint_put(out, m->has_slots);
	for (uint32_t i = 0; i < m->n_metas; i++)
		n_metas += m->meta_first[i] != INT64_MAX;
	varint_put(out, n_metas);
	for (uint32_t i = 0; i < m->n_metas; i++) {
		if (m->meta_first[i] == INT64_MAX)
			continue;
		varint_put(out, i - last);
		varint_put_signed(out, m->meta_first[i]);
		last = i;
	}
	varint_put(out, m->n_series);
	varint_put(out, m->n_starts);
	buf_add(out, m->starts.data, m->starts.len);
}

/* Append the encoded sum. Returns false if it is not worth its bytes. */
static bool sum_encode(struct sum_maker *m, struct buf *out)
{
	bool is_worth, *is_chain;
	struct stored rows;

	if (m->is_unfit || m->n_stored < PROFILES_MIN)
		return false;
	rows = sum_rows(m);
	is_worth = m->n_cells / CELLS_MIN >= rows.n;
	if (is_worth) {
		is_chain = mem_zalloc(m->n_columns, sizeof(*is_chain));
		sum_put_head(m, out);
		block_encode(&(const struct stored *){ &rows }, 1, is_chain, out);
		free(is_chain);
	}
	dict_release_stored(&rows);
	return is_worth && out->len <= PACK_RAW_MAX;
}

/* --- all sums of a chapter --- */

struct chapter_sums {
	const struct dict *d;
	struct sum_maker **maker; /* [n] of each kind */
	size_t n, cap;
};

struct chapter_sums *chapter_sums_new(const struct dict *d)
{
	struct chapter_sums *s = mem_zalloc(1, sizeof(*s));

	s->d = d;
	return s;
}

void chapter_sums_free(struct chapter_sums *s)
{
	for (size_t i = 0; s && i < s->n; i++)
		sum_maker_free(s->maker[i]);
	if (s)
		free(s->maker);
	free(s);
}

void chapter_sums_add(struct chapter_sums *s, const struct stored *p, uint32_t class)
{
	str_id kind = s->d->series[p->series].kind;
	size_t i = 0;

	while (i < s->n && s->maker[i]->kind != kind)
		i++;
	if (i == s->n) {
		s->maker = mem_grow(s->maker, &s->cap, s->n + 1, sizeof(*s->maker));
		s->maker[s->n++] = sum_maker_new(s->d, kind, class, p->meta);
	}
	sum_maker_add(s->maker[i], p, class);
}

void chapter_sums_finish(struct chapter_sums *s, struct packer *packer, struct chapter *c)
{
	struct buf raw = { 0 }, packed = { 0 };

	c->sum = arena_zalloc(c->memory, s->n, sizeof(*c->sum));
	for (size_t i = 0; i < s->n; i++) {
		struct chapter_sum *out = &c->sum[c->n_sums];

		raw.len = packed.len = 0;
		if (!sum_encode(s->maker[i], &raw))
			continue;
		pack_add(packer, raw.data, raw.len, &packed);
		*out = (struct chapter_sum){ .kind = s->maker[i]->kind, .meta = s->maker[i]->meta };
		out->data = memcpy(arena_alloc(c->memory, packed.len, 1), packed.data, packed.len);
		out->size = packed.len;
		out->raw = raw.len;
		out->crc = pack_crc(out->data, out->size);
		c->n_sums++;
	}
	buf_release(&raw);
	buf_release(&packed);
}

/* --- reading --- */

/* The data of a sum that is being read. */
struct sum_reader {
	const struct dict *d;
	const uint8_t *at, *end;
	bool has_slots;
};

static bool sum_take(struct sum_reader *r, uint64_t max, uint64_t *v)
{
	return varint_get(&r->at, r->end, v) && *v <= max;
}

static bool sum_take_metas(struct sum_reader *r, struct sum_content *out)
{
	uint64_t n, id = 0, step;

	if (!sum_take(r, r->d->n_metas, &n))
		return false;
	out->meta = mem_alloc(n, sizeof(*out->meta));
	for (; out->n_metas < n; out->n_metas++) {
		struct sum_meta *m = &out->meta[out->n_metas];

		if (!sum_take(r, r->d->n_metas, &step) || !varint_get_signed(&r->at, r->end, &m->first_ns))
			return false;
		id += step;
		if (id >= r->d->n_metas)
			return false;
		m->meta = (uint32_t)id;
	}
	return true;
}

/* Read the starts of a series. */
static bool sum_take_starts(struct sum_reader *r, uint32_t series, uint64_t n, struct sum_start *out)
{
	uint64_t start = 0, step = 0, profiles = 1, tier = TIER_RAW;
	int64_t v;

	for (uint64_t i = 0; i < n; i++) {
		if (!varint_get_signed(&r->at, r->end, &v))
			return false;
		step += (uint64_t)v;
		start += step;
		step = i ? step : 0;
		if (r->has_slots && (!sum_take(r, UINT32_MAX, &profiles) || !sum_take(r, N_TIERS - 1, &tier)))
			return false;
		out[i] = (struct sum_start){ series, (uint32_t)profiles, (enum store_tier)tier, (int64_t)start };
	}
	return true;
}

static bool sum_take_all_starts(struct sum_reader *r, struct sum_content *out)
{
	uint64_t n_series, n, id = 0, step, k;

	if (!sum_take(r, r->d->n_series, &n_series) || !sum_take(r, (uint64_t)(r->end - r->at), &n))
		return false;
	out->start = mem_alloc(n, sizeof(*out->start));
	for (uint64_t i = 0; i < n_series; i++) {
		if (!sum_take(r, r->d->n_series, &step) || !sum_take(r, n - out->n_starts, &k))
			return false;
		id += step;
		if (id >= r->d->n_series || !sum_take_starts(r, (uint32_t)id, k, out->start + out->n_starts))
			return false;
		out->n_starts += k;
	}
	return out->n_starts == n;
}

static int sum_decode(const struct chapter *c, const struct chapter_sum *s, const uint8_t *data, size_t n,
		      struct sum_content *out, struct err *err)
{
	struct sum_reader r = { .d = &c->dict, .at = data, .end = data + n };
	uint64_t has_slots;

	if (!varint_get_signed(&r.at, r.end, &out->duration_ns) || !varint_get(&r.at, r.end, &out->profiles) ||
	    !varint_get(&r.at, r.end, &out->restarts) || !sum_take(&r, 1, &has_slots))
		return err_set(err, ERR_FORMAT, "it is cut off");
	r.has_slots = has_slots;
	if (!sum_take_metas(&r, out) || !sum_take_all_starts(&r, out))
		return err_set(err, ERR_FORMAT, "its profiles are damaged");
	if (block_open(&out->rows, r.at, (size_t)(r.end - r.at), r.d, err) < 0)
		return ERR_FORMAT;
	if (out->rows.n != 1 || out->rows.meta[0] != s->meta)
		return err_set(err, ERR_FORMAT, "its rows are damaged");
	return 0;
}

static int sum_open(const struct chapter *c, const struct chapter_sum *s, struct sum_content *out, struct err *err)
{
	const uint8_t *data = s->data;
	int rc = 0;

	if (pack_crc(s->data, s->size) != s->crc)
		return err_set(err, ERR_FORMAT, "its checksum is wrong");
	if (s->raw != s->size) {
		rc = pack_check(s->size, s->raw, err);
		data = out->memory = rc == 0 ? mem_alloc(s->raw, 1) : NULL;
		if (rc == 0)
			rc = pack_expand(s->data, s->size, out->memory, s->raw, err);
	}
	return rc == 0 ? sum_decode(c, s, data, s->raw, out, err) : rc;
}

int chapter_open_sum(const struct chapter *c, uint32_t i, struct sum_content *out, struct err *err)
{
	int rc;

	*out = (struct sum_content){ 0 };
	rc = sum_open(c, &c->sum[i], out, err);
	if (rc == 0)
		return 0;
	chapter_close_sum(out);
	return err_wrap(err, "%s%ssum %u of %s", c->file ? c->file : "", c->file ? ": " : "", i + 1, c->service);
}

void chapter_close_sum(struct sum_content *s)
{
	free(s->start);
	free(s->meta);
	block_release(&s->rows);
	free(s->memory);
}

/* --- checking --- */

static bool sum_has_equal_rows(const struct stored *a, const struct stored *b)
{
	return a->n == b->n && a->n_columns == b->n_columns && memcmp(a->row, b->row, a->n * sizeof(*a->row)) == 0 &&
	       memcmp(a->value, b->value, (size_t)a->n * a->n_columns * sizeof(*a->value)) == 0;
}

static bool sum_is_equal(const struct sum_content *a, const struct sum_content *b)
{
	struct stored x = { 0 }, y = { 0 };
	bool is_equal = a->duration_ns == b->duration_ns && a->profiles == b->profiles && a->restarts == b->restarts &&
			a->n_starts == b->n_starts && a->n_metas == b->n_metas;

	for (size_t i = 0; is_equal && i < a->n_starts; i++)
		is_equal = a->start[i].series == b->start[i].series && a->start[i].profiles == b->start[i].profiles &&
			   a->start[i].tier == b->start[i].tier && a->start[i].start_ns == b->start[i].start_ns;
	for (size_t i = 0; is_equal && i < a->n_metas; i++)
		is_equal = a->meta[i].meta == b->meta[i].meta && a->meta[i].first_ns == b->meta[i].first_ns;
	is_equal = is_equal && block_profile(&a->rows, 0, &x, NULL) == 0 && block_profile(&b->rows, 0, &y, NULL) == 0 &&
		   sum_has_equal_rows(&x, &y);
	dict_release_stored(&x);
	dict_release_stored(&y);
	return is_equal;
}

/* Add the profiles of a block. */
static int sum_add_block(const struct chapter *c, uint32_t i, struct buf *buffer, struct sum_maker *m, struct err *err)
{
	struct stored all[BLOCK_PROFILES_MAX] = { 0 };
	struct block b;
	int rc = chapter_open_block(c, i, buffer, &b, err), added;

	if (rc < 0)
		return rc;
	added = rc = block_profiles(&b, all, err);
	for (uint32_t k = 0; added == 0 && k < b.n; k++) {
		struct stored *p = &all[k];

		p->series = c->block[i].series;
		if (rc == 0 && p->n && p->row[p->n - 1] >= c->dict.n_rows)
			rc = err_set(err, ERR_FORMAT, "block %u has a row that does not exist", i + 1);
		if (rc == 0)
			sum_maker_add(m, p, m->class);
		dict_release_stored(p);
	}
	block_release(&b);
	return rc;
}

/* Add up the profiles of a kind again. */
static int sum_make_again(const struct chapter *c, const struct chapter_sum *s, struct stop *stop, struct sum_maker *m,
			  struct err *err)
{
	struct buf buffer = { 0 };
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < c->n_blocks; i++) {
		if (c->dict.series[c->block[i].series].kind != s->kind)
			continue;
		rc = stop_check(stop, err);
		if (rc == 0)
			rc = sum_add_block(c, i, &buffer, m, err);
	}
	buf_release(&buffer);
	return rc;
}

int chapter_sums_verify(const struct chapter *c, uint32_t i, struct stop *stop, struct err *err)
{
	struct sum_maker *m = sum_maker_new(&c->dict, c->sum[i].kind, 0, c->sum[i].meta);
	struct sum_content stored = { 0 }, made = { 0 };
	struct buf raw = { 0 };
	bool is_equal = false;
	int rc = chapter_open_sum(c, i, &stored, err);

	if (rc == 0)
		rc = sum_make_again(c, &c->sum[i], stop, m, err);
	if (rc == 0) {
		is_equal = sum_encode(m, &raw) &&
			   sum_decode(c, &c->sum[i], (const uint8_t *)raw.data, raw.len, &made, NULL) == 0 &&
			   sum_is_equal(&stored, &made);
	}
	if (rc == 0 && !is_equal)
		rc = err_set(err, ERR_FORMAT, "the sum of all %s profiles of %s differs from these profiles",
			     strtab_text(c->dict.str, c->sum[i].kind), c->service);
	chapter_close_sum(&stored);
	chapter_close_sum(&made);
	buf_release(&raw);
	sum_maker_free(m);
	return rc;
}
