/*
 * missing.c - PDF and PNG in a build without them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/pdf/pdf.h"

#include "base/component.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

/* Options of pictures are not checked, since a flame graph in any format reads them. */
int pdf_paper_find(const char *name, struct pdf_paper *out, struct err *err)
{
	*out = (struct pdf_paper){ 0 };
	return 0;
}

int pdf_index_parse(const char *text, size_t *out, struct err *err)
{
	*out = 0;
	return 0;
}

double pdf_width(const struct pdf_paper *paper, double width)
{
	return width;
}

int pdf_draw(const struct report *r, const struct flame_style *style, const struct pdf_paper *paper, struct buf *out,
	     struct err *err)
{
	return component_missing("pictures", err);
}

int png_draw(const struct report *r, const struct flame_style *style, struct buf *out, struct err *err)
{
	return component_missing("pictures", err);
}
