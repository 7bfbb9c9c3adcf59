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
#include "engine/sums.h"

#include <assert.h>
#include <stdlib.h>

enum {
	FRAMES_PER_THREAD = 100000,
	LOT_FRAMES = 256,             /* frames between checks for space */
	PENDING_MAX = 4 * LOT_FRAMES, /* locations */
};

/*
 * The sums that each location adds to. Sums are those of places, then of locations with several places, then one of nothing.
 *
 * It cannot be predicted which locations have several. So in a first step, each frame adds to one sum, and locations with
 * others are remembered. In a second step these are added, for many stacks at a time. A sum must receive its stacks in order,
 * so each belongs to one of the steps: places that are inlined in any location to the second.
 */
struct walk_targets {
	uint32_t n;       /* sums without that of nothing, whose number this is */
	uint32_t *first;  /* [n_locs] sum of the first step, with PLACES_MANY if there are others */
	uint32_t *others; /* [n_locs] index into list; undefined if there are no others */
	uint32_t *list;   /* a count, then the sums; fewer than PLACES_PADDED are padded with the last one */
};

/* A location whose other sums have to be added. */
struct walk_pending {
	uint32_t loc, stack;
};

/* A walk over all stacks that adds one value per stack. */
struct graph_walk {
	struct stop *stop;
	const struct stack_lists *stacks;
	const int64_t *weight; /* [stacks] */
	struct walk_targets to;
	unsigned parts;
	struct walk_part {
		int64_t *flat;  /* [n_locs] */
		int64_t *cum;   /* [to.n + 1] */
		uint32_t *seen; /* [to.n + 1] last stack added, + 1 */
		uint32_t n_pending;
		struct walk_pending pending[PENDING_MAX];
	} * part;
};

/* Mark the places that are inlined in some location. */
static bool *walk_find_inlined(const struct places *pl)
{
	bool *is_inlined = mem_zalloc(pl->n, sizeof(*is_inlined));
	uint32_t n;

	for (uint32_t loc = 0; loc < pl->p->n_locs; loc++) {
		const uint32_t *place = places_of(pl, loc, &n);

		for (uint32_t k = 0; k + 1 < n; k++)
			is_inlined[place[k]] = true;
	}
	return is_inlined;
}

static struct walk_targets walk_targets_new(const struct places *pl)
{
	uint32_t n_locs = pl->p->n_locs, n, at = 0;
	struct walk_targets to = { .n = pl->n + places_n_several(pl),
				   .first = mem_alloc(n_locs, sizeof(*to.first)),
				   .others = mem_alloc(n_locs, sizeof(*to.others)),
				   .list = mem_alloc((size_t)pl->n_many + (1 + PLACES_PADDED) * (size_t)n_locs,
						     sizeof(*to.list)) };
	bool *is_inlined = walk_find_inlined(pl);

	for (uint32_t loc = 0; loc < n_locs; loc++) {
		const uint32_t *place = places_of(pl, loc, &n);
		uint32_t outer = place[n - 1], count = at;
		uint32_t own = n > 1 ? pl->n + places_several(pl->list[loc]) : to.n;

		to.first[loc] = outer;
		if (n == 1 && !is_inlined[outer])
			continue;
		to.first[loc] = PLACES_MANY | (is_inlined[outer] ? own : outer);
		to.others[loc] = at++;
		to.list[at++] = is_inlined[outer] ? outer : own;
		for (uint32_t k = 0; k + 1 < n; k++)
			to.list[at++] = place[k];
		to.list[count] = at - count - 1;
		for (; at - count <= PLACES_PADDED; at++)
			to.list[at] = to.list[at - 1];
	}
	free(is_inlined);
	return to;
}

static void walk_targets_release(struct walk_targets *to)
{
	free(to->first);
	free(to->others);
	free(to->list);
}

/* Branchless, because the branch predictor cannot predict which places recur on a stack. */
static inline void walk_add(int64_t *cum, uint32_t *seen, uint32_t stack, int64_t v)
{
	*cum += v & -(int64_t)(*seen != stack + 1);
	*seen = stack + 1;
}

