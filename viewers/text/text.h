/*
 * text.h - reports as text
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_TEXT_H
#define VIEWERS_TEXT_H

#include "base/buf.h"
#include "report/report.h"
#include "report/traces.h"

#include <stdbool.h>

/*
 * Append a report as text, byte for byte as pprof prints it, except that control characters in names are escaped.
 *
 * color   mark titles and the hottest rows with terminal colours
 */
void text_draw(const struct report *r, bool color, struct buf *out);

/*
 * Append the head of a report.
 *
 * full    head of a drawing: includes the lines of the profile even if the head is compact, and the number of dropped
 *         edges
 * Like    pprof internal/report reportLabels
 */
void text_add_head(const struct report *r, bool full, struct buf *out);

/* Append the metadata of the profile, one item per line. Like pprof internal/report ProfileLabels. */
void text_add_profile(const struct head *h, struct buf *out);

/*
 * Append the disasm report: each routine with flat and cum, then its instructions. The first instruction of a source
 * line is followed by the location of that line.
 *
 * color   mark routines, and instructions with a large flat
 * Like    pprof internal/report PrintAssembly
 */
void text_draw_disasm(const struct report *r, bool color, struct buf *out);

/*
 * Append the list report, byte for byte as pprof prints it, except that control characters are escaped, and with a line
 * for each inlined call in the report.
 *
 * color   mark titles, the hottest lines and inlined calls with terminal colours
 */
void text_draw_list(const struct report *r, bool color, struct buf *out);

/* Append tree or peek. */
void text_draw_calls(const struct report *r, bool color, struct buf *out);

/* Append a comparison of two sides, or a trend. */
void text_draw_diff(const struct report *r, bool color, struct buf *out);
void text_draw_trend(const struct report *r, bool color, struct buf *out);

/* Append totals over time: a table with a bar in each row, or a plot. The first column is a time, the second the total. */
void text_draw_series(const struct report *r, bool color, struct buf *out);
void text_plot_series(const struct report *r, bool color, struct buf *out);

/* Append the tags report, byte for byte as pprof prints it, except that control characters are escaped. */
void text_draw_tags(const struct report *r, bool color, struct buf *out);

/* Append the labels report: labels of samples and series, then findings, two lines each. */
void text_draw_labels(const struct report *r, bool color, struct buf *out);

/* Append the comments report, one comment per line. */
void text_draw_comments(const struct report *r, bool color, struct buf *out);

/* Traces, byte for byte as pprof prints them, except that control characters are escaped. */
extern const struct traces_viewer text_traces;

/* ---- formatting shared by the texts of diff and trend ---- */

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
void text_compare_add_title(const char *text, size_t width, struct buf *out);

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
