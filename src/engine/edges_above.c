/*
 * edges_above.c - the calls whose weight reaches a limit
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * If there are many different calls, a first walk finds an upper bound for each: it adds the magnitude of
 * each stack to an array of counters, at the hash of the call, and calls inside a location to one sum per location. The
 * second walk counts only the calls whose bound reaches the limit.
 *
 * If one such call is enough for a node, its calls are not counted any more once a sum has reached the limit: if no value
 * is below 0, sums only grow. The sums of locations with inlined calls, which graph_make has found, settle most nodes
 * before the walk. Then few locations have a wanted node, and the walk ends when there is none.
 */
#include "config.h"

#include "engine/edges_int.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/pool.h"
#include "profile/sums.h"

#include <assert.h>
#include <stdlib.h>

enum {
	SKETCH_MIN = 1 << 16, /* counters: 512 KiB, which fit into the L2 cache */
	SKETCH_MAX = 1 << 18,
	CALLS_PER_COUNTER = 4, /* with fewer calls, counting all takes less time */
	SAMPLED = 64,          /* every 64th stack is read to estimate their number */
	SEEN_BITS = 1 << 22,
};

bool edges_settle(const struct edge_walk *w, uint32_t dst, int64_t weight)
{
	struct settled *s = w->settled;

	if (!s || s->may_shrink || !s->enough[dst] || (uint64_t)weight < s->limit || atomic_exchange(&s->is[dst], true))
		return false;
	atomic_fetch_sub(&s->n_left, 1);
	return true;
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
	const struct stack_lists *stacks = &w->g->view->p->stacks;
	struct call_sample c = { .seen = mem_zalloc(SEEN_BITS / 8, 1) };

	for (uint64_t s = 0; s < stacks->n; s += SAMPLED) {
		uint32_t caller = NO_NODE;

		for (uint32_t i = stacks->off[s + 1]; i-- > stacks->off[s];) {
			const struct spot *spot = spot_at(&w->spots, stack_id_at(stacks, i));

			if (spot && spot->outer_wanted && caller != NO_NODE && caller != spot->outer &&
			    !is_settled(w, spot->outer))
				sample_call(&c, sketch_hash(caller, spot->outer));
			caller = spot ? spot->inner : caller;
		}
	}
	free(c.seen);
	return c.n_distinct > c.n / 2 ? c.n * SAMPLED : 0;
}

/* The sum of the nodes whose calls are still needed: with calls of the mean weight of stacks, this is their number times that. */
static double bounds_wanted_sum(const struct edge_walk *w)
{
	double sum = 0;

	for (uint32_t k = 0; k < w->g->nodes.n; k++)
		if (w->wanted[k] && !is_settled(w, k))
			sum += (double)w->g->nodes.cum[k];
	return sum;
}

/*
 * The number of counters: as many as needed for a mean of a quarter of the limit, if possible. 0 if the first walk would
 * not save time, since there are few calls or the mean would reach the limit.
 */
static size_t bounds_size(const struct edge_walk *w, uint64_t limit)
{
	uint32_t n_stacks = w->g->view->p->stacks.n;
	uint64_t n_calls, sum = 0;
	size_t n = SKETCH_MIN;
	double mean, needed; /* counters with a mean of the limit */

	if (limit == 0 || w->pairs.number || w->g->view->p->stacks.off[n_stacks] / CALLS_PER_COUNTER < SKETCH_MIN)
		return 0;
	for (uint32_t s = 0; s < n_stacks; s++)
		sum += num_abs(w->g->weight[s]);
	mean = (double)sum / n_stacks;
	if (w->settled && !w->settled->may_shrink && bounds_wanted_sum(w) < mean * CALLS_PER_COUNTER * SKETCH_MIN)
		return 0;
	n_calls = bounds_estimate(w);
	if (n_calls / CALLS_PER_COUNTER < SKETCH_MIN)
		return 0;
	needed = mean * (double)n_calls / (double)limit;
	while (n < SKETCH_MAX && (double)n < 4 * needed)
		n *= 2;
	return (double)n > needed ? n : 0;
}