/* The second step. Nearly all locations have two or three other sums; padding lets both be handled alike. */
static void walk_add_pending(const struct graph_walk *w, struct walk_part *part)
{
	int64_t *cum = part->cum;
	uint32_t *seen = part->seen;

	for (uint32_t i = 0; i < part->n_pending; i++) {
		const struct walk_pending *p = &part->pending[i];
		const uint32_t *list = &w->to.list[w->to.others[p->loc]];
		int64_t v = w->weight[p->stack];

		for (uint32_t k = 1; k <= PLACES_PADDED; k++)
			walk_add(&cum[list[k]], &seen[list[k]], p->stack, v);
		for (uint32_t k = 1 + PLACES_PADDED; k <= list[0]; k++)
			walk_add(&cum[list[k]], &seen[list[k]], p->stack, v);
	}
	part->n_pending = 0;
}

/* The first step, for a stack whose ids are at to end. */
static inline void engine_graph_walk_stack(const struct graph_walk *w, struct walk_part *part, uint32_t stack,
					   const uint8_t *at, const uint8_t *end, uint32_t width)
{
	const uint32_t *first = w->to.first;
	int64_t *cum = part->cum, v = w->weight[stack];
	uint32_t *seen = part->seen;

	while (at < end) {
		const uint8_t *pause = (size_t)(end - at) < LOT_FRAMES * width ? end : at + LOT_FRAMES * width;
		struct walk_pending *pending = &part->pending[part->n_pending];

		for (; at < pause; at += width) {
			uint32_t loc = stack_load(at, width), target = first[loc];

			*pending = (struct walk_pending){ loc, stack };
			pending += target / PLACES_MANY;
			target %= PLACES_MANY;
			walk_add(&cum[target], &seen[target], stack, v);
		}
		part->n_pending = (uint32_t)(pending - part->pending);
		if (part->n_pending > PENDING_MAX - LOT_FRAMES)
			walk_add_pending(w, part);
	}
}

static void walk_run(void *arg, unsigned i)
{
	const struct graph_walk *w = arg;
	const struct stack_lists *stacks = w->stacks;
	const uint32_t *off = stacks->off;
	uint32_t end = profile_stack_part(stacks, i + 1, w->parts);
	struct walk_part *part = &w->part[i];

	assert(i < w->parts && end <= stacks->n);
	for (uint32_t s = profile_stack_part(stacks, i, w->parts); s < end && !stop_step(w->stop, s); s++) {
		const uint8_t *at = stack_address(stacks, off[s]), *last = stack_address(stacks, off[s + 1]);

		if (w->weight[s] == 0 || at == last)
			continue;
		part->flat[stack_id_at(stacks, off[s])] += w->weight[s];
		if (stacks->width == STACK_NARROW)
			engine_graph_walk_stack(w, part, s, at, last, STACK_NARROW);
		else
			engine_graph_walk_stack(w, part, s, at, last, STACK_WIDE);
	}
	walk_add_pending(w, part);
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
		out->cum[k] += part->cum[k];
	for (uint32_t i = 0; out->several && i < places_n_several(pl); i++)
		out->several[i] += part->cum[pl->n + i];
}

static struct graph_columns engine_graph_walk(const struct view *v, const struct places *pl, const int64_t *weight,
					      bool several, struct arena *mem)
{
	struct graph_columns out = graph_columns_new(pl, several, mem);
	const struct stack_lists *stacks = &v->p->stacks;
	uint64_t wish = stacks->off[stacks->n] / FRAMES_PER_THREAD + 1;
	struct graph_walk w = { .stop = v->stop, .stacks = stacks, .weight = weight, .to = walk_targets_new(pl) };

	assert(weight);
	w.parts = wish < pool_size() ? (unsigned)wish : pool_size();
	w.part = mem_zalloc(w.parts, sizeof(*w.part));
	for (unsigned i = 0; i < w.parts; i++) {
		w.part[i].flat = mem_zalloc(pl->p->n_locs, sizeof(*w.part[i].flat));
		w.part[i].cum = mem_zalloc((size_t)w.to.n + 1, sizeof(*w.part[i].cum));
		w.part[i].seen = mem_zalloc((size_t)w.to.n + 1, sizeof(*w.part[i].seen));
	}
	stop_begin(v->stop, "adding up", stacks->n);
	pool_run(walk_run, &w, w.parts);
	for (unsigned i = 0; i < w.parts; i++) {
		add_part(pl, &w.part[i], &out);
		free(w.part[i].flat);
		free(w.part[i].cum);
		free(w.part[i].seen);
	}
	free(w.part);
	walk_targets_release(&w.to);
	return out;
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
	sums = engine_graph_walk(v, pl, g.weight, true, mem);
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
