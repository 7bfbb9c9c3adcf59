/*
 * block.c - read blocks
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reading a row of a column is the inner loop of every query over a window, so values of one byte, which are nearly all,
 * are read eight at once.
 */
#include "config.h"

#define XXH_INLINE_ALL

#include "base/mem.h"
#include "store/local/format/block.h"
#include "store/local/format/block_int.h"
#include "store/local/format/varint.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

void block_profile_id(const uint8_t series_hash[16], int64_t start_ns, uint8_t id[16])
{
	XXH128_canonical_t canonical;
	uint8_t key[24];

	memcpy(key, series_hash, 16);
	for (unsigned i = 0; i < 8; i++)
		key[16 + i] = (uint8_t)((uint64_t)start_ns >> 8 * i);
	XXH128_canonicalFromHash(&canonical, XXH3_128bits(key, sizeof(key)));
	memcpy(id, canonical.digest, 16);
}

/* --- the head --- */

struct block_head {
	const uint8_t *at, *end;
	const struct dict *dict;
	uint64_t *size; /* [n_columns][2] bytes of cells and values */
};

static bool block_read_number(struct block_head *h, uint64_t max, uint64_t *v)
{
	return varint_get(&h->at, h->end, v) && *v <= max;
}

static int open_column(struct block *b, uint32_t k, struct block_head *h, struct err *err)
{
	struct block_column *c = &b->column[k];
	uint64_t flags, like = k, *size = h->size + 2 * (size_t)k;

	if (!block_read_number(h, BLOCK_SIGNED | BLOCK_CHAIN | BLOCK_MULTIPLE, &flags))
		return err_set(err, ERR_FORMAT, "column %u has an unknown encoding", k + 1);
	c->mode = flags & BLOCK_MODE_MASK;
	c->is_signed = flags & BLOCK_SIGNED;
	b->is_chain[k] = flags & BLOCK_CHAIN;
	if ((flags & BLOCK_MODE_MASK) > BLOCK_MULTIPLE ||
	    (c->mode == BLOCK_OWN && !block_read_number(h, UINT64_MAX, &size[0])) ||
	    (c->mode != BLOCK_MULTIPLE && !block_read_number(h, UINT64_MAX, &size[1])) ||
	    (c->mode != BLOCK_OWN && !block_read_number(h, UINT64_MAX, &like)) ||
	    (c->mode == BLOCK_MULTIPLE && !varint_get_signed(&h->at, h->end, &c->factor)))
		return err_set(err, ERR_FORMAT, "column %u is cut off", k + 1);
	if (c->mode != BLOCK_OWN &&
	    (like >= k || b->column[like].mode != BLOCK_OWN || b->is_chain[like] != b->is_chain[k]))
		return err_set(err, ERR_FORMAT, "column %u refers to column %" PRIu64, k + 1, like + 1);
	c->like = (uint32_t)like;
	return 0;
}

static int open_times(struct block *b, struct block_head *h, struct err *err)
{
	uint64_t start = 0, step = 0, duration = 0, meta, n;
	int64_t v, w;

	for (uint32_t i = 0; i < b->n;) {
		if (!block_read_number(h, UINT32_MAX, &meta) || !block_read_number(h, b->n - i, &n) || !n)
			return err_set(err, ERR_FORMAT, "the metas of profile %u are damaged", i + 1);
		if (meta >= h->dict->n_metas || h->dict->meta[meta].n_types != b->n_columns)
			return err_set(err, ERR_FORMAT, "profile %u has meta %" PRIu64 " of %u, or not its columns",
				       i + 1, meta, h->dict->n_metas);
		for (; n; n--)
			b->meta[i++] = (uint32_t)meta;
	}
	for (uint32_t i = 0; i < b->n; i++) {
		if (!varint_get_signed(&h->at, h->end, &v) || !varint_get_signed(&h->at, h->end, &w))
			return err_set(err, ERR_FORMAT, "the time of profile %u is cut off", i + 1);
		step += (uint64_t)v;
		start += step;
		if (!i)
			step = 0;
		duration += (uint64_t)w;
		b->start_ns[i] = (int64_t)start;
		b->duration_ns[i] = (int64_t)duration;
		if (i && b->start_ns[i] < b->start_ns[i - 1])
			return err_set(err, ERR_FORMAT, "profile %u starts before the one before it", i + 1);
	}
	return 0;
}

