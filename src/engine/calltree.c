/*
 * calltree.c - call tree: one node for each path to a place
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each distinct stack is walked once from its root, and the sum of its rows is added to the node of its leaf. One sweep
 * at the end adds these sums to all parents, which works because children have higher numbers than their parents.
 */
#include "config.h"

#include "engine/calltree.h"

#include "base/hash.h"
#include "base/idtab.h"
#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>

struct tree_builder {
	struct calltree t;
	struct idtab ids; /* finds a child by its parent and place */
	size_t cap_parent, cap_place, cap_inlined;
};

static void calltree_add_node(struct tree_builder *f, uint64_t hash, uint32_t parent, uint32_t place, bool inlined)
{
	struct calltree *t = &f->t;
	size_t n = (size_t)t->n + 1;

	assert(parent == CALLTREE_NONE || parent < t->n);
	t->parent = mem_grow(t->parent, &f->cap_parent, n, sizeof(*t->parent));
	t->place = mem_grow(t->place, &f->cap_place, n, sizeof(*t->place));
	t->inlined = mem_grow(t->inlined, &f->cap_inlined, n, sizeof(*t->inlined));
	t->parent[t->n] = parent;
	t->place[t->n] = place;
	t->inlined[t->n] = inlined;
	idtab_put(&f->ids, hash, t->n++);
}

static int find_child(struct tree_builder *f, uint32_t parent, uint32_t place, bool inlined, uint32_t *out,
		      struct err *err)
{
	struct calltree *t = &f->t;
	uint64_t h = hash_u64((uint64_t)parent << 32 | place);

	for (size_t pos = idtab_start(&f->ids, h); idtab_next(&f->ids, h, &pos, out);) {
		if (t->parent[*out] == parent && t->place[*out] == place) {
			t->inlined[*out] &= inlined;
			return 0;
		}
	}
	if (t->n == CALLTREE_NONE - 1)
		return err_set(err, ERR_LIMIT, "too many different stacks for a call tree");
	*out = t->n;
	calltree_add_node(f, h, parent, place, inlined);
	return 0;
}

static int fold_stack(struct tree_builder *f, const struct stack_lists *stacks, uint32_t s, struct err *err)
{
	uint32_t at = CALLTREE_NONE, n;

	for (uint32_t i = stacks->off[s + 1]; i-- > stacks->off[s];) {
		const uint32_t *place = places_of(f->t.places, stack_id_at(stacks, i), &n);

		for (uint32_t k = n; k-- > 0;)
			if (find_child(f, at, place[k], k + 1 < n, &at, err) < 0)
				return ERR_LIMIT;
	}
	f->t.leaf[s] = at;
	return 0;
}

/* Add up the rows of a column: at the leaf nodes of their stacks for flat, and at all parents too for cum. */
static void sum_column(const struct calltree *t, const struct view *v, const int64_t *column, int64_t **flat,
		       int64_t **cum)
{
	*flat = mem_zalloc(t->n, sizeof(**flat));
	*cum = mem_zalloc(t->n, sizeof(**cum));
	for (uint32_t i = 0; i < v->n; i++) {
		uint32_t leaf = t->leaf[v->p->stack[i]];

		if (leaf != CALLTREE_NONE)
			(*flat)[leaf] += column[i];
	}
	for (uint32_t i = t->n; i-- > 0;) {
		(*cum)[i] += (*flat)[i];
		if (t->parent[i] != CALLTREE_NONE)
			(*cum)[t->parent[i]] += (*cum)[i];
	}
}

int calltree_make(const struct view *v, const struct places *pl, struct calltree *out, struct err *err)
{
	const struct stack_lists *stacks = &v->p->stacks;
	struct tree_builder f = { .t = { .places = pl, .leaf = mem_alloc(stacks->n, sizeof(*f.t.leaf)) } };
	const int64_t *val = v->val, *div = v->div;
	int rc = 0;

	assert(val && pl->p->n_locs == v->p->n_locs);
	idtab_init(&f.ids, 0);
	for (uint32_t s = 0; s < stacks->n; s++)
		f.t.leaf[s] = CALLTREE_NONE;
	stop_begin(v->stop, "folding stacks", v->n);
	for (uint32_t i = 0; rc == 0 && i < v->n && !stop_step(v->stop, i); i++)
		if ((val[i] || (div && div[i])) && f.t.leaf[v->p->stack[i]] == CALLTREE_NONE)
			rc = fold_stack(&f, stacks, v->p->stack[i], err);
	idtab_release(&f.ids);
	if (rc == 0)
		rc = stop_check(v->stop, err);
	if (rc < 0) {
		calltree_release(&f.t);
		return rc;
	}
	assert(f.t.n < CALLTREE_NONE);
	sum_column(&f.t, v, val, &f.t.flat, &f.t.cum);
	if (div)
		sum_column(&f.t, v, div, &f.t.flat_div, &f.t.cum_div);
	*out = f.t;
	return 0;
}

void calltree_release(struct calltree *t)
{
	free(t->parent);
	free(t->place);
	free(t->inlined);
	free(t->flat);
	free(t->cum);
	free(t->flat_div);
	free(t->cum_div);
	free(t->leaf);
	*t = (struct calltree){ 0 };
}

struct nodes calltree_nodes(const struct calltree *t)
{
	return (struct nodes){ .places = t->places,
			       .n = t->n,
			       .place = t->place,
			       .flat = t->flat,
			       .cum = t->cum,
			       .flat_div = t->flat_div,
			       .cum_div = t->cum_div };
}
