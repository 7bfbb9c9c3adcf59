/*
 * callgraph.c - a call graph as boxes and arrows: texts, sizes and colours
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/graph/callgraph.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "base/str.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "engine/shorten.h"
#include "report/head.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FONT_MIN = 8, FONT_GROWTH = 16 };

void callgraph_add_value(const struct callgraph *g, int64_t value, struct buf *out)
{
	struct buf text = { 0 };

	report_add_value(&g->r->head, value, &text);
	utf8_add_safe(out, buf_text(&text), text.len);
	buf_release(&text);
}

int64_t callgraph_weight(const struct edge *call)
{
	return nodes_mean(call->weight, call->div);
}

/* Append a name with a line break after every part. */
static void add_name_lines(struct buf *out, const char *name)
{
	static const char has_any[] = "[...]";
	struct buf shortened = { 0 }, safe = { 0 };
	const char *s;

	shorten_add(&shortened, name);
	utf8_add_safe(&safe, buf_text(&shortened), shortened.len);
	for (s = buf_text(&safe); *s; s++) {
		if (starts_with(s, has_any)) {
			buf_addz(out, "[…]"); /* Go's notation for type parameters */
			s += sizeof(has_any) - 2;
		} else if (*s == '.' || starts_with(s, "::")) {
			buf_add(out, "\n", 1);
			s += *s == ':';
		} else {
			buf_add(out, s, 1);
		}
	}
	buf_release(&safe);
	buf_release(&shortened);
}

static void add_base(struct buf *out, const char *path)
{
	struct buf base = { 0 };

	path_add_base(&base, path);
	utf8_add_safe(out, buf_text(&base), base.len);
	buf_release(&base);
}

/* Append the name of a node, split into lines, each ending in \n. Like pprof multilinePrintableName. */
static void callgraph_add_name(const struct net *net, uint32_t node, struct buf *out)
{
	const struct places *pl = &net->places;
	uint32_t at = nodes_place(&net->nodes, node);
	const struct place *k = &pl->place[at];
	const struct place_detail *d = places_detail(pl, at);
	const char *file = places_file(pl, at);

	if (d->addr)
		buf_addf(out, "%016" PRIx64 "\n", d->addr);
	if (k->name) {
		add_name_lines(out, report_head_text(pl->p, k->name, net->names.mem));
		buf_add(out, "\n", 1);
	}
	if (d->line) {
		if (*file)
			add_base(out, file);
		buf_addf(out, ":%" PRId64, d->line);
		if (d->col)
			buf_addf(out, ":%" PRId64, d->col);
		buf_add(out, "\n", 1);
	} else if (*file) {
		add_base(out, file);
		buf_add(out, "\n", 1);
	} else if (!k->name && d->objfile) {
		buf_addz(out, "[");
		add_base(out, report_head_text(pl->p, d->objfile, net->names.mem));
		buf_addz(out, "]\n");
	} else if (!k->name) {
		buf_addz(out, "<unknown>\n");
	}
}

/* Append "VALUE (PERCENT)". */
static void callgraph_add_share(const struct callgraph *g, int64_t value, struct buf *out)
{
	callgraph_add_value(g, value, out);
	buf_addz(out, " (");
	unit_add_percent_trimmed(out, value, g->r->head.total);
	buf_addz(out, ")");
}

/* Append "FLAT (PERCENT)", followed by "of CUM (PERCENT)" if cum differs. */
static void callgraph_add_weights(const struct callgraph *g, int64_t flat, int64_t cum, struct buf *out)
{
	if (flat == 0)
		buf_addz(out, "0");
	else
		callgraph_add_share(g, flat, out);
	if (cum == flat)
		return;
	buf_addz(out, flat ? "\nof " : " of ");
	callgraph_add_share(g, cum, out);
}

void callgraph_add_text(const struct callgraph *g, const struct callgraph_box *b, struct buf *out)
{
	const char *line = b->label;

	if (!line) {
		callgraph_add_name(g->net, g->net->shown.node[b->node], out);
		callgraph_add_weights(g, b->flat, b->weight, out);
		return;
	}
	for (;; line++) {
		size_t n = strcspn(line, "\n");

		utf8_add_safe(out, line, n);
		line += n;
		if (!*line)
			return;
		buf_add(out, "\n", 1);
	}
}

int callgraph_thickness(const struct callgraph *g, int64_t weight, int max)
{
	int64_t total = g->r->head.total;
	__int128 share = total ? (__int128)weight * max / total : 0;

	share = share < 0 ? -share : share;
	return 1 + (int)(share < max ? share : max);
}

static double callgraph_share_of(const struct callgraph *g, int64_t value)
{
	return (double)value / (double)num_abs(g->r->head.total); /* may be NaN */
}

uint32_t callgraph_color(const struct callgraph *g, int64_t value_of, bool is_light)
{
	double share = callgraph_share_of(g, value_of), saturation = is_light ? 0.1 : 1, value = is_light ? 0.93 : 0.7;
	double size = isnan(share) ? 1 : fmin(fabs(share), 1), shift = isnan(share) ? 1 / saturation : pow(size, 0.3);
	double weak;

	if (size < 0.2)
		saturation *= size / 0.2;
	weak = value * (1 - saturation * shift);
	if (share < 0)
		return (uint32_t)(weak * 255) << 16 | (uint32_t)(weak * 255) << 8 | (uint32_t)(value * 255);
	return (uint32_t)(value * 255) << 16 | (uint32_t)(weak * 255) << 8 | (uint32_t)(value * (1 - saturation) * 255);
}

