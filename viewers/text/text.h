/*
 * text.h - a report as pprof prints it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_TEXT_H
#define VIEWERS_TEXT_H

#include "base/buf.h"
#include "report/report.h"

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

#endif