static void bounds_run(void *arg, unsigned part)
{
	struct edge_walk *w = arg;
	struct bounds *b = &w->bounds[part];
	const struct stack_lists *stacks = &w->g->view->p->stacks;
	uint32_t end = profile_stack_part(stacks, part + 1, w->parts);

	for (uint32_t s = profile_stack_part(stacks, part, w->parts); s < end && !stop_step(w->g->view->stop, s); s++) {
		uint64_t weight = num_abs(w->g->weight[s]);
		uint32_t caller = NO_NODE;

		for (uint32_t i = stacks->off[s + 1]; weight && i-- > stacks->off[s];) {
			struct bound *at = &b->bound[stack_id_at(stacks, i)];

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

/* The sums of the locations that have a call inside them. */
struct inner_sum {
	uint32_t n_locs, last; /* number of locations with it, the last of these + 1 */
	uint64_t sum, most;    /* of their magnitudes, which stops growing; the largest */
};

/* A call has the weight of its location if it is in one only, and else at most the sum of all. */
static void settled_add_location(struct edge_walk *w, uint32_t loc, struct inner_sum **sum, size_t *cap)
{
	uint32_t code = w->g->nodes.places->list[loc];
	const struct spot *spot = spot_at(&w->spots, loc);
	int64_t weight = code < PLACES_MANY ? 0 : w->g->several[places_several(code)];
	struct calls *calls = &w->settled->calls;

	for (uint32_t i = 0; spot && i < spot->n; i++) {
		const struct inner_call *f = &w->spots.inner_call[spot->first + i];
		uint32_t n = calls->n, id = edges_find_call(calls, f->src, f->dst); /* may reallocate the calls */
		struct inner_sum *s;

		*sum = mem_grow(*sum, cap, (size_t)id + 1, sizeof(**sum));
		s = *sum + id;
		if (id == n)
			*s = (struct inner_sum){ 0 };
		if (s->last == loc + 1)
			continue;
		s->last = loc + 1;
		s->n_locs++;
		s->sum = s->sum + num_abs(weight) < s->sum ? UINT64_MAX : s->sum + num_abs(weight);
		if (num_abs(weight) >= s->most) {
			s->most = num_abs(weight);
			calls->call[id].edge.weight = weight;
		}
	}
}

static void settled_add(struct settled *s, uint32_t node)
{
	s->n_left -= !atomic_exchange(&s->is[node], true);
}

/*
 * Settle the nodes whose calls are known: one is enough and reaches the limit, or all are inside locations. If sums may shrink,
 * that of a location is the weight only of calls in no other location. A sum of 0 may be that of a location that no stack has.
 */
static void settled_find(struct edge_walk *w, const struct inner_sum *sum)
{
	/* OUTER: called between locations. UNKNOWN: a call inside locations may or may not reach the limit */
	enum { OUTER = 1, UNKNOWN = 2 };
	struct settled *s = w->settled;
	uint8_t *flags = mem_zalloc(w->g->nodes.n, sizeof(*flags));

	for (size_t i = 0; i < w->spots.n; i++)
		flags[w->spots.spot[i].outer] = OUTER;
	for (uint32_t i = 0; i < s->calls.n; i++) {
		uint8_t *of = &flags[s->calls.call[i].edge.dst];

		if (sum[i].n_locs == 1 ? s->limit == 0 && sum[i].most == 0 : s->may_shrink || sum[i].sum >= s->limit)
			*of |= UNKNOWN;
	}
	for (uint32_t i = 0; i < s->calls.n; i++) {
		uint32_t dst = s->calls.call[i].edge.dst;
		bool is_exact = sum[i].n_locs == 1 && !(flags[dst] & OUTER);

		if (sum[i].most < s->limit || sum[i].most == 0 ||
		    !(s->enough[dst] ? is_exact || !s->may_shrink : flags[dst] == 0))
			continue;
		s->calls.call[i].seen = 1;
		settled_add(s, dst);
	}
	for (uint32_t k = 0; k < w->g->nodes.n; k++)
		if (w->wanted[k] && flags[k] == 0)
			settled_add(s, k);
	free(flags);
}

static void settled_find_all(struct edge_walk *w)
{
	struct inner_sum *sum = NULL;
	size_t cap = 0;

	for (uint32_t loc = 0; loc < w->g->view->p->n_locs; loc++)
		settled_add_location(w, loc, &sum, &cap);
	settled_find(w, sum);
	free(sum);
}

/* Unmark the locations of which all wanted nodes are settled. */
static void settled_unmark(struct edge_walk *w)
{
	for (uint32_t loc = 0; loc < w->g->view->p->n_locs; loc++) {
		const struct spot *spot = spot_at(&w->spots, loc);
		bool any = spot && spot->outer_wanted && !is_settled(w, spot->outer);

		for (uint32_t i = 0; spot && i < spot->n; i++)
			any |= !is_settled(w, w->spots.inner_call[spot->first + i].dst);
		if (spot && !any)
			w->spots.mark[loc] = LOC_KEPT;
	}
}

/* Prepare to settle nodes. out: released with settled_release */
static void settled_init(struct edge_walk *w, const bool *enough, uint64_t limit, struct settled *out)
{
	uint32_t n = w->g->nodes.n;

	*out = (struct settled){ .limit = limit,
				 .enough = enough,
				 .may_shrink = w->g->view->side_total[SIDE_BASE] != 0 };
	if (!w->g->several)
		return;
	out->is = mem_zalloc(n, sizeof(*out->is));
	for (uint32_t k = 0; k < n; k++)
		out->n_left += w->wanted[k];
	w->settled = out;
	edges_calls_init(&out->calls, NULL);
	settled_find_all(w);
	settled_unmark(w);
}

static void settled_release(struct settled *s)
{
	if (!s->is)
		return;
	edges_calls_release(&s->calls);
	free(s->is);
}

/* Do all samples with a location whose calls are needed have their whole stacks, or can these be read again? */
static bool edges_has_stacks(const struct edge_walk *w)
{
	const struct profile *p = w->g->view->p;

	if (!p->sums || p->sums->source.read)
		return true;
	for (uint32_t loc = 0; loc < p->n_locs; loc++)
		if (w->spots.mark[loc] & LOC_WANTED && !p->sums->is_whole[loc])
			return false;
	return true;
}

bool graph_edges_above(const struct graph *g, const bool *keep, const bool *wanted, const bool *enough, uint64_t limit,
		       struct arena *mem, struct edges *out)
{
	struct edge_walk w = edges_start(g, keep, wanted, false);
	const struct profile *p = g->view->p;
	struct settled settled;
	bool is_known;
	size_t n;

	settled_init(&w, enough, limit, &settled);
	is_known = edges_has_stacks(&w);
	n = p->forest || p->sums ? 0 : bounds_size(&w, limit); /* trees have few calls */
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
	settled_release(&settled);
	edges_end(&w);
	return is_known;
}
