/*
 * series.h - totals over time as an SVG plot
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_SVG_SERIES_H
#define VIEWERS_SVG_SERIES_H

#include "base/buf.h"
#include "base/err.h"
#include "report/report.h"

/*
 * Append a plot of a series report: a line for each column of values after the total, or for the total. The first column is
 * a time, the second the total; a column of names has marks.
 *
 * Fails   ERR_IO when libxml2 is missing
 */
int svg_series_draw(const struct report *r, struct buf *out, struct err *err);

#endif
