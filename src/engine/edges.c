/*
 * edges.c - the calls between kept nodes
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each thread walks a share of the stacks from root to leaf and counts calls in its own table. The table stores for
 * each call the last stack that counted it. The tables are merged and sorted, so the result is the same for any number
 * of threads.
 */
#include "config.h"

#include "engine/graph.h"

#include "base/hash.h"
#include "base/idtab.h"
#include "base/mem.h"
#include "base/pool.h"

#include <assert.h>
#include <stdlib.h>

#define NO_NODE UINT32_MAX

enum { STACKS_PER_THREAD = 10000 };

struct call {
	struct edge edge;
	uint32_t seen; /* last stack that counted this call, + 1 */
};

struct calls {
	struct idtab ids;
	struct call *call; /* [n] calls in order of first appearance, so that frequent ones are close together */
	size_t cap;
	uint32_t n;
};

/* Flags of a location, in one byte each: most locations have no kept place. LOC_CALLS: all calls from its innermost
   kept place are wanted. */
enum { LOC_KEPT = 1, LOC_WANTED = 2, LOC_CALLS = 4 };

/* The calls into and inside a location with a kept place, computed once per location. */
struct spot {
	uint32_t inner, outer; /* innermost and outermost kept place */
	bool inner_cut;        /* places inlined into inner were removed */
	bool outer_cut;        /* places that outer is inlined into were removed */
	bool outer_wanted;     /* the call into outer is wanted */
	uint32_t first, n;     /* wanted calls between its places: fixed[first .. first + n) */
};

struct inner_call {
	uint32_t src, dst;
	bool residual;
};

struct spots {
	uint8_t *mark; /* [n_locs] LOC_ flags* */
	uint32_t *of;  /* [n_locs] spot of a location that is LOC_KEPT */
	struct spot *spot;
	struct inner_call *inner_call;
	size_t n, cap, n_inner_calls, cap_inner_calls;
};

/* The calls of a share of the stacks. The last call of each entry of spots is stored as a hint. */
struct edge_part {
	struct calls calls;
	uint32_t *of_inner_call; /* [n_inner_calls] call + 1 */
	uint32_t *of_spot;       /* [n] call + 1 into outer, as in the last stack */
};

struct edge_walk {
	const struct graph *g;
	struct spots spots;
	unsigned parts;
	struct edge_part *part;
};

static void calls_init(struct calls *c)
{
	*c = (struct calls){ 0 };
	idtab_init(&c->ids, 1024);
}

static void calls_release(struct calls *c)
{
	idtab_release(&c->ids);
	free(c->call);
}

static uint32_t calls_find(struct calls *c, uint32_t src, uint32_t dst)
{
	uint64_t h = hash_u64((uint64_t)src << 32 | dst);
	uint32_t id;

	for (size_t pos = idtab_start(&c->ids, h); idtab_next(&c->ids, h, &pos, &id);)
		if (c->call[id].edge.src == src && c->call[id].edge.dst == dst)
			return id;
	c->call = mem_grow(c->call, &c->cap, (size_t)c->n + 1, sizeof(*c->call));
	c->call[c->n] = (struct call){ .edge = { .src = src, .dst = dst, .inlined = true } };
	idtab_put(&c->ids, h, c->n);
	return c->n++;
}

/* Weight that a stack adds to each of its calls. */
struct share {
	uint32_t stack;
	int64_t weight, div;
};

static void count_call(struct call *call, const struct share *share, bool residual, bool inlined)
{
	if (call->seen == share->stack + 1)
		return;
	call->seen = share->stack + 1;
	call->edge.weight += share->weight;
	call->edge.div += share->div;
	call->edge.residual |= residual;
	call->edge.inlined &= inlined;
}

/* Find a call. *hint is tried first, which avoids most look-ups. */
static struct call *hinted_call(struct calls *c, uint32_t *hint, uint32_t src, uint32_t dst)
{
	if (*hint == 0 || c->call[*hint - 1].edge.src != src || c->call[*hint - 1].edge.dst != dst)
		*hint = calls_find(c, src, dst) + 1;
	return &c->call[*hint - 1];
}

