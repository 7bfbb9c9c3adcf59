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

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

struct forest_walker {
	const struct view *v;
	walk_forest_fn *fn;
	void *const *arg;
	atomic_uint next;
};

void walk_grow_path(struct forest_walk_path *p)
{
	size_t need = p->cap + 1;

	p->loc = mem_grow(p->loc, &(size_t){ p->cap }, need, sizeof(*p->loc));
	p->start = mem_grow(p->start, &p->cap, need, sizeof(*p->start));
}

static void forest_walk_run(void *arg, unsigned thread)
{
	struct forest_walker *w = arg;
	const struct forest *f = w->v->p->forest;
	uint32_t i;

	while ((i = atomic_fetch_add(&w->next, 1)) < f->n_trees)
		w->fn(w->v, &f->tree[i], w->arg[thread]);
}

void walk_forest(const struct view *v, walk_forest_fn *fn, void *const *arg, unsigned n)
{
	struct forest_walker w = { v, fn, arg, 0 };

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
	} * place;               /* [places], then [places_n_several] of locations */
};

/* Call fn for the place of a location, or for several places and the location itself. */
static inline void forest_cum_each(struct forest_cum *c, uint32_t loc,
				   void (*fn)(struct forest_cum_place *at, int64_t sum, int64_t div), int64_t sum,
				   int64_t div)
{
	uint32_t code = c->pl->list[loc], n;
	const uint32_t *place;

	if (code < PLACES_MANY) {
		fn(&c->place[code], sum, div);
		return;
	}
	place = places_of(c->pl, loc, &n);
	for (uint32_t k = 0; k < n; k++)
		fn(&c->place[place[k]], sum, div);
	fn(&c->place[c->pl->n + places_several(code)], sum, div);
}

static inline void forest_cum_begin(struct forest_cum_place *at, int64_t sum, int64_t div)
{
	(void)sum, (void)div;
	at->n_path++;
}

/* A sample counts once for a place: when its first occurrence is left. */
static inline void forest_cum_end(struct forest_cum_place *at, int64_t sum, int64_t div)
{
	if (--at->n_path > 0)
		return;
	at->cum += sum;
	at->div += div;
}

static inline bool forest_cum_wants(const void *arg, const uint32_t *path, uint32_t depth)
{
	(void)arg, (void)path, (void)depth;
	return true;
}

static inline void forest_cum_enter(void *arg, const uint32_t *path, uint32_t depth)
{
	forest_cum_each(arg, path[depth], forest_cum_begin, 0, 0);
}

static inline void forest_cum_leave(void *arg, const uint32_t *path, uint32_t depth, int64_t sum, int64_t div)
{
	forest_cum_each(arg, path[depth], forest_cum_end, sum, div);
}

static void forest_cum_tree(const struct view *v, const struct forest_tree *t, void *arg)
{
	static const struct forest_walk walk = { forest_cum_wants, forest_cum_enter, forest_cum_leave };

	walk_tree(v, t, &walk, arg);
}

static void forest_cum_add(const struct forest_cum *c, struct forest_sums *out)
{
	for (uint32_t k = 0; k < c->pl->n; k++) {
		out->cum[k] += c->place[k].cum;
		if (out->div)
			out->div[k] += c->place[k].div;
	}
	for (uint32_t i = 0; i < places_n_several(c->pl); i++)
		out->several[i] += c->place[c->pl->n + i].cum;
}

void walk_forest_cum(const struct view *v, const struct places *pl, struct arena *mem, struct forest_sums *out)
{
	unsigned n = walk_forest_threads(v);
	struct forest_cum *c = mem_alloc(n, sizeof(*c));
	void **arg = mem_alloc(n, sizeof(*arg));
	size_t n_sums = (size_t)pl->n + places_n_several(pl);

	*out = (struct forest_sums){ .cum = arena_zalloc(mem, pl->n, sizeof(*out->cum)),
				     .div = v->mean ? arena_zalloc(mem, pl->n, sizeof(*out->div)) : NULL,
				     .several = arena_zalloc(mem, places_n_several(pl), sizeof(*out->several)) };
	for (unsigned i = 0; i < n; i++) {
		c[i] = (struct forest_cum){ pl, mem_zalloc(n_sums, sizeof(*c->place)) };
		arg[i] = &c[i];
	}
	stop_begin(v->stop, "adding up", 0);
	walk_forest(v, forest_cum_tree, arg, n);
	for (unsigned i = 0; i < n; i++) {
		forest_cum_add(&c[i], out);
		free(c[i].place);
	}
	free(c);
	free(arg);
}
