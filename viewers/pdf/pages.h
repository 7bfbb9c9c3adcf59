/*
 * pages.h - which levels of a flame graph are on which page of a PDF
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_PDF_PAGES_H
#define VIEWERS_PDF_PAGES_H

#include "base/arena.h"
#include "viewers/pdf/paint.h"
#include "viewers/pdf/pdf.h"

#include <stdint.h>

enum { PDF_MAX_SIDE = 14400 }; /* points; no page can be larger */

struct pdf_page {
	uint32_t lo, hi; /* levels, [lo, hi); all but the first page repeat one of the page before */
	double top;      /* where the picture begins */
	double height;   /* of the page */
};

struct pages {
	uint32_t n;
	struct pdf_page *page; /* [n] at least one */
};

/*
 * Choose pages: of a paper, or one as large as the picture, or as many as it takes of the largest
 * size there is.
 *
 * note   is said below the picture
 * out    lives in p->mem
 */
void pages_make(const struct painter *p, const struct pdf_paper *paper, const char *note, struct pages *out);

/* Append "page 2 of 3, levels 40-79". */
void pages_add_name(const struct pages *pages, uint32_t i, struct buf *out);

/* The first page on which a tile is, and where on it. Counts from 0. */
uint32_t pages_find(const struct painter *p, const struct pages *pages, const struct flame_tile *t,
		    struct rectangle *out);

#endif
