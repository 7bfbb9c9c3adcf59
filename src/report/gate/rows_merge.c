/*
 * rows_merge.c - merge functions with nearly the same samples into one row
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A chain of functions that only call the next one is a single fact and must be a single test. Every pick, largest
 * first, is compared with the following ones that are nearly as large, in total and in every range of stacks. One walk
 * over the stacks sums up the common samples of such pairs. All members of a group are similar to its first pick, so a
 * long chain is not merged link by link. Flat samples of two functions never overlap and are not compared.
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

#define DIFFERENCE_MAX 0.05      /* max difference, as a share of the samples of both sides together */
#define SIDE_DIFFERENCE_MAX 0.10 /* max difference, as a share of the samples of one side */
#define SIZE_MIN 0.949 /* min size relative to the first pick: 1 - DIFFERENCE_MAX, minus a margin for rounding */

enum { LOT = 16 }; /* ranges */

/* Common samples of two picks. */
struct rows_merge_pair {
	uint32_t other; /* the second pick */
	double common[N_SIDES];
};

/* Pairs that may be similar. */
struct rows_merge_pairs {
	uint32_t *off; /* [picks + 1] */
	struct rows_merge_pair *pair;
	size_t cap;
};

/* End of the range of picks after first that are large enough to be similar to it. */
static uint32_t window_end(const struct gate_picks *p, uint32_t first)
{
	uint32_t end = first + 1;

	while (end < p->n && p->pick[end].share >= SIZE_MIN * p->pick[first].share)
		end++;
	return end;
}

static bool rows_merge_is_similar(const struct gate_pick *a, const struct gate_pick *b, const double common[N_SIDES])
{
	double all = 0, different = 0;

	for (int side = 0; side < N_SIDES; side++) {
		double either = a->part[side] + b->part[side] - common[side];
		double one = either - common[side];

		if (one > SIDE_DIFFERENCE_MAX * either)
			return false;
		all += either;
		different += one;
	}
	return different <= DIFFERENCE_MAX * all;
}

/*
 * Returns true if the sums of the ranges differ so much that two picks cannot be similar. The bound follows from a + b
 * - 2 common > DIFFERENCE_MAX (a + b - common), where a and b are the sums of the picks and common is the sum of their
 * common samples.
 */
static bool ranges_differ(const struct gate_picks *p, const struct gate_lists *l, uint32_t a, uint32_t b)
{
	const struct gate_pick *left = &p->pick[a], *right = &p->pick[b];
	double max = DIFFERENCE_MAX / (2 - DIFFERENCE_MAX) * (left->share + right->share) * (1 + 1e-9), sum = 0;

	for (int side = 0; side < N_SIDES; side++) {
		const double *x = l->sum + ((size_t)a * N_SIDES + side) * l->n_ranges;
		const double *y = l->sum + ((size_t)b * N_SIDES + side) * l->n_ranges;
		double per = gate_part(p->s, side, 1);

		for (uint32_t from = 0; from < l->n_ranges; from += LOT) {
			uint32_t end = l->n_ranges - from < LOT ? l->n_ranges : from + LOT;
			double differ = 0;

			for (uint32_t i = from; i < end; i++)
				differ += fabs(x[i] - y[i]);
			sum += differ * per;
			if (sum > max)
				return true;
		}
	}
	return false;
}

/* Find the pairs to compare: cum picks with similar sums, both in total and in every range of stacks. */
static void rows_merge_find_pairs(const struct gate_picks *p, const struct gate_lists *l, struct rows_merge_pairs *out)
{
	uint32_t n = 0;

	*out = (struct rows_merge_pairs){ .off = mem_alloc((size_t)p->n + 1, sizeof(*out->off)) };
	for (uint32_t i = 0; i < p->n; i++) {
		uint32_t end = p->pick[i].kind == GATE_CUM ? window_end(p, i) : 0;

		out->off[i] = n;
		for (uint32_t k = i + 1; k < end; k++) {
			if (p->pick[k].kind != GATE_CUM || ranges_differ(p, l, i, k))
				continue;
			out->pair = mem_grow(out->pair, &out->cap, (size_t)n + 1, sizeof(*out->pair));
			out->pair[n++] = (struct rows_merge_pair){ .other = k };
		}
	}
	out->off[p->n] = n;
}

/* Stacks are divided in the same way on every machine, so that sums are equal to the last bit. */
enum { PARTS = 8 };

struct rows_merge_adder {
	const struct gate_picks *p;
	const struct gate_lists *l;
	double per[N_SIDES]; /* 1 / total */
	const struct rows_merge_pairs *pairs;
	const uint32_t *first;
	const bool *is_grouped;
	struct added {
		double (*common)[N_SIDES]; /* [pairs] */
		double *depth, *weight;    /* [picks] */
	} part[PARTS];
	atomic_uint next;
};

static void adder_init(struct rows_merge_adder *w, const struct gate_picks *p, const struct gate_lists *l)
{
	*w = (struct rows_merge_adder){ .p = p, .l = l };
	for (int side = 0; side < N_SIDES; side++)
		w->per[side] = gate_part(p->s, side, 1);
}

static uint32_t adder_start(const struct rows_merge_adder *w, unsigned part)
{
	return (uint32_t)((uint64_t)w->l->n * part / PARTS);
}

