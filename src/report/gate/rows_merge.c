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

#include <math.h>
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

/* Add up what is common to the pairs. */
static void add_common(const struct gate_picks *p, const struct gate_lists *l, const struct pairs *pairs)
{
	const struct gate_paths *paths = &p->s->paths;
	uint32_t *seen = mem_zalloc((size_t)p->n + 1, sizeof(*seen));
	double per[N_STATS_SIDES];

	for (int side = 0; side < N_STATS_SIDES; side++)
		per[side] = gate_part(p->s, side, 1);
	for (uint32_t i = 0; pairs->off[p->n] && i < l->n; i++) {
		const uint32_t *list = l->pick + l->off[i], *end = l->pick + l->off[i + 1];

		for (const uint32_t *pick = list; pick < end; pick++)
			seen[*pick] = i + 1;
		for (const uint32_t *pick = list; pick < end; pick++)
			for (uint32_t k = pairs->off[*pick]; k < pairs->off[*pick + 1]; k++)
				for (int side = 0; seen[pairs->pair[k].other] == i + 1 && side < N_STATS_SIDES; side++)
					pairs->pair[k].common[side] += paths->value[side][i] * per[side];
	}
	free(seen);
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

/* How many of its group stand nearer to the leaf, on average over all samples. One that is alone stands at 0. */
static void find_depth(const struct gate_picks *p, const struct gate_lists *l, const uint32_t *first, double *depth)
{
	const struct gate_paths *paths = &p->s->paths;
	double *weight = mem_zalloc((size_t)p->n + 1, sizeof(*weight)), per[N_STATS_SIDES];
	uint32_t *rank = mem_zalloc((size_t)p->n + 1, sizeof(*rank));
	bool *has_company = mem_zalloc((size_t)p->n + 1, sizeof(*has_company)), any = false;

	for (int side = 0; side < N_STATS_SIDES; side++)
		per[side] = gate_part(p->s, side, 1);
	for (uint32_t i = 0; i < p->n; i++)
		if (first[i] != i)
			any = has_company[i] = has_company[first[i]] = true;
	memset(depth, 0, p->n * sizeof(*depth));
	for (uint32_t i = 0; any && i < l->n; i++) {
		double w = paths->value[STATS_BASE][i] * per[STATS_BASE] + paths->value[STATS_NEW][i] * per[STATS_NEW];

		for (uint64_t k = l->off[i]; k < l->off[i + 1]; k++) {
			if (!has_company[l->pick[k]])
				continue;
			depth[l->pick[k]] += w * rank[first[l->pick[k]]]++;
			weight[l->pick[k]] += w;
		}
		for (uint64_t k = l->off[i]; k < l->off[i + 1]; k++)
			rank[first[l->pick[k]]] = 0;
	}
	for (uint32_t i = 0; i < p->n; i++)
		if (weight[i] > 0)
			depth[i] /= weight[i];
	free(weight);
	free(rank);
	free(has_company);
}

static bool names_better(const struct gate_picks *p, uint32_t a, uint32_t b, const double *depth)
{
	const struct gate_func *l = &p->func[p->pick[a].func], *r = &p->func[p->pick[b].func];
	bool own = gate_is_own(l->name, l->file);
	int d;

	if (own != gate_is_own(r->name, r->file))
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
	free(pairs.off);
	free(pairs.pair);
}
