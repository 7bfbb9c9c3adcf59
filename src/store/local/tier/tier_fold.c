/*
 * tier_fold.c - fold stacks with few samples into their callers
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The samples of a row are counted in the column with the unit "count"; in heaps, whose counts are estimates, the samples are the
 * bytes divided by the period. A caller has the samples of everything that it calls with the same labels.
 */
#include "config.h"

#include "base/mem.h"
#include "base/num.h"
#include "store/local/tier/tier_int.h"

#include <stdlib.h>
#include <string.h>

struct folder {
	struct dict *d;
	struct stored *s;
	uint64_t limit;
	uint64_t *weight; /* [s->n] samples of a row */
	uint64_t *below;  /* [n_nodes] samples of a node and its callees, with the current labels */
	uint32_t n_nodes;
	uint32_t *order; /* [s->n] rows by label set */
};

static bool tier_is_unit(const struct dict *d, str_id unit, const char *name)
{
	return strcmp(strtab_text(d->str, unit), name) == 0;
}

/* Find the samples of each row. Returns false if no column has samples. */
static bool find_weights(struct folder *f)
{
	const struct dict_meta *m = &f->d->meta[f->s->meta];
	const struct stored *s = f->s;
	bool is_heap = m->has_period_type && m->period > 0 && tier_is_unit(f->d, m->period_type.unit, "bytes");
	bool is_found = false;

	for (uint32_t t = 0; t < m->n_types && (is_heap || !is_found); t++) {
		if (!tier_is_unit(f->d, m->type[t].unit, is_heap ? "bytes" : "count"))
			continue;
		is_found = true;
		for (uint32_t i = 0; i < s->n; i++) {
			uint64_t v = num_abs(s->value[(size_t)t * s->n + i]) / (is_heap ? (uint64_t)m->period : 1);

			f->weight[i] = v > f->weight[i] ? v : f->weight[i];
		}
	}
	return is_found;
}

static int compare_order(const void *a, const void *b, void *arg)
{
	const struct folder *f = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint32_t p = f->d->row_labels[f->s->row[x]], q = f->d->row_labels[f->s->row[y]];

	return p != q ? (p < q ? -1 : 1) : (x > y) - (x < y);
}

/* Add the samples of rows [lo, hi) of one label set to their nodes; or forget them. */
static void add_below(struct folder *f, uint32_t lo, uint32_t hi, bool forget)
{
	for (uint32_t i = lo; i < hi; i++)
		for (uint32_t at = f->d->row_node[f->s->row[f->order[i]]]; at != PROFILE_NONE;
		     at = f->d->node_parent[at])
			f->below[at] = forget ? 0 : f->below[at] + f->weight[f->order[i]];
}

/* Replace a row by that of its deepest caller with enough samples; the outermost caller keeps what has not enough. */
static int fold_row(struct folder *f, uint32_t i, struct err *err)
{
	uint32_t row = f->s->row[i], at = f->d->row_node[row];

	if (f->weight[i] >= f->limit || at == PROFILE_NONE)
		return 0;
	while (f->below[at] < f->limit && f->d->node_parent[at] != PROFILE_NONE)
		at = f->d->node_parent[at];
	return at == f->d->row_node[row] ? 0 : dict_add_row(f->d, at, f->d->row_labels[row], &f->s->row[i], err);
}

int tier_fold(struct dict *d, struct stored *s, uint64_t limit, struct err *err)
{
	struct folder f = { .d = d, .s = s, .limit = limit, .n_nodes = d->n_nodes };
	int rc = dict_index_make(d, err);

	if (rc < 0 || s->n < 2)
		return rc;
	f.weight = mem_zalloc(s->n, sizeof(*f.weight));
	f.order = mem_alloc(s->n, sizeof(*f.order));
	f.below = mem_zalloc(d->n_nodes, sizeof(*f.below));
	for (uint32_t i = 0; i < s->n; i++)
		f.order[i] = i;
	if (find_weights(&f)) {
		qsort_r(f.order, s->n, sizeof(*f.order), compare_order, &f);
		for (uint32_t lo = 0, hi; rc == 0 && lo < s->n; lo = hi) {
			uint32_t labels = d->row_labels[s->row[f.order[lo]]];

			for (hi = lo + 1; hi < s->n && d->row_labels[s->row[f.order[hi]]] == labels;)
				hi++;
			add_below(&f, lo, hi, false);
			for (uint32_t i = lo; rc == 0 && i < hi; i++)
				rc = fold_row(&f, f.order[i], err);
			add_below(&f, lo, hi, true);
		}
	}
	free(f.weight);
	free(f.order);
	free(f.below);
	return rc;
}