int callgraph_step(const struct callgraph *g, int64_t value)
{
	double share = callgraph_share_of(g, value);
	double size = isnan(share) ? 0 : sqrt(fmin(fabs(share), 1));
	int step = (int)lround(size * CALLGRAPH_STEPS);

	return share < 0 ? -step : step;
}

/* Makes the boxes. */
struct callgraph_builder {
	const struct net *net;
	struct arena *mem;
	struct callgraph_box *box; /* [n] */
	size_t n, cap;
};

/* Add a box; its id is copied. Returns its index. */
static uint32_t callgraph_add_box(struct callgraph_builder *b, struct callgraph_box box)
{
	b->box = mem_grow(b->box, &b->cap, b->n + 1, sizeof(*b->box));
	box.id = arena_strndup(b->mem, box.id, strlen(box.id));
	b->box[b->n] = box;
	return (uint32_t)b->n++;
}

/* ---- labels ---- */

/* State while the label boxes of a node are added. */
struct callgraph_labels {
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
struct callgraph_group {
	struct tag sum; /* name is the text; weights are means */
	const struct tag *min, *max, *seed;
	bool is_range;
};

static void group_add(struct callgraph_group *g, const struct tag *t)
{
	if (!g->seed) {
		*g = (struct callgraph_group){ .sum = *t, .min = t, .max = t, .seed = t };
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

static void group_finish(struct callgraph_group *g, struct buf *label)
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

static uint32_t graph_labels_add_box(struct callgraph_labels *x, uint32_t parent, const char *id, const struct tag *t,
				     int64_t weight, bool is_part)
{
	x->has_any = true;
	return callgraph_add_box(x->b, (struct callgraph_box){ .id = id,
							       .label = t->text,
							       .node = x->node,
							       .parent = parent,
							       .is_part = is_part,
							       .weight = weight,
							       .font = FONT_MIN });
}

static void add_number_boxes(struct callgraph_labels *x, const struct tag **tag, size_t n, uint32_t parent)
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
static void graph_labels_add_numbers(struct callgraph_labels *x, const struct tag **tag, size_t n, uint32_t parent)
{
	struct callgraph_group group[NET_LABELS_MAX] = { 0 };
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

/* Add boxes for the labels of a node, given by its box. Returns true if there are any. Like pprof addNodelets. */
static bool callgraph_add_labels(struct callgraph_builder *b, uint32_t box)
{
	const struct net *net = b->net;
	uint32_t node = net->shown.node[b->box[box].node];
	const struct tag *tag = net->tags.tag + net->tags.off[node];
	size_t n = net->tags.off[node + 1] - net->tags.off[node], n_labels;
	const struct tag **label = mem_alloc(n, sizeof(*label)), **number = mem_alloc(n, sizeof(*number));
	struct callgraph_labels x = { .b = b,
				      .node = b->box[box].node,
				      .by_flat = net->out.off[node] < net->out.off[node + 1] };
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

/* ---- graph ---- */

/* The size of the text of a node: the square root of its share of the largest flat. */
static int font_of(int64_t flat, double max_flat)
{
	return FONT_MIN + (flat ? (int)ceil(FONT_GROWTH * sqrt((double)num_abs(flat) / max_flat)) : 0);
}

static void callgraph_add_calls(const struct net *net, struct arena *mem, struct callgraph *out)
{
	out->call = arena_alloc(mem, net->edges.n, sizeof(*out->call));
	for (size_t i = 0; i < net->edges.n; i++) {
		const struct edge *e = &net->edges.edge[i];

		if (net->position[e->src] && net->position[e->dst])
			out->call[out->n_calls++] = e;
	}
}

void callgraph_make(const struct net *net, const struct report *r, struct arena *mem, struct callgraph *out)
{
	struct callgraph_builder b = { .net = net, .mem = mem };
	double max_flat = 0;

	assert(net->is_picture);
	*out = (struct callgraph){ .net = net, .r = r, .box_of = arena_alloc(mem, net->shown.n, sizeof(*out->box_of)) };
	for (uint32_t i = 0; i < net->shown.n; i++)
		max_flat = fmax(max_flat, (double)num_abs(nodes_flat(&net->nodes, net->shown.node[i])));
	for (uint32_t i = 0; i < net->shown.n; i++) {
		int64_t flat = nodes_flat(&net->nodes, net->shown.node[i]);
		struct callgraph_box box = { .node = i,
					     .weight = nodes_cum(&net->nodes, net->shown.node[i]),
					     .flat = flat,
					     .font = font_of(flat, max_flat) };
		char id[16];

		snprintf(id, sizeof(id), "N%" PRIu32, i + 1);
		box.id = id;
		out->box_of[i] = callgraph_add_box(&b, box);
		if (callgraph_add_labels(&b, out->box_of[i]))
			b.box[out->box_of[i]].has_labels = true;
	}
	out->box = arena_own(mem, b.box);
	out->n = (uint32_t)b.n;
	callgraph_add_calls(net, mem, out);
}
