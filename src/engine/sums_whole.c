/*
 * sums_whole.c - find the functions that need whole stacks, in a sample of the profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The notes about inlined calls depend on the calls between the nodes that are shown. Most are known from the sum of one
 * location with inlined calls (edges_above.c). A function needs stacks if it may be shown, is inlined somewhere, and either is
 * not inlined elsewhere, or no such sum is large enough. The sums of all profiles may differ from those of the sample by
 * these factors.
 */
#include "config.h"

#include "engine/sums.h"

#include "engine/query_filter.h"
#include "engine/trim.h"

#include <stdlib.h>

#define MARGIN_NODE 1.5
#define MARGIN_CALL 1.7

/* The positions of a place in its locations. */
struct sums_role {
	bool is_inlined, is_outermost;
	bool is_settled; /* a sum is large enough to know that it is inlined */
};

/* The nodes that remain after trimming with other limits. */
static void sums_trim(const struct nodes *nodes, const struct query_filter *q, double fraction, double rows,
		      struct node_names *names, struct arena *mem, struct trim_result *out)
{
	struct query_filter own = *q;

	own.nodefraction *= fraction;
	if (q->nodecount > 0)
		own.nodecount = (int64_t)((double)q->nodecount * rows) + 1;
	trim_make(nodes, &own, names, mem, out);
}

/* keep: nodes that are shown in any case */
static void sums_find_roles(const struct graph *g, const bool *keep, uint64_t limit, struct sums_role *role)
{
	const struct places *pl = g->nodes.places;

	for (uint32_t loc = 0; loc < g->view->p->n_locs; loc++) {
		uint32_t n;
		const uint32_t *place = places_of(pl, loc, &n);
		int64_t sum = n > 1 ? g->several[places_several(pl->list[loc])] : 0;
		uint32_t caller = PROFILE_NONE;

		role[place[n - 1]].is_outermost = true;
		for (uint32_t k = n - 1; k-- > 0;) {
			caller = keep[place[k + 1]] ? place[k + 1] : caller;
			role[place[k]].is_inlined = true;
			role[place[k]].is_settled |=
				caller != PROFILE_NONE && caller != place[k] && sum > 0 && (uint64_t)sum >= limit;
		}
	}
}

int sums_find_whole(const struct view *v, const struct query_filter *q, struct strtab *names, double *share,
		    struct err *err)
{
	struct arena *mem = arena_new();
	struct trim_result most, least;
	struct node_names text;
	struct sums_role *role;
	struct places pl;
	struct graph g;
	int rc = places_make(v->p, q, mem, &pl, err);

	*share = 0;
	if (rc == 0) {
		graph_make(v, &pl, mem, &g);
		node_names_init(&text, &pl, mem);
		sums_trim(&g.nodes, q, 1 / MARGIN_NODE, MARGIN_NODE, &text, mem, &most);
		sums_trim(&g.nodes, q, MARGIN_NODE, 1 / MARGIN_NODE, &text, mem, &least);
		role = arena_zalloc(mem, pl.n, sizeof(*role));
		sums_find_roles(&g, least.keep, (uint64_t)(MARGIN_CALL * (double)most.edge_cut), role);
		for (uint32_t k = 0; k < pl.n; k++) {
			if (!most.keep[k] || !role[k].is_inlined || (role[k].is_settled && !role[k].is_outermost))
				continue;
			strtab_add_from(names, v->p->str, pl.place[k].name);
			*share += v->total ? (double)g.nodes.cum[k] / (double)v->total : 0;
		}
		places_release(&pl);
	}
	arena_free(mem);
	return rc;
}
