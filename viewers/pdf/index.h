/*
 * index.h - the pages of a PDF that list all functions of a flame graph
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_PDF_INDEX_H
#define VIEWERS_PDF_INDEX_H

#include "viewers/pdf/paint.h"

#include <stddef.h>
#include <stdint.h>

struct index_ask {
	double width, height; /* of a page */
	cairo_surface_t *surface;
	const struct flame_function *function; /* [n] */
	size_t n;
};

/* Draw all pages of the index with the painter of the picture. */
void index_draw(const struct painter *p, const struct index_ask *ask);

#endif
