/*
 * dot.c - a call graph for Graphviz
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/export/export.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "base/str.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "engine/net.h"
#include "engine/shorten.h"
#include "report/head.h"
#include "viewers/text/text.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Append text for use in quotes: control characters written out, backslashes and quotes escaped. A line end is replaced
 * by end ("\\l" for left-justified lines, "\\n" for centred ones).
 */
static void add_text(struct buf *out, const char *text, size_t n, const char *end)
{
	struct buf safe = { 0 };

	for (size_t i = 0; i < n;) {
		const char *stop = memchr(text + i, '\n', n - i);
		size_t line = (stop ? (size_t)(stop - text) : n) - i;

		safe.len = 0;
		utf8_add_safe(&safe, text + i, line);
		for (size_t k = 0; k < safe.len; k++) {
			if (safe.data[k] == '\\' || safe.data[k] == '"')
				buf_add(out, "\\", 1);
			buf_add(out, safe.data + k, 1);
		}
		if (stop)
			buf_addz(out, end);
		i += line + (stop != NULL);
	}
	buf_release(&safe);
}

static void add_quoted(struct buf *out, const char *text)
{
	struct buf safe = { 0 };

	utf8_add_safe(&safe, text, strlen(text)); /* a name is one line */
	add_text(out, buf_text(&safe), safe.len, "\\l");
	buf_release(&safe);
}

/* Append a value with its unit, for use in quotes. */
static void add_value(const struct head *h, int64_t value, struct buf *out)
{
	struct buf text = { 0 };

	report_add_value(h, value, &text);
	add_quoted(out, buf_text(&text));
	buf_release(&text);
}

/* A name with a line break after every part. */
static void add_name_lines(struct buf *out, const char *name)
{
	static const char any[] = "[...]";
	struct buf shortened = { 0 }, safe = { 0 }, quoted = { 0 };
	const char *s;

	shorten_add(&shortened, name);
	utf8_add_safe(&safe, buf_text(&shortened), shortened.len);
	add_text(&quoted, buf_text(&safe), safe.len, "\\l");
	for (s = buf_text(&quoted); *s; s++) {
		if (starts_with(s, any)) {
			buf_addz(out, "[…]"); /* what Go prints for type parameters */
			s += sizeof(any) - 2;
		} else if (*s == '.' || starts_with(s, "::")) {
			buf_addz(out, "\\n");
			s += *s == ':';
		} else {
			buf_add(out, s, 1);
		}
	}
	buf_release(&quoted);
	buf_release(&safe);
	buf_release(&shortened);
}

static void add_base(struct buf *out, const char *path)
{
	struct buf base = { 0 }, safe = { 0 };

	path_add_base(&base, path);
	utf8_add_safe(&safe, base.data, base.len);
	add_text(out, safe.data, safe.len, "\\l");
	buf_release(&safe);
	buf_release(&base);
}

/* Append the label of a node: its name split into lines. Like pprof multilinePrintableName. */
static void add_label(const struct net *net, uint32_t node, struct buf *out)
{
	const struct places *pl = &net->places;
	uint32_t at = nodes_place(&net->nodes, node);
	const struct place *k = &pl->place[at];
	const char *file = places_file(pl, at);

	if (k->addr)
		buf_addf(out, "%016" PRIx64 "\\n", k->addr);
	if (k->name) {
		add_name_lines(out, report_head_text(pl->p, k->name, net->names.mem));
		buf_addz(out, "\\n");
	}
	if (k->line) {
		if (*file)
			add_base(out, file);
		buf_addf(out, ":%" PRId64, k->line);
		if (k->col)
			buf_addf(out, ":%" PRId64, k->col);
		buf_addz(out, "\\n");
	} else if (*file) {
		add_base(out, file);
		buf_addz(out, "\\n");
	} else if (!k->name && k->objfile) {
		buf_addz(out, "[");
		add_base(out, report_head_text(pl->p, k->objfile, net->names.mem));
		buf_addz(out, "]\\n");
	} else if (!k->name) {
		buf_addz(out, "<unknown>\\n");
	}
}

