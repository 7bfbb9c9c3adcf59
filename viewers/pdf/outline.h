/*
 * outline.h - the table of contents of a PDF of a flame graph
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_PDF_OUTLINE_H
#define VIEWERS_PDF_OUTLINE_H

#include "viewers/pdf/pages.h"
#include "viewers/pdf/paint.h"

#include <stddef.h>

struct outline_ask {
	cairo_surface_t *surface;
	const struct flame_function *function; /* [n] */
	size_t n;
	const struct pages *pages; /* of the picture; the index is behind them, if there is a function */
};

/* Add the picture, its pages, its heaviest functions (those with most of their own; in a comparison
   those whose own changed most) and the index. */
void outline_add(const struct painter *p, const struct outline_ask *ask);

#endif