/* The innermost kept place of the nearest location toward the root that has a kept place. */
static uint32_t caller_of(const struct spots *spots, const uint32_t *loc, const uint32_t *root, bool *residual)
{
	while (++loc < root) {
		const struct spot *spot;

		if (!spots->mark[*loc]) {
			*residual = true;
			continue;
		}
		spot = &spots->spot[spots->of[*loc]];
		*residual |= spot->inner_cut;
		return spot->inner;
	}
	return NO_NODE;
}

/*
 * Count the calls of a stack, from root to leaf, since the first of equal calls decides whether it is inlined. Only
 * locations with a wanted place, or called from one, are visited. The search for a caller stops at the nearest location
 * with a kept place, so it passes each frame at most once.
 */
static void edges_walk_stack(const struct edge_walk *w, struct edge_part *part, uint32_t s)
{
	const struct spots *spots = &w->spots;
	const struct csr *stacks = &w->g->view->p->stacks;
	const uint32_t *first = stacks->item + stacks->off[s], *root = stacks->item + stacks->off[s + 1];
	const int64_t *div = w->g->div;
	const struct share share = { s, w->g->weight[s], div ? div[s] : 0 };

	uint8_t outside = 0; /* LOC_ flags of the nearest location toward the root that has a kept place */

	for (const uint32_t *loc = root; loc-- > first;) {
		const struct spot *spot;
		uint32_t at, parent;
		bool residual = false;
		uint8_t mark = spots->mark[*loc], called = outside & LOC_CALLS;

		outside = mark ? mark : outside;
		if (!(mark & LOC_WANTED) && !(mark && called))
			continue;
		at = spots->of[*loc];
		spot = &spots->spot[at];
		parent = spot->outer_wanted || called ? caller_of(spots, loc, root, &residual) : NO_NODE;
		if (parent != NO_NODE && parent != spot->outer)
			count_call(hinted_call(&part->calls, &part->of_spot[at], parent, spot->outer), &share,
				   residual || spot->outer_cut, spot->outer_cut);
		for (uint32_t i = spot->first; i < spot->first + spot->n; i++) {
			const struct inner_call *f = &spots->inner_call[i];

			count_call(hinted_call(&part->calls, &part->of_inner_call[i], f->src, f->dst), &share,
				   f->residual, true);
		}
	}
}

/* Make the spot of a location; its places are innermost first. */
static void spot_add(struct spots *spots, const uint32_t *place, uint32_t n, const bool *keep, const bool *wanted,
		     bool both)
{
	struct spot spot = { .inner = NO_NODE, .outer = NO_NODE, .first = (uint32_t)spots->n_inner_calls };
	bool residual = false;

	for (uint32_t k = n; k-- > 0;) {
		uint32_t outside = spot.inner;

		if (!keep[place[k]]) {
			residual = true;
			continue;
		}
		spot.inner = place[k];
		if (outside == NO_NODE) {
			spot.outer = place[k];
			spot.outer_cut = residual;
			spot.outer_wanted = !wanted || wanted[place[k]];
		} else if (outside != place[k] && (!wanted || wanted[place[k]] || (both && wanted[outside]))) {
			spots->inner_call = mem_grow(spots->inner_call, &spots->cap_inner_calls,
						     spots->n_inner_calls + 1, sizeof(*spots->inner_call));
			spots->inner_call[spots->n_inner_calls++] = (struct inner_call){ outside, place[k], residual };
		}
		residual = false;
	}
	spot.inner_cut = residual;
	assert(spot.inner != NO_NODE && spot.outer != NO_NODE);
	spot.n = (uint32_t)spots->n_inner_calls - spot.first;
	spots->spot = mem_grow(spots->spot, &spots->cap, spots->n + 1, sizeof(*spots->spot));
	spots->spot[spots->n++] = spot;
}

