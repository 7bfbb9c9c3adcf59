/*
 * text_int.h - what the text layouts share
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * For viewers/text alone.
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

/* A value with its unit, made harmless, since the unit can be the profile's own text; with blanks
   in front up to width characters. */
void text_add_value(const struct head *h, int64_t value, size_t width, struct buf *out);

/* The filters in force, one on a line: those that pprof tells of, or all. */
void text_add_filters(const struct head *h, bool all, struct buf *out);

#endif
