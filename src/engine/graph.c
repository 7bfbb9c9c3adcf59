/*
 * graph.c - flat and cum of every place
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rows with equal stacks are added up first, so that each distinct stack is walked once. Threads take the next stacks in turn, since
 * some may be slower. Each thread has its own columns, which are then summed. Integer sums do not depend on the order,
 * and view_make has checked that none overflows.
 */
#include "config.h"

#include "engine/graph.h"

#include "base/mem.h"
#include "base/pool.h"
#include "engine/forest_walk.h"
#include "engine/graph_walk.h"
#include "engine/parts.h"
#include "engine/sums.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { FRAMES_PER_THREAD = 100000 };

/* A walk over all stacks that adds one value per stack. */
struct graph_walk {
	struct stop *stop;
	const struct stack_lists *stacks;
	struct walk_values weight; /* of all stacks */
	struct walk_targets to;
	atomic_uint_fast64_t next; /* stack; each thread takes the next STOP_CHECK_INTERVAL */
	unsigned parts;
	struct walk_part {
		int64_t *flat; /* [n_locs] */
		struct walk_sums sums;
	} * part;
};

static void walk_lot(const struct graph_walk *w, struct walk_part *part, uint32_t s, uint32_t end)
{
	const struct stack_lists *stacks = w->stacks;
	const uint32_t *off = stacks->off;

	for (; s < end; s++) {
		const uint8_t *at = stack_address(stacks, off[s]), *last = stack_address(stacks, off[s + 1]);

		if (w->weight.value[s] == 0 || at == last)
			continue;
		part->flat[stack_id_at(stacks, off[s])] += w->weight.value[s];
		if (stacks->width == STACK_NARROW)
			walk_stack(&part->sums, &w->weight, s, at, last, STACK_NARROW, NULL);
		else
			walk_stack(&part->sums, &w->weight, s, at, last, STACK_WIDE, NULL);
	}
}

static void walk_run(void *arg, unsigned i)
{
	struct graph_walk *w = arg;
	uint64_t lot, n = w->stacks->n;

	assert(i < w->parts);
	while ((lot = atomic_fetch_add(&w->next, STOP_CHECK_INTERVAL)) < n && !stop_step(w->stop, lot))
		walk_lot(w, &w->part[i], (uint32_t)lot,
			 (uint32_t)(n - lot < STOP_CHECK_INTERVAL ? n : lot + STOP_CHECK_INTERVAL));
	walk_finish(&w->part[i].sums, &w->weight);
}

/* The columns that a walk adds up, in an arena. */
struct graph_columns {
	int64_t *flat, *cum; /* [places] */
	int64_t *several;    /* [places_n_several] of locations with several places; may be NULL */
};

static struct graph_columns graph_columns_new(const struct places *pl, bool several, struct arena *mem)
{
	return (struct graph_columns){
		.flat = arena_zalloc(mem, pl->n, sizeof(int64_t)),
		.cum = arena_zalloc(mem, pl->n, sizeof(int64_t)),
		.several = several ? arena_zalloc(mem, places_n_several(pl), sizeof(int64_t)) : NULL,
	};
}

static void add_part(const struct places *pl, const struct walk_part *part, struct graph_columns *out)
{
	uint32_t n;

	for (uint32_t loc = 0; loc < pl->p->n_locs; loc++)
		out->flat[*places_of(pl, loc, &n)] += part->flat[loc];
	for (uint32_t k = 0; k < pl->n; k++)
		out->cum[k] += part->sums.cum[k];
	for (uint32_t i = 0; out->several && i < places_n_several(pl); i++)
		out->several[i] += part->sums.cum[pl->n + i];
}

static struct graph_columns engine_graph_walk(const struct view *v, const struct places *pl, const int64_t *weight,
					      bool several, struct arena *mem)
{
	struct graph_columns out = graph_columns_new(pl, several, mem);
	const struct stack_lists *stacks = &v->p->stacks;
	uint64_t wish = stacks->off[stacks->n] / FRAMES_PER_THREAD + 1;
	struct graph_walk w = {
		.stop = v->stop, .stacks = stacks, .weight = { weight, 0 }, .to = walk_targets_new(pl)
	};

	assert(weight);
	w.parts = wish < pool_size() ? (unsigned)wish : pool_size();
	w.part = mem_zalloc(w.parts, sizeof(*w.part));
	for (unsigned i = 0; i < w.parts; i++) {
		w.part[i].flat = mem_zalloc(pl->p->n_locs, sizeof(*w.part[i].flat));
		walk_sums_init(&w.part[i].sums, &w.to);
	}
	stop_begin(v->stop, "adding up", stacks->n);
	pool_run(walk_run, &w, w.parts);
	for (unsigned i = 0; i < w.parts; i++) {
		add_part(pl, &w.part[i], &out);
		free(w.part[i].flat);
		walk_sums_release(&w.part[i].sums);
	}
	free(w.part);
	walk_targets_release(&w.to);
	return out;
}

