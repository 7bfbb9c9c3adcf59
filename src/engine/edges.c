/*
 * edges.c - the calls between kept nodes
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each thread walks a share of the stacks from root to leaf and keeps its calls in a table of its
 * own, with the last stack that counted a call beside it. The tables are merged and sorted, so the
 * result is the same for any number of threads.
 */
#include "config.h"

#include "engine/graph.h"

#include "base/hash.h"
#include "base/idtab.h"
#include "base/mem.h"
#include "base/pool.h"

#include <stdlib.h>

#define NO_NODE UINT32_MAX

enum { STACKS_PER_THREAD = 10000 };

struct call {
	struct edge edge;
	uint32_t seen; /* last stack that counted it, + 1 */
};

struct calls {
	struct idtab ids;
	struct call *call; /* [n] in order of first appearance, so that common ones stand together */
	size_t cap;
	uint32_t n;
};

/* What a walk has to know of a location, in one byte: most hold nothing that is kept. */
enum { LOC_KEPT = 1, LOC_WANTED = 2 };

struct edge_walk {
	const struct graph *g;
	const bool *keep, *wanted;
	const uint8_t *loc; /* [n_locs] LOC_* */
	unsigned parts;
	struct calls *part;
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

static struct call *calls_find(struct calls *c, uint32_t src, uint32_t dst)
{
	uint64_t h = hash_u64((uint64_t)src << 32 | dst);
	uint32_t id;

	for (size_t pos = idtab_start(&c->ids, h); idtab_next(&c->ids, h, &pos, &id);)
		if (c->call[id].edge.src == src && c->call[id].edge.dst == dst)
			return &c->call[id];
	c->call = mem_grow(c->call, &c->cap, (size_t)c->n + 1, sizeof(*c->call));
	c->call[c->n] = (struct call){ .edge = { .src = src, .dst = dst, .inlined = true } };
	idtab_put(&c->ids, h, c->n);
	return &c->call[c->n++];
}

static void count_call(struct calls *c, uint32_t src, uint32_t dst, uint32_t stack, int64_t weight, bool residual,
		       bool inlined)
{
	struct call *call = calls_find(c, src, dst);

	if (call->seen == stack + 1)
		return;
	call->seen = stack + 1;
	call->edge.weight += weight;
	call->edge.residual |= residual;
	call->edge.inlined &= inlined;
}

/* The innermost kept node of the nearest location toward the root that has one. */
static uint32_t caller_of(const struct edge_walk *w, const uint32_t *loc, const uint32_t *root, bool *residual)
{
	while (++loc < root) {
		uint32_t n;
		const uint32_t *place;

		if (!w->loc[*loc]) {
			*residual = true;
			continue;
		}
		place = places_of(w->g->places, *loc, &n);
		for (uint32_t k = 0; k < n; k++) {
			if (w->keep[place[k]])
				return place[k];
			*residual = true;
		}
	}
	return NO_NODE;
}

/*
 * From root to leaf, since the first of equal calls tells whether it is inlined. Only locations
 * with a wanted node are looked at; the callers of their nodes are searched from there, which
 * passes each frame once at most because a wanted node is kept.
 */
static void walk_stack(struct edge_walk *w, struct calls *c, uint32_t s)
{
	const struct graph *g = w->g;
	const struct csr *stacks = &g->view->p->stacks;
	const uint32_t *first = stacks->item + stacks->off[s], *root = stacks->item + stacks->off[s + 1];
	int64_t weight = g->weight[SIDE_TARGET][s];

	for (const uint32_t *loc = root; loc-- > first;) {
		uint32_t n, parent;
		const uint32_t *place;
		bool residual = false;

		if (!(w->loc[*loc] & LOC_WANTED))
			continue;
		place = places_of(g->places, *loc, &n);
		parent = caller_of(w, loc, root, &residual);
		for (uint32_t k = n; k-- > 0;) {
			uint32_t node = place[k];

			if (!w->keep[node]) {
				residual = true;
				continue;
			}
			if (parent != NO_NODE && parent != node && (!w->wanted || w->wanted[node]))
				count_call(c, parent, node, s, weight, residual, k != n - 1);
			parent = node;
			residual = false;
		}
	}
}

static uint8_t *mark_locations(const struct graph *g, const bool *keep, const bool *wanted)
{
	uint32_t n_locs = g->view->p->n_locs;
	uint8_t *mark = mem_zalloc(n_locs, sizeof(*mark));

	for (uint32_t loc = 0; loc < n_locs; loc++) {
		uint32_t n;
		const uint32_t *place = places_of(g->places, loc, &n);

		for (uint32_t k = 0; k < n; k++)
			if (keep[place[k]])
				mark[loc] |= !wanted || wanted[place[k]] ? LOC_KEPT | LOC_WANTED : LOC_KEPT;
	}
	return mark;
}

static void edge_part(void *arg, unsigned part)
{
	struct edge_walk *w = arg;
	uint32_t n = w->g->view->p->stacks.n;
	uint32_t end = (uint32_t)((uint64_t)n * (part + 1) / w->parts);

	calls_init(&w->part[part]);
	for (uint32_t s = (uint32_t)((uint64_t)n * part / w->parts); s < end; s++)
		if (w->g->live[s])
			walk_stack(w, &w->part[part], s);
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
		struct call *call = calls_find(into, e->src, e->dst);

		call->edge.weight += e->weight;
		call->edge.residual |= e->residual;
		call->edge.inlined &= e->inlined;
	}
}

void graph_edges(const struct graph *g, const bool *keep, const bool *wanted, struct arena *mem, struct edges *out)
{
	uint32_t wish = g->view->p->stacks.n / STACKS_PER_THREAD + 1;
	uint8_t *mark = mark_locations(g, keep, wanted);
	struct edge_walk w = { .g = g, .keep = keep, .wanted = wanted, .loc = mark };
	struct edges e = { 0 };

	w.parts = wish < pool_size() ? wish : pool_size();
	w.part = mem_zalloc(w.parts, sizeof(*w.part));
	pool_run(edge_part, &w, w.parts);
	for (unsigned i = 1; i < w.parts; i++) {
		calls_merge(&w.part[0], &w.part[i]);
		calls_release(&w.part[i]);
	}
	e.edge = arena_alloc(mem, w.part[0].n, sizeof(*e.edge));
	for (; e.n < w.part[0].n; e.n++)
		e.edge[e.n] = w.part[0].call[e.n].edge;
	if (e.n)
		qsort(e.edge, e.n, sizeof(*e.edge), by_dst_src);
	calls_release(&w.part[0]);
	free(w.part);
	free(mark);
	*out = e;
}
