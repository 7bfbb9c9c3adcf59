/*
 * edges.c - the calls between kept nodes
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each thread walks a share of the stacks from root to leaf and counts calls in its own table. The table stores for
 * each call the last stack that counted it. The tables are merged and sorted, so the result is the same for any number
 * of threads.
 *
 * If only calls with a large weight are needed, a first walk finds an upper bound for each: it adds the magnitude of
 * each stack to an array of counters, at the hash of the call, and calls inside a location to one sum per location. The
 * second walk counts only the calls whose bound reaches the limit.
 */
#include "config.h"

#include "engine/graph.h"

#include "base/hash.h"
#include "base/idtab.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/pool.h"
#include "engine/edges_int.h"
#include "profile/forest.h"

#include <assert.h>
#include <stdlib.h>

enum {
	STACKS_PER_THREAD = 10000,
	EDGE_LOT = 256,       /* frames per batch */
	SKETCH_MIN = 1 << 16, /* counters: 512 KiB, which fit into the L2 cache */
	SKETCH_MAX = 1 << 18,
	CALLS_PER_COUNTER = 4, /* with fewer calls, counting all takes less time */
	SAMPLED = 64,          /* every 64th stack is read to estimate their number */
	SEEN_BITS = 1 << 22,
};

/* The spot of a location; NULL if it has no kept place. */
static const struct spot *spot_at(const struct spots *spots, uint32_t loc)
{
	return spots->mark[loc] ? &spots->spot[spots->of[loc]] : NULL;
}

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

uint32_t calls_find(struct calls *c, uint32_t src, uint32_t dst)
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

