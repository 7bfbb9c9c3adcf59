/*
 * dot.c - a call graph for Graphviz
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/export/export.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "engine/net.h"
#include "viewers/graph/callgraph.h"
#include "viewers/text/text.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

/*
 * Append text for use in quotes: control characters, backslashes and quotes are escaped. A line end is replaced by end
 * ("\\l" for left-justified lines, "\\n" for centred ones).
 */
static void dot_add_text(struct buf *out, const char *text, size_t n, const char *end)
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

static void dot_add_quoted(struct buf *out, const char *text)
{
	struct buf safe = { 0 };

	utf8_add_safe(&safe, text, strlen(text)); /* keep a name on one line */
	dot_add_text(out, buf_text(&safe), safe.len, "\\l");
	buf_release(&safe);
}

/* Append the lines of a text for use in quotes. */
static void dot_add_lines(const struct buf *lines, struct buf *out)
{
	dot_add_text(out, buf_text(lines), lines->len, "\\n");
}

/* Append a value with its unit, for use in quotes. */
static void dot_add_value(const struct callgraph *g, int64_t value, struct buf *out)
{
	struct buf text = { 0 };

	callgraph_add_value(g, value, &text);
	dot_add_lines(&text, out);
	buf_release(&text);
}

static void add_box_text(const struct callgraph *g, const struct callgraph_box *b, struct buf *out)
{
	struct buf text = { 0 };

	callgraph_add_text(g, b, &text);
	dot_add_lines(&text, out);
	buf_release(&text);
}

/* Append a box of labels and the line that attaches it. */
static void dot_add_labels(const struct callgraph *g, const struct callgraph_box *b, struct buf *out)
{
	struct buf w = { 0 };

	dot_add_value(g, b->weight, &w);
	buf_addf(out, "%s [label = \"", b->id);
	add_box_text(g, b, out);
	buf_addf(out, "\" id=\"%s\" fontsize=%d shape=box3d tooltip=\"%s\"]\n", b->id, b->font, buf_text(&w));
	buf_addf(out, "%s -> %s [label=\" %s\" weight=100 tooltip=\"%s\" labeltooltip=\"%s\"%s]\n",
		 g->box[b->parent].id, b->id, buf_text(&w), buf_text(&w), buf_text(&w),
		 b->is_part ? " style=\"dotted\"" : "");
	buf_release(&w);
}

static void dot_add_legend(const struct report *r, struct buf *out)
{
	const char *title = r->head.file;
	struct buf lines = { 0 };
	size_t first;

	text_add_head(r, true, &lines);
	buf_addz(&lines, "\nSee https://git.io/JfYMW for how to read the graph\n");
	first = strcspn(lines.data, "\n");
	buf_addz(out, "digraph \"");
	dot_add_quoted(out, *title ? title : "unnamed");
	buf_addz(out, "\" {\nnode [style=filled fillcolor=\"#f8f8f8\"]\nsubgraph cluster_L { \"");
	dot_add_text(out, lines.data, first, "\\l");
	buf_addz(out, "\" [shape=box fontsize=16 label=\"");
	dot_add_text(out, lines.data, lines.len, "\\l");
	buf_addz(out, "\"");
	if (*title) {
		buf_addz(out, " tooltip=\"");
		dot_add_quoted(out, title);
		buf_addz(out, "\"");
	}
	buf_addz(out, "] }\n");
	buf_release(&lines);
}

static void dot_add_node(const struct callgraph *g, const struct callgraph_box *b, struct buf *out)
{
	buf_addf(out, "%s [label=\"", b->id);
	add_box_text(g, b, out);
	buf_addf(out, "\" id=\"node%" PRIu32 "\" fontsize=%d shape=box tooltip=\"", b->node + 1, b->font);
	dot_add_quoted(out, g->net->shown.name[b->node]);
	buf_addz(out, " (");
	dot_add_value(g, b->weight, out);
	buf_addf(out, ")\" color=\"#%06" PRIx32 "\" fillcolor=\"#%06" PRIx32 "\"]\n",
		 callgraph_color(g, b->weight, false), callgraph_color(g, b->weight, true));
}

/* Append the width of a line, or its weight. A width of 1 is omitted. */
static void add_thickness(const struct callgraph *g, const char *key, int64_t weight, int max, struct buf *out)
{
	int n = callgraph_thickness(g, weight, max);

	if (n > 1)
		buf_addf(out, " %s=%d", key, n);
}

static void add_tip(const struct callgraph *g, const struct edge *e, struct buf *out)
{
	const struct net *net = g->net;

	buf_addz(out, "\"");
	dot_add_quoted(out, net->shown.name[net->position[e->src] - 1]);
	buf_addz(out, e->residual ? " ... " : " -> ");
	dot_add_quoted(out, net->shown.name[net->position[e->dst] - 1]);
	buf_addz(out, " (");
	dot_add_value(g, callgraph_weight(e), out);
	buf_addz(out, ")\"");
}

static void dot_add_call(const struct callgraph *g, const struct edge *e, struct buf *out)
{
	const struct callgraph_box *from = callgraph_box_of(g, e->src), *to = callgraph_box_of(g, e->dst);
	int64_t weight = callgraph_weight(e);

	buf_addf(out, "%s -> %s [label=\" ", from->id, to->id);
	dot_add_value(g, weight, out);
	buf_addz(out, e->inlined ? "\\n (inline)\"" : "\"");
	if (g->r->head.total != 0) {
		add_thickness(g, "weight", weight, CALLGRAPH_WEIGHT_MAX, out);
		add_thickness(g, "penwidth", weight, CALLGRAPH_WIDTH_MAX, out);
		buf_addf(out, " color=\"#%06" PRIx32 "\"", callgraph_color(g, weight, false));
	}
	buf_addz(out, " tooltip=");
	add_tip(g, e, out);
	buf_addz(out, " labeltooltip=");
	add_tip(g, e, out);
	buf_addf(out, "%s%s]\n", e->residual ? " style=\"dotted\"" : "", from->has_labels ? " minlen=2" : "");
}

void dot_draw(const struct net *net, const struct report *r, struct buf *out)
{
	struct callgraph g;

	assert(net && r && out);
	callgraph_make(net, r, r->mem, &g);
	dot_add_legend(r, out);
	for (uint32_t i = 0; i < g.n && !buf_is_stopped(); i++) {
		if (g.box[i].label)
			dot_add_labels(&g, &g.box[i], out);
		else
			dot_add_node(&g, &g.box[i], out);
	}
	for (uint32_t i = 0; i < g.n_calls && !buf_is_stopped(); i++)
		dot_add_call(&g, g.call[i], out);
	buf_addz(out, "}\n");
}
