/*
 * trim.c - which nodes a report shows, and in which order
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/trim.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static uint64_t cutoff(int64_t sum, double fraction)
{
	return num_abs(num_trunc((double)sum * fraction));
}

/* What the order looks at. */
struct sort_key {
	uint64_t first, second; /* magnitudes, the larger one first */
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

/* The printed name: the string of the profile itself when there is nothing to add. */
static const char *name_of(const struct places *pl, uint32_t node, struct arena *mem, struct buf *scratch)
{
	const struct place *k = &pl->place[node];

	if (k->name && !k->addr && !k->line && !k->file &&
	    strlen(profile_text(pl->p, k->name)) == strtab_len(pl->p->str, k->name))
		return profile_text(pl->p, k->name);
	scratch->len = 0;
	places_add_name(pl, node, scratch);
	if (memchr(scratch->data, 0, scratch->len)) { /* a C string could not hold it */
		struct buf safe = { 0 };

		text_add_safe(&safe, scratch->data, scratch->len);
		buf_release(scratch);
		*scratch = safe;
	}
	return arena_strndup(mem, scratch->data, scratch->len);
}

static void sort_nodes(const struct graph *g, bool by_cum, struct arena *mem, struct trimmed *t)
{
	struct sort_key *key = mem_alloc(t->n, sizeof(*key));
	struct buf scratch = { 0 };

	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t node = t->node[i];
		int64_t flat = g->flat[SIDE_TARGET][node], cum = g->cum[SIDE_TARGET][node];

		key[i] = (struct sort_key){ .first = num_abs(by_cum ? cum : flat),
					    .second = num_abs(by_cum ? flat : cum),
					    .negative = (by_cum ? cum : flat) < 0,
					    .addr = g->places->place[node].addr,
					    .name = name_of(g->places, node, mem, &scratch),
					    .place = &g->places->place[node],
					    .node = node };
	}
	if (t->n)
		qsort(key, t->n, sizeof(*key), compare_keys);
	for (uint32_t i = 0; i < t->n; i++) {
		t->node[i] = key[i].node;
		t->name[i] = key[i].name;
	}
	buf_release(&scratch);
	free(key);
}

void trim_make(const struct graph *g, const struct query *q, int64_t nodecount, struct arena *mem, struct trimmed *out)
{
	struct trimmed t = { 0 };
	const int64_t *flat = g->flat[SIDE_TARGET], *cum = g->cum[SIDE_TARGET];
	uint32_t n_listed = 0;
	int64_t sum = 0;

	for (uint32_t k = 0; k < g->n; k++) {
		sum += flat[k];
		n_listed += flat[k] != 0 || cum[k] != 0;
	}
	t.node_cut = cutoff(sum, q->nodefraction);
	t.edge_cut = cutoff(sum, q->edgefraction);
	t.node = arena_alloc(mem, n_listed, sizeof(*t.node));
	t.name = arena_alloc(mem, n_listed, sizeof(*t.name));
	t.keep = arena_zalloc(mem, g->n, sizeof(*t.keep));
	for (uint32_t k = 0; k < g->n; k++)
		if ((flat[k] != 0 || cum[k] != 0) && num_abs(cum[k]) >= t.node_cut)
			t.node[t.n++] = k;
	t.n_dropped = n_listed - t.n;
	t.n_before = t.n;
	sort_nodes(g, q->sort == SORT_CUM, mem, &t);
	if (nodecount > 0 && nodecount < t.n)
		t.n = (uint32_t)nodecount;
	for (uint32_t i = 0; i < t.n; i++)
		t.keep[t.node[i]] = true;
	*out = t;
}

/* Nodes that stand somewhere as an inlined call; the others need no look at their callers. */
static bool *ever_inlined(const struct graph *g, const bool *keep, struct arena *mem, bool *any)
{
	bool *wanted = arena_zalloc(mem, g->n, sizeof(*wanted));

	*any = false;
	for (uint32_t loc = 0; loc < g->view->p->n_locs; loc++) {
		uint32_t n;
		const uint32_t *place = places_of(g->places, loc, &n);

		for (uint32_t k = 0; k + 1 < n; k++) {
			wanted[place[k]] = keep[place[k]];
			*any |= keep[place[k]];
		}
	}
	return wanted;
}

enum inlined *trim_inlined(const struct graph *g, const struct trimmed *t, struct arena *mem)
{
	enum inlined *out = arena_zalloc(mem, t->n, sizeof(*out));
	bool any, *wanted = ever_inlined(g, t->keep, mem, &any);
	bool *yes, *no;
	struct edges e;

	if (!any)
		return out;
	graph_edges(g, t->keep, wanted, mem, &e);
	yes = arena_zalloc(mem, g->n, sizeof(*yes));
	no = arena_zalloc(mem, g->n, sizeof(*no));
	for (size_t i = 0; i < e.n; i++)
		if (num_abs(e.edge[i].weight) >= t->edge_cut)
			*(e.edge[i].inlined ? &yes[e.edge[i].dst] : &no[e.edge[i].dst]) = true;
	for (uint32_t i = 0; i < t->n; i++)
		if (yes[t->node[i]])
			out[i] = no[t->node[i]] ? INLINED_PARTLY : INLINED_ALWAYS;
	return out;
}
