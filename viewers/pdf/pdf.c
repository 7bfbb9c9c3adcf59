/*
 * pdf.c - flame graphs as PDF and PNG
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/pdf/pdf.h"

int pdf_draw(const struct report *r, const struct flame_style *style, const struct pdf_paper *paper, struct buf *out,
	     struct err *err)
{
	(void)r;
	(void)style;
	(void)paper;
	(void)out;
	return err_set(err, ERR_USAGE, "pdf is not built yet");
}

int png_draw(const struct report *r, const struct flame_style *style, struct buf *out, struct err *err)
{
	(void)r;
	(void)style;
	(void)out;
	return err_set(err, ERR_USAGE, "png is not built yet");
}