static void spots_init(struct spots *spots, const struct graph *g, const bool *keep, const bool *wanted, bool both)
{
	uint32_t n_locs = g->view->p->n_locs;

	*spots = (struct spots){ .mark = mem_zalloc(n_locs, sizeof(*spots->mark)),
				 .of = mem_alloc(n_locs, sizeof(*spots->of)) };
	for (uint32_t loc = 0; loc < n_locs; loc++) {
		uint32_t n;
		const uint32_t *place = places_of(g->nodes.places, loc, &n);

		for (uint32_t k = 0; k < n; k++)
			if (keep[place[k]])
				spots->mark[loc] |= !wanted || wanted[place[k]] ? LOC_KEPT | LOC_WANTED : LOC_KEPT;
		spots->of[loc] = (uint32_t)spots->n;
		if (!spots->mark[loc])
			continue;
		spot_add(spots, place, n, keep, wanted, both);
		if (both && wanted && wanted[spots->spot[spots->n - 1].inner])
			spots->mark[loc] |= LOC_CALLS;
	}
	assert(spots->n <= n_locs);
}

static void spots_release(struct spots *spots)
{
	free(spots->mark);
	free(spots->of);
	free(spots->spot);
	free(spots->inner_call);
}

static void edge_run(void *arg, unsigned part)
{
	struct edge_walk *w = arg;
	struct edge_part *mine = &w->part[part];
	uint32_t n = w->g->view->p->stacks.n;
	uint32_t end = (uint32_t)((uint64_t)n * (part + 1) / w->parts);

	assert(part < w->parts && end <= n);
	calls_init(&mine->calls);
	mine->of_inner_call = mem_zalloc(w->spots.n_inner_calls, sizeof(*mine->of_inner_call));
	mine->of_spot = mem_zalloc(w->spots.n, sizeof(*mine->of_spot));
	for (uint32_t s = (uint32_t)((uint64_t)n * part / w->parts); s < end && !stop_step(w->g->view->stop, s); s++)
		if (w->g->live[s])
			edges_walk_stack(w, mine, s);
	free(mine->of_inner_call);
	free(mine->of_spot);
}

static int by_dst_src(const void *a, const void *b)
{
	const struct edge *l = a, *r = b;

	if (l->dst != r->dst)
		return l->dst < r->dst ? -1 : 1;
	return l->src < r->src ? -1 : l->src > r->src;
}

static void calls_merge(struct calls *into, const struct calls *from)
{
	for (uint32_t i = 0; i < from->n; i++) {
		const struct edge *e = &from->call[i].edge;
		uint32_t id = calls_find(into, e->src, e->dst); /* may reallocate the calls */
		struct edge *sum = &into->call[id].edge;

		sum->weight += e->weight;
		sum->div += e->div;
		sum->residual |= e->residual;
		sum->inlined &= e->inlined;
	}
}

void graph_edges(const struct graph *g, const bool *keep, const bool *wanted, bool both, struct arena *mem,
		 struct edges *out)
{
	uint32_t wish = g->view->p->stacks.n / STACKS_PER_THREAD + 1;
	struct edge_walk w = { .g = g, .parts = wish < pool_size() ? wish : pool_size() };
	struct edges e = { 0 };
	struct calls *all;

	assert(keep && g->live && g->weight);
	spots_init(&w.spots, g, keep, wanted, both);
	w.part = mem_zalloc(w.parts, sizeof(*w.part));
	stop_begin(g->view->stop, "finding calls", g->view->p->stacks.n);
	pool_run(edge_run, &w, w.parts);
	all = &w.part[0].calls;
	for (unsigned i = 1; i < w.parts; i++) {
		if (!stop_is_set(g->view->stop))
			calls_merge(all, &w.part[i].calls);
		calls_release(&w.part[i].calls);
	}
	e.edge = arena_alloc(mem, all->n, sizeof(*e.edge));
	for (; e.n < all->n; e.n++)
		e.edge[e.n] = all->call[e.n].edge;
	if (e.n && !stop_is_set(g->view->stop))
		qsort(e.edge, e.n, sizeof(*e.edge), by_dst_src);
	calls_release(all);
	free(w.part);
	spots_release(&w.spots);
	*out = e;
}
