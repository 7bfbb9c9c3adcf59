/*
 * layout.h - positions of boxes and arrows, computed by Graphviz
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * dot receives numbered boxes of fixed sizes and no text of the profile. Its output is read as untrusted input. All
 * lengths are in points; y grows downwards.
 */
#ifndef VIEWERS_GRAPH_LAYOUT_H
#define VIEWERS_GRAPH_LAYOUT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/stop.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct layout_point {
	double x, y;
};

struct layout_box {
	double width, height;
	struct layout_point at; /* the centre; set by the layout */
};

struct layout_arrow {
	uint32_t from, to;       /* indices of boxes */
	int weight;              /* 1 to 100: arrows of larger weight are shorter and straighter */
	bool is_long;            /* leave space for another box between its ends */
	uint32_t columns, lines; /* size of its label; lines is 0 for none */

	/* Set by the layout. */
	uint32_t n_points; /* 3 k + 1 points of a Bezier curve; the tip follows after the last one */
	const struct layout_point *point;
	struct layout_point label; /* the centre of the label */
};

struct layout {
	struct layout_box *box; /* [n_boxes] */
	uint32_t n_boxes;
	struct layout_arrow *arrow; /* [n_arrows] */
	uint32_t n_arrows;
	double width, height; /* set by the layout */
};

enum {
	LAYOUT_FONT = 12,
	LAYOUT_COLUMNS_MAX = 40
}; /* font size of labels of arrows in points; max columns of a label */

/*
 * Compute the positions of boxes and arrows with Graphviz.
 *
 * stop    ends Graphviz; may be NULL
 * mem     owns the points
 * Fails   ERR_UNKNOWN in pprof's words without Graphviz; ERR_LIMIT when it takes too much time or memory; ERR_IO;
 *         ERR_FORMAT; ERR_STOPPED
 */
int layout_make(struct layout *l, const struct stop *stop, struct arena *mem, struct err *err);

/* Append the graph in the language of dot. */
void layout_write(const struct layout *l, struct buf *out);

/*
 * Read the output of dot -Tplain for a graph of layout_write.
 *
 * Fails   ERR_FORMAT, with the number of the line, when it is not exactly what dot prints for this graph
 */
int layout_read(struct layout *l, const char *text, size_t n, struct arena *mem, struct err *err);

#endif