static int open_slots(struct block *b, struct block_head *h, struct err *err)
{
	uint64_t role, n, restarts;

	for (uint32_t i = 0; b->slot && i < b->n; i++) {
		if (!block_read_number(h, 4 * N_TIERS - 1, &role) || role % 4 >= N_SLOT_ROLES ||
		    !block_read_number(h, UINT32_MAX, &n) || !block_read_number(h, UINT32_MAX, &restarts))
			return err_set(err, ERR_FORMAT, "the slot of profile %u is damaged", i + 1);
		b->slot[i] = (struct stored_slot){ (enum store_tier)(role / 4), (enum slot_role)(role % 4), (uint32_t)n,
						   (uint32_t)restarts };
	}
	return 0;
}

static bool block_take(struct block_head *h, uint64_t size, struct block_part *out)
{
	if (size > (size_t)(h->end - h->at))
		return false;
	*out = (struct block_part){ h->at, h->at + size };
	h->at += size;
	return true;
}

static int open_parts(struct block *b, struct block_head *h, struct err *err)
{
	for (unsigned part = 0; part < 2; part++)
		for (uint32_t k = 0; k < b->n_columns; k++) {
			struct block_column *c = &b->column[k];

			if (!block_take(h, h->size[2 * (size_t)k + part], part ? &c->values : &c->cells))
				return err_set(err, ERR_FORMAT, "column %u is cut off", k + 1);
		}
	return h->at == h->end ? 0 : err_set(err, ERR_FORMAT, "%zu bytes follow its end", (size_t)(h->end - h->at));
}

int block_open(struct block *b, const uint8_t *data, size_t size, const struct dict *d, struct err *err)
{
	struct block_head h = { data, data + size, d, NULL };
	uint64_t n, n_columns;
	int rc = 0;

	*b = (struct block){ .row_end = d->n_rows };
	if (!block_read_number(&h, BLOCK_HAS_SLOTS + BLOCK_PROFILES_MAX, &n) || !(n % BLOCK_HAS_SLOTS) ||
	    n % BLOCK_HAS_SLOTS > BLOCK_PROFILES_MAX || !block_read_number(&h, size, &n_columns))
		return err_set(err, ERR_FORMAT, "the number of profiles or columns is damaged");
	b->n = (uint32_t)n % BLOCK_HAS_SLOTS;
	b->slot = n > BLOCK_HAS_SLOTS ? mem_zalloc(b->n, sizeof(*b->slot)) : NULL;
	b->n_columns = (uint32_t)n_columns;
	b->is_chain = mem_zalloc(b->n_columns, sizeof(*b->is_chain));
	b->meta = mem_zalloc(b->n, sizeof(*b->meta));
	b->start_ns = mem_zalloc(b->n, sizeof(*b->start_ns));
	b->duration_ns = mem_zalloc(b->n, sizeof(*b->duration_ns));
	b->column = mem_zalloc(b->n_columns, sizeof(*b->column));
	h.size = mem_zalloc(b->n_columns, 2 * sizeof(*h.size));
	for (uint32_t k = 0; k < b->n_columns && !rc; k++)
		rc = open_column(b, k, &h, err);
	if (!rc)
		rc = open_times(b, &h, err);
	if (!rc)
		rc = open_slots(b, &h, err);
	if (!rc)
		rc = open_parts(b, &h, err);
	free(h.size);
	if (rc)
		block_release(b);
	return rc;
}

void block_release(struct block *b)
{
	free(b->is_chain);
	free(b->meta);
	free(b->start_ns);
	free(b->duration_ns);
	free(b->slot);
	free(b->column);
	*b = (struct block){ 0 };
}

bool block_is_multiple(const struct block *b, uint32_t column, uint32_t *of, int64_t *factor)
{
	*of = b->column[column].like;
	*factor = b->column[column].factor;
	return b->column[column].mode == BLOCK_MULTIPLE;
}

bool block_is_empty(const struct block *b, uint32_t column)
{
	const struct block_column *c = &b->column[column];
	const struct block_part *values = c->mode == BLOCK_MULTIPLE ? &b->column[c->like].values : &c->values;

	return values->at == values->end;
}

/* --- rows --- */

/* Read n values. False if the data ends or is malformed. */
static inline bool block_read_values(struct block_part *in, uint32_t n, bool is_signed, uint64_t factor, int64_t *out)
{
	uint32_t i = 0;

	while (i < n) {
		uint64_t v;

		if (n - i >= 8 && in->end - in->at >= 8) {
			memcpy(&v, in->at, 8);
			if (!(v & UINT64_C(0x8080808080808080))) {
				for (unsigned k = 0; k < 8; k++)
					out[i + k] = in->at[k];
				in->at += 8;
				i += 8;
				continue;
			}
		}
		if (in->at < in->end && *in->at < 0x80)
			v = *in->at++;
		else if (!varint_get(&in->at, in->end, &v))
			return false;
		out[i++] = (int64_t)v;
	}
	if (is_signed)
		for (i = 0; i < n; i++)
			out[i] = varint_unzigzag((uint64_t)out[i]);
	if (factor != 1)
		for (i = 0; i < n; i++)
			out[i] = (int64_t)((uint64_t)out[i] * factor);
	return true;
}

