/*
 * edges.c - the calls between kept nodes
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each thread walks the next stacks in turn, from root to leaf, and counts calls in its own table. The table stores for
 * each call the last stack that counted it. The tables are merged and sorted, so the result is the same for any number
 * of threads.
 */
#include "config.h"

#include "engine/edges_int.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/pool.h"
#include "engine/sums.h"
#include "profile/forest.h"
#include "profile/sums.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
	STACKS_PER_THREAD = 10000,
	EDGE_RUN = 8,    /* frames that are skipped together */
	PAIRS_MAX = 256, /* kept nodes whose calls are found in an array */
};

void edges_calls_init(struct calls *c, const struct call_pairs *pairs)
{
	*c = (struct calls){ .pairs = pairs };
	if (pairs && pairs->number)
		c->of_pair = mem_zalloc((size_t)pairs->n * pairs->n, sizeof(*c->of_pair));
	else
		idtab_init(&c->ids, 1024);
	c->call = mem_grow(NULL, &c->cap, 1, sizeof(*c->call)); /* so other threads grow it in the heap of this one */
}

void edges_calls_release(struct calls *c)
{
	idtab_release(&c->ids);
	free(c->of_pair);
	free(c->call);
}

static uint32_t calls_append(struct calls *c, uint32_t src, uint32_t dst)
{
	c->call = mem_grow(c->call, &c->cap, (size_t)c->n + 1, sizeof(*c->call));
	c->call[c->n] = (struct call){ .edge = { .src = src, .dst = dst, .inlined = true } };
	return c->n++;
}

uint32_t edges_find_call(struct calls *c, uint32_t src, uint32_t dst)
{
	uint64_t h;
	uint32_t id;

	if (c->of_pair) {
		uint32_t *call = &c->of_pair[c->pairs->number[src] * c->pairs->n + c->pairs->number[dst]];

		if (*call == 0)
			*call = calls_append(c, src, dst) + 1;
		return *call - 1;
	}
	h = hash_u64((uint64_t)src << 32 | dst);
	for (size_t pos = idtab_start(&c->ids, h); idtab_next(&c->ids, h, &pos, &id);)
		if (c->call[id].edge.src == src && c->call[id].edge.dst == dst)
			return id;
	idtab_put(&c->ids, h, c->n);
	return calls_append(c, src, dst);
}

/* Count the calls inside a location. Returns false if all nodes that they call are settled. */
static bool count_inner_calls(const struct edge_walk *w, const struct spot *spot, struct edge_part *part,
			      const struct share *share)
{
	bool any = false;

	for (uint32_t i = spot->first; i < spot->first + spot->n; i++) {
		const struct inner_call *f = &w->spots.inner_call[i];

		if (is_settled(w, f->dst))
			continue;
		any = true;
		if (part->of_inner_call[i] == 0)
			part->of_inner_call[i] = edges_find_call(&part->calls, f->src, f->dst) + 1;
		count_call(&part->calls.call[part->of_inner_call[i] - 1], share, f->residual, true);
		edges_settle(w, f->dst, part->calls.call[part->of_inner_call[i] - 1].edge.weight);
	}
	return any;
}

/* The frames of a stack that have a kept place, leaf first. */
struct edge_frames {
	const uint8_t *at; /* the packed stack */
	uint32_t width;
	const uint32_t *number; /* [n] their numbers in the stack */
	uint32_t n;
};

static inline uint32_t edges_frame_loc(const struct edge_frames *f, uint32_t i)
{
	return stack_load(f->at + (size_t)f->number[i] * f->width, f->width);
}

/* Count the calls into and inside frame i. */
static inline void count_frame(const struct edge_walk *w, struct edge_part *part, const struct edge_frames *f,
			       uint32_t i, const struct share *share)
{
	uint32_t loc = edges_frame_loc(f, i), at = w->spots.of[loc];
	const struct spot *spot = &w->spots.spot[at];
	bool any = spot->outer_wanted && !is_settled(w, spot->outer);

	if ((w->both || any) && i + 1 < f->n) {
		const struct spot *caller = &w->spots.spot[w->spots.of[edges_frame_loc(f, i + 1)]];
		bool residual = f->number[i] + 1 != f->number[i + 1] || caller->inner_cut || spot->outer_cut;

		if (is_counted(w, caller->inner, spot)) {
			struct call *call = hinted_call(&part->calls, &part->of_spot[at], caller->inner, spot->outer);

			count_call(call, share, residual, spot->outer_cut);
			edges_settle(w, spot->outer, call->edge.weight);
		}
	}
	if (!count_inner_calls(w, spot, part, share) && !any && w->settled)
		part->mark[loc] &= (uint8_t)~LOC_WANTED;
}

/*
 * List the frames of a stack that have a kept place. Branchless, because the branch predictor cannot predict them.
 *
 * number  set to their numbers; has room for n
 * listed  set to the indices, among these, of those with one of these flags; has room for n
 */
