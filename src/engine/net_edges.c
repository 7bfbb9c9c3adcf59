/*
 * net_edges.c - the calls of a net: their order, their lists, and which of them go
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/net_int.h"

#include "base/mem.h"
#include "base/num.h"

#include <math.h>
#include <stdlib.h>

/* What the order of edges looks at. */
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

/* Edges of one weight and one pair of names stay in order of their nodes. */
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
	*lists = (struct call_lists){ off, call };
}

void net_list_edges(struct net *net, struct arena *mem)
{
	if (stop_is_set(net->stop))
		net->edges.n = 0;
	sort_edges(net, mem);
	list_calls(net, false, mem, &net->in);
	list_calls(net, true, mem, &net->out);
}

uint32_t net_cut_edges(struct net *net)
{
	size_t n = 0, before = net->edges.n;

	for (size_t i = 0; i < before; i++) {
		const struct edge *e = &net->edges.edge[i];

		if (!net->position[e->dst] || num_abs(e->weight) >= net->shown.edge_cut)
			net->edges.edge[n++] = *e;
	}
	net->edges.n = n;
	return (uint32_t)(before - n);
}

/* A search from the end of an edge back to its start. */
struct search {
	const struct net *net;
	const bool *gone; /* [edges] */
	uint32_t *seen;   /* [nodes] the search that was there last */
	uint32_t *queue;  /* [nodes] */
	uint32_t round;
};

/* Can dst of an edge be reached from src over other edges? */
static bool is_redundant(struct search *s, uint32_t edge)
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

			if (call == edge || s->gone[call] || s->seen[from] == s->round)
				continue;
			if (from == edges[edge].src)
				return true;
			s->seen[from] = s->round;
			s->queue[tail++] = from;
		}
	}
	return false;
}

/* The lightest edges of a node go first, up to one that no sample took a detour on. */
static void remove_into(struct search *s, uint32_t node, bool *gone)
{
	const struct call_lists *in = &s->net->in;

	for (size_t i = in->off[node + 1]; i-- > in->off[node];) {
		if (!s->net->edges.edge[in->call[i]].residual)
			return;
		if (is_redundant(s, in->call[i]))
			gone[in->call[i]] = true;
	}
}

void net_remove_redundant(struct net *net, struct stop *stop)
{
	bool *gone = mem_zalloc(net->edges.n, sizeof(*gone));
	struct search s = { .net = net,
			    .gone = gone,
			    .seen = mem_zalloc(net->nodes.n, sizeof(*s.seen)),
			    .queue = mem_alloc(net->nodes.n, sizeof(*s.queue)) };
	size_t n = 0;

	for (uint32_t i = net->shown.n; i-- > 0 && !stop_is_set(stop);)
		remove_into(&s, net->shown.node[i], gone);
	for (size_t i = 0; i < net->edges.n; i++)
		if (!gone[i])
			net->edges.edge[n++] = net->edges.edge[i];
	net->edges.n = n;
	free(s.queue);
	free(s.seen);
	free(gone);
}

/* Of a call without weight it is 0 times infinity, no number at all, and so is the sum it goes into. */
static double surprise(uint64_t weight, double total)
{
	double share = (double)weight / total;

	return -share * log2(share);
}

/* The entropy of calls and of what stays in the node itself. */
static double entropy(const struct net *net, const uint32_t *call, size_t n, int64_t self)
{
	const struct edge *edges = net->edges.edge;
	double score = 0, total;
	int64_t sum = self;

	for (size_t i = 0; i < n; i++) /* a stack may add to several calls, so that their sum has no bound */
		sum = num_add_capped(sum, edges[call[i]].weight > 0 ? edges[call[i]].weight : 0);
	if (sum == 0)
		return 0;
	total = (double)sum;
	for (size_t i = 0; i < n; i++)
		score += surprise(num_abs(edges[call[i]].weight), total);
	return self > 0 ? score + surprise((uint64_t)self, total) : score;
}

int64_t *net_scores(const struct net *net, struct arena *mem)
{
	int64_t *score = arena_zalloc(mem, net->nodes.n, sizeof(*score));

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