/* State of writing the boxes of a node. */
struct nodelets {
	const struct head *h;
	bool by_flat;
	struct buf *out;
	bool any;
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

static double distance(const struct tag *t, const struct tag *seed)
{
	const char *unit;
	double v = unit_scale(seed->value, seed->unit, t->unit, &unit), own = (double)t->value;

	return v < own ? own - v : v - own;
}

/* Numbers drawn as one box. */
struct group {
	struct tag sum; /* name is its label; weights are divided */
	const struct tag *min, *max, *seed;
	bool several;
};

static void group_add(struct group *g, const struct tag *t)
{
	if (!g->seed) {
		*g = (struct group){ .sum = *t, .min = t, .max = t, .seed = t };
		return;
	}
	if (t->value < g->min->value) /* numbers of one key have one unit */
		g->min = t;
	if (t->value > g->max->value)
		g->max = t;
	g->sum.flat = num_add_capped(g->sum.flat, t->flat);
	g->sum.cum = num_add_capped(g->sum.cum, t->cum);
	g->sum.flat_div = num_add_capped(g->sum.flat_div, t->flat_div);
	g->sum.cum_div = num_add_capped(g->sum.cum_div, t->cum_div);
	g->several = true;
}

static void group_finish(struct group *g, struct buf *label)
{
	unit_add_label(label, g->min->value, g->min->unit, "auto");
	if (g->several) {
		buf_addz(label, "..");
		unit_add_label(label, g->max->value, g->max->unit, "auto");
	}
	g->sum.flat = nodes_mean(g->sum.flat, g->sum.flat_div);
	g->sum.cum = nodes_mean(g->sum.cum, g->sum.cum_div);
	g->sum.flat_div = g->sum.cum_div = 0;
	g->sum.name = buf_text(label);
}

static void add_box(struct nodelets *x, const char *source, const char *id, const struct tag *t, int64_t weight,
		    const char *style)
{
	struct buf w = { 0 };

	add_value(x->h, weight, &w);
	buf_addf(x->out, "%s [label = \"", id);
	add_text(x->out, t->text, strlen(t->text), "\\n");
	buf_addf(x->out, "\" id=\"%s\" fontsize=8 shape=box3d tooltip=\"%s\"]\n", id, buf_text(&w));
	buf_addf(x->out, "%s -> %s [label=\" %s\" weight=100 tooltip=\"%s\" labeltooltip=\"%s\"%s]\n", source, id,
		 buf_text(&w), buf_text(&w), buf_text(&w), style);
	buf_release(&w);
	x->any = true;
}

static void add_number_boxes(struct nodelets *x, const struct tag **tag, size_t n, const char *source)
{
	for (size_t i = 0; i < n; i++) {
		int64_t flat = nodes_mean(tag[i]->flat, tag[i]->flat_div);
		int64_t cum = nodes_mean(tag[i]->cum, tag[i]->cum_div);
		bool whole = x->by_flat || flat == cum;
		char id[64];

		snprintf(id, sizeof(id), "N%s_%zu", source, i);
		if (whole ? flat : cum)
			add_box(x, source, id, tag[i], whole ? flat : cum, whole ? "" : " style=\"dotted\"");
	}
}

/* The numbers of a label: a box for each, or for groups of near ones when there are many. */
static void add_numbers(struct nodelets *x, const struct tag **tag, size_t n, const char *source)
{
	struct group group[NET_LABELS] = { 0 };
	struct buf label[NET_LABELS] = { 0 };
	const struct tag *sum[NET_LABELS];

	sort_tags(tag, n, x->by_flat);
	if (n <= NET_LABELS) {
		add_number_boxes(x, tag, n, source);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		int best = i < NET_LABELS ? (int)i : 0;

		for (int g = 1; i >= NET_LABELS && g < NET_LABELS; g++)
			if (distance(tag[i], group[g].seed) < distance(tag[i], group[best].seed))
				best = g;
		group_add(&group[best], tag[i]);
	}
	for (int g = 0; g < NET_LABELS; g++) {
		group_finish(&group[g], &label[g]);
		group[g].sum.text = group[g].sum.name;
		sum[g] = &group[g].sum;
	}
	sort_tags(sum, NET_LABELS, x->by_flat);
	add_number_boxes(x, sum, NET_LABELS, source);
	for (int g = 0; g < NET_LABELS; g++)
		buf_release(&label[g]);
}

/* Write the tags of a node for a label. Gives how many. */
static size_t pick_tags(const struct tag *tag, size_t n, bool numbers, uint32_t label, const struct tag **out)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		if (tag[i].is_number == numbers && (!numbers || tag[i].label == label))
			out[found++] = &tag[i];
	return found;
}

