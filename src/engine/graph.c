/*
 * graph.c - flat and cum of every place
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rows with equal stacks are added up first, so that each distinct stack is walked once. The walk is split over threads
 * by number of frames. Each thread has its own columns, which are then summed. Integer sums do not depend on the order,
 * and view_make has checked that none overflows.
 */
#include "config.h"

#include "engine/graph.h"

#include "base/mem.h"
#include "base/pool.h"
#include "engine/forest_walk.h"
#include "engine/parts.h"

#include <assert.h>
#include <stdlib.h>

enum {
	FRAMES_PER_THREAD = 100000,
	WALK_LOT = 256, /* frames per batch; locations with several places are handled at its end */
};

/* A walk over all stacks that adds one value per stack. */
struct graph_walk {
	struct stop *stop;
	const struct csr *stacks;
	const struct places *pl;
	const int64_t *weight; /* [stacks] */
	unsigned parts;
	struct walk_part {
		int64_t *flat;         /* [places] */
		struct graph_sum *sum; /* [places] */
	} * part;
};

/* Fields that the walk accesses for every frame, kept together for the CPU cache. */
struct graph_sum {
	int64_t cum;
	uint32_t seen; /* last stack counted, + 1 */
};

/* Branchless, because the branch predictor cannot predict which places recur on a stack. */
static inline void sum_add(struct graph_sum *at, uint32_t stack, int64_t v)
{
	at->cum += v & -(int64_t)(at->seen != stack);
	at->seen = stack;
}

/* Add the places of locations that have several. Nearly all have two or three; padding lets both be handled alike. */
static void walk_several(const uint32_t *many, const uint32_t *code, uint32_t n, struct graph_sum *sum, uint32_t stack,
			 int64_t v)
{
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t *place = many + (code[i] - PLACES_MANY);

		for (uint32_t k = 0; k < PLACES_PADDED; k++)
			sum_add(&sum[place[k + 1]], stack, v);
		for (uint32_t k = PLACES_PADDED; k < place[0]; k++)
			sum_add(&sum[place[k + 1]], stack, v);
	}
}

/* Walk one stack, from loc to end; id is the number of the stack + 1. */
static inline void engine_graph_walk_stack(const struct places *pl, const uint32_t *loc, const uint32_t *end,
					   struct graph_sum *sum, uint32_t id, int64_t v)
{
	const uint32_t *list = pl->list;
	struct graph_sum nothing = { 0 };
	uint32_t several[WALK_LOT];

	while (loc < end) {
		const uint32_t *pause = end - loc < WALK_LOT ? end : loc + WALK_LOT;
		uint32_t n = 0;

		for (; loc < pause; loc++) {
			uint32_t code = list[*loc], is_several = code / PLACES_MANY;

			several[n] = code;
			n += is_several;
			sum_add(is_several ? &nothing : &sum[code], id, v);
		}
		walk_several(pl->many, several, n, sum, id, v);
	}
}

static void walk_run(void *arg, unsigned part)
{
	const struct graph_walk *w = arg;
	const uint32_t *off = w->stacks->off, *item = w->stacks->item;
	uint32_t end = csr_part(w->stacks, part + 1, w->parts), n;
	int64_t *flat = w->part[part].flat;
	struct graph_sum *sum = w->part[part].sum;

	assert(part < w->parts && end <= w->stacks->n);
	for (uint32_t s = csr_part(w->stacks, part, w->parts); s < end && !stop_step(w->stop, s); s++) {
		int64_t v = w->weight[s];

		if (v == 0 || off[s] == off[s + 1])
			continue;
		flat[*places_of(w->pl, item[off[s]], &n)] += v;
		engine_graph_walk_stack(w->pl, item + off[s], item + off[s + 1], sum, s + 1, v);
	}
}

