/*
 * rows_merge.c - functions with nearly the same samples are one row
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A chain of calls that only hand on is one fact and must be one test. Every pick, the largest first, is compared
 * with those behind it that are nearly as large; what they have in common is added up by one walk over its stacks.
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

/* Paths and picks, either way around. */
struct map {
	const struct gate_lists *l;
	const struct gate_paths *paths;
	double per[N_STATS_SIDES]; /* 1 / total */
	uint64_t *off;             /* [picks + 1] */
	uint32_t *path;
	double (*common)[N_STATS_SIDES]; /* [picks] all zero but while a pick is compared */
	uint32_t *left;                  /* [picks] what is still like that pick */
};

static void map_init(struct map *m, const struct gate_picks *p, const struct gate_lists *l)
{
	uint64_t *at = mem_zalloc((size_t)p->n + 1, sizeof(*at)), n = l->off[l->n];

	*m = (struct map){ .l = l, .paths = &p->s->paths };
	for (int side = 0; side < N_STATS_SIDES; side++)
		m->per[side] = p->s->total[side] > 0 ? 1 / p->s->total[side] : 0;
	m->common = mem_zalloc((size_t)p->n + 1, sizeof(*m->common));
	m->left = mem_alloc((size_t)p->n + 1, sizeof(*m->left));
	m->off = mem_zalloc((size_t)p->n + 1, sizeof(*m->off));
	m->path = mem_alloc_large((size_t)n + 1, sizeof(*m->path));
	for (uint64_t i = 0; i < n; i++)
		m->off[l->pick[i] + 1]++;
	for (uint32_t i = 0; i < p->n; i++)
		at[i + 1] = m->off[i + 1] += m->off[i];
	for (uint32_t i = 0; i < l->n; i++)
		for (uint64_t k = l->off[i]; k < l->off[i + 1]; k++)
			m->path[at[l->pick[k]]++] = i;
	free(at);
}

static void map_release(struct map *m)
{
	free(m->common);
	free(m->left);
	free(m->off);
	free(m->path);
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

/*
 * Can b still be like a, of which so much has been gone through? From a + b - 2 common <= UNLIKE (a + b - common)
 * follows how much of a it may lack at most.
 */
static bool may_be_alike(const struct gate_pick *a, const struct gate_pick *b, const double done[N_STATS_SIDES],
			 const double common[N_STATS_SIDES])
{
	double lack = done[STATS_BASE] - common[STATS_BASE] + done[STATS_NEW] - common[STATS_NEW];

	return lack <= a->share * (1 + 1e-9) - (1 - UNLIKE) / (2 - UNLIKE) * (a->share + b->share);
}

/* Forget what is common with pick i, whose stacks have been gone through up to end. */
static void clear(struct map *m, uint32_t n_picks, uint32_t i, uint64_t end)
{
	enum { LONG = 16 }; /* entries of a stack, or so */

	if ((end - m->off[i]) * LONG > n_picks) {
		memset(m->common, 0, n_picks * sizeof(*m->common));
		return;
	}
	for (uint64_t k = m->off[i]; k < end; k++)
		for (uint64_t j = m->l->off[m->path[k]]; j < m->l->off[m->path[k] + 1]; j++)
			memset(m->common[m->l->pick[j]], 0, sizeof(*m->common));
}

/* Find what is like pick i. Most are seen not to be after a few of its stacks. */
static void gather(const struct gate_picks *p, struct map *m, uint32_t i, uint32_t *first)
{
	enum { OFTEN = 64 };
	uint32_t end = window_end(p, i), n = 0;
	double done[N_STATS_SIDES] = { 0 };
	uint64_t at = m->off[i];

	first[i] = i;
	for (uint32_t k = i + 1; k < end; k++)
		if (is_free(p, first, k))
			m->left[n++] = k;
	if (p->pick[i].kind != GATE_CUM)
		return;
	for (; n > 0 && at < m->off[i + 1]; at++) {
		uint32_t path = m->path[at], kept = 0;

		double base = m->paths->value[STATS_BASE][path] * m->per[STATS_BASE];
		double new = m->paths->value[STATS_NEW][path] * m->per[STATS_NEW];

		done[STATS_BASE] += base;
		done[STATS_NEW] += new;
		for (uint64_t k = m->l->off[path]; k < m->l->off[path + 1]; k++) {
			m->common[m->l->pick[k]][STATS_BASE] += base;
			m->common[m->l->pick[k]][STATS_NEW] += new;
		}
		if (at % OFTEN)
			continue;
		for (uint32_t k = 0; k < n; k++)
			if (may_be_alike(&p->pick[i], &p->pick[m->left[k]], done, m->common[m->left[k]]))
				m->left[kept++] = m->left[k];
		n = kept;
	}
	for (uint32_t k = 0; k < n; k++)
		if (is_alike(&p->pick[i], &p->pick[m->left[k]], m->common[m->left[k]]))
			first[m->left[k]] = i;
	clear(m, p->n, i, at);
}

/* How many of its group stand nearer to the leaf, on average over all samples. */
static void find_depth(const struct gate_picks *p, const struct map *m, const uint32_t *first, double *depth)
{
	const struct gate_lists *l = m->l;
	double *weight = mem_zalloc((size_t)p->n + 1, sizeof(*weight));
	uint32_t *rank = mem_zalloc((size_t)p->n + 1, sizeof(*rank));
	bool any = false;

	for (uint32_t i = 0; i < p->n; i++)
		any |= first[i] != i;
	memset(depth, 0, p->n * sizeof(*depth));
	for (uint32_t i = 0; any && i < l->n; i++) {
		double w = m->paths->value[STATS_BASE][i] * m->per[STATS_BASE] +
			   m->paths->value[STATS_NEW][i] * m->per[STATS_NEW];

		for (uint64_t k = l->off[i]; k < l->off[i + 1]; k++) {
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
	struct map m;

	memset(first, 0xff, p->n * sizeof(*first));
	map_init(&m, p, l);
	for (uint32_t i = 0; i < p->n; i++)
		if (first[i] == GATE_NO_FUNC)
			gather(p, &m, i, first);
	find_depth(p, &m, first, depth);
	for (uint32_t i = 0; i < p->n; i++) {
		named[i] = i;
		if (names_better(p, i, named[first[i]], depth))
			named[first[i]] = i;
	}
	map_release(&m);
}
