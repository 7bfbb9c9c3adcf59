/*
 * index.h - the pages of a PDF that list all functions of a flame graph
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_PDF_INDEX_H
#define VIEWERS_PDF_INDEX_H

#include "viewers/pdf/functions.h"
#include "viewers/pdf/paint.h"
#include "viewers/pdf/pages.h"

#include <stddef.h>
#include <stdint.h>

struct index_ask {
	double width, height; /* of a page */
	cairo_surface_t *surface;
	const struct function *function; /* [n] */
	size_t n;
	const struct pages *pages; /* of the picture: rows are links to it */
	const uint32_t *tile;      /* [boxes] of each box */
};

/* Draw all pages of the index with the painter of the picture. Gives how many. */
uint32_t index_draw(const struct painter *p, const struct index_ask *ask);

#endif
