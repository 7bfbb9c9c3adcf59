/*
 * dot.c - a call graph for Graphviz
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/export/dot_int.h"

#include "base/num.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "viewers/text/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { FONT_MIN = 8, FONT_GROWTH = 16, WEIGHT_MAX = 100, WIDTH_MAX = 5 };

void dot_add_text(struct buf *out, const char *text, size_t n, const char *end)
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
	dot_add_text(out, buf_text(&safe), safe.len, "\\l");
	buf_release(&safe);
}

void dot_add_value(const struct head *h, int64_t value, struct buf *out)
{
	struct buf text = { 0 };

	report_add_value(h, value, &text);
	add_quoted(out, buf_text(&text));
	buf_release(&text);
}

/*
 * The colour of a share of the total: red for more, green for less, grey around 0.
 *
 * light   for what stands behind text
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
	return (double)value / (double)num_abs(h->total); /* 0 / 0 is for add_color to see */
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
	dot_add_text(out, lines.data, first, "\\l");
	buf_addz(out, "\" [shape=box fontsize=16 label=\"");
	dot_add_text(out, lines.data, lines.len, "\\l");
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
		dot_add_value(h, flat, out);
		buf_addz(out, " (");
		unit_add_percent_tight(out, flat, h->total);
		buf_addz(out, ")");
	}
	if (cum == flat)
		return;
	buf_addz(out, flat ? "\\nof " : " of ");
	dot_add_value(h, cum, out);
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
	dot_add_label(net, node, out);
	add_weights(h, flat, cum, out);
	buf_addf(out, "\" id=\"node%" PRIu32 "\" fontsize=%d shape=box tooltip=\"", i + 1, size);
	add_quoted(out, net->shown.name[i]);
	buf_addz(out, " (");
	dot_add_value(h, cum, out);
	buf_addz(out, ")\" color=\"");
	add_color(out, share_of(h, cum), false);
	buf_addz(out, "\" fillcolor=\"");
	add_color(out, share_of(h, cum), true);
	buf_addz(out, "\"]\n");
}

/* How thick: 1 and up to most for the whole of the total; not told when it is 1. */
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
	dot_add_value(h, nodes_mean(e->weight, e->div), out);
	buf_addz(out, ")\"");
}

static void add_edge(const struct net *net, const struct head *h, const struct edge *e, bool has_nodelets,
		     struct buf *out)
{
	int64_t weight = nodes_mean(e->weight, e->div);

	buf_addf(out, "N%" PRIu32 " -> N%" PRIu32 " [label=\" ", net->position[e->src], net->position[e->dst]);
	dot_add_value(h, weight, out);
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

	for (uint32_t i = 0; i < net->shown.n; i++)
		max_flat = fmax(max_flat, (double)num_abs(nodes_flat(&net->nodes, net->shown.node[i])));
	add_legend(r, out);
	for (uint32_t i = 0; i < net->shown.n; i++) {
		add_node(net, &r->head, i, max_flat, out);
		has[i] = dot_add_nodelets(net, &r->head, net->shown.node[i], out);
	}
	for (size_t i = 0; i < net->edges.n; i++) {
		const struct edge *e = &net->edges.edge[i];

		if (net->position[e->src] && net->position[e->dst])
			add_edge(net, &r->head, e, has[net->position[e->src] - 1], out);
	}
	buf_addz(out, "}\n");
}
