/*
 * block_profiles.c - restore profiles from a block
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The rows of all columns are collected, sorted, and joined row by row: once to count the rows of each profile, once to fill
 * them in.
 */
#include "config.h"

#include "base/mem.h"
#include "store/local/format/block.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = (BLOCK_PROFILES_MAX + 63) / 64 };

/* The cells of a row in a column. */
struct block_profiles_run {
	uint32_t row, column, n;
	size_t first;
};

struct collector {
	const struct block *block;
	uint32_t column;
	struct block_profiles_run *run;
	size_t n_runs, cap_runs, n_cells, cap_cells, cap_values;
	uint8_t *cell; /* [n_cells] */
	int64_t *value;
	uint32_t lo, hi;         /* profiles wanted */
	struct stored *out;      /* [hi - lo] */
	int64_t *dense;          /* [n_columns][n] values of a row */
	uint64_t touched[WORDS]; /* bit p: the row may have values in profile p */
};

static void collect_row(void *arg, uint32_t row, uint32_t n, const uint32_t *cell, const int64_t *value)
{
	struct collector *c = arg;

	if (cell[0] >= c->hi)
		return;
	c->run = mem_grow(c->run, &c->cap_runs, c->n_runs + 1, sizeof(*c->run));
	c->cell = mem_grow(c->cell, &c->cap_cells, c->n_cells + n, sizeof(*c->cell));
	c->value = mem_grow(c->value, &c->cap_values, c->n_cells + n, sizeof(*c->value));
	c->run[c->n_runs++] = (struct block_profiles_run){ row, c->column, n, c->n_cells };
	for (uint32_t i = 0; i < n; i++)
		c->cell[c->n_cells + i] = (uint8_t)cell[i];
	memcpy(c->value + c->n_cells, value, n * sizeof(*value));
	c->n_cells += n;
}

static int block_profiles_compare_runs(const void *a, const void *b)
{
	const struct block_profiles_run *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return x->column < y->column ? -1 : x->column > y->column;
}

/* Add the values of a run, per profile. A row of a damaged block can have two runs in a column: block_each_row adds both too. */
static void spread_run(struct collector *c, const struct block_profiles_run *run)
{
	int64_t *to = c->dense + (size_t)run->column * c->block->n;
	const uint8_t *cell = c->cell + run->first;
	const int64_t *value = c->value + run->first;
	uint64_t sum = 0;

	if (!c->block->is_chain[run->column]) {
		for (uint32_t i = 0; i < run->n; i++) {
			to[cell[i]] = (int64_t)((uint64_t)to[cell[i]] + (uint64_t)value[i]);
			c->touched[cell[i] / 64] |= UINT64_C(1) << cell[i] % 64;
		}
		return;
	}
	for (uint32_t p = cell[0], i = 0; p < c->hi; p++) {
		if (i < run->n && cell[i] == p)
			sum += (uint64_t)value[i++];
		to[p] = (int64_t)((uint64_t)to[p] + sum);
		c->touched[p / 64] |= UINT64_C(1) << p % 64;
	}
}

static bool is_used(const struct collector *c, uint32_t profile)
{
	for (uint32_t k = 0; k < c->block->n_columns; k++)
		if (c->dense[(size_t)k * c->block->n + profile])
			return true;
	return false;
}

/* Add the row to a profile. */
static void join_row(struct collector *c, uint32_t row, uint32_t profile, bool fill)
{
	struct stored *s = &c->out[profile - c->lo];
	uint32_t n_columns = c->block->n_columns;

	if (fill) { /* while it is filled in, a profile holds its values row by row */
		s->row[s->n] = row;
		for (uint32_t k = 0; k < n_columns; k++)
			s->value[(size_t)s->n * n_columns + k] = c->dense[(size_t)k * c->block->n + profile];
	}
	s->n++;
}

/* Join the runs, row by row. fill: add the rows to the profiles, which have room; else count them. */
static void join_runs(struct collector *c, bool fill)
{
	for (size_t i = 0, end; i < c->n_runs; i = end) {
		for (end = i; end < c->n_runs && c->run[end].row == c->run[i].row; end++)
			spread_run(c, &c->run[end]);
		for (uint32_t w = 0; w < WORDS; w++)
			for (; c->touched[w]; c->touched[w] &= c->touched[w] - 1) {
				uint32_t p = 64 * w + (uint32_t)__builtin_ctzll(c->touched[w]);

				if (p >= c->lo && p < c->hi && is_used(c, p))
					join_row(c, c->run[i].row, p, fill);
				for (uint32_t k = 0; k < c->block->n_columns; k++)
					c->dense[(size_t)k * c->block->n + p] = 0;
			}
	}
}

/* Turn the values of a profile, row by row, into columns. */
static void turn_values(struct stored *s)
{
	int64_t *column;

	if (s->n_columns < 2)
		return;
	column = mem_alloc(s->n, s->n_columns * sizeof(*column));
	for (uint32_t k = 0; k < s->n_columns; k++)
		for (uint32_t i = 0; i < s->n; i++)
			column[(size_t)k * s->n + i] = s->value[(size_t)i * s->n_columns + k];
	free(s->value);
	s->value = column;
}

static int make_profiles(struct collector *c, struct err *err)
{
	const struct block *b = c->block;
	size_t n_values = 0;

	c->dense = mem_zalloc((size_t)b->n_columns * b->n, sizeof(*c->dense));
	if (c->n_runs)
		qsort(c->run, c->n_runs, sizeof(*c->run), block_profiles_compare_runs);
	join_runs(c, false);
	for (uint32_t i = 0; i < c->hi - c->lo; i++)
		n_values += (size_t)c->out[i].n * b->n_columns;
	if (b->n > 1 && n_values > BLOCK_VALUES_MAX)
		return err_set(err, ERR_FORMAT, "its profiles have %zu values, more than a block can hold", n_values);
	for (uint32_t i = 0; i < c->hi - c->lo; i++) {
		struct stored *s = &c->out[i];

		s->row = mem_alloc(s->n, sizeof(*s->row));
		s->value = mem_alloc(s->n, b->n_columns * sizeof(*s->value));
		s->n = 0;
	}
	join_runs(c, true);
	for (uint32_t i = 0; i < c->hi - c->lo; i++)
		turn_values(&c->out[i]);
	return 0;
}

static int read_profiles(const struct block *b, uint32_t lo, uint32_t hi, struct stored *out, struct err *err)
{
	struct collector c = { .block = b, .lo = lo, .hi = hi, .out = out };
	int rc = 0;

	for (uint32_t i = lo; i < hi; i++)
		out[i - lo] = (struct stored){ .meta = b->meta[i],
					       .slot = b->slot ? b->slot[i] : (struct stored_slot){ 0 },
					       .start_ns = b->start_ns[i],
					       .duration_ns = b->duration_ns[i],
					       .n_columns = b->n_columns };
	for (c.column = 0; c.column < b->n_columns && !rc; c.column++)
		rc = block_each_row(b, c.column, collect_row, &c, err);
	if (!rc)
		rc = make_profiles(&c, err);
	free(c.run);
	free(c.cell);
	free(c.value);
	free(c.dense);
	for (uint32_t i = lo; i < hi && rc; i++)
		dict_release_stored(&out[i - lo]);
	return rc;
}

int block_profile(const struct block *b, uint32_t i, struct stored *out, struct err *err)
{
	return read_profiles(b, i, i + 1, out, err);
}

int block_profiles(const struct block *b, struct stored *out, struct err *err)
{
	return read_profiles(b, 0, b->n, out, err);
}