static inline void edges_list_frames(const uint8_t *marks, struct edge_frames *f, uint32_t n, uint32_t width,
				     uint32_t *number, uint8_t flags, uint32_t *listed, uint32_t *n_listed)
{
	const uint8_t *at = f->at;
	uint32_t n_kept = 0, n_flagged = 0;

	for (uint32_t i = 0; i < n; i++, at += width) {
		uint8_t mark = marks[stack_load(at, width)];

		number[n_kept] = i;
		listed[n_flagged] = n_kept;
		n_kept += mark != 0;
		n_flagged += (mark & flags) != 0;
	}
	f->n = n_kept;
	*n_listed = n_flagged;
}

/* Are calls from the caller of frame i wanted? */
static inline bool edges_wants_caller(const struct edge_part *part, const struct edge_frames *f, uint32_t i)
{
	return i + 1 < f->n && part->mark[edges_frame_loc(f, i + 1)] & LOC_CALLS;
}

/* Count the calls of a stack, from root to leaf, since the first of equal calls decides whether it is inlined. */
void edges_walk_stack(const struct edge_walk *w, struct edge_part *part, const uint8_t *at, uint32_t n, uint32_t width,
		      const struct share *share)
{
	uint8_t flags = w->both ? LOC_KEPT : LOC_WANTED;
	uint32_t *listed, n_listed;
	struct edge_frames f = { at, width, NULL, 0 };

	part->frame = mem_grow(part->frame, &part->cap_frame, 2 * (size_t)n, sizeof(*part->frame));
	f.number = part->frame;
	listed = part->frame + n;
	if (width == STACK_NARROW)
		edges_list_frames(part->mark, &f, n, STACK_NARROW, part->frame, flags, listed, &n_listed);
	else
		edges_list_frames(part->mark, &f, n, STACK_WIDE, part->frame, flags, listed, &n_listed);
	while (n_listed-- > 0) {
		uint32_t i = listed[n_listed];

		if (!w->both || part->mark[edges_frame_loc(&f, i)] & LOC_WANTED || edges_wants_caller(part, &f, i))
			count_frame(w, part, &f, i, share);
	}
}

static void edges_walk_packed(const struct edge_walk *w, struct edge_part *part, uint32_t s)
{
	const struct stack_lists *stacks = &w->g->view->p->stacks;
	const struct share share = { s, w->g->weight[s], w->g->div ? w->g->div[s] : 0 };

	edges_walk_stack(w, part, stack_address(stacks, stacks->off[s]), stacks->off[s + 1] - stacks->off[s],
			 stacks->width, &share);
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

/* Are calls still needed? */
static inline bool needs_calls(const struct edge_walk *w)
{
	return !w->settled || atomic_load_explicit(&w->settled->n_left, memory_order_relaxed) > 0;
}

static void edge_part_init(const struct edge_walk *w, struct edge_part *part)
{
	uint32_t n_locs = w->g->view->p->n_locs;

	edges_calls_init(&part->calls, &w->pairs);
	part->of_inner_call = mem_zalloc(w->spots.n_inner_calls, sizeof(*part->of_inner_call));
	part->of_spot = mem_zalloc(w->spots.n, sizeof(*part->of_spot));
	part->mark = w->spots.mark;
	if (w->settled)
		part->mark = memcpy(mem_alloc(n_locs, 1), w->spots.mark, n_locs);
}

/* Release everything but the calls. */
static void edge_part_release(const struct edge_walk *w, struct edge_part *part)
{
	free(part->of_inner_call);
	free(part->of_spot);
	free(part->frame);
	if (w->settled)
		free(part->mark);
}

/*
 * The first id from number i to end whose location is wanted; end if there is none. Few are wanted, so most ids are read in runs,
 * without regard to where stacks end.
 */
static inline uint32_t edges_find_wanted(const struct stack_lists *stacks, uint32_t width, const uint8_t *marks,
					 uint32_t i, uint32_t end)
{
	const uint8_t *at = stack_address(stacks, i);

	for (; end - i >= EDGE_RUN; i += EDGE_RUN, at += (size_t)EDGE_RUN * width) {
		uint8_t any = 0;

		for (uint32_t k = 0; k < EDGE_RUN; k++)
			any |= marks[stack_load(at + (size_t)k * width, width)];
		if (any & LOC_WANTED)
			break;
	}
	while (i < end && !(marks[stack_id_at(stacks, i)] & LOC_WANTED))
		i++;
	return i;
}

/* The first stack from s to end that may have wanted calls; end if there is none. */
static uint32_t edges_next_stack(const struct edge_walk *w, const struct edge_part *part, uint32_t s, uint32_t end)
{
	const struct stack_lists *stacks = &w->g->view->p->stacks;
	const uint32_t *off = stacks->off;
	uint32_t i;

	if (s == end)
		return s;
	if (stacks->width == STACK_NARROW)
		i = edges_find_wanted(stacks, STACK_NARROW, part->mark, off[s], off[end]);
	else
		i = edges_find_wanted(stacks, STACK_WIDE, part->mark, off[s], off[end]);
	while (s < end && off[s + 1] <= i)
		s++;
	return s;
}

/* Count the calls of the stacks from s to end. skips: few are wanted. Returns the number of stacks that were read */
static uint32_t edges_run_lot(const struct edge_walk *w, struct edge_part *part, uint32_t s, uint32_t end, bool skips)
{
	uint32_t n = 0;

	for (; (s = skips ? edges_next_stack(w, part, s, end) : s) < end; s++, n++)
		if (graph_is_live(w->g, s))
			edges_walk_packed(w, part, s);
	return n;
}

static void edge_run(void *arg, unsigned part)
{
	/* If most stacks may have wanted calls, they are searched for in one of so many lots only. */
	enum { LOTS = 16 };
	struct edge_walk *w = arg;
	uint64_t lot, n = w->g->view->p->stacks.n;
	uint32_t i = 0, n_read = 0;

	assert(part < w->parts);
	while (needs_calls(w) && (lot = atomic_fetch_add(&w->next, STOP_CHECK_INTERVAL)) < n &&
	       !stop_step(w->g->view->stop, lot)) {
		bool skips = w->settled && (i++ % LOTS == 0 || n_read < STOP_CHECK_INTERVAL / 2);
		uint64_t end = n - lot < STOP_CHECK_INTERVAL ? n : lot + STOP_CHECK_INTERVAL;
		uint32_t was_read = edges_run_lot(w, &w->part[part], (uint32_t)lot, (uint32_t)end, skips);

		n_read = skips ? was_read : n_read;
	}
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
		id = edges_find_call(into, e->src, e->dst); /* may reallocate the calls */
		into->call[id].seen = 1;
		sum = &into->call[id].edge;
		sum->weight += e->weight;
		sum->div += e->div;
		sum->residual |= e->residual;
		sum->inlined &= e->inlined;
	}
}

