/*
 * block_encode.c - write profiles as a block
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The values of a column are cells, ordered by row, then profile. A column costs nothing when it is a multiple of an earlier
 * one (CPU time = samples times period), and only its values when it has the same cells.
 */
#include "config.h"

#include "base/mem.h"
#include "base/radix.h"
#include "store/local/format/block.h"
#include "store/local/format/block_int.h"
#include "store/local/format/varint.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Cells of a column. */
struct block_encode_cells {
	size_t n, cap;
	uint64_t *key; /* [n] row << 8 | profile, ascending */
	int64_t *value;
	bool is_chain, is_signed;
	enum block_mode mode;
	uint32_t like; /* modes SAME and MULTIPLE: the earlier column */
	int64_t factor;
	struct buf groups, rows, places, values; /* encoded */
};

static void block_encode_add_cell(struct block_encode_cells *c, size_t profile, uint32_t row, int64_t value)
{
	size_t cap = c->cap;

	if (!value)
		return;
	c->key = mem_grow(c->key, &cap, c->n + 1, sizeof(*c->key));
	c->value = mem_grow(c->value, &c->cap, c->n + 1, sizeof(*c->value));
	c->key[c->n] = (uint64_t)row << 8 | profile;
	c->value[c->n++] = value;
	c->is_signed |= value < 0;
}

/* Add what changed between two successive profiles; was is NULL before the first one. */
static void block_encode_add_change(struct block_encode_cells *c, size_t profile, const struct stored *was,
				    const struct stored *is, uint32_t column)
{
	uint32_t i = 0, k = 0, n = was ? was->n : 0;
	const int64_t *old = was ? was->value + (size_t)column * was->n : NULL;
	const int64_t *now = is->value + (size_t)column * is->n;

	if (was && was->value == is->value)
		return;
	while (i < n || k < is->n) {
		uint32_t row = i == n || (k < is->n && is->row[k] < was->row[i]) ? is->row[k] : was->row[i];
		uint64_t value = 0;

		if (k < is->n && is->row[k] == row)
			value += (uint64_t)now[k++];
		if (i < n && was->row[i] == row)
			value -= (uint64_t)old[i++];
		block_encode_add_cell(c, profile, row, (int64_t)value);
	}
}

/* Sort by row; the cells of a row are ordered by profile already. */
static void sort_cells(struct block_encode_cells *c)
{
	uint64_t *order = mem_alloc(c->n, sizeof(*order)), *key = mem_alloc(c->n, sizeof(*key));
	int64_t *value = mem_alloc(c->n, sizeof(*value));

	assert(c->n <= UINT32_MAX);
	for (size_t i = 0; i < c->n; i++)
		order[i] = c->key[i] >> 8 << 32 | i;
	radix_sort_upper(order, c->n);
	for (size_t i = 0; i < c->n; i++) {
		key[i] = c->key[(uint32_t)order[i]];
		value[i] = c->value[(uint32_t)order[i]];
	}
	free(order);
	free(c->key);
	free(c->value);
	c->key = key;
	c->value = value;
	c->cap = c->n;
}

static void block_encode_find_cells(struct block_encode_cells *c, const struct stored *const *p, size_t n,
				    uint32_t column)
{
	bool is_sorted = true;

	for (size_t i = 0; i < n; i++) {
		if (c->is_chain) {
			block_encode_add_change(c, i, i ? p[i - 1] : NULL, p[i], column);
			continue;
		}
		for (uint32_t k = 0; k < p[i]->n; k++)
			block_encode_add_cell(c, i, p[i]->row[k], p[i]->value[(size_t)column * p[i]->n + k]);
	}
	for (size_t i = 1; i < c->n && is_sorted; i++)
		is_sorted = c->key[i - 1] < c->key[i];
	if (!is_sorted)
		sort_cells(c);
}

/* Is every value of c a fixed multiple of the value in like? */
static bool find_factor(struct block_encode_cells *c, const struct block_encode_cells *like)
{
	c->factor = c->n && like->value[0] != -1 ? c->value[0] / like->value[0] : 0;
	for (size_t i = 0; i < c->n; i++)
		if ((uint64_t)like->value[i] * (uint64_t)c->factor != (uint64_t)c->value[i])
			return false;
	return true;
}

/* Look for an earlier column with the same cells. */
static void find_like(struct block_encode_cells *c, uint32_t column)
{
	struct block_encode_cells *self = &c[column];

	for (uint32_t k = 0; k < column; k++) {
		if (c[k].mode != BLOCK_OWN || c[k].is_chain != self->is_chain || c[k].n != self->n ||
		    (self->n && memcmp(c[k].key, self->key, self->n * sizeof(*self->key)) != 0))
			continue;
		self->mode = find_factor(self, &c[k]) ? BLOCK_MULTIPLE : BLOCK_SAME;
		self->like = k;
		return;
	}
}

/* A run of the cells of a row. */
struct block_encode_run {
	size_t first;
	uint32_t n;
};

/* The rows of a column in the order of the file: by falling number of cells, then row. */
static struct block_encode_run *order_runs(const struct block_encode_cells *c, size_t n_profiles, size_t *n_runs)
{
	size_t n = 0, at[BLOCK_PROFILES_MAX + 2] = { 0 };
	struct block_encode_run *run = mem_alloc(c->n, sizeof(*run)), *out;

