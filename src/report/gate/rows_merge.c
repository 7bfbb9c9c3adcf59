/*
 * rows_merge.c - functions with nearly the same samples are one row
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A chain of calls that only hand on is one fact and must be one test. Every pick, the largest first, is compared
 * with those behind it that are nearly as large; what they have in common is added up by one walk over its classes.
 * All of a group are like its first one, so that a long chain does not become one row link by link. Flat samples
 * of two functions have nothing in common and are not looked at.
 */
#include "config.h"

#include "report/gate/rows_int.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define UNLIKE 0.05      /* of both sides' samples together */
#define UNLIKE_SIDE 0.10 /* of the samples of one side */
#define LARGE 0.949      /* as much of the first one the others have at least: 1 - UNLIKE and what rounding loses */

/* Classes and picks, either way around. */
struct map {
	uint32_t n_classes;
	const struct gate_classes *c;
	uint64_t *off; /* [n_classes + 1] */
	uint32_t *pick;
	uint64_t *class_off; /* [picks + 1] */
	uint32_t *class;
};

static void map_init(struct map *m, const struct gate_picks *p, const struct gate_classes *c)
{
	uint64_t n = 0;
	uint64_t *at = mem_zalloc((size_t)p->n + 1, sizeof(*at));

	*m = (struct map){ .n_classes = c->ids.n, .c = c };
	m->off = mem_alloc((size_t)m->n_classes + 1, sizeof(*m->off));
	m->pick = mem_alloc(2 * (m->n_classes ? c->ids.off[m->n_classes] : 0) + p->n + 1, sizeof(*m->pick));
	for (uint32_t i = 0; i < m->n_classes; i++) {
		uint32_t cell;

		m->off[i] = n;
		n += gate_classes_get(c, i, &cell, m->pick + n);
	}
	m->off[m->n_classes] = n;
	m->class_off = mem_zalloc((size_t)p->n + 1, sizeof(*m->class_off));
	m->class = mem_alloc((size_t)n + 1, sizeof(*m->class));
	for (uint64_t i = 0; i < n; i++)
		m->class_off[m->pick[i] + 1]++;
	for (uint32_t i = 0; i < p->n; i++)
		at[i + 1] = m->class_off[i + 1] += m->class_off[i];
	for (uint32_t i = 0; i < m->n_classes; i++)
		for (uint64_t k = m->off[i]; k < m->off[i + 1]; k++)
			m->class[at[m->pick[k]]++] = i;
	free(at);
}

static void map_release(struct map *m)
{
	free(m->off);
	free(m->pick);
	free(m->class_off);
	free(m->class);
}

/* The picks behind first that are large enough to be like it: up to, not including, the one given. */
static uint32_t window_end(const struct gate_picks *p, uint32_t first)
{
	uint32_t end = first + 1;

	while (end < p->n && p->pick[end].share >= LARGE * p->pick[first].share)
		end++;
	return end;
}

static bool is_free(const struct gate_picks *p, const uint32_t *first, uint32_t i)
{
	return first[i] == GATE_NO_FUNC && p->pick[i].kind == GATE_CUM;
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

/* Find what is like pick i; common is all zero, before and after. */
static void gather(const struct gate_picks *p, const struct map *m, uint32_t i, uint32_t *first,
		   double (*common)[N_STATS_SIDES])
{
	uint32_t end = window_end(p, i), n = 0;

	first[i] = i;
	for (uint32_t k = i + 1; k < end; k++)
		n += is_free(p, first, k);
	if (n == 0 || p->pick[i].kind != GATE_CUM)
		return;
	for (uint64_t c = m->class_off[i]; c < m->class_off[i + 1]; c++) {
		uint32_t class = m->class[c];
		double part[N_STATS_SIDES];

		for (int side = 0; side < N_STATS_SIDES; side++)
			part[side] = gate_part(p->s, side, m->c->value[side][class]);
		for (uint64_t k = m->off[class]; k < m->off[class + 1]; k++)
			for (int side = 0; side < N_STATS_SIDES; side++)
				common[m->pick[k]][side] += part[side];
	}
	for (uint32_t k = i + 1; k < end; k++)
		if (is_free(p, first, k) && is_alike(&p->pick[i], &p->pick[k], common[k]))
			first[k] = i;
	memset(common[i], 0, sizeof(*common));
	for (uint64_t c = m->class_off[i]; c < m->class_off[i + 1]; c++)
		for (uint64_t k = m->off[m->class[c]]; k < m->off[m->class[c] + 1]; k++)
			memset(common[m->pick[k]], 0, sizeof(*common));
}

/* How many of its group stand nearer to the leaf, on average over all samples. */
static void find_depth(const struct gate_picks *p, const struct map *m, const uint32_t *first, double *depth)
{
	double *weight = mem_zalloc((size_t)p->n + 1, sizeof(*weight));
	uint32_t *rank = mem_zalloc((size_t)p->n + 1, sizeof(*rank));

	memset(depth, 0, p->n * sizeof(*depth));
	for (uint32_t c = 0; c < m->n_classes; c++) {
		double w = gate_part(p->s, STATS_BASE, m->c->value[STATS_BASE][c]) +
			   gate_part(p->s, STATS_NEW, m->c->value[STATS_NEW][c]);

		for (uint64_t k = m->off[c]; k < m->off[c + 1]; k++) {
			depth[m->pick[k]] += w * rank[first[m->pick[k]]]++;
			weight[m->pick[k]] += w;
		}
		for (uint64_t k = m->off[c]; k < m->off[c + 1]; k++)
			rank[first[m->pick[k]]] = 0;
	}
	for (uint32_t i = 0; i < p->n; i++)
		if (weight[i] > 0)
			depth[i] /= weight[i];
	free(weight);
	free(rank);
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

void gate_picks_merge(const struct gate_picks *p, const struct gate_classes *c, uint32_t *first, uint32_t *named,
		      double *depth)
{
	struct map m;
	double(*common)[N_STATS_SIDES] = mem_zalloc((size_t)p->n + 1, sizeof(*common));

	memset(first, 0xff, p->n * sizeof(*first));
	map_init(&m, p, c);
	for (uint32_t i = 0; i < p->n; i++)
		if (first[i] == GATE_NO_FUNC)
			gather(p, &m, i, first, common);
	find_depth(p, &m, first, depth);
	for (uint32_t i = 0; i < p->n; i++) {
		named[i] = i;
		if (names_better(p, i, named[first[i]], depth))
			named[first[i]] = i;
	}
	map_release(&m);
	free(common);
}
