/*
 * pdf.h - flame graphs as PDF and PNG
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_PDF_H
#define VIEWERS_PDF_H

#include "base/buf.h"
#include "base/err.h"
#include "viewers/flame/flame.h"

/* The pages of a PDF. */
struct pdf_paper {
	double width, height; /* size in points; width 0: one page as large as the picture */
	size_t index_max;     /* max functions in the index */
};

/*
 * Find the width and height of a paper: fit, a3, a4, a5, letter, legal; all but fit are in landscape format.
 *
 * Fails   ERR_USAGE for another name
 */
int pdf_paper_find(const char *name, struct pdf_paper *out, struct err *err);

/*
 * Parse the maximum number of functions in the index: a number, "all" or "none".
 *
 * Fails   ERR_USAGE for another text
 */
int pdf_index_parse(const char *text, size_t *out, struct err *err);

/* The width of the picture on a paper; with fit it is width, limited to the maximum of a page. */
double pdf_width(const struct pdf_paper *paper, double width);

/*
 * Append a flame graph as PDF: the picture, on several pages if it is deeper than one, and an index of its functions.
 * Its date is that of the profile.
 *
 * Fails   ERR_IO when cairo is missing or fails
 */
int pdf_draw(const struct report *r, const struct flame_style *style, const struct pdf_paper *paper, struct buf *out,
	     struct err *err);

/*
 * Append a flame graph as PNG, style->width pixels wide. Levels that do not fit into an image are left out, with a
 * note.
 *
 * Fails   ERR_USAGE when it is too wide, ERR_IO when cairo is missing or fails
 */
int png_draw(const struct report *r, const struct flame_style *style, struct buf *out, struct err *err);

#endif