/* Append the boxes for the labels of a node. True when there are any. Like pprof addNodelets. */
static bool add_nodelets(const struct net *net, const struct head *h, uint32_t node, struct buf *out)
{
	const struct tag *tag = net->tags.tag + net->tags.off[node];
	size_t n = net->tags.off[node + 1] - net->tags.off[node], n_labels;
	const struct tag **label = mem_alloc(n, sizeof(*label)), **number = mem_alloc(n, sizeof(*number));
	struct nodelets x = { .h = h, .by_flat = net->out.off[node] < net->out.off[node + 1], .out = out };
	char source[32], id[64];

	snprintf(source, sizeof(source), "N%" PRIu32, net->position[node]);
	n_labels = pick_tags(tag, n, false, 0, label);
	sort_tags(label, n_labels, x.by_flat);
	for (size_t i = 0; i < n_labels && i < NET_LABELS; i++) {
		const struct tag *t = label[i];
		int64_t weight = x.by_flat ? nodes_mean(t->flat, t->flat_div) : nodes_mean(t->cum, t->cum_div);

		if (weight == 0)
			continue;
		snprintf(id, sizeof(id), "%s_%zu", source, i);
		add_box(&x, source, id, t, weight, "");
		add_numbers(&x, number, pick_tags(tag, n, true, t->label, number), id);
	}
	add_numbers(&x, number, pick_tags(tag, n, true, 0, number), source);
	free(label);
	free(number);
	return x.any;
}

enum { FONT_MIN = 8, FONT_GROWTH = 16, WEIGHT_MAX = 100, WIDTH_MAX = 5 };

/*
 * The colour of a share of the total: red for more, green for less, grey around 0.
 *
 * light   for the background of text
 * Like    pprof internal/graph dotColor
 */
static void add_color(struct buf *out, double share, bool light)
{
	double saturation = light ? 0.1 : 1, value = light ? 0.93 : 0.7;
	double size = isnan(share) ? 1 : fmin(fabs(share), 1), shift = isnan(share) ? 1 / saturation : pow(size, 0.3);
	double strong = value, weak;

	if (size < 0.2)
		saturation *= size / 0.2;
	weak = value * (1 - saturation * shift);
	buf_addf(out, "#%02x%02x%02x", (unsigned)((share < 0 ? weak : strong) * 255),
		 (unsigned)((share < 0 ? strong : weak) * 255), (unsigned)(value * (1 - saturation) * 255));
}

static double share_of(const struct head *h, int64_t value)
{
	return (double)value / (double)num_abs(h->total); /* add_color handles 0 / 0 */
}

static void add_legend(const struct report *r, struct buf *out)
{
	const char *title = r->head.file;
	struct buf lines = { 0 };
	size_t first;

	text_add_head(r, true, &lines);
	buf_addz(&lines, "\nSee https://git.io/JfYMW for how to read the graph\n");
	first = strcspn(lines.data, "\n");
	buf_addz(out, "digraph \"");
	add_quoted(out, *title ? title : "unnamed");
	buf_addz(out, "\" {\nnode [style=filled fillcolor=\"#f8f8f8\"]\nsubgraph cluster_L { \"");
	add_text(out, lines.data, first, "\\l");
	buf_addz(out, "\" [shape=box fontsize=16 label=\"");
	add_text(out, lines.data, lines.len, "\\l");
	buf_addz(out, "\"");
	if (*title) {
		buf_addz(out, " tooltip=\"");
		add_quoted(out, title);
		buf_addz(out, "\"");
	}
	buf_addz(out, "] }\n");
	buf_release(&lines);
}

/* "F(flat) (P)" and "of F(cum) (P)". */
static void add_weights(const struct head *h, int64_t flat, int64_t cum, struct buf *out)
{
	if (flat == 0) {
		buf_addz(out, "0");
	} else {
		add_value(h, flat, out);
		buf_addz(out, " (");
		unit_add_percent_tight(out, flat, h->total);
		buf_addz(out, ")");
	}
	if (cum == flat)
		return;
	buf_addz(out, flat ? "\\nof " : " of ");
	add_value(h, cum, out);
	buf_addz(out, " (");
	unit_add_percent_tight(out, cum, h->total);
	buf_addz(out, ")");
}

