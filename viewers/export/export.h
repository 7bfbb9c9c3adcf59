/*
 * export.h - reports for other tools: CSV and Markdown
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_EXPORT_H
#define VIEWERS_EXPORT_H

#include "base/buf.h"
#include "report/report.h"

/* Append the rows as CSV (RFC 4180, but lines end in LF): one line of keys, values as integers in
   the unit of the last column, percentages as numbers. */
void csv_draw(const struct report *r, struct buf *out);

/* Append what the report says and a Markdown table; names are code spans and stay text. */
void markdown_draw(const struct report *r, struct buf *out);

#endif