/* Count the calls inside a location. */
static void count_inner_calls(const struct spots *spots, const struct spot *spot, struct edge_part *part,
			      const struct share *share)
{
	for (uint32_t i = spot->first; i < spot->first + spot->n; i++) {
		const struct inner_call *f = &spots->inner_call[i];

		if (part->of_inner_call[i] == 0)
			part->of_inner_call[i] = calls_find(&part->calls, f->src, f->dst) + 1;
		count_call(&part->calls.call[part->of_inner_call[i] - 1], share, f->residual, true);
	}
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

/* Count the calls into and inside a location, of a stack that ends at root. */
static inline void count_location(const struct edge_walk *w, struct edge_part *part, const uint32_t *loc,
				  const uint32_t *root, const struct share *share)
{
	uint32_t at = w->spots.of[*loc], parent = NO_NODE;
	const struct spot *spot = &w->spots.spot[at];
	bool residual = false;

	if (w->both || spot->outer_wanted)
		parent = caller_of(&w->spots, loc, root, &residual);
	if (is_counted(w, parent, spot))
		count_call(hinted_call(&part->calls, &part->of_spot[at], parent, spot->outer), share,
			   residual || spot->outer_cut, spot->outer_cut);
	count_inner_calls(&w->spots, spot, part, share);
}

/*
 * Collect the locations from *end toward first that have a wanted place, or are called from one, and move *end.
 * Branchless, because the branch predictor cannot predict them. *outside has the LOC_ flags of the nearest location
 * toward the root that has a kept place.
 */
static inline uint32_t edges_collect(const struct edge_walk *w, const uint32_t *first, const uint32_t **end,
				     uint8_t *outside, const uint32_t *at[EDGE_LOT])
{
	const uint8_t *marks = w->spots.mark;
	const uint32_t *loc = *end, *pause = loc - first < EDGE_LOT ? first : loc - EDGE_LOT;
	uint32_t n = 0;

	if (!w->both)
		while (loc > pause) {
			at[n] = --loc;
			n += (marks[*loc] & LOC_WANTED) != 0;
		}
	while (loc > pause) {
		uint8_t mark = marks[*--loc];

		at[n] = loc;
		n += (mark & LOC_WANTED) || (mark && (*outside & LOC_CALLS));
		*outside = mark ? mark : *outside;
	}
	*end = loc;
	return n;
}

/*
 * Count the calls of a stack, from root to leaf, since the first of equal calls decides whether it is inlined. The
 * search for a caller stops at the nearest location with a kept place, so it passes each frame at most once.
 */
static void edges_walk_stack(const struct edge_walk *w, struct edge_part *part, uint32_t s)
{
	const struct csr *stacks = &w->g->view->p->stacks;
	const uint32_t *first = stacks->item + stacks->off[s], *root = stacks->item + stacks->off[s + 1], *end = root;
	const struct share share = { s, w->g->weight[s], w->g->div ? w->g->div[s] : 0 };
	const uint32_t *at[EDGE_LOT];
	uint8_t outside = 0;

	while (end > first) {
		uint32_t n = edges_collect(w, first, &end, &outside, at);

		for (uint32_t i = 0; i < n; i++)
			count_location(w, part, at[i], root, &share);
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
	for (uint32_t s = (uint32_t)((uint64_t)n * part / w->parts); s < end && !stop_step(w->g->view->stop, s); s++)
		if (w->g->live[s])
			edges_walk_stack(w, mine, s);
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
		struct edge *sum;
		uint32_t id;

		if (!from->call[i].seen)
			continue;
		id = calls_find(into, e->src, e->dst); /* may reallocate the calls */
		into->call[id].seen = 1;
		sum = &into->call[id].edge;
		sum->weight += e->weight;
		sum->div += e->div;
		sum->residual |= e->residual;
		sum->inlined &= e->inlined;
	}
}

/* Count the calls, in no order. */
static void edges_count(struct edge_walk *w, struct arena *mem, struct edges *out)
{
	struct stop *stop = w->g->view->stop;
	struct edges e = { 0 };
	struct calls *all;

	w->part = mem_zalloc(w->parts, sizeof(*w->part));
	for (unsigned i = 0; i < w->parts; i++) {
		calls_init(&w->part[i].calls);
		w->part[i].of_inner_call = mem_zalloc(w->spots.n_inner_calls, sizeof(uint32_t));
		w->part[i].of_spot = mem_zalloc(w->spots.n, sizeof(uint32_t));
	}
	stop_begin(stop, "finding calls", w->g->view->p->stacks.n);
	if (w->g->view->p->forest)
		edges_forest_run(w);
	else
		pool_run(edge_run, w, w->parts);
	for (unsigned i = 0; i < w->parts; i++) {
		free(w->part[i].of_inner_call);
		free(w->part[i].of_spot);
	}
	all = &w->part[0].calls;
	for (unsigned i = 1; i < w->parts; i++) {
		if (!stop_is_set(stop))
			calls_merge(all, &w->part[i].calls);
		calls_release(&w->part[i].calls);
	}
	e.edge = arena_alloc(mem, all->n, sizeof(*e.edge));
	for (uint32_t i = 0; i < all->n; i++)
		if (all->call[i].seen)
			e.edge[e.n++] = all->call[i].edge;
	calls_release(all);
	free(w->part);
	*out = e;
}

static struct edge_walk edges_start(const struct graph *g, const bool *keep, const bool *wanted, bool both)
{
	const struct profile *p = g->view->p;
	uint32_t wish = p->forest ? p->forest->n_trees : p->stacks.n / STACKS_PER_THREAD + 1;
	struct edge_walk w = {
		.g = g, .wanted = wanted, .both = both, .parts = wish < pool_size() ? wish : pool_size()
	};

	assert(keep && g->live && g->weight);
	spots_init(&w.spots, g, keep, wanted, both);
	return w;
}

void graph_edges(const struct graph *g, const bool *keep, const bool *wanted, bool both, struct arena *mem,
		 struct edges *out)
{
	struct edge_walk w = edges_start(g, keep, wanted, both);

	edges_count(&w, mem, out);
	if (out->n && !stop_is_set(g->view->stop))
		qsort(out->edge, out->n, sizeof(*out->edge), by_dst_src);
	spots_release(&w.spots);
}

/* Numbers of calls between locations, in every SAMPLED-th stack. */
struct call_sample {
	uint8_t *seen; /* [SEEN_BITS / 8] by the hash of the call */
	uint64_t n, n_distinct;
};

static void sample_call(struct call_sample *c, uint64_t hash)
{
	uint64_t bit = hash % SEEN_BITS;

	c->n++;
	c->n_distinct += !(c->seen[bit / 8] >> bit % 8 & 1);
	c->seen[bit / 8] |= (uint8_t)(1 << bit % 8);
}

/*
 * Estimate the number of wanted calls between locations. 0 if most of those sampled occur more than once: counting all then
 * takes less time, since few have to be remembered.
 */
static uint64_t bounds_estimate(const struct edge_walk *w)
{
	const struct csr *stacks = &w->g->view->p->stacks;
	struct call_sample c = { .seen = mem_zalloc(SEEN_BITS / 8, 1) };

	for (uint64_t s = 0; s < stacks->n; s += SAMPLED) {
		uint32_t caller = NO_NODE;

		for (uint32_t i = stacks->off[s + 1]; i-- > stacks->off[s];) {
			const struct spot *spot = spot_at(&w->spots, stacks->item[i]);

			if (spot && spot->outer_wanted && caller != NO_NODE && caller != spot->outer)
				sample_call(&c, sketch_hash(caller, spot->outer));
			caller = spot ? spot->inner : caller;
		}
	}
	free(c.seen);
	return c.n_distinct > c.n / 2 ? c.n * SAMPLED : 0;
}

/*
 * The number of counters: as many as needed for a mean of a quarter of the limit, if possible. 0 if the first walk would
 * not save time, since there are few calls or the mean would reach the limit.
 */
static size_t bounds_size(const struct edge_walk *w, uint64_t limit)
{
	uint32_t n_stacks = w->g->view->p->stacks.n;
	uint64_t n_calls = limit > 0 ? bounds_estimate(w) : 0;
	size_t n = SKETCH_MIN;
	double sum = 0, needed; /* counters with a mean of the limit */

	if (n_calls / CALLS_PER_COUNTER < SKETCH_MIN)
		return 0;
	for (uint32_t s = 0; s < n_stacks; s++)
		sum += (double)num_abs(w->g->weight[s]);
	needed = sum / n_stacks * (double)n_calls / (double)limit;
	while (n < SKETCH_MAX && (double)n < 4 * needed)
		n *= 2;
	return (double)n > needed ? n : 0;
}

static void bounds_run(void *arg, unsigned part)
{
	struct edge_walk *w = arg;
	struct bounds *b = &w->bounds[part];
	const struct csr *stacks = &w->g->view->p->stacks;
	uint32_t end = csr_part(stacks, part + 1, w->parts);

	for (uint32_t s = csr_part(stacks, part, w->parts); s < end && !stop_step(w->g->view->stop, s); s++) {
		const uint32_t *first = stacks->item + stacks->off[s], *loc = stacks->item + stacks->off[s + 1];
		uint64_t weight = num_abs(w->g->weight[s]);
		uint32_t caller = NO_NODE;

		while (weight && loc-- > first) {
			struct bound *at = &b->bound[*loc];

			if (at->inner == NO_NODE)
				continue;
			sketch_add_to(&b->sketch, &at->sum, weight);
			if (caller != NO_NODE && at->outer != NO_NODE && at->outer != caller)
				sketch_add(&b->sketch, sketch_hash(caller, at->outer), weight);
			caller = at->inner;
		}
	}
}

static void bounds_init(struct bounds *b, const struct edge_walk *w, uint64_t limit, size_t n)
{
	uint32_t n_locs = w->g->view->p->n_locs;

	sketch_init(&b->sketch, limit, n);
	b->bound = mem_alloc(n_locs, sizeof(*b->bound));
	for (uint32_t loc = 0; loc < n_locs; loc++) {
		const struct spot *spot = spot_at(&w->spots, loc);

		b->bound[loc] = (struct bound){ .outer = spot && spot->outer_wanted ? spot->outer : NO_NODE,
						.inner = spot ? spot->inner : NO_NODE };
	}
}

static void bounds_release(struct bounds *b)
{
	sketch_release(&b->sketch);
	free(b->bound);
}

/* Add the bounds of the other parts to the first part. */
static void bounds_merge(struct edge_walk *w)
{
	struct bounds *b = w->bounds;

	for (unsigned part = 1; part < w->parts; part++) {
		sketch_merge(&b->sketch, &b[part].sketch);
		for (uint32_t loc = 0; loc < w->g->view->p->n_locs; loc++)
			sketch_add_to(&b->sketch, &b->bound[loc].sum, b[part].bound[loc].sum);
		bounds_release(&b[part]);
	}
}

/* Keep only the calls inside a location that can reach the limit. */
static void bounds_prune(struct sketch *k, struct spots *spots, uint32_t loc)
{
	struct spot *spot = &spots->spot[spots->of[loc]];
	uint32_t n = spot->n;

	spot->n = 0;
	for (uint32_t i = spot->first; i < spot->first + n; i++) {
		struct inner_call f = spots->inner_call[i];

		if (sketch_accept(k, sketch_hash(f.src, f.dst)))
			spots->inner_call[spot->first + spot->n++] = f;
	}
	if (spot->n == 0 && !spot->outer_wanted)
		spots->mark[loc] = LOC_KEPT;
}

/* Add the calls inside locations after those between them: many reach the limit, and they must not accept others. */
static void bounds_finish(struct edge_walk *w)
{
	struct sketch *k = &w->bounds->sketch;
	struct spots *spots = &w->spots;
	uint32_t n_locs = w->g->view->p->n_locs;

	sketch_close(k);
	for (uint32_t loc = 0; loc < n_locs; loc++) {
		const struct spot *spot = spot_at(spots, loc);

		for (uint32_t i = 0; spot && i < spot->n; i++) {
			const struct inner_call *f = &spots->inner_call[spot->first + i];

			sketch_add(k, sketch_hash(f->src, f->dst), w->bounds->bound[loc].sum);
		}
	}
	for (uint32_t loc = 0; loc < n_locs; loc++)
		if (spots->mark[loc])
			bounds_prune(k, spots, loc);
}

void graph_edges_above(const struct graph *g, const bool *keep, const bool *wanted, uint64_t limit, struct arena *mem,
		       struct edges *out)
{
	struct edge_walk w = edges_start(g, keep, wanted, false);
	size_t n = g->view->p->forest ? 0 : bounds_size(&w, limit); /* trees have few calls */

	if (n > 0) {
		w.bounds = mem_alloc(w.parts, sizeof(*w.bounds));
		for (unsigned i = 0; i < w.parts; i++)
			bounds_init(&w.bounds[i], &w, limit, n);
		stop_begin(g->view->stop, "finding calls", g->view->p->stacks.n);
		pool_run(bounds_run, &w, w.parts);
		bounds_merge(&w);
		bounds_finish(&w);
	}
	edges_count(&w, mem, out);
	if (n > 0)
		bounds_release(w.bounds);
	free(w.bounds);
	spots_release(&w.spots);
}