static void add_node(const struct net *net, const struct head *h, uint32_t i, double max_flat, struct buf *out)
{
	uint32_t node = net->shown.node[i];
	int64_t flat = nodes_flat(&net->nodes, node), cum = nodes_cum(&net->nodes, node);
	int size = FONT_MIN;

	if (flat != 0)
		size += (int)ceil(FONT_GROWTH * sqrt((double)num_abs(flat) / max_flat));
	buf_addf(out, "N%" PRIu32 " [label=\"", i + 1);
	add_label(net, node, out);
	add_weights(h, flat, cum, out);
	buf_addf(out, "\" id=\"node%" PRIu32 "\" fontsize=%d shape=box tooltip=\"", i + 1, size);
	add_quoted(out, net->shown.name[i]);
	buf_addz(out, " (");
	add_value(h, cum, out);
	buf_addz(out, ")\" color=\"");
	add_color(out, share_of(h, cum), false);
	buf_addz(out, "\" fillcolor=\"");
	add_color(out, share_of(h, cum), true);
	buf_addz(out, "\"]\n");
}

/* The width of a line: 1, and up to most for the whole total; omitted when it is 1. */
static void add_thickness(struct buf *out, const char *key, int64_t weight, int64_t total, int most)
{
	__int128 share = (__int128)weight * most / total;
	int n = 1 + (int)(share < 0 ? -share < most ? -share : most : share < most ? share : most);

	if (n > 1)
		buf_addf(out, " %s=%d", key, n);
}

static void add_tip(const struct net *net, const struct head *h, const struct edge *e, struct buf *out)
{
	buf_addz(out, "\"");
	add_quoted(out, net->shown.name[net->position[e->src] - 1]);
	buf_addz(out, e->residual ? " ... " : " -> ");
	add_quoted(out, net->shown.name[net->position[e->dst] - 1]);
	buf_addz(out, " (");
	add_value(h, nodes_mean(e->weight, e->div), out);
	buf_addz(out, ")\"");
}

static void add_edge(const struct net *net, const struct head *h, const struct edge *e, bool has_nodelets,
		     struct buf *out)
{
	int64_t weight = nodes_mean(e->weight, e->div);

	buf_addf(out, "N%" PRIu32 " -> N%" PRIu32 " [label=\" ", net->position[e->src], net->position[e->dst]);
	add_value(h, weight, out);
	buf_addz(out, e->inlined ? "\\n (inline)\"" : "\"");
	if (h->total != 0) {
		add_thickness(out, "weight", weight, h->total, WEIGHT_MAX);
		add_thickness(out, "penwidth", weight, h->total, WIDTH_MAX);
		buf_addz(out, " color=\"");
		add_color(out, share_of(h, weight), false);
		buf_addz(out, "\"");
	}
	buf_addz(out, " tooltip=");
	add_tip(net, h, e, out);
	buf_addz(out, " labeltooltip=");
	add_tip(net, h, e, out);
	buf_addf(out, "%s%s]\n", e->residual ? " style=\"dotted\"" : "", has_nodelets ? " minlen=2" : "");
}

void dot_draw(const struct net *net, const struct report *r, struct buf *out)
{
	bool *has = arena_zalloc(r->mem, net->shown.n, sizeof(*has));
	double max_flat = 0;

	assert(net && r && out);
	for (uint32_t i = 0; i < net->shown.n; i++)
		max_flat = fmax(max_flat, (double)num_abs(nodes_flat(&net->nodes, net->shown.node[i])));
	add_legend(r, out);
	for (uint32_t i = 0; i < net->shown.n; i++) {
		add_node(net, &r->head, i, max_flat, out);
		has[i] = add_nodelets(net, &r->head, net->shown.node[i], out);
	}
	for (size_t i = 0; i < net->edges.n; i++) {
		const struct edge *e = &net->edges.edge[i];

		if (net->position[e->src] && net->position[e->dst])
			add_edge(net, &r->head, e, has[net->position[e->src] - 1], out);
	}
	buf_addz(out, "}\n");
}
