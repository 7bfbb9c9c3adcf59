/*
 * callgraph.h - a call graph as boxes and arrows: texts, sizes and colours, independent of the format
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_GRAPH_CALLGRAPH_H
#define VIEWERS_GRAPH_CALLGRAPH_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/stop.h"
#include "engine/net.h"
#include "report/report.h"

#include <stdbool.h>
#include <stdint.h>

/* A node of the net, or some labels of its samples. */
struct callgraph_box {
	const char *id;    /* as in pprof: "N1"; of labels "N1_0" or "NN1_0" */
	const char *label; /* text of labels; NULL for a node; untrusted */
	uint32_t node;     /* index in net.shown of the node or, for labels, of the node that they belong to */
	uint32_t parent;   /* index of the box that labels are attached to */
	bool is_part;      /* are labels attached by a dotted line, because their weight has another part as flat? */
	bool has_labels;   /* are labels attached to the node? */
	int64_t weight;    /* cum of a node */
	int64_t flat;      /* of a node */
	int font;          /* size of its text in points */
};

struct callgraph {
	const struct net *net;
	const struct report *r; /* only its head is used */
	uint32_t n;
	struct callgraph_box *box; /* [n] each node is followed by its labels */
	uint32_t *box_of;          /* [net.shown.n] index of the box of a node */
	uint32_t n_calls;
	const struct edge **call; /* [n_calls] calls between shown nodes, heaviest first */
};

/*
 * Make the boxes of a net.
 *
 * net     made for a picture; it and r must outlive the result
 * mem     owns the result
 * Like    pprof internal/graph ComposeDot
 */
void callgraph_make(const struct net *net, const struct report *r, struct arena *mem, struct callgraph *out);

/* The box of a shown node of the net. */
static inline const struct callgraph_box *callgraph_box_of(const struct callgraph *g, uint32_t node)
{
	return &g->box[g->box_of[g->net->position[node] - 1]];
}

/*
 * Append the text of a box: lines that are separated by \n. Control characters are escaped.
 *
 * Like    pprof multilinePrintableName
 */
void callgraph_add_text(const struct callgraph *g, const struct callgraph_box *b, struct buf *out);

/* Append a value with its unit. Control characters are escaped. */
void callgraph_add_value(const struct callgraph *g, int64_t value, struct buf *out);

/* The value of a call. */
int64_t callgraph_weight(const struct edge *call);

/* A line width or a layout weight: 1 plus up to max, in proportion to the share of the total; 1 if that is 0. */
int callgraph_thickness(const struct callgraph *g, int64_t weight, int max);

/*
 * The colour of a share of the total, 0xRRGGBB: red for positive, blue for negative, grey around 0.
 *
 * is_light   a background colour
 * Like       pprof internal/graph dotColor
 */
uint32_t callgraph_color(const struct callgraph *g, int64_t value, bool is_light);

/* The step of a colour on a scale for style sheets, from -CALLGRAPH_STEPS (a decrease) to CALLGRAPH_STEPS. */
int callgraph_step(const struct callgraph *g, int64_t value);

enum { CALLGRAPH_STEPS = 8, CALLGRAPH_WEIGHT_MAX = 100, CALLGRAPH_WIDTH_MAX = 5, CALLGRAPH_NODES_MAX = 500 };

/* The error without Graphviz. Like pprof. */
#define CALLGRAPH_NO_DOT "Could not execute dot; may need to install graphviz."

/* Options of an SVG. */
struct callgraph_style {
	bool is_element; /* an element for a web page, which has the style sheet; else a file with title and style */
	/* Append the address that a node links to, without control characters; NULL: no links. */
	void (*add_link)(void *arg, const struct row_place *place, struct buf *out);
	void *arg;
};

/*
 * Append a call graph as SVG. Graphviz only places numbered boxes; names do not pass through it.
 *
 * stop    ends Graphviz; may be NULL
 * Fails   ERR_UNKNOWN in pprof's words without Graphviz; ERR_LIMIT above CALLGRAPH_NODES_MAX nodes, or when Graphviz takes
 *         too much time or memory; ERR_IO; ERR_STOPPED
 */
int callgraph_draw_svg(const struct callgraph *g, const struct callgraph_style *style, const struct stop *stop,
		       struct buf *out, struct err *err);

#endif
