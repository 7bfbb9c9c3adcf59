/*
 * compare.h - formatting shared by the texts of diff and trend
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_TEXT_COMPARE_H
#define VIEWERS_TEXT_COMPARE_H

#include "base/buf.h"
#include "report/report.h"

#include <stdbool.h>

/* Append a line about a side: title, sources, time, duration, host, program and build. */
void text_compare_add_side(const char *title, const struct compare_side *s, struct buf *out);

/* Append a value in the unit of the report, with thousands separators; with_sign adds + to positive values. */
void text_compare_add_value(const struct head *h, int64_t value, bool with_sign, struct buf *out);

/* Width of a column of values in the format of text_compare_add_value, at least min_width. */
size_t text_compare_width(const struct report *r, uint32_t col, bool with_sign, size_t min_width);

/* Append "Total: 10s -> 12s, +2s (+20.00%)", without a newline. */
void text_compare_add_total(const struct head *h, struct buf *out);

/* Append a percentage with a sign, at most eight characters up to a million percent. */
void text_compare_add_percent(double percent, struct buf *out);

/* Append text right-aligned in a column of this width, after a blank. */
void text_compare_add_right(const struct buf *text, size_t width, struct buf *out);

/* Append a cell of a table, formatted as by the functions above; words and names are unchanged. */
void text_compare_add_cell(const struct head *h, const struct column *c, const union cell *cell, size_t width,
			   struct buf *out);

/* Append the change in percent: a number, or new, gone, "from 0", or - if both values are 0. */
void text_compare_add_change(int64_t before, int64_t after, double percent, const char *state, size_t width,
			     struct buf *out);

/* Start and end the colour of an increase or a decrease; nothing without colour. */
void text_compare_add_color(bool color, int64_t change, struct buf *out);
void text_compare_end_color(bool color, int64_t change, struct buf *out);

#endif
