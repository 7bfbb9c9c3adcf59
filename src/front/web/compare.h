/*
 * compare.h - parts of the pages that compare profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_WEB_COMPARE_H
#define FRONT_WEB_COMPARE_H

#include "report/gate/gate.h"
#include "front/web/page.h"

/* Append the two sides: BEFORE file, time, host, total → AFTER; links that swap and scale them; warnings. */
void web_add_compare_head(const struct web_page *page, struct buf *out);

/* Append the name of a function as a link to the flame graph with a pivot: a pattern, or for NULL that function. */
void web_add_pivot(const struct web_page *page, const char *name, const char *pattern, struct buf *out);

/* Append the outcome of the gate and a summary, on one line. */
void web_add_outcome(const struct gate *g, struct buf *out);

/* Append the verdict on a row as a word. */
void web_add_verdict(const struct gate_row *r, struct buf *out);

/* Append a form for each folder of the command line, which opens its files. */
void web_add_folders(const struct web_page *page, struct buf *out);

/* Append a time in UTC; nothing if it is 0. */
void web_add_time(int64_t time_ns, struct buf *out);

/* Append the sum of the default sample type of a profile, with its unit and name. */
void web_add_total(const struct profile *p, struct buf *out);

/* The scale of a comparison: the parameter scale, else as on the command line. */
const char *web_scale(const struct web_page *page);

#endif
