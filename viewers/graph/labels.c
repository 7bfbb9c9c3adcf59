/*
 * labels.c - boxes for the labels of the nodes of a call graph
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/unit.h"
#include "viewers/graph/callgraph_int.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { FONT = 8 };

/* State while the label boxes of a node are added. */
struct labels {
	struct callgraph_builder *b;
	uint32_t node;
	bool by_flat;
	bool has_any;
};

static int by_flat_weight(const void *a, const void *b)
{
	return tags_compare(*(const struct tag *const *)a, *(const struct tag *const *)b, true);
}

static int by_cum_weight(const void *a, const void *b)
{
	return tags_compare(*(const struct tag *const *)a, *(const struct tag *const *)b, false);
}

static void sort_tags(const struct tag **tag, size_t n, bool by_flat)
{
	if (n)
		qsort(tag, n, sizeof(*tag), by_flat ? by_flat_weight : by_cum_weight);
}

static double graph_labels_distance(const struct tag *t, const struct tag *seed)
{
	const char *unit;
	double v = unit_scale(seed->value, seed->unit, t->unit, &unit), own = (double)t->value;

	return v < own ? own - v : v - own;
}

/* Numeric labels drawn as one box. */
struct group {
	struct tag sum; /* name is the text; weights are means */
	const struct tag *min, *max, *seed;
	bool is_range;
};

static void group_add(struct group *g, const struct tag *t)
{
	if (!g->seed) {
		*g = (struct group){ .sum = *t, .min = t, .max = t, .seed = t };
		return;
	}
	if (t->value < g->min->value) /* numbers of one key have the same unit */
		g->min = t;
	if (t->value > g->max->value)
		g->max = t;
	g->sum.flat = num_add_capped(g->sum.flat, t->flat);
	g->sum.cum = num_add_capped(g->sum.cum, t->cum);
	g->sum.flat_div = num_add_capped(g->sum.flat_div, t->flat_div);
	g->sum.cum_div = num_add_capped(g->sum.cum_div, t->cum_div);
	g->is_range = true;
}

static void group_finish(struct group *g, struct buf *label)
{
	unit_add_label(label, g->min->value, g->min->unit, "auto");
	if (g->is_range) {
		buf_addz(label, "..");
		unit_add_label(label, g->max->value, g->max->unit, "auto");
	}
	g->sum.flat = nodes_mean(g->sum.flat, g->sum.flat_div);
	g->sum.cum = nodes_mean(g->sum.cum, g->sum.cum_div);
	g->sum.flat_div = g->sum.cum_div = 0;
	g->sum.name = buf_text(label);
}

static uint32_t graph_labels_add_box(struct labels *x, uint32_t parent, const char *id, const struct tag *t,
				     int64_t weight, bool is_part)
{
	x->has_any = true;
	return callgraph_add_box(x->b, (struct callgraph_box){ .id = id,
							       .label = t->text,
							       .node = x->node,
							       .parent = parent,
							       .is_part = is_part,
							       .weight = weight,
							       .font = FONT });
}

static void add_number_boxes(struct labels *x, const struct tag **tag, size_t n, uint32_t parent)
{
	for (size_t i = 0; i < n; i++) {
		int64_t flat = nodes_mean(tag[i]->flat, tag[i]->flat_div);
		int64_t cum = nodes_mean(tag[i]->cum, tag[i]->cum_div);
		bool whole = x->by_flat || flat == cum;
		char id[64];

		snprintf(id, sizeof(id), "N%s_%zu", x->b->box[parent].id, i);
		if (whole ? flat : cum)
			graph_labels_add_box(x, parent, id, tag[i], whole ? flat : cum, !whole);
	}
}

/* Add the numeric labels: a box for each, or, if there are many, a box for each group of close values. */
static void graph_labels_add_numbers(struct labels *x, const struct tag **tag, size_t n, uint32_t parent)
{
	struct group group[NET_LABELS_MAX] = { 0 };
	struct buf label[NET_LABELS_MAX] = { 0 };
	const struct tag *sum[NET_LABELS_MAX];

	sort_tags(tag, n, x->by_flat);
	if (n <= NET_LABELS_MAX) {
		add_number_boxes(x, tag, n, parent);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		int best = i < NET_LABELS_MAX ? (int)i : 0;

		for (int g = 1; i >= NET_LABELS_MAX && g < NET_LABELS_MAX; g++)
			if (graph_labels_distance(tag[i], group[g].seed) <
			    graph_labels_distance(tag[i], group[best].seed))
				best = g;
		group_add(&group[best], tag[i]);
	}
	for (int g = 0; g < NET_LABELS_MAX; g++) {
		group_finish(&group[g], &label[g]);
		group[g].sum.text = arena_strndup(x->b->mem, group[g].sum.name, label[g].len);
		sum[g] = &group[g].sum;
	}
	sort_tags(sum, NET_LABELS_MAX, x->by_flat);
	add_number_boxes(x, sum, NET_LABELS_MAX, parent);
	for (int g = 0; g < NET_LABELS_MAX; g++)
		buf_release(&label[g]);
}

/* Select the tags of a node: strings, or the numbers that belong to a label. Returns their number. */
static size_t pick_tags(const struct tag *tag, size_t n, bool numbers, uint32_t label, const struct tag **out)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		if (tag[i].is_number == numbers && (!numbers || tag[i].label == label))
			out[found++] = &tag[i];
	return found;
}

bool callgraph_add_labels(struct callgraph_builder *b, uint32_t box)
{
	const struct net *net = b->net;
	uint32_t node = net->shown.node[b->box[box].node];
	const struct tag *tag = net->tags.tag + net->tags.off[node];
	size_t n = net->tags.off[node + 1] - net->tags.off[node], n_labels;
	const struct tag **label = mem_alloc(n, sizeof(*label)), **number = mem_alloc(n, sizeof(*number));
	struct labels x = { .b = b, .node = b->box[box].node, .by_flat = net->out.off[node] < net->out.off[node + 1] };
	char id[64];

	n_labels = pick_tags(tag, n, false, 0, label);
	sort_tags(label, n_labels, x.by_flat);
	for (size_t i = 0; i < n_labels && i < NET_LABELS_MAX; i++) {
		const struct tag *t = label[i];
		int64_t weight = x.by_flat ? nodes_mean(t->flat, t->flat_div) : nodes_mean(t->cum, t->cum_div);

		if (weight == 0)
			continue;
		snprintf(id, sizeof(id), "%s_%zu", b->box[box].id, i);
		graph_labels_add_numbers(&x, number, pick_tags(tag, n, true, t->label, number),
					 graph_labels_add_box(&x, box, id, t, weight, false));
	}
	graph_labels_add_numbers(&x, number, pick_tags(tag, n, true, 0, number), box);
	free(label);
	free(number);
	return x.has_any;
}
