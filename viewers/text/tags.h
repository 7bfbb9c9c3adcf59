/*
 * tags.h - tags and comments as pprof prints them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_TEXT_TAGS_H
#define VIEWERS_TEXT_TAGS_H

#include "base/buf.h"
#include "report/report.h"

/* Append what report_tags_make found: to the byte as pprof, but that keys and values cannot carry control
   characters. */
void text_draw_tags(const struct report *r, bool color, struct buf *out);

/* Append what report_comments_make found, a comment per line. */
void text_draw_comments(const struct report *r, bool color, struct buf *out);

#endif
