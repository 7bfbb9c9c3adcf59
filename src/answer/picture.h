/*
 * picture.h - call graphs as pictures, drawn by Graphviz
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ANSWER_PICTURE_H
#define ANSWER_PICTURE_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>

/* What becomes of the text of a report: a call graph in the language of dot, or a page. */
struct picture {
	const char *format;  /* of dot -T; NULL when the text stays as it is */
	const char *ext;     /* of a file that holds it */
	bool is_movable;     /* drag and wheel move it in a browser */
	bool is_shown;       /* by a program, unless it is written to a file */
	const char *program; /* that shows it, with its arguments; NULL: a browser */
};

/*
 * Have Graphviz draw.
 *
 * graph   in the language of dot; becomes the picture on success
 * Fails   ERR_IO when Graphviz is not there or did not like it
 */
int picture_draw(const struct picture *p, struct buf *graph, struct err *err);

/* Let an SVG of Graphviz fill its window, and be moved by dragging and by the wheel. */
void picture_make_movable(struct buf *svg);

#endif
