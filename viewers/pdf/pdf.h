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

/* The pages of a PDF, in points; width 0: one page as large as the picture. */
struct pdf_paper {
	double width, height;
};

/*
 * The paper of a name: fit, a3, a4, a5, letter, legal; all but fit lie on their long side.
 *
 * Fails   ERR_USAGE for a name that is none of these
 */
int pdf_paper_find(const char *name, struct pdf_paper *out, struct err *err);

/* How wide the picture is drawn on a paper; on fit as wide as was asked for, at most as wide as a page can be. */
double pdf_width(const struct pdf_paper *paper, double width);

/*
 * Append a flame graph as PDF: the picture, continued by levels on more pages when it is deeper than
 * a page, and an index of all functions in it. It is dated as the profile is.
 *
 * Fails   ERR_IO when cairo is not there or in trouble
 */
int pdf_draw(const struct report *r, const struct flame_style *style, const struct pdf_paper *paper, struct buf *out,
	     struct err *err);

/*
 * Append a flame graph as PNG, style->width pixels wide. Levels for which an image cannot be deep
 * enough are left out, and it says so.
 *
 * Fails   ERR_USAGE when it is too wide, ERR_IO when cairo is not there or in trouble
 */
int png_draw(const struct report *r, const struct flame_style *style, struct buf *out, struct err *err);

#endif
