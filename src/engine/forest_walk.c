/*
 * forest_walk.c - walk the trees of a profile with a forest, and add up cum
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Nodes are read in depth-first order, so only the path from the root is in memory. Integer sums do not depend on the order
 * of trees, and view_make has checked that none overflows.
 */
#include "config.h"

#include "engine/forest_walk.h"

#include "base/mem.h"
#include "base/pool.h"
#include "profile/forest.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

struct forest_walker {
	const struct view *v;
	const struct forest_walk *walk;
	void *const *arg;
	atomic_uint next;
};

/* The path to the current node. */
struct forest_path {
	uint32_t n;
	uint32_t *loc; /* [n] */
	struct forest_sum {
		int64_t sum, div;
	} * sum; /* [n] so far */
	size_t cap_loc, cap_sum;
};

static void forest_path_push(struct forest_path *p, uint32_t loc, const struct forest_sum *own)
{
	p->loc = mem_grow(p->loc, &p->cap_loc, (size_t)p->n + 1, sizeof(*p->loc));
	p->sum = mem_grow(p->sum, &p->cap_sum, (size_t)p->n + 1, sizeof(*p->sum));
	p->loc[p->n] = loc;
	p->sum[p->n++] = *own;
}

static void forest_path_pop(struct forest_path *p, const struct forest_walk *walk, void *arg)
{
	struct forest_sum own = p->sum[--p->n];

	walk->leave(arg, p->loc, p->n, own.sum, own.div);
	if (p->n) {
		p->sum[p->n - 1].sum += own.sum;
		p->sum[p->n - 1].div += own.div;
	}
}

static void forest_walk_tree(const struct forest_walker *w, const struct forest_tree *t, struct forest_path *p,
			     int64_t *value, void *arg)
{
	struct forest_reader r = { t, w->v->p->forest->n_types, t->data };
	struct forest_node node;

	for (uint64_t i = 0; !stop_step(w->v->stop, i) && forest_read(&r, &node, value); i++) {
		struct forest_sum own = { value[w->v->type], w->v->mean ? value[0] : 0 };

		assert(node.up <= p->n);
		while (node.up-- > 0)
			forest_path_pop(p, w->walk, arg);
		forest_path_push(p, node.loc, &own);
		w->walk->enter(arg, p->loc, p->n - 1);
	}
	while (p->n)
		forest_path_pop(p, w->walk, arg);
}

static void forest_walk_run(void *arg, unsigned thread)
{
	struct forest_walker *w = arg;
	const struct forest *f = w->v->p->forest;
	int64_t *value = mem_alloc(f->n_types, sizeof(*value));
	struct forest_path path = { 0 };
	uint32_t i;

	while ((i = atomic_fetch_add(&w->next, 1)) < f->n_trees)
		forest_walk_tree(w, &f->tree[i], &path, value, w->arg[thread]);
	free(path.loc);
	free(path.sum);
	free(value);
}

void walk_forest(const struct view *v, const struct forest_walk *walk, void *const *arg, unsigned n)
{
	struct forest_walker w = { v, walk, arg, 0 };

	assert(v->p->forest && v->type < v->p->forest->n_types);
	pool_run(forest_walk_run, &w, n);
}

unsigned walk_forest_threads(const struct view *v)
{
	uint32_t n = v->p->forest->n_trees;

	return n < pool_size() ? n : pool_size();
}

/* ---- cum ---- */

/* Sums of a thread. */
struct forest_cum {
	const struct places *pl;
	struct forest_cum_place {
		int64_t cum, div;
		uint32_t n_path; /* times that the place occurs on the path */
	} * place;               /* [places] */
};

static void forest_cum_enter(void *arg, const uint32_t *path, uint32_t depth)
{
	struct forest_cum *c = arg;
	uint32_t n;
	const uint32_t *place = places_of(c->pl, path[depth], &n);

	for (uint32_t k = 0; k < n; k++)
		c->place[place[k]].n_path++;
}

/* A sample counts once for a place: when its first occurrence is left. */
static void forest_cum_leave(void *arg, const uint32_t *path, uint32_t depth, int64_t sum, int64_t div)
{
	struct forest_cum *c = arg;
	uint32_t n;
	const uint32_t *place = places_of(c->pl, path[depth], &n);

	for (uint32_t k = 0; k < n; k++) {
		struct forest_cum_place *at = &c->place[place[k]];

		if (--at->n_path > 0)
			continue;
		at->cum += sum;
		at->div += div;
	}
}

int64_t *walk_forest_cum(const struct view *v, const struct places *pl, struct arena *mem, int64_t **div)
{
	static const struct forest_walk walk = { forest_cum_enter, forest_cum_leave };
	unsigned n = walk_forest_threads(v);
	struct forest_cum *c = mem_alloc(n, sizeof(*c));
	void **arg = mem_alloc(n, sizeof(*arg));
	int64_t *cum = arena_zalloc(mem, pl->n, sizeof(*cum));

	*div = v->mean ? arena_zalloc(mem, pl->n, sizeof(**div)) : NULL;
	for (unsigned i = 0; i < n; i++) {
		c[i] = (struct forest_cum){ pl, mem_zalloc(pl->n, sizeof(*c->place)) };
		arg[i] = &c[i];
	}
	stop_begin(v->stop, "adding up", 0);
	walk_forest(v, &walk, arg, n);
	for (unsigned i = 0; i < n; i++) {
		for (uint32_t k = 0; k < pl->n; k++) {
			cum[k] += c[i].place[k].cum;
			if (*div)
				(*div)[k] += c[i].place[k].div;
		}
		free(c[i].place);
	}
	free(c);
	free(arg);
	return cum;
}
