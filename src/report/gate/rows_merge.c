/*
 * rows_merge.c - functions with nearly the same samples are one row
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A chain of calls that only hand on is one fact and must be one test. Every pick, the largest first, is compared
 * with those behind it that are nearly as large, in all and in every range of stacks; what such pairs have in common
 * is added up by one walk over the stacks. All of a group are like its first one, so that a long chain does not become one row link by link. Flat samples
 * of two functions have nothing in common and are not looked at.
 */
#include "config.h"

#include "report/gate/rows_int.h"

#include "base/mem.h"
#include "base/pool.h"
#include "engine/runtime_names.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define UNLIKE 0.05      /* of both sides' samples together */
#define UNLIKE_SIDE 0.10 /* of the samples of one side */
#define LARGE 0.949      /* as much of the first one the others have at least: 1 - UNLIKE and what rounding loses */

enum { LOT = 16 }; /* ranges */

/* What two picks have in common. */
struct pair {
	uint32_t other; /* behind the first one */
	double common[N_STATS_SIDES];
};

/* Those that may be alike. */
struct pairs {
	uint32_t *off; /* [picks + 1] */
	struct pair *pair;
	size_t cap;
};

/* The picks behind first that are large enough to be like it: up to, not including, the one given. */
static uint32_t window_end(const struct gate_picks *p, uint32_t first)
{
	uint32_t end = first + 1;

	while (end < p->n && p->pick[end].share >= LARGE * p->pick[first].share)
		end++;
	return end;
}

static bool is_alike(const struct gate_pick *a, const struct gate_pick *b, const double common[N_STATS_SIDES])
{
	double all = 0, unlike = 0;

	for (int side = 0; side < N_STATS_SIDES; side++) {
		double either = a->part[side] + b->part[side] - common[side];
		double one = either - common[side];

		if (one > UNLIKE_SIDE * either)
			return false;
		all += either;
		unlike += one;
	}
	return unlike <= UNLIKE * all;
}

/* How much of the ranges is not common, at least. From a + b - 2 common > UNLIKE (a + b - common) follows what two that
   are alike cannot exceed. */
static bool ranges_differ(const struct gate_picks *p, const struct gate_lists *l, uint32_t a, uint32_t b)
{
	const struct gate_pick *left = &p->pick[a], *right = &p->pick[b];
	double most = UNLIKE / (2 - UNLIKE) * (left->share + right->share) * (1 + 1e-9), sum = 0;

	for (int side = 0; side < N_STATS_SIDES; side++) {
		const double *x = l->sum + ((size_t)a * N_STATS_SIDES + side) * l->n_ranges;
		const double *y = l->sum + ((size_t)b * N_STATS_SIDES + side) * l->n_ranges;
		double per = gate_part(p->s, side, 1);

		for (uint32_t from = 0; from < l->n_ranges; from += LOT) {
			uint32_t end = l->n_ranges - from < LOT ? l->n_ranges : from + LOT;
			double differ = 0;

			for (uint32_t i = from; i < end; i++)
				differ += fabs(x[i] - y[i]);
			sum += differ * per;
			if (sum > most)
				return true;
		}
	}
	return false;
}

/* All pairs that need a closer look: cum samples, nearly as many, and nearly as many in every range. */
static void find_pairs(const struct gate_picks *p, const struct gate_lists *l, struct pairs *out)
{
	uint32_t n = 0;

	*out = (struct pairs){ .off = mem_alloc((size_t)p->n + 1, sizeof(*out->off)) };
	for (uint32_t i = 0; i < p->n; i++) {
		uint32_t end = p->pick[i].kind == GATE_CUM ? window_end(p, i) : 0;

		out->off[i] = n;
		for (uint32_t k = i + 1; k < end; k++) {
			if (p->pick[k].kind != GATE_CUM || ranges_differ(p, l, i, k))
				continue;
			out->pair = mem_grow(out->pair, &out->cap, (size_t)n + 1, sizeof(*out->pair));
			out->pair[n++] = (struct pair){ .other = k };
		}
	}
	out->off[p->n] = n;
}

/* Stacks are parted in the same way on any machine, so that sums are the same to the last bit. */
enum { PARTS = 8 };

struct adding {
	const struct gate_picks *p;
	const struct gate_lists *l;
	double per[N_STATS_SIDES]; /* 1 / total */
	const struct pairs *pairs;
	const uint32_t *first;
	const bool *has_company;
	struct added {
		double (*common)[N_STATS_SIDES]; /* [pairs] */
		double *depth, *weight;          /* [picks] */
	} part[PARTS];
	atomic_uint next;
};

static void adding_init(struct adding *w, const struct gate_picks *p, const struct gate_lists *l)
{
	*w = (struct adding){ .p = p, .l = l };
	for (int side = 0; side < N_STATS_SIDES; side++)
		w->per[side] = gate_part(p->s, side, 1);
}

static uint32_t adding_start(const struct adding *w, unsigned part)
{
	return (uint32_t)((uint64_t)w->l->n * part / PARTS);
}

static void run_common(void *arg, unsigned thread)
{
	struct adding *w = arg;
	const struct gate_paths *paths = &w->p->s->paths;
	const struct pairs *pairs = w->pairs;
	uint32_t *seen = mem_zalloc((size_t)w->p->n + 1, sizeof(*seen)), part;

	(void)thread;
	while ((part = atomic_fetch_add(&w->next, 1)) < PARTS)
		for (uint32_t i = adding_start(w, part); i < adding_start(w, part + 1); i++) {
			const uint32_t *list = w->l->pick + w->l->off[i], *end = w->l->pick + w->l->off[i + 1];

			for (const uint32_t *pick = list; pick < end; pick++)
				seen[*pick] = i + 1;
			for (const uint32_t *pick = list; pick < end; pick++)
				for (uint32_t k = pairs->off[*pick]; k < pairs->off[*pick + 1]; k++)
					for (int side = 0; seen[pairs->pair[k].other] == i + 1 && side < N_STATS_SIDES;
					     side++)
						w->part[part].common[k][side] += paths->value[side][i] * w->per[side];
		}
	free(seen);
}

