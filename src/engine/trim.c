/*
 * trim.c - choose and sort the nodes of a report
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/trim.h"

#include "base/mem.h"
#include "base/num.h"
#include "engine/query_filter.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static uint64_t cutoff(int64_t sum, double fraction)
{
	return num_abs(num_trunc((double)sum * fraction));
}

/* Sort key of a node. */
struct trim_sort_key {
	uint64_t first, second; /* magnitudes, larger first; first is magnitude + 1, 0 for INT64_MIN */
	bool negative;          /* for equal magnitudes, positive values sort first */
	uint64_t addr;
	const char *name;
	const struct place_detail *place;
	uint32_t node;
};

static int trim_compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_i64(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

/* Compare weights, then names (or addresses if both have one), then all other fields. */
static int trim_compare_keys(const void *a, const void *b)
{
	const struct trim_sort_key *l = a, *r = b;
	int c = trim_compare_u64(r->first, l->first);

	if (c == 0 && l->addr && r->addr)
		c = trim_compare_u64(l->addr, r->addr);
	if (c == 0)
		c = strcmp(l->name, r->name);
	if (c == 0)
		c = trim_compare_u64(r->second, l->second);
	if (c == 0)
		c = l->negative - r->negative;
	if (c == 0)
		c = compare_i64(l->place->line, r->place->line);
	if (c == 0)
		c = compare_i64(l->place->start, r->place->start);
	if (c == 0)
		c = compare_i64(l->place->col, r->place->col);
	return c ? c : trim_compare_u64(l->node, r->node);
}

void trim_sort(const struct nodes *nodes, const struct query_filter *q, const int64_t *score, struct node_names *names,
	       struct trim_result *t)
{
	struct trim_sort_key *key = mem_alloc(t->n, sizeof(*key));
	bool by_cum = q->sort == SORT_CUM;

	for (uint32_t i = 0; i < t->n && !stop_step(q->stop, i); i++) {
		uint32_t node = t->node[i], place = nodes_place(nodes, node);
		int64_t flat = nodes->flat[node], cum = nodes->cum[node];
		int64_t first = score ? score[node] : by_cum ? cum : flat;

		key[i] = (struct trim_sort_key){ .first = first == INT64_MIN ? 0 : num_abs(first) + 1,
						 .second = num_abs(score || by_cum ? flat : cum),
						 .negative = first < 0,
						 .addr = places_detail(nodes->places, place)->addr,
						 .name = node_names_of(names, place),
						 .place = places_detail(nodes->places, place),
						 .node = node };
	}
	if (t->n && !stop_is_set(q->stop))
		qsort(key, t->n, sizeof(*key), trim_compare_keys);
	for (uint32_t i = 0; i < t->n && !stop_is_set(q->stop); i++) {
		t->node[i] = key[i].node;
		t->name[i] = key[i].name;
	}
	free(key);
}

static bool trim_is_listed(const struct nodes *nodes, const struct query_filter *q, uint32_t node)
{
	int64_t flat = nodes->flat[node], cum = nodes->cum[node];

	if (flat == 0 && cum == 0)
		return false;
	return !q->drop_negative || !(flat < 0 || (flat == 0 && cum < 0));
}

void trim_cut(const struct nodes *nodes, const struct query_filter *q, struct arena *mem, struct trim_result *out)
{
	struct trim_result t = { 0 };
	uint32_t n_listed = 0, n_kept = 0;
	int64_t sum = 0;

	for (uint32_t k = 0; k < nodes->n; k++) {
		if (trim_is_listed(nodes, q, k)) {
			sum += nodes->flat[k];
			n_listed++;
		}
	}
	t.node_cut = cutoff(sum, q->nodefraction);
	t.edge_cut = cutoff(sum, q->edgefraction);
	for (uint32_t k = 0; k < nodes->n; k++)
		n_kept += trim_is_listed(nodes, q, k) && num_abs(nodes->cum[k]) >= t.node_cut;
	t.node = arena_alloc(mem, n_kept, sizeof(*t.node));
	t.name = arena_zalloc(mem, n_kept, sizeof(*t.name));
	t.keep = arena_zalloc(mem, nodes->n, sizeof(*t.keep));
	for (uint32_t k = 0; k < nodes->n; k++)
		if (trim_is_listed(nodes, q, k) && num_abs(nodes->cum[k]) >= t.node_cut)
			t.node[t.n++] = k;
	assert(t.n == n_kept && n_kept <= n_listed && n_listed <= nodes->n);
	t.n_dropped = n_listed - t.n;
	t.n_before_limit = t.n;
	for (uint32_t k = 0; k < nodes->n && t.n_dropped == 0; k++)
		t.keep[k] = true;
	for (uint32_t i = 0; i < t.n; i++)
		t.keep[t.node[i]] = true;
	*out = t;
}

void trim_keep_shown(const struct nodes *nodes, struct trim_result *t)
{
	for (uint32_t k = 0; k < nodes->n; k++)
		t->keep[k] = false;
	for (uint32_t i = 0; i < t->n; i++)
		t->keep[t->node[i]] = true;
}

bool trim_limit(const struct nodes *nodes, uint32_t n, struct trim_result *t)
{
	assert(t->n <= t->n_before_limit && t->n_before_limit <= nodes->n);
	if (n >= t->n)
		return false;
	t->n = n;
	trim_keep_shown(nodes, t);
	return true;
}

void trim_make(const struct nodes *nodes, const struct query_filter *q, struct node_names *names, struct arena *mem,
	       struct trim_result *out)
{
	trim_cut(nodes, q, mem, out);
	trim_sort(nodes, q, NULL, names, out);
	if (q->nodecount > 0 && q->nodecount < out->n)
		trim_limit(nodes, (uint32_t)q->nodecount, out);
}

uint8_t *trim_find_roles(const struct places *pl, struct arena *mem)
{
	uint8_t *roles = arena_zalloc(mem, pl->n, sizeof(*roles));

	for (uint32_t loc = 0; loc < pl->p->n_locs; loc++) {
		uint32_t n;
		const uint32_t *place = places_of(pl, loc, &n);

		assert(n > 0);
		for (uint32_t k = 0; k + 1 < n; k++)
			roles[place[k]] |= ROLE_INLINED;
		roles[place[n - 1]] |= ROLE_OUTERMOST;
	}
	return roles;
}

/* Are all calls and all nodes kept? */
static bool has_all_calls(const struct graph *g, const struct trim_result *t)
{
	bool all = t->edge_cut == 0;

	for (uint32_t k = 0; all && k < g->nodes.n; k++)
		all = t->keep[k];
	return all;
}

/*
 * Find the nodes whose calls have to be checked. Nodes that are never inlined calls need no check. If all calls count,
 * neither do nodes that are only ever inlined calls: every caller has inlined them. In Go profiles this covers all
 * nodes, so no stack is walked.
 */
static bool *trim_find_wanted(const struct graph *g, const struct trim_result *t, const uint8_t *roles, bool all_calls,
			      struct arena *mem, bool *any)
{
	bool *wanted = arena_zalloc(mem, g->nodes.n, sizeof(*wanted));

	*any = false;
	for (uint32_t k = 0; k < g->nodes.n; k++) {
		wanted[k] = t->keep[k] && (roles[k] & ROLE_INLINED) && (!all_calls || (roles[k] & ROLE_OUTERMOST));
		*any |= wanted[k];
	}
	return wanted;
}

enum inlined *trim_inlined(const struct graph *g, const struct trim_result *t, struct arena *mem)
{
	enum inlined *out = arena_zalloc(mem, t->n, sizeof(*out));
	const uint8_t *roles = trim_find_roles(g->nodes.places, mem);
	bool any, all_calls = has_all_calls(g, t), *wanted = trim_find_wanted(g, t, roles, all_calls, mem, &any);
	bool *yes = arena_zalloc(mem, g->nodes.n, sizeof(*yes)), *no = arena_zalloc(mem, g->nodes.n, sizeof(*no));
	bool *enough = arena_alloc(mem, g->nodes.n, sizeof(*enough));
	struct edges e = { 0 };

	assert(t->n <= g->nodes.n);
	for (uint32_t k = 0; k < g->nodes.n; k++) /* a place that is never outermost is inlined in all its calls */
		enough[k] = wanted[k] && !(roles[k] & ROLE_OUTERMOST);
	if (any && !graph_edges_above(g, t->keep, wanted, enough, t->edge_cut, mem, &e))
		return NULL;
	for (size_t i = 0; i < e.n; i++)
		if (num_abs(e.edge[i].weight) >= t->edge_cut)
			*(e.edge[i].inlined ? &yes[e.edge[i].dst] : &no[e.edge[i].dst]) = true;
	for (uint32_t i = 0; i < t->n; i++) {
		if (yes[t->node[i]])
			out[i] = no[t->node[i]] ? INLINED_PARTLY : INLINED_ALWAYS;
		else if (all_calls && roles[t->node[i]] == ROLE_INLINED)
			out[i] = INLINED_ALWAYS;
	}
	return out;
}