/* Read the profiles of a row. False if one does not exist. */
static inline bool read_places(const uint8_t *at, uint32_t n, uint32_t n_profiles, uint32_t *cell)
{
	uint32_t next = 0;

	for (uint32_t i = 0; i < n; i++) {
		cell[i] = next + at[i];
		next = cell[i] + 1;
	}
	return next <= n_profiles;
}

/* A column that is being read. */
struct block_reader {
	const struct block *block;
	uint32_t column;
	bool is_signed;
	uint64_t factor;
	struct block_part groups, rows, values;
	const uint8_t *places;
	block_row_fn *fn;
	void *arg;
};

/* Find the parts of the cells. The sizes of the places and of the values limit the number of cells. */
static int split_cells(struct block_reader *r, struct block_part cells, struct err *err)
{
	uint64_t c, m, last = r->block->n + 1, n_places = 0, n_cells = 0;

	for (r->groups.at = cells.at;; last = c) {
		if (!varint_get(&cells.at, cells.end, &c) || c >= last)
			return err_set(err, ERR_FORMAT, "the groups of column %u are damaged", r->column + 1);
		if (!c)
			break;
		if (!varint_get(&cells.at, cells.end, &m) || m > (size_t)(r->values.end - r->values.at) || !m)
			return err_set(err, ERR_FORMAT, "column %u is too short for its rows", r->column + 1);
		n_cells += c * m;
		n_places += c < r->block->n ? c * m : 0;
	}
	r->groups.end = cells.at;
	if (n_places > (size_t)(cells.end - cells.at) || n_cells > (size_t)(r->values.end - r->values.at))
		return err_set(err, ERR_FORMAT, "column %u is too short for its cells", r->column + 1);
	r->places = cells.at;
	r->rows = (struct block_part){ cells.at + n_places, cells.end };
	return 0;
}

/* Read the m rows that occur in c profiles each. */
static int block_read_group(struct block_reader *r, uint32_t c, uint64_t m, struct err *err)
{
	uint32_t n = r->block->n, cell[BLOCK_PROFILES_MAX];
	int64_t value[BLOCK_PROFILES_MAX];
	uint64_t row, next = 0;

	for (uint32_t i = 0; i < c; i++)
		cell[i] = i;
	for (uint64_t i = 0; i < m; i++) {
		if (r->rows.at < r->rows.end && *r->rows.at < 0x80)
			row = *r->rows.at++;
		else if (!varint_get(&r->rows.at, r->rows.end, &row))
			return err_set(err, ERR_FORMAT, "the rows of column %u are cut off", r->column + 1);
		if (row >= r->block->row_end - next)
			return err_set(err, ERR_FORMAT, "column %u has a row beyond the %u of the dictionary",
				       r->column + 1, r->block->row_end);
		row += next;
		next = row + 1;
		if (c < n && !read_places(r->places, c, n, cell))
			return err_set(err, ERR_FORMAT, "row %" PRIu64 " of column %u is in a profile beyond the %u",
				       row, r->column + 1, n);
		r->places += c < n ? c : 0;
		if (!block_read_values(&r->values, c, r->is_signed, r->factor, value))
			return err_set(err, ERR_FORMAT, "the values of row %" PRIu64 " of column %u are damaged", row,
				       r->column + 1);
		r->fn(r->arg, (uint32_t)row, c, cell, value);
	}
	return 0;
}

int block_each_row(const struct block *b, uint32_t column, block_row_fn *fn, void *arg, struct err *err)
{
	const struct block_column *self = &b->column[column];
	const struct block_column *values = self->mode == BLOCK_MULTIPLE ? &b->column[self->like] : self;
	struct block_reader r = {
		.block = b, .column = column, .values = values->values, .is_signed = values->is_signed
	};
	uint64_t c, m = 0;
	int rc;

	r.factor = self->mode == BLOCK_MULTIPLE ? (uint64_t)self->factor : 1;
	r.fn = fn;
	r.arg = arg;
	rc = split_cells(&r, b->column[self->like].cells, err);
	if (rc)
		return rc;
	while (varint_get(&r.groups.at, r.groups.end, &c) && c) {
		(void)varint_get(&r.groups.at, r.groups.end, &m);
		rc = block_read_group(&r, (uint32_t)c, m, err);
		if (rc)
			return rc;
	}
	if (r.rows.at != r.rows.end || r.values.at != r.values.end)
		return err_set(err, ERR_FORMAT, "column %u is longer than its cells", column + 1);
	return 0;
}
