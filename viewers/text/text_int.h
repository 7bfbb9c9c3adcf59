/*
 * text_int.h - shared by the text layouts
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * For viewers/text only.
 */
#ifndef VIEWERS_TEXT_INT_H
#define VIEWERS_TEXT_INT_H

#include "base/buf.h"
#include "report/report.h"

#include <stdbool.h>

#define STYLE_TITLE "\033[1m"
#define STYLE_HOT "\033[31m"
#define STYLE_NOTE "\033[2m"
#define STYLE_END "\033[0m"

enum { HOT_PERCENT = 10 };

/* Append a value with its unit, right-aligned in width characters. Control characters are escaped, since the unit
   may come from the profile. */
void text_add_value(const struct head *h, int64_t value, size_t width, struct buf *out);

/* Append a line about the stored profiles and the builds of a side; nothing if neither is known. traffic may be NULL. */
void text_add_traffic(const struct side_traffic *t, const struct side_builds *b, const char *indent, struct buf *out);

/* Append the active filters, one per line: those that pprof prints, or all. */
void text_add_filters(const struct head *h, bool all, struct buf *out);

/* Append the head of a report whose rows are not functions: comments, filters, the type and the total, or mean. */
void text_add_total_head(const struct report *r, struct buf *out);

/*
 * Append a name with control characters escaped. If lines have a longest length (head.columns), the middle of the name is
 * replaced with "…", so that the line, whose start is in out, is no longer; at least 16 characters of a name remain.
 *
 * after   number of characters that follow the name
 */
void text_add_name(const struct head *h, const char *name, size_t after, struct buf *out);

#endif