/* Add up what is common to the pairs. */
static void add_common(const struct gate_picks *p, const struct gate_lists *l, const struct pairs *pairs)
{
	uint32_t n = pairs->off[p->n];
	struct adding w;

	if (n == 0)
		return;
	adding_init(&w, p, l);
	w.pairs = pairs;
	for (int i = 0; i < PARTS; i++)
		w.part[i].common = mem_zalloc(n, sizeof(*w.part[i].common));
	pool_run(run_common, &w, gate_rows_threads(l->n));
	for (int i = 0; i < PARTS; i++) {
		for (uint32_t k = 0; k < n; k++)
			for (int side = 0; side < N_STATS_SIDES; side++)
				pairs->pair[k].common[side] += w.part[i].common[k][side];
		free(w.part[i].common);
	}
}

/* The first one of every group takes those behind it that are free. */
static void gather(const struct gate_picks *p, const struct pairs *pairs, uint32_t *first)
{
	for (uint32_t i = 0; i < p->n; i++) {
		if (first[i] != GATE_NO_FUNC)
			continue;
		first[i] = i;
		for (uint32_t k = pairs->off[i]; k < pairs->off[i + 1]; k++) {
			const struct pair *pair = &pairs->pair[k];

			if (first[pair->other] == GATE_NO_FUNC &&
			    is_alike(&p->pick[i], &p->pick[pair->other], pair->common))
				first[pair->other] = i;
		}
	}
}

static void run_depth(void *arg, unsigned thread)
{
	struct adding *w = arg;
	const struct gate_paths *paths = &w->p->s->paths;
	const struct gate_lists *l = w->l;
	uint32_t *rank = mem_zalloc((size_t)w->p->n + 1, sizeof(*rank)), part;

	(void)thread;
	while ((part = atomic_fetch_add(&w->next, 1)) < PARTS)
		for (uint32_t i = adding_start(w, part); i < adding_start(w, part + 1); i++) {
			double weight = paths->value[STATS_BASE][i] * w->per[STATS_BASE] +
					paths->value[STATS_NEW][i] * w->per[STATS_NEW];

			for (uint64_t k = l->off[i]; k < l->off[i + 1]; k++) {
				uint32_t pick = l->pick[k];

				if (!w->has_company[pick])
					continue;
				w->part[part].depth[pick] += weight * rank[w->first[pick]]++;
				w->part[part].weight[pick] += weight;
			}
			for (uint64_t k = l->off[i]; k < l->off[i + 1]; k++)
				rank[w->first[l->pick[k]]] = 0;
		}
	free(rank);
}

/* How many of its group stand nearer to the leaf, on average over all samples. One that is alone stands at 0. */
static void find_depth(const struct gate_picks *p, const struct gate_lists *l, const uint32_t *first, double *depth)
{
	bool *has_company = mem_zalloc((size_t)p->n + 1, sizeof(*has_company)), any = false;
	double *weight = mem_zalloc((size_t)p->n + 1, sizeof(*weight));
	struct adding w;

	for (uint32_t i = 0; i < p->n; i++)
		if (first[i] != i)
			any = has_company[i] = has_company[first[i]] = true;
	memset(depth, 0, p->n * sizeof(*depth));
	adding_init(&w, p, l);
	w.first = first;
	w.has_company = has_company;
	for (int i = 0; any && i < PARTS; i++) {
		w.part[i].depth = mem_zalloc(p->n, sizeof(*depth));
		w.part[i].weight = mem_zalloc(p->n, sizeof(*weight));
	}
	if (any)
		pool_run(run_depth, &w, gate_rows_threads(l->n));
	for (int i = 0; any && i < PARTS; i++) {
		for (uint32_t k = 0; k < p->n; k++) {
			depth[k] += w.part[i].depth[k];
			weight[k] += w.part[i].weight[k];
		}
		free(w.part[i].depth);
		free(w.part[i].weight);
	}
	for (uint32_t i = 0; i < p->n; i++)
		if (weight[i] > 0)
			depth[i] /= weight[i];
	free(weight);
	free(has_company);
}

static bool names_better(const struct gate_picks *p, uint32_t a, uint32_t b, const double *depth)
{
	const struct gate_func *l = &p->func[p->pick[a].func], *r = &p->func[p->pick[b].func];
	bool own = function_is_own(l->name, l->file);
	int d;

	if (own != function_is_own(r->name, r->file))
		return own;
	if (depth[a] != depth[b])
		return depth[a] < depth[b];
	d = strcmp(l->name, r->name);
	return d ? d < 0 : a < b;
}

void gate_picks_merge(const struct gate_picks *p, const struct gate_lists *l, uint32_t *first, uint32_t *named,
		      double *depth)
{
	struct pairs pairs;

	memset(first, 0xff, p->n * sizeof(*first));
	find_pairs(p, l, &pairs);
	add_common(p, l, &pairs);
	gather(p, &pairs, first);
	find_depth(p, l, first, depth);
	for (uint32_t i = 0; i < p->n; i++) {
		named[i] = i;
		if (names_better(p, i, named[first[i]], depth))
			named[first[i]] = i;
	}
	for (uint32_t i = 0; i < p->n; i++)
		assert(first[i] <= i && first[first[i]] == first[i]);
	free(pairs.off);
	free(pairs.pair);
}