static void engine_graph_walk(const struct view *v, const struct places *pl, const int64_t *weight, struct arena *mem,
			      const int64_t **flat, const int64_t **cum)
{
	int64_t *own = arena_zalloc(mem, pl->n, sizeof(*own)), *all = arena_zalloc(mem, pl->n, sizeof(*all));
	const struct csr *stacks = &v->p->stacks;
	uint64_t wish = stacks->off[stacks->n] / FRAMES_PER_THREAD + 1;
	struct graph_walk w = { .stop = v->stop, .stacks = stacks, .pl = pl, .weight = weight };

	assert(weight);
	w.parts = wish < pool_size() ? (unsigned)wish : pool_size();
	w.part = mem_zalloc(w.parts, sizeof(*w.part));
	for (unsigned i = 0; i < w.parts; i++) {
		w.part[i].flat = mem_zalloc(pl->n, sizeof(*w.part[i].flat));
		w.part[i].sum = mem_zalloc(pl->n, sizeof(*w.part[i].sum));
	}
	stop_begin(v->stop, "adding up", stacks->n);
	pool_run(walk_run, &w, w.parts);
	for (unsigned i = 0; i < w.parts; i++) {
		for (uint32_t k = 0; k < pl->n; k++) {
			own[k] += w.part[i].flat[k];
			all[k] += w.part[i].sum[k].cum;
		}
		free(w.part[i].flat);
		free(w.part[i].sum);
	}
	free(w.part);
	*flat = own;
	*cum = all;
}

/* Add up the rows of each stack, and mark the stacks that have any value. */
static int64_t *stack_sums(const struct view *v, const int64_t *column, bool *live, struct arena *mem)
{
	int64_t *sum = arena_zalloc(mem, v->p->stacks.n, sizeof(*sum));

	for (uint32_t i = 0; i < v->n && !stop_step(v->stop, i); i++) {
		sum[v->p->stack[i]] += column[i];
		if (column[i])
			live[v->p->stack[i]] = true;
	}
	return sum;
}

void graph_make(const struct view *v, const struct places *pl, struct arena *mem, struct graph *out)
{
	struct graph g = { .view = v, .nodes = { .places = pl, .n = pl->n } };

	assert(v->val && pl->p->n_locs == v->p->n_locs);
	g.live = arena_zalloc(mem, v->p->stacks.n, sizeof(*g.live));
	g.weight = stack_sums(v, v->val, g.live, mem);
	engine_graph_walk(v, pl, g.weight, mem, &g.nodes.flat, &g.nodes.cum);
	if (v->div) {
		g.div = stack_sums(v, v->div, g.live, mem);
		engine_graph_walk(v, pl, g.div, mem, &g.nodes.flat_div, &g.nodes.cum_div);
	}
	if (v->p->forest) {
		int64_t *div;

		g.nodes.cum = forest_walk_cum(v, pl, mem, &div);
		g.nodes.cum_div = div;
	}
	*out = g;
}

/* new - base, in mem. */
static int64_t *graph_subtract(const int64_t *new, const int64_t *base, uint32_t n, struct arena *mem)
{
	int64_t *net = arena_alloc(mem, n, sizeof(*net));

	for (uint32_t i = 0; i < n; i++)
		net[i] = new[i] - base[i];
	return net;
}

void graph_make_sides(const struct view *v, const struct places *pl, struct arena *mem, struct graph_sides *out)
{
	struct graph_sides g = { .net = { .view = v, .nodes = { .places = pl, .n = pl->n } } };
	uint32_t n = v->p->stacks.n;
	int64_t *side[N_SIDES];

	assert(!v->mean && pl->p->n_locs == v->p->n_locs);
	parts_sum_stacks(v, side);
	if (!side[SIDE_BASE])
		side[SIDE_BASE] = mem_zalloc(n, sizeof(*side[SIDE_BASE]));
	g.net.weight = graph_subtract(side[SIDE_NEW], side[SIDE_BASE], n, mem);
	g.net.live = arena_zalloc(mem, n, sizeof(*g.net.live));
	for (uint32_t s = 0; s < n; s++)
		g.net.live[s] = g.net.weight[s] != 0;
	for (int i = 0; i < N_SIDES; i++) {
		engine_graph_walk(v, pl, side[i], mem, &g.flat[i], &g.cum[i]);
		free(side[i]);
	}
	g.net.nodes.flat = graph_subtract(g.flat[SIDE_NEW], g.flat[SIDE_BASE], pl->n, mem);
	g.net.nodes.cum = graph_subtract(g.cum[SIDE_NEW], g.cum[SIDE_BASE], pl->n, mem);
	*out = g;
}
