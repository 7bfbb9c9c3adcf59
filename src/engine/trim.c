/*
 * trim.c - which nodes a report shows, and in which order
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/trim.h"

#include "base/mem.h"
#include "base/num.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static uint64_t cutoff(int64_t sum, double fraction)
{
	return num_abs(num_trunc((double)sum * fraction));
}

/* What the order looks at. */
struct sort_key {
	uint64_t first, second; /* magnitudes, the larger one first; first is one more, 0 for INT64_MIN */
	bool negative;          /* of equal magnitudes the positive one is first */
	uint64_t addr;
	const char *name;
	const struct place *place;
	uint32_t node;
};

static int compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_i64(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

/* Weight, then name (or addresses, where both have one), then everything else there is. */
static int compare_keys(const void *a, const void *b)
{
	const struct sort_key *l = a, *r = b;
	int c = compare_u64(r->first, l->first);

	if (c == 0 && l->addr && r->addr)
		c = compare_u64(l->addr, r->addr);
	if (c == 0)
		c = strcmp(l->name, r->name);
	if (c == 0)
		c = compare_u64(r->second, l->second);
	if (c == 0)
		c = l->negative - r->negative;
	if (c == 0)
		c = compare_i64(l->place->line, r->place->line);
	if (c == 0)
		c = compare_i64(l->place->start, r->place->start);
	if (c == 0)
		c = compare_i64(l->place->col, r->place->col);
	return c ? c : compare_u64(l->node, r->node);
}

void trim_sort(const struct nodes *nodes, const struct query *q, const int64_t *score, struct node_names *names,
	       struct trimmed *t)
{
	struct sort_key *key = mem_alloc(t->n, sizeof(*key));
	bool by_cum = q->sort == SORT_CUM;

	for (uint32_t i = 0; i < t->n && !stop_step(q->stop, i); i++) {
		uint32_t node = t->node[i], place = nodes_place(nodes, node);
		int64_t flat = nodes->flat[node], cum = nodes->cum[node];
		int64_t first = score ? score[node] : by_cum ? cum : flat;

		key[i] = (struct sort_key){ .first = first == INT64_MIN ? 0 : num_abs(first) + 1,
					    .second = num_abs(score || by_cum ? flat : cum),
					    .negative = first < 0,
					    .addr = nodes->places->place[place].addr,
					    .name = node_names_of(names, place),
					    .place = &nodes->places->place[place],
					    .node = node };
	}
	if (t->n && !stop_is_set(q->stop))
		qsort(key, t->n, sizeof(*key), compare_keys);
	for (uint32_t i = 0; i < t->n && !stop_is_set(q->stop); i++) {
		t->node[i] = key[i].node;
		t->name[i] = key[i].name;
	}
	free(key);
}

static bool is_listed(const struct nodes *nodes, const struct query *q, uint32_t node)
{
	int64_t flat = nodes->flat[node], cum = nodes->cum[node];

	if (flat == 0 && cum == 0)
		return false;
	return !q->drop_negative || !(flat < 0 || (flat == 0 && cum < 0));
}

void trim_cut(const struct nodes *nodes, const struct query *q, struct arena *mem, struct trimmed *out)
{
	struct trimmed t = { 0 };
	uint32_t n_listed = 0;
	int64_t sum = 0;

	for (uint32_t k = 0; k < nodes->n; k++) {
		if (is_listed(nodes, q, k)) {
			sum += nodes->flat[k];
			n_listed++;
		}
	}
	t.node_cut = cutoff(sum, q->nodefraction);
	t.edge_cut = cutoff(sum, q->edgefraction);
	t.node = arena_alloc(mem, n_listed, sizeof(*t.node));
	t.name = arena_zalloc(mem, n_listed, sizeof(*t.name));
	t.keep = arena_zalloc(mem, nodes->n, sizeof(*t.keep));
	for (uint32_t k = 0; k < nodes->n; k++)
		if (is_listed(nodes, q, k) && num_abs(nodes->cum[k]) >= t.node_cut)
			t.node[t.n++] = k;
	assert(t.n <= n_listed && n_listed <= nodes->n);
	t.n_dropped = n_listed - t.n;
	t.n_before = t.n;
	for (uint32_t k = 0; k < nodes->n && t.n_dropped == 0; k++)
		t.keep[k] = true;
	for (uint32_t i = 0; i < t.n; i++)
		t.keep[t.node[i]] = true;
	*out = t;
}

void trim_keep_shown(const struct nodes *nodes, struct trimmed *t)
{
	for (uint32_t k = 0; k < nodes->n; k++)
		t->keep[k] = false;
	for (uint32_t i = 0; i < t->n; i++)
		t->keep[t->node[i]] = true;
}

bool trim_limit(const struct nodes *nodes, uint32_t n, struct trimmed *t)
{
	assert(t->n <= t->n_before && t->n_before <= nodes->n);
	if (n >= t->n)
		return false;
	t->n = n;
	trim_keep_shown(nodes, t);
	return true;
}

void trim_make(const struct nodes *nodes, const struct query *q, struct node_names *names, struct arena *mem,
	       struct trimmed *out)
{
	trim_cut(nodes, q, mem, out);
	trim_sort(nodes, q, NULL, names, out);
	if (q->nodecount > 0 && q->nodecount < out->n)
		trim_limit(nodes, (uint32_t)q->nodecount, out);
}

/* Where places stand in locations: as a call that was inlined, as the function itself. */
enum { STANDS_INLINED = 1, STANDS_OUTERMOST = 2 };

static uint8_t *find_stands(const struct graph *g, struct arena *mem)
{
	uint8_t *stands = arena_zalloc(mem, g->n, sizeof(*stands));

	for (uint32_t loc = 0; loc < g->view->p->n_locs; loc++) {
		uint32_t n;
		const uint32_t *place = places_of(g->places, loc, &n);

		assert(n > 0);
		for (uint32_t k = 0; k + 1 < n; k++)
			stands[place[k]] |= STANDS_INLINED;
		stands[place[n - 1]] |= STANDS_OUTERMOST;
	}
	return stands;
}

/* Are calls never cut, nor led past nodes? */
static bool has_all_calls(const struct graph *g, const struct trimmed *t)
{
	bool all = t->edge_cut == 0;

	for (uint32_t k = 0; all && k < g->n; k++)
		all = t->keep[k];
	return all;
}

/*
 * Nodes of which calls have to be looked at. Those that never stand as an inlined call need not be. Nor, when
 * all calls count, do those that stand as nothing else: whatever calls them has inlined them. In Go's profiles
 * that is all of them, which spares the walk.
 */
static bool *find_wanted(const struct graph *g, const struct trimmed *t, const uint8_t *stands, bool all_calls,
			 struct arena *mem, bool *any)
{
	bool *wanted = arena_zalloc(mem, g->n, sizeof(*wanted));

	*any = false;
	for (uint32_t k = 0; k < g->n; k++) {
		wanted[k] =
			t->keep[k] && (stands[k] & STANDS_INLINED) && (!all_calls || (stands[k] & STANDS_OUTERMOST));
		*any |= wanted[k];
	}
	return wanted;
}

enum inlined *trim_inlined(const struct graph *g, const struct trimmed *t, struct arena *mem)
{
	enum inlined *out = arena_zalloc(mem, t->n, sizeof(*out));
	const uint8_t *stands = find_stands(g, mem);
	bool any, all_calls = has_all_calls(g, t), *wanted = find_wanted(g, t, stands, all_calls, mem, &any);
	bool *yes = arena_zalloc(mem, g->n, sizeof(*yes)), *no = arena_zalloc(mem, g->n, sizeof(*no));
	struct edges e = { 0 };

	assert(t->n <= g->n);
	if (any)
		graph_edges(g, t->keep, wanted, false, mem, &e);
	for (size_t i = 0; i < e.n; i++)
		if (num_abs(e.edge[i].weight) >= t->edge_cut)
			*(e.edge[i].inlined ? &yes[e.edge[i].dst] : &no[e.edge[i].dst]) = true;
	for (uint32_t i = 0; i < t->n; i++) {
		if (yes[t->node[i]])
			out[i] = no[t->node[i]] ? INLINED_PARTLY : INLINED_ALWAYS;
		else if (all_calls && stands[t->node[i]] == STANDS_INLINED)
			out[i] = INLINED_ALWAYS;
	}
	return out;
}
