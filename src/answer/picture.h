/*
 * picture.h - draw call graphs with Graphviz
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ANSWER_PICTURE_H
#define ANSWER_PICTURE_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>

/* Processing of the text of a report, which is a call graph in the language of dot, or a web page. */
struct picture {
	const char *format;  /* argument of dot -T; NULL: use the text unchanged */
	const char *ext;     /* file name extension */
	bool is_movable;     /* SVG with a script to pan (drag) and zoom (wheel) in a browser */
	bool is_shown;       /* opened in a program, unless it is written to a file */
	const char *program; /* the program and its arguments; NULL: a browser */
};

/*
 * Draw with Graphviz.
 *
 * graph   in the language of dot; replaced by the picture on success
 * Fails   ERR_IO when Graphviz is missing or fails
 */
int picture_draw(const struct picture *p, struct buf *graph, struct err *err);

/* Make an SVG of Graphviz fill its window, and add a script to pan by dragging and to zoom with the wheel. */
void picture_make_movable(struct buf *svg);

#endif
