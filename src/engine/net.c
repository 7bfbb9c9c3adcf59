/*
 * net.c - the nodes a report shows, with the calls between them
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Calls are counted on the nodes that are kept, once to choose them for a picture and once more
 * when nodecount cuts further: what runs through a node that went is not the sum of its calls.
 */
#include "config.h"

#include "engine/net_int.h"

static int make_nodes(const struct view *v, const struct query *q, struct arena *mem, struct net *net, struct err *err)
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
		net->nodes = graph_nodes(&net->graph);
	}
	node_names_init(&net->names, &net->places, mem);
	return stop_check(v->stop, err);
}

static void make_edges(struct net *net, const bool *wanted, struct arena *mem)
{
	if (net->is_tree)
		net_tree_edges(net, mem);
	else
		graph_edges(&net->graph, net->shown.keep, wanted, true, mem, &net->edges);
}

/* Sort the shown nodes; a picture puts the ones first that tell most. */
static void sort_nodes(struct net *net, const struct query *q, bool picture, struct arena *mem)
{
	const int64_t *score = NULL;

	if (picture) {
		make_edges(net, NULL, mem);
		net_list_edges(net, mem);
		score = net_scores(net, mem);
	}
	trim_sort(&net->nodes, q, score, &net->names, &net->shown);
}

/* Collect the labels of the first n of the shown nodes. */
static int make_tags(struct net *net, const struct view *v, const struct query *q, const struct label_units *units,
		     uint32_t n, struct arena *mem, struct err *err)
{
	bool *wanted = arena_zalloc(mem, net->nodes.n, sizeof(*wanted));

	for (uint32_t i = 0; i < n && i < net->shown.n; i++)
		wanted[net->shown.node[i]] = true;
	return tags_make(v, &net->nodes, net->is_tree ? &net->tree : NULL, wanted, units, q->unit, net->shown.node_cut,
			 mem, &net->tags, err);
}

/* How many nodes of a picture fit into count, when each label that is drawn counts as one too. */
static uint32_t fit_nodes(const struct net *net, uint32_t count)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < net->shown.n; i++) {
		uint32_t node = net->shown.node[i], n = 0;

		for (size_t k = net->tags.off[node]; k < net->tags.off[node + 1]; k++)
			n += net->tags.tag[k].flat != 0;
		sum += 1 + (n < NET_LABELS ? n : NET_LABELS);
		if (sum >= count)
			return i + 1;
	}
	return count;
}

/* Keep what nodecount allows; sets net->limited when nodes went. */
static int limit_nodes(struct net *net, const struct view *v, const struct query *q, bool picture,
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
		net_tree_cut(net);
	net->limited = trim_limit(&net->nodes, count, &net->shown);
	if (!net->limited)
		return 0;
	if (net->is_tree)
		net_tree_splice(net);
	if (picture)
		sort_nodes(net, q, picture, mem);
	return stop_check(v->stop, err);
}

int net_make(const struct view *v, const struct query *q, bool picture, const struct label_units *units,
	     struct arena *mem, struct net *net, struct err *err)
{
	int rc;

	*net = (struct net){ .stop = v->stop, .picture = picture };
	rc = make_nodes(v, q, mem, net, err);
	if (rc < 0)
		goto out;
	trim_cut(&net->nodes, q, mem, &net->shown);
	if (picture && net->is_tree)
		trim_keep_shown(&net->nodes, &net->shown);
	if (net->is_tree)
		net_tree_start(net, mem);
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

void net_calls(struct net *net, const struct query *q, const bool *wanted, struct arena *mem)
{
	if (net->picture)
		trim_keep_shown(&net->nodes, &net->shown);  /* scores looked at nodes that are not drawn too */
	if (!net->picture || !net->limited || net->is_tree) /* else they have just been made for the order */
		make_edges(net, wanted, mem);
	net->n_dropped_edges = net_cut_edges(net);
	if (q->nodecount > 0 && !net->limited)
		net->n_dropped_edges = 0; /* pprof has dropped them before it starts to count */
	net_list_edges(net, mem);
	if (net->picture) {
		net_remove_redundant(net, q->stop);
		net_list_edges(net, mem);
	}
}

void net_release(struct net *net)
{
	places_release(&net->places);
	if (net->is_tree)
		calltree_release(&net->tree);
}
