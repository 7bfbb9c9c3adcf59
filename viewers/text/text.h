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
 * Append a report as text for people, to the byte as pprof but that names cannot carry control
 * characters.
 *
 * color   mark titles and the heaviest rows with terminal colours
 */
void text_draw(const struct report *r, bool color, struct buf *out);

/*
 * Append the lines in front of a report.
 *
 * full    what is on top of a picture: the profile's own lines even when the head is compact, and
 *         how many calls were dropped
 * Like    pprof internal/report reportLabels
 */
void text_add_head(const struct report *r, bool full, struct buf *out);

/* Append what the profile says about itself, line by line. Like pprof internal/report ProfileLabels. */
void text_add_profile(const struct head *h, struct buf *out);

/*
 * Append the report disasm: each routine with its weight, then its instructions; behind the first of a
 * source line stands which.
 *
 * color   mark routines, and instructions that are heavy by themselves
 * Like    pprof internal/report PrintAssembly
 */
void text_draw_disasm(const struct report *r, bool color, struct buf *out);

/*
 * Append the report list to the byte as pprof, but that control characters are spelt out, and with
 * a line for each call that was inlined where the report has them.
 *
 * color   mark titles, the heaviest lines and what is not of the file with terminal colours
 */
void text_draw_list(const struct report *r, bool color, struct buf *out);

/* Append tree or peek. */
void text_draw_calls(const struct report *r, bool color, struct buf *out);

/* Append a comparison of two sides, and what grew from each profile to the next. */
void text_draw_diff(const struct report *r, bool color, struct buf *out);
void text_draw_trend(const struct report *r, bool color, struct buf *out);

/* Append what report_tags_make found: to the byte as pprof, but that keys and values cannot carry control
   characters. */
void text_draw_tags(const struct report *r, bool color, struct buf *out);

/* Append what report_comments_make found, a comment per line. */
void text_draw_comments(const struct report *r, bool color, struct buf *out);

/* To the byte as pprof, but that names and labels cannot carry control characters. */
extern const struct traces_viewer text_traces;

#endif