	for (size_t i = 0, end; i < c->n; i = end) {
		for (end = i + 1; end < c->n && c->key[end] >> 8 == c->key[i] >> 8; end++)
			;
		run[n++] = (struct block_encode_run){ i, (uint32_t)(end - i) };
		at[n_profiles - (end - i) + 1]++;
	}
	for (size_t k = 1; k <= n_profiles; k++)
		at[k] += at[k - 1];
	out = mem_alloc(n, sizeof(*out));
	for (size_t i = 0; i < n; i++)
		out[at[n_profiles - run[i].n]++] = run[i];
	free(run);
	*n_runs = n;
	return out;
}

static void write_places(struct block_encode_cells *c, const struct block_encode_run *run)
{
	char *at = buf_room(&c->places, run->n);
	unsigned next = 0;

	for (uint32_t i = 0; i < run->n; i++) {
		unsigned profile = c->key[run->first + i] & 0xff;

		*at++ = (char)(profile - next);
		next = profile + 1;
	}
	c->places.len += run->n;
}

static void write_values(struct block_encode_cells *c, const int64_t *value, size_t n)
{
	for (size_t i = 0; i < n; i++)
		varint_put(&c->values, c->is_signed ? varint_zigzag(value[i]) : (uint64_t)value[i]);
}

/* Encode groups, rows, places of a column and the values of it and of those with the same cells. */
static void write_cells(struct block_encode_cells *c, uint32_t column, uint32_t n_columns, size_t n_profiles)
{
	struct block_encode_cells *own = &c[column];
	size_t n;
	struct block_encode_run *run = order_runs(own, n_profiles, &n);

	for (size_t i = 0, end; i < n; i = end) {
		uint64_t next = 0;

		for (end = i; end < n && run[end].n == run[i].n; end++) {
			uint64_t row = own->key[run[end].first] >> 8;

			varint_put(&own->rows, row - next);
			next = row + 1;
			if (run[end].n < n_profiles)
				write_places(own, &run[end]);
		}
		varint_put(&own->groups, run[i].n);
		varint_put(&own->groups, end - i);
	}
	varint_put(&own->groups, 0);
	for (uint32_t k = column; k < n_columns; k++)
		if (k == column || (c[k].mode == BLOCK_SAME && c[k].like == column))
			for (size_t i = 0; i < n; i++)
				write_values(&c[k], c[k].value + run[i].first, run[i].n);
	free(run);
}

static void write_columns(const struct block_encode_cells *c, uint32_t n_columns, struct buf *out)
{
	for (uint32_t k = 0; k < n_columns; k++) {
		varint_put(out, c[k].mode | (c[k].is_chain ? BLOCK_CHAIN : 0) | (c[k].is_signed ? BLOCK_SIGNED : 0));
		if (c[k].mode == BLOCK_OWN)
			varint_put(out, c[k].groups.len + c[k].rows.len + c[k].places.len);
		if (c[k].mode != BLOCK_MULTIPLE)
			varint_put(out, c[k].values.len);
		if (c[k].mode != BLOCK_OWN)
			varint_put(out, c[k].like);
		if (c[k].mode == BLOCK_MULTIPLE)
			varint_put_signed(out, c[k].factor);
	}
}

static void block_encode_write_times(const struct stored *const *p, size_t n, struct buf *out)
{
	uint64_t start = 0, step = 0, duration = 0;

	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && p[end]->meta == p[i]->meta; end++)
			;
		varint_put(out, p[i]->meta);
		varint_put(out, end - i);
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t next = (uint64_t)p[i]->start_ns - start;

		varint_put_delta(out, next, step);
		step = i ? next : 0;
		start = (uint64_t)p[i]->start_ns;
		varint_put_delta(out, (uint64_t)p[i]->duration_ns, duration);
		duration = (uint64_t)p[i]->duration_ns;
	}
}

static bool block_encode_has_slots(const struct stored *const *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i]->slot.tier != TIER_RAW)
			return true;
	return false;
}

static void block_encode_write_slots(const struct stored *const *p, size_t n, struct buf *out)
{
	for (size_t i = 0; i < n; i++) {
		varint_put(out, (uint64_t)p[i]->slot.role + 4 * (uint64_t)p[i]->slot.tier);
		varint_put(out, p[i]->slot.n);
		varint_put(out, p[i]->slot.restarts);
	}
}

void block_encode(const struct stored *const *p, size_t n, const bool *is_chain, struct buf *out)
{
	uint32_t n_columns = p[0]->n_columns;
	struct block_encode_cells *c = mem_zalloc(n_columns, sizeof(*c));

	assert(n >= 1 && n <= BLOCK_PROFILES_MAX);
	for (uint32_t k = 0; k < n_columns; k++) {
		c[k].is_chain = is_chain[k];
		block_encode_find_cells(&c[k], p, n, k);
		find_like(c, k);
	}
	for (uint32_t k = 0; k < n_columns; k++)
		if (c[k].mode == BLOCK_OWN)
			write_cells(c, k, n_columns, n);
	varint_put(out, n + (block_encode_has_slots(p, n) ? BLOCK_HAS_SLOTS : 0));
	varint_put(out, n_columns);
	write_columns(c, n_columns, out);
	block_encode_write_times(p, n, out);
	if (block_encode_has_slots(p, n))
		block_encode_write_slots(p, n, out);
	for (uint32_t k = 0; k < n_columns; k++) {
		buf_add(out, c[k].groups.data, c[k].groups.len);
		buf_add(out, c[k].places.data, c[k].places.len);
		buf_add(out, c[k].rows.data, c[k].rows.len);
	}
	for (uint32_t k = 0; k < n_columns; k++) {
		buf_add(out, c[k].values.data, c[k].values.len);
		buf_release(&c[k].groups);
		buf_release(&c[k].rows);
		buf_release(&c[k].places);
		buf_release(&c[k].values);
		free(c[k].key);
		free(c[k].value);
	}
	free(c);
}
