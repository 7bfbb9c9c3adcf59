/*
 * net.c - the nodes of a report, with the calls between them
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Calls between kept nodes are counted once to choose the nodes of a picture, and again if nodecount removes more
 * nodes: the calls through a removed node are not the sum of its calls.
 *
 * A node of a call tree has one parent, so the weight of its call is that of the node. Parents have lower numbers, so
 * one sweep finds the nearest kept parent of all nodes.
 */
#include "config.h"

#include "engine/net.h"

#include "base/mem.h"
#include "base/num.h"
#include "engine/query_filter.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The sort key of an edge. */
struct edge_key {
	uint64_t weight;
	bool negative;
	uint32_t src_rank, dst_rank;
	uint32_t edge;
};

static int compare_u32(uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

static int by_weight(const void *a, const void *b)
{
	const struct edge_key *l = a, *r = b;
	int c;

	if (l->weight != r->weight)
		return l->weight > r->weight ? -1 : 1;
	c = l->negative - r->negative;
	if (c == 0)
		c = compare_u32(l->src_rank, r->src_rank);
	if (c == 0)
		c = compare_u32(l->dst_rank, r->dst_rank);
	return c ? c : compare_u32(l->edge, r->edge);
}

static uint32_t *rank_ends(struct net *net, struct arena *mem)
{
	bool *some = arena_zalloc(mem, net->places.n, sizeof(*some));

	for (size_t i = 0; i < net->edges.n; i++) {
		some[nodes_place(&net->nodes, net->edges.edge[i].src)] = true;
		some[nodes_place(&net->nodes, net->edges.edge[i].dst)] = true;
	}
	return node_names_rank(&net->names, some, mem);
}

/* Sort edges by weight. Edges with equal weight and names stay in order of their nodes. */
static void sort_edges(struct net *net, struct arena *mem)
{
	const uint32_t *rank = rank_ends(net, mem);
	size_t n = net->edges.n;
	struct edge_key *key = mem_alloc(n, sizeof(*key));
	struct edge *sorted = arena_alloc(mem, n, sizeof(*sorted));

	for (size_t i = 0; i < n; i++) {
		const struct edge *e = &net->edges.edge[i];

		key[i] = (struct edge_key){ .weight = num_abs(e->weight),
					    .negative = e->weight < 0,
					    .src_rank = rank[nodes_place(&net->nodes, e->src)],
					    .dst_rank = rank[nodes_place(&net->nodes, e->dst)],
					    .edge = (uint32_t)i };
	}
	if (n && !stop_is_set(net->stop))
		qsort(key, n, sizeof(*key), by_weight);
	for (size_t i = 0; i < n; i++)
		sorted[i] = net->edges.edge[key[i].edge];
	net->edges.edge = sorted;
	free(key);
}

static void list_calls(const struct net *net, bool out, struct arena *mem, struct call_lists *lists)
{
	size_t *off = arena_zalloc(mem, (size_t)net->nodes.n + 2, sizeof(*off));
	uint32_t *call = arena_alloc(mem, net->edges.n, sizeof(*call));
	const struct edge *e = net->edges.edge;

	for (size_t i = 0; i < net->edges.n; i++)
		off[(out ? e[i].src : e[i].dst) + 2]++;
	for (uint32_t k = 0; k < net->nodes.n; k++)
		off[k + 2] += off[k + 1];
	for (size_t i = 0; i < net->edges.n; i++)
		call[off[(out ? e[i].src : e[i].dst) + 1]++] = (uint32_t)i;
	assert(off[net->nodes.n] == net->edges.n);
	*lists = (struct call_lists){ off, call };
}

/* Sort the edges, heaviest first, and list them by node. */
static void list_edges(struct net *net, struct arena *mem)
{
	if (stop_is_set(net->stop))
		net->edges.n = 0;
	sort_edges(net, mem);
	list_calls(net, false, mem, &net->in);
	list_calls(net, true, mem, &net->out);
}

/* Remove edges into listed nodes that are lighter than the cutoff. Returns their number. */
static uint32_t cut_edges(struct net *net)
{
	size_t n = 0, before = net->edges.n;

	assert(net->position);
	for (size_t i = 0; i < before; i++) {
		const struct edge *e = &net->edges.edge[i];

		if (!net->position[e->dst] || num_abs(e->weight) >= net->shown.edge_cut)
			net->edges.edge[n++] = *e;
	}
	net->edges.n = n;
	return (uint32_t)(before - n);
}

/* A search from the end of an edge back to its start. */
struct net_search {
	const struct net *net;
	const bool *is_removed; /* [edges] */
	uint32_t *seen;         /* [nodes] the last search that reached it */
	uint32_t *queue;        /* [nodes] */
	uint32_t round;
};

/* Can dst of an edge be reached from src via other edges? */
static bool is_redundant(struct net_search *s, uint32_t edge)
{
	const struct edge *edges = s->net->edges.edge;
	uint32_t head = 0, tail = 0;

	s->round++;
	s->queue[tail++] = edges[edge].dst;
	s->seen[edges[edge].dst] = s->round;
	while (head < tail) {
		uint32_t node = s->queue[head++];

		for (size_t i = s->net->in.off[node]; i < s->net->in.off[node + 1]; i++) {
			uint32_t call = s->net->in.call[i], from = edges[call].src;

			if (call == edge || s->is_removed[call] || s->seen[from] == s->round)
				continue;
			if (from == edges[edge].src)
				return true;
			s->seen[from] = s->round;
			s->queue[tail++] = from;
		}
	}
	return false;
}

/* Remove redundant edges into a node, starting with the lightest; stop at the first edge that is not residual. */
static void remove_into(struct net_search *s, uint32_t node, bool *removed)
{
	const struct call_lists *in = &s->net->in;

	for (size_t i = in->off[node + 1]; i-- > in->off[node];) {
		if (!s->net->edges.edge[in->call[i]].residual)
			return;
		if (is_redundant(s, in->call[i]))
			removed[in->call[i]] = true;
	}
}

/* Remove residual edges whose nodes are connected without them. Like pprof RemoveRedundantEdges. */
static void remove_redundant(struct net *net, struct stop *stop)
{
	bool *removed = mem_zalloc(net->edges.n, sizeof(*removed));
	struct net_search s = { .net = net,
				.is_removed = removed,
				.seen = mem_zalloc(net->nodes.n, sizeof(*s.seen)),
				.queue = mem_alloc(net->nodes.n, sizeof(*s.queue)) };
	size_t n = 0;

	assert(net->in.off && net->in.call);
	for (uint32_t i = net->shown.n; i-- > 0 && !stop_is_set(stop);)
		remove_into(&s, net->shown.node[i], removed);
	for (size_t i = 0; i < net->edges.n; i++)
		if (!removed[i])
			net->edges.edge[n++] = net->edges.edge[i];
	net->edges.n = n;
	free(s.queue);
	free(s.seen);
	free(removed);
}

/* NAN for a call without weight, which makes the entropy NAN too. */
static double entropy_term(uint64_t weight, double total)
{
	double share = (double)weight / total;

	return -share * log2(share);
}

/* The entropy of the calls of a node and of its flat value. */
static double entropy(const struct net *net, const uint32_t *call, size_t n, int64_t self)
{
	const struct edge *edges = net->edges.edge;
	double score = 0, total;
	int64_t sum = self;

	for (size_t i = 0; i < n; i++) /* a stack may count for several calls, so their sum is unbounded */
		sum = num_add_capped(sum, edges[call[i]].weight > 0 ? edges[call[i]].weight : 0);
	if (sum == 0)
		return 0;
	total = (double)sum;
	for (size_t i = 0; i < n; i++)
		score += entropy_term(num_abs(edges[call[i]].weight), total);
	return self > 0 ? score + entropy_term((uint64_t)self, total) : score;
}

/*
 * The score of each node; a picture prefers nodes with high scores.
 *
 * Returns [nodes] in the arena
 * Like    pprof internal/graph entropyScore; a node with a call of weight 0, as in comparisons, gets the lowest score
 *         if its flat is 0, else nearly the highest
 */
static int64_t *find_scores(const struct net *net, struct arena *mem)
{
	int64_t *score = arena_zalloc(mem, net->nodes.n, sizeof(*score));

	assert(net->in.off && net->out.off);
	for (uint32_t i = 0; i < net->shown.n; i++) {
		uint32_t node = net->shown.node[i];
		const struct call_lists *in = &net->in, *out = &net->out;
		size_t n_in = in->off[node + 1] - in->off[node], n_out = out->off[node + 1] - out->off[node];
		int64_t flat = net->nodes.flat[node];
		double sum = n_in ? entropy(net, in->call + in->off[node], n_in, 0) : 1;

		sum += n_out ? entropy(net, out->call + out->off[node], n_out, flat) : 1;
		score[node] = (int64_t)((uint64_t)num_trunc(sum * (double)net->nodes.cum[node]) + (uint64_t)flat);
	}
	return score;
}

/* Replace removed parents by the nearest kept parent. */
static void tree_splice(struct net *net)
{
	for (uint32_t i = 0; i < net->nodes.n; i++) {
		uint32_t parent = net->parent[i];

		if (parent == CALLTREE_NONE || net->shown.keep[parent])
			continue;
		net->parent[i] = net->parent[parent];
		net->is_inlined[i] &= net->is_inlined[parent];
		net->is_residual[i] = true;
	}
}

/* Start with the parents of the call tree; like pprof internal/graph, TrimTree. */
static void tree_start(struct net *net, struct arena *mem)
{
	uint32_t n = net->nodes.n;

	assert(net->is_tree && n == net->tree.n);
	net->parent = arena_alloc(mem, n, sizeof(*net->parent));
	net->is_inlined = arena_alloc(mem, n, sizeof(*net->is_inlined));
	net->is_residual = arena_zalloc(mem, n, sizeof(*net->is_residual));
	if (n) {
		memcpy(net->parent, net->tree.parent, n * sizeof(*net->parent));
		memcpy(net->is_inlined, net->tree.inlined, n * sizeof(*net->is_inlined));
	}
	if (net->shown.n_dropped)
		tree_splice(net);
}

/* Remove the parents of listed nodes whose call is too light. */
static void tree_cut(struct net *net)
{
	for (uint32_t i = 0; i < net->shown.n; i++) {
		uint32_t node = net->shown.node[i];

		if (num_abs(net->nodes.cum[node]) < net->shown.edge_cut)
			net->parent[node] = CALLTREE_NONE;
	}
}

static void tree_edges(struct net *net, struct arena *mem)
{
	struct edges e = { .edge = arena_alloc(mem, net->nodes.n, sizeof(*e.edge)) };

	for (uint32_t i = 0; i < net->nodes.n; i++)
		if (net->shown.keep[i] && net->parent[i] != CALLTREE_NONE)
			e.edge[e.n++] = (struct edge){ .src = net->parent[i],
						       .dst = i,
						       .weight = net->nodes.cum[i],
						       .div = net->nodes.cum_div ? net->nodes.cum_div[i] : 0,
						       .residual = net->is_residual[i],
						       .inlined = net->is_inlined[i] };
	assert(e.n <= net->nodes.n);
	net->edges = e;
}

static int make_nodes(const struct view *v, const struct query_filter *q, struct arena *mem, struct net *net,
		      struct err *err)
{
	int rc = places_make(v->p, q, mem, &net->places, err);

	if (rc < 0)
		return rc;
	net->is_tree = q->call_tree;
	if (net->is_tree) {
		rc = calltree_make(v, &net->places, &net->tree, err);
		if (rc < 0)
			return rc;
		net->nodes = calltree_nodes(&net->tree);
	} else {
		graph_make(v, &net->places, mem, &net->graph);
		net->nodes = net->graph.nodes;
	}
	node_names_init(&net->names, &net->places, mem);
	return stop_check(v->stop, err);
}

static void make_edges(struct net *net, const bool *wanted, struct arena *mem)
{
	if (net->is_tree)
		tree_edges(net, mem);
	else
		graph_edges(&net->graph, net->shown.keep, wanted, true, mem, &net->edges);
}

/* Sort the shown nodes; a picture sorts them by score. */
static void sort_nodes(struct net *net, const struct query_filter *q, bool picture, struct arena *mem)
{
	const int64_t *score = NULL;

	if (picture) {
		make_edges(net, NULL, mem);
		list_edges(net, mem);
		score = find_scores(net, mem);
	}
	trim_sort(&net->nodes, q, score, &net->names, &net->shown);
}

/* Collect the labels of the first n of the shown nodes. */
static int make_tags(struct net *net, const struct view *v, const struct query_filter *q,
		     const struct label_units *units, uint32_t n, struct arena *mem, struct err *err)
{
	bool *wanted = arena_zalloc(mem, net->nodes.n, sizeof(*wanted));

	for (uint32_t i = 0; i < n && i < net->shown.n; i++)
		wanted[net->shown.node[i]] = true;
	return tags_make(v, &net->nodes, net->is_tree ? &net->tree : NULL, wanted, units, q->unit, net->shown.node_cut,
			 mem, &net->tags, err);
}

/* The number of nodes to draw, with each drawn label counted as a node; the sum reaches count at the last node. */
static uint32_t fit_nodes(const struct net *net, uint32_t count)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < net->shown.n; i++) {
		uint32_t node = net->shown.node[i], n = 0;

		for (size_t k = net->tags.off[node]; k < net->tags.off[node + 1]; k++)
			n += net->tags.tag[k].flat != 0;
		sum += 1 + (n < NET_LABELS_MAX ? n : NET_LABELS_MAX);
		if (sum >= count)
			return i + 1;
	}
	return count;
}