/* Have the samples to be read again to count calls? */
static bool edges_are_read_again(const struct profile *p)
{
	return p->sums && p->sums->source.read;
}

void edges_count(struct edge_walk *w, struct arena *mem, struct edges *out)
{
	struct stop *stop = w->g->view->stop;
	struct edges e = { 0 };
	struct calls *all;

	w->part = mem_zalloc(w->parts, sizeof(*w->part));
	for (unsigned i = 0; i < w->parts; i++)
		edge_part_init(w, &w->part[i]);
	stop_begin(stop, "finding calls", w->g->view->p->stacks.n);
	if (w->g->view->p->forest && needs_calls(w))
		edges_forest_run(w);
	else if (edges_are_read_again(w->g->view->p))
		sums_count_calls(w);
	else if (!w->g->view->p->forest)
		pool_run(edge_run, w, w->parts);
	for (unsigned i = 0; i < w->parts; i++)
		edge_part_release(w, &w->part[i]);
	all = &w->part[0].calls;
	for (unsigned i = 1; i < w->parts; i++) {
		if (!stop_is_set(stop))
			calls_merge(all, &w->part[i].calls);
		edges_calls_release(&w->part[i].calls);
	}
	if (w->settled)
		calls_merge(all, &w->settled->calls);
	e.edge = arena_alloc(mem, all->n, sizeof(*e.edge));
	for (uint32_t i = 0; i < all->n; i++)
		if (all->call[i].seen)
			e.edge[e.n++] = all->call[i].edge;
	edges_calls_release(all);
	free(w->part);
	*out = e;
}

static struct call_pairs call_pairs_make(const bool *keep, uint32_t n_places)
{
	struct call_pairs pairs = { 0 };

	for (uint32_t k = 0; k < n_places; k++)
		pairs.n += keep[k];
	if (pairs.n > PAIRS_MAX)
		return pairs;
	pairs.number = mem_alloc(n_places, sizeof(*pairs.number));
	for (uint32_t k = 0, n = 0; k < n_places; n += keep[k++])
		pairs.number[k] = n;
	return pairs;
}

struct edge_walk edges_start(const struct graph *g, const bool *keep, const bool *wanted, bool both)
{
	const struct profile *p = g->view->p;
	uint32_t wish = p->forest                 ? p->forest->n_trees
			: edges_are_read_again(p) ? UINT32_MAX
						  : p->stacks.n / STACKS_PER_THREAD + 1;
	struct edge_walk w = {
		.g = g, .wanted = wanted, .both = both, .parts = wish < pool_size() ? wish : pool_size()
	};

	assert(keep && g->weight);
	spots_init(&w.spots, g, keep, wanted, both);
	w.pairs = call_pairs_make(keep, g->nodes.n);
	return w;
}

void edges_end(struct edge_walk *w)
{
	spots_release(&w->spots);
	free(w->pairs.number);
}

void graph_edges(const struct graph *g, const bool *keep, const bool *wanted, bool both, struct arena *mem,
		 struct edges *out)
{
	struct edge_walk w = edges_start(g, keep, wanted, both);

	edges_count(&w, mem, out);
	if (out->n && !stop_is_set(g->view->stop))
		qsort(out->edge, out->n, sizeof(*out->edge), by_dst_src);
	edges_end(&w);
}
