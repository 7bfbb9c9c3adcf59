/*
 * sides_split.c - one side of a comparison as a profile of its own
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "sources/sides.h"

#include "base/arena.h"
#include "base/mem.h"
#include "profile/compact.h"
#include "profile/edit.h"

#include <stdlib.h>
#include <string.h>

bool sides_are_separate(const struct profile *p)
{
	for (uint32_t l = 0; l < p->n_labels; l++)
		if (p->label_is_text[l] && strcmp(profile_text(p, p->label_key[l]), BASE_LABEL) == 0)
			return true;
	return false;
}

/* Mark the label sets of the base, [label_sets]. */
static bool *find_base_sets(const struct profile *p)
{
	bool *is_base = mem_zalloc(p->label_sets.n, sizeof(*is_base));

	for (uint32_t set = 0; set < p->label_sets.n; set++)
		for (uint32_t i = p->label_sets.off[set]; i < p->label_sets.off[set + 1]; i++)
			is_base[set] |= strcmp(profile_text(p, p->label_key[p->label_sets.item[i]]), BASE_LABEL) == 0;
	return is_base;
}

/* Copy the rows of a side; values of the base are below 0, so their sign is changed. */
static void sides_split_copy_rows(const struct profile *p, const bool *is_base, enum side side, struct profile *d)
{
	d->stack = arena_alloc(d->mem, p->n_rows, sizeof(*d->stack));
	d->labels = arena_alloc(d->mem, p->n_rows, sizeof(*d->labels));
	d->value = arena_alloc(d->mem, p->n_types, sizeof(*d->value));
	for (uint32_t t = 0; t < p->n_types; t++)
		d->value[t] = arena_alloc(d->mem, p->n_rows, sizeof(**d->value));
	d->n_rows = 0;
	for (uint32_t row = 0; row < p->n_rows; row++) {
		if (is_base[p->labels[row]] != (side == SIDE_BASE))
			continue;
		d->stack[d->n_rows] = p->stack[row];
		d->labels[d->n_rows] = p->labels[row];
		for (uint32_t t = 0; t < p->n_types; t++) {
			int64_t v = p->value[t][row];

			d->value[t][d->n_rows] = side == SIDE_BASE ? -v : v;
		}
		d->n_rows++;
	}
}

struct profile *sides_split(const struct profile *separate, enum side side)
{
	struct profile *d = mem_zalloc(1, sizeof(*d));
	bool *is_base = find_base_sets(separate);

	*d = *separate;
	d->mem = arena_new();
	d->owner = separate;
	d->meta.time_ns = d->meta.duration_ns = 0;
	sides_split_copy_rows(separate, is_base, side, d);
	free(is_base);
	profile_own_columns(d);
	profile_drop_unused(d); /* else functions of the other side would match instead of those of this side */
	return d;
}