/* Keep the nodes that nodecount allows; sets net->limited when nodes were removed. */
static int limit_nodes(struct net *net, const struct view *v, const struct query_filter *q, bool picture,
		       const struct label_units *units, struct arena *mem, struct err *err)
{
	uint32_t count = q->nodecount < UINT32_MAX ? (uint32_t)q->nodecount : UINT32_MAX;

	if (q->nodecount <= 0)
		return 0;
	if (picture) {
		int rc = make_tags(net, v, q, units, count, mem, err);

		if (rc < 0)
			return rc;
		count = fit_nodes(net, count);
	}
	if (net->is_tree)
		tree_cut(net);
	net->is_limited = trim_limit(&net->nodes, count, &net->shown);
	if (!net->is_limited)
		return 0;
	if (net->is_tree)
		tree_splice(net);
	if (picture)
		sort_nodes(net, q, picture, mem);
	return stop_check(v->stop, err);
}

int net_make(const struct view *v, const struct query_filter *q, bool picture, const struct label_units *units,
	     struct arena *mem, struct net *net, struct err *err)
{
	int rc;

	*net = (struct net){ .stop = v->stop, .is_picture = picture };
	rc = make_nodes(v, q, mem, net, err);
	if (rc < 0)
		goto out;
	trim_cut(&net->nodes, q, mem, &net->shown);
	assert(net->shown.n <= net->nodes.n);
	if (picture && net->is_tree)
		trim_keep_shown(&net->nodes, &net->shown);
	if (net->is_tree)
		tree_start(net, mem);
	sort_nodes(net, q, picture, mem);
	rc = stop_check(v->stop, err);
	if (rc == 0)
		rc = limit_nodes(net, v, q, picture, units, mem, err);
	if (rc < 0)
		goto out;
	net->position = arena_zalloc(mem, net->nodes.n, sizeof(*net->position));
	for (uint32_t i = 0; i < net->shown.n; i++)
		net->position[net->shown.node[i]] = i + 1;
	if (picture)
		rc = make_tags(net, v, q, units, net->shown.n, mem, err);
out:
	if (rc < 0)
		net_release(net);
	return rc;
}

void net_calls(struct net *net, const struct query_filter *q, const bool *wanted, struct arena *mem)
{
	assert(net->position && (!net->is_picture || !wanted));
	if (net->is_picture)
		trim_keep_shown(&net->nodes, &net->shown);        /* scores include nodes that are not drawn */
	if (!net->is_picture || !net->is_limited || net->is_tree) /* otherwise sort_nodes has computed them */
		make_edges(net, wanted, mem);
	net->n_dropped_edges = cut_edges(net);
	if (q->nodecount > 0 && !net->is_limited)
		net->n_dropped_edges = 0; /* pprof drops these edges before counting */
	list_edges(net, mem);
	if (net->is_picture) {
		remove_redundant(net, q->stop);
		list_edges(net, mem);
	}
}

void net_release(struct net *net)
{
	places_release(&net->places);
	if (net->is_tree)
		calltree_release(&net->tree);
}