static void run_common(void *arg, unsigned thread)
{
	struct rows_merge_adder *w = arg;
	const struct rows_merge_pairs *pairs = w->pairs;
	uint32_t *seen = mem_zalloc((size_t)w->p->n + 1, sizeof(*seen)), part;

	(void)thread;
	while ((part = atomic_fetch_add(&w->next, 1)) < PARTS)
		for (uint32_t i = adder_start(w, part); i < adder_start(w, part + 1); i++) {
			const struct gate_list *list = &w->l->list[i];
			enum side side = gate_list_side(w->l, i);
			double part_of = list->value * w->per[side];

			for (uint32_t k = 0; k < list->n; k++)
				seen[list->pick[k]] = i + 1;
			for (uint32_t k = 0; k < list->n; k++)
				for (uint32_t m = pairs->off[list->pick[k]]; m < pairs->off[list->pick[k] + 1]; m++)
					if (seen[pairs->pair[m].other] == i + 1)
						w->part[part].common[m][side] += part_of;
		}
	free(seen);
}

/* Sum up the common samples of the pairs. */
static void rows_merge_add_common(const struct gate_picks *p, const struct gate_lists *l,
				  const struct rows_merge_pairs *pairs)
{
	uint32_t n = pairs->off[p->n];
	struct rows_merge_adder w;

	if (n == 0)
		return;
	adder_init(&w, p, l);
	w.pairs = pairs;
	for (int i = 0; i < PARTS; i++)
		w.part[i].common = mem_zalloc(n, sizeof(*w.part[i].common));
	pool_run(run_common, &w, gate_rows_threads(l->n));
	for (int i = 0; i < PARTS; i++) {
		for (uint32_t k = 0; k < n; k++)
			for (int side = 0; side < N_SIDES; side++)
				pairs->pair[k].common[side] += w.part[i].common[k][side];
		free(w.part[i].common);
	}
}

/* Form groups: each ungrouped pick, in order, takes the ungrouped picks that are similar to it. */
static void form_groups(const struct gate_picks *p, const struct rows_merge_pairs *pairs, uint32_t *first)
{
	for (uint32_t i = 0; i < p->n; i++) {
		if (first[i] != GATE_NO_FUNC)
			continue;
		first[i] = i;
		for (uint32_t k = pairs->off[i]; k < pairs->off[i + 1]; k++) {
			const struct rows_merge_pair *pair = &pairs->pair[k];

			if (first[pair->other] == GATE_NO_FUNC &&
			    rows_merge_is_similar(&p->pick[i], &p->pick[pair->other], pair->common))
				first[pair->other] = i;
		}
	}
}

static void run_depth(void *arg, unsigned thread)
{
	struct rows_merge_adder *w = arg;
	const struct gate_lists *l = w->l;
	uint32_t *rank = mem_zalloc((size_t)w->p->n + 1, sizeof(*rank)), part;

	(void)thread;
	while ((part = atomic_fetch_add(&w->next, 1)) < PARTS)
		for (uint32_t i = adder_start(w, part); i < adder_start(w, part + 1); i++) {
			const struct gate_list *list = &l->list[i];
			double weight = list->value * w->per[gate_list_side(l, i)];

			for (uint32_t k = 0; k < list->n; k++) {
				uint32_t pick = list->pick[k];

				if (!w->is_grouped[pick])
					continue;
				w->part[part].depth[pick] += weight * rank[w->first[pick]]++;
				w->part[part].weight[pick] += weight;
			}
			for (uint32_t k = 0; k < list->n; k++)
				rank[w->first[list->pick[k]]] = 0;
		}
	free(rank);
}

/* Find the average depth of each pick: the number of members of its group that are nearer to the leaf. 0 for a group
   of one. */
static void find_depth(const struct gate_picks *p, const struct gate_lists *l, const uint32_t *first, double *depth)
{
	bool *is_grouped = mem_zalloc((size_t)p->n + 1, sizeof(*is_grouped)), any = false;
	double *weight = mem_zalloc((size_t)p->n + 1, sizeof(*weight));
	struct rows_merge_adder w;

	for (uint32_t i = 0; i < p->n; i++)
		if (first[i] != i)
			any = is_grouped[i] = is_grouped[first[i]] = true;
	memset(depth, 0, p->n * sizeof(*depth));
	adder_init(&w, p, l);
	w.first = first;
	w.is_grouped = is_grouped;
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
	free(is_grouped);
}

static bool is_better_name(const struct gate_picks *p, uint32_t a, uint32_t b, const double *depth)
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
	struct rows_merge_pairs pairs;

	memset(first, 0xff, p->n * sizeof(*first));
	rows_merge_find_pairs(p, l, &pairs);
	rows_merge_add_common(p, l, &pairs);
	form_groups(p, &pairs, first);
	find_depth(p, l, first, depth);
	for (uint32_t i = 0; i < p->n; i++) {
		named[i] = i;
		if (is_better_name(p, i, named[first[i]], depth))
			named[first[i]] = i;
	}
	for (uint32_t i = 0; i < p->n; i++)
		assert(first[i] <= i && first[first[i]] == first[i]);
	free(pairs.off);
	free(pairs.pair);
}
