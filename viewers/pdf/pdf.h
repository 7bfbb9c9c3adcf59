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
 * Append a flame graph as PDF.
 *
 * Fails   ERR_IO when cairo is not there, ERR_LIMIT when the picture is too large for the format
 */
int pdf_draw(const struct report *r, const struct flame_style *style, const struct pdf_paper *paper, struct buf *out,
	     struct err *err);

/* The same as PNG. */
int png_draw(const struct report *r, const struct flame_style *style, struct buf *out, struct err *err);

#endif
