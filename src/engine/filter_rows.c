/*
 * filter_rows.c - filters: the rows that are left
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/filter_int.h"

#include "base/mem.h"

#include <stdlib.h>

static bool row_goes(const struct filter *f, uint32_t row)
{
	return (f->stack_goes && f->stack_goes[f->d.stack[row]]) || (f->set_goes && f->set_goes[f->d.labels[row]]);
}

uint8_t *filter_used_sets(const struct filter *f)
{
	uint8_t *used = mem_zalloc(f->d.label_sets.n, sizeof(*used));

	for (uint32_t row = 0; row < f->d.n_rows; row++)
		if (!row_goes(f, row))
			used[f->d.labels[row]] = 1;
	return used;
}

static uint32_t *gather_ids(struct arena *mem, const uint32_t *column, const uint32_t *row, uint32_t n)
{
	uint32_t *out = arena_alloc(mem, n, sizeof(*out));

	for (uint32_t i = 0; i < n; i++)
		out[i] = column[row[i]];
	return out;
}

static int64_t **gather_values(struct arena *mem, int64_t *const *value, uint32_t n_types, const uint32_t *row,
			       uint32_t n)
{
	int64_t **out = arena_alloc(mem, n_types, sizeof(*out));

	for (uint32_t t = 0; t < n_types; t++) {
		out[t] = arena_alloc(mem, n, sizeof(**out));
		for (uint32_t i = 0; i < n; i++)
			out[t][i] = value[t][row[i]];
	}
	return out;
}

void filter_rows(struct filter *f)
{
	struct profile *d = &f->d;
	uint32_t *row, n = 0;

	if (!f->stack_goes && !f->set_goes)
		return;
	row = mem_alloc(d->n_rows, sizeof(*row)); /* that stay */
	for (uint32_t i = 0; i < d->n_rows; i++) {
		row[n] = i;
		n += !row_goes(f, i);
	}
	if (n < d->n_rows) {
		d->stack = gather_ids(f->mem, d->stack, row, n);
		d->labels = gather_ids(f->mem, d->labels, row, n);
		for (int side = 0; side < N_SIDES; side++)
			if (d->value[side])
				d->value[side] = gather_values(f->mem, d->value[side], d->n_types, row, n);
		d->n_rows = n;
	}
	free(row);
}
