/*
 * compare.h - what the texts of diff and trend share
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_TEXT_COMPARE_H
#define VIEWERS_TEXT_COMPARE_H

#include "base/buf.h"
#include "report/report.h"

#include <stdbool.h>

/* A line about a side: what it is called, its sources, time, duration, host, program and build. */
void text_compare_add_side(const char *title, const struct compare_side *s, struct buf *out);

/* A value in the unit of the report; with_sign puts + in front of what is not negative. */
void text_compare_add_value(const struct head *h, int64_t value, bool with_sign, struct buf *out);

/* "Total: 10s -> 12s, +2s (+20.00%)", without a line end. */
void text_compare_add_total(const struct head *h, struct buf *out);

/* A percentage with a sign, at most eight wide up to a million percent. */
void text_compare_add_percent(double percent, struct buf *out);

/* Text in a column of that width, to its right, with a blank in front. */
void text_compare_add_right(const struct buf *text, size_t width, struct buf *out);

/* A cell of a table, as above; those of words and names as they are. */
void text_compare_add_cell(const struct head *h, const struct column *c, const union cell *cell, size_t width,
			   struct buf *out);

/* The change in percent: a number, or new, gone, "from 0", or - where nothing was and is. */
void text_compare_add_change(int64_t before, int64_t after, double percent, const char *state, size_t width,
			     struct buf *out);

/* Colour of what grew and what shrank, and its end; nothing without colour. */
void text_compare_add_color(bool color, int64_t change, struct buf *out);
void text_compare_end_color(bool color, int64_t change, struct buf *out);

#endif
