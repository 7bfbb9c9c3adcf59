/*
 * svg.h - flame graphs as SVG
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_SVG_H
#define VIEWERS_SVG_H

#include "base/buf.h"
#include "base/err.h"
#include "report/report.h"
#include "viewers/flame/flame.h"

/*
 * Append a flame graph as one self-contained SVG.
 *
 * Fails   ERR_IO when libxml2 is missing
 */
int svg_draw(const struct report *r, const struct flame_style *style, struct buf *out, struct err *err);

/*
 * Append a plot of a series report: a line for each column of values after the total, or for the total. The first column is
 * a time, the second the total; a column of names has marks.
 *
 * Fails   ERR_IO when libxml2 is missing
 */
int svg_series_draw(const struct report *r, struct buf *out, struct err *err);

#endif