/* Add up flat only, for a profile that has sums or a forest, which have cum. */
static struct graph_columns graph_add_leaves(const struct view *v, const struct places *pl, const int64_t *weight,
					     struct arena *mem)
{
	int64_t *flat = arena_zalloc(mem, pl->n, sizeof(*flat));
	const struct stack_lists *stacks = &v->p->stacks;
	uint32_t n;

	for (uint32_t s = 0; s < stacks->n; s++)
		if (stacks->off[s] < stacks->off[s + 1])
			flat[*places_of(pl, stack_id_at(stacks, stacks->off[s]), &n)] += weight[s];
	return (struct graph_columns){ .flat = flat };
}

/* Is stack i that of row i? */
static bool is_stack_per_row(const struct view *v)
{
	uint32_t i = 0;

	while (i < v->n && v->p->stack[i] == i)
		i++;
	return i == v->n && i == v->p->stacks.n;
}

/* Add up the rows of each stack, and mark the stacks that have any value. live: NULL if stack i is that of row i */
static const int64_t *stack_sums(const struct view *v, const int64_t *column, bool *live, struct arena *mem)
{
	int64_t *sum;

	if (!live)
		return column;
	sum = arena_zalloc(mem, v->p->stacks.n, sizeof(*sum));
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
	bool *live = is_stack_per_row(v) ? NULL : arena_zalloc(mem, v->p->stacks.n, sizeof(*live));
	struct graph_columns sums;

	assert(v->val && pl->p->n_locs == v->p->n_locs);
	g.weight = stack_sums(v, v->val, live, mem);
	g.div = v->div ? stack_sums(v, v->div, live, mem) : NULL;
	g.live = live;
	sums = v->p->sums || v->p->forest ? graph_add_leaves(v, pl, g.weight, mem)
					  : engine_graph_walk(v, pl, g.weight, true, mem);
	g.nodes.flat = sums.flat;
	g.nodes.cum = sums.cum;
	g.several = sums.several;
	if (v->div) {
		sums = engine_graph_walk(v, pl, g.div, false, mem);
		g.nodes.flat_div = sums.flat;
		g.nodes.cum_div = sums.cum;
	}
	if (v->p->forest) {
		struct forest_sums forest;

		walk_forest_cum(v, pl, mem, &forest);
		g.nodes.cum = forest.cum;
		g.nodes.cum_div = forest.div;
		g.several = forest.several;
	}
	if (v->p->sums)
		sums_take(v, pl, mem, &g);
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
	bool *live = arena_zalloc(mem, n, sizeof(*live));
	int64_t *side[N_SIDES];

	assert(!v->mean && pl->p->n_locs == v->p->n_locs);
	parts_sum_stacks(v, side);
	if (!side[SIDE_BASE])
		side[SIDE_BASE] = mem_zalloc(n, sizeof(*side[SIDE_BASE]));
	g.net.weight = graph_subtract(side[SIDE_NEW], side[SIDE_BASE], n, mem);
	g.net.live = live;
	for (uint32_t s = 0; s < n; s++)
		live[s] = g.net.weight[s] != 0;
	for (int i = 0; i < N_SIDES; i++) {
		struct graph_columns sums = engine_graph_walk(v, pl, side[i], false, mem);

		g.flat[i] = sums.flat;
		g.cum[i] = sums.cum;
		free(side[i]);
	}
	g.net.nodes.flat = graph_subtract(g.flat[SIDE_NEW], g.flat[SIDE_BASE], pl->n, mem);
	g.net.nodes.cum = graph_subtract(g.cum[SIDE_NEW], g.cum[SIDE_BASE], pl->n, mem);
	*out = g;
}
